"""Trim shared by the bodies: lamps, mirrors, plates, tailpipes, a framed screen of glass."""
import numpy as np

from assets.build.lettering import lettering
from assets.build.mesh import Mesh, join, smooth_normals
from assets.build.parts import box, cushion, lathe, smooth_path, tube
from assets.build.skin import both_of, grown

AIM = np.radians(15.0)  # rad that mirrors are turned towards the driver
LEAN = np.radians(7.0)  # rad that the inner one leans down to the driver, whose eyes are below it
PROUD = 0.003  # m that signs lie before what they stand on, which depth must still tell apart 60 m away
MIRROR_RADIUS = 1.4  # m, of the sphere a mirror is a part of (UNECE R46: 1.2 m or more)


def lamp(skin, f, material, strip=0.010, border=0.008, base="gloss_black", lenses=()):
    """A lamp in the skin: dark base, a strip of light `border` inside its outline, round `lenses` (|x|, z, radius)."""
    skin.refine(f)
    skin.region(f, base)
    skin.region(grown(f, -border), material, of=base)
    skin.region(grown(f, -border - strip), base, of=material)
    for x, z, radius in lenses:
        def disc(v, attr, x=x, z=z, radius=radius):
            return np.sqrt((np.abs(v[:, 0]) - x) ** 2 + (v[:, 2] - z) ** 2) - radius

        spot = both_of(disc, f)
        skin.region(spot, "chrome", of=base)
        skin.region(grown(spot, -0.18 * radius), material, of="chrome")
        skin.region(grown(spot, -0.55 * radius), "chrome", of=material)
        skin.region(grown(spot, -0.65 * radius), material, of="chrome")
    return skin


def mirror_glass(at, size, radius=MIRROR_RADIUS):
    """A slightly domed mirror that faces back, about `at`; size (width, height), `radius` of its sphere."""
    x, z = (a.ravel() for a in np.meshgrid(np.linspace(-0.5, 0.5, 7) * size[0], np.linspace(-0.5, 0.5, 5) * size[1]))
    y = (x * x + z * z) / (2.0 * radius)
    a = (np.arange(4)[:, None] * 7 + np.arange(6)).ravel()
    triangles = np.concatenate([np.stack([a, a + 1, a + 8], 1), np.stack([a, a + 8, a + 7], 1)])
    return smooth_normals(Mesh(np.stack([x, y, z], 1), triangles, "mirror")).moved(*at)


def inner_mirror(y, z):
    """The mirror below the middle of the windscreen, turned towards a driver on the left."""
    parts = [box((0, 0, 0), (0.21, 0.03, 0.07), 0.012, "plastic_black"), mirror_glass((0, -0.018, 0), (0.19, 0.052))]
    return [part.turned(0, LEAN).turned(2, -AIM).moved(0.0, y, z) for part in parts]


def mirror(at, arm, drop=0.045):
    """A door mirror on the right side: housing, glass facing back and towards the driver, foot towards the body."""
    x, y, z = at
    shell = cushion([(x + dx, y + dy, z + dz, r) for dx, dy, dz, r in (
        (0.02, 0.0, 0.055, 0.045), (0.15, -0.02, 0.06, 0.045), (0.02, 0.0, 0.03, 0.045), (0.15, -0.02, 0.035, 0.04),
        (0.08, 0.035, 0.045, 0.04))], "paint")
    rim = box((x + 0.085, y - 0.057, z + 0.047), (0.165, 0.012, 0.095), 0.005, "gloss_black")
    glass = mirror_glass((0, 0, 0), (0.155, 0.085)).turned(0, -LEAN / 2.0).moved(x + 0.085, y - 0.068, z + 0.047)
    shell, rim, glass = (part.moved(-x - 0.085, -y).turned(2, -AIM).moved(x + 0.085, y) for part in (shell, rim, glass))
    foot = tube([(x - arm, y + 0.01, z - drop), (x + 0.02, y, z + 0.02)], [0.022, 0.018], "plastic_black", 8)
    return join([shell, rim, glass, foot])


def plate(at, size, text):
    """A number plate facing along y, slightly proud of the skin."""
    facing = np.sign(at[1])
    signs = lettering(text, size)
    signs = (signs if facing < 0 else signs.turned(2, np.pi)).moved(at[0], at[1] + facing * (0.006 + PROUD), at[2])
    return join([box(at, (size[0], 0.012, size[1]), 0.003, "plate"), signs,
                 box((at[0], at[1] - facing * 0.006, at[2]), (size[0] + 0.02, 0.012, size[1] + 0.02), 0.003,
                     "plastic_black")])


def tailpipe(at, radius):
    pipe = lathe([(0.06, radius), (0.062, radius * 0.93), (-0.05, radius * 0.88), (-0.05, 0.0), (-0.12, 0.0),
                  (-0.12, radius)], 20,
                 "chrome")
    return pipe.turned(2, -np.pi / 2).moved(*at)


def screen(base, head, frame):
    """A curved windscreen from a base line to a head line (right half, from the centre out): glass and its frame."""
    b = smooth_path(base, 5)
    h = smooth_path(head, 5)
    full_b = np.concatenate([(b * [-1, 1, 1])[:0:-1], b])
    full_h = np.concatenate([(h * [-1, 1, 1])[:0:-1], h])
    n, rows = len(full_b), []
    for s in np.linspace(0, 1, 9):
        rows.append(full_b * (1 - s) + full_h * s + np.array([0, 0.05, 0.03]) * s * (1 - s))
    i, j = np.meshgrid(np.arange(8), np.arange(n - 1), indexing="ij")
    a = (i * n + j).ravel()
    t = np.concatenate([np.stack([a + 1, a, a + n], 1), np.stack([a + 1, a + n, a + n + 1], 1)])
    outer = smooth_normals(Mesh(np.concatenate(rows), t, "glass"))
    arc = [r[-1] for r in rows]
    edge = np.concatenate([full_b, np.array(arc)[1:], full_h[::-1][1:], np.array([r[0] for r in rows])[::-1][1:-1]])
    return [outer, tube(edge, frame, "gloss_black", 8, closed=True)]
