"""Fixtures for tests that run the program offscreen or in a window."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from app_rig import SCREENSHOT_SIZE, Rig, program  # noqa: E402
from sound_rig import Drive  # noqa: E402
from window_user import WindowUser  # noqa: E402

from driving_sandbox.physics.kernel.jit import ROOT  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def compiled():
    """Kernels of the car that most tests drive, compiled once into the cache that all processes share."""
    command = [sys.executable, "-m", "driving_sandbox.physics.compile", "roadster", "plane"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=600, capture_output=True)


@pytest.fixture(scope="session")
def compiled_sound():
    """All that a drive needs to be heard, compiled once into the cache that all processes share."""
    command = [sys.executable, "-m", "driving_sandbox.sound.device.compile"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=600, capture_output=True)


@pytest.fixture(scope="session")
def drive(tmp_path_factory, compiled):
    """CompletedProcess of an offscreen drive of 2 s by the AI, with the paths `home`, `recording` and `screenshot`."""
    folder = tmp_path_factory.mktemp("drive")
    result = program(
        "drive", "--offscreen", "--driver", "ai", "--seconds", 2, "--size", SCREENSHOT_SIZE,
        "--record", folder / "lap.drive", "--screenshot", folder / "car.png", SANDBOX_HOME=str(folder / "home"),
    )  # fmt: skip
    result.home, result.recording, result.screenshot = folder / "home", folder / "lap.drive", folder / "car.png"
    return result


@pytest.fixture
def open_rig(home):
    """A function that opens the program offscreen in this process; it is closed after the test."""
    opened = []

    def make(*arguments):
        opened.append(Rig(*arguments))
        return opened[-1]

    yield make
    for rig in opened:
        rig.close()


@pytest.fixture
def open_window(display, home):
    """A function that starts the program in a real window; it is ended after the test."""
    opened = []

    def make(*arguments, pad=None, audio=None):
        opened.append(WindowUser(display, *arguments, pad=pad, audio=audio))
        return opened[-1]

    yield make
    for user in opened:
        user.end()


@pytest.fixture
def raw_file(tmp_path, monkeypatch, home):
    """The file that SDL's driver `disk` writes the samples to."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "disk")
    monkeypatch.setenv("SDL_DISKAUDIOFILE", str(tmp_path / "samples.raw"))
    return tmp_path / "samples.raw"


@pytest.fixture
def new_drive(compiled_sound, raw_file):
    """A function that makes a Drive (sound_rig.py), which is closed after the test."""
    drives = []

    def make(*arguments, **settings):
        drives.append(Drive(*arguments, **settings))
        return drives[-1]

    yield make
    for drive in drives:
        drive.close()
