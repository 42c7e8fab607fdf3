"""All voices of a vehicle: their parameters, their states, and the kernel that calls those that are present.

A vehicle's VoiceParameters has a record for every voice of VOICES, and 1 in `present` for those that the vehicle has; a
record of zeros is a vehicle without sound. Which parts a vehicle has is a matter of its file; a voice whose parts stand
still costs next to nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Schema
from driving_sandbox.sound.body import hydraulics, impact, wind
from driving_sandbox.sound.body.hydraulics import render_hydraulics
from driving_sandbox.sound.body.impact import render_body
from driving_sandbox.sound.body.wind import render_wind
from driving_sandbox.sound.driveline import gears, motor, starter, tracks, turbo
from driving_sandbox.sound.driveline.gears import render_gears
from driving_sandbox.sound.driveline.motor import render_motor
from driving_sandbox.sound.driveline.starter import render_starter
from driving_sandbox.sound.driveline.tracks import render_tracks
from driving_sandbox.sound.driveline.turbo import render_turbo
from driving_sandbox.sound.engine import engine
from driving_sandbox.sound.engine.engine import render_engine
from driving_sandbox.sound.signals import air_brake, horn, indicator
from driving_sandbox.sound.signals.air_brake import render_air_brake
from driving_sandbox.sound.signals.horn import render_horn
from driving_sandbox.sound.signals.indicator import render_indicator
from driving_sandbox.sound.tires import tires
from driving_sandbox.sound.tires.tires import render_tires


class Voice(NamedTuple):
    """A voice without its kernel: declared parameters, dtype of the state, and the function that prepares a state."""

    declaration: type[Schema]
    state: np.dtype[Any]
    begin: Callable[[Any, int], None]


VOICES = {  # {name, also in a vehicle's `sound:` section: Voice}
    "engine": Voice(engine.EngineSound, engine.STATE, engine.begin),
    "gears": Voice(gears.GearSound, gears.STATE, gears.begin),
    "turbo": Voice(turbo.TurboSound, turbo.STATE, turbo.begin),
    "starter": Voice(starter.StarterSound, starter.STATE, starter.begin),
    "motor": Voice(motor.MotorSound, motor.STATE, motor.begin),
    "tires": Voice(tires.TireSound, tires.STATE, tires.begin),
    "wind": Voice(wind.WindSound, wind.STATE, wind.begin),
    "body": Voice(impact.BodySound, impact.STATE, impact.begin),
    "horn": Voice(horn.HornSound, horn.STATE, horn.begin),
    "indicator": Voice(indicator.IndicatorSound, indicator.STATE, indicator.begin),
    "air_brake": Voice(air_brake.AirBrakeSound, air_brake.STATE, air_brake.begin),
    "hydraulics": Voice(hydraulics.HydraulicsSound, hydraulics.STATE, hydraulics.begin),
    "tracks": Voice(tracks.TrackSound, tracks.STATE, tracks.begin),
}
SEEDS = 4096  # numbers of noise generators for each voice: more than there are vehicles

_PRESENT = np.dtype([(name, np.int64) for name in VOICES], align=True)
VoiceParameters = np.dtype(
    [("present", _PRESENT), *((name, voice.declaration.dtype) for name, voice in VOICES.items())], align=True
)
Voices = np.dtype([(name, voice.state) for name, voice in VOICES.items()], align=True)


def voice_parameters(records: Mapping[str, Any]) -> Any:
    """A VoiceParameters record of the given voices {name: record}; the others are absent.

    The record of an engine begins as that of `engine_parameters` (sound/engine/record.py), others as `default_record`.
    """
    parameters = np.zeros(1, VoiceParameters)[0]
    for name, record in records.items():
        parameters[name] = record
        parameters["present"][name] = 1
    return parameters


def default_record(name: str) -> Any:
    """Record of a voice of VOICES with the defaults of its declaration; not for the engine."""
    declaration = VOICES[name].declaration
    record = np.zeros(1, declaration.dtype)[0]
    declaration.defaults(record)
    return record


def begin(voices: Any, number: int) -> None:
    """Prepare a zeroed Voices record; vehicles of different `number` (0 .. SEEDS - 1) have different noise."""
    for kind, (name, voice) in enumerate(VOICES.items()):
        voice.begin(voices[name], kind * SEEDS + number)


@kernel
def render_voices(buses: Any, parameters: Any, voices: Any, before: Any, after: Any) -> None:
    """Compute a block of all buses of a vehicle.

    Args:
        buses: float64 [BUS_COUNT, BLOCK], written.
        parameters: VoiceParameters.
        voices: Voices, changed.
        before, after: FRAME at the block's start and end; events come from `after`.
    """
    buses[:] = 0.0
    present = parameters.present
    if present.engine == 1:
        render_engine(buses, parameters.engine, voices.engine, before, after)
    if present.gears == 1:
        render_gears(buses, parameters.gears, voices.gears, before, after)
    if present.turbo == 1:
        render_turbo(buses, parameters.turbo, voices.turbo, before, after)
    if present.starter == 1:
        render_starter(buses, parameters.starter, voices.starter, before, after)
    if present.motor == 1:
        render_motor(buses, parameters.motor, voices.motor, before, after)
    if present.tires == 1:
        render_tires(buses, parameters.tires, voices.tires, before, after)
    if present.wind == 1:
        render_wind(buses, parameters.wind, voices.wind, before, after)
    if present.body == 1:
        render_body(buses, parameters.body, voices.body, before, after)
    if present.horn == 1:
        render_horn(buses, parameters.horn, voices.horn, before, after)
    if present.indicator == 1:
        render_indicator(buses, parameters.indicator, voices.indicator, before, after)
    if present.air_brake == 1:
        render_air_brake(buses, parameters.air_brake, voices.air_brake, before, after)
    if present.hydraulics == 1:
        render_hydraulics(buses, parameters.hydraulics, voices.hydraulics, before, after)
    if present.tracks == 1:
        render_tracks(buses, parameters.tracks, voices.tracks, before, after)
