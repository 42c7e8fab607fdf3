"""Electric drive and starter: frequencies of their partials, torque, aliasing, silence."""

import math

import numpy as np
import pytest
from driveline_blocks import Scene, peak_near, rms, spectrum, steady, third_difference

from driving_sandbox.sound.base.block import ENGINE_BAY, SAMPLE_RATE
from driving_sandbox.sound.driveline import motor, starter

MOTOR = motor.MotorSound, motor.STATE, motor.begin, motor.render_motor
STARTER = starter.StarterSound, starter.STATE, starter.begin, starter.render_starter
TURN = 2.0 * math.pi  # rad


def drive(speed, torque=200.0):
    """A steady frame of a motor: rad/s, N m."""
    return steady(engine_speed=speed, gear_torque=torque)


@pytest.mark.parametrize("speed", [60.0, 400.0, 1000.0])
def test_motor_has_the_orders_of_its_poles_teeth_and_switching(speed):
    y = Scene(MOTOR, level=1.0).run(2.0, drive(speed))[ENGINE_BAY][-48000:]
    n = speed / TURN
    _, a = spectrum(y)
    # with 4 pole pairs, 31 teeth and switching at 8 kHz
    for expected in (24 * n, 48 * n, 96 * n, 31 * n, 62 * n, 8000.0 + 8 * n, 8000.0 - 8 * n):
        f, strength = peak_near(y, expected, 0.005)
        assert f == pytest.approx(expected, rel=0.003)
        assert strength > 2e-4
        assert strength > 100.0 * np.median(a)


def test_no_partial_of_a_fast_motor_folds_back():
    """At 2000 rad/s order 96 would be 30.6 kHz and fold back to 17.4 kHz; between 1200 and 1500 rad/s it fades out."""
    n = 2000.0 / TURN
    y = Scene(MOTOR, level=1.0).run(1.0, drive(2000.0))[ENGINE_BAY][-24000:]
    f, a = spectrum(y)
    assert a[np.abs(f - (SAMPLE_RATE - 96 * n)) < 60.0].max() < 1e-6
    known = np.array([24 * n, 48 * n, 31 * n, 62 * n, 8000 + 8 * n, 8000 - 8 * n])
    elsewhere = np.all(np.abs(f[:, None] - known) > 60.0, axis=1)
    assert a[elsewhere].max() < 1e-5
    levels = []
    for speed in (1200.0, 1350.0, 1500.0):
        y = Scene(MOTOR, level=1.0).run(1.0, drive(speed))[ENGINE_BAY][-24000:]
        levels.append(peak_near(y, 96 * speed / TURN, 0.003)[1])
    assert levels[0] > 1.2 * levels[1] > 1.2 * levels[2] >= 0.0
    assert levels[2] < 1e-6


def test_motor_grows_with_torque_of_either_sign_and_fades_towards_rest():
    def level(*values):
        return rms(Scene(MOTOR, level=1.0).run(0.4, drive(*values))[ENGINE_BAY][9600:])

    levels = [level(300.0, torque) for torque in (0.0, 50.0, 250.0)]
    assert 0.0 < 1.5 * levels[0] < levels[1] < 0.5 * levels[2]
    assert level(300.0, -250.0) == pytest.approx(levels[2], rel=1e-6)
    assert level(-300.0, 250.0) == pytest.approx(levels[2], rel=1e-6)
    assert level(5.0, 250.0) < 0.4 * levels[2]
    assert 20.0 * math.log10(levels[2] / 0.1) == pytest.approx(-20.0, abs=4.0)


def test_starting_off_has_no_click():
    scene = Scene(MOTOR, level=1.0)
    y = scene.run(1.0, lambda t: {"engine_speed": 300.0 * max(0.0, t - 0.1), "gear_torque": 300.0 * (t > 0.1)})
    d = third_difference(y[ENGINE_BAY])
    assert d[4000:12000].max() < 1.5 * np.quantile(d[12000:], 0.9999)


