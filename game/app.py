"""The program with the window: puts the parts together and runs the frames.

A frame: devices and keys -> commands of the ticks it owes (game/session.py) -> poses -> camera -> picture, panel, HUD.
Nothing here writes physics state; whatever a person asks for goes through the session.
"""

import gc
import logging
import sys
from functools import partial
from time import perf_counter

from panda3d.core import ClockObject

from game.actions import Actions
from game.autosave import Autosave
from game.camera_choice import cameras_of, chase_settings
from game.controls.bindings import ACTIONS
from game.controls.bindings_file import USER_FILE, load_bindings
from game.controls.devices import Devices
from game.controls.keyboard import Keyboard
from game.debug.drawing import DebugDrawing
from game.drivers import Person
from game.hand_over import HandOver
from game.instruments import Instruments
from game.look_back import looking_back
from game.mouse_look import MouseLook
from game.panel.advisor import Advisor, AdvisorList
from game.panel.controls import Controls
from game.panel.debug_pages import DebugPages
from game.panel.debug_window import DebugWindow
from game.panel.note import NoteLine
from game.panel.parameters import ParameterPanel
from game.panel.plot_layouts import FILE as PLOT_LAYOUTS
from game.panel.plot_layouts import Layouts
from game.panel.plots import PlotWindow
from game.panel.preferences import load_preferences
from game.panel.recordings import RecordingsWindow
from game.panel.settings_window import ProgramPage, SettingsWindow
from game.props.clutter import Clutter
from game.props.parked import Parked
from game.props.view import PropsView
from game.session import Session
from game.shelf import Shelf
from game.stream import Stream
from game.traces import Traced
from game.trying_out import TryingOut
from game.twin_show import TwinShow
from game.user_folder import subfolder, user_folder
from game.vehicle_watch import VehicleWatch
from game.view.camera import CameraRig, apply_view
from game.view.effects import Effects
from game.view.hud import HelpOverlay, Hud, Welcome
from game.view.scene import Scene
from game.vsync import set_vsync
from game.window import renderer_name, screenshot
from game.world_view import world_view
from physics.body.pick import pick
from physics.contact.component import drawn_parts
from physics.steering.steering_wheel import steering_wheel
from physics.yaml_file import ConfigError

OFFSCREEN_FRAME = 1.0 / 60.0  # s of simulated time a frame of an unattended drive without a window lasts
CAMERA_NAME_SECONDS = 2.0  # s the name of a camera is shown
WELCOME_TITLE = "Welcome to the proving ground"
WELCOME_TEXT = (
    "Drive the car, open the tuning panel, change anything while driving, and watch what happens. Everything is "
    "recorded and can be rewound. A gamepad or steering wheel works as soon as it is plugged in.\n"
    "Setups, recordings, pictures and settings are kept in {folder}."
)
_log = logging.getLogger(__name__)


