"""Spectrum of what is heard: the last 0.1 s of samples, with markers of the engine's orders.

An order is a multiple of the engine's speed: a four-stroke cylinder fires every second revolution, so all tones of an
engine that runs evenly lie at multiples of the order 0.5, and the strongest at the number of firings per revolution.
Levels are those of sinusoids: 0 dB has the amplitude 1, full scale. The Hann window of 0.1 s resolves 20 Hz.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.plots.axes import ALWAYS, X, Y, setup_axis
from driving_sandbox.game.plots.layouts import SPECTRUM_RANGE
from driving_sandbox.game.toolkit.theme import ACCENT, TEXT_DIM, color_u32
from driving_sandbox.sound.base.block import SAMPLE_RATE

ORDERS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)  # few enough to be told apart
LOW, HIGH = 20.0, 16000.0  # Hz, ends of the axis
TICKS = ((20.0, "20"), (50.0, "50"), (100.0, "100"), (200.0, "200"), (500.0, "500"), (1e3, "1k"), (2e3, "2k"),
                (5e3, "5k"), (1e4, "10k"))  # fmt: skip
QUIETEST = 1e-7  # amplitude, -140 dB; silence has a level, too
POINTS = 400  # of the line: the highest level in each of as many equal steps of the logarithmic axis
TICK_PITCH = 2.6  # font sizes from one tick to the next
MARGIN = 4.0  # pixels between the upper edge and the names of orders
_AXIS = implot.AxisFlags_.no_menus.value | implot.AxisFlags_.no_side_switch.value | implot.AxisFlags_.no_highlight.value


def spectrum(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(frequencies in Hz, levels in dB) of samples."""
    window = _window(len(samples))
    amplitudes = np.abs(np.fft.rfft(samples * window)) * (2.0 / window.sum())
    frequencies = np.arange(len(amplitudes)) * (SAMPLE_RATE / len(samples))
    return frequencies, 20.0 * np.log10(amplitudes + QUIETEST)


@cache
def _window(count: int) -> np.ndarray:
    """The Hann window of `count` samples; cached, as `Silence.recent` has the same number in every frame."""
    return np.hanning(count)


def outline(frequencies: np.ndarray, levels: np.ndarray, count: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """(frequencies, levels): the highest level in each of `count` equal steps of the logarithmic axis that has any."""
    inside = (frequencies >= LOW) & (frequencies <= HIGH)
    frequencies, levels = frequencies[inside], levels[inside]
    steps = (np.log(frequencies / LOW) * (count / math.log(HIGH / LOW))).astype(int)
    starts = np.flatnonzero(np.diff(steps, prepend=-1))
    return frequencies[starts], np.maximum.reduceat(levels, starts)


def orders(engine_speed: float) -> list[tuple[float, float]]:
    """[(order, frequency in Hz)] of the ORDERS of an engine, of its speed in rad/s, that the axis shows."""
    turns = engine_speed / (2.0 * math.pi)
    return [(order, order * turns) for order in ORDERS if LOW <= order * turns <= HIGH]


def draw_spectrum(
    heard: tuple[np.ndarray, float] | None, levels: tuple[float, float], size: tuple[float, float]
) -> None:
    """Draw the spectrum between `implot.begin_plot` and `implot.end_plot`.

    Args:
        heard: as `Silence.recent` returns it.
        levels: ends of the axis of levels, dB; (0, 0), as of a new plot, for SPECTRUM_RANGE.
        size: (width, height) of the plot, pixels.
    """
    implot.setup_axis(X, "", _AXIS)
    implot.setup_axis_limits(X, LOW, HIGH, ALWAYS)
    implot.setup_axis_scale(X, implot.Scale_.log10.value)
    shown = TICKS[:: 1 + int(len(TICKS) * TICK_PITCH * imgui.get_font_size() / max(size[0], 1.0))]
    implot.setup_axis_ticks(X, [frequency for frequency, _ in shown], [text for _, text in shown])
    low, high = levels
    setup_axis(Y[0], *(levels if high > low else SPECTRUM_RANGE), size[1], _AXIS)
    if heard is None:
        return
    samples, engine_speed = heard
    _draw_orders(orders(engine_speed))
    spec = implot.Spec()
    spec.line_color = imgui.ImVec4(*ACCENT)
    implot.plot_line("##spectrum", *outline(*spectrum(samples)), spec)


def _draw_orders(marked: list[tuple[float, float]]) -> None:
    """Draw a vertical line and a name at each order; names that would overlap the one before are left out."""
    if not marked:
        return
    spec = implot.Spec()
    spec.line_color = imgui.ImVec4(*TEXT_DIM[:3], 0.45)
    implot.plot_inf_lines("##orders", np.array([frequency for _, frequency in marked]), spec)
    draw, top = implot.get_plot_draw_list(), implot.get_plot_pos().y + MARGIN
    end = 0.0
    implot.push_plot_clip_rect()
    for order, frequency in marked:
        text, x = f"{order:g}", implot.plot_to_pixels(frequency, 0.0).x + 2.0
        if x > end:
            draw.add_text(imgui.ImVec2(x, top), color_u32(TEXT_DIM), text)
            end = x + imgui.calc_text_size(text).x + 2.0
    implot.pop_plot_clip_rect()
