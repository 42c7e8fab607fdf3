"""Pause: time is stopped, and a menu leads to windows, the chooser and the way out.

One page is shown at a time: the menu, the chooser or a window with an entry in the menu. Another opened over it, by an
entry or by its key, replaces it and leads back to it. A window opened while driving leads back to the drive, which
goes on meanwhile.
"""

from functools import partial

from driving_sandbox.game.toolkit.navigation import Navigation
from driving_sandbox.game.windows.chooser import Chooser
from driving_sandbox.game.windows.pause_menu import PauseMenu, shade

MENU, CHOOSER = "menu", "choose"


class Pause:
    """Call `look` once a frame and `draw` with the interface.

    Args:
        app: game.program.app.App. program: game.program.program.Program, which changes the drive; None where nothing
        can be chosen.
    Attributes:
        page: what is shown: None, MENU, CHOOSER or the name of a window.
        chooser: game.windows.chooser.Chooser, None where nothing can be chosen.
    """

    def __init__(self, app, program=None):
        self._app, self._pages = app, []  # the last one is shown, the one before is returned to
        self._windows = {name: window for name, window in app.windows.items() if window.menu}
        self._navigation = Navigation()
        self.chooser = None
        if program and program.choice:
            self.chooser = Chooser(app.ui, program.choice, program.request, program.allow, self._back)
        self._menu = PauseMenu(app.ui, self._entries())

    page = property(lambda self: self._pages[-1] if self._pages else None)

    @property
    def stops_time(self):
        """Whether time is stopped for a menu, which then has the keys."""
        return MENU in self._pages or CHOOSER in self._pages

    def settle(self, choice):
        """This choice is driven now."""
        if self.chooser:
            self.chooser.present = choice

    def refuse(self, wanted, problem, untrusted=None, change=""):
        """A choice could not be driven: open the chooser with the reason. untrusted: a file that must be allowed, and
        what was changed in it since it was."""
        self.choose()
        self.chooser.refuse(wanted, problem, untrusted, change)

    def _entries(self):
        placement = self._app.placement
        return {
            "Resume": self.resume,
            "Restart": lambda: self._go_on(placement.restart),
            "Recover": lambda: self._go_on(lambda: self._app.do("recover")),
            "Choose": self.choose,
            **{window.menu: partial(self._open, name) for name, window in self._windows.items()},
            "Quit": self._quit,
        }

    # ---- by keys

    def toggle(self) -> None:
        """What the pause key does: close a popup, go back a page, go on, or pause."""
        if self._app.ui.close_popup():
            return
        if self.page is not None:
            self._back()
        elif self._app.session.paused:
            self.resume()
        else:
            self.begin()

    def begin(self) -> None:
        """Stop time and open the menu, below a window that is open."""
        self._app.session.paused = True
        if not self.stops_time:
            self._pages.insert(0, MENU)

    def choose(self) -> None:
        """Straight to the chooser."""
        if self.chooser is None:
            self._app.session.say("this drive goes on from a recording: nothing else can be chosen", "warning")
            return
        self._app.session.paused = True
        self._open(CHOOSER)
        self.chooser.refresh(self._app.placement.spawn, self._app.settings.daytime)

    def switch(self, window):
        """What the key of a window in the menu does: open it in place of the present page, or close it."""
        self._back() if self.page == window else self._open(window)

    def resume(self) -> None:
        """Time goes on, and nothing is open."""
        self._pages.clear()
        self._show_windows()
        self._app.session.paused = False

    def back(self) -> None:
        """What a pad's button for going back does."""
        if self.page is not None:
            self.toggle()

    # ---- pages

    def _show_windows(self) -> None:
        """Of the windows exactly the page is open."""
        for name, window in self._windows.items():
            if window.open != (name == self.page):
                window.toggle()

    def _open(self, page):
        """Show a page in place of the present one, which it leads back to, or go back to it."""
        del self._pages[self._pages.index(page) if page in self._pages else len(self._pages) :]
        self._pages.append(page)
        self._show_windows()

    def _back(self) -> None:
        stopped = self.stops_time
        self._pages.pop()
        self._show_windows()
        if stopped and not self.stops_time:
            self._app.session.paused = False

    def _go_on(self, doing):
        self.resume()
        doing()

    def _quit(self) -> None:
        self._app.running = False

    # ---- every frame

    def look(self) -> None:
        """Once a frame: a window closed by the mouse leads back, too."""
        if self.page in self._windows and not self._windows[self.page].open:
            self._back()
        if self.page == MENU and not self._app.session.paused:  # time was resumed from elsewhere
            self._pages.clear()
        self._navigation.update(self.stops_time, self._app.devices.held)

    def draw(self) -> None:
        """Menu or chooser; the windows are drawn by the program, over a darker picture while time is stopped."""
        if self.page == MENU:
            self._menu.draw()
        elif self.page == CHOOSER:
            self.chooser.draw()
        if self.stops_time:
            shade(self._app.ui)
