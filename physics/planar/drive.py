"""Traction and brake of the planar vehicle (CN-TRAC, CN-GEAR-03, CN-TIRE-01, CN-DIFF, CN-BRAKE).

Steps and equations are those of the article that physics/planar/body.py names.

    F = T ratio final_ratio efficiency / r               eq. 4, 5, 7: traction of all driven wheels, step 5
    front axle front_share F, rear axle the rest         0 is the article's rear drive; CN-DIFF-02
    |F_axle| <= friction N_axle                          beyond it the axle spins at this limit       CN-TIRE-01

    brake = pedal brake_force                            mu m g where brake_force is 0                CN-BRAKE-01
    handbrake = lever handbrake_friction N_rear |vLong| / |v_rear|      v_rear: velocity of the rear axle

Torque T includes the throttle. A pressed clutch pedal removes traction; the engine still turns with the wheels. r is
the mean radius of the driven wheels.

Traction of a steered axle acts along its wheels: F cos d forward, F sin d to the right (d: steer angle), and a yaw
moment, computed by the body. The brake acts on the body as a whole, against its motion (physics/planar/body.py), and
takes no side force from the tires. The friction of a wheel locked by the handbrake opposes its axle's sliding; its
lateral part replaces the side force of a rolling wheel (physics/planar/tire.py), which makes handbrake turns possible.
"""

import math
from typing import Any

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.planar.wheel import FRONT
from driving_sandbox.physics.schema.schema import Float, Int, PerWheel, Schema, field
from driving_sandbox.physics.tick.component import Component

DEFAULT_FRICTION = 0.9  # the article's value for rubber on dry asphalt


class AxleDriveParams(Schema):
    """Driven axles and their friction."""

    front_share: Float = field(
        unit="1",
        ge=0,
        le=1,
        default=0.0,
        suggest=(0, 1),
        source="CN-DIFF-02",
        mechanic=True,
        doc="Share of traction at the front axle: 0 rear drive, 1 front drive.",
    )
    friction: Float = field(
        unit="1",
        ge=0,
        default=DEFAULT_FRICTION,
        suggest=(0, 2),
        source="CN-TIRE-01",
        doc="mu: largest traction of an axle per load.",
    )
    radius: Float = field(unit="m", derived=True, doc="r: mean radius of the driven wheels.")


class AxleDriveState(PerWheel):
    """Traction of one wheel."""

    traction: Float = field(unit="N", doc="Traction along the wheel.")
    spinning: Int = field(unit="1", doc="1 while the traction of the axle is at its friction limit.")


class BodyForceBrakeParams(Schema):
    """Brake forces of pedal and handbrake."""

    brake_force: Float = field(
        unit="N",
        ge=0,
        default=0.0,
        suggest=(0, 100000),
        source="CN-BRAKE-01",
        mechanic=True,
        doc="Brake force at full pedal; 0: friction times weight.",
    )
    friction: Float = field(
        unit="1",
        ge=0,
        default=DEFAULT_FRICTION,
        suggest=(0, 2),
        source="CN-BRAKE-01",
        doc="mu of the brake force where `brake_force` is 0.",
    )
    handbrake_friction: Float = field(
        unit="1", ge=0, default=0.7, suggest=(0, 2), doc="mu of rear wheels locked by the handbrake."
    )
    full_force: Float = field(unit="N", derived=True, doc="Brake force at full pedal in use.")


class BodyForceBrakeState(Schema):
    """Brake force and handbrake."""

    force: Float = field(unit="N", doc="Magnitude of the force against the motion.")
    hold: Float = field(unit="1", doc="Engagement of the handbrake on the rear wheels, 0..1.")


@kernel
def wheel_torque(engine_torque: float, ratio: float, final_ratio: float, efficiency: float) -> float:
    """Torque at the wheels (eq. 5), N m."""
    return engine_torque * ratio * final_ratio * efficiency


@kernel
def limited_traction(force: float, friction: float, load: float) -> tuple[float, int]:
    """(traction within the friction limit, N; 1 if it is at the limit, else 0)."""
    limit = friction * load
    return (math.copysign(limit, force), 1) if abs(force) > limit else (force, 0)


@kernel
def drive_axles(
    params: Any, state: Any, engine: Any, gearbox: Any, gearbox_params: Any, input: Any, body: Any, wheel_params: Any,
    wheel_count: int,
) -> None:  # fmt: skip
    """Step 5: traction of every wheel."""
    ratio = gearbox_params.ratios.values[gearbox.current_gear]
    torque = wheel_torque(engine.torque, ratio, gearbox_params.final_ratio, gearbox_params.efficiency)
    total_traction = torque / params.radius * (1.0 - input.clutch)
    front, front_spins = limited_traction(params.front_share * total_traction, params.friction, body.front_load)
    rear, rear_spins = limited_traction((1.0 - params.front_share) * total_traction, params.friction, body.rear_load)
    front_count = 0
    for i in range(wheel_count):
        front_count += wheel_params[i].axle == FRONT
    for i in range(wheel_count):
        if wheel_params[i].axle == FRONT:
            state[i].traction, state[i].spinning = front / front_count, front_spins
        else:
            state[i].traction, state[i].spinning = rear / (wheel_count - front_count), rear_spins


@kernel
def brake(params: Any, state: Any, response: Any, body: Any, body_params: Any) -> None:
    """Step 5: magnitude of the brake force."""
    state.hold = response.handbrake
    v_lat = body.v_lat + body.angular_velocity[2] * body_params.rear_axle  # of the rear axle
    speed = elementary.hypot(body.v_long, v_lat)
    longitudinal_share = abs(body.v_long) / speed if speed > 0.0 else 1.0
    handbrake = response.handbrake * params.handbrake_friction * body.rear_load * longitudinal_share
    state.force = response.brake * params.full_force + handbrake


def derive_drive(params: Any, wheel_params: Any, wheel_count: int) -> None:
    """Set the mean radius of the driven wheels."""
    share = float(params["front_share"])
    axles = [(FRONT, share), (1 - FRONT, 1.0 - share)]  # 1 - FRONT is the rear axle
    wheels = wheel_params[:wheel_count]
    radii = [wheel["radius"] for wheel in wheels if dict(axles)[int(wheel["axle"])] > 0.0]
    params["radius"] = sum(radii) / len(radii)


def derive_brake(params: Any, body_params: Any, context: Any) -> None:
    """Set the brake force at full pedal."""
    weight = -float(body_params["mass"]) * float(context["gravity"][2])
    params["full_force"] = params["brake_force"] if params["brake_force"] > 0.0 else params["friction"] * weight


AXLE_DRIVE = Component(
    slot="differential",
    name="axle_split",
    params=AxleDriveParams,
    state=AxleDriveState,
    phases={"drive_axles": drive_axles},
    derive=derive_drive,
    doc="Traction by axle, limited by friction.",
)
BODY_FORCE_BRAKE = Component(
    slot="brakes",
    name="body_force",
    params=BodyForceBrakeParams,
    state=BodyForceBrakeState,
    phases={"brake": brake},
    derive=derive_brake,
    doc="A brake force on the body in proportion to the pedal, and a handbrake.",
)
