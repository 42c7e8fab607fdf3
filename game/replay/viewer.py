"""A replay on the screen, with pause, scrubbing, speed and every camera.

Order of a frame: read keys and bar; advance the time (game/replay/player.py); set poses and values
(game/recordings/source.py); draw. Offscreen, every frame lasts 1/60 s (of a video, 1 / its rate), and the program ends
by itself.
"""

import logging
import sys
from time import perf_counter
from typing import Any

from driving_sandbox.game.audio.compiling import SoundCompiler
from driving_sandbox.game.audio.hearing import hear
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.experiments.ghost_display import GhostDisplay
from driving_sandbox.game.experiments.ghosts import ReplayGhosts
from driving_sandbox.game.experiments.ghosts_window import GhostWindow
from driving_sandbox.game.experiments.twin import twin_among
from driving_sandbox.game.hud import Hud
from driving_sandbox.game.laps.reference import ReplayLaps
from driving_sandbox.game.platform.picture_folder import save_picture
from driving_sandbox.game.platform.shutdown import END_REQUEST
from driving_sandbox.game.platform.user_folder import subfolder
from driving_sandbox.game.platform.window import screenshot, set_fullscreen
from driving_sandbox.game.plots.layouts import FILE as PLOT_LAYOUTS
from driving_sandbox.game.plots.layouts import Layouts
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.game.program.instruments import Instruments
from driving_sandbox.game.program.screen import Screen
from driving_sandbox.game.program.traces import Traced
from driving_sandbox.game.program.world_view import world_view
from driving_sandbox.game.props.recorded import RecordedProps
from driving_sandbox.game.recordings.notes import Notes
from driving_sandbox.game.replay.bare_instruments import BareInstruments
from driving_sandbox.game.replay.events import Timeline
from driving_sandbox.game.replay.player import Player
from driving_sandbox.game.session.frame import WorldView
from driving_sandbox.game.session.session import Message
from driving_sandbox.game.session.situation import Situation
from driving_sandbox.game.view.cameras.camera import CameraRig
from driving_sandbox.game.view.particles.effects import Effects
from driving_sandbox.game.view.particles.particles import STILL_AIR
from driving_sandbox.game.view.scene import Scene
from driving_sandbox.game.view.vehicle.ghost import COLOURS, GhostView
from driving_sandbox.game.view.vehicle.vehicle import VehicleView
from driving_sandbox.game.windows.overlays import SKIP, ReplayAction, ReplayBar
from driving_sandbox.lab.timing import Stopwatch
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.steering.steering_wheel import steering_wheel

KEYS = {  # action: (physical keys, text in the help screen)
    "play": (("space", "p"), "Play, pause"),
    "back": (("arrow_left",), f"{SKIP:g} s back"),
    "on": (("arrow_right",), f"{SKIP:g} s on"),
    "faster": (("arrow_up",), "Faster"),
    "slower": (("arrow_down",), "Slower"),
    "tick_back": ((",",), "Pause, one tick back"),
    "tick_on": ((".",), "Pause, one tick on"),
    "start": (("home",), "To the start"),
    "end": (("end",), "To the end"),
    "next": (("page_down",), "To the next event"),
    "last": (("page_up",), "To the event before"),
    "loop": (("l",), "Loop: start, end, off"),
    "drive": (("enter",), "Drive on from here"),
    "camera": (("c",), "Next camera"),
    "plots": (("tab", "f2"), "Plots"),
    "hud": (("h",), "Instruments on or off"),
    "bar": (("b",), "Timeline on or off"),
    "mute": (("m", "f4"), "Sound on or off"),
    "fullscreen": (("f11",), "Full screen"),
    "screenshot": (("f12",), "Save a picture"),
    "exit": (("escape",), "Leave the replay"),
}
GROUPS = {  # headings of the help screen and their actions
    "Time": ("play", "back", "on", "faster", "slower", "tick_back", "tick_on", "start", "end", "next", "last", "loop"),
    "Drive": ("drive", "plots"),
    "Picture": ("camera", "hud", "bar", "mute", "fullscreen", "screenshot", "exit"),
}
SEEK_SILENCE = 0.1  # s without sound after the time was set; while the bar is dragged, no frame continues the last one
_log = logging.getLogger(__name__)


