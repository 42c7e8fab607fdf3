"""Turn signals and reversing lamps, cut out of the lamps that a body already has.

Tail lamps are divided along their longer side, outward round the corner or upwards: the outer (upper) share becomes
the amber turn signal, the inner (lower) one the clear reversing lamp. The outer end of wide headlamps is amber. A
clear lamp on the tail is a reversing lamp as a whole, a red one in the middle the third brake lamp. Vehicles with round
lamps carry `repeater` lenses instead: where the front or the rear has separate turn signals, its lamps stay whole.
"""

from collections.abc import Sequence

import numpy as np

from driving_sandbox.assets.build.mesh import Mesh, cut
from driving_sandbox.assets.build.parts import box, cushion

TURN_SHARE = 0.30  # of a tail lamp's longer side
REVERSE_SHARE = 0.20  # of a tail lamp's longer side
FRONT_SHARE = 0.16  # of a headlamp's width
OUTWARD, UPWARD = 0, 1  # axes along which a lamp's extent is measured
WIDE = 1.5  # minimum ratio of width to height of a headlamp with a turn signal at its end
TAIL, NOSE = "lamp_rear", "lamp_front"
MIDDLE = 0.2  # m either side of the centre line, where the third brake lamp is


def repeater(at: tuple[float, float, float], size: tuple[float, float, float]) -> list[Mesh]:
    """A small amber lens in a dark frame on either side, at (+-x, y, z) of `at`; `size`: along x, y and z, m."""
    x, y, z = at
    lens = [cushion([(s * x, y + d * size[1], z, size[2] / 2) for d in (-0.5, 0.5)], "lamp_turn") for s in (-1, 1)]
    frame = [box((s * (x - 0.008), y, z), (size[0], size[1] + 0.9 * size[2], 1.25 * size[2]), 0.004) for s in (-1, 1)]
    return [*lens, *frame]


def signals(body: Sequence[Mesh]) -> list[Mesh]:
    """The meshes of a body with its lamps divided."""
    body = [_clear_tail(mesh) for mesh in body]
    tail, nose = (None if any(_lamp_mask(mesh, "lamp_turn", side).any() for mesh in body) else _extent(body, lamp, side)
                  for lamp, side in ((TAIL, -1), (NOSE, 1)))  # fmt: skip
    out = []
    for mesh in body:
        if tail is not None:
            axis = OUTWARD if tail[1, OUTWARD] - tail[0, OUTWARD] >= tail[1, UPWARD] - tail[0, UPWARD] else UPWARD
            low, size = tail[0, axis], tail[1, axis] - tail[0, axis]
            mesh = _beyond(mesh, TAIL, "lamp_turn", axis, 1.0, low + (1.0 - TURN_SHARE) * size, -1)
            mesh = _beyond(mesh, TAIL, "lamp_reverse", axis, -1.0, low + REVERSE_SHARE * size, -1)
        if nose is not None:
            wide, high = nose[1] - nose[0]
            if wide > WIDE * high:
                mesh = _beyond(mesh, NOSE, "lamp_turn", OUTWARD, 1.0, nose[1, OUTWARD] - FRONT_SHARE * wide, 1)
        out.append(mesh)
    return out


def _middle_y(mesh):
    """y of the middle of each triangle."""
    return mesh.v[mesh.t][:, :, 1].mean(axis=1)


def _lamp_mask(mesh, material, side):
    """Mask of the triangles of `material` at the front (side 1) or rear (-1), except near the centre line."""
    return (mesh.m == material) & (side * _middle_y(mesh) > 0) & (np.abs(mesh.v[mesh.t][:, :, 0]).max(axis=1) > MIDDLE)


def _positions(v, side):
    """(n, 2): |x| - side * y, which grows outward and on round the corner along the flank, and height; m."""
    return np.stack([np.abs(v[:, 0]) - side * v[:, 1], v[:, 2]], axis=1)


def _clear_tail(mesh):
    """The mesh with the clear lamps on its tail turned into reversing lamps."""
    out = mesh.copy()
    out.m = np.where((mesh.m == NOSE) & (_middle_y(mesh) < 0), "lamp_reverse", mesh.m).astype(mesh.m.dtype)
    return out


def _extent(body, material, side):
    """(2, 2) minima and maxima of `_positions` of a lamp's triangles at front (side 1) or rear (-1); None if none."""
    corners = [mesh.v[mesh.t[_lamp_mask(mesh, material, side)]].reshape(-1, 3) for mesh in body]
    positions = _positions(np.concatenate([*corners, np.zeros((0, 3))]), side)
    return np.stack([positions.min(axis=0), positions.max(axis=0)]) if len(positions) else None


def _beyond(mesh, of, material, axis, sign, edge, side):
    """Give the lamp of material `of` another material where sign * (position along `axis` - edge) > 0."""
    lamp = _lamp_mask(mesh, of, side)
    if not lamp.any():
        return mesh

    def inside(v, attr):
        return sign * (edge - _positions(v, side)[:, axis])

    part, mask = cut(mesh.keep(lamp), inside)
    part.m = np.where(mask, material, part.m).astype(mesh.m.dtype)
    others = mesh.keep(~lamp)
    return Mesh(
        np.concatenate([others.v, part.v]),
        np.concatenate([others.t, part.t + len(others.v)]),
        np.concatenate([others.m, part.m]),
        {k: np.concatenate([others.attr[k], part.attr[k]]) for k in mesh.attr},
    )
