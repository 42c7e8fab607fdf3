"""Keyboard, gamepads and steering wheels of the open program with their bindings; they outlast a drive."""

import logging
from typing import TYPE_CHECKING, Any

from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.controls.mouse import MouseSteering
from driving_sandbox.game.force_feedback.output import ForceFeedback
from driving_sandbox.game.windows.bindings_file import load_bindings, user_bindings_path
from driving_sandbox.physics.schema.yaml_file import ConfigError

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session

AFTER_DRAWING = 60  # sort of a task after Panda3D's igLoop, which draws
_log = logging.getLogger(__name__)


class Inputs:
    """Keyboard and devices with their bindings.

    Args:
        base: ShowBase with the window whose keys are read.
    Attributes:
        bindings: Bindings; the default ones if the user's file is faulty.
        keyboard, devices: Keyboard and Devices, which read the input.
        mouse: MouseSteering.
        force_feedback: ForceFeedback of the devices.
        path: the user's file of bindings.
        complaints: messages about bindings or devices that cannot be used, removed when shown.
    """

    def __init__(self, base: Any) -> None:
        self.path = user_bindings_path()
        self.complaints: list[str] = []
        try:
            self.bindings = load_bindings(self.path)
        except ConfigError as error:
            _log.warning("%s", error)
            self.complaints.append(str(error))
            self.bindings = load_bindings()
        self.keyboard = Keyboard(self.bindings.keys)
        self.keyboard.attach(base)
        self.devices = Devices(self.bindings)
        self.mouse = MouseSteering()
        self.force_feedback = ForceFeedback(self.devices)
        self.devices.before_close = self.force_feedback.drop
        self.devices.on_poll = self.force_feedback.latency.polled
        base.taskMgr.add(self._drawn, "latency", sort=AFTER_DRAWING)
        self.complaints += filter(None, (self.devices.problem, self.force_feedback.setups.complaint))

    def _drawn(self, task: Any) -> Any:
        self.force_feedback.latency.drawn()
        return task.cont

    def begin_drive(self, session: "Session") -> None:
        """Give wheels the torque at the rim of the player's vehicle during this drive."""
        feedback, world = self.force_feedback, session.world
        feedback.follow(session.vehicle, world.tick_seconds)
        session.changes.on_swap.append(lambda: feedback.follow(session.vehicle, world.tick_seconds))
        session.changes.on_jump.append(feedback.restart)
        session.on_tick.append(feedback.tick)

    def release_all(self) -> None:
        """Treat all keys and buttons as released, forget pending presses, and let go of the wheels."""
        self.keyboard.release_all()
        self.devices.release_all()
        self.force_feedback.let_go()

    def close(self) -> None:
        """Release the devices and the window's keys."""
        self.force_feedback.close()
        self.devices.close()
        self.keyboard.detach()
