"""Presets of the engine that are changed while it sounds."""

import numpy as np
import pytest
from engine_takes import BLOCKS, NAMES

from driving_sandbox.sound.base.block import BLOCK, BUS_COUNT
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.engine.engine import STATE, begin, engine_parameters, render_engine
from driving_sandbox.sound.glide import glide
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.voices import voice_parameters

SETTLE = round(0.6 * BLOCKS)  # blocks


def parameters_of(name):
    return np.array([voice_parameters({"engine": engine_parameters(name, {})})])


class Engine:
    """An engine at 240 rad/s and full load, whose parameters glide as in a drive."""

    def __init__(self, name):
        self.scene = Scene(parameters_of(name), np.zeros(1, EMITTERS))
        self.state = np.zeros(1, STATE)
        begin(self.state[0], 1)
        self.frame = np.zeros(1, FRAME)
        for field, value in (("engine_speed", 240.0), ("load", 1.0), ("throttle", 1.0), ("burning", 1)):
            self.frame[field] = value
        used, wanted = self.scene.arrays["parameters"], self.scene.arrays["wanted"]
        self.glide = (
            self.scene.arrays["glide"][0], 0, self.scene.arrays["motions"],
            *(used.view(kind).reshape(len(used), -1) for kind in (np.float64, np.int64)),
            *(wanted.view(kind).reshape(*wanted.shape, -1) for kind in (np.float64, np.int64)),
        )  # fmt: skip

    def peaks(self, blocks):
        """Largest sample of every block."""
        buses, parameters = np.zeros((blocks, BUS_COUNT, BLOCK)), self.scene.arrays["parameters"][0]["engine"]
        for block in buses:
            glide(*self.glide)
            render_engine(block, parameters, self.state[0], self.frame[0], self.frame[0])
        return np.abs(buses).max(axis=(1, 2))


@pytest.mark.parametrize("name", NAMES)
def test_every_other_preset_can_follow_without_a_burst(name):
    """While cylinders come or go, the collector counts as many pipes as those whose waves it adds."""
    engine = Engine(name)
    before = engine.peaks(SETTLE)[-300:].max()
    begun = engine.state.copy()
    for other in NAMES:
        if other == name:
            continue
        engine.scene.arrays["parameters"][:] = parameters_of(name)
        engine.state[:] = begun
        engine.scene.tune(parameters_of(other))
        after = engine.peaks(SETTLE)
        assert np.isfinite(after).all(), other
        assert after.max() < 3.0 * max(before, after[-300:].max()), other
        wanted = engine_parameters(other, {})["derived"]
        count = wanted["cylinder_count"]
        assert not engine.state[0]["pipe_delay"][count:].any(), other
        if name == "single":  # all pipes but one are new
            assert (engine.state[0]["pipe_delay"][1:count] == wanted["pipe_delay"][1:count]).all(), other
