"""Gears, clutch and the sinusoids they are made of: frequencies, growth with torque, one clunk per change, silence."""

import math

import numpy as np
import pytest
from driveline_blocks import Scene, peak_near, rms, spectrum, steady, third_difference

from driving_sandbox.sound.base.block import BLOCK, ENGINE_BAY, SAMPLE_RATE
from driving_sandbox.sound.base.oscillator import stepped, tone, turns_after
from driving_sandbox.sound.driveline import gears
from driving_sandbox.sound.driveline.housing import DAMPINGS, FREQUENCIES, GAINS, MODE_COUNT, modes, ringing

VOICE = gears.GearSound, gears.STATE, gears.begin, gears.render_gears
TURN = 2.0 * math.pi  # rad


def driven(torque, speed=500.0, ratio=1.7, **values):
    """A steady frame: torque, N m, and speed, rad/s, at the input of a gear."""
    return steady(gear_speed=speed, shaft_speed=speed / ratio, engine_speed=speed, gear_torque=torque, **values)


# ---- sinusoids


def test_a_tone_follows_its_frequency_as_a_sum_of_small_steps_does():
    frequencies = [100.0, 900.0, 850.0, 850.0, 0.0, 0.0]
    turns = expected = 0.3
    for before, after in zip(frequencies, frequencies[1:], strict=False):
        t = tone(turns, before, after)
        for i in range(BLOCK):
            t = stepped(t)
            expected += (before + (after - before) * (i + 1) / BLOCK) / SAMPLE_RATE
            assert t[0] == pytest.approx(math.cos(TURN * expected), abs=1e-10)
            assert t[1] == pytest.approx(math.sin(TURN * expected), abs=1e-10)
        turns = turns_after(turns, before, after)
        assert turns == pytest.approx(expected % 1.0, abs=1e-12)


def test_a_mode_of_the_housing_has_its_gain_at_its_frequency():
    for k, f in enumerate(FREQUENCIES):
        memory, coefficients = np.zeros((MODE_COUNT, 2)), modes()
        only = tuple(c if i == k else (0.0, 0.0, 0.0) for i, c in enumerate(coefficients))
        x = np.sin(TURN * f * np.arange(24000) / SAMPLE_RATE)
        y = [ringing(memory, v, only) for v in x]
        assert rms(y[12000:]) / rms(x[12000:]) == pytest.approx(GAINS[k], rel=0.01)
        memory[:] = 0.0
        y = [ringing(memory, v, only) for v in np.sin(TURN * 2.0 * f * np.arange(12000) / SAMPLE_RATE)]
        assert rms(y[6000:]) < 1.2 * GAINS[k] * DAMPINGS[k] / 1.5 * rms(x)  # d / |2 - 1 / 2| an octave above


# ---- whine


@pytest.mark.parametrize("speed", [120.0, 500.0, 900.0])
def test_whine_has_the_frequencies_of_both_meshes(speed):
    y = Scene(VOICE, input_teeth=29, output_teeth=41).run(1.0, driven(200.0, speed, gear=4))[ENGINE_BAY][12000:]
    _, a = spectrum(y)
    for teeth, shaft in ((29, speed), (41, speed / 1.7)):
        for harmonic in (1, 2):
            expected = harmonic * teeth * shaft / TURN
            f, strength = peak_near(y, expected)
            assert f == pytest.approx(expected, rel=0.003)
            assert strength > 100.0 * np.median(a)


@pytest.mark.parametrize(("ratio", "teeth"), [(3.3, 15), (1.7, 24), (1.0, 32), (0.72, 37)])
def test_the_ratio_shares_out_the_teeth_of_a_gear(ratio, teeth):
    """Both wheels have 64 teeth together, so z_2 / z_1 is the ratio within a tooth; the mesh has one frequency."""
    assert 64 / teeth - 1 == pytest.approx(ratio, rel=0.06)
    y = Scene(VOICE).run(1.0, driven(200.0, 400.0, ratio, gear=4))[ENGINE_BAY][12000:]
    _, a = spectrum(y)
    f, strength = peak_near(y, teeth * 400.0 / TURN)
    assert f == pytest.approx(teeth * 400.0 / TURN, rel=0.003) and strength > 100.0 * np.median(a)


