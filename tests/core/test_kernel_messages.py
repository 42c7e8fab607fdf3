"""Errors in kernels of a component file: one line with component, kernel, file, line, name and nearest name."""

import pytest

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.kernel.jit import JIT, ROOT
from driving_sandbox.physics.tick.kernel_errors import kernel_error
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

VEHICLE = ROOT / "docs" / "examples" / "progressive_buggy.yaml"
COMPONENT = """from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.suspension.suspension import SUSPENSION
from driving_sandbox.physics.tick.component import Component


@kernel
def own_force(p, s):
    {inner}


@kernel
def line_force({arguments}):
    for i in range(wheel_count):
        {statement}


SOFT = Component(
    slot="suspension", name="soft", params=SUSPENSION.params, state=SUSPENSION.state,
    phases={{**SUSPENSION.phases, "line_force": line_force}}, derive=SUSPENSION.derive, check=SUSPENSION.check,
    doc="For tests.",
)
"""
ARGUMENTS = "params, state, wheel_count"
CALL = "state[i].line_force = own_force(params[i], state[i])"
FORCE = "return p.stiffness * s.jounce"


def message(tmp_path, arguments=ARGUMENTS, statement=CALL, inner=FORCE):
    """(error message for a vehicle with this component, the component's file)."""
    file = tmp_path / "soft.py"
    file.write_text(COMPONENT.format(arguments=arguments, statement=statement, inner=inner), encoding="utf8")
    text = VEHICLE.read_text(encoding="utf8").replace(", progression: 20000", "")
    head, _, tail = text.partition("components:")
    text = f"{head}components: {{suspension: {{file: {file}, name: SOFT}}}}\nmodel:{tail.partition('model:')[2]}"
    with pytest.raises(UserError) as caught:
        World(load_world("plane"), [load_vehicle_text(text, VEHICLE.with_name("own.yaml"), lambda path: True)])
    return str(caught.value), file


@pytest.mark.parametrize(
    ("mistake", "name", "nearest", "kernel", "line"),
    [
        ({"statement": "state[i].force = params[i].stifness"}, "suspension.stifness", "stiffness", "line_force", 15),
        ({"statement": "state[i].line_force = parms[i].stiffness"}, "'parms'", "params", "line_force", 15),
        ({"statement": "state[i].line_force = vec3.lenght((1.0, 0.0, 0.0))"}, "'lenght'", "length", "line_force", 15),
        ({"inner": "return p.stiffness * s.jounse"}, "suspension.jounse in the state", "jounce", "own_force", 9),
        ({"arguments": f"{ARGUMENTS}, steerin"}, "'steerin'", "steering", "line_force", 12),
        ({"arguments": f"{ARGUMENTS}, tire_parms"}, "'tire_parms'", "tire_params", "line_force", 12),
    ],
)  # fmt: skip
def test_an_unknown_name_is_reported_with_its_line_and_the_nearest_name(tmp_path, mistake, name, nearest, kernel, line):
    text, file = message(tmp_path, **mistake)
    assert "suspension" in text and "soft" in text and "\n" not in text
    assert name in text and f'did you mean "{nearest}"?' in text
    assert f"kernel {kernel}, {file}:{line}" in text


@pytest.mark.skipif(not JIT, reason="only the compiler refuses it")
@pytest.mark.parametrize(
    ("mistake", "kernel", "line", "reason"),
    [
        ({"statement": 'state[i].line_force = params[i].stiffness * "two"'}, "line_force", 15, "mul(float64, "),
        ({"inner": 'return p.stiffness - "one"'}, "own_force", 9, "sub(float64, "),
    ],
)
def test_compiler_errors_are_reported_with_component_kernel_file_and_line(
    tmp_path, mistake, kernel, line, reason
):  # fmt: skip
    text, file = message(tmp_path, **mistake)
    assert f"{file}:{line}: kernel {kernel} cannot be compiled: No implementation of function" in text
    assert "suspension.soft: " in text and reason in text and "\n" not in text


def test_errors_in_the_programs_own_kernels_keep_their_traceback():
    file = ROOT / "physics" / "maths" / "vec3.py"
    assert kernel_error(f"No implementation\nDuring: typing of call at {file} (20)") is None
    assert kernel_error("no file is named") is None
