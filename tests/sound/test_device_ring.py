"""The ring between simulation and audio thread: pace, interpolation, holding, jumps, impacts, whole rows."""

import math
import threading

import numpy as np
import pytest

from driving_sandbox.physics.kernel.atomic import load_acquire, store_release
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, SAMPLE_RATE
from driving_sandbox.sound.base.frame import EVENTS, FRAME, FRAME_WORDS, IMPACT, NUMBER_WORDS, NUMBERS
from driving_sandbox.sound.base.moment import GRID, on_grid
from driving_sandbox.sound.device.ring import (
    BAND,
    FASTEST,
    MOST_ROWS,
    ROWS,
    SLOWEST,
    Ring,
    advance,
    target_of,
    ticks_per_row,
)
from driving_sandbox.sound.space.listener import LISTENER, LISTENER_WORDS

TICK = 1.0 / 240.0  # s
BLOCKS_PER_TICK = TICK / BLOCK_SECONDS


class Reader:
    """A ring with one vehicle, and its reader. first: whether the drive has just begun."""

    def __init__(self, target=8.0, row_seconds=TICK, first=False, **options):
        self.ring = Ring(1, row_seconds, target, **options)
        self.ring.record["restarted"] = 0 if first else 1
        self.before, self.after = np.zeros(1, FRAME), np.zeros(1, FRAME)
        self.heard = np.zeros(2, LISTENER)  # at the beginning and at the end of a block
        self.written = 0

    def write(self, count=1, impact=0.0):
        """Add rows whose numbers are the row's number; `impact` (N s) is in the first of them."""
        for k in range(count):
            row = self.ring.next_row()
            frame = self.ring.frames[row]
            for name, *_ in NUMBERS:
                frame[name] = float(self.written) if name != "attenuation" else 0.0  # 1 would be absent
            # any materials and -1, nothing known
            frame["gear"], frame["impact"], frame["impact_material"] = self.written, impact if k == 0 else 0.0, 3
            frame["struck_material"], frame["struck_rings"] = (5, 1) if k == 0 and impact else (-1, 0)
            self.ring.listeners[row]["position"] = -float(self.written)
            self.written += 1
        self.ring.publish()

    def read(self, blocks=1):
        """The reader's position at the end of each block: `write` makes the engine speed the number of the row."""
        speeds = []
        for _ in range(blocks):
            ring = self.ring
            self.heard_any = advance(
                ring.record, ring.frames, ring.frames.view(np.float64).reshape(ROWS, 1, FRAME_WORDS),
                ring.listeners.view(np.float64).reshape(ROWS, LISTENER_WORDS), self.before, self.after,
                self.after.view(np.float64).reshape(1, FRAME_WORDS),
                self.heard.view(np.float64).reshape(2, LISTENER_WORDS),
            )  # fmt: skip
            speeds.append(float(self.after["engine_speed"][0]))
        return np.array(speeds)


def test_numbers_and_events_lie_in_a_frame_as_the_reader_assumes():
    assert np.dtype(NUMBERS).itemsize == 8 * NUMBER_WORDS
    assert FRAME.fields[EVENTS[0][0]][1] == 8 * NUMBER_WORDS
    assert all(LISTENER[name].base == np.float64 for name in LISTENER.names)


def test_before_the_first_row_there_is_nothing_to_hear():
    reader = Reader()
    assert reader.read()[0] == 0.0
    assert not reader.heard_any
    reader.write()
    reader.read()
    assert reader.heard_any


def test_a_ring_at_its_target_moves_by_a_fifth_of_a_tick_per_block():
    reader = Reader(target=8.0, gain=0.0)
    reader.write(30)
    positions = reader.read(50)
    assert positions[0] == pytest.approx(21.0 + 0.2)  # 8 rows before the newest, 29, and on by a block
    assert np.allclose(np.diff(positions[:35]), 1.0 / BLOCKS_PER_TICK, rtol=0.0, atol=1.01 / GRID)


def test_numbers_are_interpolated_and_events_come_from_the_later_row():
    reader = Reader(target=4.0, gain=0.0)
    reader.write(10)
    reader.read(2)
    after = reader.after[0]
    assert after["engine_speed"] == after["wheel_load"][3] == pytest.approx(5.4)
    assert after["gear"] == 6
    assert reader.before["engine_speed"][0] == pytest.approx(5.2)
    assert reader.heard["position"][:, 0] == pytest.approx([-5.2, -5.4])


@pytest.mark.parametrize("error", [-0.003, 0.003])
def test_the_pace_follows_the_waiting_rows_outside_the_band(error):
    """With a writer of 240 Hz rows that is 0.3 % too slow or too fast the queue stays in the band."""
    reader, due, waiting = Reader(), 0.0, []
    reader.write(9)
    for _ in range(60 * 1200):
        due += (1.0 + error) / BLOCKS_PER_TICK
        reader.write(int(due))
        due -= int(due)
        reader.read()
        waiting.append(reader.ring.waiting)
    assert min(waiting) > 8.0 - BAND / TICK - 1.5 and max(waiting) < 8.0 + BAND / TICK + 1.5
    assert reader.ring.record["held"] == reader.ring.record["jumps"] == 0
    assert max(waiting) - min(waiting) > 0.5 * BAND / TICK  # the pace changes only at the band's ends


