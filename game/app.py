"""The program with the window: puts the parts together and runs the frames.

A frame: devices and keys -> commands of the ticks it owes (game/session.py) -> poses -> camera -> picture, panel, HUD.
Nothing here writes physics state; whatever a person asks for goes through the session.
"""

import logging
import sys
from dataclasses import replace
from time import perf_counter

from panda3d.core import ClockObject, WindowProperties

from game.controls.bindings import ACTIONS
from game.controls.bindings_file import USER_FILE, load_bindings
from game.controls.devices import Devices
from game.controls.keyboard import Keyboard
from game.drivers import Person
from game.instruments import Instruments
from game.look_back import looking_back
from game.mouse_look import MouseLook
from game.panel.advisor import Advisor, AdvisorList
from game.panel.controls import Controls
from game.panel.parameters import ParameterPanel
from game.panel.plots import PlotWindow
from game.panel.settings_window import ProgramPage, SettingsWindow
from game.props.clutter import Clutter
from game.props.parked import Parked
from game.props.view import PropsView
from game.session import Session
from game.user_folder import subfolder, user_folder
from game.view.camera import CameraRig, apply_view
from game.view.hud import HelpOverlay, Hud, Welcome
from game.view.scene import Scene
from game.window import renderer_name, screenshot, set_fullscreen
from game.world_view import world_view
from physics.body.pick import pick
from physics.contact.component import drawn_parts
from physics.yaml_file import ConfigError

OFFSCREEN_FRAME = 1.0 / 60.0  # s of simulated time a frame of an unattended drive without a window lasts
REWIND_STEP = 3.0  # s gone back by one press of the rewind key
LONG_TAIL = 2.5  # m from the model's origin to the last wheel; what is longer is watched from farther back
SCALE_STEP = 1.1  # ratio of the interface scale by one press
WELCOME_TITLE = "Welcome to the proving ground"
WELCOME_TEXT = (
    "Drive the car, open the tuning panel, change anything while driving, and watch what happens. Everything is "
    "recorded and can be rewound. A gamepad or steering wheel works as soon as it is plugged in.\n"
    "Setups, recordings, pictures and settings are kept in {folder}."
)
_log = logging.getLogger(__name__)


def chase_settings(train, usual):
    """Settings of the chase camera behind the last wheel of a long vehicle or train; `usual` for a car."""
    place, tail = 0.0, 0.0
    for k, v in enumerate(train):
        if k:
            place += train[k - 1].get("contact.hitch_rear")[1] - v.get("contact.hitch_front")[1]
        tail = max(tail, -place - float(v.params["suspension"]["attachment"][0, : v.wheel_count, 1].min()))
    if tail < LONG_TAIL:
        return usual
    return replace(usual, distance=tail + 9.0, height=3.6 + 0.12 * tail)


