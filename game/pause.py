"""Pause: time stands, and a menu leads to all one may want then. Each of its pages leads back to it."""

from game.panel.chooser import Chooser
from game.panel.navigation import Navigation
from game.panel.pause_menu import PauseMenu, shade

MENU, CHOOSER = "menu", "choose"


class Pause:
    """Call `look` once a frame and `draw` with the interface.

    Args:
        app: game.app.App. program: game.program.Program, which changes the drive; None where nothing can be chosen.
    Attributes:
        page: what is open: None, "menu", "choose", or the name of a window ("recordings", "settings", "keys").
        chooser: game.panel.chooser.Chooser, None where nothing can be chosen.
    """

    def __init__(self, app, program=None):
        self._app, self.page, self._alone = app, None, False
        self._navigation = Navigation()
        self.chooser = None
        if program and program.choice:
            self.chooser = Chooser(app.ui, program.choice, program.request, program.allow, self._back)
        self._menu = PauseMenu(app.ui, self._entries())

    def settle(self, choice):
        """This choice is driven now."""
        if self.chooser:
            self.chooser.present = choice

    def refuse(self, wanted, problem, untrusted=None):
        """A choice could not be driven: open the chooser with the reason. untrusted: a file that must be allowed."""
        self.choose()
        self.chooser.refuse(wanted, problem, untrusted)

    def _entries(self):
        place = self._app.placement
        return {
            "Resume": self.resume,
            "Restart": lambda: self._go_on(place.restart),
            "Recover": lambda: self._go_on(lambda: self._app.actions.do("recover")),
            "Choose": lambda: self._open(CHOOSER),
            "Recordings": lambda: self._open("recordings"),
            "Settings": lambda: self._open("settings"),
            "Keys": lambda: self._open("keys"),
            "Quit": self._quit,
        }

    # ---- by keys

    def toggle(self):
        """What the pause key does: pause, go on, or from a page back to the menu."""
        if self.page is not None:
            self._back() if self.page != MENU else self.resume()
        elif self._app.session.paused:
            self.resume()
        else:
            self.begin()

    def begin(self):
        """Time stands; the menu is open."""
        self._app.session.paused = True
        if self.page is None:
            self._alone, self.page = False, MENU

    def choose(self):
        """Straight to the chooser; back from it leads to the drive."""
        if self.chooser is None:
            self._app.session.say("this drive goes on from a recording: nothing else can be chosen", "warning")
            return
        self._app.session.paused = self._alone = True
        self._open(CHOOSER)

    def resume(self):
        """Time goes on."""
        self._close()
        self.page, self._app.session.paused = None, False

    def back(self):
        """What a pad's button for going back does."""
        if self.page is not None:
            self.toggle()

    # ---- pages

    def _window(self):
        """(object with `open`, its function to open or close) of the page's window."""
        app = self._app
        return {
            "recordings": (app.recordings, app.recordings.toggle),
            "settings": (app.settings_window, app.settings_window.toggle),
            "keys": (app.help, lambda: setattr(app.help, "open", not app.help.open)),
        }.get(self.page)

    def _open(self, page):
        if page == CHOOSER and self.chooser is None:
            self.choose()
            return
        self._close()
        self.page = page
        if page == CHOOSER:
            self.chooser.refresh(self._app.placement.spawn, self._app.settings.daytime)
        elif not self._window()[0].open:
            self._window()[1]()

    def _close(self):
        window = self._window()
        if window and window[0].open:
            window[1]()

    def _back(self):
        if self._alone:
            self._alone = False
            self.resume()
            return
        self._close()
        self.page = MENU

    def _go_on(self, doing):
        self.resume()
        doing()

    def _quit(self):
        self._app.running = False

    # ---- every frame

    def look(self):
        """Once a frame: a window closed by the mouse leads back to the menu."""
        window = self._window()
        if window and not window[0].open:
            self._back()
        if self.page == MENU and not self._app.session.paused:  # time was let go on by somebody else
            self.page = None
        self._navigation.update(self.page is not None, self._app.devices.held)

    def draw(self):
        """Menu or chooser; the windows are drawn by the program."""
        if self.page == MENU:
            self._menu.draw()
        elif self.page == CHOOSER:
            shade(self._app.ui)
            self.chooser.draw()
