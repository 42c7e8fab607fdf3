"""Base class and registry of the windows of the interface.

A window is a file of this folder with one subclass of Window. Defining the subclass registers its name and its actions,
each with keys and a text for the list of keys; its `make` creates it. No other file lists windows: key bindings, the
list of keys, the pause menu, drives and replays all use this registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from driving_sandbox.game.controls.bindings import declare_action


@dataclass(frozen=True)
class Key:
    """An action of a window.

    Attributes:
        action: name of the action in bindings files.
        keys: physical keys, unless a bindings file gives others.
        help: text in the list of keys.
        group: heading in the list of keys.
        after: the action that it is listed after, None for the end of the group.
    """

    action: str
    keys: tuple
    help: str
    group: str = "Program"
    after: str | None = None


@dataclass(frozen=True)
class FreeArea:
    """The free part of the frame.

    Attributes:
        left, right: left and right end, pixels.
        bottom: lower end, the upper edge of the instruments, pixels from the frame's top.
        alone: whether a window or the chooser is open that has the interface to itself.
    """

    left: float
    right: float
    bottom: float
    alone: bool = False


class Window:
    """Base class of the windows. A subclass that sets `name` is created by every drive and replay that supports it.

    Attributes:
        name: key of the window in WINDOWS.
        keys: its actions (Keys); the first one opens and closes the window.
        order: draw order; windows with lower numbers are drawn first.
        menu: its entry in the pause menu; such a window has the interface to itself. None for a window that is shown
            together with others.
        replay_keys: keys of its first action in a replay; None for the same as in a drive.
        open: whether the window is shown.
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
    def make(cls, screen: Any) -> Window | None:
        """The window for a game.program.screen.Screen, or None if the screen does not support it."""
        raise NotImplementedError

    def actions(self) -> dict[str, Callable[[], object]]:
        """{action: function() that is called when its key is pressed}."""
        return {self.keys[0].action: self.toggle} if self.keys else {}

    def toggle(self) -> None:
        """Open or close the window."""
        self.open = not self.open

    def draw(self, free: FreeArea) -> None:
        """Draw the window, if it is open; called once a frame."""
        raise NotImplementedError


WINDOWS: dict[str, type[Window]] = {}


def make_windows(screen: Any) -> dict[str, Window]:
    """{name: Window} of the windows that a Screen supports, in draw order."""
    classes = sorted(WINDOWS.values(), key=lambda window_class: window_class.order)
    windows = ((window_class.name, window_class.make(screen)) for window_class in classes)
    return {name: window for name, window in windows if name is not None and window is not None}
