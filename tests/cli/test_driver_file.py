"""A user's own driver from a Python file: its arguments, its allowed results, and the messages about its mistakes."""

import json

import numpy as np
import pytest
from command_line import ROOT, run

from driving_sandbox import AUTOMATIC, load, neutral_command, simulate
from driving_sandbox.game.session.drivers import FileDriver, make_driver
from driving_sandbox.game.session.situation import Situation
from driving_sandbox.lab.drivers.driver_file import DriverFile
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.schema.yaml_file import ConfigError

HOLD = """
from driving_sandbox import AUTOMATIC, neutral_command

def driver(vehicle, world):
    command = neutral_command()
    command["gear"] = AUTOMATIC

    def drive(motion):
        command["throttle"] = 1.0 if motion.speed < {speed} else 0.0
        return command

    return drive
"""


def with_body(body, before=""):
    """A file whose driver has this body."""
    return f"from driving_sandbox import neutral_command\n{before}\ndef driver(vehicle, world):\n{body}"


def driver_that_sets(name, value):
    """A file whose driver sets one value of the command."""
    body = f"    c = neutral_command()\n    c[{name!r}] = {value}\n    return lambda motion: c"
    return with_body(body)


@pytest.fixture
def file(tmp_path):
    """A function that writes a driver's file and returns its path."""

    def write(text):
        path = tmp_path / "my.py"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("speed", [5.0, 9.0])
def test_a_driver_file_drives_as_the_same_function_does(file, speed):
    own, plain = load("roadster", "plane"), load("roadster", "plane")
    command = neutral_command()
    command["gear"] = AUTOMATIC

    def drive(motion):
        command["throttle"] = 1.0 if motion.speed < speed else 0.0
        return command

    simulate(own, DriverFile(file(HOLD.format(speed=speed)), own.vehicles[0], own.file), seconds=4.0)
    simulate(plain, drive, seconds=4.0)
    assert own.state_hash() == plain.state_hash()
    assert own.vehicles[0].read("body.velocity.y") == pytest.approx(speed, abs=1.0)


def test_a_driver_file_is_given_vehicle_and_world(file):
    text = with_body(
        "    assert vehicle.name == 'Roadster' and world.name, vehicle.name\n    return lambda m: neutral_command()"
    )
    world = load("roadster", "plane")
    command = DriverFile(file(text), world.vehicles[0], world.file)(motion_of(world.vehicles[0], 0.0))
    assert command == neutral_command()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1 +\n", r"my.py:1: SyntaxError"),
        ("\nimport no_such_module\n", r"my.py:2: ModuleNotFoundError"),
        ("def drive(vehicle, world): pass\n", r'my.py: has no function driver.*did you mean "drive"'),
        ("import physics.tick\n", r"my.py: imports 'physics.tick': use 'driving_sandbox.physics.tick'"),
        (with_body("    pass"), r"my.py: driver: must return a function of the motion, not None"),
        (with_body("    return lambda motion: 1 / 0"), r"my.py:4: ZeroDivisionError"),
        (with_body("    return lambda motion: [0.5]"), r"my.py: driver: its function must return one COMMAND.*\[0.5\]"),
        (with_body("    return lambda motion: neutral_command(2)"), r"my.py: driver: its function must return"),
        (driver_that_sets("brake", "1.5"), r"my.py: brake: 1.5 at 0.000 s must lie within 0..1"),
        (driver_that_sets("steer", "float('nan')"), r"my.py: steer: nan at 0.000 s must lie within -1..1"),
        (driver_that_sets("gear", "9"), r"my.py: gear: 9 at 0.000 s must be 0..\d or AUTOMATIC"),
    ],
)  # fmt: skip
def test_a_mistake_is_reported_with_file_and_line(file, text, message):
    world = load("roadster", "plane")
    with pytest.raises(ConfigError, match=message):
        simulate(world, DriverFile(file(text), world.vehicles[0], world.file), seconds=0.1)


def test_a_mistake_in_a_file_of_a_relative_path_is_reported_with_its_line(file, monkeypatch):
    monkeypatch.chdir(file(with_body("    return lambda motion: 1 / 0")).parent)
    world = load("roadster", "plane")
    with pytest.raises(ConfigError, match=r"^my.py:4: ZeroDivisionError"):
        simulate(world, DriverFile("my.py", world.vehicles[0], world.file), seconds=0.1)


