"""Orders of an engine's sound: firing frequency, half orders of banks that fire unevenly, integration of the angle."""

import numpy as np
import pytest
from engine_takes import (
    BLOCKS,
    NAMES,
    STEADY,
    cylinders,
    firing_frequency,
    order_powers,
    play,
    spectrum,
    steady,
)

from driving_sandbox.sound.base.block import ENGINE_BAY, EXHAUST
from driving_sandbox.sound.engine.engine import engine_parameters


def strongest(x):
    """Frequency of the strongest line, Hz, from the parabola through the logarithms of its three bins."""
    frequency, power = spectrum(x)
    k = int(np.argmax(power * (frequency > 20.0)))
    a, b, c = np.log(power[k - 1 : k + 2])
    return frequency[k] + 0.5 * (a - c) / (a - 2.0 * b + c) * frequency[1]


@pytest.mark.parametrize("share", [0.2, 0.35, 0.5, 0.75, 0.9])
@pytest.mark.parametrize("name", ["inline_4", "flat_6", "v8_flat", "diesel_6"])
def test_the_strongest_line_is_the_firing_frequency_or_its_double(name, share):
    exhaust, bay, speed = steady(name, share, seconds=2.0)
    ratio = strongest(exhaust + bay) / firing_frequency(name, speed)
    assert min(abs(ratio - 1.0), abs(ratio - 2.0) / 2.0) < 0.003


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_a_flat_plane_eight_has_no_half_orders_and_a_cross_plane_eight_has(share):
    """Every bank of the first fires evenly, banks of the second do not."""
    flat, _, speed = steady("v8_flat", share, changes=STEADY)
    assert order_powers(flat, speed)[::2].max() < -60.0
    cross, _, speed = steady("v8_cross", share, changes=STEADY)
    assert order_powers(cross, speed)[::2].max() > -12.0


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_repeats_its_cycle_without_variation(name):
    """There is nothing between the half orders, although events fall between samples."""
    exhaust, _, speed = steady(name, 0.437, seconds=2.0, changes=STEADY)
    frequency, power = spectrum(exhaust)
    half = speed / (4.0 * np.pi)
    between = [power[abs(frequency - (k + 0.5) * half) < 0.15 * half].sum() for k in range(1, 32)]
    lines = [power[abs(frequency - k * half) < 0.3 * half].sum() for k in range(1, 32)]
    assert 10.0 * np.log10(max(between) / max(lines)) < -55.0


def test_cycle_variation_fills_the_gaps_between_the_half_orders():
    exhaust, _, speed = steady("inline_4", 0.14, load=0.05, seconds=2.0)
    even, _, _ = steady("inline_4", 0.14, load=0.05, seconds=2.0, changes=STEADY)
    firing = cylinders("inline_4")  # index of the firing order's next half order
    assert order_powers(exhaust, speed)[firing] > order_powers(even, speed)[firing] + 15.0


def test_the_angle_follows_a_changing_speed():
    """Compared is the share of a cycle after a run-up of one second, within 1 %."""
    parameters = engine_parameters("inline_4", {})
    speed = np.linspace(100.0, 700.0, BLOCKS + 1)
    _, state = play(parameters, speed)
    expected = speed.mean() / (4.0 * np.pi)
    turns = state["crank"] / 1024.0
    assert abs((turns - expected + 0.5) % 1.0 - 0.5) < 0.01


def test_frames_of_a_block_are_interpolated():
    """A speed given at every fifth block and one at every block give the same sound."""
    parameters = engine_parameters("inline_4", {})
    coarse = np.interp(np.arange(601) / 5.0, np.arange(121), np.linspace(200.0, 500.0, 121))
    fine = np.linspace(200.0, 500.0, 601)
    a, _ = play(parameters, coarse)
    b, _ = play(parameters, fine)
    assert np.allclose(a[[EXHAUST, ENGINE_BAY]], b[[EXHAUST, ENGINE_BAY]], atol=1e-9)
