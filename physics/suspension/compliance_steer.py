"""Compliance steer: deflection of bushes and steering under the tire's forces (SAE J670, ISO 8855).

Steady-state angles, which are added to toe and camber of the graphs over jounce (compliance.py):

    steer  = c_F F_left + c_T F_forward + c_M M      c_F: lateral_force_steer, c_T: longitudinal_force_steer,
    camber = c_G F_left                              c_M: aligning_moment_steer, c_G: lateral_force_camber

F is the force and M the moment of the tire on the wheel at the contact patch, M about the road normal, positive to the
left. For tire models without moments M is 0; with such models c_F should include the effect of the pneumatic trail t,
as M = -t F_left: use c_F - c_M t in place of c_F.

Signs: steer angles and lateral forces are positive to the left. The coefficients are the same with both positive to the
right (SAE J670, z down), and the same for both wheels of an axle. c_F < 0 in front understeers, as the lateral force
then turns the wheel out of the bend; c_F > 0 at the rear understeers too, as it turns the wheel into the bend. The
aligning moment turns the wheels of every axle out of the bend (c_M > 0), which understeers in front and oversteers at
the rear. c_T is given for the right wheel and mirrored for the left one: above 0, drive causes toe-in and braking
toe-out. c_G > 0 leans the wheel's top out of the bend, as bushes do. One degree per kN is 1.745e-5 rad/N, one degree
per 100 N m 1.745e-4 rad/(N m).

Effect on the understeer gradient, in rad per m/s^2: each axle contributes m_axle / 2 |c_F - c_M t|, with m_axle the
mass that it carries; the contribution is positive if the axle understeers, negative if it oversteers.

The forces are those of the last substep, so the tire's reaction to a change of angle comes one step late. Each substep
is a step of a linearly implicit Euler method (Rosenbrock) towards the steady-state angle, with the time constant T of
the wheel on its bushes:

    steer += k / (1 + k G) (steady - steer),   k = 1 - exp(-h / T)
    G      = (|c_F| + |c_M| MAX_TRAIL) MAX_STIFFNESS load

h is the substep. G is an upper bound of |d steady / d steer|, the feedback through the tire. So the angle converges
without oscillation for any coefficients and any step; G delays it, but does not change the steady state.

The model is linear; each angle is limited to MAX_ANGLE. The slot `compliance` sums toe and camber: a component that
replaces the graphs, for example by tables computed from hardpoints, writes both and then calls `add_compliance`.
`total_steer` of physics/wheel/wheel.py adds the steering.

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

RESPONSE_TIME = 0.01  # s, T; about 1 / (2 pi 12 Hz), of a wheel of 1 kg m^2 on bushes of 100 N m per degree
MAX_STIFFNESS = 30.0  # 1/rad, cornering stiffness / load of racing tires; road tires have half of it
MAX_TRAIL = 0.06  # m, pneumatic trail; cars have 20 to 50 mm
MAX_ANGLE = 0.1  # rad, angle at which bushes reach their stops
MAX_COEFFICIENT = 4e-5  # rad/N, 2.3 degrees per kN; several times that of road cars with soft bushes


def _angle_per_force(suggest: tuple[float, float], doc: str, mirror: str | None = None) -> Any:
    """Declaration of an angle per force. suggest: usual range. mirror: how the left wheel's value follows."""
    return field(
        unit="rad/N",
        default=0.0,
        ge=-MAX_COEFFICIENT,
        le=MAX_COEFFICIENT,
        suggest=suggest,
        mirror=mirror,
        mechanic=True,
        doc=doc,
    )


class ComplianceSteerParams(ComplianceParams):
    """The graphs over jounce, and compliance coefficients; 0: rigid."""

    lateral_force_steer: Float = _angle_per_force(
        (-1e-5, 5e-6),
        "Steer angle per lateral force, both to the left: below 0 understeers in front, above 0 at the rear.",
    )
    longitudinal_force_steer: Float = _angle_per_force(
        (-5e-6, 5e-6),
        "Steer angle of the right wheel to the left per forward force, mirrored for the left wheel: above 0 drive "
        "causes toe-in, braking toe-out.",
        mirror="sign",
    )
    aligning_moment_steer: Float = field(
        unit="rad/(N*m)",
        ge=0,
        le=1e-3,
        default=0.0,
        suggest=(0, 3e-4),
        mechanic=True,
        doc="Steer angle per aligning moment, in its direction; has no effect with tire models without moments.",
    )
    lateral_force_camber: Float = _angle_per_force(
        (0, 1e-5),
        "Inclination of the wheel's top to the right per lateral force to the left: above 0 leans out of the bend.",
    )


class ComplianceSteerState(ComplianceState):
    """Toe and camber including the part caused by forces, and that part by itself."""

    compliance_steer: Float = field(unit="rad", doc="Part of the toe caused by forces, positive to the left.")
    compliance_camber: Float = field(
        unit="rad", doc="Part of the camber caused by forces, positive with the top to the right."
    )


@inline_kernel
def steady_angles(p: Any, tire: Any, normal: Any) -> tuple[float, float]:
    """Steady-state (steer, camber) under the present forces of a tire, rad, not limited."""
    force_left = -tire.lateral_force
    moment = vec3.dot(vec3.load(tire.moment), normal)
    longitudinal = p.longitudinal_force_steer * tire.longitudinal_force
    steer = p.lateral_force_steer * force_left + longitudinal + p.aligning_moment_steer * moment
    return steer, p.lateral_force_camber * force_left


@inline_kernel
def step_fraction(p: Any, load: float, k: float) -> Any:
    """k / (1 + k G), the fraction of the way to the steady state that a substep covers. load: N."""
    gain = (abs(p.lateral_force_steer) + p.aligning_moment_steer * MAX_TRAIL) * MAX_STIFFNESS * load
    return k / (1.0 + k * gain)


@inline_kernel
def limited(angle: float) -> float:
    """An angle limited to MAX_ANGLE, rad."""
    return min(max(angle, -MAX_ANGLE), MAX_ANGLE)


@inline_kernel
def add_compliance(p: Any, s: Any, tire: Any, normal: Any, k: float) -> None:
    """Advance compliance steer and camber by a substep, and add them to toe and camber. k: 1 - exp(-h / T)."""
    steer, camber = steady_angles(p, tire, normal)
    fraction = step_fraction(p, tire.load, k)
    s.compliance_steer += fraction * (limited(steer) - s.compliance_steer)
    s.compliance_camber += fraction * (limited(camber) - s.compliance_camber)
    s.toe += s.compliance_steer
    s.camber += s.compliance_camber


@kernel
def update(
    params: Any, state: Any, suspension: Any, suspension_params: Any, tire: Any, road: Any, wheel_count: int,
    dt: float,
) -> None:  # fmt: skip
    """Set toe, camber and force points of every wheel."""
    k = 1.0 - elementary.exp(-dt / RESPONSE_TIME)
    for i in range(wheel_count):
        follow_graphs(params[i], state[i], suspension[i].jounce / suspension_params[i].travel)
        add_compliance(params[i], state[i], tire[i], vec3.load(road[i].normal), k)


COMPLIANCE_STEER: Component = replace(
    COMPLIANCE, name="graphs_and_bushes", params=ComplianceSteerParams, state=ComplianceSteerState,
    phases={"update": update},
    doc="Toe, camber and force points over jounce, and compliance steer and camber under the tire's forces.",
)  # fmt: skip
