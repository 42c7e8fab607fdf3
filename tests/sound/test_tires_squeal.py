"""Squeal: where it sounds, its pitch and its level."""

import numpy as np
import pytest
from driveline_blocks import Scene, rms, spectrum, steady

from driving_sandbox.sound.base.block import FRONT_TIRES, SAMPLE_RATE
from driving_sandbox.sound.tires import surfaces, tires
from driving_sandbox.sound.tires.squeal import LOWEST, accelerated, frequency_of

VOICE = (tires.TireSound, tires.STATE, tires.begin, tires.render_tires)


def squeal(slip, seconds=1.5, load=3500.0, wheel=0, **values):
    """Squeal alone, of one wheel in front, after a third of a second."""
    scene = Scene(VOICE, texture=0.0, tread=0.0, scrub=0.0, water=0.0, loose=0.0)
    loads = np.zeros(20)
    loads[wheel] = load
    sliding = {"wheel_count": 4, "wheel_speed": 15.0, "slip_speed": slip, "used_friction": 0.9, "wheel_load": loads}
    return scene.run(seconds, steady(**{**sliding, **values}))[FRONT_TIRES, round(SAMPLE_RATE / 3) :]


@pytest.mark.parametrize("slip", [1.2, 2.0, 4.0, 8.0, 20.0])
@pytest.mark.parametrize("load", [1500.0, 3500.0, 6000.0])
def test_the_pitch_lies_between_550_and_950_hz(slip, load):
    f, amplitude = spectrum(squeal(slip, load=load))
    assert 550.0 < f[np.argmax(amplitude)] < 950.0
    power = np.square(amplitude)
    assert power[(f > 500.0) & (f < 1000.0)].sum() > 0.9 * power.sum()


def test_the_pitch_rises_with_slip_and_falls_with_load():
    def pitch(*args, **values):
        f, amplitude = spectrum(squeal(*args, **values))
        return np.average(f, weights=amplitude**4)

    assert pitch(6.0) > pitch(2.0) + 60.0
    assert pitch(4.0, load=5000.0) < pitch(4.0, load=2500.0) - 30.0
    assert pitch(4.0, seconds=6.0, wheel=1) > pitch(4.0, seconds=6.0) + 8.0


def test_the_squeal_is_louder_with_slip_and_lasts_at_every_slip():
    levels = [rms(squeal(slip)) for slip in (0.9, 1.3, 2.0, 4.0, 10.0, 30.0)]
    assert levels == sorted(levels)
    assert levels[2] > 0.03
    assert levels[-1] < 0.2


@pytest.mark.parametrize(
    "values",
    [
        {"slip": 0.79},
        {"slip": 5.0, "used_friction": 0.6},
        {"slip": 5.0, "wetness": 0.5},
        *({"slip": 5.0, "surface": kind} for kind in (surfaces.GRAVEL, surfaces.GRASS, surfaces.SAND, surfaces.SNOW,
                                                      surfaces.MUD, surfaces.ICE)),
        {"slip": 5.0, "load": 0.0},
    ],
)  # fmt: skip
def test_below_the_limit_on_wet_or_loose_ground_and_in_the_air_nothing_squeals(values):
    """Too slow, not at the limit, wet, loose, in the air."""
    assert not squeal(**values).any()


def test_the_squeal_is_no_pure_tone():
    """The ground's texture and the sticking tread widen the line and give overtones."""
    x = squeal(6.0, seconds=3.0)
    f, amplitude = spectrum(x)
    power, peak = np.square(amplitude), f[np.argmax(amplitude)]
    assert power[abs(f - peak) < 2.0].sum() < 0.6 * power.sum()
    second = power[abs(f - 2.0 * peak) < 80.0].sum() / power.sum()
    assert -40.0 < 10.0 * np.log10(second) < -15.0
    assert abs(x.mean()) < 0.02 * rms(x)


def test_a_step_of_the_slip_makes_no_step_of_the_level():
    scene = Scene(VOICE)
    sliding = {"wheel_count": 4, "wheel_load": 3500.0, "wheel_speed": 15.0, "used_friction": 0.9}
    tread = scene.state[0]["squeal"]
    scene.run(0.1, steady(**sliding, slip_speed=10.0))
    before = float(tread["gain"][0])
    scene.run(1.0 / 1200.0, steady(**sliding, slip_speed=1.0))
    began = float(tread["gain"][0] - 40.0 * tread["slope"][0])
    assert before > 0.1 and began == pytest.approx(before, rel=1e-6)


def test_the_frequency_stays_positive():
    assert frequency_of(1.0, 1.0, 5.0, 2) == LOWEST  # pitch of 1 Hz, slip of 1 m/s, 5 nominal loads, wheel 2


@pytest.mark.parametrize("load", [1.0, 3500.0, 1e6])
@pytest.mark.parametrize("slip", [2.0, 60.0, 1e4])
def test_the_squeal_is_stable_at_any_load_and_slip(load, slip):
    x = squeal(slip, seconds=0.6, load=load, wheel_speed=200.0)
    assert np.isfinite(x).all()
    assert abs(x).max() < 1.5


def test_the_step_with_one_division_is_that_of_the_equations():
    """Semi-implicit Euler, written as in the module's docstring."""
    random = np.random.default_rng(1)
    for _ in range(100):
        x, v = random.normal(0.0, 1e-3), random.uniform(-9.0, 9.0)
        slip, load, noise = random.uniform([0.8, 0.1, -0.3], [9.0, 3.0, 0.3])
        w, vs = 2.0 * np.pi * 700.0, 0.25 + 0.4 * slip
        force = 1.2 * w * load * (0.5 + 0.5 * slip)

        def friction(r, vs=vs):
            return r / (abs(r) + 0.05) * (0.6 + 0.4 / (1.0 + abs(r) / vs))

        r = slip - v
        rise = (friction(r + 1e-6) - friction(r - 1e-6)) / 2e-6
        excess = friction(r) - 0.6 + noise
        change = (force * excess - w * (w * x + 0.02 * v)) / SAMPLE_RATE
        expected = v + change / (1.0 + force * max(rise, 0.0) / SAMPLE_RATE)
        assert accelerated(x, v, w, force, slip, vs, noise) == pytest.approx((expected, excess), rel=1e-6, abs=1e-9)
