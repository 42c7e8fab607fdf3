"""Wheels with mass: hubs compared with closed-form solutions, alone and on a car with four equal corners."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive, farthest_over, field_ground, slope_ground
from row_rig import call, rolling
from unsprung_rig import HUB, MASS, SPRING, TICKS, TIRE, car, rate_of, settled, unsprung

from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.suspension.hub import exact_step
from driving_sandbox.physics.suspension.hub_springs import linear_spring
from driving_sandbox.physics.suspension.roll_centre import spring_force
from driving_sandbox.physics.suspension.unsprung import check, derive
from driving_sandbox.physics.tick.commands import FIRST


def middle_jounce(drive):
    """Jounce of the first hub in the middle of the last substep, to which its speed belongs, m."""
    step = drive.dt / int(drive.world.context["substep_count"][0])
    return drive.wheels("suspension", "jounce")[0] + 0.5 * step * drive.wheels("suspension", "jounce_speed")[0]


def two_mass_rates():
    """Angular frequencies of bounce and hop of a quarter of the car, rad/s."""
    body, k = MASS / 4.0 - HUB, SPRING
    return np.sqrt(np.sort(np.linalg.eigvals([[k / body, -k / body], [-k / HUB, (k + TIRE) / HUB]]).real))


# the third is critical damping: 240 kN/m of tire and spring, 40 kg
@pytest.mark.parametrize("damping", [0.0, 800.0, 2.0 * math.sqrt(240e3 * 40.0), 40e3])
def test_a_step_of_a_hub_equals_ten_thousand_small_steps_of_its_equation(damping):
    """This holds without damping and below, at and above critical damping."""
    z, w, h, n = 0.05, -0.4, 0.02, 10_000
    # arguments of `exact_step`: jounce of the road and its rate; stiffness and damping of the tire; constant force,
    # stiffness and damping of the spring; mass of the hub
    ramp, tire, spring, mass = (0.06, 0.5), (200e3, 150.0), (-900.0, 40e3, damping), 40.0
    state = exact_step(z, w, h, ramp, tire, spring, mass)
    for step in range(n):
        road = ramp[0] + ramp[1] * (step + 0.5) * h / n
        middle = z + 0.5 * w * h / n
        force = tire[0] * (road - middle) + tire[1] * (ramp[1] - w) + spring[0] - spring[1] * middle - spring[2] * w
        w += force / mass * h / n
        z += (w - 0.5 * force / mass * h / n) * h / n
    assert state == pytest.approx((z, w), abs=2e-4)


@pytest.mark.parametrize("tick", TICKS)
def test_hop_and_bounce_have_the_frequencies_of_two_masses(tick):
    bounce, hop = two_mass_rates()
    assert hop == pytest.approx(math.sqrt((SPRING + TIRE) / HUB), rel=0.01)  # the body hardly moves
    drive = settled(tick)
    drive.vehicle.state["suspension"][0]["jounce_speed"][:4] = 0.3
    deflections = drive.log(0.8, lambda d: d.wheels("suspension", "tire_deflection")[0], every=tick)
    assert rate_of(deflections, tick) == pytest.approx(hop, rel=0.02)
    drive = settled(tick)
    drive.vehicle.state["body"][0]["velocity"][2] = -0.1
    deflections = drive.log(4.0, lambda d: d.position[2], every=tick)
    assert rate_of(deflections, tick) == pytest.approx(bounce, rel=0.02)


@pytest.mark.parametrize("tick", TICKS)
def test_at_rest_springs_and_tires_are_deflected_by_their_loads(tick):
    drive = Drive(car(damping=4000.0), tick=tick).run(6.0)
    load = MASS * GRAVITY / 4.0
    assert drive.wheels("suspension", "force") == pytest.approx([load] * 4, rel=1e-3)
    assert drive.wheels("suspension", "tire_deflection") == pytest.approx([load / TIRE] * 4, rel=1e-3)
    assert drive.wheels("suspension", "jounce") == pytest.approx([(load - HUB * GRAVITY) / SPRING] * 4, rel=1e-3)
    start = drive.position
    drive.run(5.0)
    assert abs(drive.position - start).max() < 1e-6
    assert np.linalg.norm(drive.body("velocity")) < 1e-6


def test_a_vehicle_is_placed_at_its_rest_height():
    drive = Drive(car(damping=4000.0))
    start = drive.position[2]
    assert drive.run(5.0).position[2] == pytest.approx(start, abs=0.006)


def test_a_car_parked_on_a_slope_does_not_move():
    drive = Drive(unsprung("hatchback"), slope_ground(8.0)).run(4.0, brake=1.0)
    start = drive.position
    drive.run(5.0, brake=1.0)
    assert np.linalg.norm(drive.position - start) < 1e-3


def test_a_wheel_in_the_air_swings_down_by_its_spring():
    """The momentum of hubs and body changes by gravity only, also when the hubs meet their stops."""
    drive = settled()
    state, dt = drive.vehicle.state["suspension"][0], drive.dt
    state["jounce_speed"][:4] = 0.0
    drive.vehicle.state["body"][0]["position"][2] += 1.0
    drive.ticks(drive.commands(1))
    start, fall = middle_jounce(drive), drive.body("velocity")[2]  # m, m/s
    speed = drive.wheels("suspension", "jounce_speed")[0]
    rate = math.sqrt(SPRING / HUB * (1.0 + 4.0 * HUB / (MASS - 4.0 * HUB)))
    momentum = MASS * fall + HUB * 4.0 * speed
    ticks = 8  # at 240 Hz; a quarter of an oscillation takes 13
    for k in range(1, 25):
        drive.ticks(drive.commands(1))
        if k == ticks:
            expected = start * math.cos(rate * k * dt) + speed / rate * math.sin(rate * k * dt)
            assert middle_jounce(drive) == pytest.approx(expected, rel=0.01)
            moving = HUB * drive.wheels("suspension", "jounce_speed").sum()
            momentum_z = MASS * drive.body("velocity")[2] + moving
            assert momentum_z == pytest.approx(momentum - MASS * GRAVITY * k * dt, rel=0.01)
            assert moving < -0.1 * abs(momentum_z)
    assert (drive.wheels("suspension", "jounce") < 1e-4).all()  # at full droop
    assert not drive.wheels("suspension", "on_ground").any()
    assert drive.body("velocity")[2] == pytest.approx(momentum / MASS - GRAVITY * 24 * dt, rel=0.01)


@pytest.mark.parametrize("tick", TICKS)
def test_without_dampers_oscillations_do_not_grow(tick):
    """Only the tires are damped, by 200 N s/m. Amplitudes of bounce and hop never grow by 0.1 %."""
    drive = settled(tick, tire_damping=200.0)
    drive.vehicle.state["body"][0]["velocity"][2] = -0.15
    drive.vehicle.state["suspension"][0]["jounce_speed"][:4] = 0.2
    samples = drive.log(20.0, lambda d: (d.position[2], d.wheels("suspension", "tire_deflection")[0]), every=tick)
    for values in samples.T:
        parts = [np.ptp(part) for part in np.array_split(values, 5)]
        assert all(later < 1.001 * earlier for earlier, later in zip(parts[:-1], parts[1:], strict=True))


@pytest.mark.parametrize("tick", TICKS)
@pytest.mark.parametrize("name", ["hatchback", "buggy", "truck"])
def test_a_jump_ends_at_rest(name, tick):
    drive = Drive(unsprung(name), tick=tick).run(3.0)
    rest = drive.position[2]
    drive.vehicle.state["body"][0]["position"][2] += 1.0
    heights = drive.log(4.0, lambda d: d.position[2], every=tick)[round(0.6 / tick):] - rest  # fmt: skip
    assert heights.max() < 0.3
    assert abs(heights[-1]) < 0.01


def test_stiff_light_hubs_are_stable_at_any_tick():
    """Hubs of 5 kg on 1e6 N/m are stable even in the longest tick, where they would swing by 3.7 rad in a substep."""
    vehicle = car(unsprung_mass=5.0, tire_stiffness=1e6, damping=20e3)
    for tick in (1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0):
        drive = Drive(vehicle, tick=tick).run(6.0)
        assert drive.wheels("suspension", "force") == pytest.approx([MASS * GRAVITY / 4.0] * 4, rel=1e-3)
        assert np.linalg.norm(drive.body("velocity")) < 1e-4


def test_an_offroader_drives_over_hills():
    assert farthest_over("hills", unsprung("offroader"), 12.0, stop_every=6.0, throttle=0.7, steer=0.3) > 10.0


@pytest.mark.parametrize("speed", [-8.0, -0.5, 0.5, 8.0])
@pytest.mark.parametrize("travel_left", [0.10, 0.05, 0.01])
def test_the_linear_spring_of_a_step_has_the_force_and_slope_of_the_spring(travel_left, speed):
    """The spring is tried with different damper rates in bump and rebound, a preload and a bump stop."""
    vehicle = car(damping=1000.0, bump_damping=2000.0, rebound_damping=5000.0, preload=-700.0, bump_stop_length=0.06,
                  bump_stop_stiffness=90e3)  # fmt: skip
    jounce = vehicle.get("suspension.fl.travel") - travel_left
    p = vehicle.params["suspension"][0].view(np.recarray)[0]
    still, stiffness, rate = linear_spring(p, jounce, speed)
    assert still + stiffness * jounce + rate * speed == pytest.approx(spring_force(p, jounce, speed))
    step = 1e-6
    slope = (spring_force(p, jounce + step, speed) - spring_force(p, jounce - step, speed)) / (2.0 * step)
    assert stiffness == pytest.approx(slope, rel=1e-4)


def test_a_car_that_starts_at_speed_gets_no_kick():
    """It starts in the air, where nothing but gravity acts, with its hubs at full droop."""
    drive = Drive(car(damping=4000.0), tick=TICKS[1])
    body = drive.vehicle.state["body"][0]
    body["position"][2] += 2.0
    body["velocity"] = (0.0, 30.0, -3.0)
    drive.ticks(drive.commands(1))
    assert drive.wheels("suspension", "jounce_speed") == pytest.approx([0.0] * 4, abs=1e-9)
    assert drive.body("velocity")[2] == pytest.approx(-3.0 - GRAVITY * drive.dt, abs=1e-6)


def test_a_damper_acts_also_where_a_bump_stop_is_touched():
    """A car falls on stops that have hardly any force, and moves as one without stops."""
    samples = []
    for length in (0.0, 0.35):
        vehicle = car(damping=4000.0, bump_stop_length=length, bump_stop_stiffness=1.0)
        drive = Drive(vehicle, tick=TICKS[1]).run(1.0)
        drive.vehicle.state["body"][0]["velocity"][2] = -1.0
        samples.append(drive.log(0.5, lambda d: (d.position[2], d.wheels("suspension", "jounce")[0]), every=TICKS[1]))
    free, touched = samples
    assert touched[:, 1].max() > 0.1  # the stops begin at 0.05 m
    assert touched == pytest.approx(free, abs=1e-4)


def test_the_turn_of_the_body_is_known_also_while_the_first_wheel_has_no_road():
    vehicle = Drive(car(damping=4000.0)).run(0.1).vehicle
    state, before = vehicle.state["suspension"][0], (0.0, 0.1, 0.0, math.sqrt(0.99))
    state["orientation_before"][0], state["hub_initialized"][0], vehicle.state["road"][0]["hit"][0] = before, 0, 0
    call(vehicle, "suspension")
    assert tuple(state["orientation_before"][0]) == before


def test_hubs_too_heavy_for_an_assembled_body_are_refused():
    """Its inertia is not known before its parameters are derived."""
    vehicle = car()
    params, wheels = vehicle.params["suspension"].copy()[0], vehicle.params["wheel"][0]
    body = vehicle.params["body"].copy()[0]
    body["principal_inertia"], body["box_size"] = 0.0, 0.0
    params["unsprung_mass"][:4] = 600.0
    assert check(params, body, wheels, 4) == []
    with pytest.raises(ValueError, match="of the whole vehicle's inertia"):
        derive(params, body, wheels, 4, vehicle.context[0])


def test_a_rolling_solid_axle_pushes_its_body_sideways():
    """In the air, the lateral momenta of hubs and body cancel within 10 %; with independent links both are zero."""
    momenta = {}
    for links in ("independent", "solid_axle"):
        drive = settled(links=links, roll_centre_height=0.1)
        drive.vehicle.state["body"][0]["position"][2] += 2.0
        drive.run(0.02)
        drive.vehicle.state["suspension"][0]["jounce_speed"][:4] = (0.6, -0.6, 0.6, -0.6)
        before = drive.body("velocity")[0]
        speeds = drive.wheels("suspension", "jounce_speed")
        drive.run(0.05)
        speed_change = drive.wheels("suspension", "jounce_speed") - speeds
        p = drive.vehicle.params["suspension"][0][:4]
        momenta[links] = (
            MASS * (drive.body("velocity")[0] - before),
            float(HUB * (p["lateral_ratio"] * speed_change).sum()),
        )
    assert momenta["independent"] == pytest.approx((0.0, 0.0), abs=3.0)  # they move along a body that has rolled
    body, hubs = momenta["solid_axle"]
    assert abs(hubs) > 10.0
    assert body == pytest.approx(-hubs, rel=0.1)


def test_a_drive_repeated_from_a_snapshot_is_bit_identical():
    drive = Drive(unsprung("buggy")).run(1.0, throttle=1.0, gear=FIRST)
    vehicle = drive.vehicle
    snapshot = vehicle.snapshot()
    first = drive.run(2.0, throttle=1.0, gear=FIRST, steer=0.3).vehicle.snapshot()
    vehicle.restore(snapshot)
    assert drive.run(2.0, throttle=1.0, gear=FIRST, steer=0.3).vehicle.snapshot() == first


@pytest.mark.parametrize(("path", "value", "message"), [
    ("suspension.fl.unsprung_mass", -1.0, "greater than or equal to 0"),
    ("suspension.fl.tire_stiffness", -1.0, "greater than or equal to 0"),
    ("suspension.fl.tire_depth", 0.0, "greater than 0"),
    ("suspension.fl.unsprung_mass", 600.0, "of the whole vehicle's inertia"),
    ("suspension.fl.joint_compliance", 1e-200, "0 for a rigid joint"),
])  # fmt: skip
def test_bad_values_are_refused(path, value, message):
    with pytest.raises(SchemaError, match=message):
        car().set(path, value)


@pytest.mark.parametrize("tick", TICKS)
def test_after_a_kerb_at_speed_the_car_returns_to_its_height(tick):
    """The kerb is 8 cm high. Behind it at least two wheels leave the road; 1.3 s later the car has its old height."""
    vehicle = unsprung("hatchback", unsprung_mass=40.0)
    kerb = field_ground(lambda x, y: np.where((y > 12.0) & (y < 14.0), 0.08, 0.0), half_size=80.0, cell=0.2)
    drive = Drive(vehicle, kerb, position=(0.0, 0.0), tick=tick).run(2.0)
    rest = drive.position[2]
    rolling(drive, 20.0)
    samples = drive.log(2.5, lambda d: (d.position[2] - rest, d.wheels("suspension", "on_ground").sum()), every=tick)
    assert samples[:, 1].min() <= 2.0
    assert 0.03 < samples[:, 0].max() < 0.3
    assert abs(samples[-round(0.5 / tick) :, 0]).max() < 0.01
