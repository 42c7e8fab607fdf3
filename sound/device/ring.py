"""Hand-over of frames from the simulation to the audio thread: a ring without locks, one writer, one reader.

The writer adds a row per tick, or per few ticks where these are short: a FRAME per vehicle, and the LISTENER. Then it
publishes the new number of rows by an atomic store (physics/kernel/atomic.py). For each block of samples the reader
moves on by a fraction of a row, and interpolates. It begins with the first row and keeps exactly the pace at which rows
come, so its blocks get the frames that a soundtrack has, and all samples are equal. This lasts because the program's
clock follows the device's (game/audio/device_clock.py).

After the first stutter, the reader's pace follows the mean number of waiting rows wherever that is outside a band
around the target. Nothing is resampled, so the pitch stays: only the vehicle's motion is heard slightly slower or
faster. The pace follows the mean because the number itself jumps with every frame and callback, which would be heard
where the Doppler shift is large.

* No row waits (the program is stuck): the last row is held, and the engine goes on at that speed.
* Too many wait (the program was stuck and catches up): the reader jumps to a row near the newest one. The strongest
  impact passed over still sounds.

As it jumps to rows near the newest one, the reader never meets a row that is being rewritten, even after a standstill.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.atomic import load_acquire, store_release
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK_SECONDS, SAMPLE_RATE
from driving_sandbox.sound.base.frame import ABSENT, FRAME, NUMBER_WORDS
from driving_sandbox.sound.base.heights import bend_heights
from driving_sandbox.sound.base.moment import on_grid
from driving_sandbox.sound.space.listener import LISTENER, LISTENER_WORDS

ROWS = 512  # 2 s at 240 Hz, 1 s at the most rows per second: far more than ever wait
MOST_ROWS = 480.0  # 1/s; shorter ticks share a row
SPARE = 6.5e-3  # s; rows may be late by this and half a callback
PACE_GAIN = 4.8  # 1/s, relative change of the pace per second of rows that wait above or below the target
MEAN_TIME = 0.2  # s, time constant of the mean: several frames and callbacks; a longer one makes the pace oscillate
SLOWEST, FASTEST = 0.92, 1.25  # limits of the pace, relative to that of the rows
EXACT_SLACK = 0.2  # s of rows above the target that may wait while the samples are those of a soundtrack
SLACK = 0.09  # s of rows above the target that may wait afterwards before the reader jumps: at a target of 8, 30 in all
LEAST_SLACK = 2.0  # rows, lower limit of both, for long ticks
BAND = 6e-3  # s of rows around the target; outside, the pace follows the mean
SEARCHED = 240  # rows passed over in a jump that are searched for an impact; older ones may be rewritten meanwhile

_FOLLOWING_BAND = 0.1  # share of the band within which the pace stops following the mean (hysteresis)
_MEAN_SHARE = BLOCK_SECONDS / MEAN_TIME  # per block

RING = np.dtype(
    [
        ("counter", np.int64),  # address of the number of rows written, an int64 that only the writer changes
        ("position", np.float64),  # row reached at the end of the last block; 0: the first one, -1: a row before it
        ("begun", np.int64),  # 1: the reader has read
        ("restarted", np.int64),  # 1: it does not begin with the first row of a drive
        ("start", np.float64),  # position from which it has kept the pace of the rows
        ("blocks", np.int64),  # since `start`; a position summed up block by block would drift by rounding errors
        ("following", np.int64),  # 1: the pace follows the mean
        ("exact", np.int64),  # blocks with the frames of a soundtrack: all before the first deviation
        ("deviated", np.int64),  # 1: the reader has been at a position at which a soundtrack's would not be
        ("pace", np.float64),  # rows per block at the pace of the rows
        ("target", np.float64),  # mean number of rows that shall wait
        ("gain", np.float64),  # change of the pace per row above or below it; 0 for rows that do not come in real time
        ("band", np.float64),  # rows around the target; outside, the pace follows the mean
        ("exact_slack", np.float64),  # rows above the target that may wait before the first deviation
        ("slack", np.float64),  # rows above the target that may wait afterwards before the reader jumps
        ("mean", np.float64),  # smoothed number of waiting rows
        ("held", np.int64),  # blocks for which there was no new row, for diagnosis
        ("jumps", np.int64),  # jumps, for diagnosis
    ],
    align=True,
)


def ticks_per_row(tick_seconds: float) -> int:
    """Ticks that share a row."""
    return max(1, math.ceil(1.0 / (tick_seconds * MOST_ROWS) - 1e-6))


def target_of(callback_frames: int, burst: int, row_seconds: float, speed: float = 1.0) -> float:
    """Mean number of rows that shall wait.

    A callback takes its rows at once, and a frame of the program adds its rows at once, so the smallest number is half
    of each below the mean. Half a callback and SPARE (one row if that is more) remain then for frames that are late.

    Args:
        callback_frames: samples per channel that the device asks for at once.
        burst: rows that the program adds at once.
        row_seconds: time between rows, s.
        speed: simulated seconds per second; less in slow motion, in which a callback takes fewer rows.
    """
    taken = callback_frames / SAMPLE_RATE * speed / row_seconds
    return taken + 0.5 * burst + max(1.0, SPARE * speed / row_seconds)


@kernel
def publish(ring: Any, count: int) -> None:
    """Let the reader see `count` further rows; they are complete."""
    store_release(ring.counter, load_acquire(ring.counter) + count)


@kernel
def advance(
    ring: Any, frames: Any, words: Any, listeners: Any, before: Any, after: Any, after_words: Any, heard: Any
) -> bool:
    """Move on by a block. `before` and `after` become the FRAMEs at its start and end, `heard` the LISTENERs there.

    Args:
        frames: FRAME [ROWS, vehicles].
        words: the same memory as float64 [ROWS, vehicles, FRAME_WORDS].
        listeners: LISTENER as float64 [ROWS, LISTENER_WORDS].
        before, after: FRAME [vehicles], changed.
        after_words: the memory of `after` as float64 [vehicles, FRAME_WORDS].
        heard: LISTENERs before and after as float64 [2, LISTENER_WORDS], changed.
    Returns:
        Whether there has been a row at all.
    """
    last = load_acquire(ring.counter) - 1
    if last < 0:
        return False
    fired = row_at(ring.position)  # impacts up to this row have been heard
    if ring.begun == 0:
        _begin(ring, last)
        fired = row_at(ring.position)
        _interpolate(ring.position, last, frames, words, listeners, after, after_words, heard)
        ring.begun = 1
    for k in range(before.shape[0]):
        before[k] = after[k]
    for k in range(LISTENER_WORDS):
        heard[0, k] = heard[1, k]
    _move(ring, last)
    _interpolate(ring.position, last, frames, words, listeners, after, after_words, heard)
    _fire(fired, row_at(ring.position), frames, after)
    return True


@kernel
def row_at(position: float) -> Any:
    """The row at the end of the interval between two rows in which a position lies."""
    return np.int64(np.ceil(on_grid(position)))


@kernel
def _begin(ring: Any, last: int) -> None:
    """Begin one row before the first of a drive; after a restart, or if too many rows wait, `target` before the newest.

    The ring's position is that of the last row before the rows to read; `last`: newest row.
    """
    first = ring.restarted == 0 and last + 1 <= ring.target + ring.exact_slack
    _move_to(ring, -1.0 if first else max(0.0, last - ring.target, min(ring.position + 1.0, last)))
    ring.deviated, ring.mean, ring.following = 0 if first else 1, ring.target, 0


@kernel
def _move_to(ring: Any, position: float) -> None:
    """Move to a position at which a soundtrack's reader would not be, and keep the pace of the rows from there on."""
    ring.position = ring.start = position
    ring.blocks, ring.deviated = 0, 1


