"""The debug drawing of a drive or a replay: which layers are on, and the lines of every vehicle.

Lines come from the state after the last tick and are moved with the drawn vehicle, which is interpolated between two
ticks. Switched off it costs nothing: no record is read, no node is drawn.
"""

from __future__ import annotations

import numpy as np

from driving_sandbox.game.debug.layers import LAYERS, Reading, Scales
from driving_sandbox.game.view.debug.lines import Lines
from driving_sandbox.physics.maths.quat import multiply, rotate

MAX_VEHICLES = 8  # drawn, the first ones
_NOTHING = (np.zeros((0, 2, 3), np.float32), np.zeros((0, 4), np.float32))


class DebugDrawing:
    """Layers of the debug drawing and their lines, for the vehicles of a drive or a replay.

    Args:
        scene: game.view.scene.Scene.
        ui: ImGuiBackend, for the frame's size.
    Attributes:
        on: whether anything is drawn.
        layers: {name of LAYERS: whether it is drawn}.
        scales: Scales, at first those of the first vehicle drawn.
    """

    def __init__(self, scene, ui):
        self._scene, self._ui = scene, ui
        self.on, self.layers, self.scales = False, dict.fromkeys(LAYERS, True), Scales()
        self._lines, self._suited = [], False

    def toggle(self) -> None:
        """Switch the drawing on or off; on with no layer chosen, all layers are chosen."""
        self.on = not self.on
        if self.on and not any(self.layers.values()):
            self.layers = dict.fromkeys(LAYERS, True)

    def update(self, vehicles, views):
        """Draw the chosen layers of vehicles (some may be None) at the poses of their views. Call after the views'
        update."""
        if not self.on:
            self._hide(0)
            return
        shown = [(v, w) for v, w in zip(vehicles, views, strict=False) if v is not None and w.frame is not None]
        if shown and not self._suited:
            self._suited, self.scales = True, Scales.suiting(shown[0][0])
        for k, (vehicle, view) in enumerate(shown[:MAX_VEHICLES]):
            if k == len(self._lines):
                self._lines.append(Lines(self._scene, self._ui.size))
            lines = self._lines[k]
            lines.resize(self._ui.size)
            lines.show(*self.lines_of(vehicle))
            lines.set_pose(*_to_drawn_pose(vehicle, view.frame))
        self._hide(len(shown))

    def lines_of(self, vehicle):
        """(ends [n, 2, 3], colours [n, 4]) of the layers that are on."""
        reading, ends, colours = Reading(vehicle, self.scales), [], []
        for name, layer in LAYERS.items():
            segments = layer.lines(reading) if self.layers[name] else None
            if segments is not None and len(segments):
                ends.append(np.asarray(segments, np.float32))
                colours.append(np.broadcast_to(np.array(layer.colour, np.float32), (len(segments), 4)))
        return (np.concatenate(ends), np.concatenate(colours)) if ends else _NOTHING

    def _hide(self, first):
        for lines in self._lines[first:]:
            lines.hide()

    def close(self) -> None:
        for lines in self._lines:
            lines.close()
        self._lines = []


def _to_drawn_pose(vehicle, frame):
    """(translation, quaternion) from the vehicle's pose after the last tick to the drawn pose."""
    x, y, z, w = (float(v) for v in vehicle.model_orientation())
    turn = multiply(tuple(frame.body_orientation.tolist()), (-x, -y, -z, w))
    return frame.body_position - np.array(rotate(turn, tuple(float(v) for v in vehicle.model_position()))), turn
