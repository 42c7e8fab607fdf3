"""A gamepad or wheel that exists only inside SDL, so that tests use the same code as real devices.

SDL can attach virtual joysticks, which pygame does not offer.
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int16, c_uint8, c_uint16, c_uint32, c_void_p

from driving_sandbox.game.controls.sdl_library import sdl_library

GAMEPAD, WHEEL = 1, 2  # SDL_JoystickType
_RumbleCallback = CFUNCTYPE(c_int, c_void_p, c_uint16, c_uint16)


class _Description(Structure):
    """SDL_VirtualJoystickDesc, version 1."""

    _fields_ = [
        *((name, c_uint16) for name in ("version", "type", "naxes", "nbuttons", "nhats", "vendor", "product", "pad")),
        ("button_mask", c_uint32),
        ("axis_mask", c_uint32),
        ("name", c_char_p),
        *((name, c_void_p) for name in ("userdata", "update", "set_player_index")),
        ("rumble", _RumbleCallback),
        *((name, c_void_p) for name in ("rumble_triggers", "set_led", "send_effect")),
    ]


class VirtualStick:
    """Plug in a device on creation; values take effect at the next poll.

    vendor, product: USB ids, by default those of a Logitech G29.

    Attributes:
        rumbles: [(low, high)] strengths that SDL has asked for, 0 to 65535.
    """

    def __init__(self, name="Fake Wheel", kind=WHEEL, axes=4, buttons=20, hats=1, vendor=0x046D, product=0xC24F):
        sdl = self._sdl = sdl_library()
        sdl.SDL_JoystickAttachVirtualEx.argtypes = [POINTER(_Description)]
        sdl.SDL_JoystickOpen.restype = c_void_p
        sdl.SDL_JoystickClose.argtypes = sdl.SDL_JoystickInstanceID.argtypes = [c_void_p]
        sdl.SDL_JoystickSetVirtualAxis.argtypes = [c_void_p, c_int, c_int16]
        sdl.SDL_JoystickSetVirtualButton.argtypes = [c_void_p, c_int, c_uint8]
        sdl.SDL_JoystickSetVirtualHat.argtypes = [c_void_p, c_int, c_uint8]
        self.rumbles = []
        self._on_rumble = _RumbleCallback(self._rumble)  # kept alive as long as SDL may call it
        self._description = _Description(
            version=1, type=kind, naxes=axes, nbuttons=buttons, nhats=hats, vendor=vendor, product=product,
            name=name.encode(), rumble=self._on_rumble,
        )  # fmt: skip
        index = sdl.SDL_JoystickAttachVirtualEx(ctypes.byref(self._description))
        assert index >= 0, "SDL has no virtual joysticks"
        self._handle = sdl.SDL_JoystickOpen(index)
        self.instance_id = sdl.SDL_JoystickInstanceID(self._handle)

    def _rumble(self, _userdata, low, high):
        self.rumbles.append((low, high))
        return 0

    def axis(self, index, value):
        """Move an axis to a value from -1 to 1."""
        assert self._sdl.SDL_JoystickSetVirtualAxis(self._handle, index, round(value * 32767)) == 0

    def button(self, index, down=True):
        assert self._sdl.SDL_JoystickSetVirtualButton(self._handle, index, int(down)) == 0

    def hat(self, index, bits):
        """Press a hat in the directions of these bits, SDL_HAT_UP (1) to SDL_HAT_LEFT (8)."""
        assert self._sdl.SDL_JoystickSetVirtualHat(self._handle, index, bits) == 0

    def unplug(self):
        """Pull this device, and no other, out."""
        if self._handle is None:
            return
        for index in range(self._sdl.SDL_NumJoysticks()):
            if self._sdl.SDL_JoystickGetDeviceInstanceID(index) == self.instance_id:
                self._sdl.SDL_JoystickDetachVirtual(index)
                break
        self._sdl.SDL_JoystickClose(self._handle)
        self._handle = None