@pytest.mark.parametrize("rate", [240, 60, 1000])
def test_the_first_blocks_of_a_drive_have_the_frames_of_its_soundtrack(rate):
    """The first tick's frame holds until its end; then they are interpolated at the pace of ticks, whatever waits."""
    row_seconds, random = ticks_per_row(1.0 / rate) / rate, np.random.default_rng(1)
    reader = Reader(target=0.03 / row_seconds, row_seconds=row_seconds, first=True)
    reader.write(math.ceil(0.04 / row_seconds) + 1)  # the target, and half of the rows that come at once
    positions, due = [], 0.0
    while len(positions) < 2000:
        count = random.integers(1, 24)
        positions += list(reader.read(count))
        due += count * BLOCK_SECONDS / row_seconds
        reader.write(int(due))
        due -= int(due)
    expected = [max(on_grid((k + 1) * (BLOCK_SECONDS / row_seconds)) - 1.0, 0.0) for k in range(len(positions))]
    assert np.array_equal(positions, expected)
    assert reader.ring.record["exact"] == len(positions)


def test_exact_blocks_are_counted_until_the_first_deviation():
    reader = Reader(first=True)
    reader.write(9)
    reader.read(60)
    exact = int(reader.ring.record["exact"])
    assert 45 <= exact < 60  # nine rows, then the last is held
    reader.write(20)
    reader.read(60)
    assert reader.ring.record["exact"] == exact


def test_a_drive_with_many_rows_or_one_that_rested_begins_at_the_target():
    reader = Reader(first=True)
    reader.write(80)
    assert reader.read()[0] == pytest.approx(71.2)  # 8 rows before the newest, 79, and on by a block
    reader = Reader(first=True)
    reader.write(9)
    reader.read()
    reader.ring.restart()
    reader.write(12)
    assert reader.read()[0] == pytest.approx(12.2)
    assert reader.ring.record["exact"] == 1


def test_the_pace_stays_within_its_limits():
    reader = Reader()
    reader.write(9)
    reader.read(20)
    steps = np.diff(reader.read(20))
    assert steps.min() >= SLOWEST / BLOCKS_PER_TICK - 1.01 / GRID
    reader.write(20)
    assert np.diff(reader.read(5)).max() <= FASTEST / BLOCKS_PER_TICK + 1.01 / GRID


def test_an_empty_ring_holds_the_last_row():
    reader = Reader()
    reader.write(9)
    held = reader.read(100)[-20:]
    assert (held == 8.0).all()
    assert reader.ring.record["held"] > 0
    reader.write()
    assert 8.0 < reader.read()[0] <= 8.25


def test_bursts_of_a_whole_frame_do_not_starve_a_target_made_for_them():
    """Frames of 60 Hz add 4 rows at once, callbacks of 512 samples take 2.6 rows at once."""
    reader = Reader(target=target_of(512, 4, TICK))
    reader.write(9)
    blocks = 0.0
    for _ in range(600):
        reader.write(4)
        blocks += 20.0
        while blocks >= 12.8:
            reader.read(13 if int(blocks * 10) % 2 else 12)
            blocks -= 12.8
    assert reader.ring.record["held"] <= 0.01 * 600 * 20
    assert reader.ring.record["jumps"] == 0


class Schedule:
    """Rows that come with the frames of a program, and a device that calls for 512 samples; no clock is read."""

    FRAMES = 512  # samples per callback

    def __init__(self, frame_rate, row_seconds):
        self.row_seconds, self.frame_rate, self.burst = row_seconds, frame_rate, 1.0 / frame_rate / row_seconds
        self.reader = Reader(target_of(self.FRAMES, math.ceil(self.burst), row_seconds), row_seconds)
        self.reader.write(math.ceil(self.reader.ring.record["target"]) + 1)
        self.due, self.calls, self.drawn, self.blocks = 0.0, 0, 0, 0

    def run(self, seconds, stalled=False):
        """The reader's positions at the end of each block."""
        positions = []
        for _ in range(round(seconds * SAMPLE_RATE / self.FRAMES)):
            self.calls += 1
            while not stalled and self.drawn / self.frame_rate <= self.calls * self.FRAMES / SAMPLE_RATE:
                self.drawn += 1
                self.due += self.burst
                self.reader.write(int(self.due))
                self.due -= int(self.due)
            count = self.calls * self.FRAMES // BLOCK - self.blocks
            self.blocks += count
            positions.append(self.reader.read(count))
        return np.concatenate(positions)


