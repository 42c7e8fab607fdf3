"""Lap timing by the gates of a world file: interpolated between ticks, in order, forwards only."""

import math

import numpy as np
import pytest

from driving_sandbox.lab.timing import Stopwatch, board, clock_text
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.world.timing import Gate, Track
from driving_sandbox.physics.world.world_file import load_world

DT = 1.0 / 240.0  # s, tick
STRIP_GATES = (Gate((-5, 0), (5, 0), "start"), Gate((-5, 20), (5, 20), "20 m"), Gate((-5, 100), (5, 100), "100 m"))
STRIP = Track("strip", STRIP_GATES, closed=False)


def drive(watch, path, seconds, dt=DT, start=0.0):
    """Feed the positions path(t) of every tick, at the times start + t, s."""
    for tick in range(round(seconds / dt) + 1):
        watch.step(path(tick * dt), start + tick * dt)


def test_constant_speed_gives_exact_times_between_ticks():
    watch = Stopwatch([STRIP])
    drive(watch, lambda t: (1.0, -3.21 + 17.3 * t, 0.0), 8.0)
    (run,) = watch.laps
    assert run.begin == pytest.approx(3.21 / 17.3, abs=1e-12)
    assert [split.time for split in run.splits] == pytest.approx([20 / 17.3, 100 / 17.3], abs=1e-12)
    assert [split.speed for split in run.splits] == pytest.approx([17.3, 17.3], abs=1e-9)
    assert run.time == pytest.approx(100 / 17.3, abs=1e-12)


def test_times_are_independent_of_the_tick():
    times = []
    for rate in (10.0, 240.0, 1000.0):
        watch = Stopwatch([STRIP])
        drive(watch, lambda t: (0.0, -4.0 + 31.7 * t, 0.0), 6.0, 1.0 / rate)
        times.append(watch.laps[0].time)
    assert times == pytest.approx([100 / 31.7] * 3, abs=1e-9)


def test_gates_count_forwards_within_their_ends_and_in_order():
    backwards, beside, skipping = Stopwatch([STRIP]), Stopwatch([STRIP]), Stopwatch([STRIP])
    drive(backwards, lambda t: (0.0, 120.0 - 20.0 * t, 0.0), 8.0)
    drive(beside, lambda t: (5.01, -3.0 + 20.0 * t, 0.0), 8.0)
    drive(skipping, lambda t: (9.0 if 10.0 < 20.0 * t - 3.0 < 30.0 else 0.0, 20.0 * t - 3.0, 0.0), 8.0)
    assert not backwards.laps and not beside.laps and not skipping.laps
    assert backwards.shown is None and skipping.tracks[0].begin is not None


@pytest.mark.parametrize("closed", [False, True])
def test_gates_closer_than_a_tick_are_all_passed_in_their_order(closed):
    gates = tuple(Gate((-5, y), (5, y), f"{y:g} m") for y in (0.0, 0.2, 0.45))
    watch = Stopwatch([Track("sprint", gates, closed)])
    for start in (0.0, 1.0):  # across the gates, and past them in one long tick
        drive(watch, lambda t: (0.0, -1.0 + 300.0 * t, 0.0), 0.1, start=start)
        watch.step((20.0, -1.0, 0.0), start + 0.5)
    # the first gate ends a lap of the closed track, so that its second lap is not over
    splits = [[split.time for split in lap.splits[:2]] for lap in watch.laps]
    assert splits == [pytest.approx([0.2 / 300.0, 0.45 / 300.0], abs=1e-12)] * (1 if closed else 2)


def test_rolling_back_and_forth_over_the_only_gate_is_no_lap():
    watch = Stopwatch([Track("loop", STRIP_GATES[:1], closed=True)])
    drive(watch, lambda t: (0.0, 2.0 * math.sin(3.0 * t) - 0.1, 0.0), 10.0)
    assert not watch.laps
    watch = Stopwatch([Track("loop", (Gate((-60, 0), (-40, 0), "start"),), closed=True)])
    drive(watch, lambda t: (-50.0 * math.cos(t - 0.1), 50.0 * math.sin(t - 0.1), 0.0), 14.0)
    assert [lap.time for lap in watch.laps] == pytest.approx([2.0 * math.pi] * 2, abs=1e-5)


def ring(radius=50.0):
    """A closed counter-clockwise track around the origin with three gates."""
    gates = []
    for angle in (0.0, 2.0, 4.0):
        c, s = math.cos(angle), math.sin(angle)
        gates.append(Gate((c * (radius - 6), s * (radius - 6)), (c * (radius + 6), s * (radius + 6)), f"at {angle:g}"))
    return Track("ring", tuple(gates), closed=True)


