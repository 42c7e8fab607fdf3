"""Horn: two tones with their harmonics, a start and an end without a click, silence."""

import numpy as np
import pytest
from driveline_blocks import Scene, peak_near, rms, spectrum, steady, third_difference

from driving_sandbox.sound.base.block import BODY, SAMPLE_RATE
from driving_sandbox.sound.signals import horn

VOICE = horn.HornSound, horn.STATE, horn.begin, horn.render_horn
PRESSED, RELEASED = steady(horn=1), steady(horn=0)
AIR_HORN = {"low": 220.0, "high": 275.0, "attack": 0.06, "brightness": 0.78}


@pytest.mark.parametrize("values", [{}, AIR_HORN])
def test_horn_has_two_tones_and_their_harmonics(values):
    low, high = values.get("low", 420.0), values.get("high", 500.0)
    y = Scene(VOICE, **values).run(1.5, PRESSED)[BODY][-48000:]
    f, a = spectrum(y)
    for tone in (low, high):
        for k in range(1, 7):
            frequency, strength = peak_near(y, k * tone, reach=0.0035)
            assert frequency == pytest.approx(k * tone, rel=0.003)
            assert strength > 0.05 * a.max()
    whole = np.minimum(np.abs((f / low) - np.round(f / low)) * low, np.abs((f / high) - np.round(f / high)) * high)
    assert a[whole > 6.0].max() < 3e-5  # nothing else, so nothing folded back


def test_horn_is_about_as_loud_as_an_engine():
    y = Scene(VOICE).run(1.0, PRESSED)[BODY][-24000:]
    assert 0.06 < rms(y) < 0.15


@pytest.mark.parametrize("level", [0.5, 3.0])
def test_the_level_changes_nothing_but_the_level(level):
    """A quiet horn is not a dull one."""
    usual, other = (Scene(VOICE, level=x).run(0.5, PRESSED)[BODY] for x in (1.0, level))
    assert other == pytest.approx(level * usual, abs=1e-9)


def test_a_change_of_the_level_does_not_click():
    scene = Scene(VOICE)
    y = scene.run(0.4013, PRESSED)[BODY]
    scene.parameters["level"] = 0.5
    d = third_difference(np.concatenate([y, scene.run(0.2, PRESSED)[BODY]]))
    assert d[len(y) - 10 : len(y) + 480].max() < 1.1 * np.quantile(d[9600 : len(y) - 10], 0.9999)


def level_over_time(y):
    """RMS of overlapping windows of 12.5 ms, the period of the two tones' beat, every 1 ms."""
    window, hop = 600, 48
    power = np.convolve(np.square(y), np.ones(window) / window, mode="full")[: len(y)]
    return np.sqrt(power[::hop])


@pytest.mark.parametrize("values, attack", [({}, 0.022), (AIR_HORN, 0.06)])
def test_attack_and_release_take_their_time(values, attack):
    scene = Scene(VOICE, **values)
    rise = level_over_time(scene.run(0.4, PRESSED)[BODY])
    full = rise[-50:].mean()
    reached = np.argmax(rise > 0.8 * full) * 1e-3
    assert 0.5 * attack < reached < 1.3 * attack + 0.0125
    fall = level_over_time(scene.run(0.4, RELEASED)[BODY][600:])
    assert fall[int(1000 * 0.07)] < 0.05 * full


def test_pressing_and_releasing_have_no_click():
    scene = Scene(VOICE)
    y = np.concatenate([scene.run(0.2013, f)[BODY] for f in (RELEASED, PRESSED, RELEASED, PRESSED, RELEASED)])
    d = third_difference(y)
    n = len(y) // 5
    steadily = np.quantile(d[int(1.5 * n) : 2 * n - 10], 0.9999)
    for k in range(1, 5):
        assert d[k * n - 10 : k * n + 480].max() < 1.1 * steadily


def test_a_horn_that_is_not_pressed_is_silent():
    scene = Scene(VOICE)
    assert not scene.run(0.1, RELEASED).any()
    scene.run(0.3, PRESSED)
    scene.run(0.5, RELEASED)
    assert not scene.run(0.1, RELEASED).any()
    assert not Scene(VOICE, level=0.0).run(0.1, PRESSED).any()


def test_only_the_bodys_bus_gets_the_horn():
    y = Scene(VOICE).run(0.1, PRESSED)
    assert not np.delete(y, BODY, axis=0).any()
    assert np.abs(y[BODY]).max() < 0.6
    assert SAMPLE_RATE / 2.0 > 40 * 500.0  # harmonic 40, 0.72^40 = 2e-6 of the first, is not folded back
