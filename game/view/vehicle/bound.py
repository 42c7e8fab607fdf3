"""Nodes bound to a body or a wheel, which follow its whole motion, its translation only, or its rotation only.

The binding is part of a node's name in the model: `NAME@body.translation` or `NAME@wheel3.rotation`. A node bound to
the body follows the body's motion since the vehicle was first drawn:

    full           the node is fixed to the body
    translation    it moves with the body but keeps its first orientation: it stays upright when the body rolls
    rotation       it rotates with the body, at the position where it was first drawn

A node bound to a wheel is on the body and follows the wheel's motion relative to the body: with `translation`, a
mudguard rises and falls with its wheel and does not spin. Panda3D's matrices act on row vectors: p' = p M; A B means
first A, then B.
"""

import re
from collections.abc import Sequence

import numpy as np
from panda3d.core import LMatrix4f, LQuaternionf, LVecBase3f, NodePath

from driving_sandbox.physics.base.user_error import WrongValue

FULL, TRANSLATION, ROTATION = "full", "translation", "rotation"
_NAME = re.compile(rf".*@(?:body|wheel([1-9]\d*))\.({FULL}|{TRANSLATION}|{ROTATION})")


def binding(name: str) -> tuple[int | None, str] | None:
    """(index of the wheel, or None for the body; FULL, TRANSLATION or ROTATION) from a node's name; None if unbound."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    return (int(match.group(1)) - 1 if match.group(1) else None), match.group(2)


def check_wheel(name: str, wheel_count: int) -> None:
    """Raise WrongValue if a node is bound to a wheel that a model with `wheel_count` wheels does not have."""
    bound = binding(name)
    if bound is not None and bound[0] is not None and bound[0] >= wheel_count:
        raise WrongValue(f"model part {name} follows a wheel that the model does not have")


def pose(position: Sequence[float] | np.ndarray, orientation: Sequence[float] | np.ndarray) -> LMatrix4f:
    """Matrix of a position and an orientation (quaternion x, y, z, w)."""
    x, y, z, w = orientation
    matrix = LMatrix4f()
    LQuaternionf(w, x, y, z).extractToMatrix(matrix)
    matrix.setRow(3, LVecBase3f(*position))
    return matrix


def combined(rotation: LMatrix4f, position: LMatrix4f) -> LMatrix4f:
    """Matrix with the linear part of `rotation` and the translation of `position`."""
    matrix = LMatrix4f(rotation)
    matrix.setRow(3, position.getRow3(3))
    return matrix


class BoundNode:
    """A bound node.

    Args:
        path: NodePath.
        rest: matrix of the node in the model.
        wheel, kind: as from `binding`.
        wheel_rest: rest position of its wheel in the model, m.
    """

    def __init__(
        self,
        path: NodePath,
        rest: LMatrix4f,
        wheel: int | None,
        kind: str,
        wheel_rest: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
    ) -> None:
        self.path, self.rest, self.wheel, self.kind = path, LMatrix4f(rest), wheel, kind
        self.to_wheel = LMatrix4f.translateMat(*(-float(c) for c in wheel_rest))  # from the model to the wheel's frame
        self.wheel_rest = LVecBase3f(*(float(c) for c in wheel_rest))
        self.first = None  # world matrix of the body at the first update

    def update(self, body: LMatrix4f, wheel: LMatrix4f | None) -> None:
        """Pose the node by the world matrices of the body and of its wheel (None for a node bound to the body)."""
        self.path.setMat(self._on_body(body) if self.wheel is None else self._on_wheel(body, wheel))

    def _on_body(self, body: LMatrix4f) -> LMatrix4f:
        """World matrix of a node bound to the body."""
        if self.first is None:
            self.first = LMatrix4f(body)
        if self.kind == FULL:
            return self.rest * body
        if self.kind == ROTATION:
            return combined(self.rest * body, self.rest * self.first)
        return self.rest * combined(self.first, body)

    def _on_wheel(self, body: LMatrix4f, wheel: LMatrix4f) -> LMatrix4f:
        """World matrix of a node bound to a wheel."""
        if self.kind == FULL:
            return self.rest * self.to_wheel * wheel
        to_body = LMatrix4f(body)
        to_body.invertInPlace()
        local = wheel * to_body
        if self.kind == ROTATION:
            return combined(self.rest * local, self.rest) * body
        return self.rest * LMatrix4f.translateMat(local.getRow3(3) - self.wheel_rest) * body