class App:
    """One running program with a window or an offscreen picture.

    Attributes:
        session: the drive. advisor: tuning help. panel, plots, hud: what ImGui draws. camera: CameraRig.
        scene: what is drawn.
        frame_seconds: processor time of the last frame's Python, without the wait for the picture.
    """

    def __init__(self, base, ui, world, driver, options, settings, scene=None):
        self.base, self.ui, self.world, self.driver = base, ui, world, driver
        self.scene = scene or Scene(base, world_view(world.file), settings.quality)
        self.options, self.settings = options, settings
        self.session = Session(
            world, recordings=subfolder("recordings"), record=options.record, setups=subfolder("setups")
        )
        self.session.on_jump.append(self._jumped)
        self.session.on_exchange.append(self._exchanged)
        self.clutter = Clutter(world, world.file.props if world.file else (), lambda: self.session.recorder)
        self.clutter.tell()
        self.parked = Parked(world)
        self.session.outside = self.clutter.outside
        self._open_inputs()
        for v in [v for v in world.vehicles if v.geometry][len(self.scene.vehicles):]:
            self.scene.add_vehicle(v.geometry.path, v.paint)
        self.views = list(self.scene.vehicles)
        self.props = PropsView(self.scene, self.clutter.kinds, self.clutter.poses, self.clutter.groups)
        self.camera = CameraRig(base, world.ground.height, world.ground.distance)
        self.camera.chase.settings = chase_settings(world.vehicles[: world.trains[0].stop], self.camera.chase.settings)
        self.panel = ParameterPanel(ui, self.session.tuning, self.session.workshop)
        self.advisor = Advisor(self.session)
        self.advisor.check()
        self.panel.advisor = AdvisorList(ui, self.advisor, self.session.tuning, self.panel.show)
        self.plots = PlotWindow(ui)
        self.panel.open = self.plots.open = False
        self.hud = Hud(ui)
        self.instruments = Instruments(world.vehicles[0], miles=settings.units == "mph")
        self.help = HelpOverlay(ui, self.key_help())
        self.settings_window = self._settings_window()
        self.welcome = self._welcome() if settings.first_start and not options.offscreen else None
        self._screenshots = 0
        self._mouse = None
        self.running = True
        self.frame_seconds = 0.0
        self._actions = self._action_table()
        ui.add(self._draw_interface)
        base.taskMgr.add(self._frame, "drive", sort=20)
        self._listen()

    # ---- setting up

    def _open_inputs(self):
        try:
            bindings = load_bindings(subfolder("settings") / USER_FILE)
        except ConfigError as error:
            _log.warning("%s", error)
            self.session.say(str(error), "warning")
            bindings = load_bindings()
        self.bindings = bindings
        self.keyboard = Keyboard(bindings.keys)
        self.keyboard.attach(self.base)
        self.devices = Devices(bindings)
        if self.devices.problem:
            self.session.say(self.devices.problem, "warning")

    def _listen(self):
        base = self.base
        base.exitFunc = self.close
        if self.options.offscreen:
            base.clock.mode = ClockObject.MNonRealTime
            base.clock.dt = OFFSCREEN_FRAME
            return
        base.accept(base.win.getWindowEvent(), self._window_changed)
        self._mouse = MouseLook(base, self.ui, self.camera, self._pick)

    def _action_table(self):
        """What every single press does."""
        session = self.session
        return {
            "recover": session.recover,
            "rewind": lambda: session.rewind(REWIND_STEP),
            "reset_props": self._reset_props,
            "keep_recording": session.keep_recording,
            "help": lambda: setattr(self.help, "open", not self.help.open),
            "camera": self.camera.next_mode,
            "pause": lambda: setattr(session, "paused", not session.paused),
            "panel": self._toggle_panel,
            "controls": self.settings_window.toggle,
            "hud": lambda: setattr(self.hud, "visible", not self.hud.visible),
            "fullscreen": self._toggle_fullscreen,
            "screenshot": self._save_picture,
            "interface_larger": lambda: self._rescale(SCALE_STEP),
            "interface_smaller": lambda: self._rescale(1.0 / SCALE_STEP),
            "undo": session.undo,
            "redo": session.redo,
        }

    def key_help(self):
        """[(key label, what it does)] for the help screen."""
        label = self.keyboard.label
        return [
            (", ".join(label(key) for key in self.bindings.keys[action]), text)
            for action, text in ACTIONS.items()
            if self.bindings.keys.get(action)
        ]

    def _settings_window(self):
        """The window of controls and settings, closed."""
        path = subfolder("settings") / USER_FILE
        controls = Controls(self.bindings, self.keyboard, self.devices, path, self._keys_changed)
        program = ProgramPage(
            self.ui, self.settings,
            set_units=lambda units: setattr(self.instruments.frame, "miles", units == "mph"),
            toggle_fullscreen=None if self.options.offscreen else self._toggle_fullscreen,
            graphics=renderer_name(self.base),
        )  # fmt: skip
        return SettingsWindow(self.ui, controls, program)

    def _keys_changed(self):
        self.help.keys = self.key_help()

    def _welcome(self):
        """First words, shown once."""
        shown = ("throttle", "brake", "steer_left", "steer_right", "handbrake", "panel", "recover", "rewind", "help")
        keys = [(key, text) for key, text in self.key_help() if text in {ACTIONS[name] for name in shown}]
        return Welcome(self.ui, WELCOME_TITLE, WELCOME_TEXT.format(folder=user_folder()), keys)

    # ---- running

    def run(self, started):
        """Step frames until the end; returns the exit code."""
        self.base.taskMgr.step()
        print(f"first drivable frame after {perf_counter() - started:.1f} s", file=sys.stderr)
        limit = self.options.seconds
        try:
            while self.running and (limit is None or self.world.time < limit):
                self.base.taskMgr.step()
            if self.options.screenshot:
                self.base.taskMgr.step()
                screenshot(self.base, self.options.screenshot)
        finally:
            self.shut_down()
        return 0

    def shut_down(self):
        """End the drive and close the picture."""
        self.close()
        self.ui.close()
        self.base.destroy()

    def close(self):
        """End the drive: the recording is closed, devices let go. Safe to call twice."""
        self.running = False
        self.session.close()
        self.devices.close()
        self.keyboard.detach()

    def _frame(self, task):
        began = perf_counter()
        dt = self.base.clock.getDt()
        self._read_inputs()
        self.session.step(dt, self.advisor.watched(self.driver))
        self.advisor.look()
        drawn = [v for v in self.world.vehicles if v.geometry]
        for index, view in enumerate(self.views):
            view.update(self.session.interpolated(index))
            view.draw_parts(drawn_parts(drawn[index]))
        self.props.follow(self.clutter, self.session.clock.fraction)
        frame = self.session.interpolated()
        shown = self.camera.update(frame, dt)
        if self.camera.mode != "free" and (self.keyboard.held("look_back") or "look_back" in self.devices.held):
            shown = looking_back(shown, frame.body_position, self.world.ground.height)
            apply_view(self.base, shown)
        self.props.cull(shown.position)
        self.scene.update(shown.position, dt)
        self.plots.sample(self.world.vehicles[0], self.world.time)
        self.frame_seconds = perf_counter() - began
        return task.cont

    def _read_inputs(self):
        self.keyboard.set_captured(self.ui.wants_keyboard)
        self.devices.poll()
        for notice in self.devices.take_notices():
            self.session.say(notice)
        if self.devices.take_lost():
            self.session.paused = True
        if isinstance(self.driver, Person):
            presses = self.driver.hands.take(self.keyboard, self.devices)
        else:
            presses = [*self.keyboard.take_presses(), *self.devices.take_presses()]
        for action in presses:
            if action in self._actions:
                self._actions[action]()
        if self._mouse:
            self._mouse.update()

    def _draw_interface(self):
        self.panel.draw()
        self.plots.draw(self.world.vehicles[0])
        width, height = self.ui.size
        left, right = self.panel.width, width - self.plots.width
        frame = self.instruments.read(self.session, self.base.clock.getDt())
        self.hud.draw(frame, (left, 0.0, max(1.0, right - left), height))
        self._centre_picture((left + right) / 2.0 / width - 0.5)
        self.help.draw()
        self.settings_window.draw()
        if self.welcome and self.welcome.draw():
            self.welcome = None
            self.settings.first_start = False
            self.settings.save()

    def _centre_picture(self, aside):
        """Move the picture's middle by a share of its width, to where no panel covers it."""
        lens = self.base.camLens
        offset = -aside * lens.getFilmSize()[0]
        if abs(lens.getFilmOffset()[0] - offset) > 1e-3:
            lens.setFilmOffset(offset, 0.0)

    def _exchanged(self):
        """A component was changed: the vehicle is another object."""
        self.instruments.follow(self.world.vehicles[0])
        self.clutter.exchanged()

    def _jumped(self):
        self.clutter.jumped()
        self.camera.snap()
        self.advisor.restart()
        self.driver.jumped(self.session.situation)

    # ---- window and mouse

    def _pick(self, origin, direction):
        """A click on the picture: say what part it hit and show its values in the panel."""
        found = pick(self.world.vehicles[0], origin, direction)
        if found is None:
            return
        self.session.say(found[0])
        if self.panel.open:
            self.panel.show(found[1])

    def _window_changed(self, window):
        properties = window.getProperties()
        if not properties.getOpen():
            self.running = False
            return
        self.base.windowEvent(window)
        if not properties.getForeground():
            self.keyboard.release_all()
            self.devices.release_all()
            if isinstance(self.driver, Person):
                self.driver.hands.release_all()
                self.session.paused = True

    # ---- what keys do

    def _reset_props(self):
        back, taken = self.parked.put_back()
        if back:
            self.session.put("parked vehicles put back")
        for name in taken:
            self.session.say(f"{name}: something stands where it was parked", "warning")
        self.clutter.reset()
        self.session.mark("loose things put back")

    def _toggle_panel(self):
        self.panel.open = self.plots.open = not self.panel.open

    def _toggle_fullscreen(self):
        if isinstance(self.base.win.getProperties(), WindowProperties) and not self.options.offscreen:
            self.settings.fullscreen = not self.settings.fullscreen
            set_fullscreen(self.base, self.settings.fullscreen)
            self.settings.save()

    def _rescale(self, factor):
        self.ui.set_scale(self.ui.scale * factor)
        self.settings.scale = round(self.ui.scale, 3)
        self.settings.save()

    def _save_picture(self):
        folder = subfolder("screenshots")
        while (path := folder / f"picture_{self._screenshots:04d}.png").exists():
            self._screenshots += 1
        screenshot(self.base, path)
        self.session.say(f"picture saved: {path}")
