"""Firing angles from crank pins, banks and firing order, and the lines of parts that turn with the crankshaft."""

import numpy as np
import pytest
from engine_takes import BLOCKS, STEADY, firing_frequency, play, pressure_level, spectrum, steady

from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.sound.base.block import EXHAUST, SAMPLE_RATE
from driving_sandbox.sound.engine.crank import firing_angles
from driving_sandbox.sound.engine.parameters import STEPS
from driving_sandbox.sound.engine.presets import PRESETS
from driving_sandbox.sound.engine.record import engine_parameters
from driving_sandbox.sound.vehicle_sound import TORQUE_PER_DISPLACEMENT

EVEN = [name for name in PRESETS if name != "v_twin"]
TURN = 2.0 * np.pi  # rad


def firing(name, **changes):
    """Firing angles of a preset, deg."""
    derived = engine_parameters(name, changes)["derived"]
    return derived["firing"][: derived["cylinder_count"]] / 1024.0 * 720.0


@pytest.mark.parametrize("name", EVEN)
def test_presets_fire_evenly(name):
    angles = firing(name)
    assert angles == pytest.approx(np.arange(len(angles)) * 720.0 / len(angles))


@pytest.mark.parametrize(("bank_angle", "second"), [(45.0, 315.0), (52.0, 308.0), (90.0, 270.0)])
def test_the_second_cylinder_of_a_twin_fires_by_its_bank_angle(bank_angle, second):
    assert firing("v_twin", bank_angle_deg=bank_angle) == pytest.approx([0.0, second])


@pytest.mark.parametrize(("bank_angle", "steps"), [(90.0, (90.0, 90.0)), (60.0, (120.0, 60.0))])
def test_a_v8_of_another_bank_angle_fires_unevenly(bank_angle, steps):
    """In the order 1 8 4 3, the banks change after the first and third cylinder."""
    angles = firing("v8_cross", bank_angle_deg=bank_angle)
    assert angles[1] - angles[0] == pytest.approx(steps[0])
    assert angles[3] - angles[2] == pytest.approx(steps[1])


def test_a_cross_plane_crankshaft_in_a_four_fires_at_270_180_90_180():
    expected = [0.0, 270.0, 450.0, 540.0]
    assert firing_angles([0.0, 270.0, 90.0, 180.0], [0.0], 0.0, [1, 3, 2, 4]) == expected
    assert firing("inline_4", firing_deg=expected) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"firing_order": [1.0, 3.0, 4.0]}, "each of the 4 cylinders"),
        ({"firing_order": [1.0, 3.0, 3.0, 2.0]}, "each of the 4 cylinders"),
        ({"cylinder_banks": [0.0, 1.0]}, "2 values for 4 cylinders"),
    ],
)
def test_lists_that_do_not_fit_each_other_are_refused(changes, message):
    with pytest.raises(SchemaError, match=message):
        engine_parameters("inline_4", changes)


@pytest.mark.parametrize("order", [7.0, 21.0, 32.4])
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_parts_that_turn_with_the_crankshaft_are_lines_of_their_order(order, share):
    changes = STEADY | {"knock": 0.0, "block_level": 1.0, "intake_level": 0.0}

    def level(mechanical):
        _, bay, speed = steady("inline_4", share, seconds=2.0, changes=changes | {"mechanical_level": mechanical})
        frequency, power = spectrum(bay)
        near = abs(frequency - order * speed / TURN)
        return 10.0 * np.log10(power[near < 3.0].sum() / power[(near > 5.0) & (near < 15.0)].mean())

    assert level(1.0) > level(0.0) + 6.0
    assert level(2.0) > level(1.0) + 4.0


def firing_level(name, share, **values):
    """Level of the firing order at a share of the redline, dB, of the exhaust before the leveller."""
    parameters = engine_parameters(name, STEADY | {"intake_level": 0.0, "block_level": 0.0})
    speed = share * parameters["redline"]
    buses, state = play(parameters, np.full(2 * BLOCKS + 1, speed), **values)
    frequency, power = spectrum(buses[EXHAUST][round(SAMPLE_RATE) :] / state["gain"])
    return 10.0 * np.log10(power[abs(frequency - firing_frequency(name, speed)) < 4.0].sum())


@pytest.mark.parametrize(("name", "share"), [("inline_4", 0.3), ("inline_4", 0.6), ("inline_6", 0.3), ("v8_flat", 0.5)])
def test_the_firing_order_follows_the_pressure_of_the_cylinders(name, share):
    """In proportion to the pressure, within 2 dB; the same whether load or filling changes the torque."""
    full = firing_level(name, share)
    for load in (0.3, 0.6):
        assert firing_level(name, share, load=load) - full == pytest.approx(pressure_level(load), abs=2.0), load
    assert firing_level(name, share, load=0.5, filling=0.2) == pytest.approx(firing_level(name, share, load=0.6))


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8, 0.95])
def test_the_firing_order_at_full_load_follows_the_torque_curve(share):
    """Of the roadster: it changes as the pressure by the torque at that speed does, within 45 %."""
    engine = load_vehicle("roadster_simple").params["engine"]
    count = engine["torque_curve"]["count"][0]
    torque = np.interp(share, engine["torque_curve"]["x"][0, :count], engine["torque_curve"]["y"][0, :count])
    filling = torque * engine["peak_torque"][0] / (TORQUE_PER_DISPLACEMENT * 1.8e-3) - 1.0
    change = firing_level("inline_4", share, filling=filling) - firing_level("inline_4", share)
    assert change == pytest.approx(pressure_level(1.0 + filling), rel=0.45)


def test_a_diesel_engine_of_more_torque_has_higher_pulses():
    changes = [firing_level("diesel_6", 0.6, boost=0.8, filling=filling) for filling in (-0.4, 0.0, 0.4)]
    assert changes[0] + 1.5 < changes[1] < changes[2] - 1.0


# ---- angle


def cycle(angle):
    """An angle, rad, without whole cycles of 720 degrees, as a point of the unit circle."""
    return np.exp(0.5j * np.asarray(angle))


@pytest.mark.parametrize("angle", [0.0, 2.0, 4.0e5 + 9.0])
def test_an_engine_starts_at_the_crank_angle_of_its_frame(angle):
    """It goes on by the speed, whatever angles later frames have: so the pitch stays in slow motion."""
    speed = np.linspace(100.0, 300.0, 61)
    turned = angle + np.concatenate(([0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1])))) / BLOCKS
    parameters = engine_parameters("inline_4", {})
    for angles in (turned, np.full(61, angle)):
        state = play(parameters, speed, crank_angle=angles)[1]
        # the speed of a sample is taken at its end: off by half a sample of the change of speed
        assert cycle(state["crank"] * 2.0 * TURN / STEPS) == pytest.approx(cycle(turned[-1]), abs=0.01)


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_the_crank_angle_shifts_the_sound(share):
    """By a quarter or half a turn of a twin, whose cycle is not shorter than a whole one."""
    parameters = engine_parameters("v_twin", STEADY)
    speed = np.full(BLOCKS // 2 + 1, TURN * SAMPLE_RATE / 2400.0)  # a turn in 2400 samples
    first, shifted = (play(parameters, speed, crank_angle=a)[0][EXHAUST] for a in (0.0, share * TURN))
    late = round(share * 2400)
    unit = np.abs(first[-4800:]).max()
    assert shifted[-4800:] != pytest.approx(first[-4800:], abs=0.1 * unit)
    assert shifted[-4800 - late : -late] == pytest.approx(first[-4800:], abs=0.03 * unit)
