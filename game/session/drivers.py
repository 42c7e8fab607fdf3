"""The drivers: the player, the AI on a line, a command table, a Python file, or none.

Each is called with the Situation before a tick and returns a COMMAND array of length 1.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.controls.driver import Gearing, HumanDriver, SpeedAndGear
from driving_sandbox.game.controls.key_aids import KeyAids
from driving_sandbox.game.controls.line_guide import LineGuide
from driving_sandbox.game.controls.presets import NORMAL, DrivingAids
from driving_sandbox.game.controls.rim import RimSteering
from driving_sandbox.lab.drivers.command_file import CommandFile
from driving_sandbox.lab.drivers.driver_file import DriverFile
from driving_sandbox.lab.drivers.line_follower import LineFollower
from driving_sandbox.lab.drivers.motion import motion_of
from driving_sandbox.lab.drivers.proportions import (
    DIRECT_DRIVE_GEARS,
    end_slips,
    gear_count,
    largest_steer,
    reach,
    wheel_spin,
    wheelbase,
)
from driving_sandbox.lab.drivers.road_map import RoadMap
from driving_sandbox.physics.ground.road_file import read_roads
from driving_sandbox.physics.recording.signals import Signals
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.ai_settings import OFF, ai_settings

if TYPE_CHECKING:
    from driving_sandbox.game.session.situation import Situation
    from driving_sandbox.lab.drivers.line_file import DrivenLine
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world_file import WorldFile

AI_TOP_SPEED = 25.0  # m/s, brisk on the handling loop without leaving the road
DECISION_RATE = 60.0  # 1/s, decisions of the AI: more than a person's, a quarter of the ticks of the physics at 240 Hz


def gearing_of(vehicle: "Vehicle") -> Gearing:
    """The Gearing of a vehicle."""
    slots = vehicle.sequence.by_slot
    if "gearbox" not in slots:
        return Gearing(DIRECT_DRIVE_GEARS, NEUTRAL, automatic_available=False)
    count = gear_count(vehicle)
    automatic = "autobox" in slots
    paths = {p.path for p in vehicle.parameters()}
    if "autobox.automatic" in paths:  # this gearbox can be switched to manual
        automatic = vehicle.get("autobox.automatic")
    return Gearing(count, vehicle.get("gearbox.neutral_gear"), automatic, reads_lever_time="gearbox.fast" in paths)


class PlayerDriver:
    """A person at a keyboard, gamepad or steering wheel.

    Attributes:
        aids: which DrivingAids act on the keys.
        signals: Signals that get the held keys, to be recorded, or None.
    """

    def __init__(self, vehicle: "Vehicle", aids: DrivingAids = NORMAL) -> None:
        self.human_driver = HumanDriver(gearing_of(vehicle))
        self.aids = aids
        self.signals: Signals | None = None
        self._guide: LineGuide | None = None
        self._use_vehicle(vehicle)

    def _use_vehicle(self, vehicle: "Vehicle") -> None:
        """Drive this vehicle from now on."""
        self._vehicle, self._key_aids = vehicle, KeyAids(vehicle, self._guide)
        self.human_driver.key_aids = self._key_aids
        self.human_driver.rim_steering = RimSteering(vehicle)

    @property
    def acting_aids(self) -> set[str]:
        """Names in DrivingAids of the aids that changed the last command."""
        return self._key_aids.acting

    def use_line(self, points: np.ndarray) -> None:
        """Let braking and line aid follow a closed line, (n, 2) in m; with fewer than 3 points there is none."""
        self._guide = LineGuide(points) if len(points) >= 3 else None
        self._use_vehicle(self._vehicle)

    def __call__(self, situation: "Situation") -> np.ndarray:
        motion = SpeedAndGear(situation.forward_speed, situation.gear, situation.target_gear)
        if situation.vehicle is not self._vehicle:  # a component was swapped
            self._use_vehicle(situation.vehicle)
            self.human_driver.follow_swap(gearing_of(situation.vehicle), motion)
        self._key_aids.aids = self.aids
        if self.signals is not None:
            self.signals.keys = self.human_driver.raw_keys
        return self.human_driver.command(motion, situation.dt)

    def jumped(self, situation: "Situation") -> None:
        """Take gear and direction from the state after a jump, and release the aids."""
        self._key_aids.release()
        self.human_driver.resume_from(SpeedAndGear(situation.forward_speed, situation.gear, situation.target_gear))


class AiDriver:
    """The AI: drives along a line, by the settings of the vehicle's section `ai`. Its command stays the same between
    two decisions.

    Args:
        line: lab.drivers.line_file.DrivenLine, or None for the world's line. The speeds of a line that this car drove
            are in m/s; those of other lines are shares of the vehicle's `max_velocity`, if it gives one
            (RC-AI-02, 03).
    Attributes:
        line_name: name of the line in messages.
    Raises:
        ConfigError: without `line`, the world has no line either.
    """

    def __init__(self, vehicle: "Vehicle", world_file: "WorldFile | None", line: "DrivenLine | None" = None) -> None:
        if line is not None:
            points = line.points
        elif world_file is not None and len(world_file.driving_line) >= 3:
            points = world_file.driving_line
        else:
            path = "world" if world_file is None else world_file.path
            raise ConfigError(path, None, "driving_line", "this world has no line to follow; use another driver")
        settings = ai_settings(vehicle)
        is_own_line = line is not None and line.vehicle == vehicle.name
        self.line_name = "the car's own line" if is_own_line else "the world's line" if line is None else "a given line"
        self._world_file = world_file
        self._follower = LineFollower(
            points, wheelbase=wheelbase(vehicle),
            max_steer=largest_steer(vehicle), top_speed=AI_TOP_SPEED,
            forward_gear=AUTOMATIC if "autobox" in vehicle.sequence.by_slot else FIRST,
            speeds=None if line is None else line.speeds,
            max_velocity=0.0 if is_own_line else settings["max_velocity"],
            understeer_correct=settings["understeer_correct"], oversteer_correct=settings["oversteer_correct"],
            reach=reach(vehicle),
        )  # fmt: skip
        self._uses_slips = min(self._follower.understeer_correct, self._follower.oversteer_correct) < OFF
        self._command: np.ndarray | None = None  # the last one, which holds until the next decision

    def look_around(self, ground: Any) -> None:
        """Let the AI plan recovery paths to its line across a Ground and along the roads of the world."""
        path = None if self._world_file is None else self._world_file.roads_path
        self._follower.use_map(RoadMap(ground, read_roads(path) if path else ()))

    @property
    def trouble(self) -> str:
        """Why the AI brakes to rest instead of driving, "" while it drives."""
        return self._follower.trouble

    @property
    def performance(self) -> float:
        """Factor on target speeds (RC-AI-09)."""
        return self._follower.performance

    @performance.setter
    def performance(self, factor: float) -> None:
        self._follower.performance = factor

    def __call__(self, situation: "Situation") -> np.ndarray:
        decision_ticks = max(1, round(1.0 / (DECISION_RATE * situation.dt)))  # from one decision to the next
        if self._command is None or situation.tick % decision_ticks == 0:
            motion, vehicle = situation.motion, situation.vehicle
            sensed: dict[str, Any] = {}
            if self._uses_slips:  # reading them costs an eighth of a decision
                sensed["slips"] = end_slips(vehicle)
            if self._follower.on_recovery_path:
                sensed["spin"] = wheel_spin(vehicle, motion[2])  # of (position, heading, forward speed)
            self._command = self._follower.command(*motion, decision_ticks * situation.dt, **sensed)
        return self._command

    def jumped(self, situation: "Situation") -> None:
        """Find the line anew after a jump."""
        self._follower.reset()
        self._command = None


class TableDriver:
    """Plays a table of commands over time."""

    def __init__(self, path: str | Path, vehicle: "Vehicle") -> None:
        self._file = CommandFile(path, gear_count=gear_count(vehicle))

    def __call__(self, situation: "Situation") -> np.ndarray:
        return self._file.command(situation.time)

    def jumped(self, situation: "Situation") -> None:
        """Nothing: the table goes on."""


class FileDriver:
    """A driver from a Python file (lab/drivers/driver_file.py).

    Attributes:
        error: ConfigError of the file, or None. After an error nothing is pressed. The error is raised by Program at
            the end of the frame, because Panda3D would print the traceback of an error raised in its task.
    """

    def __init__(self, path: str | Path, vehicle: "Vehicle", world_file: "WorldFile | None") -> None:
        self.error: ConfigError | None = None
        self._vehicle, self._world_file = vehicle, world_file
        self._file = DriverFile(path, vehicle, world_file)

    def __call__(self, situation: "Situation") -> np.ndarray:
        if situation.vehicle is not self._vehicle:  # a component was swapped
            self.jumped(situation)
        if self.error is None:
            try:
                return self._file(motion_of(situation.vehicle, situation.time))
            except ConfigError as error:
                self.error = error
        return neutral_command()

    def jumped(self, situation: "Situation") -> None:
        """Restart the file's driver after a jump or a swap."""
        self._vehicle = situation.vehicle
        try:
            self._file.begin(self._vehicle, self._world_file)
        except ConfigError as error:
            self.error = error


