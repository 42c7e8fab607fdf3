"""The vehicles and worlds that can be driven, one choice among them, and the options of a drive chosen later."""

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from driving_sandbox.game.platform.user_folder import subfolder
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, load_yaml
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, find_vehicle
from driving_sandbox.physics.world.world_file import WORLD_FOLDER, find_world


@dataclass(frozen=True)
class Choice:
    """The vehicle, world, spawn point and time of day of a drive.

    Attributes:
        vehicle, world: paths of their files.
        spawn: name of a spawn point of the world; None for the world's first one, or for the present one if the world
            does not change.
        daytime: time of day, one of game.view.gl.quality.DAYTIMES.
    """

    vehicle: Path
    world: Path
    spawn: str | None
    daytime: str

    @classmethod
    def of(cls, vehicle: str | Path, world: str | Path, spawn: str | None, daytime: str) -> "Choice":
        """A Choice from names or paths, as given on the command line."""
        return cls(find_vehicle(vehicle).resolve(), find_world(world).resolve(), spawn, daytime)


@dataclass(frozen=True)
class Entry:
    """A vehicle or world file that can be chosen.

    Attributes:
        mass: mass of a vehicle, kg; None if the file does not give it.
        spawns: names of a world's spawn points.
        problem: why the file cannot be read, or "".
    """

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
    """The Entry of a vehicle or world file; its `problem` says why if the file cannot be read."""
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
    """[Entry] of the program's vehicles, then of the user's own."""
    folders = VEHICLE_FOLDER, subfolder("vehicles")
    return [read_entry(path) for folder in folders for path in sorted(folder.glob("*.yaml"))]


def world_entries() -> list[Entry]:
    """[Entry] of the program's worlds."""
    return [read_entry(path) for path in sorted(WORLD_FOLDER.glob("*.yaml"))]


def later_options(options: Namespace, before: Choice, after: Choice) -> Namespace:
    """The command line's options for a drive after the first one.

    The setup is left out: it was applied to the first vehicle. Ghosts and a racing line belong to a world, and are left
    out if the world changes. A recording that the user named is not overwritten: the next one is `NAME-2.drive`.
    """
    later = {**vars(options), "setup": None, "spawn": after.spawn, "record": next_record(options.record)}
    if after.world != before.world:
        later |= {"ghost": [], "line": None}
    return Namespace(**later)


def next_record(path: str | Path | None) -> Path | None:
    """The first unused name that follows a recording's: after lap.drive comes lap-2.drive, then lap-3.drive."""
    if path is None:
        return None
    path = Path(path)
    stem, _, number = path.stem.rpartition("-")
    stem, count = (stem, int(number)) if stem and number.isdecimal() else (path.stem, 1)
    while (candidate := path.with_name(f"{stem}-{count + 1}{path.suffix}")).exists():
        count += 1
    return candidate
