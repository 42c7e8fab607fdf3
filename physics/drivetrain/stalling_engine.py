"""Engine with idle governor, engine braking, rev limiter, stalling and starter (RC-ENG-01..03, RC-INPUT-02).

    I d omega/dt = T - D omega - clutch torque
    T = max(throttle * peak_torque * curve(omega / max_omega), idle governor)      while running
      = starter_torque                                                             while cranking
    D = friction / max(|omega|, 5 rad/s) + braking (1 - throttle)                  applied implicitly

The throttle pedal passes the engine's mapping first: `throttle_linearity` has one linearity (command/linearity.py) for
each gear. The governor supplies the torque that holds the unloaded idle speed, and more as the speed falls towards
`stall_omega`, but at most `idle_torque`. Below `stall_omega` the engine stalls: only drag and clutch torque act. From
`start_omega` on it runs again, whether turned by the starter or by the rolling car. The starter cranks while the
throttle is pressed and the clutch is open or the gearbox in neutral; it has no control of its own: after a stall, press
clutch and throttle. At `max_omega` the limiter cuts the throttle until the speed has fallen by `limiter_band`. The
wheels can drive the engine beyond `max_omega`.

The reaction to T - D omega acts on the chassis about its longitudinal axis, times `torque_reaction`: a crankshaft that
turns clockwise seen from the front rolls the body to the right when the throttle opens (applied by
physics/drivetrain/friction_drive.py, which integrates the engine with the wheels).

Sources: Racer's car reference for mass, mapping and stalling, and the public part of its engine page for idle, stall,
start, starter, braking, friction and torque reaction. Limit: at rest friction is a damping, so a stalled engine in gear
lets the car creep very slowly on a slope.
"""

from typing import Any

from driving_sandbox.physics.command.linearity import linearize
from driving_sandbox.physics.gearbox.timed_gearbox import RATIO_CAPACITY
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths.curve import graph
from driving_sandbox.physics.schema.schema import Bool, Curve, Float, Floats, Int, Schema, field
from driving_sandbox.physics.tick.component import Component

REST_OMEGA = 5.0  # rad/s; regularisation: below it friction fades, as its sign would alternate
STARTER_THROTTLE = 0.1  # throttle that engages the starter; above the noise of a worn pedal
OPEN_CLUTCH = 0.5  # clutch engagement below which the starter may crank


def _speed(doc: str, suggest: tuple[float, float], source: str = "RC-ENG-03", **limits: Any) -> Any:
    return field(unit="rad/s", suggest=suggest, doc=doc, source=source, **limits)


class StallingEngineParams(Schema):
    """Torque, speeds, losses and starter."""

    peak_torque: Float = field(
        unit="N*m", ge=0, suggest=(50, 1000), doc="Torque where the curve is 1.", source="RC-ENG-01"
    )
    torque_curve: Curve = field(
        capacity=16,
        x_label="engine speed / max_omega",
        unit="1",
        ge=0,
        le=1,
        source="RC-ENG-01",
        doc="Torque as a share of peak_torque, by engine speed / max_omega; should end near 0 beyond 1.",
    )
    idle_omega: Float = _speed("Speed the idle governor holds.", (60, 150), gt=0)
    max_omega: Float = _speed("Speed at which the limiter cuts the throttle.", (200, 1200), "RC-ENG-01", gt=0)
    limiter_band: Float = _speed("Fall of the speed below max_omega after which the throttle works again.", (2, 50),
                                 "RC-ENG-01", ge=0, default=10.0, mechanic=True)  # fmt: skip
    inertia: Float = field(
        unit="kg*m^2", gt=0, suggest=(0.05, 3), doc="Moment of inertia of crankshaft and flywheel.", source="RC-ENG-01"
    )
    friction: Float = field(
        unit="N*m", ge=0, suggest=(2, 40), default=10.0, source="RC-ENG-01", doc="Friction torque at any speed."
    )
    braking: Float = field(
        unit="N*m*s/rad",
        ge=0,
        suggest=(0, 0.4),
        default=0.08,
        source="RC-ENG-01",
        doc="Braking torque per speed with the throttle closed.",
    )
    idle_torque: Float = field(
        unit="N*m",
        ge=0,
        suggest=(10, 80),
        default=40.0,
        source="RC-ENG-03",
        doc="Largest torque of the idle governor; more makes stalling harder.",
    )
    stall_omega: Float = _speed("Speed below which the engine stops running.", (20, 80), ge=0)
    start_omega: Float = _speed("Speed from which a turning engine runs again.", (20, 90), ge=0)
    starter: Bool = field(default=True, source="RC-ENG-03", doc="Whether there is an electric starter.")
    starter_torque: Float = field(
        unit="N*m", ge=0, suggest=(20, 200), default=80.0, doc="Torque of the starter.", source="RC-ENG-03"
    )
    start_stalled: Bool = field(default=False, source="RC-ENG-03", doc="Whether the engine is off at the start.")
    torque_reaction: Float = field(
        unit="1",
        ge=0,
        le=1,
        suggest=(0, 1),
        default=0.0,
        source="RC-ENG-01",
        doc="Share of the engine's torque that reacts on the chassis about its longitudinal axis.",
    )
    throttle_linearity: Floats = field(
        capacity=RATIO_CAPACITY,
        unit="1",
        ge=0,
        le=2,
        suggest=(0, 2),
        default=[],
        source="RC-INPUT-02",
        doc="Linearity of the throttle in each gear of the gearbox's list; empty is linear in all.",
    )


