"""Handing the car to the AI and back while driving, its pace, and keeping a lap as a line (RC-AI-01..03, 06..09).

The AI takes over the commands and changes the car's parameters by the factors of its settings; when the player takes
over again, the values that it changed are restored. A lap that the player keeps becomes the car's own line in this
world, which the AI then drives instead of the world's.
"""

import re

from driving_sandbox.game.platform.user_folder import UserFolderError, subfolder, write_atomic
from driving_sandbox.game.session.drivers import AiDriver, PlayerDriver
from driving_sandbox.lab.drivers.ai_body import ai_values
from driving_sandbox.lab.drivers.line_file import LapRecorder, line_text, read_line
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.ai_settings import ai_settings

PERFORMANCE_STEP = 1.1  # factor on the AI's target speeds by one press
MIN_PERFORMANCE, MAX_PERFORMANCE = 0.5, 2.0  # factors on its target speeds


def file_word(text):
    """A name as part of a file's name."""
    return re.sub(r"[^\w-]+", "_", text).strip("_").lower() or "unnamed"


def own_line_path(vehicle, world_file):
    """Path of the file with the line that was kept of a car in a world."""
    return subfolder("lines") / f"{file_word(world_file.name)}-{file_word(vehicle.name)}.csv"


def line_for(vehicle, world_file, given=None):
    """The DrivenLine for the AI: that of the file `given`, else the car's own in this world, else None for the
    world's."""
    if given is not None:
        return read_line(given)
    path = own_line_path(vehicle, world_file)
    return read_line(path) if path.is_file() else None


class DriverSwitch:
    """Who drives the player's car.

    Args:
        session: game.session.session.Session. driver: who drives first. line: path of `--line`, or None. aided: whether
        keys have the steering aid.
    Attributes:
        driver: who drives now. lap: LapRecorder while a lap is recorded, else None.
    """

    def __init__(self, session, driver, line=None, aided=True):
        self._session, self._given = session, line
        self.driver, self.lap = driver, None
        self._person = driver if isinstance(driver, PlayerDriver) else None
        self.set_aided(aided)
        self._changed = {}  # path -> (value before, value of the AI)
        self._reported = ""  # the last reported trouble of the AI
        if isinstance(driver, AiDriver):
            self._take_over(driver)

    @property
    def by_ai(self):
        return isinstance(self.driver, AiDriver)

    def set_aided(self, aided):
        """Switch the steering aid of keys on or off."""
        self._aided = aided
        if self._person is not None:
            self._person.aided = aided

    def toggle(self) -> None:
        """Hand the car to the AI, or back to the player."""
        if not self.by_ai:
            self._to_ai()
            return
        self._restore_car()
        self._person = self._person or PlayerDriver(self._session.vehicle, self._aided)
        self._person.jumped(self._session.situation)
        self.driver = self._person
        self._session.say("you drive")

    def release(self) -> None:
        """Restore the values that the AI changed, as the drive may end."""
        self._restore_car()

    def take_up(self) -> None:
        """Undo `release`: the drive goes on, and the AI changes the car again."""
        if self.by_ai:
            self._change_car()

    def _to_ai(self) -> None:
        """Hand the car to the AI, or say why it cannot drive."""
        session = self._session
        try:
            line = line_for(session.vehicle, session.world.file, self._given)
            follower = AiDriver(session.vehicle, session.world.file, line)
        except ConfigError as error:
            session.say(str(error), "warning")
            return
        self._take_over(follower)
        session.say(f"the AI drives along {follower.line_name}")

    def _take_over(self, follower):
        self.driver, self._reported = follower, ""
        follower.look_around(self._session.world.ground)
        self._change_car()

    def faster(self, factor=PERFORMANCE_STEP):
        """Scale the AI's target speeds (RC-AI-09)."""
        if not self.by_ai:
            self._session.say("you drive: this changes the speed of the AI only")
            return
        self.driver.performance = min(max(self.driver.performance * factor, MIN_PERFORMANCE), MAX_PERFORMANCE)
        self._session.say(f"AI performance {self.driver.performance:.2f}")

    def slower(self) -> None:
        self.faster(1.0 / PERFORMANCE_STEP)

    def _change_car(self) -> None:
        """Give the car the values of its `ai` section, and remember its own."""
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
        """Restore parameters that the AI changed unless they were changed since."""
        now = self._session.vehicle.values()
        restored = {path: before for path, (before, ai) in self._changed.items()
                if path in now and now[path] == ai}  # fmt: skip
        self._changed = {}
        if restored:
            self._session.changes.apply(restored)

    # ---- keeping a lap

    def keep_lap(self) -> None:
        """Begin to record a lap as the car's line, or cancel that."""
        if self.lap is not None:
            self.lap = None
            self._session.say("the lap is not saved")
            return
        self.lap = LapRecorder(self._session.vehicle.name)
        self._session.say("this lap is saved as the car's line when you return to this point")

    def poll(self) -> None:
        """Once a frame: record the lap, and report trouble of the AI."""
        trouble = self.driver.trouble if self.by_ai else ""
        if trouble != self._reported:
            self._reported = trouble
            if trouble:
                self._session.say(trouble, "warning")
        if self.lap is None:
            return
        situation = self._session.situation
        if self.lap.add(situation.position, situation.forward_speed, self._session.world.time):
            self._write_lap()
            self.lap = None

    def _write_lap(self) -> None:
        try:
            path = own_line_path(self._session.vehicle, self._session.world.file)
            write_atomic(path, line_text(self.lap.line))
        except UserFolderError as error:
            self._session.say(f"the lap could not be saved: {error}", "warning")
            return
        self._session.say(f"lap of {self.lap.seconds:.2f} s saved as a line: {path}")

    def jumped(self) -> None:
        """After a jump of the world: cancel the lap, which would have a gap."""
        if self.lap is not None:
            self.lap = None
            self._session.say("the lap has a gap and is not saved", "warning")
        self.driver.jumped(self._session.situation)
