"""Press-to-bind, and measuring an axis's range, on one plugged-in device, frame by frame and without any drawing.

While one of these jobs runs, and after a button was found until it is released, the device has a profile without axes
and buttons, so that they do not control the car. Unplugging the device or a timeout ends a job.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driving_sandbox.game.controls.bindings import ACTIONS, ANALOG_NAMES, TWO_SIDED
from driving_sandbox.game.controls.calibration import END_MARGIN, MIN_AXIS_CHANGE, Capture, CaptureResult
from driving_sandbox.game.toolkit.theme import ACCENT, WARNING

if TYPE_CHECKING:
    from driving_sandbox.game.controls.bindings import AxisBinding, DeviceProfile
    from driving_sandbox.game.controls.device import Device
    from driving_sandbox.game.controls.devices import Devices
    from driving_sandbox.game.windows.controls import Controls

WHEEL_STEPS = ("steer", "throttle", "brake", "clutch", "handbrake")  # of a calibration, in this order
PAD_STEPS = ("steer", "throttle", "brake")
TIMEOUT = 15.0  # s of press-to-bind; reaching for a pedal takes a few seconds
MAX_OVERLAP = 0.1  # raw value of -1..1; two ranges that overlap less are the two halves of a stick
MEASURE_TIMEOUT = 30.0  # s, enough to turn a wheel of 900 degrees from end to end and back


def axis_number(device: Device, axis: int | str) -> int | None:
    """The number of an axis, given by its number or SDL's gamepad name; None if the device has no such axis."""
    if not isinstance(axis, int):
        element = device.gamepad_mapping.get(axis, "").strip("+-~")
        if element[:1] != "a":
            return None
        axis = int(element[1:])
    return axis if axis < device.axis_count else None


class _OneDevice:
    """Stands in for Devices in Capture: contains one device, or only its buttons."""

    def __init__(self, devices: Devices, device: Device, buttons_only: bool) -> None:
        self._devices, self._device = devices, device
        self._shown = _Buttons(device) if buttons_only else device

    @property
    def devices(self) -> dict[int, Any]:
        instance = self._device.instance_id
        return {instance: self._shown} if instance in self._devices.devices else {}

    @property
    def events(self) -> list[Any]:
        return self._devices.events

    @property
    def button_down_event(self) -> int | None:
        return self._devices.button_down_event


class _Buttons:
    """Stands in for a device and hides its axes, so that only its buttons count."""

    def __init__(self, device: Device) -> None:
        self.instance_id = device.instance_id

    @staticmethod
    def raw_axes() -> list[float]:
        return []


class Search:
    """The job of press-to-bind: finds the axis or button that is moved on one device."""

    def __init__(
        self, devices: Devices, device: Device, action: str, buttons_only: bool, clock: Callable[[], float]
    ) -> None:
        self.device, self.action = device, action
        self._buttons_only = buttons_only
        self.capture = Capture(_OneDevice(devices, device, buttons_only), action, TIMEOUT, clock)
        self.timeout = TIMEOUT

    @property
    def prompt(self) -> str:
        """Text that asks the user to move or press something."""
        return "Press a button" if self._buttons_only else self.capture.prompt

    @property
    def seconds_left(self) -> float:
        """Time until the search ends, s."""
        return max(0.0, self.capture.end - self.capture.clock())

    @property
    def expired(self) -> bool:
        """Whether nothing was moved in time."""
        return self.capture.expired

    def update(self) -> CaptureResult | None:
        """The binding that was found (see Capture.update), or None."""
        return self.capture.update()


