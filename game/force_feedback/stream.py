"""The level of a wheel's constant force, several hundred times a second; `TIMER_CALLBACK` is what SDL's timer calls.

The simulation gives a torque for each tick, in bursts, as a frame runs several ticks at once. They are played one after
another, a frame later, with linear interpolation, so that the vibration of a kerb survives. When a frame is late, the
torque is extrapolated by the slope of the last two ticks for EXTRAPOLATED ticks, and then held. After
WATCHDOG seconds without a tick it fades out: a program that hangs lets go of the wheel.

The torque becomes a level, -1..1 of the wheel's strength, in these steps: fade (soft start, release), limit, response
table of the wheel, limit of its rate.

All memory belongs to a `ForceStream`. The callback runs in SDL's thread, without Python, so neither a long frame nor a
busy interpreter delays it.
"""

import ctypes
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_of
from driving_sandbox.physics.kernel.atomic import load_acquire, store_release
from driving_sandbox.physics.kernel.callback import Callback, carray, types
from driving_sandbox.physics.kernel.foreign_function import read_counter, update_effect
from driving_sandbox.physics.kernel.jit import inlined, kernel, pointer

INTERVAL = 3  # ms between updates: 333 a second, above the 250 that a driver can tell from a smooth force
ROWS = 256  # torques that are kept: a second of ticks
SLACK = 2.0  # ticks that may wait beyond those of a frame; more are skipped, as they would only add delay
EXTRAPOLATED = 2.0  # ticks by which the torque is extrapolated
WATCHDOG = 0.5  # s without a tick after which the force fades out; above the longest hitch of a drive
SOFT_START = 0.8  # s in which the force rises from 0, so that the wheel is not torn out of the hands
RELEASE = 0.05  # s in which it falls to 0
LONGEST_STEP = 0.05  # s; a longer time between two updates counts as this
POINTS = 17  # of the response table, evenly over level 0..1
FULL_LEVEL = 32767  # SDL's largest level

FORCE = np.dtype(
    [
        ("address", np.int64),  # of this record
        ("written", np.int64),  # torques written so far; atomic
        ("stop", np.int64),  # 1: set the level to 0 and end; atomic
        ("stopped", np.int64),  # 1: no update follows; atomic
        ("torques", np.float64, (ROWS,)),  # N m at the rim, positive to the left
        ("tick_seconds", np.float64),
        ("strength", np.float64),  # N m at level 1
        ("active", np.int64),  # 1 while the wheel shall pull
        ("slew", np.float64),  # 1/s, largest rate of the level
        ("response", np.float64, (POINTS,)),  # level to be sent for an even scale of torque, 0..1
        ("seen", np.int64),  # `written` at the last update
        ("cursor", np.float64),  # tick that is played, from 0
        ("time", np.float64),  # s, of the last update
        ("fed", np.float64),  # s, when `written` last grew
        ("fade", np.float64),  # 0..1
        ("level", np.float64),  # -1..1, sent last
        ("updates", np.int64),
        ("failures", np.int64),  # updates that the device refused
        ("clipped", np.int64),  # updates whose torque was beyond the strength
        ("counter", np.int64),  # address of SDL_GetPerformanceCounter
        ("frequency", np.float64),  # 1/s, of that counter
        ("update", np.int64),  # address of SDL_HapticUpdateEffect; 0: none
        ("device", np.int64),  # address of the SDL_Haptic
        ("number", np.int64),  # of the effect
        ("effect", np.int64),  # address of the SDL_HapticEffect
        ("effect_level", np.int64),  # address of its int16 level
        ("sent", np.int64),  # level as sent last
    ],
    align=True,
)
WRITTEN, STOP, STOPPED = (field_of(FORCE, name)[1] for name in ("written", "stop", "stopped"))  # bytes, offsets
_pointer: Any = pointer  # pointer from an address, for `carray`


