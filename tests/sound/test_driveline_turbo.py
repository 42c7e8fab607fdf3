"""Turbocharger: its whistle lags behind the boost; the blow-off needs boost and a throttle that shuts."""

import numpy as np
import pytest
from driveline_blocks import Scene, peak_near, rms, steady, third_difference

from driving_sandbox.sound.base.block import BLOCK, ENGINE_BAY, SAMPLE_RATE
from driving_sandbox.sound.driveline import turbo

VOICE = turbo.TurboSound, turbo.STATE, turbo.begin, turbo.render_turbo
WHISTLE = {"level": 1.0}
VALVE = {"blow_off": 1.0}


class Valve:
    """The blow-off valve alone: the difference of two turbochargers, of which one has none, with the same noise."""

    def __init__(self):
        self.scenes = [Scene(VOICE, **WHISTLE, blow_off=gain) for gain in (1.0, 0.0)]

    def run(self, seconds, frame):
        """As `Scene.run`."""
        both, whistle = (scene.run(seconds, frame) for scene in self.scenes)
        return both - whistle


def engine(throttle=1.0, boost=0.8, engine_speed=400.0):
    """A steady frame; boost in bar, engine speed in rad/s."""
    return steady(throttle=throttle, boost=boost, engine_speed=engine_speed)


def test_whistle_has_the_frequency_of_the_shaft():
    # 20 % of 2400 Hz without boost; the rest grows with the root of the boost
    for boost, expected in ((0.8, 2400.0), (0.2, 2400.0 * (0.2 + 0.8 * 0.5)), (0.0, 480.0)):
        y = Scene(VOICE, spool_time=0.15, **WHISTLE).run(2.5, engine(boost=boost))[ENGINE_BAY]
        f, a = peak_near(y[-48000:], expected)
        assert f == pytest.approx(expected, rel=0.003)
        assert a > 2e-4


def test_whistle_lags_behind_the_boost():
    scene = Scene(VOICE, **WHISTLE)
    scene.run(3.0, engine(boost=0.0))
    y = scene.run(1.5, engine(boost=0.8))[ENGINE_BAY]
    early, late = peak_near(y[4800:9600], 1000.0, 0.3)[0], peak_near(y[-9600:], 2380.0, 0.05)[0]
    assert early < 1300.0  # after 0.1 to 0.2 s with a time constant of 0.3 s
    assert late > 2300.0
    z = scene.run(0.2, engine(throttle=0.0, boost=0.0))[ENGINE_BAY]
    assert peak_near(z[-4800:], 2050.0, 0.15)[0] > 1750.0  # it coasts down slowly


def test_full_whistle_is_26_db_below_an_engine():
    y = Scene(VOICE, **WHISTLE).run(3.0, engine())[ENGINE_BAY][-24000:]
    assert peak_near(y, 2400.0)[1] / np.sqrt(2.0) == pytest.approx(0.1 * 10.0 ** (-26.0 / 20.0), rel=0.2)
    f = np.fft.rfftfreq(len(y), 1.0 / SAMPLE_RATE)
    power = np.abs(np.fft.rfft(y)) ** 2
    assert 0.03 < power[(f > 3000.0) & (f < 12000.0)].sum() / power.sum() < 0.6  # the rush


@pytest.mark.parametrize(
    "boost, throttle, heard", [(0.8, (1.0, 0.0), True), (0.2, (1.0, 0.0), False), (0.8, (1.0, 0.6), False),
                               (0.8, (0.0, 1.0), False), (0.8, (0.3, 0.0), False)],
)  # fmt: skip
def test_blow_off_needs_boost_and_a_throttle_that_shuts(boost, throttle, heard):
    scene = Valve()
    before = scene.run(0.3, engine(throttle[0], boost))
    after = scene.run(0.3, engine(throttle[1], boost))
    assert abs(before).max() < 1e-15
    assert (rms(after[ENGINE_BAY]) > 2e-3) == heard
    assert (abs(after).max() > 1e-15) == heard


def test_the_shaft_keeps_up_a_boost_that_ends_with_the_throttle():
    """In a model whose boost follows the load at once."""
    scene = Valve()
    scene.run(2.0, engine())
    assert rms(scene.run(0.3, engine(0.0, 0.0))[ENGINE_BAY]) > 2e-3
    scene.run(4.0, engine(1.0, 0.2))
    assert abs(scene.run(0.3, engine(0.0, 0.0))).max() < 1e-12


def test_blow_off_sinks_in_pitch_and_level_and_flutters():
    scene = Valve()
    scene.run(0.1, engine(1.0, 1.0))
    y = scene.run(1.5, lambda t: engine(0.0, np.exp(-t / 0.15))(t))[ENGINE_BAY]

    def centroid(x):
        f, power = np.fft.rfftfreq(len(x), 1.0 / SAMPLE_RATE), np.abs(np.fft.rfft(x)) ** 2
        inside = f < 12000.0
        return (f * power)[inside].sum() / power[inside].sum()

    assert centroid(y[:7200]) > 1.3 * centroid(y[19200:33600])
    assert rms(y[24000:26400]) / rms(y[1200:3600]) < 0.3
    power = np.square(y[:24000]).reshape(-1, 120).mean(axis=1) * np.exp(np.arange(200) * 120 * 2e-4)
    swell = np.abs(np.fft.rfft((power - power.mean()) * np.hanning(200)))
    f = np.fft.rfftfreq(200, 120 / SAMPLE_RATE)
    assert f[5 + np.argmax(swell[5:])] == pytest.approx(26.0, abs=2.5)


def test_blow_off_stops_when_the_throttle_opens_again():
    levels = []
    for throttle in (0.0, 1.0):
        scene = Valve()
        scene.run(0.1, engine())
        scene.run(0.05, engine(0.0))
        levels.append(rms(scene.run(0.2, engine(throttle, 0.3))[ENGINE_BAY][4800:]))
    assert levels[1] < 0.1 * levels[0]


def test_blow_off_begins_without_a_click():
    scene = Valve()
    scene.run(0.1, engine())
    d = third_difference(scene.run(0.3, engine(0.0))[ENGINE_BAY])
    assert d[:96].max() < np.quantile(d[1000:8000], 0.9999)


def test_without_turbocharger_or_engine_it_is_silent():
    assert not Scene(VOICE).run(0.3, engine()).any()
    silenced = Scene(VOICE, level=0.0, blow_off=1.0)
    assert not silenced.run(0.3, engine()).any() and not silenced.run(0.3, engine(0.0)).any()
    scene = Scene(VOICE, **WHISTLE, **VALVE)
    standing = engine(throttle=0.0, boost=0.0, engine_speed=0.0)
    assert not scene.run(0.1, standing).any()
    scene.run(0.5, engine())
    scene.run(12.0, standing)
    assert not scene.run(0.1, standing).any()


@pytest.mark.parametrize("speed", [0.0, 5.0, 2000.0])
def test_output_is_finite_and_bounded(speed):
    scene = Scene(VOICE, **WHISTLE, **VALVE)
    y = scene.run(0.5, lambda t: engine(float(int(t * 20) % 2), 3.0, speed)(t))
    assert np.isfinite(y).all()
    assert np.abs(y).max() < 0.6
    assert len(y[0]) % BLOCK == 0
