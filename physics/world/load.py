"""`load` builds a world that can be stepped from the names of vehicle and world files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


def load(
    vehicle: str | Path | Sequence[str | Path],
    world: str | Path = "proving_ground",
    *,
    spawn: str | None = None,
    setup: str | Path | None = None,
    trust: Callable[[Path], bool] | None = None,
) -> World:
    """A World with vehicles standing on a spawn point, ready to be stepped.

    Args:
        vehicle: name or YAML file, or several of them. Several stand on the same point, without contact between each
            other, until `World.place` moves them apart.
        world: name or YAML file.
        spawn: name of one of the world's spawn points, by default the first.
        setup: file whose parameters replace those of each vehicle.
        trust: function (path) -> whether a Python file that a vehicle needs may run; without it none may.
    Raises:
        UserError: a file is missing or wrong, or a name is unknown; then the message contains the nearest known name.
    """
    names = [vehicle] if isinstance(vehicle, str | Path) else vehicle
    result = World(load_world(world), [load_vehicle(name, setup, trust) for name in names])
    for train in result.trains:
        result.spawn(spawn, train.start)
    return result
