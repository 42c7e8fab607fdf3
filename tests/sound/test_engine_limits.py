"""An engine's sound at its limits: standing, overspeed, cut-off, steps of the load, wrong parameters."""

import numpy as np
import pytest
from engine_takes import BLOCKS, NAMES, play, rms
from numpy.lib.recfunctions import structured_to_unstructured

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.sound.base.block import ENGINE_BAY, EXHAUST, SAMPLE_RATE
from driving_sandbox.sound.engine.cycle import DRAW, phase_of
from driving_sandbox.sound.engine.engine import engine_parameters
from driving_sandbox.sound.engine.exhaust import blow_down
from driving_sandbox.sound.engine.parameters import STEPS, EngineSound
from driving_sandbox.sound.engine.record import INTAKE_LASTS_DEG, INTAKE_OPENS_DEG
from driving_sandbox.sound.engine.state import STATE


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_is_finite_and_bounded_at_rest_and_far_beyond_its_redline(name):
    parameters = engine_parameters(name, {})
    for speed in (0.0, 5.0, 2000.0):
        for load in (-1.0, 0.0, 1.0):
            buses, _ = play(parameters, np.full(241, speed), load=load, boost=1.0)
            assert np.isfinite(buses).all()
            assert np.abs(buses).max() < 8.0


@pytest.mark.parametrize("name", NAMES)
def test_a_standing_engine_is_silent(name):
    """Also from the first sample on, where a valve is open."""
    buses, _ = play(engine_parameters(name, {}), np.zeros(241), load=0.0, burning=0)
    assert np.abs(buses).max() < 1e-12


@pytest.mark.parametrize("name", ["v_twin", "v8_cross", "diesel_6"])
def test_a_stopped_engine_falls_silent_without_denormal_numbers(name):
    parameters = engine_parameters(name, {})
    speed = np.zeros(42 * BLOCKS + 1)
    speed[: 2 * BLOCKS] = np.linspace(300.0, 0.0, 2 * BLOCKS)
    burning = (speed > 100.0).astype(int)
    buses, state = play(parameters, speed, load=np.minimum(1.0, speed / 200.0), burning=burning)
    assert rms(buses[EXHAUST, : round(SAMPLE_RATE)]) > 1e-3
    assert np.abs(buses[:, -round(SAMPLE_RATE) :]).max() < 1e-12
    for field in STATE.names:
        numbers = state[field]
        numbers = structured_to_unstructured(numbers) if STATE[field].base.names else numbers
        size = np.abs(np.asarray(numbers, dtype=np.float64))
        assert not ((size > 0.0) & (size < 1e-300)).any() or STATE[field].base.kind not in "fV", field


def test_only_exhaust_and_engine_bay_are_heard():
    buses, _ = play(engine_parameters("inline_4", {}), np.full(241, 300.0))
    heard = {bus for bus in range(len(buses)) if buses[bus].any()}
    assert heard == {EXHAUST, ENGINE_BAY}


def test_equal_seeds_repeat_the_samples_and_others_do_not():
    parameters = engine_parameters("boxer_4", {})
    first, _ = play(parameters, np.full(241, 300.0), number=4)
    again, _ = play(parameters, np.full(241, 300.0), number=4)
    other, _ = play(parameters, np.full(241, 300.0), number=5)
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("values", [{"load": -0.5}, {"burning": 0}, {"load": 0.02, "burning": 0}])
def test_overrun_is_quieter_than_full_load(values):
    parameters = engine_parameters("inline_4", {"crackle": 0.0})
    full, _ = play(parameters, np.full(2 * BLOCKS, 450.0))
    overrun, _ = play(parameters, np.full(2 * BLOCKS, 450.0), **values)
    late = slice(round(SAMPLE_RATE), None)
    assert rms(overrun[EXHAUST, late]) < 0.7 * rms(full[EXHAUST, late])


def test_bangs_come_on_overrun_at_speed_only():
    """Measured by peak / rms, the crest factor: a bang stands out of the pulses."""

    def crest(speed, **values):
        parameters = engine_parameters("inline_4", {"crackle": 0.05})
        x = play(parameters, np.full(2 * BLOCKS, speed), **values)[0][EXHAUST, round(0.8 * SAMPLE_RATE) :]
        return np.abs(x).max() / rms(x)

    assert crest(600.0, load=-0.3, throttle=0.0) > 8.0
    assert crest(200.0, load=-0.3, throttle=0.0) < 8.0
    assert crest(600.0) < 5.0


def test_idle_burns_whatever_the_load():
    """Drag of the gearbox must not cut the fuel of an idling engine."""
    parameters = engine_parameters("inline_4", {})
    dragged, _ = play(parameters, np.full(2 * BLOCKS, 90.0), load=-0.2)
    free, _ = play(parameters, np.full(2 * BLOCKS, 90.0), load=0.0)
    cut, _ = play(parameters, np.full(2 * BLOCKS, 90.0), load=0.0, burning=0)
    assert (dragged == free).all()
    assert rms((free - cut)[EXHAUST]) > 0.3 * rms(free[EXHAUST])


