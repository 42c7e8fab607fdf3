"""Ends and labels of the axes of plots: round numbers, written out, as many as fit."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.toolkit.units import number_text
from driving_sandbox.lab.ticks import round_ticks

X, Y = implot.ImAxis_.x1.value, (implot.ImAxis_.y1.value, implot.ImAxis_.y2.value)
DIGITS = 6  # of a label, significant
UPRIGHT, ALONG = 1.05, 5.0  # sizes of the letters from a label to the next: one above the other; side by side
ALWAYS = implot.Cond_.always.value


def axis_range(series, least):
    """Round ends that hold all finite values and the range `least`; they move in steps, so the picture does not
    tremble."""
    low, high = least
    values = series[0] if len(series) == 1 else np.concatenate(series) if series else np.zeros(0)
    if values.size:
        smallest, largest = float(values.min()), float(values.max())
        if not math.isfinite(largest - smallest):  # a gap or a fault: rare, so checked only then
            values = finite(values)
            smallest, largest = (float(values.min()), float(values.max())) if values.size else least
        low, high = min(low, smallest), max(high, largest)
    size = high - low
    if size <= 0.0:
        return low - 1.0, high + 1.0
    step = 10.0 ** math.floor(math.log10(size)) / 2.0
    return math.floor(low / step) * step, math.ceil((high + 0.08 * size) / step) * step


def finite(values):
    """Those of some values that are."""
    return values[np.isfinite(values)]


@lru_cache(256)
def labels(low, high, most):
    """(values, texts) of at most `most` round values in low..high; of the ends where there are not two of them."""
    values = round_ticks(low, high, most)
    values = values if len(values) > 1 else [low, high]
    return values, [number_text(value, DIGITS) for value in values]


def setup_axis(axis, low, high, length, flags, name=""):
    """An axis of the present plot, `length` pixels long, from `low` to `high`."""
    implot.setup_axis(axis, name, flags)
    implot.setup_axis_limits(axis, low, high, ALWAYS)
    pitch = (UPRIGHT if axis in Y else ALONG) * imgui.get_font_size()
    implot.setup_axis_ticks(axis, *labels(low, high, max(2, int(length / pitch))))
