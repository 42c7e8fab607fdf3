"""Compliance steer: bushes and steering give way under the tire's forces (SAE J670, ISO 8855: compliance steer).

    steer   wanted_s = c_F F_left + c_T F_ahead + c_M M      c_F: lateral, c_T: longitudinal force, c_M: aligning moment
    camber  wanted_c = c_G F_left
    toe     = graph(jounce / travel) + steer                 camber = graph(jounce / travel) + camber

F and M are those of the tire at the contact patch on the body, M about the road normal, positive to the left, of tires
that have moments. Without them c_F includes the pneumatic trail t: c_F + c_M t.

Signs: angles and forces are positive to the left, which gives the same coefficients as both positive to the right (SAE
J670, z down), and the same for both wheels of an axle. A front c_F below 0 turns the wheel out of the bend and
understeers, and so does a rear one above 0; an aligning moment turns the wheel out of the bend on every axle (c_M > 0),
which understeers in front and oversteers at the rear. c_T is given for the right wheel and mirrored: above 0 drive
turns both wheels in and braking turns both out. c_G above 0: the top leans out of the bend, as bushes do. Degrees per
kN are 1.745e-5 rad/N, degrees per 100 N m 1.745e-4 rad/(N m).

Understeer gradient: m_axle / 2 |c_F + c_M t| more for each axle that turns its wheels so, with m_axle the mass on it.

The forces are those of the last substep, so their reply to the steer angle comes one step late. Each substep is a step
of Rosenbrock's implicit Euler method towards the angle wanted, with the time constant T of the wheel on its bushes:

    steer += k / (1 + k G) (wanted_s - steer),   k = 1 - exp(-h / T)
    G      = (|c_F| + |c_M| TRAIL) STIFFEST load,      no tire's own gain is larger

so that any coefficient is stable at any step and does not swing about its end; the end is exact. G only delays.

Linear; the angle is limited to LARGEST. The slot `compliance` composes toe and camber: whoever replaces the graphs, for
example by tables computed of hardpoints, writes both and then calls `give_way`; `total_steer` of
physics/wheel/wheel.py adds the steering.

Sources: SAE J670 and ISO 8855 for terms; Milliken & Milliken, Race Car Vehicle Dynamics; Gillespie, Fundamentals of
Vehicle Dynamics, chapter "Steady-state cornering".
"""

from dataclasses import replace
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.inline import inline_kernel
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.suspension.compliance import COMPLIANCE, ComplianceParams, ComplianceState, follow_graphs
from driving_sandbox.physics.tick.component import Component

RESPONSE_TIME = 0.01  # s; a wheel of 1 kg m^2 on bushes of 100 N m per degree swings at 12 Hz, well damped
STIFFEST = 30.0  # per rad: cornering stiffness over load; racing tires reach it, road tires half
TRAIL = 0.06  # m; pneumatic trails of cars are 20 to 50 mm
LARGEST = 0.1  # rad; the stops of bushes


class ComplianceSteerParams(ComplianceParams):
    """The graphs, and compliance of bushes and steering; zeros are rigid."""

    lateral_force_steer: Float = field(
        unit="rad/N",
        default=0.0,
        ge=-4e-5,
        le=4e-5,
        suggest=(-1e-5, 5e-6),
        mechanic=True,
        doc="Steer angle per side force, both to the left: below 0 understeers in front, above 0 at the rear.",
    )
    longitudinal_force_steer: Float = field(
        unit="rad/N",
        default=0.0,
        ge=-4e-5,
        le=4e-5,
        suggest=(-5e-6, 5e-6),
        mirror="sign",
        mechanic=True,
        doc="Steer angle to the left per force ahead, of the right wheel, mirrored to the left: above 0 drive turns "
        "the wheels in and braking turns them out.",
    )
    aligning_moment_steer: Float = field(
        unit="rad/(N*m)",
        ge=0,
        le=1e-3,
        default=0.0,
        suggest=(0, 3e-4),
        mechanic=True,
        doc="Steer angle per moment about the road normal, of tires that have moments; the wheel gives way to it.",
    )
    lateral_force_camber: Float = field(
        unit="rad/N",
        default=0.0,
        ge=-4e-5,
        le=4e-5,
        suggest=(0, 1e-5),
        mechanic=True,
        doc="Lean of the top to the right per side force to the left: above 0 leans out of the bend.",
    )


class ComplianceSteerState(ComplianceState):
    """Angles of the graphs and of bushes together, and those of bushes alone."""

    compliance_steer: Float = field(unit="rad", doc="Part of the toe that forces make, positive to the left.")
    compliance_camber: Float = field(unit="rad", doc="Part of the camber that forces make, top to the right.")


@inline_kernel
def wanted_angles(p: Any, tire: Any, normal: Any) -> tuple[float, float]:
    """(steer, camber) under the present forces of a tire, rad."""
    left = -tire.lateral_force
    moment = vec3.dot(vec3.load(tire.moment), normal)
    along = p.longitudinal_force_steer * tire.longitudinal_force
    return p.lateral_force_steer * left + along + p.aligning_moment_steer * moment, p.lateral_force_camber * left


@inline_kernel
def share_of_step(p: Any, load: float, towards: float) -> Any:
    """Share of the way to the angles wanted that a substep covers; `towards`: k of the module."""
    gain = (abs(p.lateral_force_steer) + p.aligning_moment_steer * TRAIL) * STIFFEST * load
    return towards / (1.0 + towards * gain)


@inline_kernel
def limited(angle: float) -> float:
    return min(max(angle, -LARGEST), LARGEST)


@inline_kernel
def give_way(p: Any, s: Any, tire: Any, normal: Any, towards: float) -> None:
    """Move what bushes add on by a substep, and add it to the toe and the camber of the links."""
    steer, camber = wanted_angles(p, tire, normal)
    share = share_of_step(p, tire.load, towards)
    s.compliance_steer += share * (limited(steer) - s.compliance_steer)
    s.compliance_camber += share * (limited(camber) - s.compliance_camber)
    s.toe += s.compliance_steer
    s.camber += s.compliance_camber


@kernel
def update(
    params: Any,
    state: Any,
    suspension: Any,
    suspension_params: Any,
    tire: Any,
    road: Any,
    wheel_count: int,
    dt: float,
) -> None:
    """Toe, camber and force points of every wheel."""
    towards = 1.0 - elementary.exp(-dt / RESPONSE_TIME)
    for i in range(wheel_count):
        follow_graphs(params[i], state[i], suspension[i].jounce / suspension_params[i].travel)
        give_way(params[i], state[i], tire[i], vec3.load(road[i].normal), towards)


COMPLIANCE_STEER: Component = replace(
    COMPLIANCE, name="graphs_and_bushes", params=ComplianceSteerParams, state=ComplianceSteerState,
    phases={"update": update},
    doc="Toe, camber and force points over jounce, and compliance steer and camber under the tire's forces.",
)  # fmt: skip
