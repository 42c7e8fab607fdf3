"""A car and a tank of Stingray's format, driven by scripts: launch, brake, slalom, handbrake turn and jump."""

import numpy as np
from drive_rig import Drive, field_ground
from stingray_rig import car, drive, roll

from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import AUTOMATIC

TICK = 1.0 / 240.0  # s


def heading(d):
    """Heading, rad, from +y, positive to the left."""
    ahead = rotate(d.vehicle.model_orientation(), (0.0, 1.0, 0.0))
    return float(np.arctan2(-ahead[0], ahead[1]))


def up(d):
    """z component of the body's up axis."""
    return rotate(d.vehicle.model_orientation(), (0.0, 0.0, 1.0))[2]


def test_the_car_launches_and_stops_in_a_straight_line():
    d = drive()
    speeds = d.log(8.0, lambda d: d.speed, every=0.01, throttle=1.0, gear=AUTOMATIC)
    time_to_50 = (np.argmax(speeds > 50.0 / 3.6) + 1) * 0.01  # s, to 50 km/h
    assert 4.0 < time_to_50 < 7.0 and speeds[-1] > 15.0 and abs(heading(d)) < 0.02
    entry, start = d.speed, d.position
    d.run(6.0, gear=AUTOMATIC, brake=1.0)
    assert abs(d.speed) < 0.05 and d.wheels("road", "hit").all()
    assert 0.5 * 9.81 < entry**2 / (2.0 * (d.position[1] - start[1])) < 1.1 * 9.81
    assert abs(d.position[0] - start[0]) < 0.5


def test_the_car_follows_the_steering_in_a_slalom():
    d, rates = drive().run(7.0, gear=AUTOMATIC, throttle=1.0), []
    for k in range(6):
        d.run(0.9, gear=AUTOMATIC, throttle=0.8, steer=0.1 if k % 2 else -0.1)
        rates.append(float(d.body("angular_velocity")[2]))
    assert all(rate < -0.1 if k % 2 else rate > 0.1 for k, rate in enumerate(rates)), rates
    assert np.allclose(np.abs(rates), np.mean(np.abs(rates)), rtol=0.15)
    assert 15.0 < d.speed < 25.0 and up(d) > 0.98


def angle_omega_and_up(handbrake):
    """(angle turned to the left in 2 s, rad; mean speed of the rear wheels at the end, rad/s; `up` at the end)."""
    d = roll(drive(), 15.0)
    angles = d.log(2.0, heading, clutch=1.0, steer=-0.7, handbrake=handbrake)
    return np.unwrap(angles)[-1], d.wheels("wheel", "omega")[2:].mean(), up(d)


def test_the_handbrake_tightens_a_turn():
    braked_angle, braked_omega, upright = angle_omega_and_up(handbrake=1.0)
    free_angle, free_omega, _ = angle_omega_and_up(handbrake=0.0)
    assert braked_angle > 1.4 * free_angle > 0.2 and upright > 0.95
    assert abs(braked_omega) < 0.1 and free_omega > 5.0


def ramp():
    """Ground with a ramp 12 m long and 1.2 m high, which begins at y = 20 m."""
    return field_ground(lambda x, y: np.interp(y, [20.0, 32.0, 32.5], [0.0, 1.2, 0.0]))


def flight(d, speed, seconds=3.0, **commands):
    """Seconds with no wheel on the ground."""
    roll(d, speed)
    hits = d.log(seconds, lambda d: d.wheels("road", "hit").any(), every=TICK, **commands)
    return float((~hits.astype(bool)).sum()) * TICK


def test_the_car_lands_a_jump_on_its_wheels():
    d = Drive(car(), ramp()).run(2.0, brake=1.0)
    assert 0.2 < flight(d, 22.0, gear=AUTOMATIC, throttle=0.3) < 1.2
    d.run(3.0, gear=AUTOMATIC, brake=1.0)
    assert d.wheels("road", "hit").all() and up(d) > 0.99 and abs(d.position[0]) < 2.0


def tank():
    """The sample tank with eight wheels, at rest."""
    return Drive(car(axles=4, model="tank")).run(2.0, brake=1.0)


def test_the_tank_is_launched_and_braked():
    d = tank()
    d.run(7.0, gear=AUTOMATIC, throttle=1.0)
    entry, start = d.speed, d.position
    assert entry > 10.0 and abs(d.position[0]) < 0.1
    d.run(5.0, gear=AUTOMATIC, brake=1.0)
    assert abs(d.speed) < 0.05 and 0.5 * 9.81 < entry**2 / (2.0 * (d.position[1] - start[1])) < 1.1 * 9.81


def test_the_tank_follows_the_steering_in_a_slalom():
    d, rates = tank().run(4.0, gear=AUTOMATIC, throttle=1.0), []
    for k in range(4):
        d.run(1.2, gear=AUTOMATIC, throttle=0.6, steer=0.6 if k % 2 else -0.6)
        rates.append(float(d.body("angular_velocity")[2]))
    assert all(rate < -0.1 if k % 2 else rate > 0.1 for k, rate in enumerate(rates)), rates
    assert d.speed > 4.0 and up(d) > 0.98


def test_the_tank_turns_while_its_handbrake_stops_it():
    d = tank().run(5.0, gear=AUTOMATIC, throttle=1.0)
    d.run(2.5, gear=AUTOMATIC, steer=-1.0, handbrake=1.0)
    assert abs(d.speed) < 0.05 and 0.03 < heading(d) < 1.0 and up(d) > 0.98


def test_the_tank_jumps():
    """It is in the air for over 0.1 s and lands on its tracks."""
    d = Drive(car(axles=4, model="tank"), ramp()).run(2.0, brake=1.0)
    assert flight(d, 20.0, gear=AUTOMATIC, throttle=1.0) > 0.1
    d.run(5.0, gear=AUTOMATIC, brake=1.0)
    assert d.wheels("road", "hit").all() and up(d) > 0.98
