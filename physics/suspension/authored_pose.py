"""Suspension defined by the modelled pose: spring rates are derived from the static loads (CE-SUSP-01..08).

Each wheel is on a spring below its `pivot`, which is fixed in the body, and moves along the body's z axis only. The
pose in which the vehicle is modelled is the one at rest, with springs of length len_initial; their free length is
len_max.

    wheel    at pivot - (0, 0, length), with the spring force k (len_max - length)
    k        F / (len_max - len_initial) unless stiffness is given; F is the wheel's share of the weight, by the
             balance of forces and moments about the centre of mass
    c        damping, if positive; otherwise |damping| times the critical damping 2 sqrt(k m) with m = F / g

Pivot and len_initial are given as parameters, or come from the model's helper nodes wheelN_lower and wheelN_upper (or
wheel_N_lower ...; N: the wheel's number, from 1): their difference in height is len_initial, and the pivot is
vertically above the lower node by that length (CE-LOAD-05).

Wheels with the same `axle` number whose pivots are almost mirror images get exactly mirrored pivots: the same y and z,
opposite x (CE-WHEEL-04).

Everything else is the standard suspension with the pivot as attachment and a travel of len_max. At full compression the
wheel's centre is thus at the pivot; usually the bodywork touches the ground before that.
Source: the CryEngine vehicle document, "wheels are supposed to have independent suspension" and the wheel record.
"""

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.maths.products import norm
from driving_sandbox.physics.schema.schema import Choice, Float, Int, Quat, Vec3, field
from driving_sandbox.physics.shape.vehicle_hull import hull_of
from driving_sandbox.physics.suspension.sprung_mass import sprung_masses
from driving_sandbox.physics.suspension.suspension import SUSPENSION, SuspensionParams, SuspensionState
from driving_sandbox.physics.suspension.suspension import check as check_standard
from driving_sandbox.physics.tick.component import Component

if TYPE_CHECKING:
    from driving_sandbox.physics.shape.geometry import Geometry

SYMMETRY_TOLERANCE = 0.1  # m in each coordinate, below which two wheels of an axle count as mirror images
SOURCES = ("values", "model")  # options of `place_from`
MODEL = SOURCES.index("model")
_HELPER = re.compile(r"wheel_?([1-9]\d*)_(upper|lower)$")


class AuthoredPoseParams(SuspensionParams):
    """The modelled pose, and spring parameters."""

    place_from: Choice = field(
        options=SOURCES,
        default="values",
        source="CE-LOAD-05",
        doc="Source of pivot and len_initial: the values below, or the model's helper nodes.",
    )
    pivot: Vec3 = field(
        unit="m",
        mirror="x",
        default=[0, 0, 0],
        suggest=(-2, 2),
        source="CE-SUSP-02",
        doc="Upper end of the spring, relative to the model's origin.",
    )
    len_initial: Float = field(
        unit="m",
        ge=0,
        default=0.0,
        suggest=(0.1, 0.6),
        source="CE-SUSP-03",
        doc="Length of the spring in the modelled pose, at rest.",
    )
    len_max: Float = field(unit="m", gt=0, suggest=(0.2, 0.8), source="CE-SUSP-04", doc="Free length of the spring.")
    given_stiffness: Float = field(
        unit="N/m",
        ge=0,
        default=0.0,
        suggest=(0, 150e3),
        source="CE-SUSP-05, CE-SUSP-06",
        doc="Force per metre of compression; 0 derives it from the wheel's share of the weight at len_initial.",
    )
    given_damping: Float = field(
        unit="N*s/m",
        ge=-10,
        default=-0.3,
        suggest=(-1, 15e3),
        source="CE-SUSP-07, CE-SUSP-08",
        doc="Force per speed; a negative number is a multiple of critical damping: -0.3 is 30 percent of it.",
    )
    axle: Int = field(
        unit="1",
        ge=0,
        lt=20,
        default=0,
        suggest=(0, 3),
        source="CE-WHEEL-04",
        doc="Number of the wheel's axle: opposite wheels of an axle are made symmetric, and share a stabilizer.",
    )
    attachment: Vec3 = field(unit="m", derived=True, doc="Pivot in use.")
    attachment_rotation: Quat = field(
        unit="1", derived=True, default=[0, 0, 0, 1], doc="No rotation: springs are upright in the body."
    )
    direction: Vec3 = field(unit="1", derived=True, default=[0, 0, -1], doc="Downwards in the body.")
    travel: Float = field(unit="m", derived=True, doc="Equal to len_max: the wheel may rise up to its pivot.")
    stiffness: Float = field(unit="N/m", derived=True, mechanic=True, doc="Stiffness in use.")
    damping: Float = field(unit="N*s/m", derived=True, mechanic=True, doc="Damping in use.")

    aliases = {"stiffness": ("given_stiffness", 1.0), "damping": ("given_damping", 1.0)}


class HelperError(WrongValue):
    """A wheel's helper nodes are missing or in the wrong order; `str()` is a message that names them."""


