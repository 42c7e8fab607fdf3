"""What all tests share: the program's folder on the path, and a user folder that is not the person's own."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame opens no window of its own
if "PYTEST_XDIST_WORKER" not in os.environ or "SANDBOX_HOME" not in os.environ:
    os.environ["SANDBOX_HOME"] = tempfile.mkdtemp(prefix="sandbox-home-")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A fresh user folder for one test and the processes it starts."""
    folder = tmp_path / "home"
    monkeypatch.setenv("SANDBOX_HOME", str(folder))
    return folder
