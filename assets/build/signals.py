"""Turn signals and reversing lamps, cut out of the lamps a body already has.

Tail lamps are divided along their longer side, across the vehicle or upwards: the outer (upper) share becomes the
amber turn signal, the inner (lower) one the clear reversing lamp. Of wide head lamps the outer end is amber. A clear
lamp on the tail is a reversing lamp as a whole. Vehicles with round lamps carry `repeater` lenses instead.
"""

import numpy as np

from assets.build.mesh import Mesh, cut
from assets.build.parts import box, cushion

TURN_SHARE, REVERSE_SHARE = 0.30, 0.20  # of a tail lamp's longer side
FRONT_SHARE = 0.16  # of a head lamp's width
WIDE = 1.5  # how many times as wide as high a head lamp is at least that has a turn signal at its end
TAIL, NOSE = "lamp_rear", "lamp_front"


def repeater(at, size):
    """A small amber lens in a dark frame at (x, y, z), for both sides; `size` along the axes."""
    x, y, z = at
    lens = [cushion([(s * x, y + d * size[1], z, size[2] / 2) for d in (-0.5, 0.5)], "lamp_turn") for s in (-1, 1)]
    frame = [box((s * (x - 0.008), y, z), (size[0], size[1] + 0.9 * size[2], 1.25 * size[2]), 0.004) for s in (-1, 1)]
    return [*lens, *frame]


def signals(body):
    """The meshes of a body with its lamps divided."""
    body = [_clear_tail(mesh) for mesh in body]
    tail, nose = _extent(body, TAIL, -1), _extent(body, NOSE, 1)
    out = []
    for mesh in body:
        if tail is not None:
            axis = 0 if tail[1, 0] - tail[0, 0] >= tail[1, 2] - tail[0, 2] else 2
            low, size = tail[0, axis], tail[1, axis] - tail[0, axis]
            mesh = _beyond(mesh, TAIL, "lamp_turn", axis, 1.0, low + (1.0 - TURN_SHARE) * size, -1)
            mesh = _beyond(mesh, TAIL, "lamp_reverse", axis, -1.0, low + REVERSE_SHARE * size, -1)
        if nose is not None and nose[1, 0] - nose[0, 0] > WIDE * (nose[1, 2] - nose[0, 2]):
            edge = nose[1, 0] - FRONT_SHARE * (nose[1, 0] - nose[0, 0])
            mesh = _beyond(mesh, NOSE, "lamp_turn", 0, 1.0, edge, 1)
        out.append(mesh)
    return out


def _middle_y(mesh):
    return mesh.v[mesh.t][:, :, 1].mean(axis=1)


def _clear_tail(mesh):
    out = mesh.copy()
    out.m = np.where((mesh.m == NOSE) & (_middle_y(mesh) < 0), "lamp_reverse", mesh.m).astype(mesh.m.dtype)
    return out


def _extent(body, material, side):
    """[[least], [most]] of |x|, y, z of a lamp's triangles ahead (side 1) or behind (-1), or None."""
    corners = [mesh.v[mesh.t[(mesh.m == material) & (side * _middle_y(mesh) > 0)]].reshape(-1, 3) for mesh in body]
    corners = np.concatenate([c for c in corners if len(c)] or [np.zeros((0, 3))])
    if not len(corners):
        return None
    corners = corners * [1, 1, 1]
    corners[:, 0] = np.abs(corners[:, 0])
    return np.stack([corners.min(axis=0), corners.max(axis=0)])


def _beyond(mesh, of, material, axis, sign, edge, side):
    """Give the lamp `of` another material where sign * (|coordinate| - edge) > 0."""
    lamp = (mesh.m == of) & (side * _middle_y(mesh) > 0)
    if not lamp.any():
        return mesh

    def inside(v, attr):
        return sign * (edge - (np.abs(v[:, 0]) if axis == 0 else v[:, axis]))

    part, mask = cut(mesh.keep(lamp), inside)
    part.m = np.where(mask, material, part.m).astype(mesh.m.dtype)
    rest = mesh.keep(~lamp)
    return Mesh(np.concatenate([rest.v, part.v]), np.concatenate([rest.t, part.t + len(rest.v)]),
                np.concatenate([rest.m, part.m]),
                {k: np.concatenate([rest.attr[k], part.attr[k]]) for k in mesh.attr})
