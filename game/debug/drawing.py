"""The debug drawing of a drive or a replay: which layers are on, and the lines of every vehicle.

Lines come from the state after the last tick and are moved with the drawn vehicle, which is interpolated between two
ticks. While the drawing is off, no record is read and no node is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driving_sandbox.game.debug.layers import LAYERS, Reading, Scales
from driving_sandbox.game.view.debug.lines import Lines
from driving_sandbox.physics.maths.quat import multiply, rotate

MAX_VEHICLES = 8  # only the first vehicles get lines
_NOTHING = (np.zeros((0, 2, 3), np.float32), np.zeros((0, 4), np.float32))


class DebugDrawing:
    """Layers of the debug drawing and their lines, for the vehicles of a drive or a replay.

    Args:
        scene: game.view.scene.Scene.
        ui: ImGuiBackend, for the frame's size.
    Attributes:
        on: whether anything is drawn.
        layers: {name of LAYERS: whether it is drawn}.
        scales: Scales, those that suit the first vehicle drawn unless they are changed afterwards.
    """

    def __init__(self, scene: Any, ui: Any) -> None:
        self._scene, self._ui = scene, ui
        self.on, self.layers, self.scales = False, dict.fromkeys(LAYERS, True), Scales()
        self._lines: list[Any] = []  # Lines of each vehicle
        self._suited = False  # whether `scales` have been chosen for a vehicle

    def toggle(self) -> None:
        """Switch the drawing on or off; if it goes on while no layer is chosen, choose all of them."""
        self.on = not self.on
        if self.on and not any(self.layers.values()):
            self.layers = dict.fromkeys(LAYERS, True)

    def update(self, vehicles: Sequence[Any], views: Sequence[Any]) -> None:
        """Draw the chosen layers of the first MAX_VEHICLES vehicles at the poses of their views, updated before.

        A vehicle that is None is skipped.
        """
        if not self.on:
            self._hide(0)
            return
        drawn = [
            (vehicle, view)
            for vehicle, view in zip(vehicles, views, strict=False)
            if vehicle is not None and view.frame is not None
        ]
        if drawn and not self._suited:
            self._suited, self.scales = True, Scales.suiting(drawn[0][0])
        for k, (vehicle, view) in enumerate(drawn[:MAX_VEHICLES]):
            if k == len(self._lines):
                self._lines.append(Lines(self._scene, self._ui.size))
            lines = self._lines[k]
            lines.resize(self._ui.size)
            lines.show(*self.lines_of(vehicle))
            lines.set_pose(*_to_drawn_pose(vehicle, view.frame))
        self._hide(len(drawn))

    def lines_of(self, vehicle: Any) -> tuple[np.ndarray, np.ndarray]:
        """A vehicle's lines in the layers that are on: (ends [n, 2, 3] in m, world axes, colours [n, 4])."""
        reading, ends, colours = Reading(vehicle, self.scales), [], []
        for name, layer in LAYERS.items():
            segments = layer.lines(reading) if self.layers[name] else None
            if segments is not None and len(segments):
                ends.append(np.asarray(segments, np.float32))
                colours.append(np.broadcast_to(np.array(layer.colour, np.float32), (len(segments), 4)))
        return (np.concatenate(ends), np.concatenate(colours)) if ends else _NOTHING

    def _hide(self, first: int) -> None:
        for lines in self._lines[first:]:
            lines.hide()

    def close(self) -> None:
        """Remove all lines."""
        for lines in self._lines:
            lines.close()
        self._lines = []


def _to_drawn_pose(vehicle: Any, frame: Any) -> tuple[Any, Any]:
    """(translation, quaternion) from the vehicle's pose after the last tick to the drawn pose."""
    x, y, z, w = (float(v) for v in vehicle.model_orientation())
    rotation = multiply(tuple(frame.body_orientation.tolist()), (-x, -y, -z, w))  # drawn times inverse
    return frame.body_position - np.array(rotate(rotation, tuple(float(v) for v in vehicle.model_position()))), rotation
