"""Parameters and state of suspensions whose wheels have mass (unsprung.py, axle_bodies.py)."""

from driving_sandbox.physics.schema.schema import Bool, Choice, Float, Int, Quat, Vec3, field
from driving_sandbox.physics.suspension.roll_centre import RollCentreParams
from driving_sandbox.physics.suspension.suspension import SuspensionState


class UnsprungParams(RollCentreParams):
    """Parameters of the roll centre suspension (roll_centre.py), unsprung mass and tire spring."""

    unsprung_mass: Float = field(
        unit="kg", ge=0, default=0.0, suggest=(10, 80),
        doc="Mass of wheel, hub, brake and half of the links, part of body.mass; 0: the wheel's mass.",
    )  # fmt: skip
    tire_stiffness: Float = field(
        unit="N/m", ge=0, default=0.0, suggest=(100e3, 500e3),
        doc="Vertical stiffness of the tire; 0: such that its static deflection is 20 mm.",
    )  # fmt: skip
    free_radius: Float = field(
        unit="m", ge=0, default=0.0, suggest=(0.25, 0.55),
        doc="Radius of the undeflected tire; 0: such that the loaded tire has the wheel's radius at rest.",
    )  # fmt: skip
    tire_damping: Float = field(
        unit="N*s/m", ge=0, default=200.0, suggest=(0, 1000), doc="Vertical force per speed of deflection."
    )
    tire_depth: Float = field(
        unit="m", gt=0, default=0.08, suggest=(0.04, 0.2), doc="Deflection at which the rim touches the road."
    )
    preload: Float = field(
        unit="N", ge=-50e3, default=0.0, suggest=(-3000, 3000), mechanic=True,
        doc="Force of the spring at full droop; if negative the spring pulls there, so it is fixed at both ends.",
    )  # fmt: skip
    tire_pulls: Bool = field(
        default=False,
        doc="Whether the tire's spring also pulls, up to a gap of `tire_depth`; to compare with linear models.",
    )
    links: Choice = field(
        options=("independent", "solid_axle"),
        default="independent",
        doc="solid_axle: both hubs of an axle roll about its roll centre, and move laterally under the body.",
    )
    joint_compliance: Float = field(
        unit="m/N", ge=0, le=1e-4, default=0.0, suggest=(0, 2e-5),
        doc="Lateral displacement of the hub relative to the body per force, by bushes and rods; 0: rigid.",
    )  # fmt: skip
    joint_damping: Float = field(
        unit="N*s/m", ge=0, default=1000.0, suggest=(0, 10e3),
        doc="Lateral force per speed of the hub in its joint; raised to a tenth of critical damping if below.",
    )  # fmt: skip
    limit_expansion: Bool = field(default=False, derived=True, doc="Not used: the hub's mass limits extension.")
    hub_mass: Float = field(unit="kg", derived=True, doc="Unsprung mass in use.")
    tire_rate: Float = field(unit="N/m", derived=True, doc="Vertical stiffness of the tire in use.")
    used_free_radius: Float = field(unit="m", derived=True, doc="Radius of the undeflected tire in use.")
    used_joint_damping: Float = field(unit="N*s/m", derived=True, doc="Damping of the joint in use.")
    opposite_wheel: Int = field(unit="1", derived=True, doc="Number of the wheel on the same solid axle, or its own.")
    lateral_ratio: Float = field(unit="1", derived=True, doc="Displacement of the hub to the right per jounce.")
    rest_jounce: Float = field(unit="m", derived=True, doc="Jounce at rest.")
    used_rest_distance: Float = field(
        unit="m", derived=True, doc="Distance from full compression to `wheel.radius` above the road, at rest."
    )


class HubState(SuspensionState):
    """State of the standard suspension with the jounce of the hub, and of hub and tire spring."""

    hub_initialized: Int = field(unit="1", doc="0 until the hub has been put in equilibrium between its springs.")
    road_jounce: Float = field(unit="m", doc="Jounce at which the tire would just touch the road.")
    tire_deflection: Float = field(unit="m", doc="Deflection along the road normal; negative: gap under the tire.")
    deflection_speed: Float = field(unit="m/s", doc="Speed of deflection; positive in compression.")
    # axle_bodies.py computes with the next three; unsprung.py writes them for plots
    specific_force: Float = field(
        unit="m/s^2", doc="Gravity minus the body's acceleration along the hub's travel, last substep."
    )
    external_force: Float = field(unit="N", doc="Force of joint, links and anti-roll bars on the hub, up.")
    stop_impulse: Float = field(unit="N*s", doc="Impulse of a hub on the body at an end of its travel, up.")
    bar_force: Float = field(unit="N", doc="Force of anti-roll bars on the hub, down.")
    bar_load: Float = field(unit="N", doc="Change of the tire's load by anti-roll bars.")
    tire_load: Float = field(unit="N", doc="Load of spring and damper, without `bar_load`.")


class UnsprungState(HubState):
    """State of a hub and of its joint."""

    joint_travel: Float = field(unit="m", doc="Displacement of the hub to the right in its joint.")
    joint_speed: Float = field(unit="m/s", doc="Rate of `joint_travel`.")
    # the next three are those of the body, stored at the first wheel
    orientation_before: Quat = field(unit="1", doc="Orientation of the body at the start of the last substep.")
    expected_velocity: Vec3 = field(
        unit="m/s", doc="Velocity of the body after the last substep, as expected in it, world axes."
    )
    expected_angular_velocity: Vec3 = field(
        unit="rad/s", doc="Angular velocity of the body after the last substep, as expected in it, world axes."
    )
