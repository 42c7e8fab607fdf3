"""Command line syntax: the subcommands, their options, and examples for each."""

import argparse
import math
import sys
from argparse import _SubParsersAction
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from driving_sandbox import VERSION
from driving_sandbox.cli import PROGRAM

DEFAULT_VEHICLE = "roadster"
DEFAULT_WORLD = "proving_ground"
MAX_FRAME_RATE = 1000.0  # frames per second of a video: more than any player shows, even in slow motion

EXIT_CODES = """\
exit codes:
    0  success
    1  failure: a recording does not verify, a simulation had a fault, there is no display
    2  wrong usage, or an error in a file (the message names line and rule)
  130  interrupted; 143 ended by SIGTERM, 129 by SIGHUP: a drive ends as if its window were closed
"""

_EXAMPLES = {
    "": """\
examples:
  {program}                                         drive the default car
  {program} --vehicle hatchback --driver ai         watch it drive itself
  {program} replay last.drive                       watch a recording
  {program} simulate --vehicle roadster --world plane --maneuver brake --seconds 12 --out brake.csv
  {program} COMMAND --help                          all options of a command
""",
    "drive": """\
examples:
  {program}                                         a window, the default car, the keyboard
  {program} drive --vehicle buggy --setup soft.yaml
  {program} drive --driver ai --record lap.drive --seconds 120
  {program} drive --driver ai --line lap.csv        the AI follows the line of a recorded lap
  {program} drive --driver my.py                    a driver of your own: driver(vehicle, world)
  {program} drive --vehicle mine.yaml --trust my_spring.py
  {program} drive --twin planar_roadster            a simple model as a ghost, with the same commands
  {program} drive --offscreen --driver ai --seconds 20 --size 960x540 --screenshot car.png
""",
    "replay": """\
examples:
  {program} replay lap.drive                        play with pause, scrub and speed
  {program} replay lap.drive --verify               simulate it again and compare every tick
  {program} replay lap.drive --export lap.csv       every command and channel of every tick
  {program} replay lap.drive --export lap.mcap --from 20 --to 35 --channels tire.fl.load,engine.omega
  {program} replay lap.drive --export lap.mp4 --from 10 --to 30 --size 1280x720
  {program} replay lap.drive --export lap.wav --camera cabin
  {program} replay lap.drive --drive-from 12.5      take over there; the recorded drive continues as a ghost
  {program} replay lap.drive --offscreen --seconds 5 --screenshot at5.png
""",
    "simulate": """\
examples:
  {program} simulate --vehicle roadster --world plane --maneuver step_steer --seconds 10 --out run.npz
  {program} simulate --vehicle buggy --world plane --commands inputs.csv --seconds 20 --out run.csv --json
  {program} simulate --vehicle roadster --world plane --maneuver launch --seconds 5 --initial start.yaml --out run.csv
  {program} simulate --vehicle m3_e46 --world plane --maneuver launch --seconds 15 --out run.npz --sound run.wav

--commands: CSV with a column `time` and any of throttle, brake, handbrake, clutch, steer, gear; a row holds until the
next one.
--initial: YAML with any of spawn (name), position [x, y] or [x, y, z], heading_deg, speed (m/s, forward),
yaw_rate (rad/s), channels {name: value}.
The CSV names each column `name [unit]`; the NPZ holds one array per name and `units`, a JSON text {name: unit}.
""",
    "sweep": """\
examples:
  {program} sweep --vehicle roadster --parameter body.mass --maneuver launch
  {program} sweep --vehicle roadster --parameter "antiroll.stiffness[0]" --from 0 --to 40000 --maneuver slalom
  {program} sweep --vehicle roadster --parameter suspension.fl.stiffness --parameter suspension.fr.stiffness \\
                --maneuver step_steer --count 21 --out springs.csv

The manoeuvre is driven from rest with each value; several parameters get the same value. `{program} list` names the
manoeuvres; each has its own measures. Drives that spin, roll over or collide are marked and excluded from the best.
""",
    "test": """\
examples:
  {program} test roadster
  {program} test hatchback --html hatchback.html
  {program} test my_car.yaml --only zero_to_60_mph,braking_60_mph --within 6

Acceleration, quarter mile, top speed, braking, coast-down, skid pad, slaloms, the ISO 3888-2 lane change, gradients,
yaw response and ride frequencies, on level dry asphalt. A vehicle's file may have `targets: {zero_to_60_mph: 8.8}`,
published values to compare with, each a number or a range [low, high].
""",
    "tire": """\
examples:
  {program} tire hatchback                          data-sheet figures at four loads
  {program} tire hatchback --wheel rl --html rear.html
  {program} tire measured.tir --csv curves.csv --html curves.html

Reads property files of Magic Formula 5.2, 6.1 and 6.2. Sweeps longitudinal slip, slip angle, inclination, combined
slip and load, on a road of friction 1, rolling forward. Signs: a slip angle > 0 moves the contact point to the right;
`camber`, the inclination angle, > 0 leans the top to the right; a lateral force > 0 acts on the tire to the right;
moments > 0 turn or lean it to the right.
""",
    "compare": """\
examples:
  {program} compare --commands-of lap.drive --vehicle roadster --vehicle hatchback
  {program} compare --maneuver slalom --seconds 12 --vehicle roadster --setup soft.yaml --out both.csv
  {program} compare --maneuver launch --commands-of A --vehicle roadster --vehicle coupe
  {program} compare --commands inputs.csv --seconds 20 --vehicle roadster --vehicle coupe --json

Compares two vehicles, A and B, or one without (A) and with a setup (B). On a manoeuvre each has its own driver, unless
--commands-of A or B gives both the commands of that vehicle's driver. --commands-of FILE takes commands and start from
a recording; for a recording named A, write ./A.
""",
    "check": """\
examples:
  {program} check configs/vehicles/*.yaml
  {program} check roadster plane
  {program} check my_car.yaml my_setup.yaml my_car.glb last.drive

Reads vehicles, setups, worlds, surfaces, key bindings, command tables, lines, models and recordings.
Code that a file names is not run.
""",
    "bench": """\
examples:
  {program} bench                                   a table, with ratios within this run
  {program} bench tick --json                       one benchmark, as JSON
""",
}


