"""Rules of the house that no single module can keep: who imports whom, what a kernel is, who writes what."""

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from plain_run import commands, first_push, scene
from user_errors import INTERNAL, exception_classes

import driving_sandbox
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.schema.schema import Block
from driving_sandbox.physics.tick.component import components_of, phases_of
from driving_sandbox.physics.tick.context import Context, External
from driving_sandbox.physics.tick.record_fields import returns_value
from driving_sandbox.physics.vehicle.types import VARIANTS, VEHICLE_TYPES

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("physics", "game", "lab", "cli", "formats", "benchmarks")
LINE_LIMIT = 400
TEST_LINE_LIMIT = 500  # tables and harnesses may be a little longer

PHYSICS_EDGES = {"pydantic", "yaml", "zstandard", "platformdirs", "trimesh", "PIL", "llvmlite"}
MAY_IMPORT = {  # packages beside the standard library
    "physics": {"physics", "VERSION", "numpy", "numba", *PHYSICS_EDGES},
    "lab": {"lab", "physics", "numpy"},
    "formats": {"formats", "physics", "numpy", "yaml", "trimesh", "mcap"},
    "game": {"game", "VERSION", "lab", "physics", "numpy", "yaml", "platformdirs", "psutil", "PIL", "panda3d", "direct",
             "pygame", "gltf", "imgui_bundle", "imageio_ffmpeg"},
    "benchmarks": {"benchmarks", "game", "lab", "physics", "numpy", "yaml", "panda3d"},
}  # fmt: skip
LIBRARY_OF = {"panda3d": "the window", "direct": "the window", "pygame": "devices"}


def modules_of(package):
    return sorted(p for p in (ROOT / package).rglob("*.py") if "__pycache__" not in p.parts)


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf8"))


def imported(path):
    """(line, top-level package) of every import of a file, those inside functions included."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, top(alias.name)) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((node.lineno, path.relative_to(ROOT).parts[0] if node.level else top(name)) for name in names)


def top(name):
    """Name of a library, or of the folder of this program that a module lies in."""
    words = name.split(".")
    return words[1] if words[0] == "driving_sandbox" and len(words) > 1 else words[0]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_only_what_they_may(package):
    allowed = MAY_IMPORT[package] | sys.stdlib_module_names
    wrong = [f"{p.relative_to(ROOT)}:{line}: {name}" for p in modules_of(package) for line, name in imported(p)
             if name not in allowed]  # fmt: skip
    assert not wrong


def test_the_import_check_would_notice():
    """The same check of the game finds the window and the devices, which the core may not have."""
    found = {name for path in modules_of("game") for _, name in imported(path)}
    assert {"panda3d", "pygame"} <= found
    assert not {"panda3d", "pygame"} & MAY_IMPORT["physics"]


def loaded_after(code):
    """Names of modules in memory after running code in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(' '.join(sys.modules))"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "driving_sandbox.game.session.session",
        "driving_sandbox.physics.world.world",
        "driving_sandbox.physics.recording",
        "driving_sandbox.lab.simulate",
    ],
)
def test_window_and_devices_stay_away_from(module):
    assert not loaded_after(f"import {module}") & set(LIBRARY_OF)


def test_modules_are_short_and_explained():
    wrong = []
    for path in (p for package in (*PACKAGES, "assets", "tests") for p in modules_of(package)):
        text, name = path.read_text(encoding="utf8"), str(path.relative_to(ROOT))
        lines = len(text.splitlines())
        limit = TEST_LINE_LIMIT if name.startswith("tests") else LINE_LIMIT
        if lines > limit:
            wrong.append(f"{name}: {lines} lines, more than {limit}")
        if text.strip() and not name.startswith("tests") and not ast.get_docstring(tree_of(path)):
            wrong.append(f"{name}: does not say what it is")
    assert not wrong


