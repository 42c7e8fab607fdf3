"""The public names of `driving_sandbox` and their behaviour."""

import ast
import builtins
import inspect
import re
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pandas
import pytest

import driving_sandbox
from driving_sandbox import AUTOMATIC, FaultError, Recorder, UserError, World, load, neutral_command, recording_table

CHANNELS = ["body.velocity.y", "tire.rl.load"]


def full_throttle(ticks):
    """Commands of full throttle for a number of ticks."""
    commands = neutral_command(ticks)
    commands["throttle"], commands["gear"] = 1.0, AUTOMATIC
    return commands


@pytest.mark.parametrize("name", driving_sandbox.__all__)
def test_every_public_name_exists_with_a_docstring(name):
    value = getattr(driving_sandbox, name)
    assert name in dir(driving_sandbox)
    if callable(value):
        assert value.__doc__ and value.__module__.startswith("driving_sandbox.")


@pytest.mark.parametrize("name", [n for n in driving_sandbox.__all__ if inspect.isclass(getattr(driving_sandbox, n))])
def test_every_public_method_and_property_has_a_docstring(name):
    members = {key: value for key, value in vars(getattr(driving_sandbox, name)).items() if not key.startswith("_")}
    described = {key: getattr(value, "__func__", value) for key, value in members.items()
                 if inspect.isroutine(value) or inspect.isdatadescriptor(value)}  # fmt: skip
    assert [key for key, value in described.items() if not value.__doc__] == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such"):
        _ = driving_sandbox.no_such
    with pytest.raises(ImportError):
        exec("from driving_sandbox import no_such", {})


def test_the_package_imports_modules_on_use():
    code = "import driving_sandbox as d, sys; print('numpy' in sys.modules); d.load; print('numba' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=driving_sandbox._root, capture_output=True, text=True)
    assert result.stdout.split() == ["False", "True"], result.stderr


@pytest.mark.parametrize("ticks", [1, 120])
def test_run_equals_single_steps(ticks):
    stepped, run = load("roadster", "plane"), load("roadster", "plane")
    commands, expected = full_throttle(ticks), []
    for tick in range(ticks):
        assert stepped.step(commands[tick : tick + 1]) is None
        expected.append([stepped.vehicles[0].read(name) for name in CHANNELS])
    channels = run.run(commands, CHANNELS)
    assert list(channels) == CHANNELS
    assert np.array_equal(np.column_stack(list(channels.values())), expected)
    assert run.state_hash() == stepped.state_hash() and run.tick == ticks


def test_run_takes_commands_per_vehicle_or_one_for_all():
    together, separate = load(["roadster", "hatchback"], "plane"), load(["roadster", "hatchback"], "plane")
    commands = np.repeat(full_throttle(240)[:, None], 2, axis=1)
    commands["throttle"][:, 1] = 0.0
    driven_speed = separate.run(commands, ["body.velocity.y"])["body.velocity.y"][-1]
    idle_speed = separate.vehicles[1].read("body.velocity.y")
    together_speed = together.run(full_throttle(240), ["body.velocity.y"], index=1)["body.velocity.y"][-1]
    assert driven_speed > 1.5 and together_speed > 1.5 and abs(idle_speed) < 0.1


@pytest.mark.parametrize("span", [(0.0, 1.0), (0.5, 0.75)])
def test_a_recording_converts_to_numpy_and_pandas(span, tmp_path):
    world, expected = load("roadster", "plane"), []
    path = tmp_path / "launch.drive"
    with Recorder(path, world, "2026-01-01") as recorder:
        for command in full_throttle(240).reshape(-1, 1):
            world.step(command)
            recorder.record(command)
            expected.append(world.vehicles[0].read("body.velocity.y"))
    table = recording_table(path, ["body.velocity.y"], span=span)
    frame = pandas.DataFrame(table.columns).set_index("time")
    first, last = round(span[0] * 240), round(span[1] * 240)
    assert frame["body.velocity.y"].tolist() == expected[max(0, first - 1) : last]  # expected[k]: after tick k + 1
    assert frame.index[-1] == pytest.approx(span[1]) and frame["command.throttle"].eq(1.0).all()
    assert table.unit("body.velocity.y") == "m/s" and list(frame.columns) == table.names[1:]


