"""A driver from a Python file: `--driver my.py`.

The file has a function `driver(vehicle, world)`, called with the Vehicle and the WorldFile when a drive begins, and
again when the vehicle was put somewhere else. It returns a Driver: a function of the Motion that gives a COMMAND array.

    from driving_sandbox import AUTOMATIC, neutral_command

    def driver(vehicle, world):
        command = neutral_command()
        command["gear"] = AUTOMATIC

        def drive(motion):
            command["throttle"] = 1.0 if motion.speed < 10.0 else 0.0
            return command

        return drive

The file is code with full permissions; naming it is consent to run it. Modules beside it can be imported.
"""

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np

from driving_sandbox.lab.drivers.motion import Driver, Motion
from driving_sandbox.lab.drivers.proportions import gear_count
from driving_sandbox.physics.kernel.import_closure import imports_of
from driving_sandbox.physics.schema.yaml_file import ConfigError, nearest_key
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, LEVER_BRAKES, PEDALS, THRUSTS
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world_file import WorldFile

FUNCTION = "driver"
_LIMITS = dict.fromkeys((*PEDALS, *LEVER_BRAKES), (0.0, 1.0)) | dict.fromkeys(("steer", *THRUSTS), (-1.0, 1.0))


class DriverFile:
    """The driver of a Python file, every command checked.

    Args:
        path: the file. vehicle: the Vehicle to drive. world: its World, or None.
    Raises:
        ConfigError: the file cannot be run or has no function `driver`; later also, with the line, when the driver
        fails or returns an invalid command.
    """

    def __init__(self, path: str | Path, vehicle: Vehicle, world: WorldFile | None) -> None:
        self.path = Path(path)
        self._make = self._function(self._load())
        self.begin(vehicle, world)

    def begin(self, vehicle: Vehicle, world: WorldFile | None) -> None:
        """A drive begins, or the vehicle was exchanged or put somewhere else: ask the file for a driver."""
        self._gear_count = gear_count(vehicle)
        self._driver: Driver = self._guarded(self._make, vehicle, world)
        if not callable(self._driver):
            raise self._error(FUNCTION, f"must return a function of the motion, not {self._driver!r}")

    def __call__(self, motion: Motion) -> np.ndarray:
        """The command for one tick. Raises ConfigError."""
        command = self._guarded(self._driver, motion)
        if not isinstance(command, np.ndarray) or command.dtype != COMMAND or command.shape != (1,):
            raise self._error(FUNCTION, f"must give one COMMAND record (neutral_command()), not {command!r:.80}")
        values = dict(zip(COMMAND.names, command.item(), strict=True))
        for name, (low, high) in _LIMITS.items():
            if not low <= values[name] <= high:  # NaN too
                raise self._error(name, f"{values[name]:g} at {motion.time:.3f} s must lie within {low:g}..{high:g}")
        gear = values["gear"]
        if gear != AUTOMATIC and not 0 <= gear < self._gear_count:
            raise self._error("gear", f"{gear} at {motion.time:.3f} s must be 0..{self._gear_count - 1} or AUTOMATIC")
        return command

    def _load(self) -> ModuleType:
        try:
            text = self.path.read_text(encoding="utf8")
        except (OSError, UnicodeDecodeError) as error:
            raise self._error("", f"cannot be read: {error}") from None
        for _, module, _ in imports_of(text):
            if module.split(".")[0] in ("physics", "lab", "game") and not self._beside(module):
                raise self._error("", f"imports {module!r}: use 'driving_sandbox.{module}'")
        spec = importlib.util.spec_from_file_location(f"driver_{self.path.stem}", self.path)
        assert spec is not None and spec.loader is not None  # a path that ends in .py has both
        module = importlib.util.module_from_spec(spec)
        sys.path.append(str(self.path.resolve().parent))
        try:
            self._guarded(spec.loader.exec_module, module)
        finally:
            sys.path.pop()
        return module

    def _beside(self, module: str) -> bool:
        """Whether an import is of a module of the person's own, beside the file."""
        path = self.path.resolve().parent / module.split(".")[0]
        return path.is_dir() or path.with_suffix(".py").is_file()

    def _function(self, module: ModuleType) -> Callable[[Vehicle, WorldFile | None], Driver]:
        made = getattr(module, FUNCTION, None)
        if not callable(made):
            near = nearest_key(FUNCTION, [name for name in vars(module) if not name.startswith("_")])
            raise self._error("", f"has no function {FUNCTION}(vehicle, world){near}")
        return made

    def _guarded(self, function, *arguments):
        """A call into the file; errors there are reported with their line."""
        try:
            return function(*arguments)
        except Exception as error:
            own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(self.path)]
            line = own[-1].lineno if own else getattr(error, "lineno", None)
            raise ConfigError(self.path, line, "", f"{type(error).__name__}: {error}") from error

    def _error(self, key: str, message: str) -> ConfigError:
        return ConfigError(self.path, None, key, message)
