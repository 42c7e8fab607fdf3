"""From the buses of one vehicle to the two ears of the listener.

Every bus has a delay line and a *tap* per ear, which reads it with cubic Hermite interpolation at the travel time
(sound/space/travel.py) plus the difference of the ears. With r the distance and s the sine of the angle to the right:

    delay of the left, right ear  SAMPLE_RATE r / c + NEAR_DELAY +- EAR_DELAY s
    gain                          (1 - attenuation) NEAR / max(NEAR, r)
    share in the head's shadow    max(0, +-s): gain SHADOW_GAIN and one pole at SHADOW_CORNER
    air absorption                one pole at AIR / r^1.25, about 26 kHz at 20 m, 3.5 kHz at 100 m

Delays and gains are ramps over a block. After a jump, the taps go on as before until the motion is one that sound can
follow again; then new taps fade in over FADE_BLOCKS.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.elementary import exp
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, BODY, BUS_COUNT, SAMPLE_RATE, SPEED_OF_SOUND
from driving_sandbox.sound.base.filters import pole, share_of
from driving_sandbox.sound.base.gain import smoothstep
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.space.travel import FASTEST, LINE, LONGEST, POSE_HISTORY, emission, remember

NEAR = 2.0  # m, within which a sound grows no louder: the size of its source
HEAD = 0.5  # m, within which the direction of a source fades, as it then surrounds the head
NEAR_DELAY = 20.0  # samples; more than EAR_DELAY and the two newer samples of the interpolation
EAR_DELAY = 14.0  # samples, .29 ms each way: a head of 18 cm
SHADOW_GAIN = 0.55  # of the far ear at low frequency, -5 dB
SHADOW_CORNER = 1800.0  # Hz
AIR = 1.1e6  # Hz m^1.25, fitted to the absorption of air of 20 degrees Celsius and 50 % humidity
AIR_SMOOTHING = 0.05  # share per block of the way to a new absorption, 17 ms: a jump must not click
FADE_BLOCKS = 24  # 20 ms, of the change to new taps after a jump
PATIENCE = 12  # blocks, 10 ms, after which taps are renewed though the motion is still too fast
COASTING = 0.8  # share of a tap's speed that is left after each block of a jump

_STEP = FASTEST / SPEED_OF_SOUND * BLOCK  # samples, largest change of a delay within a block
_TURN = 0.06  # largest change of s within a block, 72 1/s: a faster one is a jump to another view
_MASK = LINE - 1
_MIRROR = BLOCK + 3  # samples repeated behind a line's end: what a block reads or writes lies in one piece
_SILENT = 1e-12  # below, a sample counts as 0: so lines run empty, and free of denormal numbers
_LOUDEST = 1e3  # above, a sample is a fault and counts as 0, as if it is not a number: it would stay in the filters
_EMPTY = LINE // BLOCK + 2  # blocks after which silence fills a line

TAP = np.dtype(
    [  # per ear, at the end of the block, and change within it
        ("delay", np.float64, (2,)),  # samples
        ("delay_step", np.float64, (2,)),
        ("gain", np.float64, (2, 2)),  # of the direct sound, of the sound in the head's shadow
        ("gain_step", np.float64, (2, 2)),
    ],
    align=True,
)
SPACE = np.dtype(
    [  # of one vehicle; zero at the start except `emitters`
        ("emitters", EMITTERS),
        ("history", POSE_HISTORY),
        ("line", np.float64, (BUS_COUNT, LINE + _MIRROR)),
        ("sounding", np.int64, (BUS_COUNT,)),  # blocks for which the line is not yet empty
        ("travel", np.float64, (BUS_COUNT,)),  # s, last travel time
        ("side", np.float64, (BUS_COUNT,)),  # sine of the angle to the right, -1 left .. 1 right
        ("target", TAP, (BUS_COUNT,)),  # where the taps should be
        ("tap", TAP, (BUS_COUNT,)),
        ("old", TAP, (BUS_COUNT,)),  # taps that fade out
        ("fading", np.int64),  # blocks until the old taps are silent
        ("lost", np.int64),  # blocks since the taps cannot follow the target; 0: they do
        ("air", np.float64),  # 1 - share of the pole of air absorption, at the block's end
        ("air_step", np.float64),
        ("memory", np.float64, (2, 2)),  # per ear: shadow, air
        ("read", np.float64, (BLOCK,)),  # from a line
        ("heard", np.float64, (2, 2, BLOCK)),  # per ear: direct, in the head's shadow
    ],
    align=True,
)


@kernel
def add_vehicle(ears: Any, buses: Any, frame: Any, listener: Any, space: Any, levels: Any) -> None:
    """Add what a listener hears of a vehicle in a block.

    Args:
        ears: float64 [BLOCK, 2] left and right, changed.
        buses: float64 [BUS_COUNT, BLOCK].
        frame, listener: FRAME and LISTENER at the block's end.
        levels: float64 [BUS_COUNT], gains of the buses, smooth from block to block.
    """
    _write(space, buses)
    remember(space.history, frame)
    _follow(space, _aim(space, listener, levels, 1.0 - frame.attenuation))
    space.heard[:] = 0.0
    end = space.history.count * BLOCK & _MASK
    before, after = _faded(space.fading), _faded(space.fading - 1)  # gain of the old taps at the block's start and end
    for bus in range(BUS_COUNT):
        if space.sounding[bus] > 0:
            _add_tap(space, space.line[bus], space.tap[bus], end, 1.0 - before, 1.0 - after)
            if space.fading > 0:
                _add_tap(space, space.line[bus], space.old[bus], end, before, after)
    space.fading = max(space.fading - 1, 0)
    _filter(ears, space)


@kernel
def fall_silent(space: Any) -> None:
    """Forget a vehicle that is ABSENT: when it is there again, it begins as in the first block."""
    if space.history.count == 0:
        return
    space.history.count = space.history.known = space.lost = space.fading = 0
    space.memory[:] = 0.0
    for bus in range(BUS_COUNT):
        if space.sounding[bus] > 0:
            space.line[bus] = 0.0
            space.sounding[bus] = 0


@kernel
def _write(space: Any, buses: Any) -> None:
    """Append a block to the delay lines."""
    start = space.history.count * BLOCK & _MASK
    for bus in range(BUS_COUNT):
        line, any_sound = space.line[bus], False
        written = line[start : start + BLOCK]
        for i in range(BLOCK):
            x = buses[bus, i]
            sounds = _SILENT < abs(x) < _LOUDEST  # false for NaN
            any_sound |= sounds
            written[i] = x if sounds else 0.0
        for i in range(LINE, start + BLOCK):
            line[i - LINE] = line[i]
        for i in range(start, min(start + BLOCK, _MIRROR)):
            line[i + LINE] = line[i]
        space.sounding[bus] = _EMPTY if any_sound else max(space.sounding[bus] - 1, 0)


@kernel
def _aim(space: Any, listener: Any, levels: Any, share: float) -> Any:
    """Set `target` to the delays and gains of the block's end; returns whether they changed as by a jump.

    share: of the vehicle's sound that is heard, 0..1.
    """
    jump = False
    for bus in range(BUS_COUNT):
        d, x, y, z = emission(space.history, space.emitters.ahead[bus], listener, space.travel[bus])
        space.travel[bus] = d
        right, square = listener.right, x * x + y * y + z * z
        s = (x * right[0] + y * right[1] + z * right[2]) / math.sqrt(square + HEAD * HEAD)
        jump |= abs(s - space.side[bus]) > _TURN
        space.side[bus] = s
        gain = share * levels[bus] * NEAR / max(NEAR, math.sqrt(square))
        target = space.target[bus]
        for ear in range(2):
            shade = s if ear == 0 else -s
            jump |= abs(_set_delay(target, ear, SAMPLE_RATE * d + NEAR_DELAY + EAR_DELAY * shade)) > _STEP
            shadow = max(0.0, shade)
            target.gain[ear, 0] = gain * (1.0 - shadow)
            target.gain[ear, 1] = gain * shadow * SHADOW_GAIN
    distance = max(1.0, SPEED_OF_SOUND * space.travel[BODY])
    corner = AIR / (distance * math.sqrt(math.sqrt(distance)))
    space.air_step = AIR_SMOOTHING * (exp(-2.0 * math.pi / SAMPLE_RATE * corner) - space.air)
    space.air += space.air_step
    return jump


@kernel
def _set_delay(tap: Any, ear: int, delay: float) -> Any:
    """Let a tap's delay reach a value, samples, at the block's end; returns its change within the block."""
    tap.delay_step[ear] = delay - tap.delay[ear]
    tap.delay[ear] = delay
    return tap.delay_step[ear]


@kernel
def _follow(space: Any, jump: Any) -> None:
    """Let the taps follow the target, or after a jump go on by themselves and be renewed."""
    first = space.history.count == 1
    if jump and not first:
        space.lost += 1
    if space.lost > 0 and space.fading == 0 and (not jump or space.lost > PATIENCE):
        space.lost = 0
        space.fading = FADE_BLOCKS
        for bus in range(BUS_COUNT):
            _copy(space.old[bus], space.tap[bus])
            _copy(space.tap[bus], space.target[bus])
            _steady(space.tap[bus])
    elif first or space.lost == 0:
        for bus in range(BUS_COUNT):
            _move(space.tap[bus], space.target[bus], first)
    else:
        for bus in range(BUS_COUNT):
            _coast(space.tap[bus])
    if space.fading > 0:
        for bus in range(BUS_COUNT):
            _coast(space.old[bus])


@kernel
def _move(tap: Any, target: Any, first: Any) -> None:
    """Let a tap reach the target at the block's end; in the first block its delay has been there from the start."""
    for ear in range(2):
        _set_delay(tap, ear, target.delay[ear])
        if first:
            tap.delay_step[ear] = 0.0
        for part in range(2):
            tap.gain_step[ear, part] = target.gain[ear, part] - tap.gain[ear, part]
            tap.gain[ear, part] = target.gain[ear, part]


