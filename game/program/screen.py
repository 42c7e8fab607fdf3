"""The common base of a drive and a replay: a rendered scene with an interface on top, keys, windows and frames.

A subclass makes its parts, calls `open_windows` and then `attach`. Each frame runs `_frame` and `_draw_interface`;
presses of keys and buttons go to `do`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from panda3d.core import ClockObject

from driving_sandbox.game.audio.interface_only import hear_interface
from driving_sandbox.game.audio.interface_sound import InterfaceSound
from driving_sandbox.game.program.mouse_look import MouseLook
from driving_sandbox.game.windows.help import grouped
from driving_sandbox.game.windows.window import FreeArea, make_windows

OFFSCREEN_FRAME = 1.0 / 60.0  # s, length of a frame of a drive or replay without a window
FRAME_SORT = 20  # order of the frame's task among Panda3D's; the interface is drawn later (game/toolkit/backend.py)


class Screen:
    """A rendered scene with an interface, its keys, windows and frames.

    Args:
        base: ShowBase with the window or the buffer.
        ui: ImGuiBackend.
        options: options of the command line.
        settings: Settings.
    Attributes:
        task: name of the Panda3D task that runs each frame.
        session: game.session.session.Session, None in a replay.
        panel: ParameterPanel, None in a replay.
        plots: PlotWindow.
        pause: game.program.pause.Pause, None in a replay.
        scene: Scene.
        camera: CameraRig.
        hearing: game.audio.hearing.Hearing, or InterfaceOnly or Silence.
        interface_sound: InterfaceSound.
        keyboard: Keyboard.
        windows: {name: game.windows.window.Window}.
        table: {action: function}.
        running: False ends the drive or replay.
        frame_seconds: time that the last `_frame` took, without drawing, s.
    """

    task = "screen"
    camera: Any
    keyboard: Any
    session: Any = None
    panel: Any = None
    plots: Any = None
    pause: Any = None

    def __init__(self, base: Any, ui: Any, options: Any, settings: Any) -> None:
        self.base, self.ui, self.options, self.settings = base, ui, options, settings
        self.windows: dict[str, Any] = {}
        self.table: dict[str, Callable[[], object]] = {}
        self.running, self.frame_seconds = True, 0.0
        self._mouse: MouseLook | None = None  # None offscreen and while detached
        self.hearing, self.interface_sound = hear_interface(options, settings, self.say), InterfaceSound(self)

    def open_windows(self) -> None:
        """Make all windows that this screen supports; all are closed at first."""
        self.windows = make_windows(self)

    def window_actions(self) -> dict[str, Callable[[], object]]:
        """{action: function} of all windows."""
        return {name: function for window in self.windows.values() for name, function in window.actions().items()}

    def do(self, action: str) -> None:
        """Call the function of an action; actions without one, such as those of held keys, do nothing."""
        if action in self.table:
            self.table[action]()

    # ---- frames and events

    def attach(self) -> None:
        """Start frames, interface and window events, for the first time or after `detach`."""
        self.ui.add(self._draw_interface)
        self.ui.add(self.interface_sound.step)
        self.base.taskMgr.add(self._frame, self.task, sort=FRAME_SORT)
        self._listen()

    def detach(self) -> None:
        """Stop frames and mouse, and hide the interface, while something else is loaded."""
        self.ui.remove(self._draw_interface)
        self.ui.remove(self.interface_sound.step)
        self.base.taskMgr.remove(self.task)  # tasks outlive the window they belong to
        if self._mouse:
            self._mouse.close()
            self._mouse = None

    def _listen(self) -> None:
        """Listen to window and mouse, or offscreen make every frame OFFSCREEN_FRAME long."""
        base = self.base
        base.exitFunc = self.close
        if self.options.offscreen:
            base.clock.mode = ClockObject.MNonRealTime
            base.clock.dt = OFFSCREEN_FRAME
            return
        base.accept(base.win.getWindowEvent(), self._window_changed)
        self.hearing.focused = base.win.getProperties().getForeground()  # events tell only of changes
        self._mouse = MouseLook(base, self.ui, self.camera, self._pick)

    def shut_down(self) -> None:
        """End the drive or replay, and close the window or offscreen buffer."""
        self.close()
        self.base.taskMgr.remove(self.task)
        self.ui.close()
        self.base.exitFunc = None  # Panda3D keeps the last ShowBase, which would keep all of the drive or replay
        self.base.destroy()

    def _window_changed(self, window: Any) -> None:
        """Panda3D's window event: end once the window is closed, and follow its size and its keyboard focus."""
        properties = window.getProperties()
        if not properties.getOpen():
            self.running = False
            return
        self.base.windowEvent(window)
        self.hearing.focused = properties.getForeground()
        if not self.hearing.focused:
            self._lose_focus()

    # ---- the interface

    def help_rows(
        self, groups: Mapping[str, Iterable[str]], keys: Mapping[str, tuple[Iterable[str], str]]
    ) -> list[tuple[str, str]]:
        """Rows (key label, text) of the help screen; a row ("", heading) begins each group.

        Args:
            groups: {heading: actions}.
            keys: {action: (physical keys, text)}.
        """
        label = self.keyboard.label
        return grouped(groups, {action: (", ".join(map(label, bound)), text) for action, (bound, text) in keys.items()})

    def _draw_windows(self, left: float, right: float, low: float, alone: bool = False) -> None:
        """Draw all windows in the free part of the frame.

        Args:
            left, right: limits of the free part, pixels.
            low: y of the upper edge of the instruments, pixels from the frame's top.
            alone: whether a window or the chooser is open that has the interface to itself.
        """
        free = FreeArea(left, right, low, alone)
        for window in self.windows.values():
            window.draw(free)

    # ---- methods that a drive and a replay implement differently

    def close(self) -> None:
        """End drive or replay; safe to call twice."""
        raise NotImplementedError

    def key_help(self) -> list[tuple[str, str]]:
        """Rows of the help screen (`help_rows`) for all keys."""
        raise NotImplementedError

    def say(self, text: str, level: str = "info") -> None:
        """Show a message; only a replay implements it, as messages of a drive go to its session."""
        raise NotImplementedError

    def _centre_frame(self, shift: float) -> None:
        """Move the middle of the view to the right by `shift`, a share of the frame's width, to where no panel is."""
        lens = self.base.camLens
        offset = -shift * lens.getFilmSize()[0]
        if abs(lens.getFilmOffset()[0] - offset) > 1e-3:
            lens.setFilmOffset(offset, 0.0)

    def note_moment(self) -> Any:
        """The present moment, to which a note begun now belongs."""
        raise NotImplementedError

    def keep_note(self, moment: Any, text: str) -> None:
        """Save a note at a moment that `note_moment` returned."""
        raise NotImplementedError

    def _frame(self, task: Any) -> Any:
        raise NotImplementedError

    def _draw_interface(self) -> None:
        """Draw everything that ImGui draws."""
        raise NotImplementedError

    def _lose_focus(self) -> None:
        """Treat all keys as released, because another window has the keyboard."""
        self.keyboard.release_all()

    def _pick(self, origin: np.ndarray, direction: np.ndarray) -> None:
        """Act on a click on the scene, given by its ray (`view_ray`)."""
