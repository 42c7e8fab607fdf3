"""Constants of a world, shared by its vehicles, and external actions on a vehicle."""

from typing import Any

import numpy as np

from driving_sandbox.physics.schema.schema import Block, Float, Int, Schema, Vec3, field

GRAVITY = 9.81  # m/s^2, the value of the recorded drives that tests compare with
MOVING_CAPACITY = 8  # largest number of moving bodies that the wheels of one vehicle can meet in a tick


class Context(Schema):
    """Constants of a world, shared by its vehicles, including the minimum speeds in the slip of all tires."""

    gravity: Vec3 = field(unit="m/s^2", default=[0.0, 0.0, -GRAVITY], doc="Acceleration of free fall.")
    air_density: Float = field(
        unit="kg/m^3", ge=0, default=1.204, doc="Density of the air; default: at 20 degrees Celsius and sea level."
    )
    wind: Vec3 = field(unit="m/s", default=[0.0, 0.0, 0.0], doc="Velocity of the air, world axes; constant.")
    substep_count: Int = field(
        unit="1", ge=1, default=4, doc="Substeps per tick of the components that run more than once per tick."
    )
    min_lateral_slip_speed: Float = field(
        unit="m/s",
        gt=0,
        default=1.0,
        doc="Keeps the denominator of the slip angle above 0: |v| + this or max(|v|, this), depending on the tire.",
    )
    min_passive_slip_speed: Float = field(
        unit="m/s", gt=0, default=4.0, doc="The same for the slip ratio of a wheel that is neither driven nor braked."
    )
    min_active_slip_speed: Float = field(
        unit="m/s", gt=0, default=0.1, doc="The same for the slip ratio of a driven or braked wheel."
    )
    wheel_angle_speed: Float = field(
        unit="m/s",
        ge=0,
        default=5.0,
        doc="Below this speed the drawn rotation of free wheels on the ground is blended towards pure rolling.",
    )


def _of_bodies(kind: type, each: int) -> np.dtype:
    """Type of a flat list with `each` numbers for every moving body."""
    return np.dtype((kind, (MOVING_CAPACITY * each,)))


class External(Schema):
    """External actions on one vehicle in one tick, an input that is recorded with the tick.

    Forces and impulses act at the centre of mass. All vectors are in world axes. The `moving_` lists describe
    `moving_count` moving bodies near the wheels, see physics/road/bodies.py.
    """

    force: Vec3 = field(unit="N", doc="Force throughout the tick.")
    torque: Vec3 = field(unit="N*m", doc="Torque throughout the tick.")
    impulse: Vec3 = field(unit="N*s", doc="Impulse at the start of the tick.")
    angular_impulse: Vec3 = field(unit="N*m*s", doc="Angular impulse at the start of the tick.")
    moving_count: Int = field(unit="1", doc="Number of moving bodies that wheels may meet.")
    moving_position: Block = field(layout=_of_bodies(np.float64, 3), unit="m", doc="Centres, x, y, z of each body.")
    moving_orientation: Block = field(
        layout=_of_bodies(np.float64, 4), unit="1", doc="Orientations, quaternion x, y, z, w of each body."
    )
    moving_velocity: Block = field(
        layout=_of_bodies(np.float64, 3), unit="m/s", doc="Velocities of the centres, x, y, z of each body."
    )
    moving_spin: Block = field(
        layout=_of_bodies(np.float64, 3), unit="rad/s", doc="Angular velocities, x, y, z of each body."
    )
    moving_half: Block = field(
        layout=_of_bodies(np.float64, 3), unit="m", doc="Half extents, x, y, z of each body, in its axes."
    )
    moving_top: Block = field(
        layout=_of_bodies(np.float64, 2),
        unit="m",
        doc="y at which the top face of each body begins and ends, in its axes; its bottom reaches from -hy to hy.",
    )
    moving_surface: Block = field(layout=_of_bodies(np.int64, 1), unit="1", doc="Surface id of each body.")


CONTEXT = Context.dtype
EXTERNAL = External.dtype


def new_context(**values: Any) -> np.ndarray:
    """CONTEXT array, length 1, with the defaults except for these values."""
    record = np.zeros(1, CONTEXT)
    Context.defaults(record[0])
    for name, value in values.items():
        record[0][name] = value
    return record
