"""Help, wrong usage and errors: messages, where they go, and exit codes."""

import argparse
import importlib
import logging

import pytest
from command_line import run
from user_errors import exception_classes

from driving_sandbox.cli import PROGRAM, program
from driving_sandbox.cli.arguments import DEFAULT_VEHICLE, DEFAULT_WORLD, build_parser, with_default_command
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.vehicle.vehicle_file import find_vehicle
from driving_sandbox.physics.world.world_file import find_world

PARSERS = next(action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)).choices
COMMANDS = tuple(PARSERS)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_has_examples_and_exit_codes(command, capsys):
    with pytest.raises(SystemExit) as stop:
        build_parser().parse_args([*command.split(), "--help"])
    text = capsys.readouterr().out
    assert stop.value.code == 0
    assert "example" in text and "exit codes:" in text and f"{PROGRAM} {command}".strip() in text


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_lead_to_functions(command):
    module, _, function = PARSERS[command].get_default("run").partition(":")
    if module != "driving_sandbox.cli.drive":
        assert callable(getattr(importlib.import_module(module), function))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ([], ["drive"]),
        (["--vehicle", "buggy"], ["drive", "--vehicle", "buggy"]),
        (["--help"], ["--help"]),
        (["list"], ["list"]),
        (["check", "a.yaml"], ["check", "a.yaml"]),
    ],
)
def test_drive_is_the_default(typed, meant):
    assert with_default_command(typed) == meant


def test_the_defaults_exist():
    assert find_vehicle(DEFAULT_VEHICLE).is_file()
    assert find_world(DEFAULT_WORLD).is_file()


