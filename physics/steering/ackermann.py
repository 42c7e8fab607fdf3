"""Ackermann correction of one axle, so that its wheels have a common turn centre (PX-STEER-04..07).

With theta the mean of the two steer angles that slot `steering` has set (positive to the left), and phi = |theta|:

    phi' = atan(L / (T + L / tan phi))      angle of the other wheel for a common turn centre
    one wheel: phi                          other wheel: phi + strength (phi' - phi)

L is the distance of this axle ahead of the axle on whose line the turn centre lies, negative for a steered axle behind
it; T is the track. The wheel with the angle phi is the left one if theta > 0, else the right one. With L > 0 it is the
inner wheel, and the outer one gets a smaller angle. With L < 0 it is the outer wheel, and the inner one gets a larger
angle.

One component corrects one axle: ACKERMANN the first, ACKERMANN_SECOND another one of the same vehicle.
`reference_angles` is the formula of the PhysX SDK, whose mean ignores response tables over speed; tests compare with
it.
"""

from typing import Any

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
        doc="0: parallel wheels, 1: exact geometry.",
        source="PX-STEER-04",
    )
    wheelbase: Float = field(
        unit="m",
        suggest=(-5, 5),
        default=2.5,
        source="PX-STEER-07",
        doc="Distance of this axle ahead of the one in line with the turn centre; negative if behind it.",
    )
    track: Float = field(
        unit="m", gt=0, suggest=(0.8, 2.5), default=1.5, doc="Distance between the two wheels.", source="PX-STEER-06"
    )


@kernel
def corrected_angles(angle: float, strength: float, wheelbase: float, track: float) -> tuple[float, float]:
    """(left, right) corrected steer angles of an axle, rad, positive to the left. angle: theta."""
    if angle == 0.0:
        return 0.0, 0.0
    phi = abs(angle)
    exact = elementary.atan(wheelbase / (track + wheelbase / elementary.tan(phi)))
    other = phi + strength * (exact - phi)
    if angle > 0.0:
        return phi, other
    return -other, -phi


@kernel
def reference_angles(
    steer: float, left_max: float, right_max: float, strength: float, wheelbase: float, track: float
) -> tuple[float, float]:
    """(left, right) steer angles, rad, for a steer command (+1 = right). left_max, right_max: at full command, rad."""
    return corrected_angles(-(steer * right_max + steer * left_max) * 0.5, strength, wheelbase, track)


@kernel
def update(params: Any, steering: Any) -> None:
    """Correct the axle's angles; nothing changes if their mean or the strength is 0."""
    left = steering[params.left].angle
    right = steering[params.right].angle
    mean = (left + right) * 0.5
    if params.strength == 0.0 or mean == 0.0:
        return
    left, right = corrected_angles(mean, params.strength, params.wheelbase, params.track)
    steering[params.left].angle = left
    steering[params.right].angle = right


def check(params: Any) -> list[tuple[str, str]]:
    """Problems of equal wheels, and of a wheelbase of 0 with a strength above 0."""
    problems = []
    if params["left"] == params["right"]:
        problems.append(("right", "must be another wheel than left"))
    if params["strength"] > 0 and params["wheelbase"] == 0:
        problems.append(("wheelbase", "must not be 0 while strength is > 0: an axle cannot turn about itself"))
    return problems


def _axle(slot: str, doc: str) -> Component:
    """The Component that corrects one axle."""
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