class IdleDriver:
    """No driver: all inputs are zero, the gearbox in neutral.

    Attributes:
        command: COMMAND [1] that it gives in every tick; it may be changed.
    """

    def __init__(self) -> None:
        self.command = neutral_command()

    def __call__(self, situation: "Situation") -> np.ndarray:
        return self.command

    def jumped(self, situation: "Situation") -> None:
        """Nothing: the command does not depend on the situation."""


def make_driver(
    name: str, vehicle: "Vehicle", world_file: "WorldFile | None", line: "DrivenLine | None" = None
) -> PlayerDriver | AiDriver | TableDriver | FileDriver | IdleDriver:
    """The driver of `--driver`: keyboard, ai, none, or the path of a command table or a Python file.

    Raises ConfigError.

    Args:
        line: DrivenLine for the AI, or None for the world's.
    """
    if name == "keyboard":
        return PlayerDriver(vehicle)
    if name == "ai":
        return AiDriver(vehicle, world_file, line)
    if name == "none":
        return IdleDriver()
    if not Path(name).is_file():
        known = "keyboard, ai, none, or the path of a command table or a Python file"
        raise ConfigError(name, None, "", f"no such driver: must be {known}")
    return FileDriver(name, vehicle, world_file) if Path(name).suffix == ".py" else TableDriver(name, vehicle)
