"""Display of the twin (game/experiments/twin.py), a second vehicle driven with the same commands.

It consists of a translucent vehicle, the ghost, and a window with the differences.
"""

from typing import Any

from driving_sandbox.game.experiments.twin import Twin
from driving_sandbox.game.experiments.twin_window import TwinWindow
from driving_sandbox.game.view.vehicle.ghost import COLOURS, GhostView


class TwinDisplay:
    """The twin with its ghost and window. Call `update` once a frame, and `draw` while the interface is drawn.

    Args:
        session: game.session.session.Session.
        scene: game.view.scene.Scene.
        ui: ImGuiBackend.
        index: index of the twin among the world's vehicles.
    """

    def __init__(self, session: Any, scene: Any, ui: Any, index: int) -> None:
        self._session, self._index = session, index
        self.twin = Twin(session, index)
        geometry = self.twin.vehicle.geometry
        self.view = GhostView(scene, geometry.path, COLOURS[0]) if geometry is not None else None
        self.window = TwinWindow(ui, self.twin)
        session.changes.on_jump.append(self.twin.jumped)

    def recover(self) -> None:
        """Put the car back on its wheels and move the twin to it."""
        self._session.changes.recover()
        self.twin.join()

    def toggle(self) -> None:
        """Show or hide the twin, which drives on while hidden."""
        self.twin.shown = not self.twin.shown

    def update(self) -> None:
        """Store the channels of car and twin, and pose the ghost."""
        self.twin.sample(self._session.world.time)
        if self.view is not None:
            self.view.show(self.twin.shown)
            self.view.update(self._session.interpolated(self._index))

    def draw(self, left: float, right: float) -> None:
        """Draw the window between the panels. left, right: their inner edges, pixels."""
        self.window.draw(left, right)