@kernel
def _coast(tap: Any) -> None:
    """Let a tap go on by itself: its delay at a speed that dies away, its gains as they are."""
    for ear in range(2):
        delay = tap.delay[ear] + COASTING * tap.delay_step[ear]
        _set_delay(tap, ear, min(max(delay, NEAR_DELAY - EAR_DELAY), SAMPLE_RATE * LONGEST + NEAR_DELAY + EAR_DELAY))
        for part in range(2):
            tap.gain_step[ear, part] = 0.0


@kernel
def _steady(tap: Any) -> None:
    """End the changes of a new tap that come from a jump."""
    for ear in range(2):
        if abs(tap.delay_step[ear]) > _STEP:
            tap.delay_step[ear] = 0.0
        for part in range(2):
            tap.gain_step[ear, part] = 0.0


@kernel
def _copy(tap: Any, other: Any) -> None:
    """Make a tap equal to another one."""
    for ear in range(2):
        tap.delay[ear] = other.delay[ear]
        tap.delay_step[ear] = other.delay_step[ear]
        for part in range(2):
            tap.gain[ear, part] = other.gain[ear, part]
            tap.gain_step[ear, part] = other.gain_step[ear, part]


@kernel
def _faded(blocks: int) -> float:
    """Gain of the old taps when `blocks` are left until they are silent, 0..1, without kinks."""
    return smoothstep(float(blocks), (0.0, float(FADE_BLOCKS)))


