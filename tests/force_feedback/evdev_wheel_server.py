"""Shows an emulated wheel with force feedback to a program, and logs the forces that it receives.

    umockdev-wrapper /usr/bin/python3 evdev_wheel_server.py FOLDER PROGRAM [ARGUMENT ...]

A Linux event device as SDL's drivers for joysticks and for haptic devices read it: umockdev passes their ioctls, reads
and writes to this process. Reports are read from the pipe FOLDER/reports, one `KIND CODE VALUE` a line, or the word
`unplug`; FOLDER/forces gets a line per ioctl: seconds of the monotonic clock and what was asked for. Runs under the
system's Python, which has the bindings of umockdev.
"""

import os
import struct
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev  # noqa: E402

NODE = "/dev/input/event7"
AXES = {0: (0, 65535), 1: (0, 255), 2: (0, 255), 5: (0, 255)}  # ABS_X: rim; ABS_Y, ABS_Z, ABS_RZ: pedals
BUTTONS = tuple(range(0x120, 0x134))  # BTN_TRIGGER and those after it
ID = struct.pack("4H", 3, 0x046D, 0xC24F, 0x0111)  # USB, Logitech, G29, version
NAME = b"Emulated wheel\0"
CONSTANT, SPRING, FRICTION, DAMPER, INERTIA, GAIN, AUTOCENTER = 0x52, 0x53, 0x54, 0x55, 0x56, 0x60, 0x61
EFFECTS = (CONSTANT, SPRING, FRICTION, DAMPER, INERTIA, GAIN, AUTOCENTER)
SYN, KEY, ABS, FF = 0, 1, 3, 0x15  # kinds of events
FIELDS = {SYN: (SYN, KEY, ABS, FF), KEY: BUTTONS, ABS: tuple(AXES), FF: EFFECTS}
EVENT = struct.Struct("qqHHi")  # struct input_event
EFFECT_SLOTS = 16
EAGAIN, ENODEV, EINVAL = 11, 19, 22


def bits(numbers, size):
    """A bit field with these bits set, cut to a size in bytes."""
    return sum(1 << number for number in numbers).to_bytes(128, "little")[:size]


class Wheel(UMockdev.IoctlBase):
    """Answers the ioctls of linux/input.h, and logs forces."""

    def __init__(self, log):
        super().__init__()
        self.log, self.events, self.present = log, deque(), True
        self.values = {axis: (low + high) // 2 if axis == 0 else high for axis, (low, high) in AXES.items()}
        self.effects = {}

    def note(self, *words):
        self.log.write(f"{time.monotonic():.6f} {' '.join(str(word) for word in words)}\n")
        self.log.flush()

    def do_handle_ioctl(self, client):
        request = client.get_request() & 0xFFFFFFFF
        kind, number, size = request >> 8 & 0xFF, request & 0xFF, request >> 16 & 0x3FFF
        if kind != ord("E"):
            return False
        if not self.present:
            client.complete(-1, ENODEV)
            return True
        if number == 0x81:  # EVIOCRMFF, whose argument is a number and not an address
            self.note("remove")
            client.complete(0, 0)
            return True
        data = client.get_arg().resolve(0, size)
        answer = self.answer(number, size)
        if answer is not None:
            data.update(0, list(answer))
            client.complete(len(answer) if 0x20 <= number < 0x40 or number in (0x06, 0x18) else 0, 0)
        elif number == 0x80:
            self.upload(client, data)
        else:
            client.complete(-1, EINVAL)
        return True

    def answer(self, number, size):
        """Bytes that a request for information gets, None for others."""
        if number == 0x02:
            return ID
        if number == 0x06:
            return NAME[:size]
        if number == 0x18:
            return bytes(size)
        if number == 0x84:
            return struct.pack("i", EFFECT_SLOTS)
        if 0x20 <= number < 0x40:
            return bits(FIELDS.get(number - 0x20, ()), size)
        if 0x40 <= number < 0x80 and number - 0x40 in AXES:
            low, high = AXES[number - 0x40]
            return struct.pack("6i", self.values[number - 0x40], low, high, 0, 0, 0)
        return None

    def upload(self, client, data):
        """EVIOCSFF: make an effect, or update one."""
        raw = bytes(data.retrieve())
        kind, number, direction = struct.unpack_from("HhH", raw)
        if number < 0:
            number = len(self.effects)
            data.update(2, list(struct.pack("h", number)))
        self.effects[number] = kind
        if kind == CONSTANT:
            self.note("constant", number, direction, struct.unpack_from("h", raw, 16)[0])
        else:
            self.note("condition", kind, number, *struct.unpack_from("HHhhHh", raw, 16))
        client.complete(0, 0)

    def do_handle_read(self, client):
        if not self.present:
            client.complete(-1, ENODEV)
            return True
        data = client.get_arg()
        room = data.data_length1 if hasattr(data, "data_length1") else EVENT.size
        packed = b""
        while self.events and len(packed) + EVENT.size <= room:
            packed += self.events.popleft()
        if packed:
            data.update(0, list(packed))
            client.complete(len(packed), 0)
        else:
            client.complete(-1, EAGAIN)
        return True

    def do_handle_write(self, client):
        raw = bytes(client.get_arg().retrieve())
        _, _, kind, code, value = EVENT.unpack(raw[: EVENT.size])
        self.note({GAIN: "gain", AUTOCENTER: "autocenter"}.get(code, f"play {code}"), value)
        client.complete(len(raw), 0)
        return True

    def report(self, kind, code, value):
        if kind == ABS:
            self.values[code] = value
        self.events.append(EVENT.pack(0, 0, kind, code, value) + EVENT.pack(0, 0, SYN, 0, 0))


def add(testbed, wheel):
    """Plug the wheel in."""
    sysfs, properties = (
        "/devices/pci0/usb1/1-1/input/input7",
        "E: SUBSYSTEM=input\nE: ID_INPUT=1\nE: ID_INPUT_JOYSTICK=1\n",
    )
    node = f"P: {sysfs}/event7\nN: input/event7\n{properties}E: MAJOR=13\nE: MINOR=71\nA: dev=13:71\n"
    testbed.add_from_string(f"P: {sysfs}\n{properties}\n{node}")
    testbed.attach_ioctl(NODE, wheel)


def main():
    folder, command = Path(sys.argv[1]), sys.argv[2:]
    testbed = UMockdev.Testbed.new()
    with (folder / "forces").open("w") as log:
        wheel = Wheel(log)
        add(testbed, wheel)

        # for reading and writing, so that opening does not block; umockdev would then answer no ioctl meanwhile
        pipe = os.open(folder / "reports", os.O_RDWR | os.O_NONBLOCK)
        unread = bytearray()

        def follow(*_):
            unread.extend(os.read(pipe, 65536))
            *lines, rest = bytes(unread).split(b"\n")
            unread[:] = rest
            for line in lines:
                if line == b"unplug":
                    wheel.present = False
                else:
                    wheel.report(*map(int, line.split()))
            return True

        GLib.io_add_watch(pipe, GLib.IO_IN, follow)
        process, loop = subprocess.Popen(command), GLib.MainLoop()
        GLib.timeout_add(50, lambda: process.poll() is None or loop.quit())  # ms
        loop.run()
        code = process.returncode
        wheel.note("ended", code)
    os._exit(code)


if __name__ == "__main__":
    main()
