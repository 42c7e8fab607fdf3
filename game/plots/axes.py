"""Limits and tick labels of plot axes: round numbers, as many labels as fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.toolkit.units import number_text
from driving_sandbox.lab.ticks import round_ticks

X, Y = implot.ImAxis_.x1.value, (implot.ImAxis_.y1.value, implot.ImAxis_.y2.value)  # Y: the left and the right axis
DIGITS = 6  # significant digits of a label
LABEL_PITCH_Y = 1.05  # font sizes from one label of a vertical axis to the next
LABEL_PITCH_X = 5.0  # font sizes from one label of a horizontal axis to the next
ALWAYS = implot.Cond_.always.value


def axis_range(series: Sequence[np.ndarray], min_range: tuple[float, float]) -> tuple[float, float]:
    """(low, high) of an axis that contains all finite values and `min_range` (low, high).

    The limits are rounded to a step of 1/2 to 1/20 of the range, so that the axis does not tremble with each sample;
    at least 8 % of the range stay free at the upper end.

    Args:
        series: list of arrays of values.
    """
    low, high = min_range
    values = series[0] if len(series) == 1 else np.concatenate(series) if series else np.zeros(0)
    if values.size:
        smallest, largest = float(values.min()), float(values.max())
        if not math.isfinite(largest - smallest):  # a gap or a fault: rare, so checked only then
            values = finite(values)
            smallest, largest = (float(values.min()), float(values.max())) if values.size else min_range
        low, high = min(low, smallest), max(high, largest)
    size = high - low
    if size <= 0.0:
        return low - 1.0, high + 1.0
    step = 10.0 ** math.floor(math.log10(size)) / 2.0
    return math.floor(low / step) * step, math.ceil((high + 0.08 * size) / step) * step


def finite(values: np.ndarray) -> np.ndarray:
    """The values without infinities and NaN."""
    return values[np.isfinite(values)]


@lru_cache(256)
def labels(low: float, high: float, max_count: int) -> tuple[list[float], list[str]]:
    """(values, texts) of at most `max_count` round values in low..high; if fewer than two fit, of low and high."""
    values = round_ticks(low, high, max_count)
    values = values if len(values) > 1 else [low, high]
    return values, [number_text(value, DIGITS) for value in values]


def setup_axis(axis: int, low: float, high: float, length: float, flags: int, name: str = "") -> None:
    """Set up an axis of the plot being drawn, `length` pixels long, from `low` to `high`."""
    implot.setup_axis(axis, name, flags)
    implot.setup_axis_limits(axis, low, high, ALWAYS)
    pitch = (LABEL_PITCH_Y if axis in Y else LABEL_PITCH_X) * imgui.get_font_size()
    implot.setup_axis_ticks(axis, *labels(low, high, max(2, int(length / pitch))))
