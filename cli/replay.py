"""`replay`: watch a recording, or verify or export it without a window."""

import json
import math
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.names import find_recording
from driving_sandbox.cli.outputs import IMAGE_SUFFIXES, SOUND_SUFFIXES, check_output
from driving_sandbox.cli.program import FAILED, FINE, INTERRUPTED
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.schema.yaml_file import ConfigError

TABLE_SUFFIXES = (".csv", ".npz", ".mcap")
VIDEO_SUFFIXES = (".mp4", ".mkv", ".webm")  # without a suffix: a folder of images
FRAME_RATE = 60.0  # frames per second of a video, by default
CAMERA = "chase"  # camera of a video, by default


def replay(options: Namespace) -> int:
    """Watch, verify or export; returns FAILED if a recording does not verify."""
    _check(options)
    options.file = str(find_recording(options.file).resolve())
    options.ghost = [str(find_recording(name).resolve()) for name in options.ghost]
    if options.verify:
        return _verify_in_fresh_process(options)
    if _is_video(options):
        return _export_video(options)
    if _is_sound(options):
        return _export_sound(options)
    if options.export:
        print(f"{options.export}: {_export(options)}")
        return FINE
    from driving_sandbox.game.replay.start import replay as run

    return run(options)


def _is_video(options: Namespace) -> bool:
    return bool(options.export) and Path(options.export).suffix in ("", *VIDEO_SUFFIXES)


def _is_sound(options: Namespace) -> bool:
    return bool(options.export) and Path(options.export).suffix in SOUND_SUFFIXES


def _check(options: Namespace) -> None:
    """Raise ConfigError for options that contradict each other or ask for a file that cannot be written."""
    check_output(options.screenshot, "--screenshot", IMAGE_SUFFIXES)
    if options.export is None and (options.channels or options.start > 0.0 or options.to < math.inf):
        raise ConfigError(f"{PROGRAM} replay", None, "--channels, --from, --to", "need --export")
    if options.trust and not (options.verify or _is_sound(options)):
        raise ConfigError(f"{PROGRAM} replay", None, "--trust", "needs --verify or --export of sound")
    if options.fps and not _is_video(options):
        raise ConfigError(f"{PROGRAM} replay", None, "--fps", "needs --export of a video")
    if options.camera and not (_is_video(options) or _is_sound(options)):
        raise ConfigError(f"{PROGRAM} replay", None, "--camera", "needs --export of a video or of sound")
    options.fps, options.camera = options.fps or FRAME_RATE, options.camera or CAMERA
    if options.export is not None and Path(options.export).suffix:  # a folder of images is created
        check_output(options.export, "--export", (*TABLE_SUFFIXES, *VIDEO_SUFFIXES, *SOUND_SUFFIXES))


def _export(options: Namespace) -> str:
    """Write the table for `--export`; returns a description of what was written."""
    from driving_sandbox.physics.recording.exports import export, table

    span = options.start, options.to
    if not options.export.endswith(".mcap"):
        return f"{export(options.file, options.export, options.channels, span)} rows"
    from driving_sandbox.formats.mcap_file import write_mcap

    return f"{write_mcap(table(options.file, options.channels, span), options.export)} messages"


def _export_sound(options: Namespace) -> int:
    """Simulate the recording again and write what is heard; returns FINE."""
    from driving_sandbox.physics.recording import Recording
    from driving_sandbox.physics.recording.exports import describe_empty
    from driving_sandbox.physics.vehicle.trust import Allowed
    from driving_sandbox.sound.base.block import SAMPLE_RATE
    from driving_sandbox.sound.recorded import recorded_blocks
    from driving_sandbox.sound.wav_file import write_wav

    recording = Recording.open(options.file)
    span, trust = (options.start, options.to), Allowed(options.trust)
    if not span[0] < min(span[1], recording.seconds):
        raise ConfigError(recording.path, None, "--from, --to", describe_empty(recording, span))
    samples = write_wav(options.export, recorded_blocks(recording, options.camera, span, trust, _report_progress))
    print(f"{options.export}: {samples} samples, {samples / SAMPLE_RATE:.2f} s")
    return FINE


def _report_progress(share: float, seconds_left: float) -> None:
    print(f"sound: {share:4.0%} done, {seconds_left:.0f} s left", file=sys.stderr)


def _export_video(options: Namespace) -> int:
    """Render the video offscreen; returns INTERRUPTED if it was cancelled, in which case the part so far is kept."""
    from driving_sandbox.game.replay.start import export as export_frames

    path, count, cancelled = export_frames(options)
    print(f"{path}: {count} frames, {count / options.fps:.2f} s{', cancelled' if cancelled else ''}")
    return INTERRUPTED if cancelled else FINE


def _verify_in_fresh_process(options: Namespace) -> int:
    """Verify in a new process, so that no leftover state can hide an error."""
    from driving_sandbox.physics.kernel.jit import ROOT
    from driving_sandbox.physics.vehicle.trust import pinned

    command = [sys.executable, "-m", "driving_sandbox.cli.replay", options.file]
    command += [*(["--json"] if options.json else []), *(pinned(path) for path in options.trust)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def verify_here(path: Path, as_json: bool, trusted: Sequence[str] = ()) -> int:
    """Verify in this process and print the report; returns the exit code.

    Args:
        path: the recording.
        as_json: print the report as JSON.
        trusted: component files that may run, as `trust.pinned` writes them.
    """
    from driving_sandbox.physics.recording import verify
    from driving_sandbox.physics.vehicle.trust import Allowed

    report = verify(path, Allowed(trusted))
    if as_json:
        print(json.dumps(asdict(report), indent=2))
    else:
        print(f"{path}: {'verified: ' if report.ok else 'DIFFERS: '}{report.text}")
    return FINE if report.ok else FAILED


def main(arguments: list[str]) -> int:
    """Entry point of the fresh process; the arguments are FILE [--json] [HASH:FILE.py]..."""
    path, *others = arguments
    try:
        return verify_here(Path(path).resolve(), "--json" in others, [word for word in others if word != "--json"])
    except UserError as error:
        print(error, file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