class Measurement:
    """The job of measuring: records the ends of the range of a bound axis, once it has moved.

    Until the axis's first report, SDL returns 0.

    Attributes:
        low, high: ends of the range so far, raw values; None before the axis has moved.
    """

    prompt = "Move it slowly to both ends, let go, then press Done"
    timeout = MEASURE_TIMEOUT

    def __init__(self, device: Device, action: str, axis: int | None, clock: Callable[[], float]) -> None:
        self.device, self.action, self.axis = device, action, axis
        self._clock, self._end = clock, clock() + MEASURE_TIMEOUT
        self.low: float | None = None
        self.high: float | None = None

    @property
    def seconds_left(self) -> float:
        """Time until the measurement ends, s."""
        return max(0.0, self._end - self._clock())

    @property
    def expired(self) -> bool:
        """Whether the measurement has ended."""
        return self.seconds_left <= 0.0

    def update(self) -> CaptureResult | None:
        """Extend the range to the axis's present value."""
        if self.axis is not None and self.device.moved[self.axis]:
            value = self.device.raw_axis(self.axis)
            self.low = value if self.low is None else min(self.low, value)
            self.high = value if self.high is None else max(self.high, value)
        return None

    def applied(self, binding: AxisBinding, shared: bool) -> AxisBinding | None:
        """The AxisBinding `binding` with the measured range, or None if the axis moved too little.

        The centre of steering or a thrust lever is the axis's present value. A pedal on one half of an axis whose other
        half has another action (`shared`) keeps the end at which it rests.
        """
        if self.axis is None or self.low is None or self.high is None:
            return None
        low, high = self.low, self.high
        if self.action in TWO_SIDED:
            centre = self.device.raw_axis(self.axis)
            reach = min(high - centre, centre - low)
            low, high = centre - reach, centre + reach
        elif shared:
            low, high = (low, binding.maximum) if binding.inverted else (binding.minimum, high)
        if high - low < MIN_AXIS_CHANGE:
            return None
        margin = END_MARGIN * (high - low)
        return replace(binding, minimum=round(max(low + margin, -1.0), 4), maximum=round(min(high - margin, 1.0), 4))


