"""The clubsport and the track roadster driven by scripts: launch, brake, slalom, handbrake turn, jump; and parked."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive, field_ground, slope_ground
from racer_rig import car, on_road, read, roll, trace
from row_rig import each_wheel, rolling, yaw_rate

from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text

SECOND, THIRD = FIRST + 1, FIRST + 2


def test_the_clubsport_launches_and_stops_in_a_straight_line():
    d = on_road()
    signals = trace(d, 8.0, "body.velocity.y", "gearbox.current_gear", gear=AUTOMATIC, throttle=1.0)
    reached = np.argmax(signals["body.velocity.y"] > 100.0 / 3.6) / 240.0
    assert 5.0 < reached < 8.0 and signals["gearbox.current_gear"].max() >= THIRD
    start, entry = d.position[1], d.speed
    d.run(9.0, gear=AUTOMATIC, brake=0.5)
    assert abs(d.speed) < 0.05 and read(d, "engine.running") == 1
    length = d.position[1] - start
    assert 0.5 * GRAVITY < entry**2 / (2.0 * length) < 1.0 * GRAVITY
    # The engine's torque reaction loads one rear tire more; nobody steers against it.
    assert abs(d.position[0]) < 1.5 and d.wheels("road", "hit").all()


def test_the_clubsport_follows_the_steering_in_a_slalom():
    d, rates = roll(on_road(), 16.0, THIRD), []
    for k in range(6):
        d.run(0.9, gear=THIRD, throttle=0.35, steer=0.25 if k % 2 else -0.25)
        rates.append(yaw_rate(d))
    assert all(rate < -0.1 if k % 2 else rate > 0.1 for k, rate in enumerate(rates)), rates
    assert np.allclose(np.abs(rates[2:]), np.mean(np.abs(rates[2:])), rtol=0.25) and 10.0 < d.speed < 22.0


def angle_and_slowest_rate(handbrake, **values):
    """(angle turned to the right, rad; lowest mean rate of the rear wheels, rad/s).

    Both are measured during 2 s of steering with an open clutch.
    """
    d = roll(on_road(**values), 15.0, SECOND)
    angle, slowest = 0.0, math.inf
    for _ in range(200):
        d.run(0.01, gear=SECOND, clutch=1.0, steer=0.7, handbrake=handbrake)
        angle -= 0.01 * yaw_rate(d)
        slowest = min(slowest, d.wheels("wheel", "omega")[2:].mean())
    return angle, slowest


def test_the_handbrake_tightens_a_turn():
    pulled, locked = angle_and_slowest_rate(handbrake=1.0)
    free, turning = angle_and_slowest_rate(handbrake=0.0)
    assert pulled > 1.5 * free > 0.2 and locked < 1.0 < turning
    weak, _ = angle_and_slowest_rate(handbrake=1.0, **each_wheel("brakes", ("rl", "rr"), handbrake_torque=50.0))
    assert weak < 0.5 * (pulled + free)


def test_the_clubsport_lands_a_jump_and_drives_on():
    ground = field_ground(lambda x, y: np.interp(y, [25.0, 37.0, 37.5], [0.0, 1.2, 0.0]))
    d = Drive(car(), ground).run(1.0, brake=1.0)
    roll(d, 20.0, SECOND)
    signals = trace(d, 3.2, "road.fl.hit", "road.rr.hit", "engine.omega", gear=SECOND, throttle=0.6)
    flight = (signals["road.fl.hit"] + signals["road.rr.hit"] == 0.0).sum() / 240.0
    assert 0.25 < flight < 1.2
    assert signals["engine.omega"].max() < 764.0 * 1.1  # rad/s: the limiter works in the air
    d.run(2.0, gear=SECOND, throttle=0.2)
    assert d.wheels("road", "hit").all() and d.local_velocity[1] > 5.0
    # upright
    assert d.vehicle.model_orientation()[3] ** 2 > 0.8 or abs(d.vehicle.model_orientation()[0]) < 0.2


@pytest.mark.parametrize("gear", [NEUTRAL, FIRST])
def test_a_car_parked_on_a_slope_does_not_move(gear):
    """On 10 degrees with brake and handbrake, in neutral and in first gear, it moves less than 1 mm in 10 s."""
    d = Drive(car(), slope_ground(10.0)).run(3.0, brake=1.0, handbrake=1.0, gear=gear)
    before = d.position
    d.run(10.0, brake=1.0, handbrake=1.0, gear=gear)
    assert np.linalg.norm(d.position - before) < 1e-3


MIXED = """
base: roadster_simple
name: mixed
components: {clutch: friction, gearbox: three_phases, differential: geared, limited_slip: locks, brakes: clipped,
             steering: inner_factor, response: linearity, body: assembled, autobox: shift_speeds,
             steering_wheel: column, tire: combined_slip}
