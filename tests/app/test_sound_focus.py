"""A drive or replay knows from its start whether its window has the keyboard."""

from types import SimpleNamespace

import pytest

from driving_sandbox.game.program.screen import Screen


class Window:
    """Stands in for Panda3D's window."""

    def __init__(self, foreground):
        self._properties = SimpleNamespace(getForeground=lambda: foreground)

    def getWindowEvent(self):
        return "window-event"

    def getProperties(self):
        return self._properties


@pytest.mark.parametrize("foreground", [True, False])
def test_the_focus_of_a_window_is_known_from_its_opening(monkeypatch, foreground):
    monkeypatch.setattr("driving_sandbox.game.program.screen.MouseLook", lambda *parts: None)
    base = SimpleNamespace(win=Window(foreground), accept=lambda event, function: None)
    screen = Screen(base, None, SimpleNamespace(offscreen=False), None)
    screen.camera = None
    screen._listen()
    assert screen.hearing.focused == foreground