class DeviceBinder:
    """Runs one Search or Measurement at a time; call `update()` once a frame after `Devices.poll()`.

    Args:
        controls: Controls, which makes and reports the changes.
        clock: function() -> time, s.
    Attributes:
        job: the running job, or None.
        steps: actions of a calibration that are still to be bound; the first one is being bound.
    """

    def __init__(self, controls: Controls, clock: Callable[[], float] = time.monotonic) -> None:
        self.controls, self.clock = controls, clock
        self.job: Search | Measurement | None = None
        self.steps: tuple[str, ...] = ()
        self._step_count = 0  # of the running calibration
        self._calibrated: Device | None = None  # device of the latest calibration
        self._unbound: tuple[Device, DeviceProfile] | None = None  # device without bindings, its profile
        # button after whose release the device gets its profile back
        self._until_released: int | str | None = None

    def profile(self, device: Device) -> DeviceProfile:
        """The device's profile, also while the device is without bindings."""
        return self._unbound[1] if self._unbound and self._unbound[0] is device else device.profile

    def calibrate(self, device: Device) -> None:
        """Bind steering and pedals one after another, each by moving it through its whole travel."""
        self.cancel()
        self.steps = WHEEL_STEPS if device.profile.kind == "wheel" else PAD_STEPS
        self._step_count = len(self.steps)
        self._calibrated = device
        self._search(device, self.steps[0], buttons_only=False)

    @property
    def step(self) -> str:
        """Which step of a calibration runs, as a text; "" without one."""
        return f"Step {self._step_count - len(self.steps) + 1} of {self._step_count}" if self.steps else ""

    def skip(self) -> None:
        """Leave the present step of a calibration as it was, and go on with the next one."""
        steps = self.steps
        self.cancel()
        self._go_on(steps[1:])

    def _go_on(self, steps: tuple[str, ...]) -> None:
        """Begin the next step of a calibration, if there is one."""
        self.steps = steps
        if steps and self._calibrated is not None:
            self._search(self._calibrated, steps[0], buttons_only=False)
        elif self._step_count:
            self._step_count = 0
            self.controls.say("Calibrated. Steering and pedals can be tried on this page.", ACCENT)

    def listen(self, device: Device, action: str, buttons_only: bool = False) -> None:
        """Bind an action to the axis or button that is moved next."""
        self.cancel()
        self._search(device, action, buttons_only)

    def _search(self, device: Device, action: str, buttons_only: bool) -> None:
        self._unbind(device)
        self.job = Search(self.controls.devices, device, action, buttons_only, self.clock)

    def measure(self, device: Device, action: str) -> None:
        """Measure the range of the axis that an action is bound to."""
        self.cancel()
        axis = axis_number(device, device.profile.axes[action].axis)
        self._unbind(device)
        self.job = Measurement(device, action, axis, self.clock)

    def cancel(self) -> None:
        """Cancel the running job, and the calibration that it belongs to."""
        self.job, self.steps = None, ()
        self._restore()

    def finish(self) -> None:
        """End a Measurement, and apply the range measured so far."""
        job = self.job
        if not isinstance(job, Measurement):
            return
        device = job.device
        self.cancel()
        axes = device.profile.axes
        binding = axes[job.action]
        measured = job.applied(binding, shared=bool(_also_on(device, job.action, job.axis)))
        if measured is None:
            self.controls.say("The axis moved too little to be measured; nothing has changed.", WARNING)
        else:
            self.controls.set_axis(device, job.action, measured)
            self._tell(job, measured)

    def update(self) -> None:
        """Advance the running job, bind what it found, and give a released or unplugged device its profile back."""
        if self._unbound and self._unbound[0].instance_id not in self.controls.devices.devices:
            if self._until_released is None:  # otherwise its button is bound already
                self.controls.say(f"{self._unbound[0].name} was unplugged; nothing has changed.", WARNING)
            self.job = self._unbound = self._until_released = None
            self.steps = ()
        elif self._until_released is not None:
            if self._unbound is None or not _is_down(self._unbound[0], self._until_released):
                self._restore()
        elif self.job is not None:
            job = self.job
            binding = job.update()
            if binding is not None:
                steps = self.steps[1:]
                calibrating = bool(self.steps)
                self._bind(job, binding)
                if calibrating:
                    self._until_released = None
                    self._restore()
                    self._go_on(steps)
            elif job.expired:
                self.cancel()
                self.controls.say("Nothing was found in time; nothing has changed.", WARNING)

    def _bind(self, job: Search | Measurement, binding: CaptureResult) -> None:
        """Bind the axis or button that was found, and report the actions that lose it."""
        device = job.device
        self.cancel()
        if binding.axis is not None:
            axes = device.profile.axes
            lost = [a for a in _also_on(device, job.action, binding.axis.axis) if _overlap(axes[a], binding.axis)]
            self.controls.set_axis(device, job.action, binding.axis, taken_from=lost)
            self._tell(job, binding.axis, lost)
            return
        assert binding.button is not None  # else an axis was found
        lost = self.controls.set_button(device, job.action, binding.button)
        taken = f"   (no longer: {', '.join(ACTIONS[action] for action in lost)})" if lost else ""
        self.controls.say(f"{ACTIONS[job.action]}: {button_text(binding.button)}{taken}", ACCENT)
        self._unbind(device)
        self._until_released = binding.button

    def _tell(self, job: Search | Measurement, binding: AxisBinding, lost: Collection[str] = ()) -> None:
        """Say which axis a job has bound or measured, and which actions lost it."""
        number = axis_number(job.device, binding.axis)
        direction = "inverted" if binding.inverted else "not inverted"
        ends = f"{binding.minimum:+.2f} to {binding.maximum:+.2f}"
        taken = f"   (no longer: {', '.join(lost)})" if lost else ""
        self.controls.say(f"{ANALOG_NAMES[job.action]}: axis {number}, {direction}, range {ends}{taken}", ACCENT)

    def _unbind(self, device: Device) -> None:
        """Give a device a profile without axes and buttons, until `_restore`."""
        self._unbound = (device, device.profile)
        device.set_profile(replace(device.profile, axes={}, buttons={}))

    def _restore(self) -> None:
        """Give the device its profile back."""
        if self._unbound:
            device, profile = self._unbound
            device.set_profile(profile)
            device.new_presses()  # buttons held at this moment are not presses
        self._unbound = self._until_released = None


def _also_on(device: Device, action: str, number: int | str | None) -> list[str]:
    """Other actions bound to the axis of this number."""
    axes = device.profile.axes
    return [other for other, b in axes.items() if other != action and axis_number(device, b.axis) == number]


def _overlap(first: AxisBinding, second: AxisBinding) -> bool:
    """Whether the ranges of two bindings overlap by more than MAX_OVERLAP; the two halves of a stick do not."""
    return min(first.maximum, second.maximum) - max(first.minimum, second.minimum) > MAX_OVERLAP


def button_text(source: int | str) -> str:
    """Displayed text of a button: its number, its gamepad name, or a direction of a hat."""
    if isinstance(source, int):
        return f"button {source}"
    return source.replace(".", " ") if source.startswith("hat") else source


def _is_down(device: Device, button: int | str) -> bool:
    """Whether a button, or for a hat any of its directions, is pressed."""
    if isinstance(button, int):
        return bool(device.joystick.get_button(button))
    hat = int(button.removeprefix("hat").partition(".")[0])
    return any(device.joystick.get_hat(hat))
