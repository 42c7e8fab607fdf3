"""The parked vehicles that a world lists, and putting them back."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from driving_sandbox.physics.world.world import World

MIN_MOVE = 0.05  # m, and rad; a car that moved less has only settled on its springs


class Parked:
    """Parked vehicles of a world. `put_back` compares their poses with those when this object was made.

    Args:
        world: physics.world.world.World; after the player's train come the parked ones, in the order of its file.
    """

    def __init__(self, world: "World") -> None:
        self._world = world
        parked = world.file.parked if world.file else []
        trains = world.trains[1 : 1 + len(parked)]
        self._parked = list(zip(trains, parked, strict=True)) if len(trains) == len(parked) else []
        self._start = {train.start: self._pose(train.start) for train, _ in self._parked}

    def _pose(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        body = self._world.vehicles[index].state["body"][0]
        return body["position"].copy(), body["orientation"].copy()

    def put_back(self) -> tuple[list[int], list[str]]:
        """Put vehicles that were moved or turned back to their parking positions, with their trailers.

        Returns (indices of the vehicles and trailers put back, names of the vehicles whose position is occupied).
        """
        moved_back, blocked = list[int](), list[str]()
        for train, entry in self._parked:
            (position, orientation), (start, start_orientation) = self._pose(train.start), self._start[train.start]
            # 1 - |q1 . q2| = 1 - cos(angle / 2), about angle^2 / 8
            is_turned = 2.0 * (1.0 - abs(orientation @ start_orientation)) >= (MIN_MOVE / 2.0) ** 2
            if np.linalg.norm(position - start) < MIN_MOVE and not is_turned:
                continue
            name = self._world.vehicles[train.start].name
            if any(self._occupies(i, start, train) for i in range(len(self._world.vehicles)) if i not in train):
                blocked.append(name)
                continue
            self._world.place(train.start, entry.position, entry.heading)
            moved_back.extend(train)
        return moved_back, blocked

    def _occupies(self, index: int, start: np.ndarray, train: range) -> bool:
        """Whether the spheres around vehicle `index` and around the train's first vehicle at `start` would overlap.

        Vehicles without contact pass through others.
        """
        pair = [self._world.vehicles[i] for i in (index, train.start)]
        if any("contact" not in vehicle.sequence.by_slot for vehicle in pair):
            return False
        radii = [float(vehicle.params["contact"][0]["hull"]["radius"]) for vehicle in pair]
        return float(np.linalg.norm(self._pose(index)[0] - start)) < sum(radii)
