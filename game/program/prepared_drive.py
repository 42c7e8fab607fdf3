"""Prepares a drive before it begins: checked world file, vehicles and their compiled physics.

Nothing here touches the view, so that the present drive can go on after an error.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.game.experiments.twin import load_twin
from driving_sandbox.game.program.loading import Preparation
from driving_sandbox.physics.compile import is_warm
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import find_vehicle, load_vehicle
from driving_sandbox.physics.world.world import World

FRAME_PAUSE = 0.1  # s between frames of the loading screen while a thread works


@dataclass
class PreparedDrive:
    """A world, its vehicles and the options of their drive.

    Attributes:
        world_file: physics.world.world_file.WorldFile.
        vehicle: the player's vehicle.
        path: the file of the player's vehicle.
        twin: name of the twin's vehicle, or None.
        trusted: Python files that compiling may run.
        on_terminal: whether to print the progress of compiling.
        values: {path: value} of changed parameters of the world.
    Raises:
        ConfigError: the file of a parked vehicle or of the twin is faulty.
    """

    world_file: Any
    vehicle: Any
    path: Path
    twin: str | None = None
    trusted: tuple = ()
    on_terminal: bool = False
    values: dict = field(default_factory=dict)
    _player_preparation: Preparation | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._twin = None if self.twin is None else load_twin(self.twin)
        self._parked = [load_vehicle(entry.vehicle) for entry in self.world_file.parked]

    @property
    def _undriven(self) -> list[tuple[Vehicle, str]]:
        """[(vehicle, name of its file)] of the parked vehicles and the twin."""
        others = [(v, entry.vehicle) for v, entry in zip(self._parked, self.world_file.parked, strict=True)]
        if self._twin is not None and self.twin is not None:
            others.append((self._twin, self.twin))
        return others

    @property
    def needs_compiling(self) -> bool:
        """Whether a vehicle has to be compiled first."""
        vehicles = (self.vehicle, *(vehicle for vehicle, _ in self._undriven))
        return not all(is_warm(vehicle, **self._shared_kernels) for vehicle in vehicles)

    @property
    def _shared_kernels(self) -> dict[str, bool]:
        """Keyword arguments of `is_warm`: kernels that the drive needs in addition to the vehicles' own."""
        return {"props": bool(self.world_file.props), "contact": bool(self._undriven)}

    def begin(self) -> None:
        """Start compiling the player's vehicle in the background."""
        self._player_preparation = self._preparation(self.vehicle, self.path, self.trusted)

    def wait(self, screen: Any) -> None:
        """Wait until all vehicles are compiled; `screen` shows the progress. Raises CompileFailed."""
        others = self._undriven
        span = 1.0 / (1 + len(others))
        assert self._player_preparation is not None  # `begin` was called
        self._player_preparation.wait(screen, done=0.0, span=span)
        for k, (vehicle, name) in enumerate(others, start=1):
            self._preparation(vehicle, find_vehicle(name), trusted=()).wait(screen, done=k * span, span=span)

    def _preparation(self, vehicle: Vehicle, path: Path, trusted: tuple) -> Preparation:
        return Preparation(vehicle, path, self.world_file.path, trusted, self.on_terminal, self._shared_kernels)

    def build_world(self, spawn: str | None) -> World:
        """The world with its vehicles placed. One tick is run and undone, because this loads all kernels.

        Vehicles in order: the player's, the parked ones, then the twin, at the player's position.
        """
        twins = [] if self._twin is None else [self._twin]
        world = World(self.world_file, [self.vehicle, *self._parked, *twins])
        world.parameters.set_many(self.values)
        world.spawn(spawn)
        for train, entry in zip(world.trains[1:], self.world_file.parked, strict=False):  # the last may be the twin
            world.place(train.start, entry.position, entry.heading)
        if twins:
            world.spawn(spawn, index=len(world.vehicles) - 1)
        if world.props is not None:
            world.props.prepare()
        if world.between is not None:
            world.between.prepare()
        before = world.snapshot()
        world.step(np.zeros(len(world.vehicles), COMMAND))
        world.restore(before)
        return world

    def twin_index(self, world: World) -> int | None:
        """Index of the twin in the world of `build_world`, or None without a twin."""
        return None if self._twin is None else len(world.vehicles) - 1


def run_in_background(work: Callable[[], Any], meanwhile: Callable[[], object]) -> Any:
    """The result of `work()`, run in a thread while `meanwhile()` is called every FRAME_PAUSE seconds."""
    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(work)
        while not _done_within_pause(future):
            meanwhile()
        return future.result()


def _done_within_pause(future: Future) -> bool:
    """Wait for a Future, at most FRAME_PAUSE; returns whether it is done."""
    try:
        future.exception(FRAME_PAUSE)
    except TimeoutError:
        return False
    return True