def test_no_two_test_modules_bear_one_name():
    """pytest takes them from many folders as one package."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_only_one_decorator_compiles():
    """numba's own decorators appear in physics/kernel/jit.py alone: flags and cache are decided in one place."""
    wrong = []
    for package in PACKAGES:
        for path in modules_of(package):
            names = re.findall(r"\b(?:numba\.)?(n?jit|vectorize|guvectorize|jitclass|cfunc)\s*\(|@(?:numba\.)?n?jit\b",
                               path.read_text(encoding="utf8"))  # fmt: skip
            if names and path != ROOT / "physics" / "kernel" / "jit.py":
                wrong.append(str(path.relative_to(ROOT)))
    assert not wrong
    assert "fastmath=True" not in (ROOT / "physics" / "kernel" / "jit.py").read_text(encoding="utf8")


def test_only_one_module_reaches_into_numba():
    """What is beyond its documentation stands in one place, where a test names each (tests/core/test_numba.py)."""
    reaching = {str(path.relative_to(ROOT)) for package in PACKAGES for path in modules_of(package)
                for node in ast.walk(tree_of(path)) if isinstance(node, ast.Import | ast.ImportFrom)
                for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
                if name.startswith(("numba.", "llvmlite"))}  # fmt: skip
    assert reaching == {"physics/kernel/numba_internals.py"}


def test_exceptions_are_for_people_or_caught_inside():
    """What the edges of the program catch and show is one class; any other exception is a mistake of the program."""
    found = exception_classes()
    assert {
        "driving_sandbox.physics.schema.yaml_file.ConfigError",
        "driving_sandbox.game.replay.video.VideoError",
        "driving_sandbox.cli.program.Failure",
    } <= set(found)
    wrong = [name for name, error in found.items() if issubclass(error, UserError) == (name in INTERNAL)]
    assert not wrong
    assert set(INTERNAL) <= set(found)


def test_no_module_lists_errors_in_a_tuple_of_its_own():
    wrong = []
    for path in (path for package in PACKAGES for path in modules_of(package)):
        for node in tree_of(path).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
                names = [ast.unparse(element) for element in node.value.elts]
                if names and all(name.endswith("Error") for name in names):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not wrong


# ---- folders

FOLDER_LIMIT = 20  # files in a folder of the core or the program, more are not found by their names
FUNCTION_LIMIT = 40  # lines
MANY_ARGUMENTS = "a kernel with a dozen arguments, one a line"
LONG_FUNCTIONS = {  # file and function: why it is longer
    "game/program/app.py: __init__": "puts the parts of a drive together, in the order in which they need each other",
    "game/replay/viewer.py: __init__": "puts the parts of a replay together",
    "game/panel/setups.py: draw": "one popup from top to bottom",
    "game/windows/settings_window.py: _picture": "one page from top to bottom",
    "physics/body/sprung.py: velocity": MANY_ARGUMENTS,
    "physics/road/sweep_query.py: sweep_all": MANY_ARGUMENTS,
    "physics/tire/legacy.py: slip": MANY_ARGUMENTS,
    "physics/suspension/unsprung.py: update": MANY_ARGUMENTS,
    "physics/suspension/suspension.py: update": MANY_ARGUMENTS,
    "physics/contact/component.py: stick": MANY_ARGUMENTS,
    "physics/contact/generation.py: generate_hull_contacts": MANY_ARGUMENTS,
    "physics/batch/memory.py: step_slice": MANY_ARGUMENTS,
    "physics/ground/sweep_ground.py: sweep_heightfield": "a call for each cell would cost more than its work",
    "physics/ground/sweep_triangle.py: edge_reach_sheared": "one formula, term by term",
    "physics/ground/sweep_triangle.py: triangle_reach": "one formula, term by term",
}


def functions():
    """(file, function, lines) of the core, the program and what stands beside them."""
    for path in (path for package in PACKAGES for path in modules_of(package)):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef):
                yield str(path.relative_to(ROOT)), node.name, node.end_lineno - node.lineno + 1


def test_functions_are_short():
    long = {f"{file}: {name}" for file, name, lines in functions() if lines > FUNCTION_LIMIT}
    assert long == set(LONG_FUNCTIONS)


