"""The rigid body as an assembly of bodywork, engine and driver, relative to a nullpoint (RC-MASS-01..07, RC-ENG-02).

    mass = body_mass + engine_mass + driver_mass
    centre of mass = nullpoint + cg

Added masses do not move the centre of mass, which is given for the whole car. The nullpoint is the point from which
`cg` is measured; the parameter `nullpoint` is its position relative to the model's origin, from which all other
positions are measured. (In a Racer car file every position is relative to the nullpoint.)

The moments of inertia about the pitch, roll and yaw axes come from one of three methods:

    given           principal_inertia as it stands
    axle_formula    pitch = 0.8 (m_f a^2 + m_r b^2),  yaw = 1.2 pitch,  roll = roll_share yaw
    rule_of_thumb   pitch = 1950 kg m^2 * mass / 1280 kg,    yaw = 0.9 pitch,  roll = 0.6 pitch

a and b are the distances of the front and rear axles from the centre of mass. m_f and m_r are the masses that these
axles carry: m_f = front_share mass, or by the lever rule m_f = b / (a + b) mass if `front_share` is 0; m_r is the rest.
Of several axles before or behind the centre of mass the mean position counts. The axle formula, from Racer's car
reference, is empirical, for sports and formula cars. The rule of thumb is from the same reference, scaled by mass from
its one example; the two disagree about yaw, so both are offered. Everything else is as in rigid_body.py.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.body.gyration import gyration_problems
from driving_sandbox.physics.body.rigid_body import ADVISED_MASSES, BODY, BodyParams, BodyState
from driving_sandbox.physics.estimate.inertia import MIN_ROLL_PER_YAW, axle_distances, axle_formula, rule_of_thumb
from driving_sandbox.physics.schema.schema import Choice, Float, Vec3, field
from driving_sandbox.physics.tick.component import Component

METHODS = ("given", "axle_formula", "rule_of_thumb")
GIVEN, AXLE_FORMULA, RULE_OF_THUMB = range(3)


class AssembledParams(BodyParams):
    """Masses of the parts, centre of mass relative to the nullpoint, and the method for the inertia."""

    mass: Float = field(
        unit="kg",
        derived=True,
        advised=ADVISED_MASSES,
        mechanic=True,
        doc="Mass of the whole vehicle.",
        source="RC-MASS-01",
    )
    centre_of_mass: Vec3 = field(
        unit="m", derived=True, mechanic=True, doc="Centre of mass relative to the model's origin: right, forward, up."
    )
    box_size: Vec3 = field(
        unit="m",
        derived=True,
        default=[1.8, 4.2, 1.3],
        doc="Size of a common car, which the tuning help's inertia check takes for vehicles without a hull.",
    )
    body_mass: Float = field(
        unit="kg",
        gt=0,
        suggest=(300, 3000),
        doc="Mass of bodywork and everything not listed separately.",
        source="RC-MASS-01",
    )
    engine_mass: Float = field(
        unit="kg", ge=0, suggest=(0, 400), default=0.0, doc="Mass of the engine, added to the body.", source="RC-ENG-02"
    )
    driver_mass: Float = field(
        unit="kg",
        ge=0,
        suggest=(0, 120),
        default=0.0,
        mechanic=True,
        doc="Mass of the driver, added to the body.",
        source="RC-MASS-01",
    )
    nullpoint: Vec3 = field(
        unit="m",
        default=[0, 0, 0],
        suggest=(-2, 2),
        source="RC-FRAME-02",
        doc="Point from which cg is measured, relative to the model's origin.",
    )
    cg: Vec3 = field(
        unit="m",
        suggest=(-2, 2),
        source="RC-MASS-02",
        mechanic=True,
        doc="Centre of mass relative to the nullpoint: right, forward, up.",
    )
    inertia_from: Choice = field(
        options=METHODS,
        default="axle_formula",
        source="RC-MASS-06, RC-MASS-07",
        doc="Where the moments of inertia come from.",
    )
    front_share: Float = field(
        unit="1",
        ge=0,
        lt=1,
        suggest=(0.3, 0.7),
        default=0.0,
        source="RC-MASS-07",
        doc="Share of the mass on the front axle in the axle formula; 0: computed from the centre of mass.",
    )
    roll_share: Float = field(
        unit="1",
        ge=MIN_ROLL_PER_YAW,
        le=1,
        suggest=(0.5, 0.8),
        default=MIN_ROLL_PER_YAW,
        source="RC-MASS-07",
        doc="Ratio of roll to yaw inertia in the axle formula; at least a half.",
    )


def sum_up(params: Any) -> None:
    """Set `mass` and `centre_of_mass`, those of the whole vehicle."""
    params["mass"] = params["body_mass"] + params["engine_mass"] + params["driver_mass"]
    params["centre_of_mass"] = params["nullpoint"] + params["cg"]


def derive(params: Any, suspension_params: Any, wheel_count: int) -> None:
    """Set mass and centre of mass, and the inertia by the chosen method."""
    sum_up(params)
    mass = float(params["mass"])
    if params["inertia_from"] == GIVEN:
        params["inertia"] = params["principal_inertia"]
    elif params["inertia_from"] == RULE_OF_THUMB:
        params["inertia"] = rule_of_thumb(mass)
    else:
        a, b = _required_distances(_distances_ahead(params, suspension_params, wheel_count))
        share = float(params["front_share"]) or b / (a + b)
        params["inertia"] = axle_formula(share * mass, (1.0 - share) * mass, a, a + b, float(params["roll_share"]))


def _required_distances(ahead: Any) -> Any:
    """(a, b) as in the module's docstring, m. Raises ValueError.

    ahead: distance of each wheel ahead of the centre of mass, m.
    """
    distances = axle_distances(ahead)
    if distances is None:
        raise ValueError("the axle formula needs wheels before and behind the centre of mass")
    return distances


def _distances_ahead(params: Any, suspension_params: Any, wheel_count: int) -> Any:
    """Distance of each wheel ahead of the centre of mass, m."""
    return suspension_params["attachment"][:wheel_count, 1] - params["centre_of_mass"][1]


def check(params: Any, suspension_params: Any, wheel_count: int) -> list[tuple[str, str]]:
    """Problems of given moments of inertia, or of the wheels for the axle formula."""
    sum_up(params)  # needed by the checks of other components, which run next
    moments = params["principal_inertia"]
    if params["inertia_from"] == GIVEN and not np.all(moments > 0.0):
        return [("principal_inertia", "must be three numbers above 0 while inertia_from is given")]
    if params["inertia_from"] == GIVEN:
        return gyration_problems("principal_inertia", float(params["mass"]), moments)
    if params["inertia_from"] == AXLE_FORMULA:
        try:
            _required_distances(_distances_ahead(params, suspension_params, wheel_count))
        except ValueError as error:
            return [("cg", f"{error}; choose another inertia_from")]
    return []


ASSEMBLED = Component(
    slot="body",
    name="assembled",
    params=AssembledParams,
    state=BodyState,
    phases=BODY.phases,
    derive=derive,
    check=check,
    doc="The vehicle's whole mass as one rigid body, summed from its parts, its inertia by a chosen method.",
)