def test_drive_options_have_the_names_the_program_uses():
    options = build_parser().parse_args(["drive", "--size", "960x540", "--seconds", "2.5", "--offscreen"])
    assert options.size == (960, 540)
    assert options.seconds == 2.5
    assert options.offscreen
    assert (options.setup, options.record, options.screenshot, options.driver) == (None, None, None, "keyboard")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fly"], "invalid choice: 'fly'"),
        (["drive", "--size", "960"], "WIDTHxHEIGHT"),
        (["drive", "--seconds", "nan"], "not a usable number"),
        (["drive", "--seconds", "-1"], "must be > 0"),
        (["drive", "--trust", "my_sprin.py"], "--trust: no such file: my_sprin.py"),
        (["drive", "--tyres"], "unrecognized arguments: --tyres"),
        (["simulate", "--vehicle", "roadster"], "required"),
        (["simulate", "--substeps", "0"], "1 to 64"),
        (["sweep", "--count", "1"], "2 to 64"),
        (["check", "x.glb", "--triangles", "-4"], "whole number"),
        (["replay", "x", "--fps", "1e9"], "at most 1000"),
        (["replay", "x", "--verify", "--export", "y.csv"], "not allowed with"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(arguments, message, capsys):
    assert program.main(arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert len(captured.err.strip().splitlines()) == 1


def test_a_mistake_in_a_file_is_one_line_with_the_log(home, tmp_path):
    result = run("simulate", "--vehicle", "roadstr", "--world", "plane", "--seconds", "1", "--out", tmp_path / "o.csv")
    assert result.returncode == 2
    first, second = result.stderr.strip().splitlines()
    assert "no such vehicle" in first and 'did you mean "roadster"?' in first
    assert second == f"log: {home / 'logs' / 'simulate.log'}"
    assert "no such vehicle" in (home / "logs" / "simulate.log").read_text(encoding="utf8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["drive", "--screenshot", "no/a.png"], "--screenshot: no such folder"),
        (["drive", "--screenshot", "a.txt"], "a.txt: --screenshot: must end in .png or .jpg"),
        (["replay", "lap.drive", "--screenshot", "no/a.png"], "--screenshot: no such folder"),
        (["replay", "lap.drive", "--export", "no/a.mp4"], "--export: no such folder"),
        (["replay", "lap.drive", "--export", "a.xls"], "--export: must end in .csv or .npz or .mcap"),
        (["replay", "lap.drive", "--from", "1"], "need --export"),
        (["replay", "lap.drive", "--trust", __file__], "needs --verify"),
        (["compare", "--vehicle", "roadster", "--maneuver", "rest", "--record", "no"], "no: --record: no such folder"),
        (["compare", "--vehicle", "roadster", "--maneuver", "rest", "--offscreen"], "need --watch"),
        (["sweep", "--vehicle", "roadster", "--parameter", "x", "--maneuver", "rest", "--out", "no/a.csv"],
         "--out: no such folder"),
    ],
)  # fmt: skip
def test_an_unusable_output_or_option_is_refused_first(home, tmp_path, monkeypatch, capsys, arguments, message):
    """Missing folders, wrong suffixes and options that need another one, before any work is done."""
    monkeypatch.chdir(tmp_path)
    assert program.main(arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err and "Traceback" not in captured.err


def test_a_ghost_that_is_no_recording_is_refused_before_a_window_opens(home, tmp_path, capsys):
    (tmp_path / "run.csv").write_text("time,throttle\n0,1\n")
    assert program.main(["drive", "--ghost", str(tmp_path / "run.csv")]) == 2
    assert "is not a recording" in capsys.readouterr().err


CANNOT_BE_DONE = {  # errors with exit code 1: the command is right, but cannot be done on this machine or now
    "Failure", "NoDisplay", "NoSound", "SoundError", "VideoError", "UserFolderError", "GraphicsError", "CompileFailed",
    "FaultError", "WavError", "DeviceError",
}  # fmt: skip


def test_every_user_error_is_one_line_and_its_exit_code(home, monkeypatch, capsys):
    kinds = [kind for kind in exception_classes().values() if issubclass(kind, UserError)]
    for kind in kinds:
        error = kind.__new__(kind, "car.yaml:3: what is wrong")  # for any signature

        def refused(options, error=error):
            raise error

        monkeypatch.setattr("driving_sandbox.cli.listing.show", refused)
        assert program.main(["list"]) == (1 if kind.__name__ in CANNOT_BE_DONE else 2), kind
        error_output = capsys.readouterr().err
        assert error_output.splitlines() == ["car.yaml:3: what is wrong", f"log: {home / 'logs' / 'list.log'}"]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device", "run.csv"), "run.csv: No space left on device"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_errors_of_the_operating_system_are_reported_plainly(home, monkeypatch, capsys, error, message):
    def refused(options):
        raise error

    monkeypatch.setattr("driving_sandbox.cli.listing.show", refused)
    assert program.main(["list"]) == 1
    first, second = capsys.readouterr().err.strip().splitlines()
    assert message in first and "unexpected" not in first
    assert second == f"log: {home / 'logs' / 'list.log'}"


@pytest.mark.parametrize("error", [ZeroDivisionError, ModuleNotFoundError])  # here a missing module without a name
def test_the_unexpected_goes_to_the_log_and_not_to_the_terminal(home, monkeypatch, capsys, error):
    def broken(options):
        raise error("a mistake of the program")

    monkeypatch.setattr("driving_sandbox.cli.listing.show", broken)
    root = logging.getLogger()
    handlers = list(root.handlers)
    try:
        assert program.main(["list"]) == 1
    finally:
        for handler in set(root.handlers) - set(handlers):
            handler.close()
        root.handlers[:] = handlers
    captured = capsys.readouterr()
    log = home / "logs" / "list.log"
    assert captured.out == ""
    assert captured.err.strip() == f"{PROGRAM}: unexpected {error.__name__}; details are in {log}"
    assert "Traceback" in log.read_text(encoding="utf8")
    assert "a mistake of the program" in log.read_text(encoding="utf8")


def test_an_interrupt_is_no_error(home, monkeypatch, capsys):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr("driving_sandbox.cli.listing.show", interrupted)
    assert program.main(["list"]) == 130
    assert capsys.readouterr().err == ""


def test_a_user_folder_inside_the_program_is_refused(tmp_path):
    result = run("list", SANDBOX_HOME=program.__file__.rpartition("/")[0])
    assert result.returncode == 1
    assert "must not be inside" in result.stderr
    assert "Traceback" not in result.stderr


def test_list_works_from_another_folder(home, tmp_path):
    result = run("list", cwd=tmp_path)
    assert result.returncode == 0
    assert "roadster" in result.stdout


def test_without_a_display_the_first_command_says_what_to_type(home):
    result = run(DISPLAY="", WAYLAND_DISPLAY="")
    assert result.returncode == 1
    assert "no display" in result.stderr and "--offscreen" in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 2  # the sentence and the log
