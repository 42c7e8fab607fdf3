"""Kinds of ground, wetness and ringing materials of a world's surfaces, and the material of a vehicle's bodywork."""

import numpy as np

from driving_sandbox.physics.ground.surfaces import SurfaceTable, hull_materials
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.sound.body.materials import NOTHING, RUBBER, material_of, material_of_ground
from driving_sandbox.sound.tires.surfaces import PAVED, kind_of, wetness_of

STOP_MATERIAL = RUBBER  # of the suspension's stops and of tires


def surface_kinds(surfaces: SurfaceTable) -> tuple[np.ndarray, np.ndarray]:
    """(kind, wetness) of every surface id, then those of the dry pavement that a model without ground drives on.

    Shapes: int64 and float64 [surfaces + 1].
    """
    kinds = [kind_of(surface) for surface in surfaces.surfaces]
    wetness = [wetness_of(surface) for surface in surfaces.surfaces]
    return np.array([*kinds, PAVED], np.int64), np.array([*wetness, 0.0])


def hull_material(vehicle: Vehicle) -> str:
    """Name of a bodywork's material (configs/surfaces); that of a vehicle without `contact` is the first one."""
    return vehicle.get("contact.material") if "contact" in vehicle.sequence.by_slot else hull_materials()[0]


def bodywork_material(vehicle: Vehicle) -> int:
    """Material that rings where a vehicle's bodywork is hit."""
    return material_of(hull_material(vehicle))


def struck_materials(surfaces: SurfaceTable) -> np.ndarray:
    """int64[surfaces + 1]: material of every surface id that is struck, then NOTHING, for an unknown one."""
    return np.array([*(material_of_ground(kind_of(surface)) for surface in surfaces.surfaces), NOTHING], np.int64)