class ForceStream:
    """Torques on their way to one wheel.

    Args:
        tick_seconds: length of a tick, s.
        strength: torque of the wheel at full level, N m.
        slew: largest change of torque per second, N m/s.
    Attributes:
        record: its FORCE record.
        address: address of that record, for the callback.
    """

    def __init__(self, tick_seconds: float, strength: float, slew: float) -> None:
        self._memory = np.zeros(1, FORCE)
        self.record = self._memory[0]
        self.address = self._memory.ctypes.data
        self.record["address"], self.record["tick_seconds"] = self.address, tick_seconds
        self.record["response"] = np.linspace(0.0, 1.0, POINTS)
        self.set_strength(strength, slew)

    def set_strength(self, strength: float, slew: float) -> None:
        """Take another strength, N m, negative for a wheel that turns the other way, and slew limit, N m/s."""
        self.record["strength"], self.record["slew"] = strength, slew / abs(strength)

    def set_response(self, levels: Any) -> None:
        """Take another response: POINTS levels 0..1 to be sent for evenly spaced torques from 0 to the strength."""
        self.record["response"] = levels

    def feed(self, torque: float) -> None:
        """Append the torque of a tick, N m; one that is not finite counts as 0."""
        written = int(self.record["written"])
        self.record["torques"][written % ROWS] = torque if np.isfinite(torque) else 0.0
        ctypes.c_int64.from_address(self.address + WRITTEN).value = written + 1

    @property
    def active(self) -> bool:
        """Whether the wheel shall pull; otherwise its force fades out."""
        return bool(self.record["active"])

    @active.setter
    def active(self, value: bool) -> None:
        self.record["active"] = int(value)

    def stop(self) -> None:
        """Have the next update set the level to 0; no other follows."""
        ctypes.c_int64.from_address(self.address + STOP).value = 1

    @property
    def stopped(self) -> bool:
        """Whether no update follows."""
        return bool(ctypes.c_int64.from_address(self.address + STOPPED).value)


@kernel
def torque_at(force: Any, written: int) -> float:
    """Torque at the cursor, N m, of a stream to which at least one torque was written."""
    last = written - 1
    index = min(int(force.cursor), last)
    share = force.cursor - index
    if index == last:
        if last == 0:
            return force.torques[0]
        index, share = last - 1, min(share, EXTRAPOLATED) + 1.0
    before, after = force.torques[index % ROWS], force.torques[(index + 1) % ROWS]
    return before + share * (after - before)


@kernel
def follow(force: Any, written: int, seconds: float) -> None:
    """Move the cursor by some seconds, so that it stays near the torques written."""
    if written != force.seen:
        force.fed = force.time
        force.cursor = min(max(force.cursor, force.seen - 1 - SLACK), max(force.seen - 1, 0))
        force.seen = written
    force.cursor = min(force.cursor + seconds / force.tick_seconds, written - 1 + EXTRAPOLATED)


@kernel
def responded(force: Any, level: float) -> float:
    """The level to be sent for a level of torque: linear between the points of the wheel's response."""
    x = min(abs(level), 1.0) * (POINTS - 1)
    index = min(int(x), POINTS - 2)
    size = force.response[index] + (x - index) * (force.response[index + 1] - force.response[index])
    return size if level > 0.0 else -size


@kernel
def next_level(force: Any, now: float) -> float:
    """The level of the force at a time `now`, s, -1..1, positive to the left."""
    seconds = min(max(now - force.time, 0.0), LONGEST_STEP)
    force.time = now
    written = load_acquire(force.address + WRITTEN)
    torque = 0.0
    if written > 0:
        follow(force, written, seconds)
        torque = torque_at(force, written)
    pulls = force.active != 0 and written > 0 and now - force.fed < WATCHDOG
    change = seconds / (SOFT_START if pulls else RELEASE)
    force.fade = min(1.0, force.fade + change) if pulls else max(0.0, force.fade - change)
    level = torque / force.strength
    force.clipped += 1 if abs(level) > 1.0 and pulls else 0
    level = responded(force, min(1.0, max(-1.0, level))) * force.fade
    largest = force.slew * seconds
    force.level += min(largest, max(-largest, level - force.level))
    return force.level


@inlined
def update_device(force: Any, interval: int) -> int:
    """Send the present level to the device. Returns ms until the next update, 0 after the last."""
    if load_acquire(force.address + STOP) != 0:
        force.level = 0.0
    else:
        next_level(force, read_counter(force.counter) / force.frequency)
    sent = int(round(force.level * FULL_LEVEL))
    force.updates += 1
    if force.update != 0 and sent != force.sent:
        carray(_pointer(force.effect_level), (1,), np.int16)[0] = sent
        failed = update_effect(force.update, force.device, force.number, force.effect) < 0
        force.failures += 1 if failed else 0
        force.sent = sent
    if load_acquire(force.address + STOP) != 0:
        store_release(force.address + STOPPED, 1)
        return 0
    return interval


def _called_by_timer(interval: Any, memory: Any) -> Any:
    """SDL's callback of a timer: `memory` points to a FORCE record."""
    return types.uint32(update_device(carray(memory, (1,), FORCE)[0], interval))


TIMER_CALLBACK = Callback(_called_by_timer, types.uint32(types.uint32, types.voidptr))
