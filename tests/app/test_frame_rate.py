"""Quality level and resolution chosen by frame times."""

import numpy as np
import pytest

from driving_sandbox.game.program.frame_rate import LEVELS, SCALES, DynamicResolution, QualityChoice

PERIOD = 1.0 / 60.0  # s


def measured_level(costs, period=PERIOD):
    """(final level, levels in the order measured) on a graphics card with these frame times per level, ms."""
    choice, levels = QualityChoice(period), []
    for _ in range(20000):
        if choice.done:
            return choice.level, levels
        if not levels or levels[-1] != choice.level:
            levels.append(choice.level)
        choice.add(costs[LEVELS.index(choice.level)] / 1e3)
    raise AssertionError("it never decides")


@pytest.mark.parametrize(("costs", "level", "tried"), [
    ((1, 2, 3, 5), "ultra", ["medium", "high", "ultra"]),
    ((2, 4, 8, 20), "high", ["medium", "high", "ultra"]),
    ((3, 7, 19, 40), "medium", ["medium", "high"]),
    ((4, 12, 19, 40), "medium", ["medium"]),
    ((8, 30, 60, 90), "low", ["medium", "low"]),
    ((90, 130, 160, 190), "low", ["medium", "low"]),
])  # fmt: skip
def test_the_level_changes_one_step_at_a_time(costs, level, tried):
    assert measured_level(costs) == (level, tried)


def test_a_faster_display_requires_shorter_frames():
    assert measured_level((2, 4, 8, 20), period=1.0 / 144.0)[0] == "medium"


def test_a_few_long_frames_change_nothing():
    choice, random = QualityChoice(PERIOD), np.random.default_rng(1)
    while not choice.done:
        choice.add(0.1 if random.random() < 0.04 else 0.003)
    assert choice.level == "ultra"


def drawn_scales(resolution, cost, seconds, period=PERIOD, processor=0.002):
    """Resolution scale of every frame drawn in some seconds.

    cost: time of the graphics card at full resolution, ms.
    processor: time of the processor per frame, s.
    """
    scales, time = [], 0.0
    while time < seconds:
        work = max(processor, cost / 1e3 * resolution.scale**2)
        frame = period * np.ceil(work / period - 1e-9)  # it waits for the display
        resolution.add(frame, processor)
        scales.append(resolution.scale)
        time += frame
    return scales


def test_a_fast_card_keeps_the_full_resolution():
    assert set(drawn_scales(DynamicResolution(PERIOD), cost=12.0, seconds=30.0)) == {1.0}


def test_a_slow_card_lowers_the_resolution_until_the_rate_holds_and_seldom_tries_more():
    resolution = DynamicResolution(PERIOD)
    drawn_scales(resolution, cost=24.0, seconds=5.0)
    assert resolution.scale == 0.8  # 24 ms * 0.64 = 15.4 ms
    scales = drawn_scales(resolution, cost=24.0, seconds=200.0)
    assert set(scales) == {0.8, 0.9}
    assert np.mean(np.array(scales) == 0.8) > 0.95
    assert (np.diff(scales) > 0).sum() <= 7  # a higher one is tried seldom


def test_resolution_recovers_and_has_a_minimum():
    resolution = DynamicResolution(PERIOD)
    drawn_scales(resolution, cost=100.0, seconds=20.0)
    assert resolution.scale == SCALES[-1] == 0.6
    drawn_scales(resolution, cost=10.0, seconds=300.0)
    assert resolution.scale == 1.0


def test_frames_limited_by_the_processor_keep_the_resolution():
    resolution = DynamicResolution(PERIOD)
    assert set(drawn_scales(resolution, cost=10.0, seconds=10.0, processor=0.025)) == {1.0}
