"""Wind noise of the body: turbulent boundary layer and separation at edges, at low Mach number.

The sum of two low-passed noises. Their gain rises as v^2.625 and their corner frequencies with the air speed v, so the
pressure rises about as v^3, 60 dB per decade, like the dipoles of turbulence at a rigid body (Curle 1955, The influence
of solid boundaries upon aerodynamic sound). Gusts change the level slowly; a crosswind separates at the A-pillar and is
louder.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.elementary import sin
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.sound.base.block import BLOCK, BODY
from driving_sandbox.sound.base.filters import pole, share_of
from driving_sandbox.sound.base.gain import advance, sixteenths
from driving_sandbox.sound.base.noise import begin as begin
from driving_sandbox.sound.base.noise import white

REFERENCE_SPEED = 40.0  # m/s
FASTEST = 150.0  # m/s, above which the sound stays the same
LEVEL = 0.25  # gain on the low noise at the reference speed
LOW_CORNER, LOW_PER_SPEED = 80.0, 12.0  # Hz, Hz s/m, of two poles
HIGH_CORNER, HIGH_PER_SPEED = 300.0, 30.0  # Hz, Hz s/m, of one pole
HIGH_GAIN = 0.12  # gain on the high noise / gain on the low one
GUST_SHARE = 0.004  # share, per block, of the pole of the gusts' noise: a corner of 0.8 Hz
GUST = 11.0  # gain on that low-passed noise, for a standard deviation of 0.28
LEAST_GUST = 0.4  # factor in a lull


class WindSound(Schema):
    """Sound of the wind about a vehicle's body."""

    level: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 3.0),
                         doc="Level relative to a closed car; open or angular bodies are louder.")  # fmt: skip
    pitch: Float = field(unit="1", gt=0, default=1.0, suggest=(0.5, 2.0),
                         doc="Factor on the corner frequencies; larger bodies sound lower.")  # fmt: skip
    gusts: Float = field(unit="1", ge=0, default=1.0, suggest=(0.0, 2.0), doc="Strength of the gusts.")
    side: Float = field(unit="1", ge=0, default=1.0, suggest=(0.0, 2.0),
                        doc="Relative increase in level when the air comes straight from the side.")  # fmt: skip


STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("gains", np.float64, (1,)),
        ("low", np.float64, (2,)),  # poles of the low noise
        ("high", np.float64),  # pole of the high noise
        ("gust", np.float64),  # pole of the gusts' noise
    ],
    align=True,
)


@kernel
def _level(parameters: Any, state: Any, speed: float, yaw: float) -> float:
    """Gain on the low noise; advances the gusts by a block.

    Args:
        speed: of the air against the body, m/s, at least 0.
        yaw: angle of that air to the body's longitudinal axis, rad.
    """
    state.gust += GUST_SHARE * (white(state) - state.gust)
    gust = max(1.0 + GUST * parameters.gusts * state.gust, LEAST_GUST)
    aside = sin(yaw)
    speed_ratio = speed / REFERENCE_SPEED
    growth = speed_ratio * speed_ratio * sixteenths(speed_ratio, 10)  # v^2.625 = v^2 v^(10/16)
    return LEVEL * parameters.level * growth * gust * (1.0 + parameters.side * aside * aside)


@kernel
def render_wind(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of wind noise to the bus BODY; the gain ramps on from the end of the last block.

    Args:
        buses: [BUS_COUNT, BLOCK], changed.
        parameters: WindSound record.
        state: STATE record, changed.
        before, after: frames at the block's start (unused) and end.
    """
    speed = min(abs(after.air_speed), FASTEST)
    gain, slope = advance(state.gains, 0, _level(parameters, state, speed, after.air_yaw))
    if gain == 0.0 and slope == 0.0:
        state.low[:] = 0.0
        state.high = 0.0
        return
    bus = buses[BODY]
    low_share = share_of((LOW_CORNER + LOW_PER_SPEED * speed) * parameters.pitch)
    high_share = share_of((HIGH_CORNER + HIGH_PER_SPEED * speed) * parameters.pitch)
    low, lower, high = state.low[0], state.low[1], state.high
    for k in range(BLOCK):
        low = pole(low, white(state), low_share)
        lower = pole(lower, low, low_share)
        high = pole(high, white(state), high_share)
        gain += slope
        bus[k] += gain * (lower + HIGH_GAIN * high)
    state.low[0], state.low[1], state.high = low, lower, high
