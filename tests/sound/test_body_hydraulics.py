"""Hydraulic rams: whine and rush while pistons move, and silence when they rest."""

import numpy as np
import pytest
from driveline_blocks import Scene, peak_near, rms, steady, third_difference

from driving_sandbox.sound.base.block import BODY
from driving_sandbox.sound.body import hydraulics

RAMS = (
    hydraulics.HydraulicsSound, hydraulics.STATE, hydraulics.begin, hydraulics.render_hydraulics,
)  # fmt: skip


@pytest.mark.parametrize("pitch", [400.0, 700.0])
def test_the_pump_whines_at_its_tooth_frequency_and_lower_under_load(pitch):
    # m/s, and 1 - SAG q with q = ram_speed / FULL_FLOW
    for ram_speed, share in ((0.06, 1.0 - 0.25 * 0.1), (0.6, 0.75)):
        y = Scene(RAMS, level=1.0, pitch=pitch, rush=0.0).run(1.5, steady(ram_speed=ram_speed))[BODY][-48000:]
        for k in (1, 2, 3):
            frequency, strength = peak_near(y, k * share * pitch)
            assert frequency == pytest.approx(k * share * pitch, rel=0.003)
            assert strength > 0.003


def test_a_larger_flow_of_oil_is_louder():
    levels = [rms(Scene(RAMS, level=1.0).run(1.0, steady(ram_speed=speed))[BODY][-24000:]) for speed in (0.1, 0.3, 0.6)]
    assert levels[0] < 0.8 * levels[1] < 0.8 * levels[2]
    assert 0.01 < levels[2] < 0.06  # below an engine at full power, 0.1


def test_the_pump_runs_down_to_silence_when_the_pistons_rest():
    scene = Scene(RAMS, level=1.0)
    running = scene.run(1.0, steady(ram_speed=0.5))[BODY]
    down = scene.run(4.0, steady(ram_speed=0.0))[BODY]
    assert rms(down[:4800]) > 0.1 * rms(running[-4800:])
    assert peak_near(down[7200:14400], 300.0, 0.5)[0] < 380.0  # lower than the running pump's 412 Hz
    assert not down[-24000:].any()
    y = np.concatenate([running, down])
    d = third_difference(y)
    assert d[47900:48500].max() < 1.2 * d[24000:47000].max()  # no click where the pistons stop, at sample 48000


def test_without_rams_or_with_resting_ones_there_is_silence():
    assert Scene(RAMS).parameters["level"][0] == 0.0
    assert not Scene(RAMS, level=0.0).run(0.2, steady(ram_speed=0.5)).any()
    assert not Scene(RAMS, level=1.0).run(0.2, steady(ram_speed=0.005)).any()


def test_the_sound_stays_finite_at_an_extreme_speed_of_the_pistons():
    assert np.isfinite(Scene(RAMS, level=1.0).run(0.2, steady(ram_speed=1e4))).all()