@kernel
def _move(ring: Any, last: int) -> None:
    """Move the reader's position on by a block; `last` is the newest row."""
    count = last - ring.position
    if count > ring.target + (ring.slack if ring.deviated == 1 else ring.exact_slack) and ring.gain > 0.0:
        ring.jumps += 1
        ring.mean = ring.target
        _move_to(ring, last - ring.target)
        return
    ring.mean += _MEAN_SHARE * (count - ring.mean)
    above = ring.mean - ring.target
    if ring.following == 1:
        ring.following = 1 if abs(above) > _FOLLOWING_BAND * ring.band else 0
    elif ring.gain > 0.0 and ring.deviated == 1 and abs(above) > ring.band:
        ring.following = 1
    if ring.following == 1:
        pace = min(max(1.0 + ring.gain * above, SLOWEST), FASTEST)
        _move_to(ring, ring.position + ring.pace * pace)
    else:
        ring.blocks += 1
        ring.position = ring.start + ring.blocks * ring.pace
    if ring.position > last:
        ring.held += 1
        _move_to(ring, np.float64(last))
    elif ring.deviated == 0:
        ring.exact += 1


@kernel
def _interpolate(
    position: float, last: int, frames: Any, words: Any, listeners: Any, after: Any, after_words: Any, heard: Any
) -> None:
    """Set `after` and heard[1] to FRAMEs and LISTENER at a position: numbers interpolated, all else of the later row.

    Impacts are left out: `_fire` sets them.
    """
    position = max(on_grid(position), 0.0)
    early = np.int64(np.floor(position))
    late = early + 1 if position > early and early < last else early
    share = position - early
    a, b = early % ROWS, late % ROWS
    for vehicle in range(after.shape[0]):
        after[vehicle] = frames[b, vehicle]
        after[vehicle].impact = 0.0
        if frames[a, vehicle].attenuation == ABSENT:
            continue  # a vehicle that appears is where the later row says
        for k in range(NUMBER_WORDS):
            after_words[vehicle, k] = words[a, vehicle, k] + share * (words[b, vehicle, k] - words[a, vehicle, k])
        bend_heights(after[vehicle], share)
    for k in range(LISTENER_WORDS):
        heard[1, k] = listeners[a, k] + share * (listeners[b, k] - listeners[a, k])