class ReplayViewer(Screen):
    """A replay on the screen.

    Attributes:
        player, source: Player and ReplaySource.
        limit: time at which a replay offscreen or with --seconds ends, s.
        drive_from: tick from which the user wants to drive on, or None.
        recorder, paused, speed, stopwatch, situation, messages: stand in for those of a Session, which `Instruments`
            and the windows read.
    """

    task = "replay"
    recorder = None
    paused, speed = False, 1.0  # the replay's bar shows them, so that the HUD need not

    def __init__(self, base: Any, ui: Any, source: Any, options: Any, settings: Any, report: Any = lambda stage: None,
                 compiler: SoundCompiler | None = None) -> None:  # fmt: skip
        super().__init__(base, ui, options, settings)
        self.source, self._sound_compiler = source, compiler or SoundCompiler()
        recording = source.recording
        self.player = Player(recording.ticks, recording.tick_seconds)
        self._ends = options.offscreen or options.seconds is not None  # whether the replay ends by itself at `limit`
        self.limit = min(self.player.duration, options.seconds or self.player.duration)
        self.scene = Scene.of(base, self._world_view(), settings, report)
        self.views = self._vehicle_views()
        self.effects = Effects(self.scene, source.world_file.surfaces if source.world_file else ())
        self.traced = Traced(source.vehicles if source.exact else (), len(source.vehicles))
        self.props = RecordedProps(self.scene, recording)
        self.ghosts = ReplayGhosts(options.ghost, source.world_file)
        self.ghost_display, self.ghost_window = GhostDisplay(self.scene, self.ghosts), GhostWindow(ui, self.ghosts)
        self.ghost_window.open = bool(self.ghosts.running)
        ground = source.ground
        height, cast = (ground.height, ground.distance) if ground else (lambda x, y: -1e9, None)  # m, below any camera
        self.camera = CameraRig(base, height, cast, source.looks[0][0].stem)
        self.camera.on_choose = lambda name: self.say(name)
        self.camera.fit(self.views[0].model.node_position, 2.0 * self.views[0].half_size[1])
        self.hud, self.bar = Hud(ui), ReplayBar(ui)
        self.bar_visible = not options.offscreen  # offscreen it could not be clicked
        self.instruments = self._instruments(settings.units == "mph")
        tracks = source.world_file.timing if source.world_file else []
        self.stopwatch, self.timeline = Stopwatch(tracks), Timeline(recording, tracks)
        self.laps = ReplayLaps(recording, tracks, self.timeline, self.ghosts, *map(subfolder, ("laps", "recordings")))
        self.plots = PlotWindow(ui, layouts=Layouts(subfolder("settings") / PLOT_LAYOUTS), laps=self.laps)
        self.plots.open = False
        self.plots.marks = lambda: [(entry.time, entry.text) for entry in self.timeline.entries if entry.kind == "mark"]
        self.notes = Notes(recording.path)
        self.timeline.note(self.notes.moments)
        if self.notes.problem:
            self.warn("the notes of the recording cannot be read", self.notes.problem)
        self.messages, self.real_time, self._silent_until = list[Message](), 0.0, 0.0
        self.drive_from: int | None = None
        self._tick_shown, self._notes_said = -1, 0  # tick of the last frame; number of the source's notes shown
        if source.world is not None:
            ghosts = self.ghosts.sounds(lambda: source.repeated_seconds)
            self.hearing = hear(options, source.world, settings, self.say, source.signals, self._sound_compiler, ghosts)
            source.on_tick.append(self.hearing.tick)
            source.on_jump.append(self.hearing.jumped)
            self.plots.drawing.heard = self.hearing.recent
        self.open_windows()
        self.drawing = self.windows["debug_drawing"].drawing
        self.keys = KEYS | self._window_keys()
        self.keyboard = Keyboard({action: keys for action, (keys, _) in self.keys.items()})
        self.keyboard.attach(base)
        self.table = self._action_table()
        self.attach()
        self._damage_said = None  # the damage of the recording that was reported last
        self._say_damage()
        if self.props.problem:
            self.warn("some props are not shown", self.props.problem)
        self._say_notes()

    # ---- setting up

    def _world_view(self) -> WorldView:
        """WorldView of the recorded world; without its file, a plane at the height where the drive began."""
        if self.source.world_file is not None:
            return world_view(self.source.world_file)
        start = self.source.recording.pose_at(0.0).vehicles[0]["model_position"]
        return WorldView(plane_height=float(start[2]))

    def _instruments(self, miles: bool) -> Instruments | BareInstruments:
        """Instruments of the first vehicle, or BareInstruments."""
        vehicle = self.source.vehicles[0]
        if vehicle is None:
            return BareInstruments(miles)
        self.situation = Situation(vehicle, self.player.tick_seconds)
        return Instruments(vehicle, miles)

    def _action_table(self) -> dict[str, Any]:
        """{action of the replay: function}."""
        player = self.player
        return {
            "play": player.toggle,
            "back": lambda: player.seek(player.time - SKIP),
            "on": lambda: player.seek(player.time + SKIP),
            "faster": lambda: player.change_speed(1),
            "slower": lambda: player.change_speed(-1),
            "tick_back": lambda: player.step(-1),
            "tick_on": lambda: player.step(1),
            "start": lambda: player.seek(0.0),
            "end": lambda: player.seek(player.duration),
            "next": lambda: self._seek_event(self.timeline.after(player.time)),
            "last": lambda: self._seek_event(self.timeline.before(player.time)),
            "loop": player.mark_loop,
            "drive": self._drive_on,
            "camera": self.camera.next_mode,
            "plots": lambda: setattr(self.plots, "open", not self.plots.open),
            "hud": lambda: setattr(self.hud, "visible", not self.hud.visible),
            "bar": lambda: setattr(self, "bar_visible", not self.bar_visible),
            "mute": self.hearing.toggle,
            "fullscreen": self._toggle_fullscreen,
            "screenshot": self._save_picture,
            **self.window_actions(),
            "exit": lambda: None if self.ui.close_popup() else setattr(self, "running", False),
        }

    def _window_keys(self) -> dict[str, Any]:
        """{action: (physical keys, text)} of the windows."""
        return {key.action: (window.replay_keys if window.replay_keys and key is window.keys[0] else key.keys, key.help)
                for window in self.windows.values() for key in window.keys}  # fmt: skip

    def key_help(self) -> list[tuple[str, str]]:
        """Rows of the help screen (`help_rows`) for the keys of the replay and of its windows."""
        return self.help_rows(GROUPS | {"Windows": tuple(self._window_keys())}, self.keys)

    # ---- running

    def run(self) -> int:
        """Show frames until the end; returns the exit code."""
        with END_REQUEST.noted():
            try:
                self.base.taskMgr.step()
                while self.running and not END_REQUEST.number and not (self._ends and self.player.time >= self.limit):
                    self.base.taskMgr.step()
                if self.options.screenshot:
                    self.player.pause()
                    self.base.taskMgr.step()
                    screenshot(self.base, self.options.screenshot)
            finally:
                self.shut_down()
        return 0

    def close(self) -> None:
        """End the replay and release the keys. Safe to call twice."""
        self.running = False
        self.hearing.close()
        self._sound_compiler.close()
        self.laps.close()
        self.keyboard.detach()

    def _vehicle_views(self) -> list[VehicleView]:
        """[VehicleView] of the vehicles; a twin gets a GhostView, as in the drive."""
        looks, twin = self.source.looks, twin_among(self.source.vehicles)
        views = [self.scene.add_vehicle(path, paint) for path, paint in looks[:twin]]
        return [*views, *(GhostView(self.scene, path, COLOURS[0]) for path, _ in looks[len(views) :])]

    def _frame(self, task: Any) -> Any:
        """Panda3D's task of a frame: read the keys, advance the time, show the drive."""
        dt = self.base.clock.getDt()
        self.real_time += dt
        self.keyboard.set_captured(self.ui.wants_keyboard)
        self.keyboard.hold_back(self.ui.awaits_answer)
        for action in self.keyboard.take_presses():
            self.do(action)
        if self._mouse:
            self._mouse.update()
        elapsed = self.player.advance(dt * self.hearing.pace)
        if self._ends:  # the last frame shows exactly this time
            self.player.time = min(self.player.time, self.limit)
        self._show(elapsed)
        return task.cont

    def _show(self, elapsed: float) -> None:
        """Show vehicles, props, ghosts, laps and plots at the player's time.

        Args:
            elapsed: recorded time since the last frame, s.
        """
        player, tick = self.player, self.player.tick
        start, sought = perf_counter(), player.take_jump()
        frames = self.source.show(player.time, tick, sought)
        for view, frame, vehicle in zip(self.views, frames, self.source.vehicles, strict=True):
            view.set_steering_wheel(steering_wheel(vehicle))
            view.update(frame)
        for view in self.views[: self.source.train_length]:
            view.lamps.turn = self.source.signals.turn
        self.drawing.update(self.source.vehicles, self.views)
        self.props.show(self.scene, player.time)
        self.ghosts.step(self.source.frames[0].body_position, player.time)
        self.ghost_display.update(player.time)
        self.laps.step()
        if sought or self.source.jumped_between(self._tick_shown, tick):
            self.camera.snap()
            self.effects.jumped()
        if sought or self.source.jumped_between(self._tick_shown, tick, first=True):
            for follower in (self.stopwatch, self.plots, self.instruments):
                follower.jumped()
        self.stopwatch.step(self.source.frames[0].body_position, player.time)
        self._tick_shown = tick
        camera_view = self.camera.update(self.source.frames[0], elapsed)
        self._hear(camera_view, sought)
        self.scene.update(camera_view.position, self.source.world_ticks(player.time) * player.tick_seconds)
        vehicle = self.source.vehicles[0]
        wind = STILL_AIR if vehicle is None else vehicle.context["wind"][0].tolist()
        self.effects.step(player.time, self.traced.read(), self.views, wind)
        if vehicle is not None:
            self.plots.sample(vehicle, player.time)
        self._say_notes()
        self._say_damage()
        self.frame_seconds = perf_counter() - start

    def _hear(self, view: Any, sought: bool) -> None:
        """Play the sound up to the moment shown, heard from the camera of its View; silence shortly after a seek."""
        player = self.player
        self._silent_until = self.real_time + SEEK_SILENCE if sought else self._silent_until
        heard = player.playing and self.source.exact and self.real_time >= self._silent_until
        moment = self.source.world_ticks(player.time)
        self.hearing.frame(view, moment, player.speed if heard else 0.0)

    def _draw_interface(self) -> None:
        """Draw the plots, the bar, the ghosts' window, the HUD and the windows."""
        width, height = self.ui.size
        vehicle = self.source.vehicles[0]
        if vehicle is not None:
            self.plots.draw(vehicle)
        free_width = max(1.0, width - self.plots.width)
        covered_height = 0.0
        if self.bar_visible:
            covered_height = self.bar.height
            self._draw_bar((0.0, 0.0, free_width, height))
        self.ghost_window.draw(0.0, free_width)
        frame = self.instruments.read(self, self.base.clock.getDt())
        self.hud.draw(frame, (0.0, 0.0, free_width, max(1.0, height - covered_height)))
        self._draw_windows(0.0, free_width, height - covered_height)

    def _draw_bar(self, area: Any) -> None:
        """Draw the bar in an area (x, y, width, height) in pixels, and carry out its actions."""
        player, bar, title = self.player, self.bar, self.source.recording.path.stem
        self.timeline.poll()
        bar.entries, bar.loop, bar.can_drive = self.timeline.entries, player.loop, self.source.exact
        for action in self.bar.draw(player.time, player.duration, player.playing, player.speed, title, area):
            self.act(action)

    def _drive_on(self) -> None:
        """Leave the replay to drive on, if the recording can be simulated here."""
        if not self.source.exact:
            self.say("you cannot drive on: the recording is shown from stored poses, not simulated", "warning")
            return
        self.drive_from, self.running = self.player.tick, False

    def note_moment(self) -> Any:
        """The present time, s; the replay is paused for the user to write the note."""
        self.player.pause()
        return self.player.time

    def keep_note(self, moment: Any, text: str) -> None:
        """Save a note at a moment, and show it in the timeline."""
        try:
            self.notes.add(moment, text)
        except UserError as error:
            self.warn("the note could not be saved", error)
            return
        self.timeline.note(self.notes.moments[:])
        self.say("noted")

    def _seek_event(self, entry: Any) -> None:
        """Go to a TimelineEntry, and show its text."""
        if entry is not None:
            self.player.seek(entry.time)
            self.say(entry.text)

    def act(self, action: ReplayAction) -> None:
        """Carry out a ReplayAction of the bar."""
        if action.kind == "exit":
            self.running = False
        elif action.kind == "drive":
            self._drive_on()
        else:
            self.player.act(action)

    def say(self, text: str, level: str = "info") -> None:
        """Show a message."""
        self.messages.append(Message(text, level, self.real_time))

    def warn(self, text: str, details: Any) -> None:
        """Show a message; the details, too long for the screen, go to the terminal and the log."""
        self.say(text, "warning")
        _log.warning("%s: %s", text, details)
        print(f"{text}: {details}", file=sys.stderr)

    def _say_damage(self) -> None:
        """Report damage of the file, once, and end the replay there; the timeline's thread may find it late."""
        recording = self.source.recording
        if self.timeline.checked is not None:
            recording.truncate_like(self.timeline.checked)
        if recording.damage == self._damage_said:
            return
        self._damage_said = recording.damage
        self.player.shorten(recording.ticks)
        self.limit = min(self.limit, self.player.duration)
        fault = "is incomplete" if recording.truncated else "is damaged"
        self.warn(f"{recording.path.name} {fault}, shown up to {recording.seconds:.1f} s", recording.damage)

    def _say_notes(self) -> None:
        """Show the source's new notes about what differs from the recording."""
        for text, details in self.source.notes[self._notes_said :]:
            self.warn(text, details)
        self._notes_said = len(self.source.notes)

    # ---- display

    def _toggle_fullscreen(self) -> None:
        if not self.options.offscreen:
            set_fullscreen(self.base, not self.base.win.isFullscreen())

    def _save_picture(self) -> None:
        save_picture(self.base, "replay", self.say)