class StallingEngineState(Schema):
    """Speed, torque and throttle; whether the engine runs, cranks or is limited."""

    omega: Float = field(unit="rad/s", doc="Engine speed.")
    torque: Float = field(unit="N*m", doc="Drive torque of the last substep, before friction and braking.")
    throttle: Float = field(unit="1", doc="Engine throttle, after mapping and limiter.")
    running: Int = field(unit="1", doc="1 while it burns fuel, 0 stalled or off.")
    cranking: Int = field(unit="1", doc="1 while the starter turns it.")
    limited: Int = field(unit="1", doc="1 while the limiter cuts the throttle.")
    initialized: Int = field(unit="1", doc="1 after the first tick.")


@kernel
def drag_rate(p: Any, omega: float, throttle: float) -> float:
    """Friction and braking torque per engine speed, N m s / rad."""
    return p.friction / max(abs(omega), REST_OMEGA) + p.braking * (1.0 - throttle)


@kernel
def idle_torque(p: Any, omega: float) -> float:
    """Governor torque at a speed (rad/s), 0..idle_torque, N m: the losses, plus a part that grows below idle speed."""
    losses = drag_rate(p, omega, 0.0) * omega
    correction = p.idle_torque * (p.idle_omega - omega) / (p.idle_omega - p.stall_omega)
    return max(0.0, min(p.idle_torque, losses + correction))


@kernel
def gas_torque(p: Any, omega: float, throttle: float) -> float:
    """Torque of a running engine before friction and braking, N m."""
    by_throttle = throttle * p.peak_torque * graph(p.torque_curve, omega / p.max_omega)
    return max(by_throttle, idle_torque(p, omega))


@kernel
def engine_torque(p: Any, s: Any) -> float:
    """Torque at the present speed before friction and braking, N m."""
    if s.running != 0:
        return gas_torque(p, s.omega, s.throttle)
    return p.starter_torque if s.cranking != 0 and s.omega < p.start_omega else 0.0


@kernel
def run_or_stall(p: Any, s: Any, wanted: Any) -> None:
    """Update `running` and `cranking`; wanted: 1 when throttle and open driveline engage the starter, else 0."""
    if s.running != 0:
        if s.omega < p.stall_omega:
            s.running = 0
    elif s.omega >= p.start_omega:
        s.running = 1
    s.cranking = 1 if s.running == 0 and wanted != 0 and p.starter != 0 else 0


@kernel
def limit_speed(p: Any, s: Any) -> None:
    """Update `limited`, with the limiter's hysteresis."""
    if s.omega >= p.max_omega:
        s.limited = 1
    elif s.omega < p.max_omega - p.limiter_band:
        s.limited = 0


@kernel
def update(params: Any, state: Any, autobox: Any, clutch: Any, gearbox: Any, gearbox_params: Any) -> None:
    """Update running, starter and limiter, and set the throttle."""
    if state.initialized == 0:
        state.initialized = 1
        if params.start_stalled == 0:
            state.omega = params.idle_omega
            state.running = 1
    separated = gearbox.current_gear == gearbox_params.neutral_gear or clutch.normalised < OPEN_CLUTCH
    run_or_stall(params, state, 1 if separated and autobox.throttle > STARTER_THROTTLE else 0)
    limit_speed(params, state)
    throttle = autobox.throttle
    gear = gearbox.current_gear
    if gear < params.throttle_linearity.count:
        throttle = linearize(throttle, params.throttle_linearity.values[gear])
    state.throttle = 0.0 if state.limited != 0 else throttle


def check(params: Any, drivetrain_params: Any, gearbox_params: Any) -> list[tuple[str, str]]:
    """Problems of the speeds' order, the curve, the entries per gear, and a drivetrain without support for stalling."""
    problems = []
    if drivetrain_params is None or "output_inertia" not in drivetrain_params.dtype.names:
        problems.append(("peak_torque", "this engine stalls, which needs the component drivetrain: friction_drive"))
    if not params["stall_omega"] < params["idle_omega"]:
        problems.append(("stall_omega", f"must be below idle_omega ({params['idle_omega']:g})"))
    if not params["stall_omega"] <= params["start_omega"] <= params["idle_omega"]:
        limits = f"{params['stall_omega']:g}..{params['idle_omega']:g}"
        problems.append(("start_omega", f"must lie between stall_omega and idle_omega ({limits})"))
    if params["idle_omega"] >= params["max_omega"]:
        problems.append(("idle_omega", f"must be below max_omega ({params['max_omega']:g})"))
    if params["limiter_band"] >= params["max_omega"] - params["idle_omega"]:
        problems.append(("limiter_band", "must be smaller than the range from idle_omega to max_omega"))
    if params["torque_curve"]["count"] == 0:
        problems.append(("torque_curve", "needs at least one point"))
    entries, gears = int(params["throttle_linearity"]["count"]), int(gearbox_params["ratios"]["count"])
    if entries not in (0, gears):
        problems.append(("throttle_linearity", f"has {entries} entries, but the gearbox has {gears} gears"))
    return problems


STALLING_ENGINE = Component(
    slot="engine",
    name="stalling",
    params=StallingEngineParams,
    state=StallingEngineState,
    phases={"update": update},
    check=check,
    doc="Engine with idle governor, limiter, braking, stalling and starter.",
)
