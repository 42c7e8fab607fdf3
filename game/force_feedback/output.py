"""Force feedback of the open program: every plugged-in wheel with effects gets the torque of the driven car's rim.

The wheels outlast a drive; a drive calls `follow`, `tick` and `frame`. Forces act only while the drive runs and its
window has the keyboard's focus; otherwise they fade to 0, as they do when the device is unplugged, the vehicle is
faulty, or the program hangs (stream.py). A killed program's effects end with its connection to the device.
"""

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driving_sandbox.game.controls.rim import beyond_lock
from driving_sandbox.game.force_feedback.compile import MODULE
from driving_sandbox.game.force_feedback.haptic import HapticDevice, NoForce
from driving_sandbox.game.force_feedback.latency import Latency
from driving_sandbox.game.force_feedback.meters import ForceMeter
from driving_sandbox.game.force_feedback.response import Outcome, ResponseSweep, even_levels
from driving_sandbox.game.force_feedback.rumble import Rumble, Shaking
from driving_sandbox.game.force_feedback.setup import ForceSetup
from driving_sandbox.game.force_feedback.setup_file import ForceSetups
from driving_sandbox.game.force_feedback.stream import TIMER_CALLBACK
from driving_sandbox.game.force_feedback.torque import RimTorque
from driving_sandbox.game.force_feedback.wheel import ForceWheel
from driving_sandbox.physics.compile import CountingWorker
from driving_sandbox.physics.kernel.jit import JIT

if TYPE_CHECKING:
    from driving_sandbox.game.controls.device import Device
    from driving_sandbox.game.controls.devices import Devices
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

_log = logging.getLogger(__name__)
SHAKE_SECONDS = 0.05  # s between commands to a pad's motors, which need longer to speed up
USUAL_TICK = 1.0 / 240.0  # s, until the first drive
NICENESS = 10  # of the worker that compiles: the drive comes first


