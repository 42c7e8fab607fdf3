"""Toe, camber and application points of suspension and tire forces over jounce (PX-COMPL-01..06).

    toe, camber, force points = graph(jounce / travel)

Each graph has up to three points, is linear between them and constant outside. Without points toe and camber are 0 and
the forces act at the attachment (the wheel centre at full compression). Forces that act below the centre of mass cause
body roll. A force point that the vehicle's file does not mention is estimated: the same as the other force point if the
file has that, else the contact patch (estimate/force_points.py). An empty list in the file means the attachment.

Toe over jounce is bump steer, and in a bend roll steer: the outer wheel is in jounce, the inner one in rebound. A front
axle whose wheels toe out in jounce understeers, and so does a rear axle whose wheels toe in.

Signs, equal on both sides of the vehicle: toe is a steer angle, positive to the left; camber is an inclination angle,
positive with the wheel's top to the right. The slot's name "compliance" is that of the PhysX vehicle; angles caused
by forces are in compliance_steer.py.
"""

from collections.abc import Set as AbstractSet
from typing import Any

from driving_sandbox.physics.estimate import Estimate
from driving_sandbox.physics.estimate.force_points import contact_patch
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.maths.curve import graph, vec_graph
from driving_sandbox.physics.schema.schema import Curve, Float, PerWheel, Vec3, VecCurve, field
from driving_sandbox.physics.tick.component import Component

POINTS = 3  # largest number of points of a graph (PX-COMPL-02)


class ComplianceParams(PerWheel):
    """Graphs of one wheel over jounce as a share of the travel: 0 at full droop, 1 at full compression."""

    toe: Curve = field(
        capacity=POINTS,
        x_unit="1",
        x_label="jounce / travel",
        unit="rad",
        default=[],
        mirror="sign",
        ge=-0.5,
        le=0.5,
        suggest=(-0.1, 0.1),
        source="PX-COMPL-03",
        mechanic=True,
        doc="Steer angle added, positive to the left; given for the right wheel of an axle, mirrored for the left one.",
    )
    camber: Curve = field(
        capacity=POINTS,
        x_unit="1",
        x_label="jounce / travel",
        unit="rad",
        default=[],
        mirror="sign",
        ge=-0.7,
        le=0.7,
        suggest=(-0.1, 0.1),
        source="PX-COMPL-04",
        mechanic=True,
        doc="Inclination angle, positive with the wheel's top to the right; given for the right wheel of an axle, "
        "mirrored for the left one.",
    )
    suspension_force_point: VecCurve = field(
        capacity=POINTS,
        x_unit="1",
        x_label="jounce / travel",
        unit="m",
        default=[],
        mirror="x",
        suggest=(-1, 1),
        source="PX-COMPL-05",
        doc="Application point of the suspension force, relative to the attachment.",
    )
    tire_force_point: VecCurve = field(
        capacity=POINTS,
        x_unit="1",
        x_label="jounce / travel",
        unit="m",
        default=[],
        mirror="x",
        suggest=(-1, 1),
        source="PX-COMPL-06",
        doc="Application point of the tire forces, relative to the attachment.",
    )


class ComplianceState(PerWheel):
    """Toe, camber and force points of one wheel at its present jounce."""

    toe: Float = field(unit="rad", doc="Steer angle added, positive to the left.")
    camber: Float = field(unit="rad", doc="Inclination angle to the body, positive with the wheel's top to the right.")
    suspension_force_point: Vec3 = field(
        unit="m", doc="Application point of the suspension force, relative to the attachment, suspension axes."
    )
    tire_force_point: Vec3 = field(
        unit="m", doc="Application point of the tire forces, relative to the attachment, suspension axes."
    )


@inline_kernel
def follow_graphs(p: Any, s: Any, share: float) -> None:
    """Evaluate the graphs of one wheel. share: jounce / travel."""
    s.toe = graph(p.toe, share)
    s.camber = graph(p.camber, share)
    vec3.store(s.suspension_force_point, vec_graph(p.suspension_force_point, share))
    vec3.store(s.tire_force_point, vec_graph(p.tire_force_point, share))


@kernel
def update(params: Any, state: Any, suspension: Any, suspension_params: Any, wheel_count: int) -> None:
    """Set toe, camber and force points of every wheel."""
    for i in range(wheel_count):
        follow_graphs(params[i], state[i], suspension[i].jounce / suspension_params[i].travel)


FORCE_POINTS = ("suspension_force_point", "tire_force_point")


def estimate(
    params: Any, suspension_params: Any, wheel_params: Any, wheel_count: int, given: AbstractSet[Any]
) -> list[Estimate]:
    """List of Estimate for the force points that are missing in the vehicle file.

    A missing one is at the other force point if that is given, else at the contact patch.
    given: set of (wheel index, name) of the force points in the file.
    """
    estimates = []
    for name, other in (FORCE_POINTS, FORCE_POINTS[::-1]):
        patches: list[Any] = [None] * wheel_count
        copies: list[Any] = [None] * wheel_count
        for i in range(wheel_count):
            if (i, name) in given:
                continue
            if (i, other) in given:
                copies[i] = ComplianceParams.fields[other].kind.read(params[i], other)
            else:
                patches[i] = contact_patch(float(suspension_params["travel"][i]), float(wheel_params["radius"][i]))
        reasons = (
            (patches, "the wheel's radius and travel: at the contact patch"),
            (copies, f"{other}: at that point"),
        )
        estimates += [Estimate(name, values, why) for values, why in reasons if any(v is not None for v in values)]
    return estimates


COMPLIANCE = Component(
    slot="compliance",
    name="graphs",
    params=ComplianceParams,
    state=ComplianceState,
    phases={"update": update},
    estimate=estimate,
    doc="Toe, camber and force points over jounce.",
)
