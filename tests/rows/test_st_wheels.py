"""Stingray's format: wheels, suspension, camber and tires, from the file to the moving car.

Ids such as ST-WHEEL-04 are rows of docs/systems.yaml.
"""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive, field_ground
from stingray_rig import car, drive, falling, pitch_and_roll, read, roll, wheel_in_body
from stingray_samples import RADIUS, WHEELBASE, wheel_centres

from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.tick.commands import FIRST

MASS = 375.0  # kg, per wheel
STIFFNESS = 35000.0  # N/m, per wheel


def gripping(d, friction=10.0):
    """Set friction so high that tires stay on the linear part of their curves."""
    d.vehicle.set_many({f"road.{w}.min_friction": friction for w in d.vehicle.wheel_names})
    return d


@pytest.mark.covers("ST-WHEEL-04")
def test_a_given_moment_of_inertia_replaces_that_of_the_rim():
    speeds = []
    for moi in (None, 1.1):
        d = drive(wheels__mass=20.0, wheels__moi=moi)
        assert read_inertia(d) == pytest.approx(2.178 if moi is None else 1.1, rel=1e-5)  # of the rim: m r^2
        d.vehicle.set_many({f"road.{w}.max_friction": 0.05 for w in d.vehicle.wheel_names})
        roll(d, 10.0)
        d.vehicle.state["wheel"]["omega"][0, :4] = 0.0
        speeds.append(d.run(0.2).wheels("wheel", "omega")[0])
    assert speeds[1] / speeds[0] == pytest.approx(2.178 / 1.1, rel=0.02)


def read_inertia(d):
    """Moment of inertia of the front left wheel, kg m^2."""
    return d.vehicle.get("wheel.fl.inertia")


@pytest.mark.covers("ST-WHEEL-05")
def test_an_offset_of_the_front_wheels_lengthens_the_wheelbase():
    ahead = [0.0, 0.1, 0.0]
    d = drive(wheels__position_offset=(ahead, ahead, None, None))
    y = d.wheels("wheel", "position")[:, 1]
    assert y[:2] - y[2:] == pytest.approx([WHEELBASE + 0.1] * 2, abs=1e-4)
    assert d.vehicle.get("ackermann.wheelbase") == pytest.approx(WHEELBASE + 0.1, abs=1e-6)


@pytest.mark.covers("ST-WHEEL-06")
def test_a_larger_radius_lifts_the_car():
    rise = drive(wheels__radius_scale=1.1).position[2] - drive().position[2]
    assert rise == pytest.approx(0.1 * RADIUS, abs=2e-4)


@pytest.mark.covers("ST-WHEEL-07")
def test_a_free_wheel_slows_exponentially():
    d = falling(wheels__moi=2.0, wheels__damping_rate=1.2)
    d.vehicle.state["wheel"]["omega"][0, 0] = 50.0
    for seconds in (0.5, 1.0, 1.5):
        d.run(0.5)
        assert read(d, "wheel.fl.omega") == pytest.approx(50.0 * math.exp(-1.2 * seconds / 2.0), rel=2e-3)


# ---- suspension


@pytest.mark.covers("ST-SUSP-02")
@pytest.mark.parametrize("compression", [0.1, 0.06])
def test_a_kerb_compresses_the_suspension_fully(compression):
    kerb = field_ground(lambda x, y: np.where(y > 8.0, 0.18, 0.0), half_size=32.0)
    d = Drive(car(wheels__suspension__max_compression=compression), kerb).run(1.0, brake=1.0)
    roll(d, 12.0)
    jounce = d.log(0.8, lambda d: d.wheels("suspension", "jounce")[:2], every=1 / 240)
    assert d.position[1] > 6.0
    assert jounce.max() - 0.12 == pytest.approx(compression, abs=1e-9)  # 0.12 m: from full droop to rest


@pytest.mark.covers("ST-SUSP-03")
def test_in_the_air_a_wheel_hangs_by_its_droop_below_rest():
    at_rest, in_air = drive(), falling(wheels__suspension__max_droop=0.09).run(0.3)
    for i, centre in enumerate(wheel_centres()):
        assert wheel_in_body(at_rest, i) == pytest.approx(centre, abs=1e-4)
        assert wheel_in_body(in_air, i) == pytest.approx(centre - (0.0, 0.0, 0.09), abs=1e-6)


def bouncing(rate, damping, seconds=4.0):
    """Height of the body above its rest position, m, in each tick (240 Hz) after its release 3 cm above that.

    rate: of the springs, N/m.
    damping: of the dampers, N s/m.
    """
    # this damper rate lets the car settle before `damping` replaces it
    d = drive(wheels__suspension__spring_strength=rate, wheels__suspension__spring_damper_rate=3500.0)
    rest = d.body("position")[2]
    d.vehicle.set_many({f"suspension.{w}.damping": damping for w in d.vehicle.wheel_names})
    d.vehicle.state["body"]["position"][0, 2] += 0.03
    return d.log(seconds, lambda d: d.body("position")[2] - rest, every=1 / 240)