class ForceFeedback:
    """Forces of all wheels.

    Args:
        devices: Devices, whose wheels get forces.
    Attributes:
        wheels: {SDL's instance id: ForceWheel}.
        rumble: Rumble of the driven vehicle, None before `follow`.
        rim: RimTorque of the driven vehicle, None before `follow`.
        meter: ForceMeter of the drive.
        latency: Latency of inputs, pictures and forces.
        swept: Outcome of the last response sweep, None before one.
        problems: {SDL's instance id: why a device has no force}.
    """

    def __init__(self, devices: "Devices") -> None:
        self._devices, self.setups = devices, ForceSetups()
        self.wheels: dict[int, ForceWheel] = {}
        self.problems: dict[int, str] = {}
        self._angles: dict[int, float] = {}  # angles of the wheels' rims, rad, as of the last frame
        self.rim: RimTorque | None = None
        self.rumble: Rumble | None = None
        self._shaken: dict[int, float] = {}  # {pad's instance id: time of the last command to its motors, s}
        self._shaking: set[int] = set()  # pads whose motors the last command left on
        self._tick_seconds = USUAL_TICK
        self.meter, self.latency = ForceMeter(USUAL_TICK), Latency()
        self.swept: Outcome | None = None
        self._worker: CountingWorker | None = None

    def follow(self, vehicle: "Vehicle", tick_seconds: float) -> None:
        """Give the torques of this vehicle from now on."""
        self.rumble = Rumble(vehicle, tick_seconds)
        self.rim, self.meter = RimTorque(vehicle, tick_seconds), ForceMeter(tick_seconds)
        if tick_seconds != self._tick_seconds:
            self._tick_seconds = tick_seconds
            for wheel in self.wheels.values():
                wheel.stream.record["tick_seconds"] = tick_seconds

    def tick(self) -> None:
        """Give every wheel the torque after a tick."""
        self.latency.ticked()
        if self.rim is None:
            return
        if self.rumble is not None:
            self.rumble.tick()
        for number, wheel in self.wheels.items():
            excess = beyond_lock(self._angles.get(number, 0.0), self.rim.lock)
            torque = self.rim.step(wheel.setup, wheel.own_effects, excess)
            if wheel.sweep is None:
                wheel.stream.feed(torque)
        if self.wheels:
            self.meter.add(self.rim.contributions)

    def frame(self, active: bool) -> None:
        """Open wheels that were plugged in, and let all pull if `active`."""
        self.shake(active, time.monotonic())
        for number, device in self._devices.devices.items():
            if number not in self.wheels and number not in self.problems and device.profile.kind == "wheel":
                self._open(number, device)
        for number, wheel in self.wheels.items():
            wheel.stream.active = active and wheel.setup.enabled
            self._angles[number] = self._devices.devices[number].rim_angle()
            if wheel.sweep is not None:
                self._follow_sweep(self._devices.devices[number], wheel, wheel.sweep)
            if not wheel.started and not wheel.start():
                self._compile()
            self.latency.forced(wheel)
            if self.rim is not None:
                wheel.resist(self.rim.resistances(wheel.setup), self.rim.gain(wheel.setup))

    def shake(self, active: bool, now: float) -> None:
        """Shake the plugged-in pads, at most every SHAKE_SECONDS; now: s."""
        pads = {n: d for n, d in self._devices.devices.items() if d.profile.kind == "pad"}
        due = [n for n in pads if now - self._shaken.get(n, -SHAKE_SECONDS) >= SHAKE_SECONDS]
        if not due or self.rumble is None:
            return
        low, high = self.rumble.take() if active else Shaking()
        for number in due:
            strength = self.setups.of(pads[number].guid, pads[number].name).rumble
            if low + high > 0.0 or number in self._shaking:
                pads[number].rumble(strength * low, strength * high, 2.0 * SHAKE_SECONDS)
            self._shaken[number] = now
            (self._shaking.add if low + high > 0.0 else self._shaking.discard)(number)

    def _follow_sweep(self, device: "Device", wheel: ForceWheel, sweep: ResponseSweep) -> None:
        """Give the next level of a sweep; at its end, take and save the levels that even out the wheel's response."""
        if wheel.follow_sweep(sweep, device.steering_position()):
            return
        self.swept = sweep.outcome
        if sweep.outcome is Outcome.DONE:
            levels = tuple(round(float(level), 4) for level in even_levels(sweep.response()))
            self.set_up(device, replace(wheel.setup, response=levels))

    def restart(self) -> None:
        """Let all forces rise from 0 again, after a jump of the vehicle."""
        for wheel in self.wheels.values():
            wheel.stream.record["fade"] = 0.0

    def let_go(self) -> None:
        """Let all forces fade to 0 until the next `frame`."""
        for wheel in self.wheels.values():
            wheel.stream.active = False

    def drop(self, number: int) -> None:
        """Close the wheel with SDL's instance id, before its device is closed."""
        self.problems.pop(number, None)
        self._shaken.pop(number, None)
        if wheel := self.wheels.pop(number, None):
            wheel.close()

    def _open(self, number: int, device: "Device") -> None:
        try:
            haptic = HapticDevice.of_joystick(number)
        except NoForce as error:
            self.problems[number] = str(error)
            _log.info("%s: no force feedback: %s", device.name, error)
            return
        self.wheels[number] = ForceWheel(haptic, self.setups.of(device.guid, device.name), self._tick_seconds)
        _log.info("%s: force feedback", device.name)

    def _compile(self) -> None:
        """Start the worker that compiles the callback, once."""
        if self._worker is None and JIT and not TIMER_CALLBACK.load():
            try:
                self._worker = CountingWorker(MODULE, niceness=NICENESS)
            except OSError as error:
                _log.warning("force feedback cannot be compiled: %s", error.strerror)

    def set_up(self, device: "Device", setup: ForceSetup) -> Any:
        """Take another setup of a device and of all with its GUID, and save it. Raises UserError."""
        for number, other in self._devices.devices.items():
            if other.guid == device.guid and number in self.wheels:
                self.wheels[number].set_up(setup)
        return self.setups.save(device.guid, setup)

    def close(self) -> None:
        """Set all forces to 0 and close the wheels. Safe to call twice."""
        for number in list(self.wheels):
            self.drop(number)
        if self._worker is not None:
            self._worker.cancel(at_once=True)
