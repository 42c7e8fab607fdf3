"""Procedural scenes shared by tests and benchmarks, equal on every machine."""

from argparse import Namespace
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.ground import Ground, Heightfield, Plane
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, neutral_command
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle
from driving_sandbox.physics.world.fault import Fault
from driving_sandbox.physics.world.world import World

VEHICLES = tuple(sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml")))
HILL_CELLS = 512  # cells along each side of the hills
HILL_CELL = 1.0  # m
RING_RADIUS = 60.0  # m, of the circle that cars follow on the hills


def hills(cells: int = HILL_CELLS, cell: float = HILL_CELL, height: float = 1.0) -> Heightfield:
    """A square Heightfield of three soft waves around the origin.

    At `height` 1, the waves have amplitudes of up to 0.6 m, and slopes are below 10 degrees.
    """
    along = (np.arange(cells + 1) - cells / 2.0) * cell
    x, y = np.meshgrid(along, along)
    z = 0.6 * np.sin(x / 11.0) * np.cos(y / 13.0) + 0.4 * np.sin(x / 29.0 + 1.0) + 0.4 * np.cos(y / 23.0)
    origin = (-cells * cell / 2.0, -cells * cell / 2.0)
    surfaces = np.zeros((cells, cells), np.uint8)
    return Heightfield((height * z).astype(np.float32), surfaces, origin, cell)


def flat_world(
    vehicle: str | Vehicle = "roadster_simple", tick_rate: float = 240.0, substeps: int = 4, friction_surface: int = 0
) -> World:
    """A World with a vehicle placed on an endless plane of the surface with an index, not yet settled."""
    return _with_vehicle(Ground(Plane(0.0, friction_surface)), vehicle, tick_rate, substeps)


def hill_world(
    vehicle: str | Vehicle = "roadster_simple", tick_rate: float = 60.0, substeps: int = 3, cells: int = HILL_CELLS
) -> World:
    """A World with a vehicle on the waves, at the start of the ring line and facing along it."""
    world = _with_vehicle(Ground(hills(cells)), vehicle, tick_rate, substeps)
    world.place(0, (RING_RADIUS, 0.0), 0.0)
    return world


def drive_options(offscreen: bool = True) -> Namespace:
    """Command line options of an `App` whose drive is neither recorded nor streamed."""
    return Namespace(offscreen=offscreen, record=None, ghost=[], stream=None)


def _with_vehicle(ground: Ground, vehicle: str | Vehicle, tick_rate: float, substeps: int) -> World:
    """A World with a vehicle (name or Vehicle) at the origin of a ground, stepped by its merged step."""
    loaded = load_vehicle(vehicle) if isinstance(vehicle, str) else vehicle
    world = World(ground, [loaded], 1.0 / tick_rate, substeps)
    for index in world.in_parts():
        world.merge(index)
    world.place(0, (0.0, 0.0), 0.0)
    return world


def ring_line(radius: float = RING_RADIUS, points: int = 120) -> np.ndarray:
    """(points, 2) positions of a circle driven anticlockwise, from the start of `hill_world`, m."""
    angle = np.arange(points) * 2.0 * np.pi / points
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def forward_gear(vehicle: Vehicle) -> int:
    """The gear to command for moving off: automatic, or the only one of a direct-drive vehicle."""
    return AUTOMATIC if "autobox" in vehicle.sequence.by_slot else FIRST


def command(vehicle: Vehicle, **values: Any) -> np.ndarray:
    """A command with the forward gear engaged and some values."""
    record = neutral_command()
    record["gear"] = forward_gear(vehicle)
    for name, value in values.items():
        record[name] = value
    return record


def drive(world: World, ticks: int, **values: Any) -> Fault | None:
    """Step a world's first vehicle with a constant command; stops at a fault and returns it, otherwise None."""
    commands = command(world.vehicles[0], **values)
    for _ in range(ticks):
        fault = world.step(commands)
        if fault is not None:
            return fault
    return None
