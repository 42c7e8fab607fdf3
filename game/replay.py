"""`main.py replay FILE`: watch a recording with pause, scrub, speed and every camera.

A frame: keys and bar -> time (game/replay_player.py) -> poses and numbers (game/replay_source.py) -> picture.
Offscreen every frame lasts 1/60 s and the program ends by itself.
"""

import logging
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from panda3d.core import ClockObject

from game.controls.keyboard import Keyboard
from game.instruments import Instruments
from game.loading import LoadingScreen, Preparation
from game.mouse_look import MouseLook
from game.panel.backend import ImGuiBackend
from game.panel.overlays import SKIP, HelpOverlay, ReplayAction, ReplayBar
from game.panel.plots import PlotWindow
from game.panel.theme import suggested_scale
from game.props.recorded import RecordedProps
from game.replay_player import Player
from game.replay_source import ReplaySource
from game.session import Message
from game.settings import load_settings
from game.situation import Situation
from game.user_folder import subfolder
from game.view.camera import CameraRig, forward_of
from game.view.frame import WorldView
from game.view.hud import Hud, HudFrame, MessageFeed
from game.view.scene import Scene
from game.window import WindowSettings, open_window, screenshot, set_fullscreen
from game.world_view import world_view
from lab.timing import Stopwatch
from physics.recording import Recording

OFFSCREEN_FRAME = 1.0 / 60.0  # s a frame lasts where nobody watches
NOTE_SECONDS = 12.0  # how long it is said what the file has lost
KEYS = {  # action: (physical keys, words of the help screen)
    "play": (("space", "p"), "Play, pause"),
    "back": (("arrow_left",), f"{SKIP:g} s back"),
    "on": (("arrow_right",), f"{SKIP:g} s on"),
    "faster": (("arrow_up",), "Faster"),
    "slower": (("arrow_down",), "Slower"),
    "tick_back": ((",",), "Pause, one tick back"),
    "tick_on": ((".",), "Pause, one tick on"),
    "start": (("home",), "To the start"),
    "end": (("end",), "To the end"),
    "camera": (("c",), "Next camera"),
    "plots": (("tab", "f2"), "Plots"),
    "hud": (("h",), "Instruments on or off"),
    "bar": (("b",), "Timeline on or off"),
    "help": (("f1",), "Show the keys"),
    "fullscreen": (("f11",), "Full screen"),
    "screenshot": (("f12",), "Save a picture"),
    "exit": (("escape",), "Leave the replay"),
}
_log = logging.getLogger(__name__)


def replay(options):
    """Watch the recording `options.file`; returns the exit code.

    Options: file, offscreen, size, seconds (end at this time), screenshot (file for the last picture).
    Raises RecordingError when the file cannot be used at all.
    """
    recording = Recording.open(options.file)
    source = ReplaySource(recording)
    settings, _ = load_settings()
    base = open_window(WindowSettings(
        offscreen=options.offscreen, size=options.size, fullscreen=settings.fullscreen and not options.size,
        vsync=settings.vsync, title=f"{recording.path.name} - Driving sandbox",
    ))  # fmt: skip
    try:
        ui = ImGuiBackend(base, scale=settings.scale or suggested_scale(base.win.getYSize()))
        screen = LoadingScreen(base, ui)
        screen.show("Loading", 0.0)
        _compile(source, screen, options.offscreen)
        screen.show("Rebuilding the drive", 1.0)
        source.repeat()
        viewer = ReplayViewer(base, ui, source, options, settings)
        screen.close()
    except BaseException:
        base.destroy()
        raise
    return viewer.run()


def _compile(source, screen, on_terminal):
    """Have the kernels compiled that repeat the simulation; a world that will not be repeated needs none."""
    header = source.recording.header
    if not source.complete:
        return
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        for vehicle, stored in zip(source.vehicles, header["vehicles"], strict=True):
            if stored.get("towed"):  # compiled with the one that pulls it
                continue
            path = Path(stored.get("path") or "")
            if not path.is_file():  # it came from a file that is gone; the helper needs one
                path = Path(folder) / "vehicle.yaml"
                path.write_text(stored["config"], encoding="utf8")
            try:
                Preparation(vehicle, path, source.place.path, (), on_terminal).wait(screen)
            except RuntimeError as error:
                _log.warning("%s", error)