class App:
    """One running program with a window or an offscreen picture.

    Attributes:
        session: the drive. advisor: tuning help. panel, plots, hud: what ImGui draws. camera: CameraRig.
        scene: what is drawn. twin: TwinShow, or None without one.
        frame_seconds: processor time of the last frame's Python, without the wait for the picture.
    """

    def __init__(self, base, ui, world, driver, options, settings, scene=None, twin=None):
        self.base, self.ui, self.world = base, ui, world
        self.scene = scene or Scene.of(base, world_view(world.file), settings)
        self.options, self.settings = options, settings
        self.session = Session(
            world, recordings=subfolder("recordings"), record=options.record, setups=subfolder("setups")
        )
        self.session.on_jump.append(self._jumped)
        self.session.on_exchange.append(self._exchanged)
        self.session.on_change.append(self._dress)
        self.clutter = Clutter(world, world.file.props if world.file else (), lambda: self.session.recorder)
        self.clutter.tell()
        self.parked = Parked(world)
        self.session.outside = self.clutter.outside
        self._open_inputs()
        for v in [v for v in world.vehicles[:twin] if v.geometry][len(self.scene.vehicles):]:
            self.scene.add_vehicle(v.geometry.path, v.paint)
        self.views = list(self.scene.vehicles)
        self._drawn = [index for index, v in enumerate(world.vehicles) if v.geometry]  # those of the views, then a twin
        self._dress()
        self.hand = HandOver(self.session, driver, getattr(options, "line", None))
        self.twin = None if twin is None else TwinShow(self.session, self.scene, ui, twin)
        self.effects = Effects(self.scene, world.file.surfaces if world.file else ())
        self._follow_traces()
        self.props = PropsView(self.scene, self.clutter.kinds, self.clutter.poses, self.clutter.groups)
        self.camera = CameraRig(base, world.ground.height, world.ground.distance, cameras_of(world.vehicles[0]))
        self.camera.on_choose = lambda name: self.instruments.feed.post(name, "info", CAMERA_NAME_SECONDS)
        if self.views:
            self.camera.fit(self.views[0].model.place, 2.0 * self.views[0].half_size[1])
        self.camera.chase.settings = chase_settings(world.vehicles[: world.trains[0].stop], self.camera.chase.settings)
        preferences, complaint = load_preferences()
        if complaint:
            self.session.say(complaint, "warning")
        self.panel = ParameterPanel(ui, self.session.tuning, self.session.workshop, preferences)
        self.advisor = Advisor(self.session)
        self.advisor.check()
        self.panel.advisor = AdvisorList(ui, self.advisor, self.session.tuning, self.panel.show)
        folder = subfolder("recordings")
        self.trying = TryingOut(self.session, self.scene, ui, self.panel, folder, options.ghost)
        self.plots = PlotWindow(ui, layouts=Layouts(subfolder("settings") / PLOT_LAYOUTS), laps=self.trying.laps)
        self.panel.open = self.plots.open = False
        self.hud = Hud(ui)
        self.pages = DebugPages(ui, self.session)
        self.debug = DebugWindow(ui, DebugDrawing(self.scene, ui))
        self.instruments = Instruments(world.vehicles[0], miles=settings.units == "mph")
        self.help = HelpOverlay(ui, self.key_help())
        self.settings_window = self._settings_window()
        self.welcome = self._welcome() if settings.first_start and not options.offscreen else None
        self.stream = Stream(self.session, options.stream) if options.stream else None
        shelf = Shelf(folder, in_use=lambda: self.session.recorder and self.session.recorder.path)
        self.recordings = RecordingsWindow(ui, shelf, beside=self.trying.drive_beside)
        self.session.desk.on_open.append(self.clutter.tell)
        self.autosave = Autosave(self.session, subfolder("autosave"))
        self.autosave.restore()
        self.watch = VehicleWatch(self.session, world.vehicles[0].info["path"], self.session.workshop.trust)
        self._mouse = None
        self.running = True
        self.frame_seconds = 0.0
        self.actions = Actions(self)
        self.note = NoteLine(ui, self.actions.note)
        self.plots.marks = lambda: self.session.marks
        ui.add(self._draw_interface)
        base.taskMgr.add(self._frame, "drive", sort=20)
        self._listen()

    driver = property(lambda self: self.hand.driver, lambda self, who: setattr(self.hand, "driver", who))

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
            toggle_fullscreen=None if self.options.offscreen else lambda: self.actions.toggle_fullscreen(),
            set_vsync=None if self.options.offscreen else partial(set_vsync, self.base),
            graphics=renderer_name(self.base), set_quality=self.scene.set_quality,
        )  # fmt: skip
        return SettingsWindow(self.ui, controls, program)

    def _keys_changed(self):
        self.help.keys = self.key_help()

    def _welcome(self):
        """First words, shown once."""
        shown = ("throttle", "brake", "steer_left", "steer_right", "handbrake", "panel", "recover", "rewind", "help")
        keys = [(key, text) for key, text in self.key_help() if text in {ACTIONS[name] for name in shown}]
        return Welcome(self.ui, WELCOME_TITLE, WELCOME_TEXT.format(folder=user_folder()), keys)

    def _welcomed(self):
        """The first words were read, or are in the way of somebody who drives."""
        self.welcome = None
        self.settings.first_start = False
        self.settings.save()

    # ---- running

    def first_frame(self):
        """Draw once; what the program consists of by then is no longer searched for garbage."""
        self.base.taskMgr.step()
        gc.freeze()
        gc.enable()  # `main.py drive` begins without

    def run(self, started):
        """Step frames until the end; returns the exit code."""
        self.first_frame()
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
        self.base.taskMgr.remove("drive")  # tasks outlive the window they belong to
        self.ui.close()
        self.base.destroy()

    def close(self):
        """End the drive: the recording is closed, devices let go. Safe to call twice."""
        gc.unfreeze()
        if self.running and self.session.recorder:
            self.actions.take_thumbnail(self.session.recorder.path)
        self.running = False
        self.autosave.close()
        if self.stream:
            self.stream.close()
        self.trying.close()
        self.session.close()
        self.devices.close()
        self.keyboard.detach()

    def _frame(self, task):
        began = perf_counter()
        dt = self.base.clock.getDt()
        self._read_inputs()
        self.session.step(dt, self.advisor.watched(self.driver))
        if self.stream:
            self.stream.send()
        self.autosave.poll()
        self.watch.poll()
        self.advisor.look()
        self.trying.step()
        frames = self.session.interpolated_all()
        for view, index in zip(self.views, self._drawn, strict=False):
            view.update(frames[index])
        self.debug.drawing.update(self._drawn_vehicles(), self.views)
        self.hand.look()
        if self.twin:
            self.twin.update()
        self.props.follow(self.clutter, self.session.clock.fraction)
        frame = frames[self.session.player]
        shown = self.camera.update(frame, dt)
        if self.camera.mode != "free" and (self.keyboard.held("look_back") or "look_back" in self.devices.held):
            shown = looking_back(shown, frame.body_position, self.world.ground.height)
            apply_view(self.base, shown)
        self.props.cull(shown.position)
        self.scene.update(shown.position, self.world.time)
        self.effects.step(self.world.time, self.traced.read(), self.views)
        self.plots.sample(self.world.vehicles[0], self.world.time)
        self.frame_seconds = perf_counter() - began
        return task.cont

    def _dress(self):
        """Draw the vehicles as their parameters have them: the steering wheel, and the parts that no flag hides."""
        for view, vehicle in zip(self.views, self._drawn_vehicles(), strict=False):
            view.set_steering_wheel(steering_wheel(vehicle))
            if "contact" in vehicle.sequence.by_slot:
                view.draw_parts(drawn_parts(vehicle))

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
        if self.welcome and (presses or self.keyboard.held_actions):
            self._welcomed()
            presses = [action for action in presses if action != "pause"]  # Escape meant the window
        for action in presses:
            self.actions.do(action)
        if self._mouse:
            self._mouse.update()

    def _draw_interface(self):
        self.panel.draw()
        self.plots.draw(self.world.vehicles[0])
        width, height = self.ui.size
        left, right = self.panel.width, width - self.plots.width
        frame = self.instruments.read(self.session, self.base.clock.getDt())
        self.trying.draw(left, right)
        if self.twin:
            self.twin.draw(left, right)
        self.hud.draw(frame, (left, 0.0, max(1.0, right - left), height))
        self._centre_picture((left + right) / 2.0 / width - 0.5)
        self.pages.draw(left)
        self.debug.draw(left)
        self.help.draw()
        self.settings_window.draw()
        self.recordings.draw()
        self.note.draw(left, right)
        if self.welcome and self.welcome.draw():
            self._welcomed()

    def _centre_picture(self, aside):
        """Move the picture's middle by a share of its width, to where no panel covers it."""
        lens = self.base.camLens
        offset = -aside * lens.getFilmSize()[0]
        if abs(lens.getFilmOffset()[0] - offset) > 1e-3:
            lens.setFilmOffset(offset, 0.0)

    def _exchanged(self):
        """A component was changed: the vehicle is another object."""
        self.instruments.follow(self.world.vehicles[0])
        self._follow_traces()
        self._dress()
        self.clutter.exchanged()

    def _drawn_vehicles(self):
        return [self.world.vehicles[index] for index in self._drawn]

    def _follow_traces(self):
        self.traced = Traced(self._drawn_vehicles(), len(self.world.vehicles[: self.world.trains[0].stop]))

    def _jumped(self):
        self.effects.jumped()
        self.clutter.jumped()
        self.camera.snap()
        self.advisor.restart()
        self.hand.jumped()

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
