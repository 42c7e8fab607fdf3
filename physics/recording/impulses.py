"""Impulses on the bodywork of recorded vehicles between two frames of poses, which are fewer than ticks.

Of each tick counts the sum of the normal impulses of contacts with the world, and what other vehicles, props and the
program have pushed with. A collision is a rise of one of them from a tick to the next.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.world.world import World


class ContactImpulses:
    """Adds up the impulses of a world's present vehicles. After a swap the world needs a new one."""

    def __init__(self, world: World) -> None:
        self._world, count = world, len(world.vehicles)
        # (index, view of the number of contacts, view of their impulses) of each vehicle with bodywork
        self._contacts = list(_contacts(world.vehicles))
        self._still = np.zeros((2, count))
        self._sums = np.zeros((count, 2))
        self.forget()

    def forget(self) -> None:
        """Call after a jump: the next tick is not compared with the one before."""
        self._before: Any = None
        self._sums[:] = 0.0

    def note(self) -> None:
        """Add the tick that the world has just stepped."""
        acted = getattr(self._world, "acted", None)
        now = self._still  # the same array as long as nothing touches
        for index, count, impulses in self._contacts:
            if count[0] > 0:
                now = now.copy() if now is self._still else now
                now[0, index] = impulses[: count[0]].sum()
        if acted is not None:
            now = now.copy() if now is self._still else now
            push = acted["impulse"] + self._world.tick_seconds * acted["force"]
            now[1] = np.sqrt((push * push).sum(axis=1))
        if now is not self._still:
            now[~np.isfinite(now)] = 0.0  # of a tick that ended in a fault
            if self._before is not None:
                np.maximum(self._sums[:, 0], (now - self._before).max(axis=0), out=self._sums[:, 0])
            self._sums[:, 1] += now.sum(axis=0)
        self._before = now

    def take(self) -> np.ndarray:
        """(largest rise from tick to tick, sum) of each vehicle's impulses since the last call, N s, [vehicles, 2]."""
        sums, self._sums = self._sums, np.zeros_like(self._sums)
        return sums


def _contacts(vehicles: Any) -> Any:
    """Yield (index, number of contacts int64 [1], their impulses float64 [n]) of vehicles with bodywork, as views."""
    for index, vehicle in enumerate(vehicles):
        slots = vehicle.state.dtype.names or ()
        if "contact" in slots and "solver" in (vehicle.state["contact"].dtype.names or ()):
            solver = vehicle.state["contact"]["solver"]
            yield index, solver["contact_count"], solver["contacts"]["tick_impulse"][0]
