"""Rules across modules: imports between packages and folders, sizes, exceptions."""

import ast
import re
import subprocess
import sys
from functools import cache

import pytest
from source_tree import PACKAGES, ROOT, imported_modules, modules_of, tree_of
from user_errors import INTERNAL, exception_classes

from driving_sandbox.physics.base.user_error import UserError

LINE_LIMIT = 400
TEST_LINE_LIMIT = 500  # tables and harnesses may be longer

PHYSICS_FILES_AND_COMPILING = {"pydantic", "yaml", "zstandard", "platformdirs", "trimesh", "PIL", "llvmlite"}
MAY_IMPORT = {  # besides the standard library; `cli` may import all of these
    "physics": {"physics", "VERSION", "numpy", "numba", *PHYSICS_FILES_AND_COMPILING},
    "lab": {"lab", "physics", "numpy"},
    "sound": {"sound", "physics", "numpy", "numba"},
    "formats": {"formats", "physics", "numpy", "yaml", "trimesh", "mcap"},
    "game": {"game", "VERSION", "lab", "physics", "sound", "numpy", "yaml", "platformdirs", "psutil", "PIL", "panda3d",
             "direct", "pygame", "gltf", "imgui_bundle", "imageio_ffmpeg"},
    "benchmarks": {"benchmarks", "game", "lab", "physics", "sound", "numpy", "yaml", "panda3d"},
}  # fmt: skip
WINDOW_AND_DEVICES = {"panda3d", "direct", "pygame"}


def imported(path):
    """(line, top-level package) of every import of a file, also inside functions."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, top(alias.name)) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((node.lineno, path.relative_to(ROOT).parts[0] if node.level else top(name)) for name in names)


def top(name):
    """Name of a library, or of the project's folder of a module."""
    words = name.split(".")
    return words[1] if words[0] == "driving_sandbox" and len(words) > 1 else words[0]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_only_allowed_ones(package):
    allowed = MAY_IMPORT[package] | sys.stdlib_module_names
    wrong = [f"{p.relative_to(ROOT)}:{line}: {name}" for p in modules_of(package) for line, name in imported(p)
             if name not in allowed]  # fmt: skip
    assert not wrong


def test_the_import_check_detects_window_and_devices():
    """In the game, the same check finds libraries that the core must not import."""
    imports = {name for path in modules_of("game") for _, name in imported(path)}
    assert {"panda3d", "pygame"} <= imports
    assert not {"panda3d", "pygame"} & MAY_IMPORT["physics"]


def loaded_after(code):
    """Names of modules loaded by code in a new process."""
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(' '.join(sys.modules))"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(result.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "driving_sandbox.game.session.session",
        "driving_sandbox.physics.world.world",
        "driving_sandbox.physics.recording",
        "driving_sandbox.lab.simulate",
    ],
)
def test_window_and_devices_are_not_loaded_by_the_core_and_its_tools(module):
    assert not loaded_after(f"import {module}") & WINDOW_AND_DEVICES


def test_modules_are_short_and_documented():
    """Test modules may be longer, and need no docstring."""
    wrong = []
    for path in (p for package in (*PACKAGES, "assets", "tests") for p in modules_of(package)):
        text, name = path.read_text(encoding="utf8"), str(path.relative_to(ROOT))
        lines = len(text.splitlines())
        limit = TEST_LINE_LIMIT if name.startswith("tests") else LINE_LIMIT
        if lines > limit:
            wrong.append(f"{name}: {lines} lines, more than {limit}")
        if text.strip() and not name.startswith("tests") and not ast.get_docstring(tree_of(path)):
            wrong.append(f"{name}: no docstring")
    assert not wrong


def test_names_of_test_modules_are_unique():
    """pytest imports the test modules of all folders by their bare names."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_only_one_decorator_compiles():
    """numba's decorators are used in physics/kernel/jit.py only, which sets flags and cache, without fast math."""
    wrong = []
    for package in PACKAGES:
        for path in modules_of(package):
            names = re.findall(r"\b(?:numba\.)?(n?jit|vectorize|guvectorize|jitclass|cfunc)\s*\(|@(?:numba\.)?n?jit\b",
                               path.read_text(encoding="utf8"))  # fmt: skip
            if names and path != ROOT / "physics" / "kernel" / "jit.py":
                wrong.append(str(path.relative_to(ROOT)))
    assert not wrong
    assert "fastmath=True" not in (ROOT / "physics" / "kernel" / "jit.py").read_text(encoding="utf8")


def test_only_one_module_uses_numbas_internals():
    """numba's submodules and llvmlite are imported in one module; tests/core/test_numba.py checks what it relies on."""
    using = {str(path.relative_to(ROOT)) for package in PACKAGES for path in modules_of(package)
                for node in ast.walk(tree_of(path)) if isinstance(node, ast.Import | ast.ImportFrom)
                for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
                if name.startswith(("numba.", "llvmlite"))}  # fmt: skip
    assert using == {"physics/kernel/numba_internals.py"}