@pytest.mark.covers("ST-SUSP-04")
@pytest.mark.parametrize("rate", [35000.0, 70000.0])
def test_the_spring_rate_sets_the_bounce_frequency(rate):
    z = bouncing(rate, 100.0)
    up = np.flatnonzero((z[:-1] < 0.0) & (z[1:] >= 0.0))
    frequency = (len(up) - 1) / ((up[-1] - up[0]) / 240.0)
    assert frequency == pytest.approx(math.sqrt(rate / MASS) / (2.0 * math.pi), rel=0.05)


@pytest.mark.covers("ST-SUSP-05")
@pytest.mark.parametrize("damping", [500.0, 1000.0])
def test_the_decay_of_peaks_is_that_of_the_damper_rate(damping):
    z = bouncing(STIFFNESS, damping, 2.0)
    tops = [k for k in range(1, len(z) - 1) if z[k - 1] < z[k] >= z[k + 1] and z[k] > 1e-4]
    decrement = math.log(z[tops[0]] / z[tops[1]])
    ratio = decrement / math.hypot(2.0 * math.pi, decrement)
    assert 2.0 * ratio * math.sqrt(STIFFNESS * MASS) == pytest.approx(damping, rel=0.05)


@pytest.mark.covers("ST-SUSP-06")
def test_a_tilted_travel_moves_the_wheel_back_as_it_droops():
    tilt = math.radians(10.0)
    d = falling(wheels__suspension__travel_direction=[0.0, -math.sin(tilt), -math.cos(tilt)]).run(0.3)
    shift = wheel_in_body(d, 0) - wheel_centres()[0]  # m, by a droop of 0.12 m
    assert shift[1] / 0.12 == pytest.approx(-0.1736, abs=1e-3)
    assert shift[2] / 0.12 == pytest.approx(-0.9848, abs=1e-3)


def cornering(**changes):
    """(height at rest, m; pitch and roll, rad, in a steady corner to the left under power)."""
    d = drive(**changes)
    height = d.position[2]
    roll(d, 12.0).run(3.0, steer=-0.5, gear=FIRST + 1, throttle=0.3)
    samples = d.log(1.0, pitch_and_roll, steer=-0.5, gear=FIRST + 1, throttle=0.3)
    return height, *samples.mean(axis=0)


@pytest.mark.covers("ST-SUSP-07")
def test_the_suspensions_force_point_changes_pitch_and_roll_but_not_the_ride_height():
    low, high = (cornering(wheels__suspension__force_application_offset=[0.0, 0.0, z]) for z in (-0.6, 0.6))
    assert low[0] == pytest.approx(high[0], abs=1e-4)
    assert low[2] > 1.05 * high[2] > 0.0
    assert abs(low[1] - high[1]) > 0.02 * abs(high[1])


@pytest.mark.covers("ST-TIRE-06")
def test_tire_forces_near_the_centre_of_mass_roll_the_body_less():
    near, low = (cornering(wheels__tire__force_application_offset=[0.0, 0.0, z]) for z in (-0.1, -0.5))
    assert 0.0 < near[2] < 0.4 * low[2]


# ---- camber


def drawn_camber(d, wheel):
    """Inclination of the drawn wheel relative to the body, rad, positive with its top to the right on both sides."""
    q = tuple(d.wheels("wheel", "hub_orientation")[wheel].tolist())
    return math.asin(rotate_inverse(d.vehicle.model_orientation(), rotate(q, (0.0, 0.0, 1.0)))[0])


@pytest.mark.covers("ST-COMPL-01")
def test_camber_at_rest_inclines_the_wheels_and_causes_side_force():
    d = drive(wheels__suspension__camber_rest=0.05)
    # to 1 mrad, as the body rolls a little
    assert [drawn_camber(d, i) for i in range(4)] == pytest.approx([0.05] * 4, abs=1e-3)
    assert [drawn_camber(d, i) for i in range(4)] == pytest.approx(d.wheels("compliance", "camber"), abs=1e-6)
    roll(d, 10.0).run(1 / 240)
    # camber thrust is to the side of the tilt, about load x angle
    assert d.wheels("tire", "lateral_force") == pytest.approx([0.05 * MASS * GRAVITY] * 4, rel=0.2)
    assert np.abs(roll(drive(), 10.0).run(1 / 240).wheels("tire", "lateral_force")).max() < 1.0


