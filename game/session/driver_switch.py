"""Handing the car to the AI and back while driving, the AI's pace, and keeping a lap as a line.

The AI takes over the commands and scales some of the car's parameters by the factors of its settings; when the player
takes over again, the values that it changed are restored. A lap that the player keeps becomes the car's own line in
this world, which the AI then drives instead of the world's line. Rows RC-AI-01 to 03 and 06 to 09 of docs/coverage.md.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driving_sandbox.game.controls.presets import NORMAL, DrivingAids
from driving_sandbox.game.platform.user_folder import UserFolderError, subfolder, write_atomic
from driving_sandbox.game.session.drivers import AiDriver, PlayerDriver
from driving_sandbox.lab.drivers.ai_body import ai_values
from driving_sandbox.lab.drivers.line_file import DrivenLine, LapRecorder, line_text, read_line
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.ai_settings import ai_settings

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world_file import WorldFile

PERFORMANCE_STEP = 1.1  # factor on the AI's target speeds per press
MIN_PERFORMANCE, MAX_PERFORMANCE = 0.5, 2.0  # limits of the factor on the AI's target speeds


def file_word(text: str) -> str:
    """A name in lower case with "_" in place of all but letters, digits, "_" and "-", as part of a file's name."""
    return re.sub(r"[^\w-]+", "_", text).strip("_").lower() or "unnamed"


def own_line_path(vehicle: "Vehicle", world_file: "WorldFile | None") -> Path:
    """Path of the file of a car's own line in a world."""
    return subfolder("lines") / f"{file_word(world_file.name if world_file else '')}-{file_word(vehicle.name)}.csv"


def line_for(
    vehicle: "Vehicle", world_file: "WorldFile | None", line_path: str | Path | None = None
) -> DrivenLine | None:
    """The DrivenLine for the AI, read from a file; None if the AI drives the world's line.

    The file is `line_path`, or without it that of the car's own line in this world, if there is one.
    """
    if line_path is not None:
        return read_line(line_path)
    path = own_line_path(vehicle, world_file)
    return read_line(path) if path.is_file() else None


