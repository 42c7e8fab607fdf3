"""`./drive replay FILE`: watch a recording, write it as a video, or drive on from a moment of it."""

import logging
import sys
import tempfile
from argparse import Namespace
from pathlib import Path
from time import perf_counter

from driving_sandbox.game.audio.compiling import SoundCompiler, begin_compiling
from driving_sandbox.game.audio.ghost_sounds import GhostSounds
from driving_sandbox.game.platform.stages import COMPILING, COMPILING_SOUND, OPENING, REBUILDING, REPLAY_STAGES
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.loading import CompileFailed, LoadingScreen, Preparation, wait_for_sound
from driving_sandbox.game.program.settings import load_settings
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.replay.video import SUFFIXES, export_video, find_encoder
from driving_sandbox.game.replay.video_sound import CameraPath, add_sound
from driving_sandbox.game.replay.viewer import ReplayViewer
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.compile import is_warm
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.recording.exports import describe_empty
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint

VIDEO_SIZE = (1280, 720)  # pixels, unless `--size` is given
_log = logging.getLogger(__name__)


def replay(options: Namespace) -> int:
    """Watch the recording `options.file`, and drive on from it if the user wants to; returns the exit code.

    Options:
        file: path of the recording.
        offscreen: whether to draw without a window.
        size: (width, height) of the frame, pixels, or None.
        seconds: time at which the replay ends, s, or length of the drive that goes on from it; None for no limit.
        screenshot: file for the last frame, or None.
        drive_from: drive on from this time at once, s, or None.
    Raises RecordingError if the file cannot be used, ConfigError if it ends before `drive_from`.
    """
    recording = Recording.open(options.file, check=options.drive_from is not None)  # else checked while it is shown
    if options.drive_from is not None:
        if options.drive_from > recording.seconds:
            text = f"{options.drive_from:g} s is past its end at {recording.seconds:g} s"
            raise ConfigError(recording.path, None, "--drive-from", text)
        return _drive_on(recording, round(options.drive_from / recording.tick_seconds), options)
    viewer = open_viewer(recording, options)
    code = viewer.run()
    return code if viewer.drive_from is None else _drive_on(recording, viewer.drive_from, options)


def export(options: Namespace) -> tuple[Path, int, bool]:
    """Write the recording `options.file` as a video to `options.export`; returns (path, frame count, cancelled).

    Options in addition to those of `replay`: start and to (s), fps, camera (a mode of CameraRig), and
    no_sound (leave out the sound).
    """
    recording = Recording.open(options.file)
    start, end = min(options.start, recording.seconds), min(options.to, recording.seconds)
    if not start < end:
        text = describe_empty(recording, (options.start, options.to))
        raise ConfigError(recording.path, None, "--from, --to", text)
    size = options.size or VIDEO_SIZE
    viewer = open_viewer(recording, Namespace(**{**vars(options), "offscreen": True, "seconds": end, "size": size}))
    try:
        if options.camera not in viewer.camera.modes:
            known = viewer.camera.modes
            text = f"no camera {options.camera!r}{key_hint(options.camera, known)}; known: {', '.join(known)}"
            raise ConfigError(recording.path, None, "--camera", text)
        viewer.camera.select(options.camera)
        camera_path = CameraPath(recording.tick_seconds)
        path, count, cancelled = export_video(viewer, options.export, options.fps, start, _report_progress, camera_path)
    finally:
        viewer.shut_down()
    if path.suffix in SUFFIXES and not options.no_sound:
        span, ghosts = (start, start + count / options.fps), viewer.ghosts.sounds(lambda: camera_path.time)
        problem = "it was cancelled" if cancelled else _add_sound(path, recording, camera_path, span, ghosts)
        if problem:
            print(f"{path}: no sound: {problem}", file=sys.stderr)
    return path, count, cancelled


def _add_sound(
    path: Path, recording: Recording, camera_path: CameraPath, span: tuple[float, float], ghosts: GhostSounds
) -> str:
    """Add the sound to a video; returns why it stays silent, "" if it does not. span: (start, end), s."""

    def report(share: float, seconds_left: float) -> None:
        _report_progress(share, seconds_left, "sound")

    encoder = find_encoder()
    if encoder is None:
        return "ffmpeg was not found"
    try:
        add_sound(path, recording, camera_path, span, encoder, report, ghosts)
    except UserError as error:
        return str(error)
    except KeyboardInterrupt:
        return "it was cancelled"
    return ""


def _report_progress(share: float, seconds_left: float, what: str = "video") -> None:
    print(f"{what}: {share:4.0%} done, {seconds_left:.0f} s left", file=sys.stderr)


def open_viewer(recording: Recording, options: Namespace) -> ReplayViewer:
    """A ReplayViewer of a recording in a new window."""
    source = ReplaySource(recording)
    settings, _ = load_settings()
    base = open_window(WindowSettings(
        offscreen=options.offscreen, size=options.size, fullscreen=settings.fullscreen and not options.size,
        vsync=settings.vsync, title=f"{recording.path.name} - Driving sandbox",
    ))  # fmt: skip
    compiler = SoundCompiler()
    try:
        ui = ImGuiBackend(base, scale=settings.scale)
        compiled = (COMPILING,) if source.complete and not all(is_warm(v) for v in source.vehicles) else ()
        if source.complete:  # else it is shown from stored poses, in silence
            compiler = begin_compiling(options, settings)
        screen = LoadingScreen(base, ui, REPLAY_STAGES, (*compiled, COMPILING_SOUND) if compiler.running else compiled)
        screen.show(OPENING)
        _compile(source, screen, options.offscreen)
        screen.show(REBUILDING)
        source.repeat()
        if source.world is not None:
            wait_for_sound(compiler, screen)
        compiler.step_back()
        viewer = ReplayViewer(base, ui, source, options, settings, screen.show, compiler)
        screen.close()
    except BaseException:
        compiler.close()
        base.destroy()
        raise
    return viewer


def _drive_on(recording: Recording, tick: int, options: Namespace) -> int:
    """Drive on from a tick of the recording; returns the exit code."""
    from driving_sandbox.game.replay.branch import open_branch

    started = perf_counter()
    drive_options = {
        **vars(options),
        "driver": "keyboard",
        "record": None,
        "stream": None,
        "ghost": [],
        "seconds": None,
    }
    if options.seconds is not None:
        drive_options["seconds"] = tick * recording.tick_seconds + options.seconds
    return open_branch(recording, tick, Namespace(**drive_options)).program.run(started)


def _compile(source: ReplaySource, screen: LoadingScreen, on_terminal: bool) -> None:
    """Compile the kernels that repeat the simulation, if it can be repeated; a failure is only logged."""
    header, needed = source.recording.header, {"contact": len(source.vehicles) > 1}
    if not source.complete or source.world_file is None:
        return
    with tempfile.TemporaryDirectory(prefix="replay-") as folder:
        for vehicle, stored in zip(source.vehicles, header["vehicles"], strict=True):
            if stored.get("towed"):  # compiled with its towing vehicle
                continue
            path = Path(stored.get("path") or "")
            if not path.is_file():  # the vehicle's file is gone; the worker needs one
                path = Path(folder) / "vehicle.yaml"
                path.write_text(stored["config"], encoding="utf8")
            try:
                Preparation(vehicle, path, source.world_file.path, (), on_terminal, needed).wait(screen)
            except CompileFailed as error:
                _log.warning("%s", error)