@pytest.mark.covers("ST-COMPL-02")
def test_half_way_to_full_compression_camber_is_half_way():
    d = drive(wheels__suspension__camber_rest=0.02, wheels__suspension__camber_max_compression=-0.06)
    # 0.075 m: half of the 0.15 m from rest to full compression
    d.run(3.0, force=(0.0, 0.0, -4.0 * STIFFNESS * 0.075), brake=1.0)
    assert d.wheels("suspension", "jounce") == pytest.approx([0.12 + 0.075] * 4, abs=1e-3)
    assert d.wheels("compliance", "camber") == pytest.approx([-0.02] * 4, abs=1e-3)


@pytest.mark.covers("ST-COMPL-03")
def test_camber_in_full_droop_is_drawn_and_reported():
    d = falling(wheels__suspension__camber_max_droop=0.05).run(0.3)
    assert d.wheels("compliance", "camber") == pytest.approx([0.05] * 4, abs=1e-9)
    assert [drawn_camber(d, i) for i in range(4)] == pytest.approx([0.05] * 4, abs=1e-6)


# ---- tires


def lateral_stiffness(loads, saturated=2.0):
    """Side force per slip angle of a front wheel, N/rad, at multiples of its rest load.

    saturated: multiple of the rest load at which the stiffness reaches its full value.
    """
    stiffnesses = []
    for multiple in loads:
        d = gripping(drive(wheels__suspension__spring_strength=200000.0, wheels__tire__lateral_stiffness_y=15.0,
                           wheels__tire__lateral_stiffness_x=saturated))  # fmt: skip
        down = (0.0, 0.0, -(multiple - 1.0) * 4.0 * MASS * GRAVITY)
        d.run(2.0, force=down, brake=1.0)
        roll(d, 10.0)
        d.vehicle.state["body"]["velocity"][0, 0] = 0.02
        d.run(d.dt, force=down)
        assert d.wheels("tire", "load")[0] == pytest.approx(multiple * MASS * GRAVITY, rel=0.01)
        stiffnesses.append(-read(d, "tire.fl.lateral_force") / read(d, "tire.fl.lateral_slip"))
    return np.array(stiffnesses)


@pytest.mark.covers("ST-TIRE-02", "ST-TIRE-03")
def test_lateral_stiffness_grows_to_its_full_value_at_twice_the_rest_load():
    full = 15.0 * MASS * GRAVITY
    stiffnesses = lateral_stiffness((0.5, 1.0, 2.0, 2.5, 3.0))
    assert stiffnesses[2:] == pytest.approx([full] * 3, rel=0.01)
    assert stiffnesses[0] < 0.7 * stiffnesses[1] and stiffnesses[1] < 0.9 * stiffnesses[2]
    assert lateral_stiffness((1.25, 2.0), 1.25) == pytest.approx([full] * 2, rel=0.01)
    assert lateral_stiffness((1.25,))[0] < 0.97 * full


def slipping(slip, speed=20.0, **changes):
    """A rolling car with a given longitudinal slip, which heavy wheels keep; speed: m/s."""
    d = drive(wheels__moi=100.0, **changes)
    gripping(roll(d, speed))
    passive = float(d.world.context["min_passive_slip_speed"][0])
    # slip = (omega radius - speed) / (speed + passive)
    d.vehicle.state["wheel"]["omega"][0, :4] = (speed + slip * (speed + passive)) / d.vehicle.get("wheel.fl.radius")
    d.dt = 1e-4  # s, too short for the car to gather speed
    return d.run(d.dt)


@pytest.mark.covers("ST-TIRE-04")
def test_longitudinal_force_is_stiffness_times_slip_times_gravity():
    d = slipping(0.01, wheels__tire__longitudal_stiffness=7000.0)  # Stingray's spelling of the key
    assert d.wheels("tire", "longitudinal_force") == pytest.approx([7000.0 * 0.01 * 9.81] * 4, rel=0.02)
    other_spelling = car(wheels__tire__longitudal_stiffness=None, wheels__tire__longitudinal_stiffness=7000.0)
    assert (
        other_spelling.get("tire.rr.longitudinal_stiffness")
        == d.vehicle.get("tire.rr.longitudinal_stiffness")
        == 68670.0
    )


@pytest.mark.covers("ST-TIRE-05")
@pytest.mark.parametrize(("slip", "factor"), [(0.25, 0.7), (0.625, 0.8), (2.0, 0.6)])
def test_friction_versus_slip_follows_the_three_points(slip, factor):
    d = slipping(slip, wheels__tire__friction_versus_slip=[0.0, 0.4, 0.5, 1.0, 0.75, 0.6])
    assert read(d, "tire.fl.longitudinal_slip") == pytest.approx(slip, abs=2e-3)
    assert read(d, "tire.fl.friction") / read(d, "road.fl.friction") == pytest.approx(factor, abs=5e-3)