@pytest.mark.parametrize("change", [{"load": (1.0, 0.05)}, {"load": (0.1, 1.0)}, {"boost": (0.0, 1.0)}])
def test_a_step_makes_no_click(change):
    """Third difference around a step of one block, compared with its largest value elsewhere."""
    parameters = engine_parameters("inline_4", {"crackle": 0.0})
    ((key, (before, after)),) = change.items()
    values = np.where(np.arange(2 * BLOCKS + 1) < BLOCKS, before, after)
    buses, _ = play(parameters, np.full(len(values), 350.0), **{key: values})
    sharpness = np.abs(np.diff(buses[[EXHAUST, ENGINE_BAY]].sum(axis=0), 3))
    step = round(SAMPLE_RATE)
    elsewhere = np.concatenate([sharpness[step // 2 : step - 200], sharpness[step + 24000 :]])
    assert sharpness[step - 100 : step + 400].max() < 1.5 * elsewhere.max()


def test_a_diesel_engine_has_no_throttle_valve():
    """Its intake does not hear the pedal, and a shut one makes no bangs."""
    parameters = engine_parameters("diesel_6", {"crackle": 1.0})
    shut, opened = (play(parameters, np.full(BLOCKS, 200.0), load=0.3, throttle=t)[0] for t in (0.0, 1.0))
    assert (shut == opened).all()
    petrol = engine_parameters("inline_4", {"crackle": 0.0})
    shut, opened = (play(petrol, np.full(BLOCKS, 200.0), load=0.3, throttle=t)[0] for t in (0.0, 1.0))
    assert rms(shut[ENGINE_BAY] - opened[ENGINE_BAY]) > 0.1 * rms(opened[ENGINE_BAY])


def test_the_phase_of_a_late_cylinder_that_is_shifted_back_lies_within_the_cycle():
    parameters = engine_parameters("single", {"firing_deg": [719.0], "jitter_deg": 20.0})
    state = np.zeros(1, STATE)
    for shift in (-parameters["derived"]["jitter"], 0.0, parameters["derived"]["jitter"]):
        for crank in (0.0, 500.0, STEPS - 0.5):
            state["shift"][0, 0], state["crank"] = shift, crank
            phase = phase_of(parameters, state[0], 0)
            assert 0.0 <= phase < STEPS
            turn = (phase - (crank - parameters["derived"]["firing"][0] + shift)) / STEPS
            assert turn == pytest.approx(round(turn), abs=1e-9)


def test_no_cycle_is_shifted_while_a_valve_is_open():
    """A shift may change from one end of the largest jitter to the other."""
    largest = 2.0 * EngineSound.fields["jitter_deg"].le / 720.0 * STEPS
    assert DRAW - largest >= (INTAKE_OPENS_DEG + INTAKE_LASTS_DEG) / 720.0 * STEPS
    assert DRAW + largest < STEPS


def test_a_vacuum_has_no_negative_density():
    parameters, state = engine_parameters("inline_4", {}), np.zeros(1, STATE)
    state["pressure"][0, 0] = -1.5
    # cylinder 0; full lift; half the swept volume, which does not change; -2 bar in the pipe
    assert blow_down(parameters, state[0], 0, 1.0, 0.5, 0.0, -2.0) == 0.0
    assert state["pressure"][0, 0] == -1.5


def test_an_engine_that_has_faded_rests_until_it_turns():
    """It then does not even draw random numbers."""
    parameters = engine_parameters("v8_cross", {})
    speed = np.zeros(8 * BLOCKS + 1)
    speed[:BLOCKS] = 200.0
    buses, state = play(parameters, speed, burning=0, load=0.0)
    again, longer = play(parameters, np.append(speed, np.zeros(BLOCKS)), burning=0, load=0.0)
    assert rms(buses[EXHAUST, : round(SAMPLE_RATE)]) > 1e-4
    assert state["noise"] == longer["noise"]
    assert not again[:, buses.shape[1] :].any()
    started, _ = play(parameters, np.append(speed, np.full(BLOCKS, 200.0)), burning=1)
    assert rms(started[EXHAUST, -round(0.3 * SAMPLE_RATE) :]) > 1e-2


def test_changed_parameters_change_the_derived_ones():
    changed = engine_parameters("inline_4", {"displacement": 0.0036, "tail_length": 0.9})
    plain = engine_parameters("inline_4", {})
    assert changed["derived"]["impedance"] == pytest.approx(2.0 * plain["derived"]["impedance"])
    assert changed["derived"]["line_delay"][0, 4] == 80  # 0.9 m at 540 m/s
    assert plain["derived"]["line_delay"][0, 4] == 54


@pytest.mark.parametrize(
    "preset, changes, words",
    [
        ("inline4", {}, "inline_4"),
        ("inline_4", {"displacment": 0.002}, "displacement"),
        ("inline_4", {"displacement": -1.0}, "displacement"),
        ("inline_4", {"displacement": "large"}, "displacement"),
        ("inline_4", {"pipe_lengths": [0.3, 0.4]}, "pipe_lengths: 2 values for 4"),
        ("inline_4", {"crank_pins_deg": []}, "firing_order"),
        ("inline_4", {"derived": 1.0}, "derived"),
    ],
)
def test_wrong_parameters_are_named(preset, changes, words):
    with pytest.raises(WrongValue, match=words):
        engine_parameters(preset, changes)


def test_every_parameter_has_unit_meaning_and_default():
    """And the delays of the largest lengths fit into their lines."""
    for field in EngineSound.fields.values():
        assert field.derived or (field.unit and field.doc and not field.required)
    longest = dict.fromkeys(
        ["middle_length", "chamber_1_length", "link_length", "chamber_2_length", "tail_length"], 5.0
    )
    longest |= {"runner_length": 1.5, "snorkel_length": 1.5, "pipe_lengths": [2.5]}
    derived = engine_parameters("diesel_6", longest | {"bank": [0, 1] * 3})["derived"]
    assert derived["line_delay"].max() < STATE["line"].shape[-1]
    assert derived["pipe_delay"].max() < STATE["pipe"].shape[-1]
    assert max(derived["runner_delay"], derived["snorkel_delay"]) < STATE["runner"].shape[-1]