class DriverSwitch:
    """Switches the player's car between the player and the AI.

    Args:
        session: game.session.session.Session.
        driver: the first driver.
        line: path of `--line`, or None.
        aids: which DrivingAids act on keys.
    Attributes:
        driver: the present driver.
        lap: LapRecorder while a lap is recorded, else None.
    """

    def __init__(
        self, session: "Session", driver: Any, line: str | Path | None = None, aids: DrivingAids = NORMAL
    ) -> None:
        self._session, self._line_path = session, line
        self.driver = driver
        self.lap: LapRecorder | None = None
        self._player_driver = driver if isinstance(driver, PlayerDriver) else None  # who takes over from the AI
        self.set_aids(aids)
        self._attach(self._player_driver)
        self._changed: dict[str, tuple[Any, Any]] = {}  # {path: (value before, value set for the AI)}
        self._reported = ""  # the AI's trouble that was reported last
        if isinstance(driver, AiDriver):
            self._take_over(driver)

    @property
    def by_ai(self) -> bool:
        """Whether the AI drives."""
        return isinstance(self.driver, AiDriver)

    def set_aids(self, aids: DrivingAids) -> None:
        """Choose the aids for keys."""
        self._aids = aids
        if self._player_driver is not None:
            self._player_driver.aids = aids

    def _attach(self, player_driver: PlayerDriver | None) -> None:
        """Let a PlayerDriver's keys be recorded, and its aids follow the world's line, if there is one."""
        if player_driver is None:
            return
        player_driver.signals = self._session.signals
        if self._session.world.file is not None:
            player_driver.use_line(self._session.world.file.driving_line)

    def toggle(self) -> None:
        """Hand the car to the AI, or back to the player."""
        if not self.by_ai:
            self._to_ai()
            return
        self._restore_car()
        if self._player_driver is None:
            self._player_driver = PlayerDriver(self._session.vehicle, self._aids)
            self._attach(self._player_driver)
        self._player_driver.jumped(self._session.situation)
        self.driver = self._player_driver
        self._session.say("you drive")

    def release(self) -> None:
        """Restore the values that the AI changed, because the drive may end."""
        self._restore_car()

    def take_up(self) -> None:
        """Undo `release` when the drive goes on: the AI changes the car again."""
        if self.by_ai:
            self._change_car()

    def _to_ai(self) -> None:
        """Hand the car to the AI, or say why it cannot drive."""
        session = self._session
        try:
            line = line_for(session.vehicle, session.world.file, self._line_path)
            ai_driver = AiDriver(session.vehicle, session.world.file, line)
        except ConfigError as error:
            session.say(str(error), "warning")
            return
        self._take_over(ai_driver)
        session.say(f"the AI drives along {ai_driver.line_name}")

    def _take_over(self, ai_driver: AiDriver) -> None:
        """Make an AiDriver the present driver."""
        self.driver, self._reported = ai_driver, ""
        self._session.signals.keys = ()
        ai_driver.look_around(self._session.world.ground)
        self._change_car()

    def faster(self, factor: float = PERFORMANCE_STEP) -> None:
        """Scale the AI's target speeds by a factor (RC-AI-09)."""
        if not self.by_ai:
            self._session.say("you drive: this changes the speed of the AI only")
            return
        self.driver.performance = min(max(self.driver.performance * factor, MIN_PERFORMANCE), MAX_PERFORMANCE)
        self._session.say(f"AI performance {self.driver.performance:.2f}")

    def slower(self) -> None:
        """Lower the AI's target speeds by one step."""
        self.faster(1.0 / PERFORMANCE_STEP)

    def _change_car(self) -> None:
        """Scale parameters of the car by the factors of its section `ai`, and remember the present values."""
        session = self._session
        vehicle = session.vehicle
        settings = ai_settings(vehicle)
        values = ai_values(vehicle, settings)
        if settings["grip_factor"] != 1.0 and not any(path.startswith("tire.") for path in values):
            session.say("these tires have no grip factor: the AI drives with their own grip", "warning")
        if not values:
            return
        before = {path: vehicle.get(path) for path in values}
        try:
            session.changes.apply(values)
        except SchemaError as error:
            session.say(f"the AI drives the car as it is: {error}", "warning")
            return
        self._changed = {path: (before[path], vehicle.get(path)) for path in values}

    def _restore_car(self) -> None:
        """Restore the parameters that the AI changed, except for those that were changed again since."""
        present = self._session.vehicle.values()
        restored = {path: before for path, (before, by_ai) in self._changed.items()
                    if path in present and present[path] == by_ai}  # fmt: skip
        self._changed = {}
        if restored:
            self._session.changes.apply(restored)

    # ---- keeping a lap

    def keep_lap(self) -> None:
        """Begin to record a lap as the car's line, or cancel the recording."""
        if self.lap is not None:
            self.lap = None
            self._session.say("the lap is not saved")
            return
        self.lap = LapRecorder(self._session.vehicle.name)
        self._session.say("this lap is saved as the car's line when you return to this point")

    def poll(self) -> None:
        """To be called once a frame: continue the recording of a lap, and report trouble of the AI."""
        trouble = self.driver.trouble if self.by_ai else ""
        if trouble != self._reported:
            self._reported = trouble
            if trouble:
                self._session.say(trouble, "warning")
        if self.lap is None:
            return
        situation = self._session.situation
        if self.lap.add(situation.position, situation.forward_speed, self._session.world.time):
            self._write_lap(self.lap)
            self.lap = None

    def _write_lap(self, lap: LapRecorder) -> None:
        """Save the recorded lap as the car's own line in this world."""
        try:
            assert lap.line is not None  # the lap is closed
            path = own_line_path(self._session.vehicle, self._session.world.file)
            write_atomic(path, line_text(lap.line))
        except UserFolderError as error:
            self._session.say(f"the lap could not be saved: {error}", "warning")
            return
        self._session.say(f"lap of {lap.seconds:.2f} s saved as a line: {path}")

    def jumped(self) -> None:
        """After a jump of the world: cancel the lap, which would have a gap, and tell the driver of the jump."""
        if self.lap is not None:
            self.lap = None
            self._session.say("the lap has a gap and is not saved", "warning")
        self.driver.jumped(self._session.situation)
