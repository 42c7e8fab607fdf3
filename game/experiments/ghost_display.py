"""The drawn ghosts: a translucent vehicle for each."""

from typing import Any

from driving_sandbox.game.experiments.ghosts import Ghost, Ghosts, ReplayGhosts
from driving_sandbox.game.view.vehicle.ghost import COLOURS, GhostView


class GhostDisplay:
    """The drawn vehicles of all running ghosts. Call `update` once a frame.

    Args:
        scene: game.view.scene.Scene.
        ghosts: game.experiments.ghosts.Ghosts or ReplayGhosts.
    """

    def __init__(self, scene: Any, ghosts: Ghosts | ReplayGhosts) -> None:
        self._scene, self._ghosts = scene, ghosts
        self.views: dict[Ghost, tuple[Any, Any]] = {}  # {ghost: (index of its colour, its view)}

    def update(self, now: float) -> None:
        """Add, remove and pose the drawn vehicles for `now`, the session's time in s."""
        running = self._ghosts.running
        for ghost in [g for g in self.views if g not in running]:
            self.views.pop(ghost)[1].close()
        for k, ghost in enumerate(running):
            if ghost.drive.look is None:  # its model file is unknown
                continue
            colour_number, view = self.views.get(ghost, (None, None))
            if colour_number != k:
                if view is not None:
                    view.close()
                # look[0]: path of the model
                view = GhostView(self._scene, ghost.drive.look[0], COLOURS[k % len(COLOURS)])
                self.views[ghost] = (k, view)
            visible = self._ghosts.visible and ghost.shown(now)
            view.show(visible)
            if visible:
                view.update(ghost.frame(now))
