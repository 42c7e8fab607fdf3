"""Wind about the body."""

import math

import numpy as np
import pytest
from driveline_blocks import Scene, rms, spectrum, steady, third_difference

from driving_sandbox.sound.base.block import BODY, SAMPLE_RATE
from driving_sandbox.sound.body import wind

VOICE = (wind.WindSound, wind.STATE, wind.begin, wind.render_wind)


def blow(speed, seconds=3.0, yaw=0.0, scene=None, **parameters):
    """Samples of a steady wind, without the first 0.1 s."""
    scene = scene or Scene(VOICE, **parameters)
    return scene.run(seconds, steady(air_speed=speed, air_yaw=yaw))[BODY, 4800:]


def test_wind_grows_by_60_db_per_decade():
    speeds = [12.0, 25.0, 50.0]
    levels = [20.0 * math.log10(rms(blow(v, gusts=0.0))) for v in speeds]
    assert np.polyfit(np.log10(speeds), levels, 1)[0] == pytest.approx(60.0, abs=5.0)


def test_wind_is_mostly_low_and_brightens_with_speed():
    def centroid(x):
        f, amplitude = spectrum(x)
        return np.average(f, weights=np.square(amplitude))

    slow, fast = centroid(blow(15.0)), centroid(blow(50.0))
    assert fast < 1500.0
    assert fast > 1.5 * slow


def test_gusts_are_slow_and_moderate():
    """Levels of pieces of 0.2 s: they spread more than those of steady noise, but by less than 14 dB."""

    def levels(gusts):
        x = blow(30.0, seconds=12.1, gusts=gusts)
        return 10.0 * np.log10(np.square(x[: len(x) // 9600 * 9600]).reshape(-1, 9600).mean(axis=1))

    assert np.std(levels(1.0)) > 1.5 * np.std(levels(0.0))
    assert np.ptp(levels(1.0)) < 14.0


def test_air_from_the_side_is_louder():
    ahead, aside = (rms(blow(30.0, yaw=yaw, gusts=0.0)) for yaw in (0.0, math.pi / 2.0))
    assert aside == pytest.approx(2.0 * ahead, rel=0.1)


def test_calm_is_silent_also_after_a_storm():
    scene = Scene(VOICE)
    assert not scene.run(0.1, steady(air_speed=0.0)).any()
    storm = scene.run(0.2, steady(air_speed=60.0))[BODY]
    calm = scene.run(0.3, steady(air_speed=0.0))[BODY]
    assert storm.any()
    assert not calm[-100:].any()
    change = third_difference(np.concatenate([storm, calm]))
    assert change[len(storm) - 100 :].max() < 1.2 * change[4800 : len(storm) - 100].max()


@pytest.mark.parametrize("speed", [-50.0, 1e4])
def test_extreme_wind_is_finite(speed):
    x = blow(speed, seconds=0.3, yaw=100.0)
    assert np.isfinite(x).all()
    assert 0.0 < abs(x).max() < 10.0


def test_vehicles_have_different_wind():
    first, second = Scene(VOICE), Scene(VOICE)
    wind.begin(second.state[0], 4)  # another seed than the first one's
    x, y = (blow(30.0, seconds=1.0, scene=scene) for scene in (first, second))
    assert len(x) == round(SAMPLE_RATE) - 4800
    assert abs(np.corrcoef(x, y)[0, 1]) < 0.3
