"""The command record: driver inputs for one tick, before any smoothing.

Every source of driving (keyboard, gamepad, wheel, AI, file, replay) fills the same record, and recordings store it
unchanged. Smoothing of key presses belongs to the vehicle and runs inside the tick (see `digital`).

Units and signs
    throttle, brake, handbrake   0 (released) .. 1 (fully applied)
    clutch                       0 (released, engaged) .. 1 (pedal fully pressed, disengaged)
    steer                        -1 (full left) .. +1 (full right)
    gear                         index into the vehicle's ratio list: 0 reverse, 1 neutral, 2.. forward;
                                 `AUTOMATIC` leaves the choice of forward gear to the autobox
    digital                      1: throttle, brake, handbrake and steer come from keys, and the vehicle's
                                 rise and fall rates smooth them; 0: from an analog device or a program
    thrust_left, thrust_right    -1 (full back) .. +1 (full ahead), levers of a tracked vehicle; while both are 0, the
                                 steering sets its thrusts. Other vehicles ignore them
    brake_left, brake_right      0 (released) .. 1 (fully pulled), brake levers of a tracked vehicle

The dtype is aligned, so that the same record serves jitted kernels, NumPy and a byte-wise copy to a recording.
"""

from typing import Any

import numpy as np

# Indices into every ratio list, by convention of the gearbox
REVERSE = 0
NEUTRAL = 1
FIRST = 2
# Arguments of `field` for a commanded gear: any integer, as it may be a gear that the gearbox lacks
ANY_COMMAND: dict[str, Any] = {"unit": "1", "ge": -(2**63), "le": 2**63 - 1}
AUTOMATIC = 255  # value of `gear`; above any gear, and fits in a byte

COMMAND = np.dtype(
    [
        ("throttle", np.float64),
        ("brake", np.float64),
        ("handbrake", np.float64),
        ("clutch", np.float64),
        ("steer", np.float64),
        ("gear", np.int64),
        ("digital", np.int64),
        ("thrust_left", np.float64),
        ("thrust_right", np.float64),
        ("brake_left", np.float64),
        ("brake_right", np.float64),
    ],
    align=True,
)

PEDALS = ("throttle", "brake", "handbrake", "clutch")  # 0..1
THRUSTS = ("thrust_left", "thrust_right")  # -1..1
LEVER_BRAKES = ("brake_left", "brake_right")  # 0..1


def neutral_command(count: int = 1) -> np.ndarray:
    """COMMAND array [count]: all inputs zero, gearbox in neutral, not from keys."""
    command = np.zeros(count, COMMAND)
    command["gear"] = NEUTRAL
    return command
