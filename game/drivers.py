"""Who drives: a person, a line follower, a command table, or nobody. Each is a function from Situation to COMMAND."""

from pathlib import Path

from game.controls.driver import Gearing, HumanDriver, Motion
from lab.drivers.command_file import CommandFile
from lab.drivers.line_follower import LineFollower
from physics.command.commands import AUTOMATIC, FIRST, NEUTRAL, neutral_command
from physics.yaml_file import ConfigError

AI_TOP_SPEED = 25.0  # m/s, brisk on the handling loop without ever leaving the road
DIRECT_DRIVE_GEARS = 3  # reverse, neutral, forward
TRACKED_STEER = 0.6  # rad, angle that stands for full steering where no wheel steers


def gearing_of(vehicle):
    """What a driver must know of a vehicle's gears."""
    slots = vehicle.sequence.by_slot
    if "gearbox" not in slots:
        return Gearing(DIRECT_DRIVE_GEARS, NEUTRAL, automatic_available=False)
    count = len(vehicle.get("gearbox.ratios"))
    return Gearing(count, vehicle.get("gearbox.neutral_gear"), automatic_available="autobox" in slots)


class Person:
    """A person at keyboard, pad or wheel."""

    def __init__(self, vehicle):
        self.hands = HumanDriver(gearing_of(vehicle))

    def __call__(self, situation):
        motion = Motion(situation.forward_speed, situation.gear, situation.target_gear)
        return self.hands.command(motion, situation.dt)

    def jumped(self, situation):
        """The world was put somewhere else."""
        self.hands.resume_from(Motion(situation.forward_speed, situation.gear, situation.target_gear))


class Follower:
    """Drives along the world's line."""

    def __init__(self, vehicle, place):
        if len(place.driving_line) < 3:
            raise ConfigError(place.path, None, "driving_line", "this world has no line to follow; use another driver")
        front = max(vehicle.get(f"suspension.{n}.attachment")[1] for n in vehicle.wheel_names)
        rear = min(vehicle.get(f"suspension.{n}.attachment")[1] for n in vehicle.wheel_names)
        steer = max(abs(vehicle.get(f"steering.{n}.max_angle")) for n in vehicle.wheel_names) or TRACKED_STEER
        gear = AUTOMATIC if "autobox" in vehicle.sequence.by_slot else FIRST
        self._line = LineFollower(
            place.driving_line, wheelbase=front - rear, max_steer=steer, top_speed=AI_TOP_SPEED, forward_gear=gear
        )

    def __call__(self, situation):
        x, y, _ = situation.position
        return self._line.command((x, y), situation.heading, situation.forward_speed, situation.dt)

    def jumped(self, situation):
        self._line.reset()


class Table:
    """Plays a table of commands over time."""

    def __init__(self, path, vehicle):
        self._file = CommandFile(path, gear_count=gearing_of(vehicle).gear_count)

    def __call__(self, situation):
        return self._file.command(situation.time)

    def jumped(self, situation):
        pass


class Nobody:
    """No command: in gear, handbrake off."""

    def __init__(self):
        self._command = neutral_command()

    def __call__(self, situation):
        return self._command

    def jumped(self, situation):
        pass


def make_driver(name, vehicle, place):
    """The driver of `--driver`: keyboard, ai, none or the path of a command table. Raises ConfigError."""
    if name == "keyboard":
        return Person(vehicle)
    if name == "ai":
        return Follower(vehicle, place)
    if name == "none":
        return Nobody()
    if not Path(name).is_file():
        raise ConfigError(name, None, "", "no such driver: must be keyboard, ai, none or the path of a command table")
    return Table(name, vehicle)
