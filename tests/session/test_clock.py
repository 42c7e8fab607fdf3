"""The clock turns frames of any length into the right number of ticks."""

import math
import random

import pytest

from driving_sandbox.game.session.clock import FixedClock

TICK = 1.0 / 240.0  # s


@pytest.mark.parametrize("fps", [24, 30, 50, 59.94, 60, 75, 120, 144, 165, 240, 360])
def test_ten_seconds_are_2400_ticks_at_any_frame_rate(fps):
    clock = FixedClock(TICK)
    frames = round(10 * fps)
    total = sum(clock.advance(1.0 / fps) for _ in range(frames))
    assert abs(total - frames / fps * 240) <= 1
    assert clock.dropped == 0.0


@pytest.mark.parametrize("fps", [30, 60, 120, 240])
def test_frame_rates_that_divide_240_have_equal_ticks_in_every_frame(fps):
    clock = FixedClock(TICK)
    assert {clock.advance(1.0 / fps) for _ in range(5000)} == {240 // fps}
    assert clock.fraction < 1e-3


def test_with_irregular_frames_ticks_and_fraction_add_up_to_the_time():
    clock, rng = FixedClock(TICK), random.Random(4)
    time = ticks = 0.0
    for _ in range(5000):
        dt = rng.choice([0.001, 1 / 60, 1 / 144, 0.033, 0.0]) * rng.uniform(0.5, 1.5)
        time += dt
        ticks += clock.advance(dt)
        assert 0.0 <= clock.fraction <= 1.0
        assert ticks + clock.fraction == pytest.approx(time * 240, abs=1e-4)


def test_a_frame_counts_a_tenth_of_a_second_at_most():
    clock = FixedClock(TICK)
    assert clock.advance(5.0) == 24  # a frame counts 0.1 s at most
    assert clock.dropped == pytest.approx(4.9)
    assert FixedClock(TICK, max_frame=1.0).advance(0.5) == 120


def test_long_frames_in_a_row_are_counted():
    clock, counts = FixedClock(TICK), []
    for dt in (0.2, 0.15, 0.05, 0.2):
        clock.advance(dt)
        counts.append(clock.long_frames)
    assert counts == [1, 2, 0, 1]


def test_the_speed_of_time_multiplies_the_ticks():
    clock = FixedClock(TICK)
    clock.speed = 0.1
    assert sum(clock.advance(1 / 60) for _ in range(600)) == pytest.approx(240, abs=1)
    clock.speed = 4.0
    assert sum(clock.advance(1 / 60) for _ in range(60)) == pytest.approx(960, abs=1)


@pytest.mark.parametrize("dt", [-1e-9, math.nan, math.inf, -math.inf])
def test_impossible_frames_raise(dt):
    with pytest.raises(ValueError, match="a frame lasts 0 s or longer, not"):
        FixedClock(TICK).advance(dt)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_impossible_ticks_and_speeds_raise(value):
    with pytest.raises(ValueError, match="a tick must last"):
        FixedClock(value)
    clock = FixedClock(TICK)
    with pytest.raises(ValueError, match="speed of time"):
        clock.speed = value
    assert clock.speed == 1.0
