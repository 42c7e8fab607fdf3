"""Windows that break in a hard impact."""

import numpy as np
import pytest
from driveline_blocks import Scene, rms, spectrum, steady

from driving_sandbox.sound.base.block import BLOCK, BODY
from driving_sandbox.sound.body import glass, impact, materials

VOICE = impact.BodySound, impact.STATE, impact.begin, impact.render_body
HARD = 8000.0  # N s, twice the impulse that breaks a window


def hit(scene, impulse=HARD, material=materials.PANEL, seconds=0.1, struck=materials.NOTHING):
    """Samples from an impact on."""
    values = {"impact": impulse, "impact_material": material, "struck_material": struck}
    blow = scene.run(BLOCK / 48000, steady(**values))[BODY]
    return np.concatenate([blow, scene.run(seconds, steady(impact=0.0))[BODY]])


def shards(seconds=1.0, **values):
    """What the window adds to an impact: the body's modes are the same without it."""
    with_glass, without = (hit(Scene(VOICE, glass=g, **values), seconds=seconds) for g in (1.0, 0.0))
    return with_glass - without


def breaking(scene):
    return scene.state[0]["glass"]["active"] == 1


def test_shards_ring_between_3_and_9_khz():
    f, a = spectrum(shards(0.6))
    power = np.square(a)
    assert power[(f > 2700.0) & (f < 9900.0)].sum() > 0.9 * power.sum()
    thirds = [power[(f > low) & (f < 1.45 * low)].sum() / power.sum() for low in (2900.0, 4200.0, 6100.0)]
    assert min(thirds) > 0.05


def test_shards_lose_20_to_60_db_in_half_a_second_and_end_in_silence():
    y = shards(2.5)
    levels = [20.0 * np.log10(rms(y[k : k + 4800])) for k in (0, 9600, 24000)]
    assert levels[0] - levels[1] > 6.0 and 20.0 < levels[0] - levels[2] < 60.0
    assert not y[-BLOCK:].any()
    assert np.abs(y).max() < 0.6


def test_only_hard_impacts_of_the_bodywork_break_a_window():
    panel = materials.PANEL
    for impulse, material, struck in (
        (3900.0, panel, -1),
        (HARD, materials.RUBBER, -1),
        (HARD, panel, materials.GROUND),
    ):
        scene = Scene(VOICE, glass=1.0)
        hit(scene, impulse, material, struck=struck)
        assert not breaking(scene)
    scene = Scene(VOICE, glass=1.0)
    hit(scene, 4100.0)
    assert breaking(scene)


def test_a_window_breaks_once_while_the_car_tumbles():
    scene = Scene(VOICE, glass=1.0)
    for _ in range(2):
        hit(scene, seconds=0.4)
    assert scene.state[0]["glass"]["age"] > 0.7
    hit(scene, 100.0, seconds=glass.REST)
    hit(scene, seconds=0.1)
    assert scene.state[0]["glass"]["age"] == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("values", [{"glass": 0.0}, {"glass": 1.0, "level": 0.0}])
def test_without_windows_nothing_breaks(values):
    scene = Scene(VOICE, **values)
    hit(scene)
    assert not breaking(scene)


def test_the_level_scales_the_shards():
    assert rms(shards(0.3, level=0.5)) == pytest.approx(0.5 * rms(shards(0.3)), rel=1e-6)
