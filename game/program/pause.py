"""Pause: time is stopped, and a menu leads to windows, the chooser and the program's end.

One page is shown at a time: the menu, the chooser or a window with an entry in the menu. Opening another page, by its
entry or its key, covers the present one; closing it leads back. A window opened while driving leads back to the drive,
which goes on meanwhile.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driving_sandbox.game.toolkit.navigation import MenuNavigation
from driving_sandbox.game.windows.chooser import Chooser
from driving_sandbox.game.windows.pause_menu import PauseMenu, shade

if TYPE_CHECKING:
    from driving_sandbox.game.session.choice import Choice

MENU, CHOOSER = "menu", "choose"


class Pause:
    """The open pages of the pause; call `poll` once a frame and `draw` with the interface.

    Args:
        app: game.program.app.App.
        program: game.program.program.Program, which changes the drive; None if nothing can be chosen.
    Attributes:
        page: the page shown: MENU, CHOOSER, the name of a window, or None.
        page_count: number of open pages, those that are covered included.
        chooser: game.windows.chooser.Chooser, or None if nothing can be chosen.
    """

    def __init__(self, app: Any, program: Any = None) -> None:
        self._app = app
        self._pages: list[str] = []  # the last page is shown; closing it leads to the one before
        self._windows = {name: window for name, window in app.windows.items() if window.menu}
        self._navigation = MenuNavigation()
        self.chooser: Chooser | None = None
        if program and program.choice:
            self.chooser = Chooser(app.ui, program.choice, program.request, program.allow, self._back)
        self._menu = PauseMenu(app.ui, self._entries())

    page = property(lambda self: self._pages[-1] if self._pages else None)

    page_count = property(lambda self: len(self._pages))

    @property
    def stops_time(self) -> bool:
        """Whether menu or chooser is open, also covered; then time is stopped and the keys go to the menu."""
        return MENU in self._pages or CHOOSER in self._pages

    def settle(self, choice: "Choice") -> None:
        """Tell the chooser which choice is driven now."""
        if self.chooser:
            self.chooser.present = choice

    def refuse(self, wanted: "Choice", problem: str, untrusted: Path | None = None, change: str = "") -> None:
        """Open the chooser with the reason why a choice cannot be driven.

        Args:
            wanted: the Choice.
            problem: the reason.
            untrusted: a Python file that must be allowed first, or None.
            change: the changes in that file since it was allowed, as a text for the user.
        """
        self.choose()
        if self.chooser is not None:
            self.chooser.refuse(wanted, problem, untrusted, change)

    def _entries(self) -> dict[str, Callable[[], object]]:
        """{text: function} of the menu."""
        placement = self._app.placement
        return {
            "Resume": self.resume,
            "Restart": lambda: self._resume_with(placement.restart),
            "Recover": lambda: self._resume_with(lambda: self._app.do("recover")),
            "Choose": self.choose,
            **{window.menu: partial(self._open, name) for name, window in self._windows.items()},
            "Quit": self._quit,
        }

    # ---- by keys

    def toggle(self) -> None:
        """Act as the pause key: close the popup, or else the page shown, or else end or begin the pause."""
        if self._app.ui.close_popup():
            return
        if self.page is not None:
            self._back()
        elif self._app.session.paused:
            self.resume()
        else:
            self.begin()

    def begin(self) -> None:
        """Stop time and open the menu, behind any window that is open."""
        self._app.session.paused = True
        if not self.stops_time:
            self._pages.insert(0, MENU)

    def choose(self) -> None:
        """Stop time and open the chooser; if nothing can be chosen, say so."""
        if self.chooser is None:
            text = "this drive goes on from a recording: another vehicle or world cannot be chosen"
            self._app.session.say(text, "warning")
            return
        self._app.session.paused = True
        self._open(CHOOSER)
        self.chooser.refresh(self._app.placement.spawn, self._app.settings.daytime)

    def switch(self, window: str) -> None:
        """Act as the key of a window in the menu: open it on top of the present page, or close it if it is shown."""
        self._back() if self.page == window else self._open(window)

    def resume(self) -> None:
        """Close all pages and let time go on."""
        self._pages.clear()
        self._show_windows()
        self._app.session.paused = False

    def back(self) -> None:
        """Act as a gamepad's button for going back: like the pause key, but nothing while no page is open."""
        if self.page is not None:
            self.toggle()

    # ---- pages

    def _show_windows(self) -> None:
        """Open the window that is the page, and close the others."""
        for name, window in self._windows.items():
            if window.open != (name == self.page):
                window.toggle()

    def _open(self, page: str) -> None:
        """Show a page on top of the present one; if it is open already, close it and those above it first."""
        del self._pages[self._pages.index(page) if page in self._pages else len(self._pages) :]
        self._pages.append(page)
        self._show_windows()

    def _back(self) -> None:
        """Close the page shown; time goes on once neither menu nor chooser is open."""
        stopped = self.stops_time
        self._pages.pop()
        self._show_windows()
        if stopped and not self.stops_time:
            self._app.session.paused = False

    def _resume_with(self, action: Callable[[], object]) -> None:
        """Let time go on, and call `action()`."""
        self.resume()
        action()

    def _quit(self) -> None:
        self._app.running = False

    # ---- every frame

    def poll(self) -> None:
        """Once a frame: go back from a window that was closed by the mouse, and follow a pad's menu buttons."""
        if self.page in self._windows and not self._windows[self.page].open:
            self._back()
        if self.page == MENU and not self._app.session.paused:  # time was resumed from elsewhere
            self._pages.clear()
        self._navigation.update(self.stops_time, self._app.devices.held_actions)

    def draw(self) -> None:
        """Draw menu or chooser, and darken the frame while time is stopped. The app draws the windows."""
        if self.page == MENU:
            self._menu.draw()
        elif self.page == CHOOSER and self.chooser is not None:
            self.chooser.draw()
        if self.stops_time:
            shade(self._app.ui)
