"""Wind about the body: turbulence of the boundary layer and of edges, below the speed of sound.

Level ~ v^2.625 of two noises whose corner frequencies rise with v, together v^3: 60 dB per decade, as the dipoles of
turbulence at a rigid body radiate (Curle 1955, The influence of solid boundaries upon aerodynamic sound). Gusts change
the level slowly; air from the side tears off at the windscreen's pillar and is louder.
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
FASTEST = 150.0  # m/s, beyond which nothing gets louder
LEVEL = 0.25  # of the low noise at the reference speed
LOW_CORNER, LOW_PER_SPEED = 80.0, 12.0  # Hz, Hz s/m, of two poles
HIGH_CORNER, HIGH_PER_SPEED = 300.0, 30.0  # Hz, Hz s/m, of one pole
HIGH_SHARE = 0.12  # level of the higher noise, relative to the low one
GUST_SHARE = 0.004  # share per block of a low-pass: gusts of about 0.8 Hz
GUST = 11.0  # factor on their noise: a standard deviation of 0.28
LEAST_GUST = 0.4  # factor in a lull


class WindSound(Schema):
    """Sound of the wind about a vehicle's body."""

    level: Float = field(unit="1", ge=0, default=1.0, suggest=(0.3, 3.0),
                         doc="Level by that of a closed car; open or angular bodies are louder.")  # fmt: skip
    pitch: Float = field(unit="1", gt=0, default=1.0, suggest=(0.5, 2.0),
                         doc="Factor on the corner frequencies; large bodies are lower.")  # fmt: skip
    gusts: Float = field(unit="1", ge=0, default=1.0, suggest=(0.0, 2.0), doc="Unevenness of the wind.")
    side: Float = field(unit="1", ge=0, default=1.0, suggest=(0.0, 2.0),
                        doc="Increase of the level in proportion when air comes straight from the side.")  # fmt: skip


STATE = np.dtype(
    [
        ("noise", np.uint64),
        ("gains", np.float64, (1,)),
        ("low", np.float64, (2,)),  # poles of the low noise
        ("high", np.float64),  # pole of the higher noise
        ("gust", np.float64),  # low-passed noise
    ],
    align=True,
)


@kernel
def _level(parameters: Any, state: Any, speed: float, yaw: float) -> float:
    """Gain of the wind; moves its gust on by a block."""
    state.gust += GUST_SHARE * (white(state) - state.gust)
    gust = max(1.0 + GUST * parameters.gusts * state.gust, LEAST_GUST)
    aside = sin(yaw)
    share = speed / REFERENCE_SPEED
    power = share * share * sixteenths(share, 10)
    return LEVEL * parameters.level * power * gust * (1.0 + parameters.side * aside * aside)


@kernel
def render_wind(buses: Any, parameters: Any, state: Any, before: Any, after: Any) -> None:
    """Add a block of wind to the bus BODY; its gain ramps from that of the last block's end."""
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
        bus[k] += gain * (lower + HIGH_SHARE * high)
    state.low[0], state.low[1], state.high = low, lower, high
