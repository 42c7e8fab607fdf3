"""A driver from a Python file: `--driver my.py`.

The file has a function `driver(vehicle, world)`, called with the Vehicle and its WorldFile (None for a world without
file) when a drive begins, and after every swap of a component and every jump: teleport, recovery or rewind. It returns
a Driver: a function of the Motion that returns a COMMAND array.

    from driving_sandbox import AUTOMATIC, neutral_command

    def driver(vehicle, world):
        command = neutral_command()
        command["gear"] = AUTOMATIC

        def drive(motion):
            command["throttle"] = 1.0 if motion.speed < 10.0 else 0.0
            return command

        return drive

The file is code with full permissions; naming it is consent to run it. Modules in its folder can be imported.
"""

import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from driving_sandbox.lab.drivers.motion import Driver, Motion
from driving_sandbox.lab.drivers.proportions import gear_count
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, LEVER_BRAKES, PEDALS, THRUSTS
from driving_sandbox.physics.vehicle.python_file import check_python_file, import_python_file
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world_file import WorldFile

FUNCTION = "driver"
# {name of a command: (lowest, highest) value}
_LIMITS = dict.fromkeys((*PEDALS, *LEVER_BRAKES), (0.0, 1.0)) | dict.fromkeys(("steer", *THRUSTS), (-1.0, 1.0))


class DriverFile:
    """The driver of a Python file, every command checked.

    Args:
        path: the file.
        vehicle: the Vehicle to drive.
        world: the WorldFile it is in, or None.
    Raises:
        ConfigError: the file cannot be run or has no function `driver`; also in calls, with the line, when the driver
        fails, and when it returns an invalid command.
    """

    def __init__(self, path: str | Path, vehicle: Vehicle, world: WorldFile | None) -> None:
        self.path = Path(path)
        self._make = self._function(self._load())
        self.begin(vehicle, world)

    def begin(self, vehicle: Vehicle, world: WorldFile | None) -> None:
        """Make a driver: at the start of a drive, and after a swap of a component or a jump."""
        self._gear_count = gear_count(vehicle)
        self._driver: Driver = self._guarded(self._make, vehicle, world)
        if not callable(self._driver):
            raise self._error(FUNCTION, f"must return a function of the motion, not {self._driver!r}")

    def __call__(self, motion: Motion) -> np.ndarray:
        """The command for one tick. Raises ConfigError."""
        command = self._guarded(self._driver, motion)
        if not isinstance(command, np.ndarray) or command.dtype != COMMAND or command.shape != (1,):
            message = f"its function must return one COMMAND record (neutral_command()), not {command!r:.80}"
            raise self._error(FUNCTION, message)
        values = dict(zip(field_names(COMMAND), command.item(), strict=True))
        for name, (low, high) in _LIMITS.items():
            if not low <= values[name] <= high:  # NaN too
                raise self._error(name, f"{values[name]:g} at {motion.time:.3f} s must lie within {low:g}..{high:g}")
        gear = values["gear"]
        if gear != AUTOMATIC and not 0 <= gear < self._gear_count:
            raise self._error("gear", f"{gear} at {motion.time:.3f} s must be 0..{self._gear_count - 1} or AUTOMATIC")
        return command

    def _load(self) -> ModuleType:
        """Import the file as a module."""
        check_python_file(self.path)
        return self._guarded(import_python_file, self.path, f"driver_{self.path.stem}")

    def _function(self, module: ModuleType) -> Callable[[Vehicle, WorldFile | None], Driver]:
        """The function `driver` of the module. Raises ConfigError if there is none."""
        factory = getattr(module, FUNCTION, None)
        if not callable(factory):
            near = key_hint(FUNCTION, [name for name in vars(module) if not name.startswith("_")])
            raise self._error("", f"has no function {FUNCTION}(vehicle, world){near}")
        return factory

    def _guarded(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the file, or import the file. Raises ConfigError with the line in it for any exception."""
        try:
            return function(*arguments)
        except Exception as error:
            path = self.path.absolute()  # the form in which a module stores its file name
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
            line = frames[-1].lineno if frames else getattr(error, "lineno", None)
            raise ConfigError(self.path, line, "", f"{type(error).__name__}: {error}") from error

    def _error(self, key: str, message: str) -> ConfigError:
        return ConfigError(self.path, None, key, message)
