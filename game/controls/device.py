"""One plugged-in gamepad or wheel: raw axes and buttons in, analog input and held actions out.

A pedal counts only after its first movement: until the first report SDL says 0, the *middle* of the range, which would
be half throttle. So a pedal that is pressed while the program starts has no effect until it moves. Steering counts at
once: 0 is its centre.
"""

import math
from collections.abc import Callable
from typing import Any

from driving_sandbox.game.controls.bindings import ANALOG, TWO_SIDED, AxisBinding, Bindings, DeviceProfile
from driving_sandbox.game.controls.inputs import AnalogInput

RAW_FULL = 32767 / 32768  # SDL's largest positive value: full travel must read exactly 1
FIRST_MOVEMENT = 0.02  # change of a raw value (-1..1) that counts as a movement: above a potentiometer's flicker
BUTTON_AXIS = 0.5  # raw value from which an axis or half axis named as a button counts as pressed
HAT_DIRECTIONS = {"up": (1, 1), "down": (1, -1), "left": (0, -1), "right": (0, 1)}  # name -> (component, sign)
SDL_HAT_BITS = {"1": "up", "2": "right", "4": "down", "8": "left"}  # {number in SDL's mapping strings: direction}


def device_id(guid: str) -> str:
    """ "vendor:product" in hexadecimal from SDL's GUID (bytes 4-5 and 8-9, little endian)."""
    return f"{guid[10:12]}{guid[8:10]}:{guid[18:20]}{guid[16:18]}"


