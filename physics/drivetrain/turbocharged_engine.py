"""Engine with a turbocharger: the boost follows the power of the exhaust with a lag.

    torque       T = throttle * peak_torque * curve(omega / max_omega) * (n + (1 - n) b / b_r)
    exhaust      the turbine gets a share of the engine's power, so the boost it can maintain is
                 b* = b_r T omega / spool_power, at most b_w                                      wastegate
    boost        db/dt = (b* - b) / tau,      tau = lag * lag_omega / omega     rising: slow at low engine speed
                                              tau = release_time                falling: the bypass valve opens

b is the pressure above that of the air, b_r the one at which the torque curve was measured (`rated_boost`), b_w the
wastegate's (`wastegate_boost`), n the share of the torque that the engine has without boost (`natural_share`). A
wastegate set above the rated boost gives more torque than the curve. T in b* is the torque with the present boost: more
boost makes more exhaust, which is why the last part of the boost comes suddenly. Within a tick b* and tau are constant
and the exponential is exact; the torque is commanded once per tick. Everything else is as in engine.py.

Source: the program's own; the mean-value model of texts on engine control (Guzzella & Onder, Introduction to Modeling
and Control of Internal Combustion Engine Systems, 2.6) with compressor and turbine maps reduced to one proportionality.
"""

from typing import Any

from driving_sandbox.physics.drivetrain.engine import EngineParams, EngineState, check, clamp_omega, drive_torque
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, field
from driving_sandbox.physics.tick.component import Component

MIN_LAG_OMEGA = 10.0  # rad/s; below it the lag no longer grows, as there is hardly any exhaust


class TurbochargedParams(EngineParams):
    """Share without boost, pressures and lag."""

    natural_share: Float = field(
        unit="1", ge=0, le=1, suggest=(0.4, 0.9), default=0.6, doc="Torque without boost as a share of the curve's."
    )
    rated_boost: Float = field(
        unit="Pa", gt=0, suggest=(30e3, 200e3), default=80e3, doc="Boost at which the engine has its curve's torque."
    )
    wastegate_boost: Float = field(
        unit="Pa",
        ge=0,
        suggest=(30e3, 200e3),
        default=80e3,
        mechanic=True,
        doc="Boost at which the wastegate opens; above the rated boost there is more torque than the curve's.",
    )
    spool_power: Float = field(
        unit="W", gt=0, suggest=(10e3, 200e3), default=30e3, doc="Engine power whose exhaust maintains the rated boost."
    )
    lag: Float = field(
        unit="s", gt=0, suggest=(0.1, 1.5), default=0.4, doc="Time constant of rising boost at lag_omega."
    )
    lag_omega: Float = field(
        unit="rad/s",
        gt=0,
        suggest=(150, 500),
        default=300.0,
        doc="Engine speed at which `lag` applies; inversely proportional elsewhere.",
    )
    release_time: Float = field(
        unit="s", gt=0, suggest=(0.05, 0.5), default=0.15, doc="Time constant of falling boost."
    )


class TurbochargedState(EngineState):
    """State of any engine, and the boost."""

    commanded_torque: Float = field(unit="N*m", doc="Torque of this tick, before damping.")
    boost: Float = field(unit="Pa", doc="Pressure of the charge above that of the air.")


@kernel
def boosted_torque(p: Any, omega: float, throttle: float, boost: float) -> float:
    """Torque at an engine speed, throttle and boost (Pa), N m."""
    share = p.natural_share + (1.0 - p.natural_share) * boost / p.rated_boost
    return drive_torque(p, omega, throttle) * share


@kernel
def maintained_boost(p: Any, power: float) -> float:
    """Boost that the exhaust of an engine power (W) can maintain, Pa."""
    return min(p.wastegate_boost, p.rated_boost * max(0.0, power) / p.spool_power)


@kernel
def boost_after(p: Any, boost: float, maintained: float, omega: float, dt: float) -> float:
    """Boost after dt at constant speed and exhaust, Pa. maintained: result of `maintained_boost`, Pa."""
    tau = p.lag * p.lag_omega / max(omega, MIN_LAG_OMEGA) if maintained > boost else p.release_time
    return maintained + (boost - maintained) * elementary.exp(-dt / tau)


@kernel
def update(params: Any, state: Any, autobox: Any, dt: float) -> None:
    """Advance the boost by a tick, and command the torque."""
    p, s = params, state
    s.throttle = autobox.throttle
    s.omega = clamp_omega(p, s.omega)
    maintained = maintained_boost(p, boosted_torque(p, s.omega, s.throttle, s.boost) * s.omega)
    s.boost = boost_after(p, s.boost, maintained, s.omega, dt)
    s.commanded_torque = boosted_torque(p, s.omega, s.throttle, s.boost)


TURBOCHARGED = Component(
    slot="engine",
    name="turbocharged",
    params=TurbochargedParams,
    state=TurbochargedState,
    phases={"update": update},
    check=check,
    doc="Torque by a curve; a share of it follows the boost of a turbocharger.",
)
