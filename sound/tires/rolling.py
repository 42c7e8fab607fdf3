"""Rolling noise, hiss and scrub of one wheel; the levels and their sources are in sound/tires/tires.py.

Each part has its own noise: one noise into parallel filters would cancel between their bands.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole, scale_of, share_of, tuning_of, two_pole
from driving_sandbox.sound.base.gain import advance
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.tires.surfaces import KICK, SPACING

TEXTURE_CORNER, TEXTURE_CORNER_PER_SPEED = 30.0, 10.0  # Hz, Hz s/m
CAVITY_LEVEL, CAVITY_DAMPING = 0.15, 0.15
TREAD_CENTRE_PER_SPEED = 8.0  # Hz s/m
TREAD_DAMPING = 1.1
HISS_CORNER, HISS_DAMPING = 2500.0, 1.4  # Hz
SCRUB_CENTRE, SCRUB_DAMPING = 670.0, 1.8  # Hz; passes 0.3 to 1.5 kHz
LUG_KICK = 14.0  # blow of a lug, by the amplitude of the noise
LUG_IRREGULARITY = 0.3  # of the blows, in proportion


@kernel
def _blow(wheel: Any, parameters: Any, ground: Any, step: float) -> float:
    """Blows of joints and lugs while the wheel rolls `step` metres, 0 for most samples."""
    blow = 0.0
    wheel.joint += step
    if ground[SPACING] > 0.0 and wheel.joint >= ground[SPACING]:
        wheel.joint -= math.floor(wheel.joint / ground[SPACING]) * ground[SPACING]
        blow = ground[KICK]
    if parameters.lugs > 0.0:
        wheel.lug += step
        if wheel.lug >= parameters.lug_spacing:
            wheel.lug -= math.floor(wheel.lug / parameters.lug_spacing) * parameters.lug_spacing
            blow += LUG_KICK * parameters.lugs * (1.0 + LUG_IRREGULARITY * white(wheel))
    return blow


@kernel
def render_rolling(
    bus: Any, wheel: Any, parameters: Any, ground: Any, speed: float, centre: float, texture: Any, tread: Any
) -> None:
    """Rumble, air in the tire and noise of the tread, in one loop, as a processor runs their filters side by side.

    Args:
        centre: of the tread noise, Hz.
        texture, tread: rows of `gains` with their targets.
    """
    rumble, rumble_slope = advance(wheel.gains, texture[0], texture[1])
    noise, noise_slope = advance(wheel.gains, tread[0], tread[1])
    if rumble + noise == 0.0 and rumble_slope + noise_slope == 0.0:
        wheel.rolling[:] = 0.0
        return
    share, step = share_of(TEXTURE_CORNER + TEXTURE_CORNER_PER_SPEED * speed), speed / SAMPLE_RATE
    cavity_g, tread_g = tuning_of(parameters.cavity), tuning_of(centre)
    cavity_scale, tread_scale = scale_of(cavity_g, CAVITY_DAMPING), scale_of(tread_g, TREAD_DAMPING)
    memory = wheel.rolling
    low, lower, air, air_2, block, block_2 = memory[0], memory[1], memory[2], memory[3], memory[4], memory[5]
    for k in range(BLOCK):
        blow = _blow(wheel, parameters, ground, step)
        low = pole(low, white(wheel) + blow, share)
        lower = pole(lower, low, share)
        _, ring, air, air_2 = two_pole(air, air_2, white(wheel) + blow, cavity_g, cavity_scale)
        _, band, block, block_2 = two_pole(block, block_2, white(wheel), tread_g, tread_scale)
        rumble += rumble_slope
        noise += noise_slope
        bus[k] += rumble * (lower + CAVITY_LEVEL * ring) + noise * band
    memory[0], memory[1], memory[2], memory[3], memory[4], memory[5] = low, lower, air, air_2, block, block_2


@kernel
def render_hiss(bus: Any, wheel: Any, row: int, target: float) -> None:
    """Hiss of water between tread and ground."""
    gain, slope = advance(wheel.gains, row, target)
    if gain == 0.0 and slope == 0.0:
        wheel.hiss[:] = 0.0
        return
    g = tuning_of(HISS_CORNER)
    scale = scale_of(g, HISS_DAMPING)
    first, second = wheel.hiss[0], wheel.hiss[1]
    for k in range(BLOCK):
        x = white(wheel)
        low, band, first, second = two_pole(first, second, x, g, scale)
        gain += slope
        bus[k] += gain * (x - HISS_DAMPING * band - low)
    wheel.hiss[0], wheel.hiss[1] = first, second


@kernel
def prepare_scrub(wheel: Any, row: int, target: float) -> Any:
    """Set a block's gain of the noise of a contact patch that slides; returns whether it sounds."""
    gain, slope = advance(wheel.gains, row, target)
    if gain == 0.0 and slope == 0.0:
        wheel.scrub[:] = 0.0
        return False
    wheel.scrub_gain, wheel.scrub_slope = SCRUB_DAMPING * gain, SCRUB_DAMPING * slope
    return True


@kernel
def render_scrubs(front: Any, rear: Any, wheels: Any, group: Any) -> None:
    """Add a block of the contact patches that slide; arguments as those of `render_squeals`."""
    g = tuning_of(SCRUB_CENTRE)
    scale = scale_of(g, SCRUB_DAMPING)
    for k in range(BLOCK):
        for j in range(group.count):
            wheel = wheels[group.wheels[j]]
            memory = wheel.scrub
            _, band, memory[0], memory[1] = two_pole(memory[0], memory[1], white(wheel), g, scale)
            wheel.scrub_gain += wheel.scrub_slope
            if j < group.front_count:
                front[k] += wheel.scrub_gain * band
            else:
                rear[k] += wheel.scrub_gain * band
