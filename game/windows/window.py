"""Base and registry of the windows of the interface.

A window is one file of this folder with one subclass of Window. Defining the subclass registers it: its name, its
actions, each with keys and a text for the list of keys, and how it is made. No other file lists windows: bindings of
keys, the list of keys, the pause menu, drives and replays all use this registry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from driving_sandbox.game.controls.bindings import declare_action


@dataclass(frozen=True)
class Key:
    """An action of a window.

    Attributes:
        action: its name in files of bindings. keys: physical keys unless such a file says otherwise. help: its text in
        the list of keys. group: the heading there. after: the action it is listed after, None for the end of the group.
    """

    action: str
    keys: tuple
    help: str
    group: str = "Program"
    after: str | None = None


@dataclass(frozen=True)
class FreeArea:
    """The free part of the picture: left and right end, and the upper edge of the instruments (`low`), in pixels.

    alone: whether a window is open that has the interface to itself.
    """

    left: float
    right: float
    low: float
    alone: bool = False


class Window:
    """Base of the windows. A subclass sets `name`, and is then created by every drive and replay that supports it.

    Attributes:
        name: key of the window in WINDOWS. keys: its actions; the first opens and closes it. order: windows with a
        lower one are drawn first. menu: its entry in the pause menu; such a window has the interface to itself; None
        for one shown together with others. replay_keys: of its first action in a replay, None for the same as in a
        drive. open: whether it is shown.
    """

    name: ClassVar[str | None] = None
    keys: ClassVar[tuple] = ()
    order: ClassVar[int] = 100
    menu: ClassVar[str | None] = None
    replay_keys: ClassVar[tuple | None] = None
    open = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.name is None:
            return
        if cls.name in WINDOWS:
            raise TypeError(f"two windows are called {cls.name!r}: {WINDOWS[cls.name].__module__} and {cls.__module__}")
        for key in cls.keys:
            declare_action(key.action, key.help, key.group, key.keys, key.after)
        WINDOWS[cls.name] = cls

    @classmethod
    def make(cls, screen):
        """The window of a game.program.screen.Screen, or None where the screen does not support it."""
        raise NotImplementedError

    def actions(self):
        """{action: function called when its key is pressed}."""
        return {self.keys[0].action: self.toggle} if self.keys else {}

    def toggle(self) -> None:
        """Open or close."""
        self.open = not self.open

    def draw(self, free: FreeArea | None = None):
        """Draw, if it is open; called once a frame."""
        raise NotImplementedError


WINDOWS: dict[str, type[Window]] = {}


def make_windows(screen):
    """{name: Window} of a Screen, in the order in which they are drawn."""
    kinds = sorted(WINDOWS.values(), key=lambda kind: kind.order)
    windows = {kind.name: kind.make(screen) for kind in kinds}
    return {name: window for name, window in windows.items() if window is not None}
