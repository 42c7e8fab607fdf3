"""Relay of the turn signals, and the air of the brakes."""

import numpy as np
import pytest
from driveline_blocks import Scene, rms, spectrum, steady, third_difference

from driving_sandbox.sound.base.block import BODY
from driving_sandbox.sound.signals import air_brake, indicator

RELAY = indicator.IndicatorSound, indicator.STATE, indicator.begin, indicator.render_indicator
AIR = air_brake.AirBrakeSound, air_brake.STATE, air_brake.begin, air_brake.render_air_brake
LIT, DARK = steady(indicator=1), steady(indicator=0)
PRESSED, FREE = steady(brake=1.0, engine_speed=60.0), steady(brake=0.0, engine_speed=60.0)


def over_time(y, seconds=0.05):
    """RMS of each piece of `seconds`."""
    count = round(seconds * 48000)
    return np.sqrt(np.square(y[: len(y) // count * count].reshape(-1, count)).mean(axis=1))


# ---- relay


def test_the_relay_clicks_at_every_change_and_rests_in_between():
    scene = Scene(RELAY)
    for frame in (LIT, DARK, LIT):
        y = scene.run(0.3, frame)[BODY]
        loudest = int(np.argmax(np.abs(y)))
        assert loudest < 0.005 * 48000
        assert np.abs(y).max() > 1e-3
        assert not y[round(0.15 * 48000) :].any()


def test_the_click_of_the_released_relay_is_weaker_and_lower():
    scene = Scene(RELAY)
    on, off = (scene.run(0.2, frame)[BODY] for frame in (LIT, DARK))
    assert rms(off) == pytest.approx(0.6 * rms(on), rel=0.2)
    peaks = [spectrum(y)[0][np.argmax(spectrum(y)[1])] for y in (on, off)]
    assert peaks[1] / peaks[0] == pytest.approx(0.86, abs=0.05)


def test_a_relay_without_change_or_level_is_silent():
    assert not Scene(RELAY).run(0.1, DARK).any()
    assert not Scene(RELAY, level=0.0).run(0.1, LIT).any()


# ---- air of the brakes


def test_releasing_the_brake_hisses_and_pressing_it_hardly():
    scene = Scene(AIR, level=1.0)
    press, release = (scene.run(1.5, frame)[BODY] for frame in (PRESSED, FREE))
    assert rms(release[:4800]) > 5.0 * rms(press[:4800])
    assert 0.025 < rms(release[:4800]) < 0.06  # 8 dB below an engine at full power: 0.04
    f, a = spectrum(release[:9600])
    assert (a[f > 1500.0] ** 2).sum() > 0.9 * (a**2).sum()


@pytest.mark.parametrize("release", [0.1, 0.3])
def test_the_hiss_fades_with_the_chambers_pressure(release):
    scene = Scene(AIR, level=1.0, release=release)
    scene.run(1.5, PRESSED)
    level = over_time(scene.run(1.5, FREE)[BODY])
    slope = np.polyfit(0.05 * np.arange(1, 9), np.log(level[1:9]), 1)[0]
    assert -1.0 / slope == pytest.approx(release, rel=0.15)


def test_half_the_brake_pressure_hisses_half_as_loud():
    levels = []
    for brake in (1.0, 0.5):
        scene = Scene(AIR, level=1.0)
        scene.run(1.5, steady(brake=brake))
        levels.append(rms(scene.run(0.2, steady(brake=0.0))[BODY]))
    assert levels[1] == pytest.approx(0.5 * levels[0], rel=0.1)


def test_the_dryer_is_purged_when_the_running_engine_has_filled_the_reservoir():
    scene = Scene(AIR, level=1.0)
    for _ in range(2):
        scene.run(1.0, PRESSED)
        scene.run(1.0, FREE)
    assert over_time(scene.run(6.0, steady())[BODY][96000:]).max() == 0.0  # not with the engine off
    level = over_time(scene.run(6.0, steady(engine_speed=150.0))[BODY])
    burst = int(np.argmax(level))
    assert level[burst] > 0.02 and level[: burst - 1].max() < 1e-6
    assert level[burst + 12] < 0.1 * level[burst]  # 0.6 s later
    assert over_time(scene.run(6.0, steady(engine_speed=150.0))[BODY]).max() == 0.0  # once


def test_a_step_of_the_brake_does_not_click():
    scene = Scene(AIR, level=1.0)
    scene.run(1.0, PRESSED)
    y = np.concatenate([scene.run(0.1, PRESSED)[BODY], scene.run(0.3, FREE)[BODY]])
    d = third_difference(y)
    assert d[4700:5000].max() < 1.5 * np.quantile(d[5500:9600], 0.9999)


def test_the_chambers_are_empty_in_the_end():
    """A pressure that fades for ever would become denormal."""
    scene = Scene(AIR, level=1.0)
    scene.run(0.3, PRESSED)
    scene.run(3.5, FREE)
    assert scene.state[0]["pressure"] == 0.0


def test_brakes_without_air_and_brakes_at_rest_are_silent():
    assert Scene(AIR).parameters["level"][0] == 0.0
    scene = Scene(AIR, level=1.0)
    assert not scene.run(0.2, FREE).any()
    scene.run(1.0, PRESSED)
    scene.run(4.0, FREE)
    assert not scene.run(0.2, FREE).any()
    for speed in (0.0, 5.0, 2000.0):
        assert np.isfinite(scene.run(0.1, steady(brake=speed, engine_speed=speed))).all()
