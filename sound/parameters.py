"""The parameters of a vehicle's voices, changed while it sounds, by path: `sound.engine.crackle`, `sound.horn.low` ...

A change is written into the vehicle's section `sound`, so that it is saved with the vehicle; a value that would be
estimated anyway is left out.
The section is replaced by a new one at every change: all that sounds notices it by that.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.schema.schema import Block, Choice, Schema, SchemaError, field
from driving_sandbox.physics.vehicle.vehicle import Parameter, Vehicle
from driving_sandbox.physics.world.parameter_table import ParameterTable
from driving_sandbox.sound.engine.presets import PRESETS
from driving_sandbox.sound.estimate import estimated_sections
from driving_sandbox.sound.vehicle_sound import SECTION, sound_of
from driving_sandbox.sound.voices import VOICES

PRESET = "sound.engine.preset"


class EnginePreset(Schema):
    """The kind of engine, which gives all values of its voice that are not given."""

    preset: Choice = field(options=tuple(PRESETS), default="inline_4", doc="Kind of engine; other values follow it.")


def is_of_sound(path: str) -> bool:
    """Whether a path is one of a voice's parameters; there may be no such parameter."""
    return path.startswith(f"{SECTION}.")


def differing_paths(section: Any, other: Any) -> list[str]:
    """Paths of the values in which two sections `sound` differ; None is an empty section."""
    pairs = [
        {(voice, key): value for voice, values in (s or {}).items() for key, value in values.items()}
        for s in (section, other)
    ]
    keys = dict.fromkeys((*pairs[0], *pairs[1]))
    return [
        f"{SECTION}.{voice}.{key}" for voice, key in keys if pairs[0].get((voice, key)) != pairs[1].get((voice, key))
    ]


class SoundParameters(ParameterTable):
    """Access to the parameters of a vehicle's voices by path.

    Args:
        vehicle: Vehicle, whose `info["sound"]` is replaced by changes.
    Raises:
        ConfigError: its section `sound` is wrong.
    """

    owner = "the sound"

    def __init__(self, vehicle: Vehicle) -> None:
        super().__init__()
        self._version = 0  # grows with every section that is read
        self.follow(vehicle)
        self._base = self.values()  # before any change

    def follow(self, vehicle: Vehicle) -> None:
        """Show another object of the same vehicle, as after a swap of a component."""
        self._vehicle = vehicle
        self._read()

    @property
    def vehicle(self) -> Vehicle:
        """The vehicle object whose section is changed."""
        return self._vehicle

    def _read(self) -> None:
        """Read the section."""
        self._records = sound_of(self._vehicle).parameters
        self._section, self._version = self._vehicle.info.get(SECTION), self._version + 1
        self._parameters = {parameter.path: parameter for parameter in self._list()}

    def _list(self) -> Iterable[Parameter]:
        """Every Parameter of the voices that the vehicle has."""
        for name, voice in VOICES.items():
            if self._records["present"][name] != 1:
                continue
            slot = f"{SECTION}.{name}"
            for declared in (*EnginePreset.fields.values(), *voice.declaration.fields.values()):
                if (declared.name != "preset" or name == "engine") and not isinstance(declared.kind, Block):
                    yield Parameter(f"{slot}.{declared.name}", slot, None, declared)

    def get(self, path: str) -> Any:
        """Present value, SI: a number, a list of numbers or a word."""
        declared = self.parameter(path).field
        if path == PRESET:
            return self._preset()
        return declared.kind.read(self._records[path.split(".")[1]], declared.name)

    def _preset(self) -> str:
        """Preset of the engine: given or estimated."""
        given = (self._section or {}).get("engine", {})
        return str(given["preset"] if "preset" in given else self._estimated_preset())

    def _estimated_preset(self) -> str:
        return str(estimated_sections(self._vehicle)[0]["engine"]["preset"])

    def tobytes(self) -> bytes:
        """Bytes that are equal only if all values are; a section that others have replaced is read first."""
        if self._vehicle.info.get(SECTION) is not self._section:
            self._read()
        return self._version.to_bytes(8, "little")

    def base_values(self) -> dict[str, Any]:
        """{path: value} of all parameters before any change."""
        return {path: self._base.get(path, self.get(path)) for path in self._parameters}

    def set_many(self, values: Mapping[str, Any]) -> None:
        """Set several parameters at once, all or none. Raises UnknownName, or SchemaError for an invalid value."""
        checked = self.checked(values)
        before = self._vehicle.info.get(SECTION)
        bare = {name: dict(section) for name, section in (before or {}).items()}
        for path in checked:
            _, voice, key = path.split(".")
            bare.get(voice, {}).pop(key, None)
        if PRESET in checked and checked[PRESET] != self._estimated_preset():
            bare.setdefault("engine", {})["preset"] = checked[PRESET]
        try:
            self._use(self._completed(bare, checked))
        except UserError as error:
            self._use(before)
            text = str(error).removeprefix(f"{self._vehicle.info.get('path', self._vehicle.name)}: ")
            raise SchemaError(text.removeprefix(f"{next(iter(checked))}: ")) from None

    def _completed(self, bare: dict[str, Any], checked: Mapping[str, Any]) -> dict[str, Any]:
        """The section `bare` with those of the checked values that it would not have otherwise.

        A single value, as of a slider, is not compared, which takes a while, unless it returns to its value at first.
        """
        others = {path: value for path, value in checked.items() if path != PRESET}
        if len(others) > 1 or any(value == self._base.get(path) for path, value in others.items()):
            self._use({name: dict(section) for name, section in bare.items()})
            others = {path: value for path, value in others.items() if value != self.get(path)}
        for path, value in others.items():
            _, voice, key = path.split(".")
            bare.setdefault(voice, {})[key] = value
        return {name: section for name, section in bare.items() if section}

    def _use(self, section: Any) -> None:
        """Replace the section."""
        if section:
            self._vehicle.info[SECTION] = section
        else:
            self._vehicle.info.pop(SECTION, None)
        self._read()
