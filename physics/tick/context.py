"""Shared constants of all vehicles of a world, and external actions on a vehicle."""

from typing import Any

import numpy as np

from driving_sandbox.physics.schema.schema import Block, Float, Int, Schema, Vec3, field

GRAVITY = 9.81  # m/s2, the value every reference of this project uses
MOVING_CAPACITY = 8  # moving bodies near one vehicle in a tick


class Context(Schema):
    """Shared constants of one world; below the slip denominators of every tire."""

    gravity: Vec3 = field(unit="m/s^2", default=[0.0, 0.0, -GRAVITY], doc="Acceleration of free fall.")
    air_density: Float = field(unit="kg/m^3", ge=0, default=1.204, doc="At 20 degrees Celsius and sea level.")
    wind: Vec3 = field(unit="m/s", default=[0.0, 0.0, 0.0], doc="Velocity of the air, world axes; steady.")
    substep_count: Int = field(unit="1", ge=1, default=4, doc="Substeps of the inner group of a tick.")
    min_lateral_slip_speed: Float = field(unit="m/s", gt=0, default=1.0, doc="Added to |v| in the lateral slip.")
    min_passive_slip_speed: Float = field(unit="m/s", gt=0, default=4.0, doc="Added to |v| in a free wheel's slip.")
    min_active_slip_speed: Float = field(unit="m/s", gt=0, default=0.1, doc="Added to |v| of a driven or braked wheel.")
    wheel_angle_speed: Float = field(unit="m/s", ge=0, default=5.0, doc="Slower drawn wheels follow the ground.")


def _of_bodies(kind: type, each: int) -> np.dtype:
    """A flat list with `each` numbers for every moving body."""
    return np.dtype((kind, (MOVING_CAPACITY * each,)))


class External(Schema):
    """External actions on one vehicle in one tick: an input, recorded with the tick. World frame, at the centre of
    mass.

    Moving bodies are those near the wheels, see physics/road/bodies.py: the first `moving_count` entries of each list.
    """

    force: Vec3 = field(unit="N", doc="Acts throughout the tick.")
    torque: Vec3 = field(unit="N*m", doc="Acts throughout the tick.")
    impulse: Vec3 = field(unit="N*s", doc="Acts at the start of the tick.")
    angular_impulse: Vec3 = field(unit="N*m*s", doc="Acts at the start of the tick.")
    moving_count: Int = field(unit="1", doc="Moving bodies that wheels may meet; see physics/road/bodies.py.")
    moving_position: Block = field(
        layout=_of_bodies(np.float64, 3), unit="m", doc="Centre of each, three numbers each."
    )
    moving_orientation: Block = field(layout=_of_bodies(np.float64, 4), unit="1", doc="Quaternion x, y, z, w of each.")
    moving_velocity: Block = field(
        layout=_of_bodies(np.float64, 3), unit="m/s", doc="Of each centre, three numbers each."
    )
    moving_spin: Block = field(
        layout=_of_bodies(np.float64, 3), unit="rad/s", doc="Of each, world, three numbers each."
    )
    moving_half: Block = field(
        layout=_of_bodies(np.float64, 3), unit="m", doc="Half extents of each, three numbers each."
    )
    moving_top: Block = field(layout=_of_bodies(np.float64, 2), unit="m", doc="Lowest and highest y of each top face.")
    moving_surface: Block = field(
        layout=_of_bodies(np.int64, 1), unit="1", doc="Surface of each, its number in the world."
    )


CONTEXT = Context.dtype
EXTERNAL = External.dtype


def new_context(**values: Any) -> np.ndarray:
    """A length-1 context record with defaults, `values` replacing some."""
    record = np.zeros(1, CONTEXT)
    Context.defaults(record[0])
    for name, value in values.items():
        record[0][name] = value
    return record