@kernel
def _add_tap(space: Any, line: Any, tap: Any, end: int, share_before: float, share_after: float) -> None:
    """Add the block that a tap reads from a delay line, by a share that changes evenly.

    Args:
        space: SPACE, whose `heard` is changed.
        end: index in the line behind the block's last sample.
    """
    share_step = (share_after - share_before) / BLOCK
    for ear in range(2):
        direct, direct_step = tap.gain[ear, 0], tap.gain_step[ear, 0] / BLOCK
        shadow, shadow_step = tap.gain[ear, 1], tap.gain_step[ear, 1] / BLOCK
        if abs(direct) + abs(direct_step) + abs(shadow) + abs(shadow_step) == 0.0:
            continue  # a group of buses that is switched off
        step = 1.0 - tap.delay_step[ear] / BLOCK
        _read(space.read, line, end - 1 + LINE - tap.delay[ear] - (BLOCK - 1) * step, step)
        if share_step != 0.0 or share_after != 1.0:
            _scale(space.read, share_after, share_step)
        _add(space.heard[ear, 0], space.read, direct, direct_step)
        if shadow != 0.0 or shadow_step != 0.0:
            _add(space.heard[ear, 1], space.read, shadow, shadow_step)


@kernel
def _add(total: Any, samples: Any, gain: float, step: float) -> None:
    """Add samples by a gain that grows by `step` a sample and is `gain` at the block's end."""
    for i in range(BLOCK):
        total[i] += samples[i] * (gain - (BLOCK - 1 - i) * step)