def helper_pivot(geometry: "Geometry", wheel: int) -> tuple[np.ndarray, float]:
    """(pivot, len_initial), m, of the wheel with an index, from the helper nodes of a model. Raises HelperError."""
    nodes = {}
    for name, position in geometry.nodes.items():
        match = _HELPER.match(name)
        if match and int(match.group(1)) == wheel + 1:
            nodes[match.group(2)] = position
    for end in ("lower", "upper"):
        if end not in nodes:
            raise HelperError(f"{geometry.path.name} has no node wheel{wheel + 1}_{end}")
    length = float(nodes["upper"][2] - nodes["lower"][2])
    if length <= 0.0:
        raise HelperError(f"{geometry.path.name}: wheel{wheel + 1}_upper is not above wheel{wheel + 1}_lower")
    return nodes["lower"] + (0.0, 0.0, length), length


def pivots_and_lengths(
    params: np.ndarray, geometry: "Geometry | None", wheel_count: int
) -> tuple[np.ndarray, np.ndarray]:
    """([n, 3] symmetric pivots, [n] initial lengths), m, of all wheels. Raises HelperError."""
    wheels = params[:wheel_count]
    pivots, lengths = wheels["pivot"].copy(), wheels["len_initial"].copy()
    for i in range(wheel_count):
        if wheels["place_from"][i] == MODEL:
            if geometry is None:
                raise HelperError("the vehicle has no model with helper nodes")
            pivots[i], lengths[i] = helper_pivot(geometry, i)
    return symmetric(pivots, wheels["axle"]), lengths


def symmetric(pivots: np.ndarray, axles: np.ndarray) -> np.ndarray:
    """Pivots, with the pairs of `opposite_pairs` moved to be exact mirror images."""
    result = pivots.copy()
    for i, j in opposite_pairs(pivots, axles):
        half = 0.5 * (abs(pivots[i, 0]) + abs(pivots[j, 0]))
        y, z = 0.5 * (pivots[i, 1:] + pivots[j, 1:])
        for k in (i, j):
            result[k] = math.copysign(half, pivots[k, 0]), y, z
    return result


def opposite_pairs(pivots: np.ndarray, axles: np.ndarray) -> list[tuple[int, int]]:
    """Pairs (i, j) of wheels of one axle, on different sides, that are mirror images within the tolerance."""
    pairs: list[tuple[int, int]] = []
    paired: set[int] = set()
    for i in range(len(pivots)):
        for j in range(i + 1, len(pivots)):
            mirrored = pivots[j] * (-1.0, 1.0, 1.0)
            opposite = pivots[i, 0] * pivots[j, 0] < 0.0 and np.abs(pivots[i] - mirrored).max() < SYMMETRY_TOLERANCE
            if opposite and axles[i] == axles[j] and not {i, j} & paired:
                pairs.append((i, j))
                paired |= {i, j}
    return pairs


def derive(
    params: np.ndarray,
    contact_params: np.void,
    body_params: np.void,
    wheel_params: np.ndarray,
    wheel_count: int,
    context: np.void,
    geometry: "Geometry",
) -> None:
    """Derive positions, springs and dampers, and rebuild the vehicle's hull with the final wheel positions."""
    wheels = params[:wheel_count]
    wheels["attachment"], lengths = pivots_and_lengths(params, geometry, wheel_count)
    wheels["attachment_rotation"], wheels["direction"], wheels["turned"] = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, -1.0), 0
    wheels["arm"] = wheels["attachment"] - body_params["centre_of_mass"]
    wheels["travel"] = wheels["len_max"]
    authored = wheels["sprung_mass"]
    if np.all(authored > 0.0):
        wheels["supported_mass"] = authored
    else:
        wheels["supported_mass"] = sprung_masses(float(body_params["mass"]), wheels["arm"][:, :2])
    weight = wheels["supported_mass"] * float(norm(context["gravity"]))
    compression = np.maximum(wheels["len_max"] - lengths, 1e-9)  # 1e-9: with a given stiffness it may be 0 or less
    wheels["stiffness"] = np.where(wheels["given_stiffness"] > 0.0, wheels["given_stiffness"], weight / compression)
    critical = 2.0 * np.sqrt(wheels["stiffness"] * wheels["supported_mass"])
    given_damping = wheels["given_damping"]
    wheels["damping"] = np.where(given_damping > 0.0, given_damping, -given_damping * critical)
    contact_params["hull"] = hull_of(contact_params, body_params, wheel_params, params, wheel_count, geometry)[0]


def check(params: np.ndarray, body_params: np.void, wheel_names: tuple[str, ...], geometry: "Geometry") -> list[Any]:
    """The first problem of the modelled pose, else those of the standard suspension."""
    try:
        pivots, lengths = pivots_and_lengths(params, geometry, len(wheel_names))
    except HelperError as error:
        return [("place_from", str(error))]
    wheels = params[: len(wheel_names)].copy()
    for i, (name, length) in enumerate(zip(wheel_names, lengths, strict=True)):
        if length <= 0.0:
            return [("len_initial", f"of wheel {name} must be given, above 0")]
        if wheels["given_stiffness"][i] == 0.0 and length >= wheels["len_max"][i]:
            text = f"of wheel {name} must be above len_initial ({length:g} m): a spring at its free length has no force"
            return [("len_max", text)]
    wheels["attachment"], wheels["direction"] = pivots, (0.0, 0.0, -1.0)
    return check_standard(wheels, body_params, len(wheel_names))


AUTHORED_POSE = Component(
    slot="suspension",
    name="authored_pose",
    params=AuthoredPoseParams,
    state=SuspensionState,
    phases=SUSPENSION.phases,
    derive=derive,
    check=check,
    doc="Vertical springs derived from the vehicle's modelled pose.",
)
