"""Where the wheels of a vehicle lie along its longitudinal axis."""

import numpy as np

from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.physics.vehicle.vehicle import Vehicle


def wheel_positions(vehicle: Vehicle) -> np.ndarray:
    """How far each wheel lies ahead of the centre of mass, m; float64 [wheel count]."""
    body, count = vehicle.params["body"][0], vehicle.wheel_count
    if "front_axle" in body.dtype.names:  # a planar model: it has the distances of its two axles, not of each wheel
        return np.where(2 * np.arange(count) < count, body["front_axle"], -body["rear_axle"])
    suspension, wheel = vehicle.params["suspension"][0], vehicle.params["wheel"][0]
    # column 1 is y, forward
    ahead = suspension["attachment"][:count, 1] + wheel["offset"][:count, 1] - body["centre_of_mass"][1]
    return np.array(ahead, np.float64)


def axle_positions(vehicle: Vehicle) -> tuple[float, float]:
    """(front axle, rear axle): how far the first and the last axle lie ahead of the centre of mass, m."""
    ahead = wheel_positions(vehicle)
    return float(ahead.max()), float(ahead.min())


def wheels_ahead(vehicle: Vehicle) -> np.ndarray:
    """How far each wheel lies ahead of the middle between the first and the last axle, m; float64 [WHEEL_CAPACITY]."""
    front, rear = axle_positions(vehicle)
    result = np.zeros(WHEEL_CAPACITY)
    result[: vehicle.wheel_count] = wheel_positions(vehicle) - 0.5 * (front + rear)
    return result
