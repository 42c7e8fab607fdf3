"""Engine: one inertia with a torque curve and a damping that depends on throttle and clutch (PX-ENG-01..09).

    I d omega/dt = T - d omega - clutch torque
    T = throttle * peak_torque * curve(omega / max_omega)                     never negative
    d = d0 + (d_full - d0) throttle,   d0 = d_engaged + (1 - k)(d_disengaged - d_engaged)

k is the normalised clutch (1 engaged), 0 in neutral. Damping is the engine braking of a car coasting in gear. The speed
stays within idle_omega..max_omega: the engine cannot stall. It is integrated implicitly with the wheels by the coupling
(physics/drivetrain/coupling.py); this component only passes on the throttle once per tick. Engines that compute their
torque once per tick have it as `commanded_torque` in their state.
"""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.kernel.optional_field import optional_field
from driving_sandbox.physics.maths.curve import graph
from driving_sandbox.physics.schema.schema import Curve, Float, Schema, field
from driving_sandbox.physics.tick.component import Component

commanded_torque = optional_field("commanded_torque")


def _damping(what: str, source: str, usual: tuple[float, float] = (0.02, 3.0)) -> Any:
    return field(unit="N*m*s/rad", ge=0, suggest=usual, doc=f"Damping {what}.", source=source)


class EngineParams(Schema):
    """Torque, speed range, inertia and damping."""

    peak_torque: Float = field(
        unit="N*m",
        ge=0,
        le=2e5,  # covers values mistakenly in N*mm; 5e5 on a light flywheel spins a wheel to 5000 rad/s within a tick
        suggest=(50, 1000),
        doc="Torque where the curve is 1.",
        source="PX-ENG-03",
    )
    torque_curve: Curve = field(
        capacity=16,
        x_label="engine speed / max_omega",
        unit="1",
        ge=0,
        le=1,
        doc="Torque as a share of peak_torque, by engine speed / max_omega.",
        source="PX-ENG-04",
    )
    idle_omega: Float = field(unit="rad/s", ge=0, suggest=(0, 150), doc="Lowest engine speed.", source="PX-ENG-05")
    max_omega: Float = field(unit="rad/s", gt=0, suggest=(200, 1200), doc="Highest engine speed.", source="PX-ENG-06")
    inertia: Float = field(
        unit="kg*m^2",
        gt=0,
        le=2000,
        suggest=(0.05, 3),
        doc="Moment of inertia of crankshaft and flywheel.",
        source="PX-ENG-02",
    )
    damping_full_throttle: Float = _damping("at full throttle", "PX-ENG-07", usual=(0.0, 3.0))
    damping_zero_throttle_clutch_engaged: Float = _damping("at zero throttle in gear", "PX-ENG-08")
    damping_zero_throttle_clutch_disengaged: Float = _damping("at zero throttle, clutch separated", "PX-ENG-09")


class EngineState(Schema):
    """Speed, torque and throttle."""

    omega: Float = field(unit="rad/s", doc="Engine speed.")
    torque: Float = field(unit="N*m", doc="Drive torque of the last substep, before damping.")
    throttle: Float = field(unit="1", doc="Engine throttle, after cuts.")


@kernel
def drive_torque(p: Any, omega: float, throttle: float) -> float:
    """Torque at an engine speed (rad/s) and throttle (0..1), N m."""
    return throttle * p.peak_torque * graph(p.torque_curve, omega / p.max_omega)


@kernel
def present_torque(p: Any, s: Any) -> float:
    """Torque in this substep, N m: `commanded_torque` of an engine that has it, else by throttle and speed."""
    return commanded_torque(s, drive_torque(p, s.omega, s.throttle))


@kernel
def damping_rate(p: Any, clutch_normalised: Any, in_neutral: Any, throttle: float) -> float:
    """Damping torque per engine speed, N m s / rad."""
    k = 0.0 if in_neutral else clutch_normalised
    engaged = p.damping_zero_throttle_clutch_engaged
    zero_throttle = engaged + (1.0 - k) * (p.damping_zero_throttle_clutch_disengaged - engaged)
    return zero_throttle + (p.damping_full_throttle - zero_throttle) * throttle


@kernel
def clamp_omega(p: Any, omega: float) -> float:
    """Engine speed clamped to idle_omega..max_omega. NaN, which min and max would hide, stays NaN."""
    if omega < p.idle_omega:
        return p.idle_omega
    return p.max_omega if omega > p.max_omega else omega


@kernel
def update(params: Any, state: Any, autobox: Any) -> None:
    """Pass on the throttle, and clamp the speed."""
    state.throttle = autobox.throttle
    state.omega = clamp_omega(params, state.omega)  # a new vehicle starts at idle, changed limits act at once


def check(params: Any) -> list[tuple[str, str]]:
    """Problems of the speed range and the curve."""
    problems = []
    if params["idle_omega"] >= params["max_omega"]:
        problems.append(("idle_omega", f"must be below max_omega ({params['max_omega']:g})"))
    if params["torque_curve"]["count"] == 0:
        problems.append(("torque_curve", "needs at least one point"))
    return problems


ENGINE = Component(
    slot="engine",
    name="torque_curve",
    params=EngineParams,
    state=EngineState,
    phases={"update": update},
    check=check,
    doc="Torque and damping of the engine.",
)