def imported_modules(path):
    """Modules of the project that a file imports, those inside functions included, as paths without a suffix."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        else:
            continue
        found = [name.removeprefix("driving_sandbox.").replace(".", "/") for name in names]
        modules = [name for name in found if (ROOT / f"{name}.py").is_file()]
        yield from modules or [f"{name}/__init__" for name in found if (ROOT / name / "__init__.py").is_file()]


def test_no_module_imports_itself_in_a_circle():
    paths = {str(p.relative_to(ROOT).with_suffix("")): p for package in PACKAGES for p in modules_of(package)}
    above = {name: {found for found in imported_modules(path) if found in paths} for name, path in paths.items()}
    done = set()
    while ready := {name for name in above if name not in done and above[name] <= done | {name}}:
        done |= ready
    assert set(above) == done


@cache
def folder_order(package):
    """Folders of a package in the order of docs/architecture.md: each may import those before it."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf8")
    listed = re.search(rf"^\* `{package}/`: ([^.]+)\.", text, re.M).group(1)
    return [f"{package}/{name.strip()}" for name in listed.split(",")]


@pytest.mark.parametrize("package", ["physics", "game"])
def test_folders_import_only_those_before_them(package):
    order = folder_order(package)
    modules = [p for p in modules_of(package) if p.parent != ROOT / package]
    assert {str(p.parent.relative_to(ROOT)) for p in modules} == set(order)
    wrong = []
    for path in modules:
        place = order.index(str(path.parent.relative_to(ROOT)))
        for name in imported_modules(path):
            folder = name.rpartition("/")[0]
            if name.startswith(f"{package}/") and (folder not in order or order.index(folder) > place):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_two_folders_import_each_other(depth):
    """Nor do packages, nor those that a reader sees at the top of physics/ and game/, whatever lies inside."""

    def folder(name):
        return "/".join(name.split("/")[:-1][:depth])

    arrows = {(folder(str(path.relative_to(ROOT))), folder(name)) for package in PACKAGES
              for path in modules_of(package) for name in imported_modules(path)}  # fmt: skip
    assert len(arrows) > {1: 15, 2: 100, 3: 100}[depth]
    assert {pair for pair in arrows if pair[0] < pair[1] and pair[::-1] in arrows} == set()


# ---- what nobody calls


CALLED_BY_LIBRARIES = {"set_env"}  # numba calls it of what it takes for its own library


def own_names():
    """(name, file) of functions and classes of the program, and of the methods of classes without a foreign base."""
    for path in (path for package in PACKAGES for path in modules_of(package)):
        for node in tree_of(path).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                registers_itself = isinstance(node, ast.ClassDef) and "Window" in map(ast.unparse, node.bases)
                yield from [] if registers_itself else [(node.name, str(path.relative_to(ROOT)))]
            if isinstance(node, ast.ClassDef) and not node.bases:
                methods = [item.name for item in node.body if isinstance(item, ast.FunctionDef)]
                yield from ((name, str(path.relative_to(ROOT))) for name in methods if not name.startswith("__"))


