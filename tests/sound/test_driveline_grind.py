"""Grinding of gears that are forced in, and the starter's solenoid."""

import math

import numpy as np
import pytest
from driveline_blocks import Scene, peak_near, rms, spectrum, steady, third_difference

from driving_sandbox.sound.base.block import BLOCK, ENGINE_BAY
from driving_sandbox.sound.driveline import gears, grind, starter

GEARS = gears.GearSound, gears.STATE, gears.begin, gears.render_gears
STARTER = starter.StarterSound, starter.STATE, starter.begin, starter.render_starter
TURN = 2.0 * math.pi  # rad


def grinding(speed, seconds=1.0, **values):
    """Samples of a gear that is forced in at a difference of speed, rad/s, in a gearbox that is otherwise at rest."""
    return Scene(GEARS, **values).run(seconds, steady(dog_speed=speed))[ENGINE_BAY]


# ---- grinding


@pytest.mark.parametrize(("teeth", "speed"), [(36, 60.0), (36, 120.0), (25, 60.0)])
def test_teeth_pass_at_the_difference_of_speeds(teeth, speed):
    y = grinding(speed, 2.0, dog_teeth=teeth)[9600:]
    rate = teeth * speed / TURN
    f, strength = peak_near(y, rate)
    assert f == pytest.approx(rate, rel=0.002)
    frequencies, a = spectrum(y)
    assert strength > 10.0 * np.median(a[(frequencies > 0.7 * rate) & (frequencies < 1.3 * rate)])


def test_grinding_is_harsh_and_louder_with_speed():
    sounds = [grinding(speed)[9600:] for speed in (12.0, 40.0, 100.0)]
    levels = [rms(y) for y in sounds]
    assert levels[0] < 0.7 * levels[1] < 0.5 * levels[2]
    assert 20.0 * math.log10(levels[2] / 0.1) == pytest.approx(-7.0, abs=2.0)
    f, a = spectrum(sounds[1])
    assert (a[f > 1000.0] ** 2).sum() > 0.2 * (a**2).sum()


def test_grinding_ends_when_the_gear_is_engaged_or_given_up():
    scene = Scene(GEARS)
    y = scene.run(0.3, steady(dog_speed=70.0))[ENGINE_BAY]
    z = scene.run(1.0, steady(dog_speed=0.0))[ENGINE_BAY]
    assert rms(z[:1200]) > 0.3 * rms(y[4800:])  # the shafts take a moment to turn alike
    assert rms(z[14400:]) < 1e-3 * rms(y[4800:])
    assert not z[-BLOCK:].any()
    d = third_difference(np.concatenate([y, z]))
    assert d[len(y) - 40 : len(y) + 40].max() < 1.2 * d[4800 : len(y) - 40].max()


@pytest.mark.parametrize(("speed", "values"), [(3.0, {}), (70.0, {"grind": 0.0}), (70.0, {"level": 0.0})])
def test_matching_teeth_and_gains_of_0_are_silent(speed, values):
    assert not grinding(speed, 0.3, **values).any()


def test_loudness_sets_in_between_its_limits():
    assert grind.loudness_of(grind.ONSET[0]) == 0.0
    assert grind.loudness_of(grind.FULL_SPEED) == grind.loudness_of(900.0) == 1.0


# ---- solenoid


def cranked(seconds=0.5, engine_speed=20.0, **values):
    """Samples of (cranking, after it)."""
    scene = Scene(STARTER, **values)
    scene.run(0.1, steady(starter=0))
    begun = scene.run(seconds, steady(starter=1, engine_speed=engine_speed))[ENGINE_BAY]
    return begun, scene.run(seconds, steady(starter=0))[ENGINE_BAY]


def test_the_solenoid_clunks_when_cranking_begins_and_ends():
    clunks = [a - b for a, b in zip(cranked(), cranked(solenoid=0.0), strict=True)]
    for clunk in clunks:
        assert np.argmax(np.abs(clunk)) < 0.006 * 48000
        assert rms(clunk[7200:]) < 1e-3 * rms(clunk[:2400])
    assert np.abs(clunks[1]).max() == pytest.approx(starter.SPRING * np.abs(clunks[0]).max(), rel=1e-6)
    whine = cranked(solenoid=0.0)[0]
    assert 1.0 < np.abs(clunks[0]).max() / np.abs(whine).max() < 4.0


def test_a_starter_that_cannot_turn_the_engine_only_clunks():
    begun, ended = cranked(engine_speed=0.0)
    for y in (begun, ended):
        assert y[:2400].any() and not y[-BLOCK:].any()


def test_a_starter_at_rest_or_of_level_0_does_not_clunk():
    assert not Scene(STARTER).run(0.2, steady(starter=0)).any()
    assert not np.concatenate(cranked(level=0.0)).any()
