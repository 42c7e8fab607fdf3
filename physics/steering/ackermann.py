"""Ackermann correction of one axle, so that its wheels have a common turn centre (PX-STEER-04..07).

With theta the mean of the axle's two steer angles (positive to the left, the command-speed table included) and
phi = |theta|:

    phi' = atan(L / (T + L / tan phi))      angle of the other wheel for a common turn centre
    one wheel: phi                          other wheel: phi + strength (phi' - phi)

L is the distance of this axle ahead of the axle on whose line the turn centre lies, negative for a steered axle behind
it; T is the track. With L > 0 the inner wheel has the angle phi, and the outer one a smaller angle. With L < 0 the same
formula gives the wheel on the other side a larger angle, which is the same geometry.

One component corrects one axle: ACKERMANN the first, ACKERMANN_SECOND another one of the same vehicle.
`reference_angles` is the formula of the public vehicle SDK, whose mean ignores the speed table; tests compare with it.
"""

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, WheelRef, field
from driving_sandbox.physics.tick.component import Component


class AckermannParams(Schema):
    """Geometry of one steered axle."""

    left: WheelRef = field(default=0, doc="Left wheel of the axle.", source="PX-STEER-05")
    right: WheelRef = field(default=1, doc="Right wheel of the axle.", source="PX-STEER-05")
    strength: Float = field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0, 1),
        default=0.0,
        mechanic=True,
        doc="0 parallel wheels, 1 exact geometry.",
        source="PX-STEER-04",
    )
    wheelbase: Float = field(
        unit="m",
        suggest=(-5, 5),
        default=2.5,
        source="PX-STEER-07",
        doc="Distance of this axle ahead of the axle in line with the turn centre; negative behind it.",
    )
    track: Float = field(
        unit="m", gt=0, suggest=(0.8, 2.5), default=1.5, doc="Distance between the two wheels.", source="PX-STEER-06"
    )


@kernel
def corrected_angles(angle, strength, wheelbase, track):
    """(left, right) steer angles of an axle with a mean angle, rad, positive to the left."""
    if angle == 0.0:
        return 0.0, 0.0
    phi = abs(angle)
    exact = elementary.atan(wheelbase / (track + wheelbase / elementary.tan(phi)))
    other = phi + strength * (exact - phi)
    if angle > 0.0:
        return phi, other
    return -other, -phi


@kernel
def reference_angles(steer, left_max, right_max, strength, wheelbase, track):
    """(left, right) steer angles, rad, for a steer command (+1 = right) by the linear response alone."""
    return corrected_angles(-(steer * right_max + steer * left_max) * 0.5, strength, wheelbase, track)


@kernel
def update(params, steering):
    """Correct the axle's angles; without effect straight ahead or with strength 0."""
    left = steering[params.left].angle
    right = steering[params.right].angle
    mean = (left + right) * 0.5
    if params.strength == 0.0 or mean == 0.0:
        return
    left, right = corrected_angles(mean, params.strength, params.wheelbase, params.track)
    steering[params.left].angle = left
    steering[params.right].angle = right


def check(params):
    problems = []
    if params["left"] == params["right"]:
        problems.append(("right", "must be another wheel than left"))
    if params["strength"] > 0 and params["wheelbase"] == 0:
        problems.append(("wheelbase", "must not be 0 while strength is > 0: an axle cannot turn about itself"))
    return problems


def _axle(slot, doc):
    return Component(
        slot=slot,
        name="ackermann",
        params=AckermannParams,
        phases={"update": update},
        writes=("steering",),
        check=check,
        doc=doc,
    )


ACKERMANN = _axle("ackermann", "Ackermann correction of the first steered axle.")
ACKERMANN_SECOND = _axle("ackermann_second", "Ackermann correction of another steered axle.")