@pytest.mark.parametrize("values", [{"teeth": 38}, {"pole_pairs": 5}])
def test_other_teeth_and_poles_make_no_click(values):
    scene = Scene(MOTOR, level=1.0)
    y = scene.run(0.3037, drive(300.0))[ENGINE_BAY]
    for name, value in values.items():
        scene.parameters[name] = value
    z = scene.run(0.3, drive(300.0))[ENGINE_BAY]
    d = third_difference(np.concatenate([y, z]))
    usual = max(d[4800 : len(y) - 10].max(), d[len(y) + 4800 :].max())
    assert d[len(y) - 10 : len(y) + 480].max() < 1.2 * usual


def test_a_standing_motor_is_silent():
    scene = Scene(MOTOR, level=1.0)
    assert not scene.run(0.1, drive(0.0, 0.0)).any()
    scene.run(0.2, drive(500.0))
    scene.run(0.5, drive(0.0))
    assert not scene.run(0.1, drive(0.0)).any()
    assert not Scene(MOTOR).run(0.1, drive(500.0)).any()  # level 0


def crank(speed=21.0, pressed=1):
    return steady(engine_speed=speed, starter=pressed)


def test_starter_whines_with_the_ring_gears_teeth():
    f0 = 130 * 21.0 / TURN
    y = Scene(STARTER).run(2.0, crank())[ENGINE_BAY][24000:]
    # Compressions move the pitch, which makes a group of partials around each; its mean is the mesh frequency.
    f, a = spectrum(y)
    for factor in (0.5, 1.0, 2.0):
        inside = np.abs(f - factor * f0) < 0.12 * factor * f0
        assert (f * a**2)[inside].sum() / (a**2)[inside].sum() == pytest.approx(factor * f0, rel=0.03)
        assert a[inside].max() > 1e-3


def test_partials_of_the_starter_lie_a_compression_apart():
    """Every partial lies a whole number of compressions per second from the mesh frequency."""
    y = Scene(STARTER, compressions=2.0).run(4.0, crank())[ENGINE_BAY][-144000:]
    f0, rate = 130 * 21.0 / TURN, 2.0 * 21.0 / TURN
    for k in (-3, -2, 2, 3):
        f, _ = peak_near(y, f0 + k * rate, 0.004)
        assert f == pytest.approx(f0 + k * rate, rel=0.003)
    f, a = spectrum(y)
    between = np.abs(f - (f0 + 2.5 * rate)) < 0.2 * rate
    assert a[between].max() < 0.1 * a[np.abs(f - (f0 + 2.0 * rate)) < 0.2 * rate].max()


def test_starter_does_not_follow_the_engine_that_runs():
    scene = Scene(STARTER)
    y = scene.run(1.0, crank(100.0))[ENGINE_BAY][24000:]
    f, a = spectrum(y)
    assert f[np.argmax(a)] == pytest.approx(130 * 30.0 / TURN, rel=0.1)


def test_starter_is_heard_only_while_it_cranks():
    scene = Scene(STARTER)
    assert not scene.run(0.1, crank(80.0, 0)).any()
    assert rms(scene.run(0.5, crank())[ENGINE_BAY][12000:]) > 5e-3
    z = scene.run(0.8, crank(80.0, 0))[ENGINE_BAY]
    assert rms(z[:2400]) > 1e-3  # it runs down
    scene.run(1.0, crank(80.0, 0))
    assert not scene.run(0.1, crank(80.0, 0)).any()
    assert not Scene(STARTER, level=0.0).run(0.2, crank()).any()
    assert not Scene(STARTER, solenoid=0.0).run(0.2, crank(0.0)).any()  # an engine that it cannot turn


@pytest.mark.parametrize("speed", [0.0, 5.0, 2000.0])
@pytest.mark.parametrize("voice", [MOTOR, STARTER])
def test_output_is_finite_and_bounded(voice, speed):
    y = Scene(voice, level=1.0).run(0.2, lambda t: {"engine_speed": speed, "gear_torque": 900.0 * t, "starter": 1})
    assert np.isfinite(y).all()
    assert np.abs(y).max() < 0.3
