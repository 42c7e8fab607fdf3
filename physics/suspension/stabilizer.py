"""Stabilizer: anti-roll bars whose stiffness is a fraction of that of the springs (CE-ARB-01).

    F = stabilizer * k * (jounce_a - jounce_b)      k: mean stiffness of the two springs

Each axle has one bar, which acts on body and tires as in antiroll.py. An axle is a pair of wheels that are mirror
images of each other, with the same `axle` number if the suspension has such numbers (authored_pose.py).

Source: the CryEngine vehicle document, `stabilizer`; usual values are 0 to 2.5.
"""

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Float, Floats, WheelRefs, field
from driving_sandbox.physics.suspension.antiroll import ANTIROLL, AntirollParams, AntirollState
from driving_sandbox.physics.suspension.authored_pose import opposite_pairs
from driving_sandbox.physics.tick.component import Component

BARS = WHEEL_CAPACITY // 2  # largest number of bars: one for each axle


class StabilizerParams(AntirollParams):
    """The fraction, common to all axles, and the bars derived from it."""

    stabilizer: Float = field(
        unit="1",
        ge=0,
        le=10,
        default=0.0,
        suggest=(0, 2.5),
        source="CE-ARB-01",
        mechanic=True,
        doc="Force per metre of difference in jounce, as a fraction of the springs' stiffness.",
    )
    wheel_a: WheelRefs = field(
        capacity=BARS, unit="1", derived=True, default=[], doc="One wheel of each bar, by number."
    )
    wheel_b: WheelRefs = field(
        capacity=BARS, unit="1", derived=True, default=[], doc="The other wheel of each bar, by number."
    )
    stiffness: Floats = field(
        capacity=BARS, unit="N/m", derived=True, default=[], mechanic=True, doc="Stiffness of each bar."
    )


def derive(params: np.void, suspension_params: np.ndarray, wheel_count: int) -> None:
    """Set wheels and stiffness of the bars."""
    wheels = suspension_params[:wheel_count]
    axles = wheels["axle"] if "axle" in field_names(wheels.dtype) else np.zeros(wheel_count, np.int64)
    pairs = opposite_pairs(wheels["attachment"], axles)
    stiffness = [params["stabilizer"] * 0.5 * (wheels["stiffness"][a] + wheels["stiffness"][b]) for a, b in pairs]
    lists = ("wheel_a", [a for a, _ in pairs]), ("wheel_b", [b for _, b in pairs]), ("stiffness", stiffness)
    for name, values in lists:
        params[name]["count"] = len(values)
        params[name]["values"][: len(values)] = values


STABILIZER = Component(
    slot="antiroll",
    name="stabilizer",
    params=StabilizerParams,
    state=AntirollState,
    phases=ANTIROLL.phases,
    derive=derive,
    writes=ANTIROLL.writes,
    doc="Anti-roll bars with a fraction of the springs' stiffness.",
)
