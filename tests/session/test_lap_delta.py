"""The gap to the best lap, on laps whose times at every position are known."""

import math

import numpy as np
import pytest

from driving_sandbox.game.laps.delta import LapDelta
from driving_sandbox.lab.laps import LapTrace
from driving_sandbox.lab.timing import Stopwatch
from driving_sandbox.physics.world.timing import Gate, Track

RADIUS = 50.0  # m
TICK = 1.0 / 240.0  # s
FRAME = 5  # ticks
START = Gate((45.0, 0.0), (60.0, 0.0), "start")  # driven counter-clockwise: the inside is at the left
HALF = Gate((-45.0, 0.0), (-60.0, 0.0), "half")
TRACK = Track("ring", (START, HALF), closed=True)
ROUND = 2.0 * math.pi  # rad, one lap


class Circle:
    """A vehicle on a circle, its stopwatch and its gap to the best lap.

    path: file of the stored best lap.
    """

    def __init__(self, path, tracks=(TRACK,)):
        self.watch = Stopwatch(tracks)
        self.delta = LapDelta(self.watch, lambda name: path)
        self.time, self.angle, self.samples = 0.0, -0.2, []

    def drive(self, angle, speed, radius=RADIUS):
        """Drive up to an angle, rad, from the first gate.

        speed: m/s at RADIUS. radius: m.
        """
        ticks = 0
        while self.angle < angle:
            self.time += TICK
            self.angle += speed / RADIUS * TICK
            ticks += 1
            position = (radius * math.cos(self.angle), radius * math.sin(self.angle))
            self.watch.step(position, self.time)
            if ticks % FRAME == 0:
                self.delta.step(position, self.time)
                self.samples.append((self.angle, self.delta.value))

    def wait(self):
        """Drive 0.1 rad into the next lap, and wait until the lap that has ended is measured."""
        self.drive(self.angle + 0.1, 20.0)
        self.delta.wait()


@pytest.fixture
def circle(tmp_path):
    """A Circle without a stored best lap."""
    return Circle(tmp_path / "none.npz")


def test_no_gap_without_a_best_lap(circle):
    circle.drive(ROUND - 0.1, 20.0)
    assert {value for _, value in circle.samples} == {None}


@pytest.mark.parametrize(("speed", "radius"), [(25.0, RADIUS), (16.0, RADIUS), (25.0, RADIUS + 6.0)])
def test_the_gap_is_the_difference_of_the_times_at_the_same_position(circle, speed, radius):
    """It is negative if faster and positive if slower, also on a wider line."""
    circle.drive(ROUND, 20.0)
    circle.wait()
    start = circle.angle - ROUND  # rad of the second lap that were driven as fast as the first
    circle.samples.clear()
    circle.drive(2.0 * ROUND - 0.05, speed, radius)
    assert len(circle.samples) > 100
    for angle, value in circle.samples[2:]:
        expected = (angle - ROUND - start) * RADIUS * (1.0 / speed - 1.0 / 20.0)
        assert value == pytest.approx(expected, abs=0.03)
    assert math.copysign(1.0, circle.samples[-1][1]) == (-1.0 if speed > 20.0 else 1.0)


def test_only_a_faster_lap_becomes_the_best_one(circle):
    for lap, (speed, best_speed) in enumerate([(20.0, 20.0), (16.0, 20.0), (25.0, 25.0)], 1):
        circle.drive(lap * ROUND, speed)
        circle.wait()
        assert circle.delta.best("ring").seconds == pytest.approx(ROUND * RADIUS / best_speed, abs=0.5)
    assert circle.delta.best("ring").seconds == pytest.approx(circle.watch.tracks[0].best.time)
    assert circle.delta.best("ring").name.startswith("best 0:12.")


def test_no_gap_far_from_the_best_laps_path_and_after_a_jump(circle):
    circle.drive(ROUND, 20.0)
    circle.wait()
    circle.drive(ROUND + 1.0, 20.0)
    assert circle.delta.value == pytest.approx(0.0, abs=0.03)
    circle.drive(ROUND + 1.5, 20.0, radius=2.0 * RADIUS)
    assert circle.delta.value is None
    circle.drive(ROUND + 2.0, 20.0)
    assert circle.delta.value is not None
    circle.watch.jumped()
    circle.drive(ROUND + 2.5, 20.0)
    assert circle.delta.value is None


def lap_file(path, seconds):
    """Write a lap at constant speed that took `seconds`."""
    times = np.linspace(0.0, seconds, 400)
    angles = ROUND * times / seconds
    positions = RADIUS * np.column_stack([np.cos(angles), np.sin(angles)])
    with path.open("wb") as file:
        LapTrace(name="kept", track="ring", vehicle="Car", world="flat", seconds=seconds, exact=True,
                 times=times, positions=positions, channels={}).save(file)  # fmt: skip


def test_a_stored_best_lap_counts_from_the_first_lap_on(tmp_path):
    lap_file(tmp_path / "kept.npz", ROUND * RADIUS / 25.0)
    circle = Circle(tmp_path / "kept.npz")
    circle.drive(0.1, 20.0)
    circle.delta.wait()
    circle.drive(math.pi, 20.0)
    assert circle.delta.value == pytest.approx(math.pi * RADIUS * (1.0 / 20.0 - 1.0 / 25.0), abs=0.05)
    circle.drive(ROUND, 20.0)
    circle.wait()
    assert circle.delta.best("ring").seconds == pytest.approx(ROUND * RADIUS / 25.0)  # it is still the faster one


def test_a_stored_lap_that_cannot_be_read_is_logged_and_ignored(tmp_path, caplog):
    (tmp_path / "kept.npz").write_bytes(b"no lap")
    circle = Circle(tmp_path / "kept.npz")
    circle.drive(0.1, 20.0)
    circle.delta.wait()
    circle.drive(1.0, 20.0)
    assert circle.delta.value is None and "kept.npz" in caplog.text