body: {body_mass: 1050, engine_mass: 75, cg: [0, 0.05, 0.46]}
clutch: {max_torque: 260, auto_omega: 190}
gearbox: {ratios: [-3.758, 0, 3.136, 1.888, 1.33, 1.0, 0.814], time_to_declutch: 0.1, time_to_clutch: 0.15,
          cut_throttle: true}
autobox: {up_omega: 620, down_omega: 250}
differential: {driven: rear, rear_ratio: 4.3}
limited_slip: {rear_type: viscous}
brakes: {front: {max_torque: 1500}, rear: {max_torque: 800, handbrake: true}}
"""


def test_engine_and_drivetrain_combine_with_the_parts_of_another_vehicle():
    """The roadster keeps its own engine and drivetrain, with all other parts of the clubsport."""
    vehicle = load_vehicle_text(MIXED, "configs/vehicles/mixed.yaml")
    assert vehicle.sequence.by_slot["engine"].name == "torque_curve"
    assert vehicle.get("body.mass") == 1125.0 and vehicle.get("gearbox.final_ratio") == 1.0
    assert vehicle.get("steering_wheel.ratio") == pytest.approx(8.0 / vehicle.get("steering.fl.max_angle"))


@pytest.mark.nightly
def test_the_mixed_vehicle_drives():
    d = Drive(load_vehicle_text(MIXED, "configs/vehicles/mixed.yaml")).run(1.0, brake=1.0)
    signals = trace(d, 8.0, "gearbox.current_gear", "drivetrain.clutch_torque", gear=AUTOMATIC, throttle=1.0)
    assert signals["gearbox.current_gear"].max() >= THIRD and d.speed > 20.0
    assert np.abs(signals["drivetrain.clutch_torque"]).max() < 1.3 * 260.0
    d.run(6.0, gear=AUTOMATIC, brake=0.7)
    assert abs(d.speed) < 0.05


def test_the_track_roadster_does_slalom_handbrake_turn_and_jump():
    """It follows the steering to both sides, turns more with the handbrake, and lands on all four wheels."""
    drive, rates = rolling(Drive("track_roadster").run(2.0), 16.0), []
    for k in range(6):
        drive.run(0.9, throttle=0.35, gear=SECOND, steer=0.35 if k % 2 else -0.35)
        rates.append(yaw_rate(drive))
    assert all(rate < -0.4 if k % 2 else rate > 0.4 for k, rate in enumerate(rates)) and 13.0 < drive.speed < 19.0
    yaw_rates = []
    for pulled in (0.0, 1.0):
        drive = rolling(Drive("track_roadster").run(2.0), 14.0)
        yaw_rates.append(abs(drive.log(1.5, yaw_rate, steer=-0.6, handbrake=pulled).mean()))
    assert yaw_rates[1] > 1.15 * yaw_rates[0] > 0.3
    ramp = field_ground(lambda x, y: np.interp(y, [25.0, 37.0, 37.5], [0.0, 1.2, 0.0]))
    drive = rolling(Drive("track_roadster", ramp).run(1.0, brake=1.0), 20.0)
    flying = drive.log(4.0, lambda d: int(d.wheels("road", "hit").sum()), throttle=0.4, gear=SECOND)
    assert 0.3 < 0.01 * (flying == 0).sum() < 1.5 and flying[-1] == 4
    assert drive.speed > 15.0 and abs(drive.position[0]) < 0.5


def test_the_track_roadsters_load_at_rest_is_its_weight():
    """The sum of the suspension forces is the weight, within 0.1 %."""
    drive = Drive("track_roadster").run(4.0)
    assert drive.wheels("suspension", "force").sum() == pytest.approx(1125.0 * GRAVITY, rel=1e-3)
