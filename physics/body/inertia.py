"""The rigid body with its inertia by one of three methods (ST-MASS-03..08).

The first method whose parameters are given is used:

    raw       principal_inertia as it stands
    cuboid    cuboid_mass_factor M (L^2 + H^2, W^2 + H^2, W^2 + L^2), each times its cuboid_scale
    default   mass_factor M (the same three), the yaw term times `responsiveness`

with the mass M and the box (W, L, H) = `box_size`; the order is pitch, roll, yaw. A box of uniform density has the mass
factor 1/12. Factors and scales are for handling, not for realism: any moment of at least the lower limit (gyration.py)
is accepted, even one larger than the sum of the other two, which no solid has and rigid_body.py rejects. For example, a
yaw inertia far below the pitch inertia sharpens turn-in. Everything else is as in rigid_body.py.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.body.gyration import gyration_problems
from driving_sandbox.physics.body.rigid_body import BODY, BodyParams, BodyState
from driving_sandbox.physics.schema.schema import Choice, Float, Vec3, field
from driving_sandbox.physics.shape.hull import box_inertia
from driving_sandbox.physics.tick.component import Component

UNIFORM_BOX = 1.0 / 12.0  # mass factor of a box of uniform density
METHODS = ("raw", "cuboid", "default")
RAW, CUBOID, DEFAULT = range(3)


class InertiaParams(BodyParams):
    """The body, and the source of its inertia."""

    cuboid_mass_factor: Float = field(
        unit="1",
        ge=0,
        default=0.0,
        suggest=(0, 0.2),
        source="ST-MASS-04, ST-MASS-06",
        doc="Mass factor of the cuboid method; 0 disables the method.",
    )
    cuboid_scale: Vec3 = field(
        unit="1",
        gt=0,
        default=[1, 1, 1],
        suggest=(0.2, 2),
        source="ST-MASS-05",
        doc="Factors on pitch, roll and yaw inertia of the cuboid method.",
    )
    mass_factor: Float = field(
        unit="1",
        gt=0,
        default=UNIFORM_BOX,
        suggest=(0.01, 0.2),
        source="ST-MASS-06",
        doc="Mass factor of the default method.",
    )
    responsiveness: Float = field(
        unit="1",
        gt=0,
        default=1.0,
        suggest=(0.2, 2),
        source="ST-MASS-07",
        doc="Factor on the yaw inertia of the default method; smaller improves turn-in.",
    )
    method: Choice = field(options=METHODS, derived=True, doc="Method in use: raw, else cuboid, else default.")


def moments(params: Any) -> tuple[int, np.ndarray]:
    """(index of the method in METHODS, [pitch, roll, yaw] inertia in kg m^2) of a record of InertiaParams."""
    raw = params["principal_inertia"]
    if np.all(raw > 0.0):
        return RAW, raw.copy()
    box = box_inertia(float(params["mass"]), params["box_size"]) / UNIFORM_BOX  # with the mass factor 1
    if params["cuboid_mass_factor"] > 0.0:
        return CUBOID, box * params["cuboid_mass_factor"] * params["cuboid_scale"]
    return DEFAULT, box * params["mass_factor"] * (1.0, 1.0, float(params["responsiveness"]))


def derive(params: Any) -> None:
    """Set the inertia, and the method that gave it."""
    params["method"], params["inertia"] = moments(params)


def check(params: Any) -> list[tuple[str, str]]:
    """Problems of the moments: some of the three missing, or too small."""
    raw = params["principal_inertia"]
    if np.any(raw > 0.0) and not np.all(raw > 0.0):
        return [("principal_inertia", "give all three, or zeros to have them computed by another method")]
    return gyration_problems("principal_inertia", float(params["mass"]), moments(params)[1])


INERTIA_METHODS = Component(
    slot="body",
    name="inertia_methods",
    params=InertiaParams,
    state=BodyState,
    phases=BODY.phases,
    derive=derive,
    check=check,
    doc="The vehicle's whole mass as one rigid body, its inertia by one of three methods.",
)
