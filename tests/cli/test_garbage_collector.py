"""Python's garbage collector is disabled while the program starts, and enabled afterwards in any case."""

import gc
from types import SimpleNamespace

import pytest

from driving_sandbox.cli.program import BAD_INPUT, main
from driving_sandbox.game.program.app import UNTIMED_FRAMES, App


@pytest.fixture(autouse=True)
def enabled_afterwards():
    yield
    gc.unfreeze()
    gc.enable()


def test_the_collector_is_enabled_after_the_first_frames():
    during = []  # whether it is enabled during each frame
    app = App.__new__(App)
    app.base = SimpleNamespace(taskMgr=SimpleNamespace(step=lambda: during.append(gc.isenabled())))
    app.scene = SimpleNamespace(prepare=lambda: None)
    gc.disable()
    app.first_frame()
    assert during == [False] * UNTIMED_FRAMES and gc.isenabled()


def test_the_collector_is_disabled_while_a_drive_starts_and_enabled_when_that_fails(home, monkeypatch):
    during = []  # whether it is enabled while the command's module is imported

    def load(name):
        during.append(gc.isenabled())
        raise FileNotFoundError(2, "no such file", "car.yaml")

    monkeypatch.setattr("driving_sandbox.cli.program.importlib.import_module", load)
    assert main(["drive"]) == BAD_INPUT
    assert main(["list"]) == BAD_INPUT
    assert during == [False, True] and gc.isenabled()