class Device:
    """One plugged-in gamepad or wheel, with the profile that assigns its axes and buttons to actions.

    Args:
        joystick: pygame's Joystick.
        gamepad_mapping: {SDL's gamepad name: button, axis or hat}, empty if SDL does not know it as a gamepad.
        bindings: Bindings in force, whose first matching profile it gets.
    """

    def __init__(self, joystick: Any, gamepad_mapping: dict[str, Any], bindings: Bindings) -> None:
        self.joystick = joystick
        self.instance_id = joystick.get_instance_id()
        self.guid = joystick.get_guid()
        self.name = joystick.get_name()
        self.id = device_id(self.guid)
        self.gamepad_mapping = gamepad_mapping
        self.axis_count = joystick.get_numaxes()
        self.button_count = joystick.get_numbuttons()
        self.hat_count = joystick.get_numhats()
        self._first = self.raw_axes()  # raw values when the device was opened
        self.moved = [False] * self.axis_count  # whether each axis has left its first value
        self._was_held: frozenset[str] = frozenset()  # actions held at the last `new_presses`
        self.set_profile(bindings.profile_for(self.guid, self.id, self.name, bool(gamepad_mapping)))

    def set_profile(self, profile: DeviceProfile) -> None:
        """Use this profile from now on; bindings to axes or buttons that the device lacks are left out."""
        self.profile = profile
        self._axes: list[tuple[str, int, AxisBinding]] = []  # (action, index of the axis, its binding)
        for action, binding in profile.axes.items():
            index = self._axis_index(binding.axis)
            if index is not None and index < self.axis_count:
                self._axes.append((action, index, binding))
        self._buttons: list[tuple[str, Callable[[], bool]]] = []  # (action, whether its button is down)
        for action, sources in profile.buttons.items():
            self._buttons += [(action, read) for source in sources if (read := self._button_reader(source))]

    def _axis_index(self, axis: int | str) -> int | None:
        """Number of an axis, given by its number or SDL's gamepad name; None if the name is not that of an axis."""
        if isinstance(axis, int):
            return axis
        element = self.gamepad_mapping.get(axis, "").strip("+-~")
        return int(element[1:]) if element[:1] == "a" else None

    def _button_reader(self, source: int | str | tuple[int, float] | None) -> Callable[[], bool] | None:
        """A function that returns whether this button is down, or None if the device has no such button."""
        if isinstance(source, str) and not source.startswith("hat"):
            source = self._mapped(source)
        if isinstance(source, int):
            return (lambda: self.joystick.get_button(source)) if source < self.button_count else None
        if isinstance(source, tuple):
            axis, sign = source
            exists = axis < self.axis_count
            return (lambda: self.moved[axis] and sign * self.raw_axis(axis) > BUTTON_AXIS) if exists else None
        if source is None:
            return None
        hat, _, direction = source.removeprefix("hat").partition(".")
        if not hat.isdecimal() or int(hat) >= self.hat_count or direction not in HAT_DIRECTIONS:
            return None
        component, sign = HAT_DIRECTIONS[direction]
        return lambda: self.joystick.get_hat(int(hat))[component] == sign

    def _mapped(self, name: str) -> int | str | tuple[int, float] | None:
        """The button number, (axis, sign) or "hatN.direction" that SDL's mapping gives a gamepad name, or None.

        The name of an axis means its positive half, and with a minus sign in front the negative half.
        """
        element = self.gamepad_mapping.get(name.removeprefix("-"), "")
        bare = element.strip("+-~")
        if bare[:1] == "b":
            return int(bare[1:])
        if bare[:1] == "a":
            negative = (element[:1] == "-" or element[-1:] == "~") != (name[:1] == "-")
            return int(bare[1:]), -1.0 if negative else 1.0
        if bare[:1] == "h":
            hat, _, bit = bare[1:].partition(".")
            return f"hat{hat}.{SDL_HAT_BITS.get(bit)}"
        return None

    def raw_axes(self) -> list[float]:
        """Raw values of all axes, -1..1."""
        return [self.raw_axis(i) for i in range(self.axis_count)]

    def raw_axis(self, index: int) -> float:
        """Raw value of one axis, -1..1."""
        return min(max(self.joystick.get_axis(index) / RAW_FULL, -1.0), 1.0)

    def steering_position(self) -> float:
        """Raw value of the axis that steers, -1..1, positive to the right; 0 without one."""
        for action, index, binding in self._axes:
            if action == "steer":
                return -self.raw_axis(index) if binding.inverted else self.raw_axis(index)
        return 0.0

    def note_movement(self) -> None:
        """Mark the axes that have left the value they had when the device was opened."""
        for i, value in enumerate(self.raw_axes()):
            if not self.moved[i] and abs(value - self._first[i]) > FIRST_MOVEMENT:
                self.moved[i] = True

    def held_actions(self) -> frozenset[str]:
        """Actions whose button is down."""
        return frozenset(action for action, is_down in self._buttons if is_down())

    def new_presses(self) -> list:
        """Actions whose button is down now and was not at the last call."""
        actions = self.held_actions()
        presses = sorted(actions - self._was_held)
        self._was_held = actions
        return presses

    def read(self) -> AnalogInput:
        """The AnalogInput of this device: for each action the axis deflected furthest, or full travel for a button."""
        values = dict.fromkeys(ANALOG, 0.0)
        for action, index, binding in self._axes:
            raw = self.raw_axis(index)
            value = binding.two_sided(raw) if action in TWO_SIDED else binding.pedal(raw) * self.moved[index]
            if abs(value) > abs(values[action]):
                values[action] = value
        actions = self.held_actions()
        for action, (minus, plus) in TWO_SIDED.items():
            if minus in actions or plus in actions:
                values[action] = float(plus in actions) - float(minus in actions)
        for action in actions & values.keys():
            values[action] = 1.0
        rotation = math.radians(self.profile.rotation)
        return AnalogInput(**values, brake_reverses=self.profile.brake_reverses, rotation=rotation)

    def rim_angle(self) -> float:
        """Angle of a steering wheel, rad, positive to the left; 0 if its rotation is not known."""
        return -0.5 * math.radians(self.profile.rotation) * self.read().steer

    def rumble(self, low: float, high: float, seconds: float) -> bool:
        """Shake the two motors, 0..1 each; False if the device cannot."""
        return bool(self.joystick.rumble(min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0), round(1000 * seconds)))
