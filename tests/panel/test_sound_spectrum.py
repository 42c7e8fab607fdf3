"""The plot of the sound's spectrum, with the engine's orders."""

import math
import sys

import numpy as np
import pytest
from frame_pixels import pixels

from driving_sandbox.game.plots.layouts import SPECTRUM, Plot, starting_layouts
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.game.plots.spectrum import HIGH, LOW, POINTS, orders, outline, spectrum
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.sound.base.block import SAMPLE_RATE

sys.path.insert(0, str(ROOT / "tests" / "sound"))
from device_rig import samples_of  # noqa: E402
from test_sound_parameters import engine_stream  # noqa: E402

RAD_S_PER_RPM = 2.0 * math.pi / 60.0  # rad/s
TIMES = np.arange(4800) / SAMPLE_RATE  # s, of 0.1 s of samples


@pytest.mark.parametrize(("frequency", "amplitude"), [(100.0, 1.0), (440.0, 0.1), (5000.0, 0.001)])
def test_a_sinusoid_has_its_frequency_and_its_level(frequency, amplitude):
    frequencies, levels = spectrum(amplitude * np.sin(2.0 * math.pi * frequency * TIMES))
    assert frequencies[levels.argmax()] == pytest.approx(frequency, abs=5.0)
    assert levels.max() == pytest.approx(20.0 * math.log10(amplitude), abs=0.1)
    assert np.median(levels) < levels.max() - 50.0


def test_silence_has_a_finite_level():
    levels = spectrum(np.zeros(4800))[1]
    assert np.isfinite(levels).all() and levels.max() < -130.0


def test_the_outline_keeps_peaks_and_has_few_points():
    samples = 0.1 * np.sin(2.0 * math.pi * 9000.0 * TIMES) + 1e-4 * np.random.default_rng(1).normal(size=4800)
    frequencies, levels = outline(*spectrum(samples))
    assert len(frequencies) == len(levels) <= POINTS and np.all(np.diff(frequencies) > 0.0)
    assert LOW <= frequencies[0] < 2.0 * LOW and 0.98 * HIGH < frequencies[-1] <= HIGH
    assert levels.max() == pytest.approx(-20.0, abs=0.1)
    assert frequencies[levels.argmax()] == pytest.approx(9000.0, rel=0.01)


def test_orders_are_multiples_of_the_engine_speed():
    marked = dict(orders(3000.0 * RAD_S_PER_RPM))
    assert marked == pytest.approx({0.5: 25.0, 1.0: 50.0, 2.0: 100.0, 3.0: 150.0, 4.0: 200.0, 6.0: 300.0,
                                    8.0: 400.0})  # fmt: skip
    assert min(dict(orders(700.0 * RAD_S_PER_RPM))) == 2.0  # the axis begins at LOW, above the lower ones
    assert orders(0.0) == []


def test_the_strongest_order_of_a_four_cylinder_engine_is_marked():
    stream, _ = engine_stream()
    samples_of(stream, 24000)
    samples, engine_speed = stream.recent()
    frequencies, levels = spectrum(samples)
    marked = dict(orders(engine_speed))
    strongest = frequencies[levels.argmax()]
    assert min(abs(strongest - marked[2.0]), abs(strongest - marked[4.0])) < 10.0
    between = levels[np.abs(frequencies - marked[3.0]).argmin()]
    assert between < levels.max() - 20.0  # four cylinders that fire evenly have no third order


@pytest.fixture
def window(ui, vehicle, user):
    window = PlotWindow(ui, [Plot("Spectrum", [], kind=SPECTRUM)])
    ui.add(lambda: window.draw(vehicle))
    user.step()
    return window


def test_the_spectrum_is_drawn_and_follows_the_sound(base, window, user):
    shown = [pixels(base)]
    for frequency in (200.0, 3000.0):
        window.drawing.heard = lambda f=frequency: (0.1 * np.sin(2.0 * math.pi * f * TIMES), 3000.0 * RAD_S_PER_RPM)
        user.step()
        shown.append(pixels(base))
    assert (shown[0] != shown[1]).any(axis=2).sum() > 500
    columns = [np.flatnonzero((shown[0] != frame).any(axis=2).sum(axis=0) > 100) for frame in shown[1:]]
    assert len(columns[0]) and len(columns[1])
    assert columns[1].max() > columns[0].max() + 50  # the peak is further to the right


def test_without_sound_there_is_an_empty_plot(window, user):
    user.step()
    assert "plot:Spectrum" in user.ui.items


def test_a_layout_shows_the_spectrum():
    assert SPECTRUM in [plot.kind for plot in starting_layouts()["Sound"]]
