"""The shipped tank and half-track: performance figures, steering by keys and commands, rough ground."""

import math

import numpy as np
import pytest
from drive_rig import Drive, farthest_over

from driving_sandbox.game.controls.driver import Gearing, HumanDriver, SpeedAndGear
from driving_sandbox.physics.maths.quat import to_matrix
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TICK = 1.0 / 120.0  # s
TRACKED = ("tank", "half_track")
LEFT, RIGHT = -1.0, 1.0  # steer commands


def drive(name, **values):
    """A vehicle on level ground at the tick of this file, with other values of parameters."""
    return Drive(name, values=values, tick=TICK)


def heading(d):
    """Heading, rad, positive to the left of +y."""
    m = to_matrix(tuple(d.body("orientation").tolist()))
    return math.atan2(-m[0][1], m[1][1])


def yaw_angle(d, seconds, **command):
    """Angle turned while commands are held, rad, positive to the left, including whole turns."""
    total, before = 0.0, heading(d)
    for _ in range(round(seconds / 0.05)):
        d.run(0.05, **command)
        after = heading(d)
        total += (after - before + math.pi) % (2 * math.pi) - math.pi
        before = after
    return total


def at_speed(name, speed):
    """A drive that has reached a speed, m/s."""
    d = drive(name)
    for _ in range(600):
        d.run(0.1, gear=AUTOMATIC, throttle=1.0)
        if d.speed >= speed:
            return d
    raise AssertionError(f"{name} does not reach {speed} m/s")


@pytest.mark.parametrize(("name", "to_50", "top", "stop"), [
    ("tank", (7.0, 18.0), (60.0, 72.0), (13.0, 26.0)), ("half_track", (14.0, 26.0), (65.0, 76.0), (14.0, 28.0)),
])  # fmt: skip
def test_performance_figures_lie_within_their_ranges(name, to_50, top, stop):
    """to_50: 0 to 50 km/h, s; top: top speed, km/h; stop: stopping distance from 50 km/h, m."""
    d, seconds = drive(name), 0.0
    while d.speed < 50 / 3.6:
        d.run(0.1, gear=AUTOMATIC, throttle=1.0)
        seconds += 0.1
        assert seconds < 60.0
    assert to_50[0] < seconds < to_50[1]
    d.run(60.0, gear=AUTOMATIC, throttle=1.0)
    assert top[0] < d.speed * 3.6 < top[1]
    d = at_speed(name, 50 / 3.6)
    start, first = d.position, d.speed
    d.run(8.0, gear=AUTOMATIC, brake=1.0)
    # scaled to 50 km/h: the distance grows with the square of the speed
    distance = np.linalg.norm(d.position - start) * (50 / 3.6 / first) ** 2
    assert stop[0] < distance < stop[1]


@pytest.mark.parametrize("name", TRACKED)
def test_a_tracked_vehicle_at_rest_does_not_creep(name):
    d = drive(name).run(4.0, gear=NEUTRAL)
    start = d.position
    d.run(10.0, gear=NEUTRAL)
    assert abs(d.position - start).max() < 1e-3
    assert np.linalg.norm(d.body("velocity")) < 1e-3


@pytest.mark.parametrize("side", [LEFT, RIGHT])
@pytest.mark.parametrize("gear", [AUTOMATIC, FIRST, REVERSE])
def test_the_tank_pivots_without_throttle(side, gear):
    """A quarter turn to the side of the steering takes 1 to 6 s, also in reverse; the origin moves less than 0.3 m."""
    d = drive("tank").run(1.0, gear=gear)
    start, seconds, angle, farthest = d.position, 0.0, 0.0, 0.0
    while abs(angle) < math.pi / 2:
        angle += yaw_angle(d, 0.05, gear=gear, steer=side)
        seconds += 0.05
        farthest = max(farthest, float(np.linalg.norm((d.position - start)[:2])))
        assert seconds < 8.0
    assert -side * angle > 0.0
    assert 1.0 < seconds < 6.0
    assert farthest < 0.3
    d.run(1.5, gear=gear)
    assert abs(d.body("angular_velocity")[2]) < 1e-3


def test_the_tank_does_not_pivot_while_braked_or_without_pivot_throttle():
    """`levers.pivot_throttle` is the throttle applied automatically at full steering and at rest."""
    for pedal in ("brake", "handbrake"):
        assert abs(yaw_angle(drive("tank"), 2.0, gear=AUTOMATIC, steer=1.0, **{pedal: 1.0})) < 0.01
    assert abs(yaw_angle(drive("tank", **{"levers.pivot_throttle": 0.0}), 2.0, gear=AUTOMATIC, steer=1.0)) < 0.02


