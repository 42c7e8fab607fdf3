"""Every script of examples/ runs from another folder, prints results, and uses public names only."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import driving_sandbox

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
COMPONENT_FILES = sorted((ROOT / "docs" / "examples").glob("*.py"))
MODULES_FOR_COMPONENTS = ("physics.maths.vec3", "physics.maths.quat", "physics.kernel.elementary")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_runs(script, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0 and result.stdout.strip(), result.stderr
    # examples print "not installed" where pandas or matplotlib is missing
    assert result.stderr == "" and "not installed" not in result.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_uses_public_names_only(script):
    tree = ast.parse(script.read_text(encoding="utf8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "driving" in node.module]
    assert imported and all(node.module == "driving_sandbox" for node in imported)
    assert {alias.name for node in imported for alias in node.names} <= set(driving_sandbox.__all__)
    assert ast.get_docstring(tree)


def stable_modules():
    """Names of the modules that docs/api.md lets component files import: three named there, and those of components."""
    defining = [path for path in (ROOT / "physics").rglob("*.py") if "= Component(" in path.read_text(encoding="utf8")]
    names = {f"physics.{'.'.join(path.relative_to(ROOT / 'physics').with_suffix('').parts)}" for path in defining}
    return {f"driving_sandbox.{name}" for name in (*names, *MODULES_FOR_COMPONENTS)}


@pytest.mark.parametrize("file", COMPONENT_FILES, ids=lambda path: path.stem)
def test_a_component_file_imports_stable_modules_only(file):
    tree = ast.parse(file.read_text(encoding="utf8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "driving" in node.module]
    public = {alias.name for node in imported if node.module == "driving_sandbox" for alias in node.names}
    assert public and public <= set(driving_sandbox.__all__)
    assert {node.module for node in imported} - {"driving_sandbox"} <= stable_modules()
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf8")
    assert all(f"`driving_sandbox.{name}`" in text for name in MODULES_FOR_COMPONENTS)


def test_there_are_at_least_twelve_examples():
    assert len(SCRIPTS) >= 12