@kernel
def _fire(heard_row: int, row: int, frames: Any, after: Any) -> None:
    """Give `after` the strongest impact of each vehicle in the rows after `heard_row`, up to and including `row`."""
    for k in range(max(heard_row + 1, row - SEARCHED), row + 1):
        for vehicle in range(after.shape[0]):
            frame = frames[k % ROWS, vehicle]
            if frame.attenuation != ABSENT and frame.impact > after[vehicle].impact:
                after[vehicle].impact = frame.impact
                after[vehicle].impact_material = frame.impact_material
                after[vehicle].struck_material = frame.struck_material
                after[vehicle].struck_rings = frame.struck_rings


class Ring:
    """The memory of a ring and its writer.

    Args:
        vehicle_count: FRAMEs per row.
        row_seconds: time between rows, s.
        target: rows that shall wait.
        gain: PACE_GAIN; 0 for rows that do not come in real time.
    Attributes:
        record: RING record, shared with the reader.
        frames, listeners: the rows, FRAME [ROWS, vehicle_count] and LISTENER [ROWS].
        pending: rows that were filled but are not published yet.
    """

    def __init__(self, vehicle_count: int, row_seconds: float, target: float, gain: float = PACE_GAIN) -> None:
        self.frames = np.zeros((ROWS, vehicle_count), FRAME)
        self.listeners = np.zeros(ROWS, LISTENER)
        self._counter = np.zeros(1, np.int64)
        self.memory = np.zeros(1, RING)
        self.record = self.memory[0]
        self.record["counter"], self.record["position"] = self._counter.ctypes.data, -1.0
        self.record["pace"], self.record["target"] = BLOCK_SECONDS / row_seconds, target
        self.record["exact_slack"] = max(LEAST_SLACK, EXACT_SLACK / row_seconds)
        self.record["slack"], self.record["band"] = max(LEAST_SLACK, SLACK / row_seconds), max(1.0, BAND / row_seconds)
        self.record["gain"] = gain * row_seconds
        self.pending = 0

    @property
    def row(self) -> int:
        """Index of the row to fill next; no reader sees it."""
        return self.number % ROWS

    @property
    def number(self) -> int:
        """Number of the row to fill next, counted from the first one of the drive."""
        return int(self._counter[0]) + self.pending

    def next_row(self) -> int:
        """Index of the row to fill next; it counts as filled from now on, `publish` lets the reader see it."""
        row = self.row
        self.pending += 1
        return row

    def publish(self) -> None:
        """Let the reader see all filled rows."""
        publish(self.record, self.pending)
        self.pending = 0

    def restart(self) -> None:
        """Let the reader begin anew with the rows to come, and drop `pending`; it must not be reading now."""
        self.pending = 0
        if self.record["begun"]:
            self.record["restarted"] = 1
        self.record["position"], self.record["begun"] = self.written - 1, 0

    @property
    def written(self) -> int:
        """Rows published so far."""
        return int(self._counter[0])

    @property
    def waiting(self) -> float:
        """Rows that wait for the reader."""
        return float(self._counter[0] - 1 - self.record["position"])
