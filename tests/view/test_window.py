"""Without a display the error is one sentence."""

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
@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ":173"}])
def test_no_display_is_one_clear_sentence(environment):
    done = run("", **environment)
    assert done.returncode == 0
    assert done.stdout.startswith("NoDisplay:") and "--offscreen" in done.stdout
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr and done.stderr.strip() == ""


def test_offscreen_needs_no_display():
    done = run("offscreen=True, size=(200, 120)")
    if "no OpenGL" in done.stdout:
        pytest.skip(done.stdout)
    assert done.stdout == "opened 200 120\n"
    assert done.stderr.strip() == ""
