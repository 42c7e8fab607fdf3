"""Python's garbage collector is disabled while the program starts, and enabled afterwards in any case."""

import gc
from types import SimpleNamespace

import pytest

from driving_sandbox.cli.program import BAD_INPUT, main
from driving_sandbox.game.program.app import App


@pytest.fixture(autouse=True)
def searching():
    yield
    gc.unfreeze()
    gc.enable()


def test_it_goes_on_with_the_first_frame():
    during = []
    app = App.__new__(App)
    app.base = SimpleNamespace(taskMgr=SimpleNamespace(step=lambda: during.append(gc.isenabled())))
    app.scene = SimpleNamespace(prepare=lambda: None)
    gc.disable()
    app.first_frame()
    assert during == [False] and gc.isenabled()


def test_it_rests_while_the_program_starts_and_goes_on_when_that_fails(home, monkeypatch):
    during = []

    def load(name):
        during.append(gc.isenabled())
        raise FileNotFoundError(2, "no such file", "car.yaml")

    monkeypatch.setattr("driving_sandbox.cli.program.importlib.import_module", load)
    assert main(["drive"]) == BAD_INPUT
    assert main(["list"]) == BAD_INPUT
    assert during == [False, True] and gc.isenabled()
