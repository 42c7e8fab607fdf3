"""Press-to-bind: find the axis or button that the user moves, then its direction and range.

An axis is chosen once it has left its resting value by a quarter of the raw range and further than any other. A pedal
or a brake lever is pressed fully and let go; steering is turned to the right first (which fixes the direction), then
to the left, then back to the centre; a thrust lever is pushed ahead first, then pulled back. The range is the measured
one less a small margin, so that worn ends still reach full travel; for steering and thrust levers it is symmetric and
reaches as far as the shorter measured side. SDL reads 0 until a device's first report. For steering and thrust levers
that is the true centre; the resting value of a pedal is its first report.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from driving_sandbox.game.controls.bindings import TWO_SIDED, AxisBinding
from driving_sandbox.game.controls.device import Device

MIN_AXIS_CHANGE = 0.5  # change of a raw value (-1..1) that chooses its axis: more than cross-talk between axes
REST_SHARE = 0.15  # share of the measured range within which a pedal or wheel counts as back at rest
END_MARGIN = 0.02  # share of the range cut from each end, so that full travel is reached although ends drift
DEAD_ZONE_STEER = 0.01  # share of travel; above the flicker of common potentiometers
DEAD_ZONE_PEDAL = 0.03  # share of travel; worn pedals flicker more, and a foot rests on them
DEAD_ZONE_LEVER = 0.05  # share of travel; a thrust lever slightly off its middle would override the steering
FIRST_PROMPTS = {"steer": "Turn the wheel or stick to the right", "thrust": "Push the lever ahead"}
THEN_PROMPTS = {"steer": "Now to the left, then let it centre", "thrust": "Now pull it back, then let it centre"}


class CaptureResult(NamedTuple):
    """The moved control: a device with the binding of an axis, or with a button (number or "hatN.direction")."""

    device: Device
    axis: AxisBinding | None = None
    button: int | str | None = None


class Watched(Protocol):
    """What a `Capture` reads of Devices."""

    @property
    def devices(self) -> dict[int, Device]:
        """{SDL's instance id: Device}."""

    @property
    def events(self) -> list[Any]:
        """The pygame events of the latest poll."""

    @property
    def button_down_event(self) -> int | None:
        """Type of pygame's event of a pressed button, None without pygame."""


class Capture:
    """Waits for one axis or button; call `update()` once per frame after `Devices.poll()`.

    Args:
        devices: Devices whose axes and buttons are watched.
        action: the action to bind; for an action in TWO_SIDED the range is measured to both sides.
        timeout: seconds without a finished result after which `expired` is set.
        clock: function that returns a monotonic time, s.
    """

    def __init__(
        self, devices: Watched, action: str, timeout: float = 15.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.devices, self.action = devices, action
        self.clock, self.end = clock, clock() + timeout
        self.expired = False
        # {(instance id, axis): (value at rest, whether the axis has reported)}
        self._rest: dict[tuple[int, int], tuple[float, bool]] = {}
        # (device, axis, its value at rest, whether its value rose), None while searching; once an axis is chosen,
        # _low and _high are its smallest and largest raw value so far
        self._chosen: tuple[Device, int, float, bool] | None = None

    @property
    def prompt(self) -> str:
        """The instruction to show to the user now."""
        kind = self.action.partition("_")[0]
        if self._chosen is None:
            return FIRST_PROMPTS.get(kind, "Press the pedal or a button")
        return THEN_PROMPTS.get(kind, "Press it fully, then let go")

    @property
    def _two_sided(self) -> bool:
        return self.action in TWO_SIDED

    def update(self) -> CaptureResult | None:
        """The CaptureResult once it is complete, else None; after the timeout `expired` is set."""
        if self.expired:
            return None
        if self.clock() >= self.end:
            self.expired = True
            return None
        if self._chosen is not None:
            return self._measure(*self._chosen)
        button = self._pressed_button()
        if button is None:
            self._find_axis()
        return button

    def _pressed_button(self) -> CaptureResult | None:
        """The CaptureResult of a button or hat pressed in the last poll, or None.

        Actions in TWO_SIDED take axes only.
        """
        for device in self.devices.devices.values():
            for event in self.devices.events:
                if getattr(event, "instance_id", None) != device.instance_id or self._two_sided:
                    continue
                if hasattr(event, "button") and event.type == self.devices.button_down_event:
                    return CaptureResult(device, button=event.button)
                if hasattr(event, "hat") and any(event.value):
                    return CaptureResult(device, button=_hat_name(event.hat, event.value))
        return None

    def _find_axis(self) -> None:
        """Choose the axis that has moved furthest from rest, if by more than MIN_AXIS_CHANGE."""
        candidate, farthest = None, MIN_AXIS_CHANGE
        for device in self.devices.devices.values():
            for axis, value in enumerate(device.raw_axes()):
                key = (device.instance_id, axis)
                if key not in self._rest:
                    self._rest[key] = (value, device.moved[axis])
                    continue
                rest, reported = self._rest[key]
                if not reported and device.moved[axis] and not self._two_sided:
                    self._rest[key] = (value, True)  # a pedal's first report is its resting value
                    continue
                if abs(value - rest) > farthest:
                    candidate, farthest = (device, axis, rest), abs(value - rest)
        if candidate is not None:
            device, axis, rest = candidate
            value = device.raw_axes()[axis]
            self._chosen = device, axis, rest, value > rest
            self._low, self._high = min(rest, value), max(rest, value)

    def _measure(self, device: Device, axis: int, rest: float, rising: bool) -> CaptureResult | None:
        """The CaptureResult once the chosen axis is back at rest after its full travel, or None."""
        if device.instance_id not in self.devices.devices:
            self._chosen = None  # unplugged in between: search again
            return None
        value = device.raw_axes()[axis]
        self._low, self._high = min(self._low, value), max(self._high, value)
        at_rest = abs(value - rest) < REST_SHARE * (self._high - self._low)
        if self._two_sided:
            half_range = min(self._high - rest, rest - self._low)
            if half_range < MIN_AXIS_CHANGE / 2 or not at_rest:
                return None
            low, high = rest - half_range, rest + half_range
        else:
            if not at_rest:
                return None
            low, high = (rest, self._high) if rising else (self._low, rest)
        margin = END_MARGIN * (high - low)
        dead_zone = {"steer": DEAD_ZONE_STEER}.get(self.action, DEAD_ZONE_LEVER if self._two_sided else DEAD_ZONE_PEDAL)
        low, high = max(low + margin, -1.0), min(high - margin, 1.0)
        return CaptureResult(
            device, AxisBinding(axis, round(low, 4), round(high, 4), inverted=not rising, dead_zone=dead_zone)
        )


def _hat_name(hat: int, value: tuple[int, int]) -> str:
    x, y = value
    return f"hat{hat}." + (("up" if y > 0 else "down") if y else ("right" if x > 0 else "left"))
