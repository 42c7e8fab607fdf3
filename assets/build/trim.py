"""Trim shared by the bodies: lamps, mirrors, plates, tailpipes, a windscreen with its frame."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.assets.build.lettering import lettering
from driving_sandbox.assets.build.mesh import DistanceFunction, Mesh, join, smooth_normals, with_mirror_image
from driving_sandbox.assets.build.parts import box, cushion, lathe, smooth_path, tube
from driving_sandbox.assets.build.skin import Skin, grown, intersection

OUTWARD = np.radians(6.0)  # rad, how far a door mirror looks outward; its inner edge still shows the car's flank
DOWN = np.radians(1.5)  # rad, how far a door mirror looks down; the horizon is in its upper half
PROUD = 0.003  # m, offset of lettering from its surface, resolved by the depth buffer up to 60 m
MIRROR_RADIUS = 1.4  # m, radius of curvature of a mirror (UNECE R46: 1.2 m or more)


def lamp(
    skin: Skin,
    f: DistanceFunction,
    material: str,
    strip: float = 0.010,
    border: float = 0.008,
    base: str = "gloss_black",
    lenses: Iterable[tuple[float, float, float]] = (),
) -> Skin:
    """Paint a lamp on `skin`, with a lit strip along its outline and round lenses; returns the skin.

    Args:
        skin: a Skin, changed in place.
        f: distance function of the lamp's outline.
        material: of the lit parts.
        strip: width of the lit strip, m.
        border: distance of the strip from the outline, m.
        base: material of the unlit ground.
        lenses: (|x|, z, radius) of each round lens, m.
    """
    skin.refine(f)
    skin.region(f, base)
    skin.region(grown(f, -border), material, of=base)
    skin.region(grown(f, -border - strip), base, of=material)
    for x, z, radius in lenses:

        def disc(v, attr, x=x, z=z, radius=radius):
            return np.sqrt((np.abs(v[:, 0]) - x) ** 2 + (v[:, 2] - z) ** 2) - radius

        spot = intersection(disc, f)
        skin.region(spot, "chrome", of=base)
        skin.region(grown(spot, -0.18 * radius), material, of="chrome")
        skin.region(grown(spot, -0.55 * radius), "chrome", of=material)
        skin.region(grown(spot, -0.65 * radius), material, of="chrome")
    return skin


def mirror_glass(at: tuple[float, float, float], size: tuple[float, float], radius: float = MIRROR_RADIUS) -> Mesh:
    """A convex mirror centred at `at` and facing -y; `size`: (width, height), `radius`: of curvature, m."""
    x, z = (a.ravel() for a in np.meshgrid(np.linspace(-0.5, 0.5, 7) * size[0], np.linspace(-0.5, 0.5, 5) * size[1]))
    y = (x * x + z * z) / (2.0 * radius)
    a = (np.arange(4)[:, None] * 7 + np.arange(6)).ravel()
    triangles = np.concatenate([np.stack([a, a + 1, a + 8], 1), np.stack([a, a + 8, a + 7], 1)])
    return smooth_normals(Mesh(np.stack([x, y, z], 1), triangles, "mirror")).moved(*at)


def aim(
    at: Sequence[float] | np.ndarray, eye: Sequence[float] | np.ndarray, outward: float = 0.0, down: float = 0.0
) -> tuple[float, float]:
    """(pitch, yaw), rad, that turn a mirror at `at`, initially facing -y, so that `eye` sees the view behind.

    The mirror's normal bisects the angle between the direction to the eye and the viewing direction. The latter is
    straight back, turned by `outward` away from the car and by `down` below the horizon, rad.
    """
    to_eye = np.asarray(eye, float) - np.asarray(at, float)
    to_eye /= np.sqrt(np.sum(to_eye * to_eye))
    x, y, z = to_eye + [np.sign(at[0]) * np.sin(outward), -np.cos(outward), -np.sin(down)]
    return -np.arctan2(z, np.sqrt(x * x + y * y)), np.arctan2(x, -y)


def inner_mirror(y: float, z: float, eye: tuple[float, float, float]) -> list[Mesh]:
    """The inner mirror, centred at x = 0, `y` and `z` near the windscreen's upper edge, aimed at the driver's eyes."""
    pitch, yaw = aim((0.0, y, z), eye)
    parts = [box((0, 0, 0), (0.21, 0.03, 0.07), 0.012, "plastic_black"), mirror_glass((0, -0.018, 0), (0.19, 0.052))]
    return [part.turned(0, pitch).turned(2, yaw).moved(0.0, y, z) for part in parts]


def mirrors(
    at: tuple[float, float, float],
    arm: float,
    eye: tuple[float, float, float],
    drop: float = 0.045,
    material: str = "paint",
) -> list[Mesh]:
    """Both door mirrors with their feet, aimed at the driver's eyes.

    Args:
        at: outer end of the right foot, m.
        arm: how far inboard of `at` the foot starts, m.
        eye: position of the driver's eyes, m.
        drop: how far below `at` the foot starts, m.
        material: of the housings.
    """
    x, y, z = at
    head = cushion([(dx, dy, dz, r) for dx, dy, dz, r in (
        (-0.065, 0.0, 0.008, 0.045), (0.065, -0.02, 0.013, 0.045), (-0.065, 0.0, -0.017, 0.045),
        (0.065, -0.02, -0.012, 0.04), (-0.005, 0.035, -0.002, 0.04))], material)  # fmt: skip
    rim = box((0, -0.057, 0), (0.165, 0.012, 0.095), 0.005)
    foot = tube([(x - arm, y + 0.01, z - drop), (x + 0.02, y, z + 0.02)], [0.022, 0.018], "plastic_black", 8)
    out = [with_mirror_image(foot)]
    for side in (-1, 1):
        middle = np.array([side * (x + 0.085), y, z + 0.047])
        pitch, yaw = aim(middle, eye, OUTWARD, DOWN)
        glass = mirror_glass((0, 0, 0), (0.155, 0.085)).turned(0, pitch).moved(0, -0.071)
        parts = [head if side > 0 else head.mirrored(), rim, glass]
        out += [part.turned(2, yaw).moved(*middle) for part in parts]
    return out


def round_lens(face: float, edge: float, radius: float, sides: int = 20) -> Mesh:
    """A headlamp's lens facing +x, with the reflector ring and the bulb shade that show through it.

    `face` and `edge` are the x of its centre and of its rim, m.
    """

    def at(share):
        return face - (face - edge) * share * share

    glass = lathe([(face, 0.0), (at(0.6), 0.6 * radius), (edge, radius), (edge - 0.012, 0.0)], sides, "lamp_front")
    ring = lathe([(at(r) + d, r * radius) for r, d in ((0.53, -0.004), (0.56, 0.003), (0.63, 0.003), (0.66, -0.004))],
                 sides, "chrome")  # fmt: skip
    shade = lathe([(face + 0.005, 0.0), (face + 0.003, 0.16 * radius), (face - 0.003, 0.22 * radius),
                   (face - 0.003, 0.0)], sides // 2, "chrome")  # fmt: skip
    return join([glass, ring, shade])


def plate(at: tuple[float, float, float], size: tuple[float, float], text: str) -> Mesh:
    """A number plate on its backing. It faces forward if `at` has y > 0, else back; `size`: (width, height), m."""
    facing = np.sign(at[1])
    signs = lettering(text, size)
    signs = (signs if facing < 0 else signs.turned(2, np.pi)).moved(at[0], at[1] + facing * (0.006 + PROUD), at[2])
    return join(
        [
            box(at, (size[0], 0.012, size[1]), 0.003, "plate"),
            signs,
            box(
                (at[0], at[1] - facing * 0.006, at[2]), (size[0] + 0.02, 0.012, size[1] + 0.02), 0.003, "plastic_black"
            ),
        ]
    )


def tailpipe(at: tuple[float, float, float], radius: float) -> Mesh:
    """A round chromed pipe with a rolled edge and a dark bore; it ends 62 mm behind `at`."""
    tip = lathe([(-0.120, 0.74 * radius), (-0.045, 0.78 * radius), (-0.030, 0.99 * radius), (0.050, 1.00 * radius),
                 (0.058, 1.04 * radius), (0.062, 0.98 * radius), (0.058, 0.915 * radius), (-0.028, 0.915 * radius)],
                20, "chrome")  # fmt: skip
    bore = lathe([(-0.025, 0.0), (-0.025, 0.84 * radius), (0.0585, 0.895 * radius), (0.0580, 0.910 * radius),
                  (-0.035, 0.86 * radius), (-0.035, 0.0)], 20, "sign")  # fmt: skip
    return join([tip, bore]).turned(2, -np.pi / 2).moved(*at)


def screen(base: ArrayLike, head: ArrayLike, frame: float) -> list[Mesh]:
    """A curved windscreen: glass, frame and lower seal.

    Args:
        base: points of its lower edge, right half, from the centre outward, m.
        head: points of its upper edge, right half, from the centre outward, m.
        frame: radius of the frame's tube, m.
    """
    b = smooth_path(base, 5)
    h = smooth_path(head, 5)
    full_b = np.concatenate([(b * [-1, 1, 1])[:0:-1], b])
    full_h = np.concatenate([(h * [-1, 1, 1])[:0:-1], h])
    n, rows = len(full_b), []
    for s in np.linspace(0, 1, 9):  # rows from the lower edge up; in between the glass bulges forwards and up
        rows.append(full_b * (1 - s) + full_h * s + np.array([0, 0.05, 0.03]) * s * (1 - s))
    i, j = np.meshgrid(np.arange(8), np.arange(n - 1), indexing="ij")
    a = (i * n + j).ravel()
    t = np.concatenate([np.stack([a + 1, a, a + n], 1), np.stack([a + 1, a + n, a + n + 1], 1)])
    outer = smooth_normals(Mesh(np.concatenate(rows), t, "glass"))
    arc = [r[-1] for r in rows]
    edge = np.concatenate([full_b, np.array(arc)[1:], full_h[::-1][1:], np.array([r[0] for r in rows])[::-1][1:-1]])
    bar = tube(edge, frame, "paint", 10, closed=True)
    seal = tube(full_b + [0.0, 0.0, 0.6 * frame], 0.6 * frame, "rubber", 6)
    return [outer, bar, seal]
