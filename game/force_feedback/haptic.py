"""A wheel's force effects through SDL's haptic functions, called in the SDL that pygame has loaded.

Signs: the constant force has the cartesian direction (1, 0, 0) and its level carries the sign: SDL's directions say
where a force comes from, so a level above 0 comes from the right and turns the rim to the left. DirectInput fixes a
cartesian direction when an effect is made, and SDL's steering axis ignores directions, so only the level changes.
Effects are made once and then updated. The centring spring of the wheel's own is switched off, and on again at the end.
"""

import ctypes
from ctypes import c_int, c_int16, c_int32, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import Any

from driving_sandbox.game.controls.sdl_library import NoSdl, sdl_error, sdl_library

_TIMER, _HAPTIC = 0x1, 0x1000  # SDL_INIT_TIMER, SDL_INIT_HAPTIC
CONSTANT = 1 << 0  # SDL_HAPTIC_CONSTANT
CONDITIONS = {"spring": 1 << 7, "damper": 1 << 8, "inertia": 1 << 9, "friction": 1 << 10}  # SDL_HAPTIC_SPRING, ...
GAIN, AUTOCENTER = 1 << 12, 1 << 13  # SDL_HAPTIC_GAIN, SDL_HAPTIC_AUTOCENTER
_CARTESIAN = 1  # SDL_HAPTIC_CARTESIAN
INFINITE = 0xFFFFFFFF  # SDL_HAPTIC_INFINITY, ms; a length of 0 would be nothing on macOS
AUTOCENTER_AT_REST = 100  # %, of a wheel that no program uses; what it was cannot be read
FULL_CONDITION = 32767  # largest coefficient and saturation of a condition
_EFFECT_BYTES = 128  # SDL copies a whole SDL_HapticEffect, whose largest member has 68 to 80 bytes


class NoForce(Exception):
    """A device has no force feedback, or refuses it; the message says why."""


class _Direction(ctypes.Structure):
    """SDL_HapticDirection."""

    _fields_ = [("type", c_uint8), ("axes", c_int32 * 3)]


_HEAD = [("type", c_uint16), ("direction", _Direction), ("length", c_uint32)]
_REPLAY = [("delay", c_uint16), ("button", c_uint16), ("interval", c_uint16)]


class Constant(ctypes.Structure):
    """SDL_HapticConstant."""

    _fields_ = [
        *_HEAD,
        *_REPLAY,
        ("level", c_int16),
        ("attack", c_uint16 * 2),
        ("fade", c_uint16 * 2),
    ]  # fmt: skip; lengths and levels


class Condition(ctypes.Structure):
    """SDL_HapticCondition."""

    _fields_ = [
        *_HEAD, *_REPLAY, ("right_saturation", c_uint16 * 3), ("left_saturation", c_uint16 * 3),
        ("right_coefficient", c_int16 * 3), ("left_coefficient", c_int16 * 3), ("deadband", c_uint16 * 3),
        ("center", c_int16 * 3),
    ]  # fmt: skip


class Effect(ctypes.Union):
    """SDL_HapticEffect."""

    _fields_ = [
        ("type", c_uint16),
        ("constant", Constant),
        ("condition", Condition),
        ("bytes", c_uint8 * _EFFECT_BYTES),
    ]


@cache
def haptic_library() -> Any:
    """SDL with the types of its haptic functions. Raises NoForce."""
    try:
        sdl = sdl_library()
        sdl.SDL_HapticOpenFromJoystick.restype = c_void_p
        sdl.SDL_JoystickFromInstanceID.restype = c_void_p
        sdl.SDL_JoystickFromInstanceID.argtypes = [c_int32]
        sdl.SDL_HapticQuery.restype = c_uint
        sdl.SDL_GetPerformanceFrequency.restype = c_uint64
        for name in ("JoystickIsHaptic", "HapticOpenFromJoystick", "HapticQuery", "HapticClose", "HapticStopAll"):
            getattr(sdl, f"SDL_{name}").argtypes = [c_void_p]
        for name in ("HapticSetGain", "HapticSetAutocenter", "HapticDestroyEffect", "HapticStopEffect"):
            getattr(sdl, f"SDL_{name}").argtypes = [c_void_p, c_int]
        sdl.SDL_HapticNewEffect.argtypes = [c_void_p, ctypes.POINTER(Effect)]
        sdl.SDL_HapticUpdateEffect.argtypes = [c_void_p, c_int, ctypes.POINTER(Effect)]
        sdl.SDL_HapticRunEffect.argtypes = [c_void_p, c_int, c_uint32]
        sdl.SDL_AddTimer.argtypes = [c_uint32, c_void_p, c_void_p]
    except (NoSdl, AttributeError) as error:
        raise NoForce(f"SDL has no force feedback: {error}") from None
    return sdl


