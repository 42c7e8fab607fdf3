"""A vehicle's voices: the section `sound` of its file, and estimates for what it does not say.

    sound:
      engine: {preset: inline_4, crackle: 0.03}     # a preset of sound/engine/presets.py, and changes
      turbo: {level: 1, blow_off: 0.5}
      tires: {squeal: 0.8}

The keys are the voices of sound/voices.py, below them the parameters that the voice declares. `level: 0` silences one.
What is missing is estimated (sound/estimate.py). The section is checked by `./drive check` and by whatever makes sound,
not when a vehicle's file is read, as the physics knows nothing of sound.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import YamlMap, check_keys, key_hint
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.sound.axles import axle_positions
from driving_sandbox.sound.engine.parameters import EngineSound
from driving_sandbox.sound.engine.presets import PRESETS
from driving_sandbox.sound.engine.record import engine_parameters
from driving_sandbox.sound.estimate import estimated_sections, level_at
from driving_sandbox.sound.space.emitters import EMITTERS, set_emitters
from driving_sandbox.sound.voices import VOICES, default_record, voice_parameters

SECTION = "sound"  # of a vehicle's file
# N m/m^3, usual full-load torque of a naturally aspirated engine per displacement: a mean effective pressure of
# 11.3 bar. Heywood, Internal Combustion Engine Fundamentals, 1988, has 8.5 to 10.5 bar for petrol engines; later ones
# reach 14.
TORQUE_PER_DISPLACEMENT = 90e3
PARTS = {  # {voice: part that a vehicle must have for it}
    "engine": "a combustion engine", "motor": "an electric motor", "gears": "a gearbox", "tracks": "tracks",
}  # fmt: skip


@dataclass(frozen=True)
class VehicleSound:
    """Everything of a vehicle that its voices need.

    Attributes:
        parameters: VoiceParameters record.
        emitters: EMITTERS record.
        assumed_boost: boost at full power of a turbocharged engine whose model has none, bar; for the Gatherer
            (sound/gather.py).
        usual_torque: `usual_torque_of` its engine, N m, 0 without one; for the Gatherer.
        estimates: a sentence for each section of the powertrain that the file does not have.
    """

    parameters: Any
    emitters: Any
    assumed_boost: float
    usual_torque: float
    estimates: tuple[str, ...]


def sound_of(vehicle: Vehicle) -> VehicleSound:
    """The sound of a vehicle. Raises ConfigError for a wrong key or value of its section `sound`."""
    given = _section(vehicle)
    estimated, reasons = estimated_sections(vehicle)
    check_keys(given, tuple(VOICES))
    _check_parts(given, estimated)
    sections = {name: {**estimated.get(name, {}), **given.get(name, {})} for name in VOICES
                if name in estimated or name in given}  # fmt: skip
    records = {name: _record(name, values, given) for name, values in sections.items()}
    if "starter" in records and "engine" in records and "compressions" not in given.get("starter", {}):
        records["starter"]["compressions"] = max(1.0, 0.5 * int(records["engine"]["derived"]["cylinder_count"]))
    estimates = tuple(_sentences(estimated, reasons, given))
    assumed_boost = _assumed_boost(vehicle, records)
    usual_torque = usual_torque_of(records["engine"]) if "engine" in records else 0.0
    return VehicleSound(voice_parameters(records), emitters_of(vehicle), assumed_boost, usual_torque, estimates)


def _section(vehicle: Vehicle) -> YamlMap:
    """The section `sound`, which knows the line numbers of a file; empty if there is none. Raises ConfigError."""
    section: Any = vehicle.info.get(SECTION)
    if not isinstance(section, YamlMap):
        plain: dict[str, Any] = section or {}
        section = YamlMap()
        section.path, section.key_path = vehicle.info.get("path", vehicle.name), SECTION
        section.update({name: _mapping(values, section, name) for name, values in plain.items()})
    for name, values in section.items():
        if not isinstance(values, Mapping):
            raise section.error(name, "must be a mapping of keys")
    return section


def _mapping(values: Any, section: YamlMap, name: str) -> Any:
    """A plain mapping as a YamlMap without line numbers; anything else as it is."""
    if not isinstance(values, Mapping):
        return values
    mapping = YamlMap(values)
    mapping.path, mapping.key_path = section.path, f"{SECTION}.{name}"
    return mapping


def _check_parts(given: YamlMap, estimated: Mapping[str, Any]) -> None:
    """Raise ConfigError for the sound of a part that the vehicle does not have."""
    for name, part in PARTS.items():
        if name in given and name not in estimated:
            raise given.error(name, f"the vehicle does not have {part}; its voices: {', '.join(estimated)}")


def _record(name: str, values: Mapping[str, Any], given: YamlMap) -> Any:
    """Record of a voice with these values. Raises ConfigError at the line of a wrong one."""
    source = given.get(name, YamlMap())
    declaration = VOICES[name].declaration
    known = [key for key, declared in declaration.fields.items() if not declared.derived]
    if name == "engine":
        check_keys(source, ("preset", *known))
        return _engine_record(dict(values), source)
    check_keys(source, tuple(known))
    record = default_record(name)
    for key, value in values.items():
        _write(record, declaration.fields[key], key, value, source)
    return record


def _write(record: Any, declared: Any, key: str, value: Any, source: YamlMap) -> None:
    """Check a value and write it into a record. Raises ConfigError."""
    try:
        declared.kind.write(record, key, declared.parse(value))
    except SchemaError as error:
        raise source.error(key, str(error)) from None


def _engine_record(values: dict[str, Any], source: YamlMap) -> Any:
    """Record of the engine's voice. Raises ConfigError."""
    preset, redline = values.pop("preset"), values["redline"]
    if not isinstance(preset, str) or preset not in PRESETS:
        raise source.error(
            "preset", f"{brief(preset)} is unknown{key_hint(preset, PRESETS)}; known: {', '.join(PRESETS)}"
        )
    for key, value in values.items():
        try:
            EngineSound.fields[key].parse(value)
        except SchemaError as error:
            raise source.error(key, str(error)) from None
    values.setdefault("exhaust_level", level_at(preset, redline))
    try:
        return engine_parameters(preset, values)
    except SchemaError as error:  # values that do not fit each other
        key, _, text = str(error).partition(": ")
        raise source.error(key, text) from None


