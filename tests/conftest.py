"""What all tests share: the program's folder on the path, and a user folder that is not the person's own."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame opens no window of its own
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit the folder of the process that started them
    os.environ["SANDBOX_HOME"] = tempfile.mkdtemp(prefix="sandbox-home-")
    atexit.register(shutil.rmtree, os.environ["SANDBOX_HOME"], ignore_errors=True)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A fresh user folder for one test and the processes it starts."""
    folder = tmp_path / "home"
    monkeypatch.setenv("SANDBOX_HOME", str(folder))
    return folder
