"""Frame inputs of shaders: each name has its own components, and a value is read by the name it was written by."""

import re

import pytest
from panda3d.core import LMatrix4f, NodePath

from driving_sandbox.game.view.gl.frame_inputs import MATRICES, ROWS, VALUES, FrameInputs, declarations
from driving_sandbox.game.view.gl.shading import SHADERS


def test_no_two_names_share_a_component():
    # all (row, component) of VALUES
    components = [(row, k) for row, first, count in VALUES.values() for k in range(first, first + count)]
    assert len(components) == len(set(components)) and max(row for row, _ in components) == ROWS - 1
    assert all(0 <= k < 4 for _, k in components)


def test_a_written_value_is_read_by_its_name_and_nothing_else_changes():
    root = NodePath("scene")
    inputs = FrameInputs(root)
    defines = dict(re.findall(r"#define (\w+) (frame_data\[\d+\]\.\w+)", declarations()))
    for number, (name, (_, _, count)) in enumerate(VALUES.items()):
        inputs.set(name, *(10.0 * number + k for k in range(count)))
    for number, (name, (row, first, count)) in enumerate(VALUES.items()):
        assert defines[name] == f"frame_data[{row}].{'xyzw'[first : first + count]}"
        written = [inputs._values.getElement(row)[first + k] for k in range(count)]
        assert written == [10.0 * number + k for k in range(count)]
    with pytest.raises(ValueError, match="frame_time has 1 components, not 2"):
        inputs.set("frame_time", 1.0, 2.0)


def test_matrices_are_set_and_read_by_name():
    inputs = FrameInputs(NodePath("scene"))
    inputs.set_matrix("to_static_shadow", LMatrix4f.scaleMat(3.0))
    assert inputs.matrix("to_static_shadow") == LMatrix4f.scaleMat(3.0)
    assert all(inputs.matrix(name) == LMatrix4f.identMat() for name in MATRICES if name != "to_static_shadow")


def test_no_shader_reads_inputs_by_number():
    for path in SHADERS.iterdir():
        text = path.read_text(encoding="utf8")
        assert "frame_data" not in text and "frame_matrix" not in text, path.name
