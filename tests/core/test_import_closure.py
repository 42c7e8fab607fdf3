"""Import closures: an edit of a kernel's callee is detected for every form of import."""

import hashlib
import json
import os
import subprocess
import sys
import types

import pytest

from driving_sandbox.physics.kernel import import_closure
from driving_sandbox.physics.kernel.import_closure import ImportClosure, imports_of
from driving_sandbox.physics.kernel.jit import JIT, ROOT, closures
from driving_sandbox.physics.vehicle.component_file import load_component_file

compiled_only = pytest.mark.skipif(not JIT, reason="nothing is compiled")
LEAF = "from driving_sandbox.physics.kernel.jit import kernel\n@kernel\ndef factor(x):\n    return x * {}\n"
TOP = "from driving_sandbox.physics.kernel.jit import kernel\n{}\n@kernel\ndef result(x):\n    return {}(x) + 1.0\n"
MAIN = """
from numba.core import event
count = 0
class Listener(event.Listener):
    def on_start(self, e): pass
    def on_end(self, e):
        global count
        count += 1
event.register("numba:compile", Listener())
import top_under_test
print(top_under_test.result(3.0), count)
"""


@pytest.fixture
def run(tmp_path):
    """A function that runs MAIN in a new process, with the modules in the folder `run.sources` importable.

    It returns the result of the kernel and the number of compilations.
    """
    sources = tmp_path / "sources"
    sources.mkdir()

    def run():
        result = subprocess.run([sys.executable, "-c", MAIN], cwd=ROOT, capture_output=True, text=True, env={
            "PYTHONPATH": f"{ROOT}:{sources}", "SANDBOX_CACHE": str(tmp_path / "cache"), "PATH": "/usr/bin",
            "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(tmp_path)}, check=False)  # fmt: skip
        assert result.returncode == 0, result.stderr
        value, compiled = result.stdout.split()
        return float(value), int(compiled)

    run.sources = sources
    return run


@compiled_only
def test_a_kernel_is_recompiled_only_after_an_edit_of_its_imports(run):
    """numba's cache alone would keep the old machine code of an imported kernel."""
    (run.sources / "leaf_under_test.py").write_text(LEAF.format("2.0"))
    (run.sources / "top_under_test.py").write_text(TOP.format("from leaf_under_test import factor", "factor"))
    value, compiled = run()
    assert value == 7.0 and compiled > 0
    assert run() == (7.0, 0)
    (run.sources / "other.py").write_text("x = 1\n")
    assert run() == (7.0, 0)
    (run.sources / "leaf_under_test.py").write_text(LEAF.format("5.0"))
    value, compiled = run()
    assert value == 16.0 and compiled > 0


@compiled_only
@pytest.mark.parametrize(("statement", "call"), [
    ("from package_under_test import (\n    leaf,  # (a comment\n    other,\n)", "leaf.factor"),
    ("import os, leaf_under_test", "leaf_under_test.factor"),
    ("import os; import leaf_under_test", "leaf_under_test.factor"),
    ("from leaf_under_test \\\n    import \\\n    factor", "factor"),
    ("import package_under_test.leaf as shown", "shown.factor"),
    ("if True:\n    from package_under_test.leaf import factor as times", "times"),
    ("def chosen():\n    from leaf_under_test import factor\n    return factor\nfactor = chosen()", "factor"),
    ("from package_under_test import through", "through.leaf.factor"),
])  # fmt: skip
def test_every_form_of_import_is_followed(run, statement, call):
    package = run.sources / "package_under_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "other.py").write_text("")
    (package / "through.py").write_text("from . import (\n    leaf\n)\n")
    (run.sources / "top_under_test.py").write_text(TOP.format(statement, call))
    for number, value in (("2.0", 7.0), ("5.0", 16.0)):
        for path in (run.sources / "leaf_under_test.py", package / "leaf.py"):
            path.write_text(LEAF.format(number))
        assert run()[0] == value


@compiled_only
def test_a_component_file_and_its_imports_are_reloaded_after_an_edit(tmp_path):
    """The older version stays usable in the same process, though it is compiled only after the edit."""
    top, leaf = tmp_path / "my_component.py", tmp_path / "my_laws.py"
    top.write_text(TOP.format("from my_laws import (\n    factor,\n)", "factor"))
    leaf.write_text(LEAF.format("2.0"))
    first = load_component_file(top)
    assert load_component_file(top) is first
    leaf.write_text(LEAF.format("20.0"))
    second = load_component_file(top)
    assert second.result(3.0) == 61.0
    assert first.result(3.0) == 7.0
    leaf.write_text(LEAF.format("2.0"))
    assert load_component_file(top).result(3.0) == 7.0
    assert str(tmp_path) not in sys.path


def test_imports_of_different_components_do_not_mix(tmp_path):
    for name, number in (("one", "2.0"), ("two", "5.0")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "my_laws.py").write_text(LEAF.format(number))
        (folder / "my_component.py").write_text(TOP.format("import my_laws", "my_laws.factor"))
    assert load_component_file(tmp_path / "one" / "my_component.py").result(3.0) == 7.0
    assert load_component_file(tmp_path / "two" / "my_component.py").result(3.0) == 16.0


def test_installed_packages_and_the_standard_library_are_not_sources(monkeypatch):
    """A virtual environment inside the program's folder, as created by ./drive, is not part of the program."""
    native = types.ModuleType("native_for_test")
    native.__file__ = str(ROOT / ".venv" / "lib" / "python3.11" / "site-packages" / "native.so")
    monkeypatch.setitem(sys.modules, "native_for_test", native)
    for name in ("native_for_test", "numpy", "json", "math", "nowhere_to_be_found", "numpy.ndarray"):
        assert import_closure.source_path(name) is None, name
    assert import_closure.source_path("driving_sandbox.physics.maths.vec3") == ROOT / "physics" / "maths" / "vec3.py"


def test_the_installed_package_is_a_source(monkeypatch, tmp_path):
    """Otherwise closures would be empty, and machine code of an older version would be loaded."""
    installed = tmp_path / "site-packages" / "driving"
    monkeypatch.setattr(import_closure, "ROOT", installed)
    assert import_closure.is_source(installed / "physics" / "vec3.py")
    assert not import_closure.is_source(tmp_path / "site-packages" / "numpy" / "core.py")


def test_closures_are_saved_and_a_damaged_file_is_rebuilt(tmp_path, monkeypatch):
    source = tmp_path / "source.py"
    source.write_text("import wave\nfrom .near import (this, that)\n")
    hashes = [ImportClosure(lambda: tmp_path).hash_from("source", source)]
    (cache_file,) = tmp_path.glob("imports.json*")
    cache_file.write_text("{")
    hashes.append(ImportClosure(lambda: tmp_path).hash_from("source", source))
    monkeypatch.setattr(import_closure, "imports_of", lambda text: pytest.fail("parsed again"))
    hashes.append(ImportClosure(lambda: tmp_path).hash_from("source", source))
    assert len(set(hashes)) == 1
    assert os.listdir(tmp_path).count("imports.json") == 1 and len(os.listdir(tmp_path)) == 2


@pytest.mark.parametrize("max_kept", [1, 3])
def test_only_the_newest_versions_of_files_are_saved(tmp_path, monkeypatch, max_kept):
    monkeypatch.setattr(import_closure, "MAX_SAVED", max_kept)
    source = tmp_path / "source.py"
    for version in range(5):
        source.write_text(f"import wave\nVERSION = {version}\n")
        ImportClosure(lambda: tmp_path).hash_from("source", source)
    saved = json.loads((tmp_path / "imports.json").read_text())
    assert len(saved) == max_kept and hashlib.sha256(source.read_bytes()).hexdigest() in saved


def test_import_statements_of_a_file():
    text = "import a.b, c\nfrom ..d import (e,\n  f)\n# import g\nx = 'import h'\n"
    # (number of leading dots, module, name)
    assert imports_of(text) == [(0, "a.b", None), (0, "c", None), (2, "d", "e"), (2, "d", "f")]
    assert imports_of("import (") == imports_of("\0") == []


def test_a_kernel_of_an_interactive_session_is_compiled_but_not_cached():
    code = "from driving_sandbox.physics.kernel.jit import kernel\n"
    code += "@kernel\ndef twice(x):\n    return 2.0 * x\nprint(twice(3.0))\n"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "6.0", result.stderr
    assert closures.hash("nowhere_to_be_found") is None
