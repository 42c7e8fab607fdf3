"""The functions that a press of each key or button calls."""

import logging
from pathlib import Path
from typing import Any

from panda3d.core import WindowProperties

from driving_sandbox.game.platform.picture_folder import save_picture
from driving_sandbox.game.platform.window import set_fullscreen, thumbnail
from driving_sandbox.game.program.lamp_switch import LampSwitch
from driving_sandbox.game.session.aid_switch import AidSwitch

REWIND_STEP = 3.0  # s rewound by one press
SPEEDS = (1.0, 0.5, 0.25)  # simulated seconds per real second; after the last one the slow-motion key takes the first
SCALE_STEP = 1.1  # factor on the interface scale per press
_log = logging.getLogger(__name__)


class Actions:
    """The actions of an App.

    Attributes:
        table: {action name of game/controls/bindings.py: function}.
    """

    def __init__(self, app: Any) -> None:
        self._app, self._mark_count = app, 0
        session = app.session
        # `pause` and `placement` are made after this table
        self.table = {
            "recover": session.changes.recover if app.twin is None else app.twin.recover,
            "twin": lambda: app.twin and app.twin.toggle(),
            "ai": app.driver_switch.toggle,
            "ai_faster": app.driver_switch.faster,
            "ai_slower": app.driver_switch.slower,
            "keep_lap": app.driver_switch.keep_lap,
            "rewind": lambda: session.changes.rewind(REWIND_STEP),
            "reset_props": self.reset_props,
            "keep_recording": self.keep_recording,
            "mark": self.mark,
            "mouse_steering": lambda: session.say(app.inputs.mouse.toggle()),
            "camera": app.camera.next_mode,
            "pause": lambda: app.pause.toggle(),
            "menu_back": lambda: app.pause.back(),
            "choose": lambda: app.pause.choose(),
            "restart": lambda: app.placement.restart(),
            "slow_motion": self.slow_motion,
            "panel": self.toggle_panel,
            **LampSwitch(app.train_views, session.say).actions(),
            **AidSwitch(session.tuning, session.say).actions(),
            "hud": lambda: setattr(app.hud, "visible", not app.hud.visible),
            "mute": app.hearing.toggle,
            "fullscreen": self.toggle_fullscreen,
            **app.window_actions(),
            "screenshot": self.save_picture,
            "interface_larger": lambda: self._rescale(SCALE_STEP),
            "interface_smaller": lambda: self._rescale(1.0 / SCALE_STEP),
            "undo": session.tuning.undo,
            "redo": session.tuning.redo,
            **app.experiments.actions(),
        }

    def slow_motion(self) -> None:
        """Take the next of SPEEDS; the length of a tick stays the same, only the number of ticks per frame changes."""
        session = self._app.session
        index = SPEEDS.index(session.speed) if session.speed in SPEEDS else -1
        session.speed = SPEEDS[(index + 1) % len(SPEEDS)]

    def reset_props(self) -> None:
        """Put props and parked vehicles back to where they were at first, except onto an occupied parking position."""
        app = self._app
        put_back, blocked = app.parked.put_back()
        if put_back:
            app.session.changes.record_jump("parked vehicles put back", moved=put_back)
        for name in blocked:
            app.session.say(f"{name}: its parking position is occupied", "warning")
        if app.world.props is not None:
            app.world.props.reset()
            app.session.changes.record_jump("props put back", moved=())
        app.session.mark("props put back")

    def keep_recording(self) -> None:
        """Keep the recording, with a thumbnail of the present frame."""
        path = self._app.session.keep_recording()
        if path:
            self.take_thumbnail(path)

    def take_thumbnail(self, path: str | Path) -> None:
        """Save the present frame as the thumbnail of the recording `path`."""
        try:
            thumbnail(self._app.base, Path(path).with_suffix(".png"))
        except OSError as error:
            _log.warning("%s", error)

    def mark(self) -> None:
        """Put a numbered mark into the recording."""
        self._mark_count += 1
        self._app.session.mark(f"mark {self._mark_count}")
        self._app.session.say(f"mark {self._mark_count} in the recording")

    def toggle_panel(self) -> None:
        """Open or close panel and plots together."""
        app = self._app
        app.panel.open = app.plots.open = not app.panel.open

    def toggle_fullscreen(self) -> None:
        """Switch between window and full screen, if there is a window, and save the setting."""
        app = self._app
        if isinstance(app.base.win.getProperties(), WindowProperties) and not app.options.offscreen:
            app.settings.fullscreen = not app.settings.fullscreen
            set_fullscreen(app.base, app.settings.fullscreen)
            app.settings.save()

    def _rescale(self, factor: float) -> None:
        """Multiply the interface scale by a factor, and save it."""
        app = self._app
        app.ui.set_scale(app.ui.scale * factor)
        app.settings.scale = round(app.ui.scale, 3)
        app.settings.save()

    def save_picture(self) -> None:
        """Save a screenshot."""
        save_picture(self._app.base, "picture", self._app.session.say)
