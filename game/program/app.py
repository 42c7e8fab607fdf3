"""One drive: puts its parts together and runs the frames.

Order of a frame: read devices and keys; run the ticks that are due (game/session/session.py); interpolate the poses;
move the camera; draw scene, panel and HUD. Nothing here writes physics state; all changes go through the session.
"""

import gc
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from driving_sandbox.game.audio.hearing import hear
from driving_sandbox.game.controls.bindings import ACTIONS, GROUPS
from driving_sandbox.game.controls.mouse import pointer
from driving_sandbox.game.experiments.experiments import Experiments
from driving_sandbox.game.experiments.twin_display import TwinDisplay
from driving_sandbox.game.hud import Hud
from driving_sandbox.game.laps.navigation import Navigation
from driving_sandbox.game.panel.advisor import Advisor, AdvisorList
from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.platform.user_folder import subfolder
from driving_sandbox.game.platform.vsync import set_vsync
from driving_sandbox.game.platform.window import renderer_name
from driving_sandbox.game.plots.layouts import FILE as PLOT_LAYOUTS
from driving_sandbox.game.plots.layouts import Layouts
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.game.program.actions import Actions
from driving_sandbox.game.program.adaptive_quality import AdaptiveQuality
from driving_sandbox.game.program.camera_choice import camera_file_name, chase_settings
from driving_sandbox.game.program.inputs import Inputs
from driving_sandbox.game.program.instruments import Instruments, key_lamps
from driving_sandbox.game.program.pause import MENU, Pause
from driving_sandbox.game.program.screen import Screen
from driving_sandbox.game.program.traces import Traced
from driving_sandbox.game.program.welcome import welcome
from driving_sandbox.game.program.world_view import world_view
from driving_sandbox.game.props.motion import PropMotion
from driving_sandbox.game.props.parked import Parked
from driving_sandbox.game.props.view import PropsView
from driving_sandbox.game.session.autosave import Autosave
from driving_sandbox.game.session.driver_switch import DriverSwitch
from driving_sandbox.game.session.drivers import PlayerDriver
from driving_sandbox.game.session.placement import Placement
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.session.shakers import Shakers
from driving_sandbox.game.session.stream import Stream
from driving_sandbox.game.session.vehicle_file_watcher import VehicleFileWatcher
from driving_sandbox.game.toolkit.preferences import load_preferences
from driving_sandbox.game.view.cameras.camera import CameraRig, apply_view
from driving_sandbox.game.view.cameras.look_back import looking_back
from driving_sandbox.game.view.particles.effects import Effects
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.game.view.vehicle.mirror_outlines import MirrorOutlines
from driving_sandbox.game.windows.column import Column
from driving_sandbox.game.windows.controls import Controls
from driving_sandbox.game.windows.forces_page import ForcesPage
from driving_sandbox.game.windows.settings_window import ProgramPage
from driving_sandbox.game.windows.sound_page import SoundPage
from driving_sandbox.physics.body.pick import pick
from driving_sandbox.physics.contact.component import drawn_parts
from driving_sandbox.physics.estimate import estimate_lines
from driving_sandbox.physics.steering.steering_wheel import steering_wheel
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World

CAMERA_NAME_SECONDS = 2.0  # s the name of a camera is shown
UNTIMED_FRAMES = 3  # first frames, in which no time passes: they upload to the graphics card and take long


