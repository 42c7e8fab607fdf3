"""Rules of CryEngine's documentation: steering, pedals and keys of the patrol car."""

import numpy as np
import pytest
from patrol_rig import DEGREE, FIRST, TICK, drive, each_wheel, falling, from_text, go, in_gear, read, record, roll

from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.steering.ahead_of_mass import angle_limit, steering_rate
from driving_sandbox.physics.tick.commands import NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

# steering with a limit and a rate that depend on neither speed nor angle
PLAIN = {"limit_at_rest": 0.0, "limit_per_speed": 0.0, "max_angle": 30 * DEGREE, "rate": 40 * DEGREE,
         "rate_at_limit": 1.0, "least_rate": 0.0}  # fmt: skip


def steered(d, seconds, steer, digital=1):
    """Steering angle of the front left wheel after every tick, degrees, positive to the right."""
    return -record(d, seconds, "steering.fl.angle", steer=steer, digital=digital)[:, 0] / DEGREE


def falling_car(speed=0.0, **values):
    """The car in free fall with PLAIN and other values of its steering; speed: m/s, forward."""
    return falling(each_wheel("steering", **{**PLAIN, **values}), speed)


@pytest.mark.covers("CE-STEER-01")
def test_wheels_ahead_of_the_centre_of_mass_steer():
    go(d := falling(), 0.3, steer=1.0)
    angle = d.wheels("steering", "angle")
    assert (angle[:2] < -0.1).all() and (angle[2:] == 0.0).all()
    sprung = each_wheel("suspension", sprung_mass=500.0)
    for y, steers in ((1.6, [False] * 4), (1.4, [True, True, False, False]), (-1.6, [True] * 4)):
        go(d := falling({**sprung, "body.centre_of_mass": [0.0, y, 0.62]}), 0.3, steer=1.0)
        assert (d.wheels("steering", "angle") != 0.0).tolist() == steers


@pytest.mark.covers("CE-STEER-02")
@pytest.mark.parametrize("speed", [0.0, 20.0, 60.0])
def test_max_steer_alone_is_the_limit_at_every_speed(speed):
    replacement = (r"max_steer: 34\n    max_steer_v0: 34\n    max_steer_kv: -0.8", "max_steer: 30")
    vehicle = from_text(replacement)
    assert angle_limit(vehicle.params["steering"][0][0], speed) == pytest.approx(30 * DEGREE)
    assert steered(falling_car(speed), 1.5, 1.0)[-1] == pytest.approx(30.0, abs=1e-9)
    assert steered(falling_car(speed), 1.5, -1.0)[-1] == pytest.approx(-30.0, abs=1e-9)


@pytest.mark.covers("CE-STEER-03")
def test_the_limit_falls_with_speed_and_ends_at_nothing():
    values = {"limit_at_rest": 30 * DEGREE, "limit_per_speed": -0.7 * DEGREE}
    for speed, limit in ((0.0, 30.0), (20.0, 16.0), (-20.0, 16.0), (60.0, 0.0)):
        assert steered(falling_car(speed, **values), 1.2, 1.0)[-1] == pytest.approx(limit, abs=1e-6)
    d = falling_car(0.0, **values)
    steered(d, 1.2, 1.0)
    d.vehicle.state["body"]["velocity"][0, 1] = 20.0  # a limit that falls reduces the angle
    assert steered(d, TICK, 1.0)[-1] == pytest.approx(16.0, abs=1e-6)


@pytest.mark.covers("CE-STEER-04")
@pytest.mark.parametrize("rate", [40.0, 80.0])
def test_a_held_key_turns_at_steer_speed(rate):
    angle = steered(falling_car(rate=rate * DEGREE), 1.0, 1.0)
    reached = (np.argmax(angle >= 20.0 - 1e-9) + 1) * TICK
    assert reached == pytest.approx(20.0 / rate, abs=TICK)


@pytest.mark.covers("CE-STEER-05")
@pytest.mark.parametrize("at_limit", [0.5, 2.0])
def test_the_rate_changes_with_the_angle_along_a_curve(at_limit):
    angle = np.concatenate([[0.0], steered(falling_car(rate_at_limit=at_limit), 2.0, 1.0)])
    moving = angle < 29.99
    rate, middle = np.diff(angle)[moving[1:]] / TICK, angle[:-1][moving[1:]]
    assert rate[0] == pytest.approx(40.0, rel=1e-6)
    assert np.interp(29.5, middle, rate) == pytest.approx(40.0 * at_limit, rel=0.05)
    half = np.interp(15.0, middle, rate)
    assert half == pytest.approx(40.0 * (1.0 + (at_limit - 1.0) / 4.0), rel=0.01)
    assert abs(half - 40.0 * 0.5 * (1.0 + at_limit)) > 4.0  # not the mean of both ends


@pytest.mark.covers("CE-STEER-06")
def test_the_rate_has_a_floor():
    d = falling_car(rate_at_limit=-0.5, least_rate=5 * DEGREE)
    angle = np.concatenate([[0.0], steered(d, 4.0, 1.0)])
    rate = np.diff(angle)[angle[1:] < 29.999] / TICK
    assert rate.min() == pytest.approx(5.0, rel=1e-6) and angle[-1] == pytest.approx(30.0)
    p = load_vehicle("patrol").params["steering"][0][0].copy()
    p["rate"], p["rate_at_limit"], p["least_rate"] = 40 * DEGREE, -0.5, 0.0
    assert steering_rate(p, 30 * DEGREE, 30 * DEGREE) == 0.0  # without a floor it would stop
    with pytest.raises(SchemaError, match="least_rate: must be above 0 if rate_at_limit is 0 or less"):
        load_vehicle("patrol").set_many(each_wheel("steering", rate_at_limit=-0.5, least_rate=0.0))


