"""Runs the program as a person does: a process with arguments, its output and its exit code."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments, cwd=ROOT, timeout=120, **environment):
    """`main.py ARGUMENTS` in a fresh process; the result has returncode, stdout and stderr as text."""
    variables = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *map(str, arguments)],
        cwd=cwd, env=variables, capture_output=True, text=True, timeout=timeout, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