@pytest.mark.parametrize("frame_rate", [60, 144])
def test_the_pace_does_not_follow_single_frames_and_callbacks(frame_rate):
    """It would be heard as a trembling pitch of vehicles that pass fast: their Doppler shift goes with the pace."""
    schedule = Schedule(frame_rate, TICK)
    schedule.run(2.0)
    pace = np.diff(schedule.run(4.0)) * BLOCKS_PER_TICK
    assert pace.mean() == pytest.approx(1.0, abs=1e-3)
    assert pace.std() < 0.002
    assert schedule.reader.ring.record["held"] == schedule.reader.ring.record["jumps"] == 0


@pytest.mark.parametrize("rate", [10, 60, 240, 479, 481, 1000, 10000])
def test_ticks_of_any_length_neither_starve_nor_add_delay(rate):
    """A drive does not starve; after a stall of 300 ms it catches up by one jump, and goes on without more delay."""
    row_seconds = ticks_per_row(1.0 / rate) / rate
    assert row_seconds >= 1.0 / MOST_ROWS - 1e-9 and row_seconds < max(1.01 / rate, 2.0 / MOST_ROWS)
    schedule = Schedule(60, row_seconds)
    record, ring = schedule.reader.ring.record, schedule.reader.ring
    schedule.run(3.0)
    begun = int(record["held"])
    pace = np.diff(schedule.run(3.0)) * row_seconds / BLOCK_SECONDS
    assert record["held"] == begun and record["jumps"] == 0
    assert pace.std() < 0.02 and ring.waiting < ROWS / 4
    delay = ring.waiting * row_seconds
    schedule.run(0.3, stalled=True)
    schedule.run(4.0)
    assert record["jumps"] == 1
    assert ring.waiting * row_seconds < delay + max(0.02, 1.5 * row_seconds)


def test_an_impact_fires_once():
    reader = Reader()
    reader.write(9)
    reader.read(3)
    reader.write(impact=500.0)
    reader.write(12)
    impacts = []
    for _ in range(70):
        reader.read()
        impacts.append(float(reader.after["impact"][0]))
        if impacts[-1]:
            assert [reader.after[name][0] for name in IMPACT] == [500.0, 3, 5, 1]
    assert [x for x in impacts if x] == [500.0]
    fired = impacts.index(500.0)
    assert fired > 0


def test_an_impact_fires_as_the_interval_that_ends_in_its_row_begins():
    reader = Reader(target=4.0, gain=0.0)
    reader.write(9)
    reader.read()
    reader.write(impact=500.0)
    positions = []
    for _ in range(40):
        positions.append(reader.read()[0])
        if reader.after["impact"][0]:
            break
    assert 8.0 < positions[-1] <= 8.2 + 1e-9


def test_a_long_queue_is_jumped_over_and_its_strongest_impact_fires():
    reader = Reader()
    reader.write(9)
    reader.read(3)
    for strength in (100.0, 900.0, 300.0):
        reader.write(20, impact=strength)
    assert reader.ring.waiting > reader.ring.record["target"] + reader.ring.record["slack"]
    position = reader.read()[0]
    assert position == reader.written - 1 - 8.0
    assert reader.after["impact"][0] == 900.0
    reader.read(3)
    assert reader.ring.record["jumps"] == 1


def test_a_reader_that_stood_still_goes_on_behind_the_newest_row():
    reader = Reader()
    reader.write(9)
    reader.read()
    reader.write(3 * ROWS)
    assert reader.read()[0] == reader.written - 1 - 8.0


@kernel
def _write_rows(memory, address, count):
    """Store each number in all words of a row, then publish it as the count of rows."""
    for number in range(1, count + 1):
        row = number % memory.shape[0]
        for k in range(memory.shape[1]):
            memory[row, k] = number
        store_release(address, number)


@kernel
def _torn_rows(memory, address, count):
    """Number of rows that did not hold their number in every word when they were counted."""
    torn, number = 0, 0
    while number < count:
        number = load_acquire(address)
        row = number % memory.shape[0]
        first, complete = memory[row, 0], True
        for k in range(memory.shape[1]):
            complete &= memory[row, k] >= number
        torn += 0 if complete and first >= number else 1
    return torn


def test_rows_are_complete_when_they_are_counted():
    memory, counter = np.zeros((512, 64), np.int64), np.zeros(1, np.int64)
    _write_rows(memory, counter.ctypes.data, 1)
    assert _torn_rows(memory, counter.ctypes.data, 1) == 0  # compiled before the threads race
    counter[:] = 0
    writer = threading.Thread(target=_write_rows, args=(memory, counter.ctypes.data, 2_000_000))
    writer.start()
    torn = _torn_rows(memory, counter.ctypes.data, 2_000_000)
    writer.join()
    assert torn == 0


def test_an_event_is_in_no_block_too_early_in_a_long_drive():
    """Sums of blocks come to rest a rounding error beside a tick, from which the later row's events must not follow."""
    reader = Reader(target=float(ROWS), gain=0.0)
    for row in range(1, 2000):
        reader.write(3 if row == 1 else 1)
        assert (np.ceil(reader.read(5)) == row).all()
        assert reader.after["gear"][0] == row
    assert on_grid(3.0 + 1e-12) == on_grid(3.0 - 1e-12) == 3.0
