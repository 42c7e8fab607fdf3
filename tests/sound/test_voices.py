"""All voices of a vehicle together: which are called, that they are silent at rest, and that samples repeat."""

import numpy as np
import pytest

from driving_sandbox.sound.base.block import BLOCK, BODY, BUS_COUNT, ENGINE_BAY, EXHAUST, FRONT_TIRES, REAR_TIRES
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.engine.engine import engine_parameters
from driving_sandbox.sound.voices import (
    VOICES,
    VoiceParameters,
    Voices,
    begin,
    default_record,
    render_voices,
    voice_parameters,
)

DRIVING = {
    "engine_speed": 400.0, "throttle": 1.0, "load": 1.0, "boost": 0.6, "burning": 1, "starter": 1, "horn": 1, "gear": 3,
    "indicator": 1, "brake": 0.8, "ram_speed": 0.5, "dog_speed": 60.0, "track_speed": 8.0, "track_load": 6e4,
    "gear_speed": 400.0, "shaft_speed": 250.0, "gear_torque": 150.0, "air_speed": 30.0, "impact": 0.0, "wheel_count": 4,
    "wheel_speed": 30.0, "wheel_load": 3500.0, "used_friction": 0.3, "wheel_ahead": np.array([1.0] * 2 + [-1.0] * 18),
}  # fmt: skip


def record(name):
    """Parameters of a voice that is switched on."""
    if name == "engine":
        return engine_parameters("inline_4", {})
    values = default_record(name)
    values["level"] = 1.0
    return values


class Vehicle:
    """The voices of these names, switched on."""

    def __init__(self, names, number=0):
        self.parameters = np.zeros(1, VoiceParameters)
        self.parameters[0] = voice_parameters({name: record(name) for name in names})
        self.voices = np.zeros(1, Voices)
        begin(self.voices[0], number)
        self.frames = np.zeros(2, FRAME)

    def run(self, blocks, **values):
        """Buses [BUS_COUNT, samples]; values: of the frames from the end of the first block on."""
        out = np.full((blocks, BUS_COUNT, BLOCK), np.nan)
        for k in range(blocks):
            self.frames[0] = self.frames[1]
            for name, value in values.items():
                self.frames[name][1] = value
            render_voices(out[k], self.parameters[0], self.voices[0], self.frames[0], self.frames[1])
        return np.concatenate(out, axis=1)


BUSES = {"engine": {EXHAUST, ENGINE_BAY}, "gears": {ENGINE_BAY}, "turbo": {ENGINE_BAY}, "starter": {ENGINE_BAY},
         "motor": {ENGINE_BAY}, "tires": {FRONT_TIRES, REAR_TIRES}, "wind": {BODY}, "body": {BODY},
         "horn": {BODY}, "indicator": {BODY}, "air_brake": {BODY}, "hydraulics": {BODY},
         "tracks": {REAR_TIRES}}  # fmt: skip


@pytest.mark.parametrize("name", VOICES)
def test_every_voice_is_called_if_present(name):
    vehicle = Vehicle([name])
    heard = vehicle.run(600, **DRIVING)
    heard += vehicle.run(600, impact=500.0)
    assert np.isfinite(heard).all()
    assert {bus for bus in range(BUS_COUNT) if np.abs(heard[bus]).max() > 1e-6} == BUSES[name]


def test_a_record_of_zeros_is_silent():
    assert not Vehicle([]).run(50, **DRIVING).any()


def test_a_standing_vehicle_is_silent_from_the_start():
    rest = {"wheel_count": 4, "wheel_load": 3500.0, "gear": 1}
    assert np.abs(Vehicle(VOICES).run(600, **rest)).max() < 1e-12


@pytest.mark.parametrize("speed", [0.0, 5.0, 2000.0])
def test_all_voices_together_are_finite(speed):
    values = {**DRIVING, "engine_speed": speed, "gear_speed": speed, "shaft_speed": speed, "wheel_speed": speed / 3.0,
              "slip_speed": speed, "impact": speed}  # fmt: skip
    for changed in ({}, {"wheel_count": 0}, {"load": 0.0, "wheel_load": 0.0}, {"load": -1.0, "burning": 0}):
        assert np.isfinite(Vehicle(VOICES).run(100, **{**values, **changed})).all()


def test_equal_vehicles_repeat_and_numbers_give_other_noise():
    first, again, other = (Vehicle(VOICES, number).run(200, **DRIVING) for number in (4, 4, 5))
    assert first.tobytes() == again.tobytes()
    assert np.abs(first - other).max() > 1e-3


def generates(state):
    """Whether a voice's state has a generator of noise of its own."""
    return "noise" in state.names and state["noise"] == np.uint64


def test_no_two_generators_of_noise_are_alike():
    voices = np.zeros(8, Voices)
    for number in range(8):
        begin(voices[number], number)
    seeds = [voices[name]["noise"] for name, voice in VOICES.items() if generates(voice.state)]
    seeds.append(voices["tires"]["wheels"]["noise"])
    seeds = np.concatenate([np.ravel(s) for s in seeds])
    assert len(set(seeds.tolist())) == len(seeds)
