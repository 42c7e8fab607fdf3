"""Rules of CryEngine's documentation: footbrake, handbrake, axle friction and tires of the patrol car."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from patrol_rig import (
    FIRST,
    NO_LOSSES,
    SECOND,
    TICK,
    WHEELS,
    drive,
    each_wheel,
    from_text,
    go,
    grip,
    in_gear,
    read,
    record,
    roll,
)
from row_rig import call

from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.tick.commands import AUTOMATIC, NEUTRAL, REVERSE
from driving_sandbox.physics.tire.coulomb import sliding_force, tire_force

G = 9.81  # m/s^2
MASS = 2150.0  # kg, of the car
ALL_LOCK = each_wheel("brakes", can_brake=True)
# all wheels can be locked, and a locked wheel has the full friction of 1
PLAIN_LOCK = {**NO_LOSSES, **ALL_LOCK, **grip(1.0), **each_wheel("tire", dynamic_ratio=1.0, max_braking_friction=10.0)}


def deceleration(d, seconds=0.5, **commands):
    """Mean deceleration during `seconds` of straight braking, m/s^2, after 0.3 s of settling."""
    d.run(0.3, **commands)
    before = d.speed
    return (before - d.run(seconds, **commands).speed) / seconds


# ---- brakes


@pytest.mark.covers("CE-BRAKE-01")
def test_the_handbrake_stops_its_wheels_within_a_tick():
    d = roll(drive(), 20.0).run(TICK, gear=NEUTRAL)
    assert (d.wheels("wheel", "omega") > 48.0).all()
    d.run(TICK, gear=NEUTRAL, handbrake=1.0)
    omega = d.wheels("wheel", "omega")
    assert omega[2:].tolist() == [0.0, 0.0] and (omega[:2] > 48.0).all()
    d.run(0.3, gear=NEUTRAL, handbrake=1.0)
    assert d.wheels("wheel", "omega")[2:].tolist() == [0.0, 0.0] and d.speed > 10.0


@pytest.mark.covers("CE-BRAKE-02")
def test_the_pedal_of_the_other_direction_brakes_all_wheels():
    weak_brakes = each_wheel("brakes", brake_torque=900.0)
    for gear, speed, pressed in ((SECOND, 12.0, {"brake": 1.0}), (REVERSE, -6.0, {"throttle": 1.0})):
        d = in_gear(roll(drive({**weak_brakes, "autobox.direction_omega": 0.5}), speed), gear)
        rows = d.log(
            0.5, lambda d: [d.speed, *d.wheels("wheel", "omega")], every=TICK, gear=AUTOMATIC, digital=1, **pressed
        )
        assert abs(rows[-1, 0]) < abs(speed) - 1.0
        assert (d.wheels("brakes", "torque") == 925.0).all()  # 25 of it is axle friction
        assert (rows[:, 1:] * math.copysign(1.0, speed) > 0.0).all()
    d = in_gear(roll(drive(weak_brakes), 3.0), FIRST)
    omega = d.log(
        1.5, lambda d: d.wheels("wheel", "omega"), every=TICK, gear=AUTOMATIC, brake=1.0
    )  # a pedal, not a key
    assert omega.min() > -0.05 and d.speed == pytest.approx(0.0, abs=0.01)


@pytest.mark.covers("CE-BRAKE-03")
@pytest.mark.parametrize("torque", [500.0, 1000.0])
def test_the_footbrake_is_a_torque_on_each_wheel(torque):
    d = roll(drive({**NO_LOSSES, **grip(1.5), **each_wheel("brakes", brake_torque=torque)}), 20.0)
    radius = d.vehicle.params["wheel"]["radius"][0, 0]
    expected = 4.0 * torque / radius / MASS
    assert deceleration(d, gear=NEUTRAL, brake=1.0) == pytest.approx(expected, rel=0.05)


@pytest.mark.covers("CE-BRAKE-03")
def test_on_ice_a_stronger_footbrake_locks_sooner():
    times = []
    for torque in (300.0, 600.0, 1200.0):
        d = roll(drive({**grip(0.05), **each_wheel("brakes", brake_torque=torque)}), 15.0)
        omega = d.log(1.0, lambda d: d.wheels("wheel", "omega").max(), every=TICK, gear=NEUTRAL, brake=1.0)
        times.append(int(np.argmax(omega == 0.0)))
    assert times[0] > times[1] > times[2] > 0


def turned_angle(values, **commands):
    """(change of heading, rad, in 2 s of a bend with these commands; final position)."""
    d = roll(drive({**grip(1.0), **each_wheel("tire", max_braking_friction=0.4), **values}), 18.0)
    d.run(0.8, gear=NEUTRAL, steer=1.0)
    directions = d.log(2.0, lambda d: rotate(d.vehicle.model_orientation(), (0.0, 1.0, 0.0))[:2], every=0.02,
                   gear=NEUTRAL, steer=1.0, **commands)  # fmt: skip
    heading = np.unwrap(np.arctan2(-directions[:, 0], directions[:, 1]))
    return abs(heading[-1] - heading[0]), d.body("position")


@pytest.mark.covers("CE-BRAKE-04")
def test_only_wheels_that_can_brake_feel_the_handbrake():
    no_lock = each_wheel("brakes", can_brake=False)
    rear_braked, _ = turned_angle({}, handbrake=1.0)
    unbraked, end_with_handbrake = turned_angle(no_lock, handbrake=1.0)
    _, end_without_handbrake = turned_angle(no_lock)
    assert np.array_equal(end_with_handbrake, end_without_handbrake)
    assert rear_braked > 1.5 and rear_braked > unbraked + 0.7


@pytest.mark.covers("CE-BRAKE-05")
@pytest.mark.parametrize("limit", [0.7, 1.1])
def test_the_friction_of_the_handbrake_has_its_own_limit(limit):
    values = {**PLAIN_LOCK, **grip(2.0), **each_wheel("tire", max_braking_friction=limit)}
    d = roll(drive(values), 20.0)
    assert deceleration(d, gear=NEUTRAL, handbrake=1.0) == pytest.approx(limit * G, rel=0.01)
    values |= each_wheel("brakes", ("fl", "fr"), can_brake=False)
    d = roll(drive(values), 20.0).run(0.5, gear=NEUTRAL, handbrake=1.0)
    before = d.speed
    loads = d.log(0.3, lambda d: d.wheels("tire", "load"), every=TICK, gear=NEUTRAL, handbrake=1.0)
    assert (before - d.speed) / 0.3 == pytest.approx(limit * loads[:, 2:].mean(axis=0).sum() / MASS, rel=0.02)


@pytest.mark.covers("CE-BRAKE-06")
def test_obsolete_keys_of_braking_are_read_and_have_no_effect(caplog):
    hashes = []
    keys = "axle_friction: 25, brake_vel_threshold: 12, brake_axle_friction: 900"
    for vehicle in (from_text(), from_text(("axle_friction: 25", keys))):
        d = go(roll(Drive(vehicle).run(0.5), 20.0), 1.0, brake=1.0, handbrake=1.0, steer=0.3)
        hashes.append(d.vehicle.state_hash())
    assert hashes[0] == hashes[1]
    for key in ("brake_vel_threshold", "brake_axle_friction"):
        assert f"{key} is obsolete and has no effect" in caplog.text


@pytest.mark.covers("CE-RES-01")
def test_axle_friction_brings_the_car_to_rest():
    decelerations = []
    for torque in (60.0, 120.0):
        d = roll(drive({**NO_LOSSES, **each_wheel("brakes", axle_friction=torque)}), 3.0)
        decelerations.append(deceleration(d, 1.0, gear=NEUTRAL))
    assert decelerations[0] == pytest.approx(4.0 * 60.0 / 0.4 / MASS, rel=0.06)  # 60 N m, radius 0.4 m
    assert decelerations[1] == pytest.approx(2.0 * decelerations[0], rel=0.05)
    speed = record(d, 6.0, "response.speed", gear=NEUTRAL)[:, 0]
    assert speed[0] > 1.0 and speed[-1] == pytest.approx(0.0, abs=1e-4)
    assert speed.min() > -0.01 and speed[np.argmax(speed <= 0.0) :].sum() * TICK > -3e-3  # it rocks, and stays
    d = roll(drive(NO_LOSSES), 3.0)
    assert deceleration(d, 1.0, gear=NEUTRAL) == pytest.approx(0.0, abs=0.002)


# ---- tires


def friction_used(d):
    """(used share of the friction limit, longitudinal force in N, lateral force in N) of each wheel.

    The share is the resultant force divided by friction times load.
    """
    longitudinal, lateral = d.wheels("tire", "longitudinal_force"), d.wheels("tire", "lateral_force")
    limit = d.wheels("tire", "friction") * d.wheels("tire", "load")
    return np.hypot(longitudinal, lateral) / limit, longitudinal, lateral


@pytest.mark.covers("CE-TIRE-01")
def test_driving_takes_side_force_from_a_wheel():
    values = {**grip(0.7), "engine.power": 250e3, "pedal.max_steering_pedal": 1.0, "autobox.up_omega": 540.0,
              **each_wheel("tire", dynamic_ratio=1.0),
              **each_wheel("differential", ("fl", "fr"), driving=False)}  # fmt: skip
    d = in_gear(roll(drive(values), 10.0), FIRST).run(0.6, gear=AUTOMATIC, steer=0.6)
    start, mean_usages = d.vehicle.snapshot(), []  # side force of the rear tires divided by their friction limit
    for pedal in (0.0, 1.0):
        d.vehicle.restore(start)
        usages = []
        for _ in range(60):
            go(d, TICK, steer=0.6, throttle=pedal)
            used, _, lateral = friction_used(d)
            assert (used <= 1.0 + 1e-9).all()
            usages.append(abs(lateral[2:].sum()) / (0.7 * d.wheels("tire", "load")[2:].sum()))
        mean_usages.append(np.mean(usages[30:]))
    assert mean_usages[1] < 0.8 * mean_usages[0] and mean_usages[0] > 0.6
    d = roll(drive(NO_LOSSES), 12.0).run(0.5, gear=NEUTRAL)
    assert abs(friction_used(d)[1]).max() < 1.0  # no longitudinal force while it rolls freely


def slide(values, **commands):
    """(result of `friction_used`, drive) two ticks after the car starts to slide at 45 degrees to its heading."""
    d = drive({**PLAIN_LOCK, **values})
    d.vehicle.state["body"]["velocity"][0] = rotate(d.vehicle.model_orientation(), (8.0, 8.0, 0.0))
    return friction_used(d.run(2 * TICK, gear=NEUTRAL, **commands)), d


@pytest.mark.covers("CE-TIRE-02")
def test_longitudinal_and_lateral_force_of_a_wheel_locked_by_the_handbrake_are_limited_separately():
    (used, longitudinal, lateral), d = slide(each_wheel("tire", handbrake_factor=1.0), handbrake=1.0)
    limit = d.wheels("tire", "load")  # N: the friction is 1
    assert used == pytest.approx(math.sqrt(2.0), rel=1e-6)
    assert longitudinal == pytest.approx(-limit) and lateral == pytest.approx(-limit)
    (used, _, _), _ = slide(each_wheel("brakes", brake_torque=20000.0), brake=1.0)
    assert used == pytest.approx(1.0, rel=1e-6)  # locked by the footbrake


@pytest.mark.covers("CE-TIRE-03")
@pytest.mark.parametrize("factor", [0.85, 0.6])
def test_friction_of_a_wheel_locked_by_the_handbrake_is_reduced(factor):
    values = {**PLAIN_LOCK, **each_wheel("tire", handbrake_factor=factor)}
    locked = deceleration(roll(drive(values), 20.0), gear=NEUTRAL, handbrake=1.0)
    other = {**PLAIN_LOCK, **each_wheel("brakes", brake_torque=20000.0)}
    isotropic = deceleration(roll(drive(other), 20.0), gear=NEUTRAL, brake=1.0)
    assert isotropic == pytest.approx(G, rel=0.01) and locked == pytest.approx(factor * isotropic, rel=0.005)
    assert roll(drive(), 1.0).vehicle.get("tire.fl.handbrake_factor") == 0.85


@pytest.mark.covers("CE-TIRE-07")
def test_slipping_is_relative_to_the_velocity_of_the_ground():
    d = drive({**grip(1.0), **each_wheel("tire", slip_threshold=0.125)})
    v = d.vehicle
    v.state["wheel"]["omega"] = 0.0
    v.state["body"]["angular_velocity"][0] = 0.0

    def slipping(speed, ground, side=0.0):
        """[wheels] whether each slips. speed, side: of the car, ground: of the road along y, m/s."""
        v.state["body"]["velocity"][0] = (side, speed, 0.0)
        v.state["road"]["velocity"][0, :4] = (0.0, ground, 0.0)
        call(v, "tire", "slip")
        return v.state["tire"]["slipping"][0, :4].tolist()

    forward_y = rotate_inverse(v.model_orientation(), (0.0, 1.0, 0.0))[1]
    assert forward_y == pytest.approx(1.0, abs=1e-6)  # the car is level and faces +y
    assert slipping(5.0, 5.0) == [0, 0, 0, 0] and slipping(5.0, 4.0) == [1, 1, 1, 1]
    below, above = 0.125 * (1.0 - 1e-5), 0.125 * (1.0 + 1e-5)
    assert slipping(below, 0.0) == [0, 0, 0, 0] and slipping(above, 0.0) == [1, 1, 1, 1]
    assert slipping(-above, 0.0) == [1, 1, 1, 1] and slipping(2.0 + below, 2.0) == [0, 0, 0, 0]
    for side in (0.6, -0.6):  # sliding obliquely to the right and to the left
        assert slipping(0.8 * below, 0.0, side * below) == [0, 0, 0, 0]
        assert slipping(0.8 * above, 0.0, side * above) == [1, 1, 1, 1]
    v.set_many(each_wheel("tire", slip_threshold=0.2))
    assert slipping(above, 0.0) == [0, 0, 0, 0]


@pytest.mark.covers("CE-TIRE-08")
@pytest.mark.parametrize("ratio", [0.6, 1.2])
def test_a_slipping_wheel_has_its_friction_times_the_ratio(ratio):
    values = {
        **NO_LOSSES,
        **grip(1.0),
        **each_wheel("brakes", brake_torque=20000.0),
        **each_wheel("tire", dynamic_ratio=ratio),
    }
    d = roll(drive(values), 20.0)
    assert deceleration(d, gear=NEUTRAL, brake=1.0) == pytest.approx(ratio * G, rel=0.01)
    assert (d.wheels("tire", "slipping") == 1).all()
    high_threshold = {**values, **each_wheel("tire", dynamic_ratio=ratio, slip_threshold=100.0)}
    d = roll(drive(high_threshold), 20.0)
    assert deceleration(d, gear=NEUTRAL, brake=1.0) == pytest.approx(G, rel=0.01)


@pytest.mark.covers("CE-TIRE-01")
def test_a_sliding_tire_opposes_the_motion_left_after_the_step():
    rng = np.random.default_rng(5)
    for _ in range(200):  # slip speeds s, t in m/s; their changes per newton a, b
        s, t = rng.normal(0.0, 3.0, 2)
        a, b = 10.0 ** rng.uniform(-6.0, -4.0, 2)
        limit = rng.uniform(0.01, 0.99) * math.hypot(s / a, t / b)
        longitudinal, lateral = sliding_force(s, a, t, b, limit)
        assert math.hypot(longitudinal, lateral) == pytest.approx(limit, rel=1e-12)
        left = np.array([s + a * longitudinal, t + b * lateral])
        assert left @ (longitudinal, lateral) == pytest.approx(-limit * np.linalg.norm(left), rel=1e-4)
    # below the limit of 1000 N the force stops the slip
    assert tire_force(-0.03, 1e-4, 0.04, 1e-4, 1000.0, False) == pytest.approx((300.0, -400.0))


@pytest.mark.parametrize("wheel", WHEELS)
def test_a_tire_in_the_air_has_no_force(wheel):
    d = drive().run(0.1)
    d.vehicle.put((0.0, 0.0, 40.0), (0.0, 0.0, 0.0, 1.0))
    d.run(0.2, gear=AUTOMATIC, throttle=1.0)
    for name in ("longitudinal_force", "lateral_force", "load"):
        assert read(d, f"tire.{wheel}.{name}") == 0.0