def test_exceptions_are_user_errors_or_caught_internally():
    """The program shows errors of one class, UserError, to users; any other exception that reaches them is a bug."""
    classes = exception_classes()
    assert {
        "driving_sandbox.physics.schema.yaml_file.ConfigError",
        "driving_sandbox.game.replay.video.VideoError",
        "driving_sandbox.cli.program.Failure",
    } <= set(classes)
    wrong = [name for name, error in classes.items() if issubclass(error, UserError) == (name in INTERNAL)]
    assert not wrong
    assert set(INTERNAL) <= set(classes)


def test_no_module_has_its_own_tuple_of_errors():
    """No module-level constant lists exception classes to catch; UserError is the one to catch."""
    wrong = []
    for path in (path for package in PACKAGES for path in modules_of(package)):
        for node in tree_of(path).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
                names = [ast.unparse(element) for element in node.value.elts]
                if names and all(name.endswith("Error") for name in names):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not wrong


# ---- folders

FOLDER_LIMIT = 20  # files in a folder of the core or the game
FUNCTION_LIMIT = 40  # lines
MANY_ARGUMENTS = "a kernel with a dozen arguments"
LONG_FUNCTIONS = {  # file and function: reason
    "game/program/app.py: __init__": "creates the parts of a drive in the order of their dependencies",
    "game/replay/viewer.py: __init__": "creates the parts of a replay",
    "game/panel/setups.py: draw": "one popup from top to bottom",
    "game/windows/settings_window.py: _picture": "one page from top to bottom",
    "physics/body/sprung.py: velocity": MANY_ARGUMENTS,
    "physics/road/sweep_query.py: sweep_all": MANY_ARGUMENTS,
    "physics/suspension/suspension.py: update": MANY_ARGUMENTS,
    "physics/contact/generation.py: generate_hull_contacts": MANY_ARGUMENTS,
    "physics/batch/memory.py: step_slice": MANY_ARGUMENTS,
    "physics/ground/sweep_ground.py: sweep_heightfield": "a call per cell would cost more than its work",
    "physics/ground/sweep_triangle.py: edge_reach_sheared": "one formula, term by term",
    "physics/ground/sweep_triangle.py: triangle_reach": "one formula, term by term",
}


def functions():
    """(file, function, lines) of all packages."""
    for path in (path for package in PACKAGES for path in modules_of(package)):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef):
                yield str(path.relative_to(ROOT)), node.name, node.end_lineno - node.lineno + 1


def test_functions_are_short():
    long = {f"{file}: {name}" for file, name, lines in functions() if lines > FUNCTION_LIMIT}
    assert long == set(LONG_FUNCTIONS)


def test_imports_have_no_cycles():
    paths = {str(p.relative_to(ROOT).with_suffix("")): p for package in PACKAGES for p in modules_of(package)}
    imports = {name: {other for other in imported_modules(path) if other in paths} for name, path in paths.items()}
    finished = set()
    while ready := {name for name in imports if name not in finished and imports[name] <= finished | {name}}:
        finished |= ready
    assert set(imports) == finished


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
        rank = order.index(str(path.parent.relative_to(ROOT)))
        for name in imported_modules(path):
            folder = name.rpartition("/")[0]
            if name.startswith(f"{package}/") and (folder not in order or order.index(folder) > rank):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_two_folders_import_each_other(depth):
    """depth: 1 compares packages, 2 their top folders with all contents, 3 the folders in those."""

    def folder(name):
        return "/".join(name.split("/")[:-1][:depth])

    arrows = {(folder(str(path.relative_to(ROOT))), folder(name)) for package in PACKAGES
              for path in modules_of(package) for name in imported_modules(path)}  # fmt: skip
    assert len(arrows) > {1: 15, 2: 100, 3: 100}[depth]  # imports were found
    assert {pair for pair in arrows if pair[0] < pair[1] and pair[::-1] in arrows} == set()


# ---- independent folders


def test_instruments_and_panel_are_independent():
    """Neither imports the other, and the session does not import the panel."""
    for folder, other in (("game/hud", "game/panel"), ("game/panel", "game/hud"), ("game/session", "game/panel")):
        assert not [path for path in modules_of(folder) for name in imported_modules(path) if name.startswith(other)]


@pytest.mark.parametrize("package", ["physics", "game"])
def test_folders_are_small(package):
    for folder in folder_order(package):
        files = [p for p in (ROOT / folder).glob("*.py") if p.name != "__init__.py"]
        assert len(files) <= FOLDER_LIMIT, folder


def test_paths_on_the_architecture_page_exist():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf8")
    table_paths = re.findall(r"^\| [^|]+ \| `([^`|]+)` \|$", text, re.M)
    assert len(table_paths) >= 20
    named = re.findall(r"\((\w+/[\w/]+\.py)\)|`(\w+/[\w/.]+)`", text)
    missing = [path for path in (*table_paths, *(a or b for a, b in named)) if not (ROOT / path).exists()]
    assert not missing