class App(Screen):
    """One drive in a window or an offscreen buffer.

    Args (and those of Screen):
        world, driver: World with the player's vehicle first, and its driver (game/session/drivers.py).
        options: of the command line; `line`, where there is one, is the file of a driving line for the AI.
        scene: Scene that is loaded already, or None to build it.
        twin_index: index of the twin's vehicle in `world`, or None.
        program: Program that the drive belongs to, or None for a drive without one.
    Attributes (and those of Screen):
        views, train_views: VehicleViews of the vehicles that have a model, without the twin; those of the driven
            vehicle and its trailers among them.
        driver_switch: DriverSwitch between the player and the AI driver.
        advisor, hud: Advisor, which finds the tuning help to show, and Hud.
        twin: TwinDisplay, or None without a twin.
    """

    task = "drive"
    _timed = True  # whether time passes in frames

    def __init__(self, base: Any, ui: Any, world: Any, driver: Any, options: Any, settings: Any,
                 scene: Scene | None = None, twin_index: int | None = None, program: Any = None) -> None:  # fmt: skip
        super().__init__(base, ui, options, settings)
        self.world, self.program, self.twin_index = world, program, twin_index
        self.scene = scene or Scene.of(base, world_view(world.file), settings)
        folder, setups, line = subfolder("recordings"), subfolder("setups"), getattr(options, "line", None)
        self.session = Session(world, recordings=folder, record=options.record, setups=setups)
        self.session.changes.on_jump.append(self._jumped)
        self.session.changes.on_swap.append(self._vehicle_swapped)
        self.session.changes.on_change.append(self._follow_parameters)
        props = self.prop_motion = PropMotion(world, lambda: self.session.recorder)
        self.prop_motion.record_all()
        self.parked = Parked(world)
        self.session.external_impulses = self._before_tick
        self.inputs = program.inputs if program else Inputs(base)
        self.bindings, self.keyboard, self.devices = self.inputs.bindings, self.inputs.keyboard, self.inputs.devices
        self.inputs.begin_drive(self.session)
        while self.inputs.complaints:
            self.session.say(self.inputs.complaints.pop(0), "warning")
        for v in [v for v in world.vehicles[:twin_index] if v.geometry][len(self.scene.vehicles) :]:  # not loaded yet
            self.scene.add_vehicle(v.geometry.path, v.paint)
        self.views = list(self.scene.vehicles)
        # indices of the vehicles that have a model: those of `views`, then the twin
        self._drawn = [index for index, v in enumerate(world.vehicles) if v.geometry]
        self.train_views = self.views[: sum(index in world.trains[0] for index in self._drawn)]
        self._follow_parameters()
        self.driver_switch = DriverSwitch(self.session, driver, line, settings.aids)
        self.twin = None if twin_index is None else TwinDisplay(self.session, self.scene, ui, twin_index)
        self.effects = Effects(self.scene, world.file.surfaces if world.file else ())
        self.traced = Traced(self._drawn_vehicles(), len(self.train_views))
        self.props = PropsView(self.scene, props.kinds, props.poses, props.groups)
        self.camera = CameraRig(base, world.ground.height, world.ground.distance, camera_file_name(world.vehicles[0]))
        self.camera.on_choose = lambda name: self.instruments.feed.post(name, "info", CAMERA_NAME_SECONDS)
        if 0 in self._drawn:
            self.camera.fit(self.views[0].model.node_position, 2.0 * self.views[0].half_size[1])
        self.camera.chase.settings = chase_settings(world.vehicles[: world.trains[0].stop], self.camera.chase.settings)
        preferences, complaint = load_preferences()
        for warning in filter(None, (complaint, *estimate_lines(self.session.vehicle))):
            self.session.say(warning, "warning")
        self.panel = ParameterPanel(ui, self.session.tuning, self.session.component_swap, preferences)
        self.advisor = Advisor(self.session)
        self.advisor.check()
        self.panel.advisor = AdvisorList(ui, self.advisor, self.session.tuning, self.panel.show)
        self.experiments = Experiments(self.session, self.scene, ui, self.panel, folder, options.ghost)
        self.plots = PlotWindow(ui, layouts=Layouts(subfolder("settings") / PLOT_LAYOUTS), laps=self.experiments.laps)
        self.panel.open = self.plots.open = False
        self.plots.history.log = lambda: self.session.changes.log
        self.column = Column(ui, self.panel, self.plots, self.experiments.sections(), preferences)
        self.navigation = Navigation(self.session, self.experiments.ghosts, self.experiments.laps.path_of_best)
        self.hud, self.mirrors = Hud(ui, self.navigation.map), MirrorOutlines()
        self.hud.map_visible = settings.map
        self.instruments: Instruments = Instruments(world.vehicles[0], miles=settings.units == "mph")
        self.adaptive_quality = None if options.offscreen else AdaptiveQuality(base, self.scene, settings)
        self.welcome = welcome(ui, self.key_help()) if settings.first_start and not options.offscreen else None
        self.stream = Stream(self.session, options.stream) if options.stream else None
        self.shakers = Shakers(self.session, options.shakers) if getattr(options, "shakers", None) else None
        self.session.recording_control.on_open.append(self.prop_motion.record_all)
        self.autosave = Autosave(self.session, subfolder("autosave"))
        self.autosave.restore()
        self.file_watcher = VehicleFileWatcher(self.session, world.vehicles[0].info["path"],
                                               self.session.component_swap.trust)  # fmt: skip
        compiler = program.sound_compiler if program else None
        ghosts = self.experiments.ghosts.sounds(lambda: self.twin is None or self.twin.twin.shown)
        self.hearing = hear(options, world, settings, self.session.say, self.session.signals, compiler, ghosts)
        self.session.on_tick.append(self.hearing.tick)
        self.open_windows()
        self.drawing = self.windows["debug_drawing"].drawing
        self.actions = Actions(self)
        self.table = self.actions.table
        self.plots.marks, self.plots.drawing.heard = lambda: self.session.marks, self.hearing.recent
        self.placement = Placement(self.session, getattr(options, "spawn", None), self.actions.reset_props, twin_index)
        self.pause = Pause(self, program)
        self.attach()

    driver = property(lambda self: self.driver_switch.driver,
                      lambda self, driver: setattr(self.driver_switch, "driver", driver))  # fmt: skip

    # ---- setting up

    def detach(self) -> None:
        """Stop frames and sound, hide the interface, and release all keys and buttons."""
        super().detach()
        self.hearing.hush()
        self.inputs.release_all()

    def key_help(self) -> list[tuple[str, str]]:
        """Rows (key label, effect) of the help screen; a row ("", heading) begins each group."""
        keys = self.bindings.keys
        bound = {action: (keys[action], text) for action, text in ACTIONS.items() if keys.get(action)}
        return self.help_rows(GROUPS, bound)

    def settings_pages(self) -> tuple[Controls, ProgramPage, SoundPage, ForcesPage]:
        """Controls and pages of the window of controls and settings."""
        controls = Controls(self.bindings, self.keyboard, self.devices, self.inputs.path)
        program = ProgramPage(
            self.ui, self.settings,
            set_units=lambda units: setattr(self.instruments.frame, "miles", units == "mph"),
            toggle_fullscreen=None if self.options.offscreen else lambda: self.actions.toggle_fullscreen(),
            set_vsync=None if self.options.offscreen else partial(set_vsync, self.base),
            graphics=renderer_name(self.base), set_quality=(self.adaptive_quality or self.scene).set_quality,
            drawn_quality=lambda: self.scene.quality, set_aids=self.driver_switch.set_aids,
            show_map=lambda shown: setattr(self.hud, "map_visible", shown),
            set_daytime=self.scene.set_daytime,
        )  # fmt: skip
        forces = ForcesPage(self.ui, self.inputs.force_feedback)
        return controls, program, SoundPage(self.ui, self.settings, self.hearing), forces

    def _welcomed(self) -> None:
        """Close the welcome text for good: it was read, or the user drives."""
        self.welcome = None
        self.settings.first_start = False
        self.settings.save()

    def display_state(self) -> tuple[str, bool, bool, bool]:
        """(camera mode, whether the panel, the plots and the HUD are shown), for the next drive."""
        return self.camera.mode, self.panel.open, self.plots.open, self.hud.visible

    def restore_display(self, state: tuple[str, bool, bool, bool]) -> None:
        """Take the `display_state` of an earlier drive."""
        mode, self.panel.open, self.plots.open, self.hud.visible = state
        if mode in self.camera.modes and mode != self.camera.mode:
            self.camera.select(mode)

    # ---- running

    def first_frame(self) -> None:
        """Draw the first frames, then exclude all objects made so far from garbage collection."""
        self.scene.prepare()
        self._timed = False
        for _ in range(UNTIMED_FRAMES):
            self.base.taskMgr.step()
        self._timed = True
        gc.freeze()
        gc.enable()  # `./drive` starts with it disabled

    def close(self) -> None:
        """End drive and program: close the recording, release the devices. Safe to call twice."""
        self.take_thumbnail()
        self.end()
        self.autosave.close()
        self.program.close() if self.program else self.inputs.close()

    def take_thumbnail(self) -> None:
        """Save the present frame as a thumbnail next to the recording."""
        if self.running and self.session.recorder:
            self.actions.take_thumbnail(self.session.recorder.path)

    def end(self) -> None:
        """End the drive and close its recording; the program goes on. Safe to call twice."""
        gc.unfreeze()
        self.running = False
        parts: tuple[Any, ...] = (self.stream, self.shakers, self.hearing, self.experiments, self.session)
        for part in filter(None, parts):
            part.close()

    def _frame(self, task: Any) -> Any:
        """Panda3D's task of a frame, in the order of the module's docstring; drawing follows in later tasks."""
        start = perf_counter()
        dt = self.base.clock.getDt() if self._timed else 0.0
        if self.adaptive_quality and self._timed:
            self.adaptive_quality.step(dt)
        self._read_inputs()
        self.session.step(dt * self.hearing.pace, self.advisor.watched(self.driver))
        self.inputs.force_feedback.frame(self.hearing.focused and not self.session.paused)
        if self.stream:
            self.stream.send()
        self.autosave.poll()
        self.file_watcher.poll()
        self.advisor.poll()
        frames = self.session.interpolated_all()
        for vehicle_view, index in zip(self.views, self._drawn, strict=False):
            vehicle_view.update(frames[index])
        self.experiments.step()
        self.drawing.update(self._drawn_vehicles(), self.views)
        self.driver_switch.poll()
        if self.twin:
            self.twin.update()
        self.props.follow(self.prop_motion, self.session.clock.fraction)
        frame = frames[self.session.player]
        view = self.camera.update(frame, dt)
        if self.camera.mode != "free" and (self.keyboard.held("look_back") or "look_back" in self.devices.held_actions):
            view = looking_back(view, frame.body_position, self.world.ground.height)
            apply_view(self.base, view)
        self._hear(view)
        self.props.cull(view.position)
        self.scene.update(view.position, self.world.time)
        self.effects.step(self.world.time, self.traced.read(), self.views, self.world.parameters.get("world.wind"))
        self.plots.sample(self.world.vehicles[0], self.world.time)
        self.frame_seconds = perf_counter() - start
        return task.cont

    def _hear(self, view: Any) -> None:
        """Set horn and turn signals, and play the sound up to the moment shown, heard from the camera of its View."""
        session = self.session
        session.signals.horn = "horn" in self.devices.held_actions or self.keyboard.held("horn")
        session.signals.turn = self.train_views[0].lamps.turn if self.train_views else 0
        moment = self.world.tick - 1.0 + session.clock.fraction  # ticks; the frame lies between the last two states
        self.hearing.frame(view, moment, 0.0 if session.paused else session.speed)

    def _follow_parameters(self) -> None:
        """Apply parameters that the drawing depends on: the steering wheel's mounting, and which parts are shown."""
        for view, vehicle in zip(self.views, self._drawn_vehicles(), strict=False):
            view.set_steering_wheel(steering_wheel(vehicle))
            if "contact" in vehicle.sequence.by_slot:
                view.draw_parts(drawn_parts(vehicle))

    def _read_inputs(self) -> None:
        """Read keys and devices, and carry out the presses of this frame."""
        in_menu, typing = self.pause.stops_time, self.ui.wants_keyboard
        self.keyboard.set_captured(typing or in_menu, () if typing else ("pause",))
        self.keyboard.hold_back(self.ui.awaits_answer)
        self.devices.poll()
        for notice in self.devices.take_notices():
            self.session.say(notice)
        if self.devices.take_lost():
            self.pause.begin()
        if not in_menu and isinstance(self.driver, PlayerDriver):
            mouse = self.inputs.mouse.read(*pointer(self.base.mouseWatcherNode, self.ui.wants_mouse))
            presses = self.driver.human_driver.take(self.keyboard, self.devices, mouse)
        else:
            presses = [*self.keyboard.take_presses(), *self.devices.take_presses()]
        if self.welcome and (presses or self.keyboard.held_actions):
            self._welcomed()
            presses = [action for action in presses if action != "pause"]  # Escape closed the welcome only
        for action in presses:
            self.do(action)
        self.pause.poll()
        if self._mouse:
            self._mouse.update()

    def _draw_interface(self) -> None:
        """Draw the column, the experiments, the HUD, the windows, the pages of the pause and the welcome text."""
        self.column.draw(self.world.vehicles[0])
        width, height = self.ui.size
        left, right = self.column.width, width - self.plots.width
        frame = self.instruments.read(self.session, self.base.clock.getDt())
        frame.lamps += key_lamps(self.driver)
        frame.paused = frame.paused and not self.pause.stops_time  # the menu shows it already
        self.experiments.draw(left, right)
        if self.twin:
            self.twin.draw(left, right)
        self.navigation.fill(frame)
        mirrors = self.mirrors.rectangles(self.base, self.scene.focus)
        self.hud.draw(frame, (left, 0.0, max(1.0, right - left), height), mirrors)
        self._centre_frame((left + right) / 2.0 / width - 0.5)
        self._draw_windows(left, right, self.hud.low, alone=self.pause.page not in (None, MENU))
        self.pause.draw()
        if self.welcome and self.welcome.draw():
            self._welcomed()

    def _vehicle_swapped(self) -> None:
        """Follow the new vehicle object after a component was swapped."""
        self.instruments.follow(self.world.vehicles[0])
        self.traced = Traced(self._drawn_vehicles(), len(self.train_views))
        self._follow_parameters()

    def _before_tick(self, _: World) -> None:
        """Record the props that move; there are no external impulses."""
        self.prop_motion.tick()

    def _drawn_vehicles(self) -> list[Vehicle]:
        return [self.world.vehicles[index] for index in self._drawn]

    def _jumped(self) -> None:
        """Restart everything that follows the world, after a jump."""
        self.effects.jumped()
        self.hearing.jumped()
        self.plots.jumped()
        self.instruments.jumped()
        self.prop_motion.jumped()
        self.camera.snap()
        self.advisor.restart()
        self.driver_switch.jumped()

    # ---- window and mouse

    def _pick(self, origin: np.ndarray, direction: np.ndarray) -> None:
        """Say the name of the vehicle part that a click hit, and show its parameters if the panel is open."""
        picked = pick(self.world.vehicles[0], origin, direction)
        if picked is None:
            return
        self.session.say(picked[0])
        if self.panel.open:
            self.panel.show(picked[1])

    def _lose_focus(self) -> None:
        self.inputs.release_all()
        if isinstance(self.driver, PlayerDriver):
            self.driver.human_driver.release_all()
            self.pause.begin()

    def window_actions(self) -> dict[str, Any]:
        """{action: function} of the windows; those with an entry in the pause menu open as pages of the menu."""
        pages = {window.keys[0].action: name for name, window in self.windows.items() if window.menu}
        return super().window_actions() | {action: partial(self._switch_page, name) for action, name in pages.items()}

    def _switch_page(self, name: str) -> None:
        self.pause.switch(name)  # `pause` is made after the table of actions

    def note_moment(self) -> Any:
        """The present moment of the session (Session.moment)."""
        return self.session.moment()

    def keep_note(self, moment: Any, text: str) -> None:
        """Put a mark with this text into the recording, and say whether it is recorded."""
        self.session.mark(text, moment)
        noted = "noted" if self.session.recorder else "nothing is being recorded: the note is in the plots only"
        self.session.say(noted)
