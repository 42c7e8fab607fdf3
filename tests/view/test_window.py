"""Opening a window without a display fails with one sentence; an offscreen window needs no display."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
from driving_sandbox.game.platform.window import NoDisplay, WindowSettings, open_window
try:
    base = open_window(WindowSettings({arguments}))
except NoDisplay as error:
    print("NoDisplay:", error)
else:
    print("opened", base.win.getXSize(), base.win.getYSize())
"""


def run(arguments: str, **environment) -> subprocess.CompletedProcess:
    """Run PROGRAM with these arguments in a process without a display."""
    clean = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(arguments=arguments)],
        cwd=ROOT,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="DISPLAY is an X11 matter")
@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ":173"}])  # no display named; one that does not exist
def test_no_display_is_one_clear_sentence(environment):
    result = run("", **environment)
    assert result.returncode == 0
    assert result.stdout.startswith("NoDisplay:") and "--offscreen" in result.stdout
    assert result.stdout.count("\n") == 1
    assert "Traceback" not in result.stderr and result.stderr.strip() == ""


def test_offscreen_needs_no_display():
    result = run("offscreen=True, size=(200, 120)")
    if "no OpenGL" in result.stdout:
        pytest.skip(result.stdout)
    assert result.stdout == "opened 200 120\n"
    assert result.stderr.strip() == ""
