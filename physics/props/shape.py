"""Mass properties and collision hull of a kind of prop.

All its shapes have the same density. Moments of inertia are about the model's axes; products of inertia are left out.
The frame of a hinged prop is at the hinge. It only turns about the hinge's axis: its mass and the other two moments of
inertia are HEAVY.
"""

import numpy as np

from driving_sandbox.physics.ground.surfaces import hull_materials
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.maths.products import dot
from driving_sandbox.physics.props.kinds import AXES, PROP_FOLDER, Kind, Shape
from driving_sandbox.physics.props.records import HEAVY, KIND
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.shape.hull import FACE_OFFSET, ConvexPart, build_hull, convex_part
from driving_sandbox.physics.shape.mass import solid

BODYWORK_MATERIAL = "steel"  # hull material of all props; its factor on the surfaces' `hull_friction` is 1
ASPHALT_FRICTION = 0.5  # `hull_friction` of dry asphalt in the standard surfaces, which a kind's friction refers to
CORNERS = 16  # corners of the polygon in place of a circle; a cylinder's 32 are as many as a convex part can have


def corners_of(shape: Shape) -> np.ndarray:
    """Points [n, 3] whose convex hull is the shape, m, in the model's frame; a polygon stands for a circle."""
    if shape.kind in ("box", "hull"):
        return shape.corners()
    v = shape.values
    ring = [elementary.sincos(2.0 * np.pi * (k + 0.5) / CORNERS) for k in range(CORNERS)]
    half = 0.5 * v["height"]
    if shape.kind == "cone":
        points = [(v["radius"] * c, v["radius"] * s, -half) for s, c in ring] + [(0.0, 0.0, half)]
    else:
        points = [(v["radius"] * c, v["radius"] * s, end) for end in (-half, half) for s, c in ring]
    axis = AXES.index(v.get("axis", "z"))
    return np.roll(np.array(points), axis - 2, axis=1) + np.array(v["at"])  # rolled: z moves to the shape's axis


class ClosedMesh:
    """Triangle mesh of a convex part: each face is split into a fan of triangles.

    Attributes:
        vertices: [n, 3], m.
        faces: [m, 3], indices of the corners of the triangles.
    """

    def __init__(self, part: ConvexPart) -> None:
        self.vertices, faces = part.vertices, []
        tolerance = FACE_OFFSET * np.ptp(part.vertices, axis=0).max()
        for plane in part.planes:
            normal = plane[:3]
            on_face = np.flatnonzero(dot(part.vertices, normal) > plane[3] - tolerance)
            arms = part.vertices[on_face] - part.vertices[on_face].mean(axis=0)
            across = np.cross(normal, arms[0])
            angles = [elementary.atan2(y, x) for y, x in zip(dot(arms, across), dot(arms, arms[0]), strict=True)]
            ring = on_face[np.argsort(angles, kind="stable")]
            faces += [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
        self.faces = np.array(faces)


def inertia_about(kind: Kind, point: tuple) -> np.ndarray:
    """Moments of inertia of a kind about a point of the model's frame, kg m^2.

    They are computed about the common centre of the shapes. The parallel axis theorem then uses the kind's own centre
    of mass in place of that centre.
    """
    solids = [solid(ClosedMesh(convex_part(corners_of(shape)))) for shape in kind.shapes]
    density = kind.mass / sum(volume for volume, _, _ in solids)
    common_centre = sum(volume * centre for volume, centre, _ in solids) * density / kind.mass
    total = np.zeros(3)
    for volume, centre, tensor in solids:
        total += density * (np.diag(tensor) + volume * _offset_moments(centre - common_centre))
    return total + kind.mass * _offset_moments(np.subtract(kind.centre, point))


def _offset_moments(arm: np.ndarray) -> np.ndarray:
    """Moments of inertia about the three axes of a point mass of 1 kg at `arm` (m), kg m^2."""
    squares = arm * arm
    return squares.sum() - squares


def frame_of(kind: Kind) -> tuple:
    """Origin of a kind's frame in the model's frame, m."""
    return kind.centre if kind.hinge is None else kind.hinge.at


def kind_record(kind: Kind) -> np.ndarray:
    """KIND array, length 1, of a kind."""
    record = np.zeros(1, KIND)
    fields = record[0]
    fields["mass"] = fields["solver_mass"] = kind.mass
    fields["restitution"] = kind.restitution
    fields["inertia"], fields["drivable"] = inertia_about(kind, frame_of(kind)), kind.drivable
    if kind.hinge is not None:
        axis = np.abs(kind.hinge.axis)
        fields["hinged"], fields["solver_mass"], fields["damping"] = 1, HEAVY, kind.hinge.damping
        fields["axis"], fields["limits"] = kind.hinge.axis, kind.hinge.limits
        fields["centre"] = np.subtract(kind.centre, kind.hinge.at)
        fields["inertia"] = np.where(axis > 0.5, fields["inertia"], HEAVY)
    return record


def hull_record(kind: Kind) -> np.ndarray:
    """HULL array, length 1, of a kind. Raises ConfigError for shapes that span no volume."""
    parts = {f"{shape.kind} {k + 1}": corners_of(shape) for k, shape in enumerate(kind.shapes)}
    material = hull_materials().index(BODYWORK_MATERIAL)
    try:
        return build_hull(parts, frame_of(kind), kind.friction / ASPHALT_FRICTION, material=material)
    except ValueError as error:
        raise ConfigError(PROP_FOLDER / f"{kind.key}.yaml", None, "shapes", str(error)) from None
