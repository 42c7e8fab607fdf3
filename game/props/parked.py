"""The vehicles without a driver that a world lists, and how they are put back."""

import numpy as np

MOVED = 0.05  # m, or a twentieth of a radian: less is how a car settles on its springs


class Parked:
    """Parked vehicles of a world, at their present poses.

    Args:
        world: physics.world.world.World whose trains after the first begin with those its file lists as parked.
    """

    def __init__(self, world):
        self._world = world
        parked = world.file.parked if world.file else []
        trains = world.trains[1 : 1 + len(parked)]
        self._parked = list(zip(trains, parked, strict=True)) if len(trains) == len(parked) else []
        self._start = {train.start: self._pose(train.start) for train, _ in self._parked}

    def _pose(self, index):
        body = self._world.vehicles[index].state["body"][0]
        return body["position"].copy(), body["orientation"].copy()

    def put_back(self):
        """Return moved vehicles to their positions; returns (indices put back, names whose position is occupied)."""
        back, taken = [], []
        for train, spot in self._parked:
            (position, turn), (start, first) = self._pose(train.start), self._start[train.start]
            if np.linalg.norm(position - start) < MOVED and 2.0 * (1.0 - abs(turn @ first)) < (MOVED / 2.0) ** 2:
                continue
            name = self._world.vehicles[train.start].name
            if any(self._occupies(i, start, train) for i in range(len(self._world.vehicles)) if i not in train):
                taken.append(name)
                continue
            self._world.place(train.start, spot.position, spot.heading)
            back.extend(train)
        return back, taken

    def _occupies(self, index, start, train):
        if "contact" not in self._world.vehicles[index].sequence.by_slot:
            return False
        radii = [float(self._world.vehicles[i].params["contact"][0]["hull"]["radius"]) for i in (index, train.start)]
        return float(np.linalg.norm(self._pose(index)[0] - start)) < sum(radii)
