"""Values for the lap box and the small map beyond the vehicle's own state: the gap to the best lap, and positions."""

from collections.abc import Callable
from math import atan2
from pathlib import Path
from typing import Any

from driving_sandbox.game.hud.frame import HudFrame
from driving_sandbox.game.hud.map import MiniMap
from driving_sandbox.game.hud.style import LABEL
from driving_sandbox.game.laps.delta import LapDelta
from driving_sandbox.game.laps.world_map import map_lines
from driving_sandbox.game.view.cameras.chase import forward_of
from driving_sandbox.game.view.vehicle.ghost import COLOURS


class Navigation:
    """Fills a HudFrame with the gap and the positions. Call `fill` once a frame.

    Args:
        session: game.session.session.Session.
        ghosts: game.experiments.ghosts.Ghosts.
        path_of_best: function(track name) -> path of the stored best lap.
    Attributes:
        map: MiniMap of the world.
        delta: LapDelta.
    """

    def __init__(self, session: Any, ghosts: Any, path_of_best: Callable[[str], Path]) -> None:
        self._session, self._ghosts = session, ghosts
        self.map = MiniMap(map_lines(session.world.file))
        self.delta = LapDelta(session.stopwatch, path_of_best)

    def fill(self, frame: HudFrame) -> None:
        """Set the gap, the vehicle's position and heading and the other vehicles of a HudFrame."""
        session = self._session
        vehicle = session.vehicle
        position = vehicle.model_position()
        self.delta.step(position, session.stopwatch.time)
        times = session.stopwatch.shown
        best_lap = self.delta.best(times.track.name) if times else None
        frame.delta, frame.reference = self.delta.value, best_lap.name if best_lap else ""
        east, north, _ = forward_of(vehicle.state["body"]["orientation"][0].tolist())
        frame.position, frame.heading = (float(position[0]), float(position[1])), atan2(-east, north)
        frame.others = [*self._vehicles(), *self._running_ghosts()]

    def _vehicles(self) -> list[Any]:
        """[(x, y, colour)] of all vehicles but the player's and its trailers."""
        world, player = self._session.world, self._session.player
        player_train = next(train for train in world.trains if player in train)
        return [
            (*map(float, v.model_position()[:2]), LABEL) for i, v in enumerate(world.vehicles) if i not in player_train
        ]

    def _running_ghosts(self) -> list[Any]:
        """[(x, y, colour)] of the ghosts that are visible."""
        ghosts, now = self._ghosts, self._session.world.time
        if not ghosts.visible:
            return []
        return [(*map(float, ghost.frame(now).body_position[:2]), (*COLOURS[k % len(COLOURS)], 1.0))
                for k, ghost in enumerate(ghosts.running) if ghost.shown(now)]  # fmt: skip
