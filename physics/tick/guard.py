"""The check at the end of every tick: NaN, infinity, or a component of speed or position that reaches its limit.

The limits are far above any vehicle's motion and far below the numbers at which float64 resolves only millimetres.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel.jit import kernel

MAX_SPEED = 1000.0  # m/s, three times the land speed record
MAX_ANGULAR_SPEED = 200.0  # rad/s, of the body: 32 rotations per second
MAX_WHEEL_RATE = 5000.0  # rad/s, a 0.3 m wheel at 1500 m/s
MAX_POSITION = 1e6  # m; beyond it contact geometry is wrong by micrometres

# Fault codes
FINE = 0
BODY_FAULT = 1
WHEEL_FAULT = 2  # plus the wheel's index


@kernel
def _beyond(v: Any, limit: float) -> bool:
    """Whether a component of a vector is NaN or has at least the magnitude of the limit."""
    return not (abs(v[0]) < limit and abs(v[1]) < limit and abs(v[2]) < limit)


@kernel
def first_fault(body: Any, wheel: Any, wheel_count: int) -> int:
    """Fault code of a state: FINE, BODY_FAULT or WHEEL_FAULT + i."""
    if _beyond(body.velocity, MAX_SPEED) or _beyond(body.angular_velocity, MAX_ANGULAR_SPEED):
        return BODY_FAULT
    # one number of the orientation is enough: NaN in any spreads to all when it is normalized
    if _beyond(body.position, MAX_POSITION) or not math.isfinite(body.orientation[3]):
        return BODY_FAULT
    for i in range(wheel_count):
        if not abs(wheel[i].omega) < MAX_WHEEL_RATE:
            return WHEEL_FAULT + i
    return FINE


@kernel
def first_bad_word(words: Any, indices: Any) -> Any:
    """Index of the first of a state's float64 words `indices` that is NaN or infinity; -1 if there is none.

    Only floats are checked: a negative integer read as a float looks like NaN.
    """
    for k in indices:
        if not math.isfinite(words[k]):
            return k
    return -1