def test_laps_of_a_closed_track_have_sectors_and_a_last_and_best_time():
    watch = Stopwatch([ring()])

    def angle(t):  # the second lap at 1.25 times the speed
        first = 2.0 * math.pi / 0.4
        return 0.4 * t if t < first else 2.0 * math.pi + 0.5 * (t - first)

    drive(watch, lambda t: (50.0 * math.cos(angle(t) - 0.1), 50.0 * math.sin(angle(t) - 0.1), 0.0), 30.0)
    slow, fast = watch.laps
    # the first 0.1 rad are before the gate, so the lap ends 0.1 rad into the faster part
    assert slow.time == pytest.approx((2 * math.pi - 0.1) / 0.4 + 0.1 / 0.5, abs=1e-5)
    assert fast.time == pytest.approx(2 * math.pi / 0.5, abs=1e-5)
    assert fast.begin == pytest.approx(slow.begin + slow.time, abs=1e-12)  # a passage ends a lap and starts the next
    sectors = np.diff([0.0, *(split.time for split in fast.splits)])
    assert sectors == pytest.approx([4.0, 4.0, (2 * math.pi - 4.0) / 0.5], abs=1e-5)
    assert watch.tracks[0].best is fast and watch.tracks[0].last is fast and watch.tracks[0].count == 2


def test_a_jump_cancels_the_current_lap():
    watch = Stopwatch([STRIP])
    drive(watch, lambda t: (0.0, -3.0 + 20.0 * t, 0.0), 2.0)
    assert watch.tracks[0].begin is not None
    watch.jumped()
    drive(watch, lambda t: (0.0, 60.0 + 20.0 * t, 0.0), 5.0)
    assert not watch.laps and watch.tracks[0].begin is None


def test_the_board_shows_the_last_driven_track():
    watch = Stopwatch([STRIP])
    assert board(watch.shown, 0.0) == []
    drive(watch, lambda t: (0.0, -2.0 + 20.0 * t, 0.0), 4.0)
    lines = dict(board(watch.shown, 4.0))
    assert lines["strip"] == "run 1" and lines["run"] == "0:03.900" and lines["20 m"] == "0:01.000  72.0 km/h"
    assert dict(board(watch.shown, 4.0, miles=True))["20 m"] == "0:01.000  44.7 mph"
    drive(watch, lambda t: (0.0, -2.0 + 20.0 * t, 0.0), 6.0)
    assert dict(board(watch.shown, 6.0))["best"] == "0:05.000"
    assert clock_text(83.4567) == "1:23.457"


PLANE_WORLD = "name: T\nterrain: {plane: 0, surface: asphalt}\nspawn_points: {a: {position: [0, 0]}}\n"


def read(tmp_path, text):
    """The world file PLANE_WORLD with more text, loaded."""
    path = tmp_path / "world.yaml"
    path.write_text(PLANE_WORLD + text)
    return load_world(path)


def test_the_timing_of_a_world_file_is_read(tmp_path):
    text = "timing: {lap: {closed: true, gates: [{from: [0, 1], to: [2, 3]}, {from: [5, 1], to: [5, 3]}]}}\n"
    (track,) = read(tmp_path, text).timing
    assert track == Track("lap", (Gate((0, 1), (2, 3), "start"), Gate((5, 1), (5, 3), "sector 1")), closed=True)
    assert read(tmp_path, "").timing == []


@pytest.mark.parametrize(("text", "message"), [
    ("timing: [1]\n", "world.yaml:4: timing: must map names"),
    ("timing: {a: 3}\n", "timing.a: must be"),
    ("timing: {a: {gates: []}}\n", "must list at least one gate"),
    ("timing: {a: {closed: true, gates: [{from: [0, 0], to: [0, 0]}]}}\n", "must lie at least 0.1 m"),
    ("timing: {a: {closed: 1, gates: [{from: [0, 0], to: [0, 9]}]}}\n", "must be true or false"),
    ("timing: {a: {closed: true, gates: [{form: [0, 0], to: [0, 9]}]}}\n", 'did you mean "from"'),
    ("timing: {a: {closed: true, gates: [{from: [0, 0, 1], to: [0, 9]}]}}\n", "must be a list of 2 numbers"),
])  # fmt: skip
def test_errors_in_timing_are_reported(tmp_path, text, message):
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["proving_ground", "mountain_road"])
def test_the_driving_line_passes_every_gate_of_its_track(name):
    world_file = load_world(name)
    watch = Stopwatch(world_file.timing)
    points = [*world_file.driving_line, *world_file.driving_line, world_file.driving_line[0]]
    for tick, (x, y) in enumerate(points):
        watch.step((float(x), float(y)), tick * 0.1)
    assert [lap.track for lap in watch.laps][:1] == [world_file.timing[0].name]
    assert len(watch.laps[0].splits) == len(world_file.timing[0].gates)
