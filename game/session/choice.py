"""The vehicles and worlds that can be driven, and one choice among them."""

from dataclasses import dataclass
from pathlib import Path

from driving_sandbox.game.platform.user_folder import subfolder
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, load_yaml
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, find_vehicle
from driving_sandbox.physics.world.world_file import WORLD_FOLDER, find_world


@dataclass(frozen=True)
class Choice:
    """A vehicle's file, a world's file, a spawn point of it and a time of day (game.view.gl.quality.DAYTIMES).

    `spawn` None: the world's first one; in the world that is driven in, the present one.
    """

    vehicle: Path
    world: Path
    spawn: str | None
    daytime: str

    @classmethod
    def of(cls, vehicle, world, spawn, daytime) -> "Choice":
        """From names or paths, as the command line has them."""
        return cls(find_vehicle(vehicle).resolve(), find_world(world).resolve(), spawn, daytime)


@dataclass(frozen=True)
class Entry:
    """One file that can be chosen. `mass`: kg, None where the file does not say it; `problem`: why it cannot be read;
    `spawns`: names of a world's spawn points."""

    path: Path
    name: str
    description: str = ""
    mass: float | None = None
    spawns: tuple = ()
    problem: str = ""

    @property
    def text(self) -> str:
        """Name and description in one line, or the problem."""
        return f"cannot be read: {self.problem}" if self.problem else f"{self.name}. {self.description}".strip(". ")


def read_entry(path: Path) -> Entry:
    """The Entry of a vehicle's or a world's file; one that cannot be read says why."""
    try:
        doc = load_yaml(path)
    except ConfigError as error:
        return Entry(path.resolve(), path.stem, problem=str(error))
    if not isinstance(doc, YamlMap):
        return Entry(path.resolve(), path.stem, problem=f"{path}: must be a mapping of keys")
    body, spawns = doc.get("body"), doc.get("spawn_points")
    mass = body.get("mass") if isinstance(body, YamlMap) else None
    return Entry(
        path.resolve(), str(doc.get("name", path.stem)), str(doc.get("description", "")),
        float(mass) if isinstance(mass, (int, float)) else None,
        tuple(map(str, spawns)) if isinstance(spawns, YamlMap) else (),
    )  # fmt: skip


def vehicle_entries() -> list[Entry]:
    """The program's vehicles, then the user's own."""
    folders = VEHICLE_FOLDER, subfolder("vehicles")
    return [read_entry(path) for folder in folders for path in sorted(folder.glob("*.yaml"))]


def world_entries() -> list[Entry]:
    """The program's worlds."""
    return [read_entry(path) for path in sorted(WORLD_FOLDER.glob("*.yaml"))]
