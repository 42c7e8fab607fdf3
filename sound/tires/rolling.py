"""Rolling noise, scrub and hiss of the wheels; the levels and their sources are in sound/tires/tires.py.

Each part has its own noise: the outputs of parallel filters fed by one noise would partly cancel between their bands.
The values of all wheels lie side by side (LANES), so that loops over the wheels can be vectorised.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.roughness import surface_height
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, SAMPLE_RATE
from driving_sandbox.sound.base.filters import pole, scale_of, share_of, tuning_of, two_pole
from driving_sandbox.sound.base.gain import advance
from driving_sandbox.sound.base.noise import white
from driving_sandbox.sound.tires.surfaces import KICK, SPACING

FOOTPRINT = 0.1  # m, length over which a tire averages the ground's height
TEXTURE_CORNER, TEXTURE_CORNER_PER_SPEED = 30.0, 1.0 / FOOTPRINT  # Hz, Hz s/m
HEIGHT_BLOW = 1e-3  # s^2/m, blow per acceleration with which the ground lifts a wheel
FASTEST_RISE = 40.0  # m/s; a faster rise means that the vehicle was put to another position, and is ignored
JUMP = 2.0  # a contact point that moves faster than JUMP times the wheel's speed jumps instead of rolling
STANDING = 0.5  # m/s, lower limit of the speed in the test for jumps and in the time to roll over the footprint
FLAT_ROAD = 1e-9  # m/s; a slower smoothed rise counts as none
CAVITY_LEVEL, CAVITY_DAMPING = 0.15, 0.15  # gain of the band-pass, relative to the rumble; 1 / Q
TREAD_CENTRE_PER_SPEED = 8.0  # Hz s/m
TREAD_DAMPING = 1.1  # 1 / Q
HISS_CORNER, HISS_DAMPING = 2500.0, 1.4  # Hz, 1 / Q
SCRUB_CENTRE, SCRUB_DAMPING = 670.0, 1.8  # Hz, 1 / Q; passes 0.3 to 1.5 kHz
LUG_KICK = 14.0  # blow of a lug, relative to the amplitude of the noise
TREAD_BLOCK_KICK = 2.0  # blow of a tread block on the tread, in the same measure
TREAD_BLOCK_VARIATION = 0.15  # of the tread blocks' lengths, so that they hum in a band instead of a tone
LUG_IRREGULARITY = 0.3  # of the blows, in proportion
LANES = (WHEEL_CAPACITY,)  # a value per wheel

ROLLING = np.dtype(
    [
        # memories of the filters
        ("low", np.float64, LANES),  # first pole of the rumble
        ("lower", np.float64, LANES),  # its second pole
        ("air", np.float64, LANES),  # of the cavity
        ("air_2", np.float64, LANES),
        ("tread", np.float64, LANES),  # of the tread noise
        ("tread_2", np.float64, LANES),
        # values of the present BLOCK of samples
        ("share", np.float64, LANES),  # of `pole`, for both poles of the rumble
        ("tuning", np.float64, LANES),  # g of `two_pole`, for the tread noise
        ("scale", np.float64, LANES),  # and its `scale`
        ("rumble", np.float64, LANES),  # gain of the rumble, and its change per sample
        ("rumble_slope", np.float64, LANES),
        ("hum", np.float64, LANES),  # the same of the tread noise
        ("hum_slope", np.float64, LANES),
    ],
    align=True,
)
SCRUB = np.dtype(
    [
        ("first", np.float64, LANES),  # memory of the filter
        ("second", np.float64, LANES),
        ("gain", np.float64, LANES),
        ("slope", np.float64, LANES),  # of the gain, per sample
    ],
    align=True,
)


@kernel
def prepare_rolling(rolling: Any, lane: int, gains: Any, speed: float, centre: float, rumble: Any, tread: Any) -> bool:
    """Set a wheel's values in ROLLING for a BLOCK of samples; returns whether it sounds.

    Args:
        rolling: ROLLING of the tires.
        lane: number of the wheel.
        speed: of the wheel over the ground, m/s.
        centre: of the tread noise, Hz.
        rumble, tread: (row of `gains`, its target) of the rumble and of the tread noise.
    """
    r, j = rolling, lane
    r.rumble[j], r.rumble_slope[j] = advance(gains, rumble[0], rumble[1])
    r.hum[j], r.hum_slope[j] = advance(gains, tread[0], tread[1])
    if r.rumble[j] + r.hum[j] == 0.0 and r.rumble_slope[j] + r.hum_slope[j] == 0.0:
        r.low[j] = r.lower[j] = r.air[j] = r.air_2[j] = r.tread[j] = r.tread_2[j] = 0.0
        return False
    r.share[j] = share_of(TEXTURE_CORNER + TEXTURE_CORNER_PER_SPEED * speed)
    r.tuning[j] = tuning_of(centre)
    r.scale[j] = scale_of(r.tuning[j], TREAD_DAMPING)
    return True


@inline_kernel
def roll(state: Any, k: int, width: int, g: float, scale: float) -> None:
    """Add a sample of rumble, air in the tire and noise of the tread to `heard`.

    Args:
        state: STATE of the tires; rows 0, 1 and 2 of its `noise` excite rumble, air and tread, blows included.
        k: number of the sample in the block.
        width: number of lanes.
        g, scale: of the cavity's filter.
    """
    r, noise, heard = state.rolling, state.noise, state.heard
    for j in range(width):
        at = k * width + j
        r.low[j] = pole(r.low[j], noise[0, at], r.share[j])
        r.lower[j] = pole(r.lower[j], r.low[j], r.share[j])
        _, ring, r.air[j], r.air_2[j] = two_pole(r.air[j], r.air_2[j], noise[1, at], g, scale)
        _, band, r.tread[j], r.tread_2[j] = two_pole(r.tread[j], r.tread_2[j], noise[2, at], r.tuning[j], r.scale[j])
        r.rumble[j] += r.rumble_slope[j]
        r.hum[j] += r.hum_slope[j]
        heard[at] += r.rumble[j] * (r.lower[j] + CAVITY_LEVEL * ring) + r.hum[j] * band


@kernel
def add_blows(noise: Any, lane: int, width: int, wheel: Any, parameters: Any, ground: Any, speed: float) -> None:
    """Add the blows of planks and lugs to the `noise` of rumble and cavity, those of tread blocks to the tread's.

    Args:
        wheel: memory of the wheel: metres since the last plank and lug, and to the next tread block.
        parameters: of the tires.
        ground: row of the ground's kind (sound/tires/surfaces.py).
        speed: of the wheel over the ground, m/s.
    """
    step = speed / SAMPLE_RATE
    if ground[SPACING] == 0.0 and parameters.lugs == 0.0:
        wheel.plank += BLOCK * step  # so that the first plank of a road that has them comes at once
    else:
        for k in range(BLOCK):
            blow = _blow(wheel, parameters, ground, step)
            noise[0, k * width + lane] += blow
            noise[1, k * width + lane] += blow
    if parameters.blocks > 0.0:
        for k in range(BLOCK):
            wheel.to_block -= step
            if wheel.to_block <= 0.0:
                wheel.to_block += parameters.block_spacing * (1.0 + TREAD_BLOCK_VARIATION * white(wheel))
                noise[2, k * width + lane] += TREAD_BLOCK_KICK * parameters.blocks


@kernel
def rise_of_unevenness(before: Any, after: Any, lane: int, speed: float) -> float:
    """Mean rate, m/s, at which the ground's roughness and joints lift a wheel in a block.

    Both heights are of the roughness and joints at the block's end, so that a boundary between surfaces is no step.
    0 if the contact point has jumped: onto an edge, after a flight, or because the vehicle was moved.

    Args:
        before, after: FRAMEs at the block's start and end.
        speed: of the wheel over the ground, m/s.
    """
    amplitude, depth = after.roughness[lane], after.joint_depth[lane]
    if amplitude == 0.0 and depth == 0.0:
        return 0.0
    wavelength, spacing, gap = after.roughness_length[lane], after.joint_spacing[lane], after.joint_width[lane]
    x, y = after.contact_x[lane], after.contact_y[lane]
    dx, dy = x - before.contact_x[lane], y - before.contact_y[lane]
    longest = JUMP * max(speed, STANDING) * BLOCK_SECONDS
    if dx * dx + dy * dy > longest * longest:
        return 0.0
    length = FOOTPRINT + speed * BLOCK_SECONDS
    height = surface_height(amplitude, wavelength, spacing, gap, depth, x, y, length)
    return (height - surface_height(amplitude, wavelength, spacing, gap, depth, x - dx, y - dy, length)) / BLOCK_SECONDS


@kernel
def add_height(noise: Any, lane: int, width: int, wheel: Any, before: Any, after: Any, speed: float) -> None:
    """Add what the ground's height does to a wheel in a block to the `noise` of rumble and cavity.

    The rate at which it lifts the wheel is smoothed over the footprint. The blow is proportional to the acceleration,
    the change of the smoothed rate per time, and moves evenly within the block to its new value.

    Args:
        before, after: FRAMEs at the block's start and end.
        speed: of the wheel over the ground, m/s.
    """
    rise = (after.road_height[lane] - before.road_height[lane]) / BLOCK_SECONDS
    if abs(rise) > FASTEST_RISE:
        rise = 0.0
    rise += rise_of_unevenness(before, after, lane, speed)
    share = BLOCK_SECONDS / (BLOCK_SECONDS + FOOTPRINT / max(speed, STANDING))
    smoothed = wheel.rise + share * (rise - wheel.rise)
    smoothed = smoothed if abs(smoothed) > FLAT_ROAD else 0.0
    blow = HEIGHT_BLOW * (smoothed - wheel.rise) / BLOCK_SECONDS
    wheel.rise = smoothed
    if blow == 0.0 and wheel.height_blow == 0.0:
        return
    step = (blow - wheel.height_blow) / BLOCK
    for k in range(BLOCK):
        wheel.height_blow += step
        noise[0, k * width + lane] += wheel.height_blow
        noise[1, k * width + lane] += wheel.height_blow
    wheel.height_blow = blow


@kernel
def _blow(wheel: Any, parameters: Any, ground: Any, step: float) -> float:
    """Blows of planks and lugs while the wheel rolls `step` metres, 0 for most samples."""
    blow = 0.0
    wheel.plank += step
    if ground[SPACING] > 0.0 and wheel.plank >= ground[SPACING]:
        wheel.plank -= math.floor(wheel.plank / ground[SPACING]) * ground[SPACING]
        blow = ground[KICK]
    if parameters.lugs > 0.0:
        wheel.lug += step
        if wheel.lug >= parameters.lug_spacing:
            wheel.lug -= math.floor(wheel.lug / parameters.lug_spacing) * parameters.lug_spacing
            blow += LUG_KICK * parameters.lugs * (1.0 + LUG_IRREGULARITY * white(wheel))
    return blow


@kernel
def render_hiss(bus: Any, wheel: Any, row: int, target: float) -> None:
    """Add the hiss of water between tread and ground."""
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
def prepare_scrub(scrub: Any, lane: int, gains: Any, row: int, target: float) -> bool:
    """Set a block's gain of the noise of a contact patch that slides; returns whether it sounds."""
    gain, slope = advance(gains, row, target)
    scrub.gain[lane], scrub.slope[lane] = SCRUB_DAMPING * gain, SCRUB_DAMPING * slope
    if gain == 0.0 and slope == 0.0:
        scrub.first[lane] = scrub.second[lane] = 0.0
        return False
    return True


@inline_kernel
def scrub(state: Any, k: int, width: int, g: float, scale: float) -> None:
    """Add a sample of the contact patches that slide to `heard`; row 3 of `noise` excites it.

    g, scale: of the scrub's filter; the other arguments as in `roll`.
    """
    s, noise, heard = state.scrub, state.noise, state.heard
    for j in range(width):
        at = k * width + j
        _, band, s.first[j], s.second[j] = two_pole(s.first[j], s.second[j], noise[3, at], g, scale)
        s.gain[j] += s.slope[j]
        heard[at] += s.gain[j] * band