def test_neutral_keeps_the_teeth_of_the_last_gear():
    scene = Scene(VOICE)
    scene.run(0.2, driven(200.0, 400.0, 1.7, gear=4))
    y = scene.run(1.0, driven(200.0, 400.0, 3.3, gear=1))[ENGINE_BAY][12000:]
    # the numbers of teeth for the ratios 1.7 and 3.3, as above
    assert peak_near(y, 24 * 400.0 / TURN)[1] > 10.0 * peak_near(y, 15 * 400.0 / TURN)[1]


def test_whine_swells_once_a_turn():
    speed = 500.0
    y = Scene(VOICE, input_teeth=27, output_teeth=11).run(2.0, driven(200.0, speed))[ENGINE_BAY][24000:]
    _, a = peak_near(y, 27 * speed / TURN, 0.003)
    for order in (26, 28):
        _, side = peak_near(y, order * speed / TURN, 0.003)
        assert 0.3 < side / a / (gears.ECCENTRICITY / 2.0) < 3.0  # between two flanks of a mode of the housing


def test_whine_grows_with_torque_in_either_direction_and_with_speed():
    def level(*values, **others):
        return rms(Scene(VOICE).run(0.4, driven(*values, **others))[ENGINE_BAY][9600:])

    levels = [level(torque) for torque in (0.0, 25.0, 100.0, 250.0)]
    assert all(1.3 * a < b for a, b in zip(levels, levels[1:], strict=False))
    assert level(-100.0) == pytest.approx(levels[2], rel=1e-6)
    assert 20.0 * math.log10(levels[3] / 0.1) == pytest.approx(-22.0, abs=4.0)
    assert level(100.0, 5.0) < 0.3 * levels[2]
    assert level(100.0, gear=0) > 1.5 * levels[2]  # reverse
    assert level(100.0, gear=-1) == pytest.approx(level(100.0, gear=0), rel=1e-6)  # a second reverse gear


def test_no_partial_folds_back():
    """Teeth that mesh at 25.5 kHz are not heard at all, nor is the second harmonic of teeth that mesh at 12.7 kHz."""
    scene = Scene(VOICE, input_teeth=80, output_teeth=10)
    f, a = spectrum(scene.run(1.0, driven(250.0, 2000.0, 100.0))[ENGINE_BAY][24000:])
    assert a[f > 200.0].max() < 1e-5
    y = Scene(VOICE, input_teeth=40, output_teeth=10).run(1.0, driven(250.0, 2000.0, 100.0))[ENGINE_BAY][24000:]
    f, a = spectrum(y)
    assert peak_near(y, 40 * 2000.0 / TURN)[1] > 1e-3
    assert a[np.abs(f - (SAMPLE_RATE - 80 * 2000.0 / TURN)) < 50.0].max() < 1e-5


@pytest.mark.parametrize("teeth", ["input_teeth", "output_teeth"])
def test_other_teeth_make_no_click(teeth):
    scene = Scene(VOICE)
    y = scene.run(0.3037, driven(200.0))[ENGINE_BAY]
    scene.parameters[teeth] += 7
    z = scene.run(0.3, driven(200.0))[ENGINE_BAY]
    d = third_difference(np.concatenate([y, z]))
    usual = max(d[4800 : len(y) - 10].max(), d[len(y) + 4800 :].max())
    assert d[len(y) - 10 : len(y) + 480].max() < 1.2 * usual


# ---- clunk


def changing(gear, step=60.0):
    """A steady frame with a gear that turns `step` more slowly than the engine, rad/s, since it was engaged."""
    return steady(gear=gear, gear_speed=300.0 - step, shaft_speed=150.0, engine_speed=300.0, gear_step=5.0 * step)


def blows(y):
    """Number of blows: rises of the level, the loudest 1 ms in each 20 ms, above half its largest."""
    level = np.sqrt(np.mean(np.square(y.reshape(-1, 48)), axis=1))
    loud = np.maximum.reduceat(level, np.arange(0, len(level), 20)) > 0.5 * level.max()
    return int(np.sum(loud[1:] & ~loud[:-1])) + int(loud[0])


