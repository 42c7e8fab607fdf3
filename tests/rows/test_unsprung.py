"""Wheels with mass: hubs compared with closed-form solutions, alone and on a car with four equal corners."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive, farthest_over, field_ground, slope_ground
from row_rig import WHEELS, call, car_with_equal_corners, each_wheel, rolling

from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.suspension.hub import advance, exact_step
from driving_sandbox.physics.suspension.hub_springs import linear_spring, tire_spring_force
from driving_sandbox.physics.suspension.roll_centre import spring_force
from driving_sandbox.physics.suspension.suspension import IN_AIR
from driving_sandbox.physics.suspension.unsprung import check, derive, set_loads
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

# values of the car that `car` makes
MASS = 1500.0  # kg
HUB = 45.0  # kg, unsprung mass of a wheel
SPRING = 35e3  # N/m
TIRE = 200e3  # N/m, vertical stiffness
TICKS = (1.0 / 240.0, 1.0 / 60.0)  # s


def unsprung(vehicle, **values):
    """A vehicle, given by itself or by its name, with the component `unsprung` and suspension values."""
    vehicle = load_vehicle(vehicle) if isinstance(vehicle, str) else vehicle
    vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, "suspension", "unsprung"))
    vehicle.set_many(each_wheel("suspension", vehicle.wheel_names, **values))
    return vehicle


def car(**values):
    """The car with four equal corners, without dampers except for `values`."""
    suspension = {"unsprung_mass": HUB, "tire_stiffness": TIRE, "tire_damping": 0.0, "damping": 0.0, **values}
    return unsprung(car_with_equal_corners(MASS, SPRING), **suspension)


def settled(tick=TICKS[0], **values):
    """A Drive of a car that has come to rest, and whose dampers are then removed."""
    vehicle = car(damping=5000.0)
    drive = Drive(vehicle, tick=tick).run(5.0)
    vehicle.set_many(each_wheel("suspension", **{"damping": 0.0, **values}))
    return drive


def middle_jounce(drive):
    """Jounce of the first hub in the middle of the last substep, to which its speed belongs, m."""
    step = drive.dt / int(drive.world.context["substep_count"][0])
    return drive.wheels("suspension", "jounce")[0] + 0.5 * step * drive.wheels("suspension", "jounce_speed")[0]


def two_mass_rates():
    """Angular frequencies of bounce and hop of a quarter of the car, rad/s."""
    body, k = MASS / 4.0 - HUB, SPRING
    return np.sqrt(np.sort(np.linalg.eigvals([[k / body, -k / body], [-k / HUB, (k + TIRE) / HUB]]).real))


def rate_of(values, every_s):
    """Angular frequency of an oscillation, rad/s, from its upward crossings of the mean.

    every_s: time between the values, s.
    """
    y = values - values.mean()
    up = np.flatnonzero((y[:-1] < 0.0) & (y[1:] >= 0.0))
    crossings = up + y[up] / (y[up] - y[up + 1])
    return math.tau * (len(crossings) - 1) / ((crossings[-1] - crossings[0]) * every_s)


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


def test_a_tire_that_lands_within_a_step_has_a_force_from_the_landing_on():
    """A step of 10 ms equals a step of free fall and one of contact. A tire that may pull acts during all of it."""
    fall, hub = (-400.0, 1e-6, 0.0), 40.0  # N on 40 kg, without a spring: an acceleration of -10 m/s^2
    ramp, tire = (0.0, 0.0), (200e3, 0.0)
    gap, speed = 0.01, -2.0
    z, w = advance(gap, speed, 0.01, ramp, tire, fall, hub, False)
    landing = (speed + math.sqrt(speed * speed + 2.0 * 10.0 * gap)) / 10.0
    z1, w1 = exact_step(0.0, speed - 10.0 * landing, 0.01 - landing, ramp, tire, fall, hub)
    assert (z, w) == pytest.approx((z1, w1), rel=0.02)
    assert advance(gap, speed, 0.01, ramp, tire, fall, hub, True)[1] < w - 0.05


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


@pytest.mark.parametrize("loads_tires", [False, True])
def test_a_roll_torque_is_balanced_by_the_tire_loads(loads_tires):
    """The roll angle follows from springs, bars and tires in series, whether bars act on hubs or on tires."""
    vehicle = car(damping=4000.0)
    vehicle.set_many({"antiroll.wheel_a": [0, 2], "antiroll.wheel_b": [1, 3], "antiroll.stiffness": [20e3, 10e3],
                      "antiroll.loads_tires": loads_tires, **each_wheel("tire", camber_stiffness=0.0)})  # fmt: skip
    drive = Drive(vehicle).run(4.0)
    level = drive.body("orientation")[1]
    ticks = round(6.0 / drive.dt)
    external = np.zeros(ticks, EXTERNAL)
    external["torque"] = (0.0, 1500.0, 0.0)
    drive.ticks(drive.commands(ticks), external)
    x = np.array([vehicle.get(f"suspension.{w}.attachment")[0] for w in WHEELS])
    loads = drive.wheels("suspension", "force")
    assert loads.sum() == pytest.approx(MASS * GRAVITY, rel=1e-3)
    roll = 2.0 * (drive.body("orientation")[1] - level)
    # m, of the centre of mass above the attachments of the springs, about which it moves outwards
    height = -vehicle.params["suspension"][0]["arm"][0][2]
    torque = 1500.0 + MASS * GRAVITY * height * roll
    assert loads @ x == pytest.approx(torque, rel=0.01)
    stiffness = [2.0 * (SPRING + 2.0 * bar) for bar in (20e3, 10e3)]  # of an axle, per half track squared
    tires = 2.0 * TIRE
    expected = torque / sum(x[2 * i] ** 2 * k * tires / (k + tires) for i, k in enumerate(stiffness))
    assert roll == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(("pulls", "deflection", "speed", "push"), [
    (False, 0.02, 0.5, 0.02 * TIRE + 100.0),
    (False, 0.02, -0.5, 0.02 * TIRE - 100.0),
    (False, 1e-3, -2.0, 0.0),  # the damper would pull the road up
    (True, 1e-3, -2.0, 1e-3 * TIRE - 400.0),
    (False, 0.30, 0.0, 0.08 * TIRE),  # on its rim
])  # fmt: skip
def test_a_tire_pushes_by_its_spring_and_damper_and_pulls_only_with_tire_pulls(pulls, deflection, speed, push):
    vehicle = car(tire_damping=200.0, tire_depth=0.08, tire_pulls=pulls)
    state = vehicle.state["suspension"][0]
    state["tire_deflection"][0], state["deflection_speed"][0] = deflection, speed
    for on_ground in (1, 0):
        state["on_ground"][0] = on_ground
        pushes = tire_spring_force(vehicle.params["suspension"][0].view(np.recarray)[0], state.view(np.recarray)[0])
        assert pushes == pytest.approx(push * on_ground, abs=1e-9)


@pytest.mark.parametrize("rising", [0.0, 0.5])
def test_tires_that_meet_the_road_deflect_at_the_closing_speed_of_the_body(rising):
    """A landing tire has no previous deflection to take a rate from. On a tilted body its rate is measured along the
    springs.

    rising: speed at which the road rises, m/s.
    """
    vehicle = Drive(car(damping=4000.0)).run(2.0).vehicle
    body, state, lean = vehicle.state["body"][0], vehicle.state["suspension"][0], 0.1
    body["orientation"] = (0.0, math.sin(0.5 * lean), 0.0, math.cos(0.5 * lean))
    body["velocity"], body["angular_velocity"] = (0.0, 0.0, -2.0), 0.0
    state["road_jounce"][:4], state["jounce_speed"][:4] = -IN_AIR, 0.0
    vehicle.state["road"][0]["velocity"][:4] = (0.0, 0.0, rising)
    call(vehicle, "suspension")
    closing_speeds = state["deflection_speed"][:4] + state["jounce_speed"][:4] * math.cos(lean)
    assert closing_speeds == pytest.approx([2.0 + rising] * 4, rel=1e-9)


def test_forces_at_the_contact_act_where_the_tire_meets_the_road():
    """With `force_application: attachment` they act more than 5 cm from the road."""
    heights = {}
    for place in ("contact", "attachment"):
        drive = Drive(car(damping=4000.0, force_application=place)).run(3.0)
        arms = drive.vehicle.state["suspension"][0]["force_arm"][:4, 2]
        heights[place] = drive.body("position")[2] + arms
    assert heights["contact"] == pytest.approx([0.0] * 4, abs=1e-3)
    assert np.abs(heights["attachment"]).min() > 0.05


@pytest.mark.parametrize("radius_excess", [None, 0.0, 0.01])
def test_a_loaded_tire_is_smaller_by_its_deflection(radius_excess):
    """radius_excess: free radius minus the wheel's, m; None: estimated, so that the loaded radius is the wheel's."""
    vehicle = car(damping=4000.0)
    radius, deflection = vehicle.get("wheel.fl.radius"), MASS * GRAVITY / 4.0 / TIRE
    if radius_excess is not None:
        vehicle.set_many(each_wheel("suspension", vehicle.wheel_names, free_radius=radius + radius_excess))
    drive = Drive(vehicle).run(4.0)
    assert drive.wheels("suspension", "tire_deflection") == pytest.approx([deflection] * 4, rel=0.01)
    loaded = radius if radius_excess is None else radius + radius_excess - deflection
    assert drive.vehicle.state["wheel"][0]["position"][:4, 2] == pytest.approx([loaded] * 4, abs=1e-4)
    assert vehicle.params["suspension"]["used_free_radius"][0, :4] == pytest.approx([loaded + deflection] * 4)


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


def test_a_tire_that_pulls_holds_a_lifted_car():
    lift = 1.3 * MASS * GRAVITY
    cars = (car(damping=4000.0, tire_damping=5000.0, tire_pulls=pulls) for pulls in (True, False))
    pulled, free = (Drive(vehicle).run(3.0) for vehicle in cars)
    start = pulled.position[2]
    for share in np.linspace(0.1, 1.3, 13):  # in steps, so that no tire is torn off
        pulled.run(1.5, force=(0.0, 0.0, share * MASS * GRAVITY))
    assert pulled.wheels("suspension", "force") == pytest.approx([-0.3 * MASS * GRAVITY / 4.0] * 4, rel=0.05)
    assert pulled.position[2] - start < 0.4
    assert not free.run(3.0, force=(0.0, 0.0, lift)).wheels("suspension", "on_ground").any()
    assert free.position[2] - start > 5.0


def test_a_torn_off_tire_no_longer_pulls():
    """The force lifts the tires beyond the gap up to which they pull, and then the car."""
    drive = Drive(car(damping=4000.0, tire_pulls=True)).run(2.0)
    start = drive.position[2]
    assert drive.run(1.0, force=(0.0, 0.0, 5.0 * MASS * GRAVITY)).position[2] - start > 5.0


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


def test_a_tire_has_the_load_of_its_spring_however_hard_its_bar_pushes():
    vehicle = Drive(car(damping=4000.0)).run(1.0).vehicle
    vehicle.set_many({"antiroll.wheel_a": [0], "antiroll.wheel_b": [1], "antiroll.stiffness": [20e3]})
    state = vehicle.state["suspension"][0]
    state["jounce"][:2], state["bar_force"][:2] = (0.2, 0.1), (2000.0, -2000.0)
    state["tire_deflection"][:2], state["deflection_speed"][:4] = (1e-3, 10e-3), 0.0
    call(vehicle, "suspension", kernel=set_loads)
    call(vehicle, "antiroll")
    assert state["force"][:2] == pytest.approx([1e-3 * TIRE, 10e-3 * TIRE], rel=1e-6)


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
