"""What a drive is made of, read and checked: world file, vehicles, and their compiled physics.

Nothing here touches the picture, so that all of it can go wrong while another drive is still there.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.game.experiments.twin import load_twin
from driving_sandbox.game.program.loading import Preparation
from driving_sandbox.physics.compile import is_warm
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.vehicle.vehicle_file import find_vehicle, load_vehicle
from driving_sandbox.physics.world.world import World

LOOK_INTERVAL = 0.1  # s between pictures of the loading screen while the world is built beside it


@dataclass
class PreparedDrive:
    """A world_file and who stands in it.

    Attributes:
        world_file: physics.world.world_file.WorldFile. vehicle: the player's, from the file `path`. twin: name of the
        planar vehicle that repeats the driving, or None. trusted: Python files that its compiling may run. on_terminal:
        say there how far the compiling is. values: {path: value} of the world that are not as its files have them.
    """

    world_file: Any
    vehicle: Any
    path: Path
    twin: str | None = None
    trusted: tuple = ()
    on_terminal: bool = False
    values: dict = field(default_factory=dict)
    _begun: Preparation | None = field(default=None, repr=False)

    def __post_init__(self):
        self._twin = None if self.twin is None else load_twin(self.twin)
        self._parked = [load_vehicle(entry.vehicle) for entry in self.world_file.parked]

    @property
    def _others(self):
        """(vehicle, name of its file) of those that nobody drives."""
        others = [(v, entry.vehicle) for v, entry in zip(self._parked, self.world_file.parked, strict=True)]
        return others + ([] if self._twin is None else [(self._twin, self.twin)])

    @property
    def cold(self) -> bool:
        """Whether anything has to be compiled first."""
        return not all(is_warm(one) for one in (self.vehicle, *(one for one, _ in self._others)))

    def begin(self):
        """Start compiling the player's vehicle, beside whatever is done next."""
        self._begun = self._preparation(self.vehicle, self.path, self.trusted)

    def wait(self, screen):
        """Until the physics of all vehicles is compiled; `screen` shows how far it is. Raises CompileFailed when
        it cannot be compiled."""
        others = self._others
        span = 1.0 / (1 + len(others))
        self._begun.wait(screen, 0.0, span)
        for k, (vehicle, name) in enumerate(others, start=1):
            self._preparation(vehicle, find_vehicle(name), ()).wait(screen, k * span, span)

    def _preparation(self, vehicle, path, trusted):
        return Preparation(vehicle, path, self.world_file.path, trusted, self.on_terminal)

    def stand(self, spawn) -> World:
        """The world with its vehicles in their places, its kernels loaded by a tick that is taken back.

        The player's vehicle comes first, then the parked ones, last a twin, which stands where the player's does.
        """
        twins = [] if self._twin is None else [self._twin]
        world = World(self.world_file, [self.vehicle, *self._parked, *twins])
        world.parameters.set_many(self.values)
        world.spawn(spawn)
        for train, entry in zip(world.trains[1:], self.world_file.parked, strict=False):
            world.place(train.start, entry.position, entry.heading)
        if twins:
            world.spawn(spawn, index=len(world.vehicles) - 1)
        before = world.snapshot()
        world.step(np.zeros(len(world.vehicles), COMMAND))
        world.restore(before)
        return world

    def twin_index(self, world) -> int | None:
        """Of the twin among the vehicles of the world that `stand` made."""
        return None if self._twin is None else len(world.vehicles) - 1


def beside(work, look):
    """The result of `work()`, done in a thread while `look()` is called again and again."""
    with ThreadPoolExecutor(1) as thread:
        doing = thread.submit(work)
        while not _done(doing):
            look()
        return doing.result()


def _done(doing):
    try:
        doing.exception(LOOK_INTERVAL)
    except TimeoutError:
        return False
    return True