def test_a_change_of_gear_clunks_once():
    scene = Scene(VOICE, unloaded=0.0)
    assert np.abs(scene.run(0.2, changing(2, 0.0))[ENGINE_BAY]).max() < 1e-9  # the first gear is no change
    for gear in (3, 4, 1):
        y = scene.run(0.3, changing(gear))[ENGINE_BAY]
        assert blows(y) == 1
        assert 0.005 < np.abs(y).max() < 0.2
        assert rms(y[9600:]) < 0.01 * rms(y[:2400])


def test_clunk_grows_with_the_step_of_speed_and_with_torque():
    def peak(step, torque):
        scene = Scene(VOICE, unloaded=0.0)
        scene.run(0.2, steady(gear_speed=300.0, shaft_speed=150.0, engine_speed=300.0))
        values = {"gear": 3, "gear_speed": 300.0 - step, "shaft_speed": 150.0, "engine_speed": 300.0, "gear_step": step}
        return np.abs(scene.run(0.02, lambda t: {**values, "gear_torque": torque})[ENGINE_BAY]).max()

    assert peak(0.0, 0.0) < 0.8 * peak(50.0, 0.0) < 0.8 * peak(150.0, 0.0)
    assert peak(0.0, 0.0) < 0.8 * peak(0.0, 100.0)


def test_changes_at_rest_are_silent_and_a_clunk_has_no_click():
    scene = Scene(VOICE)
    assert not scene.run(0.1, steady(gear=1)).any()
    assert not scene.run(0.1, steady(gear=2)).any()
    scene = Scene(VOICE, unloaded=0.0)
    scene.run(0.1, changing(2, 0.0))
    y = scene.run(0.1, changing(3))[ENGINE_BAY]
    assert third_difference(y).max() < 0.02 * np.abs(y).max()  # 1.1 for a step, 0.02 for a mode of 3.05 kHz


# ---- clutch


def test_a_slipping_clutch_judders():
    scene = Scene(VOICE, unloaded=0.0, judder_frequency=15.0)
    slipping = {"gear_speed": 1.0, "engine_speed": 150.0, "gear_torque": 120.0}
    y = scene.run(2.0, steady(**slipping, clutch_slip=149.0))[ENGINE_BAY][24000:]
    power = np.square(y).reshape(-1, 96).mean(axis=1)
    swell = np.abs(np.fft.rfft(power - power.mean()))
    f = np.fft.rfftfreq(len(power), 96 / SAMPLE_RATE)
    assert f[np.argmax(swell)] == pytest.approx(15.0, abs=0.7)
    for slip in (0.0, 12.0):  # a viscous clutch slips a little when it is closed
        z = scene.run(0.5, steady(**slipping, clutch_slip=slip))[ENGINE_BAY][12000:]
        assert rms(z) < 0.3 * rms(y)
        assert scene.state["amplitude"][0, 4] < 1e-12


# ---- silence and limits


def test_gears_at_rest_are_silent():
    scene = Scene(VOICE)
    assert not scene.run(0.1, steady(gear=1)).any()
    scene.run(0.3, driven(250.0, clutch_slip=30.0))
    scene.run(1.0, steady(gear_speed=0.0, shaft_speed=0.0, gear_torque=0.0, engine_speed=0.0, clutch_slip=0.0))
    assert not scene.run(0.1).any()


def test_level_0_is_silent_and_reached_without_a_click():
    scene = Scene(VOICE)
    y = scene.run(0.3, driven(250.0))[ENGINE_BAY]
    scene.parameters["level"] = 0.0
    z = scene.run(0.5, driven(250.0))[ENGINE_BAY]
    assert third_difference(np.concatenate([y[-480:], z])).max() < 1.1 * third_difference(y[4800:]).max()
    assert not z[-BLOCK:].any()


@pytest.mark.parametrize("speed", [0.0, 5.0, 2000.0, -300.0])
def test_output_is_finite_and_bounded(speed):
    y = Scene(VOICE).run(0.2, lambda t: driven(-400.0 * (t > 0.1), speed, gear=int(40 * t), clutch_slip=-speed)(t))
    assert np.isfinite(y).all()
    assert np.abs(y).max() < 0.5