def words_of(path):
    """Names that a module uses; in its strings too, of which source is made, but not in what explains it."""
    tree = tree_of(path)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    explained = {id(node.body[0].value) for node in ast.walk(tree)
                 if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained:
            yield from re.findall(r"\w+", node.value)


def documented_words():
    """Words in the code of the pages that people read, and the names of the public interface."""
    for page in (ROOT / "docs").glob("*.md"):
        if page.name != "coverage.md":  # of tests
            text = page.read_text(encoding="utf8")
            for code in re.findall(r"```.*?```|`[^`\n]+`|^    .+$", text, re.DOTALL | re.MULTILINE):
                yield from re.findall(r"\w+", code)
    yield from driving_sandbox.__all__


def test_what_only_tests_call_is_no_part_of_the_program():
    folders = [ROOT / name for name in (*PACKAGES, "driving_sandbox", "assets", "docs", "examples")]
    used = {word for folder in folders for path in modules_of(folder) for word in words_of(path)}
    used |= set(documented_words())
    names = list(own_names())
    assert len(names) > 3000
    assert [f"{file}: {name}" for name, file in names if name not in used | CALLED_BY_LIBRARIES] == []


# ---- folders that do not know each other


def test_instruments_and_panel_do_not_know_each_other():
    for folder, other in (("game/hud", "game/panel"), ("game/panel", "game/hud"), ("game/session", "game/panel")):
        assert not [path for path in modules_of(folder) for name in imported_modules(path) if name.startswith(other)]


@pytest.mark.parametrize("package", ["physics", "game"])
def test_folders_are_small(package):
    for folder in folder_order(package):
        files = [p for p in (ROOT / folder).glob("*.py") if p.name != "__init__.py"]
        assert len(files) <= FOLDER_LIMIT, folder


def test_the_architecture_page_answers_with_paths_that_exist():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf8")
    answers = re.findall(r"^\| [^|]+ \| `([^`|]+)` \|$", text, re.M)
    assert len(answers) >= 20
    named = re.findall(r"\((\w+/[\w/]+\.py)\)|`(\w+/[\w/.]+)`", text)
    missing = [path for path in (*answers, *(a or b for a, b in named)) if not (ROOT / path).exists()]
    assert not missing


def every_component():
    listed = [c for entries in VEHICLE_TYPES.values() for c in components_of(entries)]
    offered = [c for variants in VARIANTS.values() for c in variants.values()]
    return list(dict.fromkeys(listed + offered))


@pytest.mark.skipif(not JIT, reason="without JIT kernels are plain functions")
def test_every_phase_is_a_kernel_that_frees_the_lock():
    for component in every_component():
        for name, function in component.phases.items():
            options = getattr(function, "targetoptions", None)
            assert options, f"{component.slot}.{name} is not a kernel"
            assert options.get("nogil") and options.get("error_model") == "numpy"
            assert not options.get("fastmath")


def test_only_phases_that_may_end_the_tick_return_something():
    for component in every_component():
        for name in component.phases:
            phase = component.phase(name)
            assert returns_value(phase.function) == phase.ends_tick, f"{component.slot} {component.name}.{name}"


def declarations():
    schemas = {c.params for c in every_component()} | {c.state for c in every_component()} | {Context, External}
    for schema in sorted((s for s in schemas if s is not None), key=lambda s: (s.__name__, s.__module__)):
        for field in schema.fields.values():
            yield pytest.param(field, id=f"{schema.__name__}.{field.name}")


@pytest.mark.parametrize("field", list(declarations()))
def test_every_value_has_a_unit_and_an_explanation(field):
    assert field.unit
    if not isinstance(field.kind, Block):
        assert field.doc
    if field.suggest is not None:
        low, high = field.suggest
        assert low < high
        assert field.gt is None or low >= field.gt
        assert field.ge is None or low >= field.ge
        assert field.le is None or high <= field.le


def test_a_vehicle_list_names_each_phase_it_needs():
    """A component in a list runs every phase it has: one left out would be dead code in that vehicle."""
    for kind, entries in VEHICLE_TYPES.items():
        used = {(p.component.slot, p.phase) for p in phases_of(entries)}
        for component in components_of(entries):
            missing = {name for name in component.phases if (component.slot, name) not in used}
            assert not missing, f"{kind}: {component.slot} never runs {missing}"


@cache
def plain(vehicle):
    environment = {**os.environ, "SANDBOX_JIT": "0"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "plain_run.py"), vehicle],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("vehicle", ["roadster", "buggy"])
def test_kernels_change_only_what_their_component_declares(vehicle):
    """Driven, braked, pushed and turned without JIT: after each phase only its own slot and its `writes` differ."""
    components = {c.slot: c for c in scene(vehicle).vehicles[0].sequence.components}
    changed_at_all = set()
    for name, slots in plain(vehicle)["writes"].items():
        slot = name.split(".")[0]
        allowed = {slot, *components[slot].writes}
        assert set(slots) <= allowed, f"{name} changes {sorted(set(slots) - allowed)} without declaring it"
        changed_at_all |= set(slots)
    assert {"body", "tire", "suspension", "wheel", "road", "steering", "brakes"} <= changed_at_all


@pytest.mark.parametrize("vehicle", ["roadster", "buggy"])
def test_compiled_and_plain_kernels_agree(vehicle):
    """The same ticks with and without JIT: every channel equal but for the last digits of the mathematics library."""
    world = scene(vehicle)
    car = world.vehicles[0]
    external = first_push()
    for driven in commands(car):
        assert world.step(driven, external) is None
        external = None
    for name, value in plain(vehicle)["channels"].items():
        scale = max(1.0, abs(value))
        assert abs(car.read(name) - value) <= 1e-7 * scale, name
    assert np.hypot(*car.state["body"]["velocity"][0][:2]) > 0.5
