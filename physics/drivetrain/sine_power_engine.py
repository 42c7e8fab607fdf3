"""Engine whose power is a half sine of its speed (CE-ENG-01..12).

    P(n) = P_max sin(pi n / n_max)          0 at standstill and at the highest speed, P_max halfway
    T(n) = pedal * clutch * P(n) / n        n in rad/s

T falls from its limit pi P_max / n_max at standstill to 0 at n_max. With x = n / n_max it is T(0) sin(pi x) / (pi x);
near standstill the quotient is taken as its limit 1. (The source divides by the wheel speed and multiplies by the gear
ratio; only division by the engine speed gives the power P.) Torque requires a pressed pedal: there is no engine
braking.

Two components. RIGID_SINE_POWER has no inertia: its speed is that of the driven wheels, see rigid_coupling.py, but

    neutral             idle_omega
    out of neutral      start_omega at once
    below min_omega     pedal released: the clutch opens, idle_omega;  pressed: it slips, min_omega. It never stalls.

`held_omega` is the engine speed when the clutch last opened; from there it is blended to the speed of the wheels.
SINE_POWER is the same power for the engine with inertia and a torque curve (engine.py), as a curve of sixteen points.
The rigid engine has peak torque and curve only for code that reads them; it uses the sine itself.

Source: the CryEngine vehicle document, "Engine". Old files may name a power for reverse; it has no effect any more.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.drivetrain.engine import ENGINE, EngineParams, EngineState, check
from driving_sandbox.physics.gearbox.gearbox import GEAR_CAPACITY
from driving_sandbox.physics.gearbox.rpm_box import RAD_S_PER_RPM
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Curve, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

CURVE_POINTS = 16  # points of the torque curve that approximates the sine, with an error below 0.3 %
FLAT = 1e-4  # n / n_max below which sin(pi x) / (pi x) is taken as 1; it differs by less than 2e-8


def _power() -> Any:
    return field(
        unit="W",
        ge=0,
        suggest=(20e3, 400e3),
        source="CE-ENG-07",
        doc="Largest power, at half of max_omega; 100 kW suits three tonnes.",
    )


def _peak() -> Any:
    return field(unit="N*m", derived=True, doc="Torque at standstill, pi power / max_omega.")


def _curve() -> Any:
    return field(
        capacity=CURVE_POINTS,
        x_label="engine speed / max_omega",
        unit="1",
        derived=True,
        doc="Torque as a share of peak_torque.",
    )


class RigidSinePowerParams(Schema):
    """Power and speeds of an engine without inertia."""

    power: Float = _power()
    max_omega: Float = field(
        unit="rad/s", gt=0, suggest=(150, 900), doc="Speed at which the power is 0 again.", source="CE-ENG-09"
    )
    min_omega: Float = field(
        unit="rad/s",
        ge=0,
        suggest=(0, 100),
        default=10.0,
        source="CE-ENG-10",
        doc="Below this speed the clutch opens, so that the engine does not stall.",
    )
    idle_omega: Float = field(
        unit="rad/s",
        ge=0,
        suggest=(0, 150),
        default=15.0,
        source="CE-ENG-11",
        doc="Speed of the engine without load.",
    )
    start_omega: Float = field(
        unit="rad/s",
        ge=0,
        suggest=(0, 300),
        default=40.0,
        source="CE-ENG-12",
        doc="Speed set at once when a gear follows neutral.",
    )
    peak_torque: Float = _peak()
    torque_curve: Curve = _curve()

    aliases = {
        "engine_power": ("power", 1.0),
        "engine_maxRPM": ("max_omega", RAD_S_PER_RPM),
        "engine_maxrpm": ("max_omega", RAD_S_PER_RPM),
        "engine_minRPM": ("min_omega", RAD_S_PER_RPM),
        "engine_idleRPM": ("idle_omega", RAD_S_PER_RPM),
        "engine_startRPM": ("start_omega", RAD_S_PER_RPM),
        "engine_power_back": None,
    }


class RigidEngineState(EngineState):
    """Speed of the engine and history of the clutch."""

    held_omega: Float = field(unit="rad/s", doc="Speed when the clutch opened last.")
    gear: Int = field(unit="1", ge=0, lt=GEAR_CAPACITY, default=1, doc="Gear in the previous tick.")


class SinePowerParams(EngineParams):
    """Power of the half sine, with the inertia and damping of an ordinary engine."""

    power: Float = _power()
    peak_torque: Float = _peak()
    torque_curve: Curve = _curve()


@kernel
def sine_power(p: Any, omega: float) -> float:
    """Power at an engine speed (rad/s), W; 0 outside of 0..max_omega."""
    if omega <= 0.0 or omega >= p.max_omega:
        return 0.0
    return p.power * elementary.sin(math.pi * omega / p.max_omega)


@kernel
def sine_torque(p: Any, omega: float) -> float:
    """Torque at full pedal and an engine speed (rad/s), N m; 0 from max_omega on, in either direction."""
    x = abs(omega) / p.max_omega
    if x >= 1.0:
        return 0.0
    largest = math.pi * p.power / p.max_omega
    return largest if x < FLAT else largest * elementary.sin(math.pi * x) / (math.pi * x)


@kernel
def update(params: Any, state: Any, autobox: Any, gearbox: Any, gearbox_params: Any) -> None:
    """Pass on the pedal, and set the speeds in and out of neutral."""
    state.throttle = autobox.throttle
    gear, neutral = gearbox.current_gear, gearbox_params.neutral_gear
    if gear == neutral:
        state.omega = params.idle_omega
    elif state.gear == neutral:
        state.omega = params.start_omega
    if gear != state.gear or gear == neutral:
        state.held_omega = state.omega
    state.gear = gear


def check_rigid(params: Any) -> list[tuple[str, str]]:
    """Problems of speeds that are not below max_omega."""
    problems = []
    for name in ("min_omega", "idle_omega", "start_omega"):
        if params[name] >= params["max_omega"]:
            problems.append((name, f"must be below max_omega ({params['max_omega']:g} rad/s)"))
    return problems


def derive(params: Any) -> None:
    """Set peak torque and torque curve of the half sine."""
    params["peak_torque"] = math.pi * params["power"] / params["max_omega"]
    x = np.linspace(0.0, 1.0, CURVE_POINTS)
    curve = params["torque_curve"]
    curve["count"], curve["x"] = CURVE_POINTS, x
    curve["y"] = [1.0, *(elementary.sin(math.pi * share) / (math.pi * share) for share in x[1:])]


def check_inertial(params: Any) -> list[tuple[str, str]]:
    """Problems of the speed range, and of a peak torque above the limit of other engines."""
    problems = [(name, text) for name, text in check(params) if name != "torque_curve"]
    torque, limit = math.pi * params["power"] / params["max_omega"], EngineParams.fields["peak_torque"].le
    if torque > limit:
        problems.append(
            ("power", f"makes {torque:g} N*m at standstill with this max_omega; at most {limit:g} are allowed")
        )
    return problems


RIGID_SINE_POWER = Component(
    slot="engine",
    name="rigid_sine_power",
    params=RigidSinePowerParams,
    state=RigidEngineState,
    phases={"update": update},
    derive=derive,
    check=check_rigid,
    doc="Power as a half sine of an engine speed coupled to the wheels.",
)
SINE_POWER = Component(
    slot="engine",
    name="sine_power",
    params=SinePowerParams,
    state=EngineState,
    phases=ENGINE.phases,
    derive=derive,
    check=check_inertial,
    doc="Power as a half sine of engine speed, with inertia.",
)
