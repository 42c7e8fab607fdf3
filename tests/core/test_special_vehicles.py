"""The shipped coupe, lowrider and three-wheeler: performance figures and special features."""

import math

import numpy as np
import pytest
from drive_rig import Drive, farthest_over

from driving_sandbox.physics.maths.quat import to_matrix
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TICK = 1.0 / 120.0  # s
NAMES = ("coupe", "lowrider", "three_wheeler")


def drive(name, **values):
    """A vehicle on level ground at the tick of this file, with other values of parameters."""
    return Drive(name, values=values, tick=TICK)


def upright(d):
    """Cosine of the angle between the body's up and the world's."""
    return to_matrix(tuple(d.body("orientation").tolist()))[2][2]


def to_speed(d, speed):
    """Seconds of full throttle until the vehicle has reached a speed, m/s."""
    seconds = 0.0
    while d.speed < speed:
        d.run(0.05, gear=AUTOMATIC, throttle=1.0)
        seconds += 0.05
        assert seconds < 60.0
    return seconds


@pytest.mark.parametrize(("name", "to_100", "top", "stop"), [
    ("coupe", (4.6, 6.4), (230.0, 275.0), (34.0, 46.0)), ("lowrider", (8.5, 12.0), (145.0, 190.0), (42.0, 62.0)),
    ("three_wheeler", (13.0, 19.0), (115.0, 145.0), (42.0, 66.0)),
])  # fmt: skip
def test_performance_figures_lie_within_their_ranges(name, to_100, top, stop):
    """to_100: 0 to 100 km/h, s; top: top speed, km/h; stop: stopping distance from 100 km/h, m."""
    d = drive(name)
    assert to_100[0] < to_speed(d, 100 / 3.6) < to_100[1]
    start, first = d.position, d.speed
    d.run(10.0, gear=AUTOMATIC, brake=1.0)
    assert abs(d.speed) < 0.05
    assert stop[0] < np.linalg.norm(d.position - start) * (100 / 3.6 / first) ** 2 < stop[1]
    d.run(80.0, gear=AUTOMATIC, throttle=1.0)
    assert top[0] < d.speed * 3.6 < top[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_vehicle_at_rest_does_not_creep(name):
    d = drive(name).run(4.0, gear=NEUTRAL)
    start = d.position
    d.run(10.0, gear=NEUTRAL)
    assert abs(d.position - start).max() < 1e-3
    assert np.linalg.norm(d.body("velocity")) < 1e-3


def test_the_coupe_drives_all_wheels_and_limits_the_slip_between_the_rear_ones():
    """In a tight bend under power the rear wheels' speed ratio stays below 1.26, with open differentials above 1.5."""
    ratios = []
    for bias in (None, 0.0):
        values = {} if bias is None else {f"limited_slip.{k}_bias": bias for k in ("front", "rear", "center")}
        d = drive("coupe", **values)
        d.run(1.5, gear=FIRST, throttle=0.5)
        worst = 1.0
        for _ in range(60):
            d.run(0.05, gear=FIRST, throttle=1.0, steer=1.0)
            omega = np.abs(d.wheels("wheel", "omega"))
            worst = max(worst, omega[2:].max() / max(omega[2:].min(), 1.0))
        ratios.append(worst)
        assert np.all(d.wheels("differential", "torque_ratio") > 0.0)
    assert ratios[0] < 1.26 < 1.5 < ratios[1]


def heights_and_forces(d, seconds, **command):
    """[n, 1 + wheels], every 0.02 s: height of the model's origin, m, and suspension forces, N."""
    return d.log(
        seconds, lambda x: (x.position[2], *x.wheels("suspension", "force")), every=0.02, gear=NEUTRAL, **command
    )


def test_the_lowrider_hops_while_the_pedal_is_held():
    d = drive("lowrider").run(2.0, gear=NEUTRAL)
    rest = d.position[2]
    standing = heights_and_forces(d, 2.0, brake=1.0)
    assert np.abs(standing[:, 0] - rest).max() < 1e-3
    hopping = heights_and_forces(d, 10.0, brake=1.0, clutch=1.0)
    assert hopping[:, 0].max() > rest + 0.08
    assert (hopping[:, 1:] == 0.0).all(axis=1).any()  # all four wheels off the ground at once
    assert upright(d) > 0.95
    d.run(6.0, gear=NEUTRAL, brake=1.0)
    assert d.position[2] == pytest.approx(rest, abs=1e-3) and np.linalg.norm(d.body("velocity")) < 1e-3


def test_the_rams_pitch_roll_and_lift_by_their_parameters():
    names = ("fl", "fr", "rl", "rr")

    def attitude(**values):
        """(largest sine of the roll angle, of the pitch angle) with the rams' strokes in these phases."""
        switches = {f"suspension.{n}.ram_switch": "on" for n in names} | {f"suspension.{n}.stroke": 0.03 for n in names}
        phases = {f"suspension.{n}.stroke_phase": p for n, p in zip(names, values["phases"], strict=True)}
        d = drive("lowrider", **switches, **phases)
        m = d.log(6.0, lambda x: np.array(to_matrix(tuple(x.body("orientation").tolist())))[2, :2], gear=NEUTRAL)
        return np.abs(m).max(axis=0)

    roll, pitch = attitude(phases=(0, 0, math.pi, math.pi))
    assert pitch > 0.02 and roll < 0.1 * pitch
    roll, pitch = attitude(phases=(0, math.pi, 0, math.pi))
    assert roll > 0.02 and pitch < 0.1 * roll
    low, high = (drive("lowrider", **{f"suspension.{n}.lift": lift for n in names}).run(6.0, gear=NEUTRAL).position[2]
                 for lift in (-0.05, 0.08))  # fmt: skip
    assert high - low == pytest.approx(0.13, abs=0.004)  # spring loads are equal, so the ram travel moves the body


def test_a_ram_moves_no_faster_than_its_pump():
    d = drive("lowrider", **{"suspension.fl.lift": 0.2, "suspension.fl.ram_speed": 0.1}).run(1.0, gear=NEUTRAL)
    assert d.vehicle.read("suspension.fl.ram") == pytest.approx(0.1, abs=0.002)
    assert drive("lowrider", **{"suspension.fl.ram_switch": "off"}).run(1.0, clutch=1.0).vehicle.read(
        "suspension.fl.ram") == 0.0  # fmt: skip


def test_the_three_wheeler_lifts_a_wheel_in_hard_turns_only():
    lifted, largest_tilt = [], []  # samples with a rear wheel in the air; degrees
    for speed, steer in ((8.0, 0.3), (10.0, 1.0)):
        d = drive("three_wheeler")
        to_speed(d, speed)
        samples = []
        for _ in range(100):
            d.run(0.05, gear=AUTOMATIC, steer=steer, digital=1, throttle=min(1.0, max(0.0, speed - d.speed)))
            samples.append((*d.wheels("suspension", "force"), upright(d)))
        samples = np.array(samples)
        lifted.append(int((samples[:, 1] == 0.0).sum() + (samples[:, 2] == 0.0).sum()))
        largest_tilt.append(math.degrees(math.acos(samples[:, 3].min())))
    assert lifted[0] == 0 and largest_tilt[0] < 4.0
    assert lifted[1] >= 2 and 5.0 < largest_tilt[1] < 40.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spawn", ["start", "washboard", "country_road", "clutter"])
def test_each_vehicle_crosses_mixed_ground_without_fault(name, spawn):
    """Throttle, bends and stops for 20 s without fault; the vehicle gets farther than 20 m from its start."""
    assert farthest_over(spawn, load_vehicle(name), 20.0, stop_every=8.0, throttle=0.5, steer=0.2) > 20.0


def test_shipped_vehicles_need_no_trust():
    """The lowrider's rams are a component of the program, not a trusted file."""
    assert load_vehicle("lowrider").sequence.by_slot["suspension"].name == "hydraulic"