def _examples(name: str) -> str:
    """Usage examples of a command, with the program's name."""
    return _EXAMPLES.get(name, f"example:\n  {{program}} {name}\n").replace("{program}", PROGRAM)


class _Parser(argparse.ArgumentParser):
    """Reports usage errors in one line that refers to the command's help."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def with_default_command(argv: list[str]) -> list[str]:
    """Insert `drive` where no command is given."""
    if not argv or (argv[0].startswith("-") and argv[0] not in ("-h", "--help", "--version")):
        return ["drive", *argv]
    return argv


def build_parser() -> "_Parser":
    """The parser; the namespace it returns has `command` and `run` ("module:function") in addition to the options."""
    parser = _Parser(
        prog=PROGRAM,
        description="Drive, tune, record and simulate vehicles. Without a command it starts driving.",
        epilog=_examples("") + "\n" + EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _drive(_command(commands, "drive", "open the world and drive (the default)", "cli.drive:drive"))
    _replay(_command(commands, "replay", "watch, verify or export a recording", "cli.replay:replay"))
    _simulate(_command(commands, "simulate", "run without a window and write every channel", "cli.simulate:simulate"))
    _sweep(_command(commands, "sweep", "show the effect of a parameter on a manoeuvre", "cli.sweep:sweep"))
    _compare(_command(commands, "compare", "compare two vehicles or setups on the same drive", "cli.compare:compare"))
    _road_test(_command(commands, "test", "road test: the figures that magazines publish", "cli.road_test:road_test"))
    _tire(_command(commands, "tire", "show tire forces and moments versus slip, camber and load", "cli.tire:tire"))
    check = _command(commands, "check", "check files without running anything", "cli.check:check")
    check.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a config, model, command table or recording; or the name of a vehicle or world",
    )
    check.add_argument("--figures", action="store_true", help="also print a vehicle's frequencies, losses and times")
    check.add_argument("--triangles", type=_whole(1, 10**9), metavar="N",
                       help="warn about a model with more than N collision triangles")  # fmt: skip
    listing = _command(commands, "list", "list vehicles, worlds, components, manoeuvres, files", "cli.listing:show")
    listing.add_argument("--json", action="store_true", help="as JSON")
    bench = _command(commands, "bench", "measure speed", "cli.bench:bench")
    bench.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run (default: all)")
    bench.add_argument("--json", action="store_true", help="as JSON, with a description of the machine")
    devices = _command(commands, "devices", "list connected gamepads and steering wheels", "cli.devices:devices")
    devices.add_argument("--json", action="store_true", help="as JSON")
    doctor = _command(commands, "doctor", "check this machine and name what is missing", "cli.doctor:doctor")
    doctor.add_argument("--json", action="store_true", help="as JSON")
    return parser


def _command(commands: _SubParsersAction, name: str, text: str, run: str) -> "_Parser":
    """Add a subcommand with its help text, run by the function `run` ("module:function")."""
    parser = commands.add_parser(
        name,
        help=text,
        description=text[0].upper() + text[1:] + ".",
        epilog=_examples(name) + "\n" + EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=f"driving_sandbox.{run}")
    return parser


def _drive(parser: "_Parser") -> None:
    parser.add_argument("--vehicle", default=DEFAULT_VEHICLE, metavar="V", help="name or file (default: %(default)s)")
    parser.add_argument("--world", default=DEFAULT_WORLD, metavar="W", help="name or file (default: %(default)s)")
    parser.add_argument("--spawn", metavar="NAME", help="spawn point to start at (default: the world's first)")
    parser.add_argument("--setup", metavar="F", help="setup file applied to the vehicle")
    parser.add_argument("--twin", metavar="V", help="planar vehicle driven by the same commands, as a ghost")
    parser.add_argument("--driver", default="keyboard", metavar="keyboard|ai|none|FILE",
                        help="the driver; a FILE is a command table (.csv) or a driver of your own (.py)")  # fmt: skip
    parser.add_argument("--line", metavar="F.csv", help="driving line for the AI (default: the car's or the world's)")
    parser.add_argument("--record", metavar="F", help="save the recording to this file")
    _trust(parser)
    parser.add_argument("--stream", type=_address, metavar="[HOST:]PORT",
                        help="send live telemetry by UDP, by default to this machine")  # fmt: skip
    parser.add_argument("--shakers", type=_address, metavar="[HOST:]PORT", help="send vibrations for shakers by UDP")
    parser.add_argument("--ghost", action="append", default=[], metavar="F",
                        help="recording to drive against, as a ghost; may be repeated")  # fmt: skip
    _view_options(parser)


def _replay(parser: "_Parser") -> None:
    parser.add_argument("file", metavar="FILE", help="a .drive recording, or the name of one in the user folder")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--verify", action="store_true", help="simulate again in a fresh process and compare")
    what.add_argument("--export", metavar="F", help="channels as .csv, .npz or .mcap, a video as .mp4, sound as .wav")
    parser.add_argument("--channels", type=_names, metavar="A,B", help="with --export: only these channels")
    parser.add_argument("--from", dest="start", type=_time, default=0.0, metavar="S", help="with --export: start time")
    parser.add_argument("--to", type=_time, default=math.inf, metavar="S", help="with --export: end time")
    parser.add_argument("--json", action="store_true", help="with --verify: the report as JSON")
    _trust(parser)
    parser.add_argument("--ghost", action="append", default=[], metavar="F", help="recording to show as a ghost")
    parser.add_argument("--fps", type=_rate, metavar="N", help="frames per second of a video (default: 60)")
    parser.add_argument("--camera", metavar="NAME", help="camera of a video; for sound: chase, cabin or bonnet")
    parser.add_argument("--drive-from", type=_time, metavar="S", help="take over at this time and drive on")
    _view_options(parser)


def _view_options(parser: "_Parser") -> None:
    parser.add_argument("--seconds", type=_positive, metavar="S", help="end after S simulated seconds")
    parser.add_argument("--offscreen", action="store_true", help="render without a window or display server")
    parser.add_argument("--size", type=_size, metavar="WxH", help="size of the window or frame, e.g. 960x540")
    parser.add_argument("--screenshot", metavar="F", help="save the last frame as .png or .jpg")
    parser.add_argument("--no-sound", action="store_true", help="open no audio device; leave out the sound of a video")


def _simulate(parser: "_Parser") -> None:
    parser.add_argument("--vehicle", required=True, metavar="V", help="name or .yaml file")
    parser.add_argument("--world", required=True, metavar="W", help="name or .yaml file")
    parser.add_argument("--setup", metavar="F", help="setup file applied to the vehicle")
    driver = parser.add_mutually_exclusive_group()
    driver.add_argument("--commands", metavar="F.csv", help="command table")
    driver.add_argument("--maneuver", metavar="NAME", help=f"manoeuvre; `{PROGRAM} list` names them")
    driver.add_argument("--driver", metavar="F.py", help="file with your own driver: a function driver(vehicle, world)")
    parser.add_argument("--seconds", type=_positive, required=True, metavar="S", help="simulated time")
    parser.add_argument("--tick", type=_positive, metavar="HZ", help="ticks per second (default: the world's)")
    parser.add_argument("--substeps", type=_whole(1, 64), metavar="N", help="substeps per tick (default: the world's)")
    parser.add_argument("--initial", metavar="F.yaml", help="initial state: position, speed, channels")
    parser.add_argument("--rows", type=_positive, metavar="HZ", help="rows per second (default: one per tick)")
    parser.add_argument("--out", required=True, metavar="F", help=".npz or .csv file to write")
    parser.add_argument("--sound", metavar="F.wav", help="also write the sound")
    parser.add_argument("--camera", metavar="NAME", help="with --sound: listen from chase (default), cabin or bonnet")
    parser.add_argument("--json", action="store_true", help="print a summary as JSON")
    _trust(parser)


def _sweep(parser: "_Parser") -> None:
    parser.add_argument("--vehicle", required=True, metavar="V", help="name or .yaml file")
    parser.add_argument("--setup", metavar="F", help="setup file applied to the vehicle")
    parser.add_argument("--world", default="plane", metavar="W", help="name or .yaml file (default: %(default)s)")
    parser.add_argument("--spawn", metavar="NAME", help="spawn point to start at (default: the world's first)")
    parser.add_argument("--parameter", action="append", required=True, metavar="PATH",
                        help="path, with [0] etc. for one number of a list; repeat for several")  # fmt: skip
    parser.add_argument("--from", dest="low", type=_number, metavar="X", help="lowest value (default: usual range)")
    parser.add_argument("--to", dest="high", type=_number, metavar="X", help="highest value (default: usual range)")
    parser.add_argument("--count", type=_whole(2, 64), default=13, metavar="N", help="values (default: %(default)s)")
    parser.add_argument("--maneuver", required=True, metavar="NAME", help=f"manoeuvre; `{PROGRAM} list` names them")
    parser.add_argument("--measure", metavar="NAME",
                        help="measure that picks the best value (default: the manoeuvre's main measure)")  # fmt: skip
    parser.add_argument("--seconds", type=_positive, metavar="S", help="simulated time (default: the manoeuvre's)")
    parser.add_argument("--out", metavar="F.csv", help="write all measures for each value")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    _trust(parser)


def _road_test(parser: "_Parser") -> None:
    parser.add_argument("vehicle", metavar="VEHICLE", help="name or .yaml file")
    parser.add_argument("--setup", metavar="F", help="setup file applied to the vehicle")
    parser.add_argument("--only", type=_names, default=[], metavar="NAMES", help="only these figures, comma-separated")
    parser.add_argument("--within", type=_positive, metavar="PERCENT",
                        help="exit 1 if a figure deviates from its target by more than this")  # fmt: skip
    parser.add_argument("--html", metavar="F.html", help="write a page with the speed over time")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    _trust(parser)


def _tire(parser: "_Parser") -> None:
    parser.add_argument("source", metavar="FILE|VEHICLE", help="tire property file (.tir), or a vehicle's name or file")
    parser.add_argument("--wheel", metavar="NAME", help="wheel of the vehicle (default: its first)")
    parser.add_argument("--setup", metavar="F", help="setup file applied to the vehicle")
    parser.add_argument("--csv", metavar="F.csv", help="write all sweeps, one row per point")
    parser.add_argument("--html", metavar="F.html", help="write a page with the curves")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    _trust(parser)


def _compare(parser: "_Parser") -> None:
    parser.add_argument("--vehicle", action="append", required=True, metavar="V", help="name or file; repeat for two")
    parser.add_argument("--setup", action="append", default=[], metavar="F",
                        help="setup for one vehicle: one is compared with no setup, two with each other")  # fmt: skip
    drive = parser.add_mutually_exclusive_group()
    drive.add_argument("--maneuver", metavar="NAME", help="manoeuvre, each vehicle with its own driver")
    drive.add_argument("--commands", metavar="F.csv", help="command table, the same for both")
    parser.add_argument("--commands-of", metavar="A|B|FILE",
                        help="both get the commands of A's or B's driver, or of a recording")  # fmt: skip
    parser.add_argument("--world", metavar="W", help="name or .yaml file (default: plane, or the recording's)")
    parser.add_argument("--spawn", metavar="NAME", help="spawn point to start at (default: the world's first)")
    parser.add_argument("--seconds", type=_positive, metavar="S", help="simulated time (default: that of the commands)")
    parser.add_argument("--out", metavar="F.csv", help="write both drives over time")
    parser.add_argument("--record", metavar="FOLDER", help="save both drives, A.drive and B.drive, in this folder")
    parser.add_argument("--json", action="store_true", help="print the differences as JSON")
    parser.add_argument("--watch", action="store_true", help="show both drives afterwards, B as a ghost")
    parser.add_argument("--offscreen", action="store_true", help="with --watch: without a window")
    parser.add_argument("--size", type=_size, metavar="WxH", help="with --watch: size of the window or frame")
    parser.add_argument("--screenshot", metavar="F", help="with --watch: save the last frame as .png or .jpg")
    _trust(parser)


def _trust(parser: "_Parser") -> None:
    what = "allow this component file, named by a vehicle, to run"
    parser.add_argument("--trust", type=_file, action="append", default=[], metavar="F.py", help=what)


def _file(text: str) -> str:
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"no such file: {text}")
    return text


def _positive(text: str) -> float:
    value = _number(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"{text} must be > 0")
    return value


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a usable number")
    return value


def _rate(text: str) -> float:
    value = _positive(text)
    if value > MAX_FRAME_RATE:
        raise argparse.ArgumentTypeError(f"{text} must be at most {MAX_FRAME_RATE:g}")
    return value


def _time(text: str) -> float:
    value = _number(text)
    if value < 0.0:
        raise argparse.ArgumentTypeError(f"{text} must be >= 0")
    return value


def _address(text: str) -> tuple[str, int]:
    from driving_sandbox.game.session.stream import address_of

    try:
        return address_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _whole(low: int, high: int) -> Callable[..., Any]:
    """An argument type: integers from `low` to `high`."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from {low} to {high}")
        return int(text)

    return read


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and all(side.isdecimal() and 16 <= int(side) <= 16384 for side in (width, height))):
        raise argparse.ArgumentTypeError(f"{text!r} must be WIDTHxHEIGHT in pixels, e.g. 960x540")
    return int(width), int(height)


def _version() -> str:
    return f"driving-sandbox {VERSION}, Python {sys.version.split()[0]}"
