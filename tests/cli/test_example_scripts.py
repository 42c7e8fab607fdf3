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


def test_there_are_at_least_twelve_examples():
    assert len(SCRIPTS) >= 12