def address_of(function: Any) -> int:
    """Address of a function of the library."""
    return ctypes.cast(function, c_void_p).value or 0


class HapticDevice:
    """The force effects of an open wheel.

    Args:
        handle: SDL's SDL_Haptic, which `of_joystick` finds.
    Attributes:
        features: SDL's bits of what the device can do.
        constant: the effect of the constant force, and `constant_number`, SDL's number of it.
    Raises:
        NoForce: the device has no constant force, or refuses it.
    """

    def __init__(self, handle: int) -> None:
        self._sdl, self.handle = haptic_library(), handle
        self.features = self._sdl.SDL_HapticQuery(handle)
        self._conditions: dict[str, tuple[int, Effect]] = {}  # {name: (SDL's number, effect)}
        self.constant = Effect()
        if not self.features & CONSTANT:
            self._sdl.SDL_HapticClose(handle)
            raise NoForce("it has no constant force")
        self._set_up()
        self._fill_head(self.constant.constant, CONSTANT)
        self.constant_number = self._run(self.constant)

    @classmethod
    def of_joystick(cls, instance_id: int) -> "HapticDevice":
        """The effects of the joystick with SDL's instance id, which pygame has opened. Raises NoForce."""
        sdl = _begin()
        joystick = sdl.SDL_JoystickFromInstanceID(instance_id)
        if not joystick or sdl.SDL_JoystickIsHaptic(joystick) != 1:
            raise NoForce("it has no force feedback")
        return cls(_opened(sdl.SDL_HapticOpenFromJoystick(joystick)))

    def _set_up(self) -> None:
        """Full gain, which scales all effects, and no centring spring of the wheel's own."""
        if self.features & GAIN:
            self._sdl.SDL_HapticSetGain(self.handle, 100)
        if self.features & AUTOCENTER:
            self._sdl.SDL_HapticSetAutocenter(self.handle, 0)

    def _fill_head(self, effect: Any, kind: int) -> None:
        """Fill what all effects have: type, direction, and a length without end."""
        effect.type, effect.length = kind, INFINITE
        effect.direction.type = _CARTESIAN
        effect.direction.axes[0] = 1

    def _run(self, effect: Effect) -> int:
        """Make and start an effect; returns SDL's number. Raises NoForce."""
        number = self._sdl.SDL_HapticNewEffect(self.handle, ctypes.byref(effect))
        if number < 0 or self._sdl.SDL_HapticRunEffect(self.handle, number, 1) < 0:
            raise NoForce(sdl_error() or "an effect was refused")
        return number

    @property
    def effect_address(self) -> tuple[int, int]:
        """Addresses of the constant force's SDL_HapticEffect and of its int16 level."""
        effect = ctypes.addressof(self.constant)
        return effect, effect + Constant.level.offset

    def has(self, condition: str) -> bool:
        """Whether the device computes a condition of CONDITIONS itself."""
        return bool(self.features & CONDITIONS[condition])

    def set_condition(self, condition: str, coefficient: float, saturation: float = 1.0) -> bool:
        """Set a condition's coefficient and largest force, both 0..1; whether the device took it."""
        number, effect = self._conditions.get(condition, (-1, Effect()))
        body = effect.condition
        self._fill_head(body, CONDITIONS[condition])
        for axis in range(3):
            body.right_coefficient[axis] = body.left_coefficient[axis] = _share(coefficient)
            body.right_saturation[axis] = body.left_saturation[axis] = 2 * _share(saturation)
        if number >= 0:
            return self._sdl.SDL_HapticUpdateEffect(self.handle, number, ctypes.byref(effect)) >= 0
        try:
            self._conditions[condition] = (self._run(effect), effect)
        except NoForce:
            return False
        return True

    def close(self) -> None:
        """End all effects, switch the wheel's own centring spring on again, and close. Safe to call twice."""
        handle, self.handle = self.handle, 0
        if not handle:
            return
        self._sdl.SDL_HapticStopAll(handle)
        for number in (self.constant_number, *(number for number, _ in self._conditions.values())):
            self._sdl.SDL_HapticDestroyEffect(handle, number)
        if self.features & AUTOCENTER:
            self._sdl.SDL_HapticSetAutocenter(handle, AUTOCENTER_AT_REST)
        self._sdl.SDL_HapticClose(handle)


def _share(value: float) -> int:
    return round(min(max(value, 0.0), 1.0) * FULL_CONDITION)


def _begin() -> Any:
    """The library with haptic functions and timers running. Raises NoForce."""
    sdl = haptic_library()
    if sdl.SDL_InitSubSystem(_TIMER | _HAPTIC) != 0:
        raise NoForce(sdl_error() or "SDL's force feedback does not start")
    return sdl


def _opened(handle: int | None) -> int:
    """SDL's handle, as an address. Raises NoForce."""
    if not handle:
        raise NoForce(sdl_error() or "it cannot be opened")
    return handle
