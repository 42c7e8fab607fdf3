"""Mixer: from the buses of all vehicles to the two channels of samples.

    buses --space/ears, gain of the group--> sum of vehicles --space/reverb, space/cabin-->
    master gain --space/limiter--> samples

All gains change evenly, from 0 to 1 within FADE seconds.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import (
    BLOCK,
    BLOCK_SECONDS,
    BUS_COUNT,
    ENGINE_BAY,
    EXHAUST,
    FRONT_TIRES,
    REAR_TIRES,
)
from driving_sandbox.sound.base.frame import ABSENT
from driving_sandbox.sound.base.gain import towards
from driving_sandbox.sound.space.cabin import CABIN, add_bonnet, add_cabin
from driving_sandbox.sound.space.ears import add_vehicle
from driving_sandbox.sound.space.limiter import LIMITER, limit
from driving_sandbox.sound.space.reverb import REVERB, add_reverb

FADE = 0.05  # s, of a gain from 0 to 1; shorter ones click
_CHANGE = BLOCK_SECONDS / FADE  # per block
# LEVELS.master of files and videos, and of the program at full volume: a car at full power, heard from a chase camera,
# then has an rms of about .1, which is as loud as films and other games; the limiter takes what is above full scale
LOUDEST = 4.0

LEVELS = np.dtype(
    [  # gains, 1 by default
        ("master", np.float64),
        ("engine", np.float64),  # buses EXHAUST and ENGINE_BAY
        ("tires", np.float64),  # buses FRONT_TIRES and REAR_TIRES
        ("surroundings", np.float64),  # bus BODY: wind, impacts, horn
        ("interface", np.float64),  # sounds of the interface, which the stream adds (sound/interface/rendering.py)
        # 1 audible; 0 while muted, paused or seeking: the stream fades what the mixer gives (sound/device/stream.py)
        ("fade", np.float64),
    ],
    align=True,
)
MIX = np.dtype(
    [  # zero at the start
        ("fade_in", np.float64),  # gain of the first samples, rises once from 0 to 1
        ("master", np.float64),
        ("levels", np.float64, (BUS_COUNT,)),
        ("ears", np.float64, (BLOCK, 2)),
        ("reverb", REVERB),
        ("cabin", CABIN),
        ("bonnet", CABIN),  # the bonnet under a listener on it
        ("limiter", LIMITER),
    ],
    align=True,
)


@kernel
def mix(out: Any, buses: Any, frames: Any, listener: Any, spaces: Any, state: Any, levels: Any, cabin: float) -> None:
    """Compute a block of samples.

    Where the vehicles were before the block's end is known from the calls before; a jump is noticed and does not click.

    Args:
        out: float [BLOCK, 2], left and right, within -.891 and .891; written.
        buses: float64 [vehicles, BUS_COUNT, BLOCK].
        frames: FRAME [vehicles], at the block's end.
        listener: LISTENER, at the block's end.
        spaces: SPACE [vehicles], zero at the start except `emitters` (sound/space/emitters.py), changed.
        state: MIX, changed.
        levels: LEVELS.
        cabin: share of a closed cabin's walls that the first vehicle has, 0..1.
    """
    first = state.limiter.count == 0
    for bus in range(BUS_COUNT):
        wanted = _level(bus, levels)
        state.levels[bus] = wanted if first else towards(state.levels[bus], wanted, _CHANGE)
    state.ears[:] = 0.0
    for vehicle in range(len(frames)):
        if frames[vehicle].attenuation != ABSENT or spaces[vehicle].history.count > 0:
            add_vehicle(state.ears, buses[vehicle], frames[vehicle], listener, spaces[vehicle], state.levels)
    add_reverb(state.ears, listener, state.reverb)
    add_cabin(state.ears, listener.inside * cabin, state.cabin)
    add_bonnet(state.ears, listener.bonnet, state.bonnet)
    if first:
        state.master = levels.master
    before = state.master * state.fade_in
    state.master, state.fade_in = towards(state.master, levels.master, _CHANGE), towards(state.fade_in, 1.0, _CHANGE)
    step = (state.master * state.fade_in - before) / BLOCK
    for i in range(BLOCK):
        gain = before + (i + 1) * step
        state.ears[i, 0] *= gain
        state.ears[i, 1] *= gain
    limit(out, state.ears, state.limiter)


@kernel
def _level(bus: int, levels: Any) -> float:
    """Gain of a bus's group."""
    if bus in (EXHAUST, ENGINE_BAY):
        return levels.engine
    if bus in (FRONT_TIRES, REAR_TIRES):
        return levels.tires
    return levels.surroundings
