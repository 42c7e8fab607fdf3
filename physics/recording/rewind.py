"""Rewind buffer: the last seconds of a world, restorable at any tick.

It holds a snapshot every quarter of a second and the inputs of every tick: a rewind restores the last snapshot up to
the target tick and repeats the ticks in between. Parameters are not rewound; the repeated ticks use their present
values.
"""

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.batch.trajectory import Segment
from driving_sandbox.physics.tick.commands import COMMAND

if TYPE_CHECKING:
    from driving_sandbox.physics.world.world import World

SECONDS = 30.0  # s of the past that are kept
INTERVAL = 0.25  # s between snapshots; a rewind repeats at most 60 ticks of 1/240 s, in less than a millisecond
MIN_MARK_INTERVAL = 0.05  # s between snapshots on demand: dragging a slider asks for one in every frame


class RewindRing:
    """The recent past of a world.

    Attributes:
        tick: number of ticks since the start of the ring; a rewind lowers it.
        capacity: number of ticks whose inputs are kept.
    """

    def __init__(self, world: "World", seconds: float = SECONDS, interval: float = INTERVAL) -> None:
        self.world = world
        self.tick = 0
        # in ticks: between snapshots, least distance of a snapshot on demand from the last one, length of the ring
        self._interval = max(1, round(interval / world.tick_seconds))
        self._min_mark = max(1, round(MIN_MARK_INTERVAL / world.tick_seconds))
        self._length = max(1, round(seconds / world.tick_seconds))
        self.capacity = self._length + self._interval
        self._commands = np.zeros((self.capacity, len(world.vehicles)), COMMAND)
        self._external: dict[int, np.ndarray] = {}  # by tick: external actions, where there were any
        self._acted: dict[int, Any] = {}  # by tick: external actions plus those of contact, where there was any
        self._snapshots = deque([(0, world.snapshot(), self._centres())])  # (tick, bytes, centres of mass), by tick
        self._jumps = [0]  # ticks before which the state was set, not simulated

    @property
    def seconds(self) -> float:
        """Length of the rewindable past, s."""
        return (self.tick - self._snapshots[0][0]) * self.world.tick_seconds

    def record(self, commands: np.ndarray, external: np.ndarray | None = None) -> None:
        """Store the inputs of the tick that the world has just stepped."""
        slot = self.tick % len(self._commands)
        self._commands[slot] = commands
        self._external.pop(self.tick - len(self._commands), None)
        self._acted.pop(self.tick - len(self._commands), None)
        if external is not None:
            self._external[self.tick] = external.copy()
        if self.world.acted is not external:
            self._acted[self.tick] = self.world.acted
        self.tick += 1
        if self.tick % self._interval == 0:
            self._add()

    def mark(self, exact: bool = False) -> None:
        """Take a snapshot before a change of parameters; with `exact` because the state was set, not simulated.

        Without `exact` none is taken within MIN_MARK_INTERVAL of the last one.
        """
        if exact:
            self._jumps.append(self.tick)
        if exact or self.tick - self._snapshots[-1][0] >= self._min_mark:
            self._add()

    def _add(self) -> None:
        """Take a snapshot at the present tick, and drop the oldest ones that are no longer needed."""
        if self._snapshots[-1][0] == self.tick:
            self._snapshots.pop()
        self._snapshots.append((self.tick, self.world.snapshot(), self._centres()))
        while len(self._snapshots) > 1 and self._snapshots[1][0] <= self.tick - self._length:
            self._snapshots.popleft()

    def _centres(self) -> list[np.ndarray]:
        """Each vehicle's centre of mass relative to the model's origin, m: positions in a state refer to it."""
        return [v.params["body"]["centre_of_mass"][0].copy() for v in self.world.vehicles]

    def segment(self, seconds: float, index: int) -> Segment | None:
        """Segment that repeats the last `seconds` or slightly more of a vehicle's train, beginning at a snapshot.

        It does not reach back beyond the ring's start or the last jump; None if there is no tick to repeat.
        """
        first_tick = self.tick - round(seconds / self.world.tick_seconds)
        usable = [s for s in self._snapshots if s[0] >= self._jumps[-1]]
        start, data, centres = next((s for s in reversed(usable) if s[0] <= first_tick), usable[0])
        if start == self.tick:
            return None
        train = self.world.train_of(index)
        slots = np.arange(start, self.tick) % len(self._commands)
        actions = {**self._external, **self._acted}
        external = {t: actions[t][train.start : train.stop] for t in range(start, self.tick) if t in actions}
        states = self.world.states_of(data)[train.start : train.stop]
        return Segment(start, states, centres[train.start : train.stop], self._commands[slots, train.start], external)

    def rewind(self, seconds: float) -> float:
        """Rewind the world by some seconds, at most to the start of the ring; returns the seconds rewound."""
        start = self.tick
        target_tick = max(start - round(seconds / self.world.tick_seconds), self._snapshots[0][0], 0)
        while self._snapshots[-1][0] > target_tick:
            self._snapshots.pop()
        tick, state, _ = self._snapshots[-1]
        self.world.restore(state)
        for t in range(tick, target_tick):
            self.world.step(self._commands[t % len(self._commands)], self._external.get(t))
        for actions in (self._external, self._acted):
            for t in [t for t in actions if t >= target_tick]:
                del actions[t]
        self.tick = target_tick
        while self._jumps[-1] > target_tick:
            self._jumps.pop()
        return (start - target_tick) * self.world.tick_seconds