@pytest.mark.covers("CE-STEER-07")
@pytest.mark.parametrize(("v0", "kv", "seconds"), [(10.0, 5.0, 0.5), (20.0, 10.0, 0.25), (60.0, 0.0, 0.5)])
@pytest.mark.parametrize("speed", [10.0, -10.0])
def test_without_a_key_the_wheels_return(v0, kv, seconds, speed):
    d = falling_car(speed, relaxation=v0 * DEGREE, relaxation_per_speed=kv * DEGREE, rate=400 * DEGREE)
    angles = steered(d, 1.0, 1.0)
    assert angles[-120:] == pytest.approx(30.0)  # a held key keeps the angle
    back = steered(d, 1.0, 0.0)
    assert (np.argmax(back == 0.0) + 1) * TICK == pytest.approx(seconds, abs=1.1 * TICK)
    assert (back[np.argmax(back == 0.0) :] == 0.0).all() and back.min() == 0.0


# ---- pedals


@pytest.mark.covers("CE-INPUT-01")
@pytest.mark.parametrize("speed", [2.0, 4.0])
def test_the_pedal_of_a_key_goes_down_at_its_speed(speed):
    d = falling({"pedal.pedal_speed": speed})
    rows = record(d, 1.0, "pedal.pedal", "engine.throttle", throttle=1.0, digital=1)
    assert (np.argmax(rows[:, 0] >= 1.0) + 1) * TICK == pytest.approx(1.0 / speed, abs=1.1 * TICK)
    assert rows[:, 0] == pytest.approx(np.minimum(1.0, speed * TICK * np.arange(1, 241)), abs=1e-9)
    assert np.array_equal(rows[:, 0], rows[:, 1])
    assert record(d, TICK, "pedal.pedal", digital=1)[0, 0] == 0.0  # let go at once
    assert record(falling(), TICK, "pedal.pedal", throttle=0.7)[0, 0] == 0.7  # a real pedal is followed


def pedal_at(speed, steer, **values):
    """Throttle that reaches the engine at full pedal and constant steering, at a speed, m/s."""
    d = falling({"pedal.max_steering_pedal": 0.15, "pedal.pedal_limit_speed": 10.0, **values}, speed)
    go(d, 1.2, throttle=1.0, steer=steer)
    d.vehicle.state["body"]["velocity"][0, 1] = speed
    return record(d, TICK, "engine.throttle", throttle=1.0, steer=steer)[0, 0]


@pytest.mark.covers("CE-INPUT-02")
def test_the_pedal_is_capped_in_bends():
    assert pedal_at(20.0, 1.0) == pytest.approx(0.15, abs=1e-6) and pedal_at(20.0, 0.0) == 1.0
    assert pedal_at(20.0, -0.5) == pytest.approx(1.0 - 0.85 * 0.5, abs=1e-6)
    assert pedal_at(20.0, 1.0, **{"pedal.max_steering_pedal": 0.6}) == pytest.approx(0.6, abs=1e-6)


@pytest.mark.covers("CE-INPUT-03")
def test_the_cap_begins_at_a_speed():
    assert pedal_at(9.9, 1.0) == 1.0 and pedal_at(10.1, 1.0) == pytest.approx(0.15, abs=1e-6)
    assert pedal_at(-9.9, 1.0) == 1.0 and pedal_at(-10.1, 1.0) == pytest.approx(0.15, abs=1e-6)
    assert pedal_at(10.1, 1.0, **{"pedal.pedal_limit_speed": 10.5}) == 1.0


@pytest.mark.covers("CE-INPUT-04")
def test_four_keys_and_a_handbrake_drive_the_car():
    d = drive({"autobox.direction_omega": 3.0})
    keys = {"digital": 1}
    go(d, 2.0, brake=1.0, **keys)
    assert d.speed < -3.0 and read(d, "gearbox.current_gear") == REVERSE  # back from rest: reverse
    rows = record(d, 3.0, "response.speed", "gearbox.current_gear", "response.brake", throttle=1.0, **keys)
    braking = rows[:, 2] > 0.0
    first = int(np.argmax(rows[:, 1] >= FIRST))
    assert braking[:first].all() and (rows[:first, 1] == REVERSE).all() and not braking[first:].any()
    assert (np.diff(rows[:first, 0]) > 0.0).all() and rows[-1, 0] > 3.0  # accelerate: brakes, then forward
    go(d, 0.5, steer=1.0, **keys)
    right = d.wheels("steering", "angle")[0]
    go(d, 1.0, steer=-1.0, **keys)
    assert right < -0.1 < 0.1 < d.wheels("steering", "angle")[0]
    go(d, 2 * TICK, handbrake=1.0, **keys)
    assert (d.wheels("wheel", "omega")[2:] == 0.0).all() and read(d, "gearbox.current_gear") >= FIRST


def test_the_brake_pedal_of_a_device_never_reverses():
    d = go(roll(drive(), 4.0), 4.0, brake=1.0)
    assert read(d, "gearbox.current_gear") >= NEUTRAL and abs(d.speed) < 0.01
    d = in_gear(drive(), REVERSE)
    d.run(2.0, gear=REVERSE, throttle=1.0)  # with the reverse gear selected the throttle drives backwards
    assert d.speed < -3.0
    before = d.speed
    d.run(0.5, gear=REVERSE, brake=1.0)
    assert before + 1.0 < d.speed and read(d, "gearbox.current_gear") == REVERSE
