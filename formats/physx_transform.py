"""Converts a whole PhysX parameter set to other axes and another unit of length.

    doc = transformed(json.loads(text), frame=(0, 2, 4), scale=100.0)     # forward +x, lateral +y, up +z; centimetres

The flat layout of vehicle files (formats/physx_read.py) is kept. Every value scales with its length dimension: 1 for
positions, speeds, gravity and forces (and so tire stiffnesses, which are forces per slip), 2 for torques, moments of
inertia, rotational damping and clutch strength, 0 for spring rates and suspension damping, which are forces per length.
Vectors and the vector parts of rotations change axes: longitudinal components stay longitudinal, lateral ones lateral,
vertical ones vertical. Converting back reproduces every number to rounding.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from driving_sandbox.formats.physx_frame import SAMPLE_FRAME, PhysxFrame

LENGTHS = frozenset((  # keys of numbers of length dimension 1
    "travel", "radius", "half_width", "wheelbase", "track", "lat_stiff_y", "lng_stiff", "camber_stiff", "rest_load",
    "min_lat_denom", "min_passive_lng_denom", "min_active_lng_denom", "wheel_angle_threshold", "com_height",
))  # fmt: skip
SQUARES = frozenset((  # keys of numbers of length dimension 2
    "wheel_moi", "wheel_damping", "peak_torque", "damp_full", "damp_zero_engaged", "damp_zero_disengaged",
))  # fmt: skip
POSITIONS = frozenset(("attach_pos", "wheel_attach_pos", "gravity"))  # vectors with a length dimension
ROTATIONS = frozenset(("attach_quat", "wheel_attach_quat"))
POINTS = frozenset(("susp_app", "tire_app"))  # graphs whose values are positions


class _Change:
    """Converts values from one PhysxFrame to another."""

    def __init__(self, source: PhysxFrame, target: PhysxFrame) -> None:
        self.turn = target.matrix.T @ source.matrix  # rotation matrix from source to target axes
        self.length = target.scale / source.scale  # target length units per source unit

    def vector(self, v: Any, power: int = 0) -> list[float]:
        """A vector in the target frame; `power` is its length dimension."""
        return (self.turn @ np.asarray(v, float) * self.length**power).tolist()

    def rotation(self, q: Any) -> list[float]:
        """A quaternion (x, y, z, w) in the target frame."""
        return [*(self.turn @ np.asarray(q[:3], float)).tolist(), q[3]]

    def moments(self, moments: Any) -> list[float]:
        """Moments of inertia about the target frame's axes."""
        return (np.abs(self.turn) @ np.asarray(moments, float) * self.length**2).tolist()

    def value(self, key: str, value: Any) -> Any:
        """Convert the value of a key of the layout."""
        if key in LENGTHS:
            return value * self.length
        if key in SQUARES or (key in ("moi", "strength") and not isinstance(value, list | dict)):
            return value * self.length**2
        if key == "moi":
            return self.moments(value)
        if key in POSITIONS:
            return self.vector(value, 1)
        if key == "travel_dir":
            return self.vector(value)
        if key in ROTATIONS:
            return self.rotation(value)
        if key in POINTS:
            return [[x, self.vector(v, 1)] for x, v in value]
        if key == "nonlinear":
            return [{**row, "points": [[s * self.length, r] for s, r in row["points"]]} for row in value]
        if key == "sticky":  # rows that begin with a speed
            return [[speed * self.length, *others] for speed, *others in value]
        return self.walk(value)

    def walk(self, node: Any) -> Any:
        """Convert every value of a nested structure by its key."""
        if isinstance(node, dict):
            return {key: self.value(key, value) for key, value in node.items()}
        return [self.walk(v) for v in node] if isinstance(node, list) else node


def transformed(doc: dict[str, Any], frame: Sequence[int] = SAMPLE_FRAME, scale: float = 1.0) -> dict[str, Any]:
    """The vehicle of a flat document in another frame (axis codes) and with `scale` units of length per metre.

    Raises ValueError for axes that do not form a right-handed frame.
    """
    context = doc.get("context", {})
    change = _Change(
        PhysxFrame(context.get("frame", SAMPLE_FRAME), doc.get("scale", 1.0)), PhysxFrame(list(frame), scale)
    )
    result = change.walk({**doc, "ackermann": [], "context": {k: v for k, v in context.items() if k != "frame"}})
    # Converted here, as `strength` is a ratio in this section and a torque per speed in that of the clutch.
    result["ackermann"] = [
        {**entry, **{k: entry[k] * change.length for k in ("wheelbase", "track")}} for entry in doc["ackermann"]
    ]
    responses = [*result["brake"], *([result["throttle"]] if "throttle" in result else [])]
    for response in responses:
        response["max_response"] *= change.length**2
    result["context"]["frame"] = list(frame)
    return {**result, "scale": float(scale)}
