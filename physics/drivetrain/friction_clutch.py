"""Clutch that slips above its friction capacity (RC-CLUTCH-01, 02, RC-ENG-03).

It splits the driveline in two: the engine before it; gearbox, shafts, differentials and wheels after it.

    |torque| <= capacity = normalised * max_torque
    normalised = min(1 - pedal, (omega - idle_omega) / (auto_omega - idle_omega))

Closed and below its capacity it does not slip at all; above it slips, and passes on just the capacity. Where
`auto_omega` is given the clutch opens by itself when the faster of engine and gearbox input falls below that speed, all
the way at idle: for driving without a clutch pedal, and without stalling. 0 leaves the clutch to the driver.

physics/drivetrain/friction_drive.py holds it at its capacity exactly. A drivetrain that knows only clutches with a
strength sees this one as

    response = capacity / max(|slip|, 2 rad/s)        slip as of the substep before

which is the same friction, made a damping near zero slip.
"""

from driving_sandbox.physics.drivetrain.clutch import ClutchState
from driving_sandbox.physics.gearbox.gearbox import gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import Float, Schema, field
from driving_sandbox.physics.tick.component import Component

STICK_SLIP = 2.0  # rad/s; below it the strength seen by other drivetrains no longer rises


class FrictionClutchParams(Schema):
    """Capacity and, if wanted, the speed from which it closes by itself."""

    max_torque: Float = field(
        unit="N*m",
        gt=0,
        suggest=(50, 1500),
        source="RC-CLUTCH-02",
        mechanic=True,
        doc="Torque it holds with the pedal up. Below the engine's peak torque it slips; low ones shift softly.",
    )
    auto_omega: Float = field(
        unit="rad/s",
        ge=0,
        suggest=(100, 300),
        default=0.0,
        source="RC-ENG-03",
        doc="Speed below which it opens by itself, fully open at idle; 0 never does, and the engine can stall.",
    )


@kernel
def friction_response(p, normalised, slip):
    """Strength that stands for the friction at a slip speed."""
    return normalised * p.max_torque / max(abs(slip), STICK_SLIP)


@kernel
def own_share(p, idle_omega, omega):
    """How far it is closed by itself at a speed."""
    if p.auto_omega == 0.0:
        return 1.0
    return min(1.0, max(0.0, (omega - idle_omega) / (p.auto_omega - idle_omega)))


@kernel
def update(
    params, state, input, engine, engine_params, gearbox, gearbox_params, differential, drivetrain, wheel, wheel_count
):
    shaft = 0.0
    for i in range(wheel_count):
        shaft += differential[i].speed_ratio * wheel[i].omega
    gearbox_side = abs(gear_ratio(gearbox_params, gearbox.current_gear) * shaft)
    share = own_share(params, engine_params.idle_omega, max(engine.omega, gearbox_side))
    state.normalised = min(1.0 - input.clutch, share)
    state.response = friction_response(params, state.normalised, drivetrain.clutch_slip)


def check(params, engine_params):
    auto, idle = float(params["auto_omega"]), float(engine_params["idle_omega"])
    if 0.0 < auto <= idle:
        return [("auto_omega", f"must be 0, or above the engine's idle speed ({idle:g})")]
    return []


FRICTION_CLUTCH = Component(
    slot="clutch",
    name="friction",
    params=FrictionClutchParams,
    state=ClutchState,
    phases={"update": update},
    check=check,
    doc="Slips above its friction capacity; may open by itself near idle.",
)
