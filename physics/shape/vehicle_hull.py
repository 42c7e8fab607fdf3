"""The collision hull of a vehicle: its model's parts with the file's settings, and its wheels.

Components that change the size or position of wheels rebuild it when parameters are derived.
"""

from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.ground.surfaces import hull_materials
from driving_sandbox.physics.schema.schema import Floats, Words
from driving_sandbox.physics.shape.geometry import PartSettings
from driving_sandbox.physics.shape.hull import BODY_PARTS, build_hull, wheel_points

if TYPE_CHECKING:
    from driving_sandbox.physics.shape.geometry import Geometry

_NUMBERS, _MATERIALS = Floats(BODY_PARTS), Words(hull_materials(), BODY_PARTS)  # an entry per part of the model


def part_settings(params: np.void) -> PartSettings:
    """PartSettings of a record of ContactParams."""
    names = ("flags", "excluded", "mass", "zoffset")
    flags, excluded, masses, z_offsets = (tuple(_NUMBERS.read(params, f"part_{name}")) for name in names)
    return PartSettings(flags, excluded, masses, z_offsets, tuple(_MATERIALS.read(params, "part_material")))


def wheel_parts(wheel_params: np.ndarray, suspension_params: np.ndarray, wheel_count: int) -> dict[str, np.ndarray]:
    """{name: points [n, 3] in m} of the wheels at full compression and without steering.

    Outermost axles come first, as a hull may not have room for all wheels.
    """
    parts = {}
    for i in range(wheel_count):
        wheel = wheel_params[i]
        centre = suspension_params[i]["attachment"] + wheel["offset"]
        parts[f"wheel {i + 1}"] = wheel_points(centre, float(wheel["radius"]), float(wheel["half_width"]))
    return dict(sorted(parts.items(), key=lambda item: -abs(item[1][:, 1].mean())))


def hull_of(
    params: np.void,
    body_params: np.void,
    wheel_params: np.ndarray,
    suspension_params: np.ndarray,
    wheel_count: int,
    geometry: "Geometry | None",
) -> np.ndarray:
    """HULL array, length 1, of a vehicle. Raises ValueError naming the invalid part.

    Args:
        params: record of ContactParams.
        geometry: Geometry of the model, or None without one.
    """
    parts, materials = {}, {}
    if geometry is not None:
        settings = part_settings(params)
        parts, named = geometry.colliding(settings), geometry.materials(settings)
        known = hull_materials()
        materials = {name: known.index(material) for name, material in named.items() if material in known}
    wheels = wheel_parts(wheel_params, suspension_params, wheel_count) if params["wheels_touch"] else {}
    centre = tuple(body_params["centre_of_mass"].tolist())
    return build_hull(
        parts,
        centre_of_mass=centre,
        friction=float(params["friction"]),
        restitution=float(params["restitution"]),
        wheels=wheels,
        material=int(params["material"]),
        materials=materials,
    )
