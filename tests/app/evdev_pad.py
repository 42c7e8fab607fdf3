"""An emulated gamepad: a Linux event device, read by SDL's driver.

umockdev starts the program, shows the pad to it as a node of /dev/input, and answers the ioctls of linux/input.h that
SDL sends. Every line written to umockdev's script is a report: an event and the event that ends the report.
"""

import os
import struct

NODE = "/dev/input/event7"
STICK_X, STICK_Y, LEFT_TRIGGER, RIGHT_TRIGGER = 0x00, 0x01, 0x02, 0x05  # ABS_X, ABS_Y, ABS_Z, ABS_RZ
HAT_X, HAT_Y = 0x10, 0x11  # ABS_HAT0X, ABS_HAT0Y; -1 is left and up
A, B, START = 0x130, 0x131, 0x13B  # BTN_SOUTH, BTN_EAST, BTN_START
STICK, TRIGGER, HAT = (-32768, 32767), (0, 255), (-1, 1)  # smallest and largest raw value
# the axes of a pad of the Xbox 360; 0x03 and 0x04 are ABS_RX and ABS_RY, the right stick
AXES = {STICK_X: STICK, STICK_Y: STICK, LEFT_TRIGGER: TRIGGER, 0x03: STICK, 0x04: STICK, RIGHT_TRIGGER: TRIGGER,
        HAT_X: HAT, HAT_Y: HAT}  # fmt: skip
BUTTONS = (A, B, 0x133, 0x134, 0x136, 0x137, 0x13A, START, 0x13C, 0x13D, 0x13E)  # all buttons of that pad
ID = struct.pack("4H", 3, 0x045E, 0x028E, 0x0110)  # USB, vendor, product, version: one that SDL knows
SYN, KEY, REL, ABS = 0, 1, 2, 3  # kinds of events
SIZES = {SYN: 8, KEY: 96, REL: 8, ABS: 8}  # bytes of the bit fields SDL asks for
NAME_SIZE = 128  # bytes of the name SDL asks for


def _bits(numbers, size):
    """A bit field with these bits set."""
    return sum(1 << number for number in numbers).to_bytes(size, "little")


def _answers():
    """Answers of the node in umockdev's format: name of the ioctl, its result, its data."""
    fields = {SYN: (SYN, KEY, ABS), KEY: BUTTONS, REL: (), ABS: tuple(AXES)}
    name = b"Emulated pad\0"
    answers = [("EVIOCGID", 0, ID), ("EVIOCGNAME", len(name), name.ljust(NAME_SIZE, b"\0"))]
    answers += [(f"EVIOCGBIT({kind})", SIZES[kind], _bits(field, SIZES[kind])) for kind, field in fields.items()]
    # struct input_absinfo: value, minimum, maximum, fuzz, flat, resolution
    answers += [(f"EVIOCGABS({axis})", 0, struct.pack("6i", 0, *ends, 0, 0, 0)) for axis, ends in AXES.items()]
    answers += [("EVIOCGKEY", SIZES[KEY], bytes(SIZES[KEY]))]
    return f"@DEV {NODE}\n" + "".join(f"{name} {result} {data.hex().upper()}\n" for name, result, data in answers)


def _report(kind, code, value):
    """A line of umockdev's script: one struct input_event and the SYN_REPORT that ends the report, without a delay."""
    events = struct.pack("qqHHi", 0, 0, kind, code, value) + bytes(struct.calcsize("qqHHi"))
    written = bytearray()
    for byte in events:  # control characters as ^@ ... ^_, and ^ itself as ^`
        written += bytes([ord("^"), byte + 64]) if byte < 32 else b"^`" if byte == ord("^") else bytes([byte])
    return b"r 0 " + written + b"\n"


class EvdevPad:
    """A pad; its description for umockdev is written into `folder`.

    Put `command` before the program's command line, start it with `environment`, then move axes and buttons.
    """

    def __init__(self, folder):
        sysfs = "/devices/pci0/usb1/1-1/input/input7"
        properties = "E: SUBSYSTEM=input\nE: ID_INPUT=1\nE: ID_INPUT_JOYSTICK=1\n"
        node = f"P: {sysfs}/event7\nN: input/event7\n{properties}E: MAJOR=13\nE: MINOR=71\nA: dev=13:71\n"
        (folder / "device").write_text(f"P: {sysfs}\n{properties}\n{node}")
        (folder / "answers").write_text(_answers())
        os.mkfifo(folder / "script")
        self._script = os.open(folder / "script", os.O_RDWR)  # both ends, so that opening does not block
        self.command = [
            "umockdev-run", "-d", str(folder / "device"), "-i", f"{NODE}={folder / 'answers'}",
            "-s", f"{NODE}={folder / 'script'}", "--",
        ]  # fmt: skip
        self.environment = {"SDL_JOYSTICK_DEVICE": NODE}  # without it SDL would search the real /dev/input

    def axis(self, axis, position):
        """Move an axis to -1..1 of its travel, a trigger to 0..1."""
        os.write(self._script, _report(ABS, axis, round(position * AXES[axis][1])))

    def button(self, button, down):
        """Press or release a button."""
        os.write(self._script, _report(KEY, button, int(down)))

    def close(self):
        """End umockdev by closing its script."""
        if self._script is not None:
            os.close(self._script)
        self._script = None
