"""Hydrodynamic torque converter with a lock-up clutch, in place of a clutch.

With pump speed Omega (the engine's), turbine speed w = G s (s the mean speed of the driven wheels) and nu = w / Omega

    pump        T = c k(nu) Omega^2            c capacity, k its curve: 1 at stall, 0 at nu = 1
    turbine     m(nu) T                        m torque ratio: about 2 at stall, 1 from the coupling point (0.85) on
    overrun     nu > 1: T = -o c k(1 / nu) w^2, turbine torque the same; o the share of capacity while overrunning
    efficiency  m nu                           the rest heats the oil; never above 1 (`check`)

So a car in gear stands with its brake applied and the engine idling, and creeps when the brake is released. The lock-up
clutch couples pump and turbine by up to `lock_torque`. It is

    closing in `lock_time`   in forward gear `lock_gear` and above, from `lock_speed` on, nu >= `lock_ratio`
    opening as fast          otherwise

and has, like a friction clutch, the torque l lock_torque / max(|slip|, 2 rad/s) per slip speed, l from 0 open to 1
closed. Unless it is open, the limits of speed and ratio are a tenth lower, so that it does not hunt.

Once per tick both are combined into what the coupling (physics/drivetrain/coupling.py) needs: the strength

    K = c k Omega^2 / (Omega - w) + l lock_torque / max(|slip|, 2 rad/s)          >= 0, so that any step is stable

and `torque_ratio`, the mean of m and 1 weighted by the two terms of K, which multiplies driving torque. A pressed
clutch pedal reduces K.

Source: the program's own, after Jazar, Vehicle Dynamics, 4.7, and SAE J643 for the names. The fluid's inertia is left
out.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.drivetrain.clutch import ClutchState
from driving_sandbox.physics.drivetrain.friction_clutch import STICK_SLIP
from driving_sandbox.physics.drivetrain.wheel_speed import shaft_speed
from driving_sandbox.physics.gearbox.gearbox import gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.curve import graph
from driving_sandbox.physics.schema.schema import Curve, Float, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

MAX_RATIO = 0.999  # speed ratio; above it the strength at this ratio is used, as torque and slip both go to 0
LOCK_HYSTERESIS = 0.9  # share of lock_ratio and lock_speed below which a lock-up that is not open begins to open
AT_REST = 1e-3  # rad/s; with both halves slower there is no torque
CHECKED_RATIOS = 200  # speed ratios at which the efficiency is checked


class TorqueConverterParams(Schema):
    """Capacity, torque ratio and lock-up."""

    capacity: Float = field(
        unit="N*m*s^2/rad^2",
        gt=0,
        suggest=(0.0005, 0.02),
        default=0.003,
        doc="Pump torque at stall divided by the engine speed squared; 150 N m at 2100 rpm is 0.003.",
    )
    capacity_curve: Curve = field(
        capacity=12,
        x_label="speed ratio",
        unit="1",
        ge=0,
        le=1.5,
        default=[[0.0, 1.0], [0.5, 0.98], [0.7, 0.9], [0.85, 0.7], [0.93, 0.42], [1.0, 0.0]],
        doc="Pump torque at a speed ratio as a share of that at stall and the same engine speed; 0 at 1.",
    )
    torque_ratio_curve: Curve = field(
        capacity=12,
        x_label="speed ratio",
        unit="1",
        ge=1,
        le=5,
        default=[[0.0, 2.0], [0.3, 1.66], [0.6, 1.3], [0.85, 1.0], [1.0, 1.0]],
        doc="Ratio of turbine to pump torque; 1 from the coupling point on.",
    )
    overrun_capacity: Float = field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0.2, 1),
        default=0.6,
        doc="Capacity while the wheels turn the engine, as a share of that while it drives.",
    )
    lock_torque: Float = field(
        unit="N*m", ge=0, suggest=(0, 1000), default=300.0, doc="Torque capacity of the lock-up clutch; 0: none."
    )
    lock_ratio: Float = field(
        unit="1", ge=0, le=1, suggest=(0.7, 0.95), default=0.85, doc="Speed ratio from which the lock-up closes."
    )
    lock_speed: Float = field(
        unit="m/s", ge=0, suggest=(5, 30), default=14.0, doc="Vehicle speed from which the lock-up closes."
    )
    lock_gear: Int = field(
        unit="1", ge=1, le=20, suggest=(1, 6), default=3, doc="Lowest forward gear with lock-up, counted from 1."
    )
    lock_time: Float = field(
        unit="s", gt=0, suggest=(0.1, 1), default=0.4, doc="Time in which the lock-up closes or opens."
    )


class TorqueConverterState(ClutchState):
    """Strength and torque ratio for the coupling, speed ratio and lock-up."""

    torque_ratio: Float = field(
        unit="1", default=1.0, doc="Ratio of the torque into the gearbox to the engine's, while the engine drives."
    )
    speed_ratio: Float = field(unit="1", doc="Ratio of turbine to pump speed.")
    lock: Float = field(unit="1", doc="0 lock-up open .. 1 closed.")


@kernel
def fluid_strength(p: Any, pump: float, turbine: float) -> float:
    """Torque of the fluid per slip speed, N m s / rad, at the speeds of pump and turbine, rad/s."""
    fast, slow, share = pump, turbine, 1.0
    if turbine > pump:
        fast, slow, share = turbine, pump, p.overrun_capacity
    if fast < AT_REST:
        return 0.0
    ratio = min(slow / fast, MAX_RATIO)
    return share * p.capacity * graph(p.capacity_curve, ratio) * fast / (1.0 - ratio)


@kernel
def fluid_ratio(p: Any, pump: float, turbine: float) -> float:
    """Ratio of turbine to pump torque at their speeds, rad/s; 1 on overrun."""
    return graph(p.torque_ratio_curve, turbine / pump) if pump > max(turbine, AT_REST) else 1.0


@kernel
def lock_wanted(p: Any, closed: bool, forward_gear: int, speed: float, ratio: float) -> bool:
    """Whether the lock-up should close or stay closed.

    closed: whether it is closed, at least in part.
    forward_gear: counted from 1.
    speed: of the vehicle, m/s.
    ratio: of turbine to pump speed.
    """
    factor = LOCK_HYSTERESIS if closed else 1.0
    return forward_gear >= p.lock_gear and speed >= factor * p.lock_speed and ratio >= factor * p.lock_ratio


@kernel
def update(
    params: Any, state: Any, input: Any, response: Any, engine: Any, gearbox: Any, gearbox_params: Any,
    differential: Any, wheel: Any, wheel_count: int, dt: float,
) -> None:  # fmt: skip
    """Set strength and torque ratio, and move the lock-up clutch."""
    p, s = params, state
    shaft = shaft_speed(differential, wheel, wheel_count)
    pump, turbine = engine.omega, gear_ratio(gearbox_params, gearbox.current_gear) * shaft
    s.speed_ratio = turbine / max(pump, AT_REST)
    forward_gear = gearbox.current_gear - gearbox_params.neutral_gear
    lock = lock_wanted(p, s.lock > 0.0, forward_gear, response.speed, s.speed_ratio)
    s.lock = max(0.0, min(1.0, s.lock + (dt if lock else -dt) / p.lock_time))
    fluid = fluid_strength(p, pump, turbine)
    friction = s.lock * p.lock_torque / max(abs(pump - turbine), STICK_SLIP)
    s.normalised = 1.0 - input.clutch
    s.response = s.normalised * (fluid + friction)
    s.torque_ratio = 1.0
    if fluid > 0.0:
        s.torque_ratio = (fluid_ratio(p, pump, turbine) * fluid + friction) / (fluid + friction)


def check(params: Any) -> list[tuple[str, str]]:
    """Problems of the curves: torque without slip, or more power out than in."""
    problems = []
    if params["capacity_curve"]["count"] == 0 or _value_at(params["capacity_curve"], 1.0) != 0.0:
        problems.append(("capacity_curve", "must end with 0 at a speed ratio of 1: without slip there is no torque"))
    for k in range(1, CHECKED_RATIOS + 1):
        ratio = k / CHECKED_RATIOS
        efficiency = ratio * _value_at(params["torque_ratio_curve"], ratio)
        if efficiency > 1.0:
            text = (
                f"gives {efficiency:.3g} times the power it gets at a speed ratio of {ratio:g}; at most 1 is possible"
            )
            return [*problems, ("torque_ratio_curve", text)]
    return problems


def _value_at(curve: Any, ratio: float) -> float:
    """Value of a Curve record at a speed ratio; 0 without points."""
    count = int(curve["count"])
    return float(np.interp(ratio, curve["x"][:count], curve["y"][:count])) if count else 0.0


TORQUE_CONVERTER = Component(
    slot="clutch",
    name="torque_converter",
    params=TorqueConverterParams,
    state=TorqueConverterState,
    phases={"update": update},
    check=check,
    doc="Multiplies torque while it slips, creeps at idle, locks up in higher gears.",
)