def test_the_transition_from_pivoting_to_driving_is_smooth():
    """The thrust of the inner track rises from -1 with the throttle, without jumps."""
    thrusts = []
    for throttle in np.linspace(0.0, 1.0, 21):
        d = drive("tank").run(TICK, gear=FIRST, steer=0.5, throttle=float(throttle))
        thrusts.append(d.vehicle.read("levers.thrust_right"))
    assert thrusts[0] == pytest.approx(-1.0)
    assert np.all(np.diff(thrusts) >= -1e-9) and np.diff(thrusts).max() < 0.2


@pytest.mark.parametrize("name", TRACKED)
@pytest.mark.parametrize("pedal", [{}, {"throttle": 0.4}, {"brake": 0.4}])
def test_steering_while_moving_turns_towards_the_steered_side(name, pedal):
    """While it drives, coasts or brakes, more steering gives more yaw."""
    angles = [-yaw_angle(at_speed(name, 8.0), 1.5, gear=AUTOMATIC, steer=steer, **pedal) for steer in (0.15, 0.4, 1.0)]
    assert angles == sorted(angles)
    assert math.radians(2.0) < angles[0] and math.radians(15.0) < angles[2] < math.radians(170.0)


def test_a_half_track_steers_with_its_front_wheels_first():
    """Up to half lock only the front wheels steer it. At full lock the inner track is braked and hardly driven."""
    d = drive("half_track").run(1.0, gear=AUTOMATIC, throttle=0.3)
    d.run(0.5, gear=AUTOMATIC, throttle=0.3, steer=0.45)
    assert d.vehicle.read("levers.thrust_right") == 1.0 and d.vehicle.read("levers.brake_right") == 0.0
    d.run(0.5, gear=AUTOMATIC, throttle=0.3, steer=1.0)
    assert d.vehicle.read("levers.thrust_right") < 0.2 and d.vehicle.read("levers.brake_right") > 0.8
    assert d.vehicle.read("levers.thrust_left") == 1.0 and d.vehicle.read("levers.brake_left") == 0.0
    without_track_brakes = drive("half_track", **{"levers.brake_share": 0.0})
    curvatures = []  # 1/m
    for d in (drive("half_track"), without_track_brakes):
        d.run(3.0, gear=AUTOMATIC, throttle=0.5)
        d.run(3.0, gear=AUTOMATIC, throttle=0.5, steer=1.0)
        curvatures.append(abs(d.body("angular_velocity")[2]) / d.speed)
    assert curvatures[0] > 1.05 * curvatures[1]  # the braked inner track tightens the turn


class Keys:
    """A vehicle driven by keys, tick by tick."""

    def __init__(self, name):
        self.drive = drive(name)
        ratios = self.drive.vehicle.get("gearbox.ratios")
        self.human_driver = HumanDriver(Gearing(gear_count=len(ratios), neutral_gear=NEUTRAL))

    def hold(self, seconds, *keys):
        """Drive for some seconds with these actions held."""
        self.human_driver.held_actions = frozenset(keys)
        d = self.drive
        for _ in range(round(seconds / TICK)):
            box = d.vehicle.state["gearbox"][0]
            motion = SpeedAndGear(d.speed, int(box["current_gear"]), int(box["target_gear"]))
            d.ticks(self.human_driver.command(motion, TICK).copy())
        return d


@pytest.mark.parametrize(("side", "key"), [(LEFT, "steer_left"), (RIGHT, "steer_right")])
def test_a_steering_key_alone_turns_the_tank_at_rest(side, key):
    keys = Keys("tank")
    keys.hold(0.5)
    start = keys.drive.position
    rate = keys.hold(1.2, key).body("angular_velocity")[2]
    assert -side * rate > 0.2
    assert np.linalg.norm((keys.drive.position - start)[:2]) < 0.3


def test_keys_drive_brake_and_reverse_the_tank():
    keys = Keys("tank")
    speed = keys.hold(3.0, "throttle").speed
    assert speed > 2.5
    assert keys.hold(0.5, "brake").speed < speed - 1.0
    assert keys.hold(5.0, "brake").speed < -1.0  # the brake key reverses from rest
    angle = heading(keys.drive)
    keys.hold(1.0, "brake", "steer_left")
    assert (heading(keys.drive) - angle + math.pi) % (2 * math.pi) - math.pi > 0.1  # left in reverse too


@pytest.mark.parametrize("name", TRACKED)
@pytest.mark.parametrize("spawn", ["tank_ground", "washboard", "blocks", "kerbs", "gravel"])
def test_tracked_vehicles_cross_rough_ground_without_fault_or_rollover(name, spawn):
    """In 24 s of throttle, bends and stops it gets farther than 10 m and ends tilted by less than 60 degrees."""
    vehicle = load_vehicle(name)
    assert farthest_over(spawn, vehicle, 24.0, stop_every=12.0, throttle=0.7, steer=0.25) > 10.0
    assert to_matrix(tuple(vehicle.state["body"]["orientation"][0].tolist()))[2][2] > 0.5