class ReplayViewer:
    """One replay on the screen.

    Attributes:
        player: time, speed, play or pause. source: what is shown. The rest is what `Instruments` asks of a drive.
    """

    recorder = None
    paused = False  # the bar shows it; a chip over the picture would only be in the way

    def __init__(self, base, ui, source, options, settings):
        self.base, self.ui, self.source = base, ui, source
        self.options, self.settings = options, settings
        recording = source.recording
        self.player = Player(recording.ticks, recording.tick_seconds)
        self._ends = options.offscreen or options.seconds is not None
        self.limit = min(self.player.duration, options.seconds or self.player.duration)
        self.scene = Scene(base, self._world_view(), settings.quality)
        self.views = [self.scene.add_vehicle(path, paint) for path, paint in source.looks]
        self.props = RecordedProps(self.scene, recording)
        ground = source.ground
        self.camera = CameraRig(base, ground.height, ground.distance) if ground else CameraRig(base, lambda x, y: -1e9)
        self.plots, self.hud, self.bar = PlotWindow(ui), Hud(ui), ReplayBar(ui)
        self.plots.open = False
        self.bar_visible = not options.offscreen  # nobody could press it, and it would cover the picture
        self._read = self._instruments(settings.units == "mph")
        self.stopwatch = Stopwatch(source.place.timing if source.place else ())
        self.messages, self.real_time = [], 0.0
        self.running = True
        self._tick_shown, self._mouse, self._notes_said = -1, None, 0
        self.keyboard = Keyboard({action: keys for action, (keys, _) in KEYS.items()})
        self.keyboard.attach(base)
        self._actions = self._action_table()
        self.help = HelpOverlay(ui, self._key_help())
        ui.add(self._draw_interface)
        base.taskMgr.add(self._frame, "replay", sort=20)
        self._listen()
        if recording.damage:
            kind = "is incomplete" if recording.cut else "is damaged"
            self.warn(f"{recording.path.name} {kind}, shown up to {recording.seconds:.1f} s", recording.damage)
        if self.props.problem:
            self.warn("some loose things are not shown", self.props.problem)
        self._say_notes()

    # ---- setting up

    def _world_view(self):
        if self.source.place is not None:
            return world_view(self.source.place)
        start = self.source.recording.pose_at(0.0).vehicles[0]["model_position"]
        return WorldView(plane_height=float(start[2]))

    def _instruments(self, miles):
        """The function that reads the HUD's frame of this moment."""
        vehicle = self.source.vehicles[0]
        if vehicle is None:
            return BareInstruments(miles).read
        self.situation = Situation(vehicle, self.player.tick_seconds)
        return Instruments(vehicle, miles).read

    def _action_table(self):
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
            "camera": self.camera.next_mode,
            "plots": lambda: setattr(self.plots, "open", not self.plots.open),
            "hud": lambda: setattr(self.hud, "visible", not self.hud.visible),
            "bar": lambda: setattr(self, "bar_visible", not self.bar_visible),
            "help": lambda: setattr(self.help, "open", not self.help.open),
            "fullscreen": self._toggle_fullscreen,
            "screenshot": self._save_picture,
            "exit": lambda: setattr(self, "running", False),
        }

    def _key_help(self):
        return [(", ".join(self.keyboard.label(key) for key in keys), text) for keys, text in KEYS.values()]

    def _listen(self):
        base = self.base
        base.exitFunc = self.close
        if self.options.offscreen:
            base.clock.mode = ClockObject.MNonRealTime
            base.clock.dt = OFFSCREEN_FRAME
            return
        base.accept(base.win.getWindowEvent(), self._window_changed)
        self._mouse = MouseLook(base, self.ui, self.camera)

    # ---- running

    def run(self):
        """Show frames until the end; returns the exit code."""
        try:
            self.base.taskMgr.step()
            while self.running and not (self._ends and self.player.time >= self.limit):
                self.base.taskMgr.step()
            if self.options.screenshot:
                self.player.pause()
                self.base.taskMgr.step()
                screenshot(self.base, self.options.screenshot)
        finally:
            self.close()
            self.ui.close()
            self.base.destroy()
        return 0

    def close(self):
        """Let go of the keys. Safe to call twice."""
        self.running = False
        self.keyboard.detach()

    def _frame(self, task):
        dt = self.base.clock.getDt()
        self.real_time += dt
        self.keyboard.set_captured(self.ui.wants_keyboard)
        for action in self.keyboard.take_presses():
            self._actions[action]()
        if self._mouse:
            self._mouse.update()
        moved = self.player.advance(dt)
        if self._ends:  # the last picture shows the very time asked for
            self.player.time = min(self.player.time, self.limit)
        self._show(moved)
        return task.cont

    def _show(self, moved):
        player, tick = self.player, self.player.tick
        began = perf_counter()
        for view, frame in zip(self.views, self.source.show(player.time, tick), strict=True):
            view.update(frame)
        self.props.show(self.scene, player.time)
        if player.take_jump() or self.source.jumped_between(self._tick_shown, tick):
            self.camera.snap()
            self.stopwatch.jumped()
        self.stopwatch.step(self.source.frames[0].body_position, player.time)
        self._tick_shown = tick
        shown = self.camera.update(self.source.frames[0], moved)
        self.scene.update(shown.position, moved)
        vehicle = self.source.vehicles[0]
        if vehicle is not None:
            self.plots.sample(vehicle, player.time)
        self._say_notes()
        self.frame_seconds = perf_counter() - began

    def _draw_interface(self):
        width, height = self.ui.size
        vehicle = self.source.vehicles[0]
        if vehicle is not None:
            self.plots.draw(vehicle)
        free = max(1.0, width - self.plots.width)
        covered = 0.0
        if self.bar_visible:
            covered = self.bar.height
            self._draw_bar((0.0, 0.0, free, height))
        frame = self._read(self, self.base.clock.getDt())
        self.hud.draw(frame, (0.0, 0.0, free, max(1.0, height - covered)))
        self.help.draw()

    def _draw_bar(self, area):
        player = self.player
        title = self.source.recording.path.stem
        for action in self.bar.draw(player.time, player.duration, player.playing, player.speed, title, area):
            self.act(action)

    def act(self, action: ReplayAction):
        """Do what the bar was asked for."""
        if action.kind == "exit":
            self.running = False
        else:
            self.player.act(action)

    # ---- messages

    def say(self, text, level="info"):
        """Show a line."""
        self.messages.append(Message(text, level, self.real_time))

    def warn(self, text, details):
        """Show a line; the details, too long for the picture, go to the terminal and the log."""
        self.say(text, "warning")
        _log.warning("%s: %s", text, details)
        print(f"{text}: {details}", file=sys.stderr)

    def _say_notes(self):
        for text, details in self.source.notes[self._notes_said :]:
            self.warn(text, details)
        self._notes_said = len(self.source.notes)

    # ---- window and mouse

    def _window_changed(self, window):
        properties = window.getProperties()
        if not properties.getOpen():
            self.running = False
            return
        self.base.windowEvent(window)
        if not properties.getForeground():
            self.keyboard.release_all()

    def _toggle_fullscreen(self):
        if not self.options.offscreen:
            set_fullscreen(self.base, not self.base.win.isFullscreen())

    def _save_picture(self):
        number, folder = 0, subfolder("screenshots")
        while (path := folder / f"replay_{number:04d}.png").exists():
            number += 1
        screenshot(self.base, path)
        self.say(f"picture saved: {path}")


class BareInstruments:
    """Speed, and nothing that would need the vehicle: for a recorded vehicle that cannot be rebuilt."""

    def __init__(self, miles):
        self.feed, self._count = MessageFeed(), 0
        self.frame = HudFrame(miles=miles, gear="")

    def read(self, viewer, frame_dt):
        """The HudFrame of this moment."""
        values = viewer.source.recording.pose_at(viewer.player.time).vehicles[0]
        ahead = forward_of(values["model_orientation"])
        self.frame.speed = float(ahead @ values["velocity"]) if "velocity" in values else 0.0
        for message in viewer.messages[self._count :]:
            self.feed.post(message.text, message.level, NOTE_SECONDS)
        self._count = len(viewer.messages)
        self.feed.step(frame_dt)
        self.frame.messages = self.feed.messages
        return self.frame