def _assumed_boost(vehicle: Vehicle, records: Mapping[str, Any]) -> float:
    """Boost at full power that the turbocharger's voice assumes where the engine's model has none, bar."""
    if "turbo" not in records or "engine" not in records or "boost" in field_names(vehicle.state["engine"].dtype):
        return 0.0
    return float(records["turbo"]["rated_boost"])


def usual_torque_of(engine: Any) -> float:
    """Usual full-load torque, naturally aspirated, of an engine of this displacement, N m.

    engine: record of EngineSound.
    """
    return TORQUE_PER_DISPLACEMENT * float(engine["displacement"])


def _sentences(estimated: Mapping[str, Any], reasons: Mapping[str, str], given: YamlMap) -> Iterator[str]:
    """What was estimated from what, for sections that the file does not have and that have a reason."""
    for name, reason in reasons.items():
        if name not in given:
            shown = ", ".join(_shown(name, key, value) for key, value in estimated[name].items())
            yield f"sound.{name} is not given: estimated as {shown} from {reason}"


def _shown(voice: str, key: str, value: Any) -> str:
    """An estimated value with its key and unit; a preset speaks for itself."""
    if not isinstance(value, float):
        return str(value)
    unit = VOICES[voice].declaration.fields[key].unit
    return f"{key} {value:.3g}" + ("" if unit == "1" else f" {unit}")


def emitters_of(vehicle: Vehicle) -> Any:
    """EMITTERS record of a vehicle."""
    emitters = np.zeros(1, EMITTERS)[0]
    set_emitters(emitters, *axle_positions(vehicle))
    return emitters
