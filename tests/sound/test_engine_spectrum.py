"""Level and spectrum of an engine's sound: tilt, harmonics to noise, growth with load and speed, presets told apart."""

import numpy as np
import pytest
from engine_takes import (
    NAMES,
    STEADY,
    centroid,
    firing_frequency,
    harmonic_ratio,
    order_powers,
    rms,
    spectrum,
    steady,
    tilt,
)

from driving_sandbox.sound.engine.presets import REFERENCE_SHARE

CAR_ENGINES = [name for name in NAMES if name not in ("single", "v_twin")]


@pytest.mark.parametrize("name", NAMES)
def test_full_power_has_the_reference_level(name):
    exhaust, bay, _ = steady(name, REFERENCE_SHARE)
    assert rms(exhaust) == pytest.approx(0.1, rel=0.2)
    assert 0.2 < rms(bay) / rms(exhaust) < 0.8


@pytest.mark.parametrize("name", NAMES)
def test_full_load_is_neither_organ_nor_noise(name):
    exhaust, _, speed = steady(name, 0.5)
    assert 7.0 < harmonic_ratio(exhaust, speed) < 26.0
    assert -9.0 < tilt(exhaust, 0.7 * firing_frequency(name, speed)) < -2.5


@pytest.mark.parametrize("name", NAMES)
def test_idle_is_rougher_than_full_load(name):
    """Cycles vary more, and the level is 10 to 40 dB lower: least in a diesel, whose block knocks at idle."""
    idle, idle_bay, speed = steady(name, 0.14, load=0.05, seconds=2.0, settle=1.5)
    full, bay, full_speed = steady(name, REFERENCE_SHARE)
    assert 2.0 < harmonic_ratio(idle, speed) < min(17.0, harmonic_ratio(full, full_speed) + 2.0)
    assert 10.0 < 20.0 * np.log10(rms(full + bay) / rms(idle + idle_bay)) < 40.0


def test_without_variation_and_noise_an_engine_would_be_an_organ():
    exhaust, _, speed = steady("inline_4", 0.5, changes=STEADY)
    assert harmonic_ratio(exhaust, speed) > 40.0


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_gets_brighter_with_speed(name):
    slow, fast = (exhaust for exhaust, _, _ in (steady(name, share) for share in (0.2, 1.0)))
    assert centroid(fast) > 1.4 * centroid(slow)


@pytest.mark.parametrize("share", [0.3, 0.6])
@pytest.mark.parametrize("name", CAR_ENGINES)
def test_an_engine_gets_louder_and_brighter_with_load(name, share):
    """Brighter: more power from 2 to 8 kHz, where the noise of the flow lies."""

    def high_power(x):
        frequency, power = spectrum(x)
        return power[(frequency > 2000.0) & (frequency < 8000.0)].sum()

    part, _, _ = steady(name, share, load=0.2, settle=1.5)
    full, _, _ = steady(name, share, load=1.0, settle=1.5)
    assert rms(full) > 1.2 * rms(part)
    assert high_power(full) > 1.2 * high_power(part)


def test_presets_are_told_apart_by_their_orders():
    """A take belongs to the preset whose other take has the most similar spectrum of orders, for several takes."""
    features = {}
    for name in NAMES:
        for take in range(4):
            exhaust, bay, speed = steady(name, 0.5 + 0.01 * take, number=take)
            levels = np.concatenate([order_powers(x, speed, 24) for x in (exhaust, bay)])
            features[name, take] = np.maximum(levels, -40.0)
    right = 0
    for (name, take), feature in features.items():
        if take > 0:
            nearest = min(NAMES, key=lambda known: np.linalg.norm(features[known, 0] - feature))
            right += nearest == name
    assert right >= 0.9 * 3 * len(NAMES)


def test_a_second_bank_differs_from_the_first():
    """Its system is longer: two equal ones would double every line of an engine with even banks."""
    one, _, speed = steady("flat_6", 0.5, changes={"bank": [0]} | STEADY)
    two, _, _ = steady("flat_6", 0.5, changes=STEADY)
    # orders 3, 4.5 ... 12: of three cylinders that fire evenly
    assert np.max(abs(order_powers(one, speed)[5:24:3] - order_powers(two, speed)[5:24:3])) > 3.0


def test_the_diesel_knocks():
    """Its block is struck by combustion at idle as at load, and is the louder part there."""
    exhaust, bay, _ = steady("diesel_6", 0.25, load=0.05, settle=1.5)
    assert rms(bay) > rms(exhaust)
    assert np.abs(bay).max() > 4.0 * rms(bay)