@kernel
def _scale(samples: Any, gain: float, step: float) -> None:
    """Multiply samples by a gain as in `_add`."""
    for i in range(BLOCK):
        samples[i] *= gain - (BLOCK - 1 - i) * step


@kernel
def _read(samples: Any, line: Any, start: float, step: float) -> None:
    """Read a block from a delay line, at indices modulo LINE from `start` on, `step` (> 0) apart.

    Cubic Hermite (Catmull-Rom) interpolation. While the index moves on by one with every sample, the four samples
    around it lie in four slices of the line, and the loop over them can be vectorised.
    """
    done = 0
    while done < BLOCK:
        at = start + done * step
        k = int(at)
        share, drift = at - k, step - 1.0
        count = min(_even_count(share, drift), BLOCK - done)
        first = (k - 1) & _MASK
        a, b = line[first : first + count], line[first + 1 : first + 1 + count]
        c, d = line[first + 2 : first + 2 + count], line[first + 3 : first + 3 + count]
        x = samples[done : done + count]
        for i in range(count):
            f = share + i * drift
            slope, bend = 0.5 * (c[i] - a[i]), b[i] - c[i]
            cubic = slope + bend + 0.5 * (d[i] - b[i]) + bend
            x[i] = ((cubic * f - (cubic + bend + slope)) * f + slope) * f + b[i]
        done += count


@kernel
def _even_count(share: float, drift: float) -> int:
    """Samples, at most BLOCK, in which a share that grows by `drift` with each stays within 0..1."""
    if drift == 0.0:
        return BLOCK
    return 1 + int(min((1.0 - share) / drift if drift > 0.0 else share / -drift, BLOCK - 1.0))


@kernel
def _filter(ears: Any, space: Any) -> None:
    """Add what is heard of a vehicle to the ears, through the poles of the head's shadow and of the air."""
    shade, air_step = share_of(SHADOW_CORNER), space.air_step / BLOCK
    memory, heard = space.memory, space.heard
    left_shadow, left, right_shadow, right = memory[0, 0], memory[0, 1], memory[1, 0], memory[1, 1]
    for i in range(BLOCK):  # both ears in one loop, so that their poles are computed in parallel
        share = 1.0 - (space.air - (BLOCK - 1 - i) * air_step)
        left_shadow = pole(left_shadow, heard[0, 1, i], shade)
        right_shadow = pole(right_shadow, heard[1, 1, i], shade)
        left = pole(left, heard[0, 0, i] + left_shadow, share)
        right = pole(right, heard[1, 0, i] + right_shadow, share)
        ears[i, 0] += left
        ears[i, 1] += right
    memory[0, 0], memory[0, 1], memory[1, 0], memory[1, 1] = left_shadow, left, right_shadow, right
