"""`drive`: starts the program with the window."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.names import find_recording, named_vehicle
from driving_sandbox.cli.outputs import IMAGE_SUFFIXES, check_folder, check_output
from driving_sandbox.cli.program import Failure
from driving_sandbox.physics.schema.yaml_file import ConfigError

WITHOUT_DISPLAY = f"{PROGRAM} drive --offscreen --driver ai --seconds 20 --screenshot drive.png"


def drive(options: Namespace) -> int:
    """Drive until the window is closed; returns the exit code."""
    started = perf_counter()
    check_output(options.screenshot, "--screenshot", IMAGE_SUFFIXES)
    options.ghost = [find_recording(name).resolve() for name in options.ghost]
    _check_ghosts(options.ghost)
    _check_record(options.record)
    from driving_sandbox.game.view.gl.shading import read_ahead

    read_ahead()  # images are decoded while the modules below are imported, which takes a second
    from driving_sandbox.game.platform.window import NoDisplay
    from driving_sandbox.game.program.start import drive as run

    options.vehicle = named_vehicle(options.vehicle)
    options.twin = options.twin and named_vehicle(options.twin)
    try:
        return run(options, started)
    except NoDisplay as error:
        if options.offscreen:
            raise
        raise Failure(f"{error} For example: {WITHOUT_DISPLAY}") from error


def _check_record(path: str | None) -> None:
    """Raise ConfigError, before a window opens, if no recording can be written to that path."""
    if path is None:
        return
    check_folder(Path(path).resolve().parent, "--record")
    if Path(path).exists():
        raise ConfigError(path, None, "--record", "exists already; recordings are never overwritten")


def _check_ghosts(paths: Sequence[str]) -> None:
    """Raise RecordingError, before a window opens, for a file that is no recording."""
    if paths:
        from driving_sandbox.physics.recording import Recording

        for path in paths:
            Recording.open(path, check=False)
