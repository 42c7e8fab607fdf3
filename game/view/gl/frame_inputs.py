"""Inputs of all shaders of a scene that change from frame to frame, by name. The focus vehicle is the watched one.

They are passed as two arrays, which takes less time than one named input each. The position of each name in the arrays
is defined here only: `declarations` gives it to the shaders, and FrameInputs writes by the same names.
"""

from panda3d.core import LMatrix4f, LVecBase4f, NodePath, PTA_LMatrix4f, PTA_LVecBase4f

MATRICES = ("to_vehicle_shadow", "to_static_shadow", "to_focus_vehicle", "to_far_shadow")  # transforms from the world
WHEELS = 4  # tires of the focus vehicle that darken the ground below them
ROWS = 2 + WHEELS  # number of vectors, of four numbers each: a first, one per tire, and a last
VALUES = {  # name: (row, first component, number of components)
    "focus_half_size": (0, 0, 3),  # m, of the focus vehicle
    "focus_strength": (0, 3, 1),  # 1 with a focus vehicle, else 0
    "shadow_fade_centre": (ROWS - 1, 0, 2),  # the near static map fades out around it; in the map's coordinates, 0..1
    "eye_in_vehicle": (ROWS - 1, 2, 1),  # 1 if the eye is in the focus vehicle
    "frame_time": (ROWS - 1, 3, 1),  # s, simulated
    # x, y, z of the tire's lowest point, world, m; then 1 if there is such a wheel, else 0
    **{f"tire_contact_{k}": (1 + k, 0, 4) for k in range(WHEELS)},
}


def declarations() -> str:
    """GLSL source that defines the names of MATRICES and VALUES in a shader, and `tire_contact(k)`."""
    lines = [f"uniform mat4 frame_matrix[{len(MATRICES)}];", f"uniform vec4 frame_data[{ROWS}];"]
    lines += [f"#define {name} frame_matrix[{k}]" for k, name in enumerate(MATRICES)]
    lines += [f"#define {name} frame_data[{row}].{'xyzw'[first : first + count]}"
              for name, (row, first, count) in VALUES.items()]  # fmt: skip
    return "\n".join([*lines, "#define tire_contact(k) frame_data[1 + k]", f"#define TIRE_CONTACTS {WHEELS}", ""])


class FrameInputs:
    """The inputs of the shaders of all nodes below `root`."""

    def __init__(self, root: NodePath) -> None:
        self._matrices = PTA_LMatrix4f([LMatrix4f.identMat() for _ in MATRICES])
        self._values = PTA_LVecBase4f([LVecBase4f(0) for _ in range(ROWS)])
        root.setShaderInput("frame_matrix", self._matrices)
        root.setShaderInput("frame_data", self._values)

    def matrix(self, name: str) -> LMatrix4f:
        """The matrix of this name, one of MATRICES."""
        return LMatrix4f(self._matrices.getElement(MATRICES.index(name)))

    def set_matrix(self, name: str, matrix: LMatrix4f) -> None:
        """Set one of MATRICES."""
        self._matrices.setElement(MATRICES.index(name), matrix)

    def set(self, name: str, *numbers: float) -> None:
        """Write all components of a value, one of VALUES. Raises ValueError for another number of components."""
        row, first, count = VALUES[name]
        if len(numbers) != count:
            raise ValueError(f"{name} has {count} components, not {len(numbers)}")
        vector = LVecBase4f(self._values.getElement(row))
        for k, number in enumerate(numbers):
            vector[first + k] = number
        self._values.setElement(row, vector)