def test_type_checkers_see_all_exports():
    """Type checkers read the imports below TYPE_CHECKING, programs the table of modules; both have all names."""
    tree = ast.parse(Path(driving_sandbox.__file__).read_text(encoding="utf8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    named = {node.names[0].asname: node.module.removeprefix("driving_sandbox.") for node in block.body}
    assert named == driving_sandbox._MODULES


def test_the_reference_has_every_public_name():
    text = (Path(driving_sandbox._root) / "docs" / "api.md").read_text(encoding="utf8")
    listed = re.findall(r"^::: driving_sandbox\.(\w+)$", text, re.M)
    assert sorted(listed) == sorted(driving_sandbox.__all__)


NOT_PUBLIC = {  # types in public signatures: reason
    "Binding": "of component lists, which come from vehicle files", "Phase": "as Binding", "Sequence": "as Binding",
    "GroundArrays": "for kernels", "HullMaterial": "for kernels", "Kind": "base of the exported kinds of values",
    "Event": "read from a Run", "Lap": "read from a Run", "Mesh": "read by WorldFile",
    "ParkedVehicle": "as Mesh", "Track": "as Mesh", "YamlMap": "as Mesh", "Surface": "read by SurfaceTable",
    "Geometry": "of a vehicle file's model",
}  # fmt: skip


def own_classes(hint):
    """Classes of the project in a type, such as Plane in `Plane | None`."""
    if inspect.isclass(hint) and hint.__module__.startswith("driving_sandbox."):
        yield hint
    for part in typing.get_args(hint):
        yield from own_classes(part)


def signatures_of(name):
    """The function or class of a public name, and a class's public methods and properties."""
    value = getattr(driving_sandbox, name)
    members = vars(value).items() if inspect.isclass(value) else ()
    functions = [getattr(item, "fget", getattr(item, "func", item)) for key, item in members
                 if key == "__init__" or not key.startswith("_")]  # fmt: skip
    candidates = [value, *(inspect.unwrap(getattr(item, "__func__", item)) for item in functions)]
    return [item for item in candidates if inspect.isfunction(item) or inspect.isclass(item)]


@pytest.mark.parametrize("name", driving_sandbox.__all__)
def test_types_in_public_signatures_are_public(name):
    public = {id(getattr(driving_sandbox, other)) for other in driving_sandbox.__all__}
    used = {kind for item in signatures_of(name) for key, hint in typing.get_type_hints(item).items()
            if not key.startswith("_") for kind in own_classes(hint)}  # fmt: skip
    assert {kind.__name__ for kind in used if id(kind) not in public} <= set(NOT_PUBLIC)


@pytest.mark.parametrize("name", driving_sandbox.__all__)
def test_errors_named_in_docstrings_are_public(name):
    texts = [inspect.getdoc(item) or "" for item in signatures_of(name)]
    named = {error for text in texts for error in re.findall(r"\b[A-Z]\w+Error\b|\bUnknownName\b", text)}
    assert {error for error in named if error not in driving_sandbox.__all__ and not hasattr(builtins, error)} == set()


@pytest.mark.parametrize("distance", [5.0, 6.0])
def test_vehicles_of_a_world_collide(distance):
    alone, pair = load("roadster", "plane"), load(["roadster", "roadster"], "plane")
    commands = np.repeat(full_throttle(720)[:, None], 2, axis=1)
    commands["throttle"][:, 1] = 0.0
    pair.place(1, (0.0, distance), 0.0)
    free = alone.run(full_throttle(720), ["body.velocity.y"])["body.velocity.y"][-1]
    assert 0.0 < pair.run(commands, ["body.velocity.y"])["body.velocity.y"][-1] < 0.9 * free
    assert pair.vehicles[1].read("body.velocity.y") > 0.5


def test_errors_of_the_user_are_user_errors():
    world = load("roadster", "plane")
    with pytest.raises(UserError, match=r"body\.velocity"):
        world.run(full_throttle(3), ["body.velocity.w"])
    assert world.tick == 0
    with pytest.raises(UserError, match="roadster"):
        load("roadstr", "plane")
    with pytest.raises(UserError, match="plane"):
        load("roadster", "plain")


def test_a_fault_ends_a_run_with_a_message():
    world = load("roadster", "plane")
    assert isinstance(world, World)
    world.run(full_throttle(5))
    world.vehicles[0].state["body"]["velocity"][0, 0] = np.nan
    with pytest.raises(FaultError, match="body") as caught:
        world.run(full_throttle(5))
    assert caught.value.fault.component == "body" and world.tick == 6