def test_a_file_that_is_no_python_is_refused(file, tmp_path):
    path = file(HOLD.format(speed=5.0)).rename(tmp_path / "my.txt")
    result = run(
        "simulate", "--vehicle", "roadster", "--world", "plane", "--driver", path, "--seconds", 1, "--out", "x.csv"
    )
    assert result.returncode == 2
    assert f"{path}: is not a Python file: its name must end in .py" in result.stderr


def test_a_driver_file_may_have_dataclasses_and_files_beside_it(file, tmp_path):
    """An edited file beside it takes effect when the driver is loaded again."""
    text = ("from __future__ import annotations\nfrom dataclasses import dataclass\nfrom beside_it import PEDAL\n"
            "from driving_sandbox import neutral_command\n@dataclass\nclass Pedal:\n    value: float\n"
            "def driver(vehicle, world):\n    c = neutral_command()\n    c['brake'] = Pedal(PEDAL).value\n"
            "    return lambda motion: c")  # fmt: skip
    world = load("roadster", "plane")
    # the two texts differ in length, so that Python does not take one for the other by size and time
    for pedal in (0.5, 0.25):
        (tmp_path / "beside_it.py").write_text(f"PEDAL = {pedal}  # {'x' * int(20 * pedal)}\n")
        driver = DriverFile(file(text), world.vehicles[0], world.file)
        assert driver(motion_of(world.vehicles[0], 0.0))["brake"] == pedal


def test_a_driver_file_begins_anew_when_the_vehicle_is_moved_or_swapped(file):
    """A driver that counts its ticks counts from one again."""
    text = with_body("    ticks = []\n    def drive(motion):\n        ticks.append(0)\n        c = neutral_command()\n"
                 "        c['brake'] = min(1.0, 0.1 * len(ticks))\n        return c\n    return drive")  # fmt: skip
    world = load("roadster", "plane")
    driver = make_driver(str(file(text)), world.vehicles[0], world.file)
    situation = Situation(world.vehicles[0], world.tick_seconds)
    assert isinstance(driver, FileDriver)
    brakes = [float(driver(situation)["brake"][0]) for _ in range(3)]
    driver.jumped(situation)
    brakes.append(float(driver(situation)["brake"][0]))
    driver(situation)
    other = Situation(load("roadster", "plane").vehicles[0], world.tick_seconds)
    brakes.append(float(driver(other)["brake"][0]))
    assert np.allclose(brakes, [0.1, 0.2, 0.3, 0.1, 0.1])


def test_simulate_and_drive_accept_a_drivers_file(file, tmp_path):
    """The recording of the drive can be verified after the file is deleted."""
    out, record = tmp_path / "run.csv", tmp_path / "run.drive"
    example = ROOT / "examples" / "own_driver.py"
    result = run("simulate", "--vehicle", "hatchback", "--world", "plane", "--driver", example,
               "--seconds", 8, "--out", out, "--json", cwd=tmp_path)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["top_speed_m_s"] == pytest.approx(12.0, abs=1.5)
    own = file(HOLD.format(speed=6.0))
    result = run("drive", "--offscreen", "--vehicle", "hatchback", "--world", "plane", "--driver", own, "--seconds", 5,
               "--size", "160x90", "--record", record, cwd=tmp_path, SANDBOX_HOME=str(tmp_path / "home"))  # fmt: skip
    assert result.returncode == 0, result.stderr
    own.unlink()
    throttle = Recording.open(record).commands()["throttle"]
    assert throttle[0, 0] == 1.0 and throttle[-1, 0] == 0.0
    assert verify(record).ok


def test_a_drive_ends_with_the_line_of_its_mistake(file, tmp_path):
    own = file(with_body("    return lambda motion: 1 / 0"))
    result = run("drive", "--offscreen", "--world", "plane", "--driver", own, "--seconds", 1, "--size", "160x90",
               cwd=tmp_path, SANDBOX_HOME=str(tmp_path / "home"))  # fmt: skip
    assert result.returncode == 2
    assert "my.py:4: ZeroDivisionError" in result.stderr and "Traceback" not in result.stderr
