"""Dispatches the command line to a subcommand, and turns errors into a short message and an exit code.

Exit codes are listed in cli/arguments.py. Tracebacks go to the log file, never to the terminal.
"""

import gc
import importlib
import logging
import os
import sys
import warnings
from argparse import Namespace
from pathlib import Path

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.arguments import build_parser, with_default_command
from driving_sandbox.game.platform.shutdown import END_REQUEST, EndRequested
from driving_sandbox.physics.base.user_error import UserError

# modules that only the window and its input devices need
WINDOW_LIBRARIES = (
    "panda3d",
    "direct",
    "gltf",
    "pygame",
    "imgui_bundle",
)
WITHOUT_WINDOW = (
    "{} is not installed; the window and offscreen frames need it: pip install 'driving-sandbox[game]', "
    "or in a clone pip install -r requirements.txt. Simulation, sweeps and checks work without it."
)
FINE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130  # exit codes
_log = logging.getLogger("main")


class Failure(UserError):
    """A subcommand failed; the message is for the user."""

    exit_code = FAILED


def main(argv: list[str]) -> int:
    """Run one command line; returns the exit code."""
    try:
        options = build_parser().parse_args(with_default_command(argv))
    except SystemExit as error:  # argparse has printed the error or the help
        return int(error.code or FINE)
    log_path = _open_log(options.command)
    with END_REQUEST.listening():
        return _run(options, log_path)


def _run(options: Namespace, log_path: Path | None) -> int:
    """Run a command; returns the exit code, also after an exception."""
    try:
        if options.command == "drive":
            gc.disable()  # until the first frame: start-up objects are permanent, scanning them takes 5 % of the start
        module_name, _, function = options.run.partition(":")
        code = getattr(importlib.import_module(module_name), function)(options)
        sys.stdout.flush()
        if END_REQUEST.number is not None:  # SIGTERM or SIGHUP arrived while frames were drawn
            return END_REQUEST.exit_code
        return FINE if code is None else int(code)
    except EndRequested:  # they arrived at another time, or for the second time
        return END_REQUEST.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe (head, less) may close it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except Exception as error:
        return _report(error, log_path)
    finally:
        gc.enable()


def _open_log(command: str) -> Path | None:
    """Path of the log file, or None where the user folder cannot be used."""
    from driving_sandbox.game.platform.user_folder import UserFolderError, open_log

    try:
        path = open_log(command)
    except UserFolderError as error:
        print(error, file=sys.stderr)
        return None
    logging.captureWarnings(True)
    warnings.simplefilter("default")
    return path


def _report(error: Exception, log_path: Path | None) -> int:
    """Print the message of an error and log its details; returns the exit code."""
    where = f"log: {log_path}" if log_path else "no log could be written"
    code = _code_of(error)
    library = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if library in WINDOW_LIBRARIES:
        _log.error("%s", error)
        print(f"{PROGRAM}: {WITHOUT_WINDOW.format(library)}", file=sys.stderr)
        return FAILED
    if code is None:
        _log.exception("unexpected error")
        text = f"unexpected {type(error).__name__}; details are in {log_path}" if log_path else f"{error!r}"
        print(f"{PROGRAM}: {text}", file=sys.stderr)
        return FAILED
    with_traceback = isinstance(error, (OSError, MemoryError))  # their messages do not say where they occurred
    _log.error("%s", error, exc_info=with_traceback)
    print(f"{_text_of(error)}\n{where}", file=sys.stderr)
    return code


def _text_of(error: Exception) -> str:
    """Message of an error, for the user."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"{PROGRAM}: not enough memory; use a shorter time or fewer rows"
    remedy = getattr(error, "remedy", "")
    return f"{error}; {remedy}" if remedy else str(error)


def _code_of(error: Exception) -> int | None:
    """Exit code of an expected error: of the user, of a file, or too little memory; None for other exceptions."""
    if isinstance(error, UserError):
        return error.exit_code
    if isinstance(error, FileNotFoundError):
        return BAD_INPUT
    file_error = isinstance(error, OSError) and error.filename is not None  # such as a folder without write permission
    return FAILED if file_error or isinstance(error, MemoryError) else None
