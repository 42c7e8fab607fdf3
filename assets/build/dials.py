"""Dials behind the steering wheel: faces and rims, which are part of the body, and markings for close views only.

Marks, numerals and gauges are the node `dials`, needles the nodes `needle_speed` and `needle_engine`. Each needle
points to its dial's first mark and turns about its y axis by `per_unit` rad for every m/s or rad/s (in its extras);
that of a battery's charge is fixed. Faces look along -y, towards the driver, tilted back by `lean` (rad). The materials
"dial" and "needle" glow with the headlamps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from driving_sandbox.assets.build.glb import Node, Primitive
from driving_sandbox.assets.build.lettering import TALL, lettering
from driving_sandbox.assets.build.mesh import Mesh, join, primitives
from driving_sandbox.assets.build.parts import lathe

SWEEP = np.radians(250.0)  # rad, angle from the first mark of a dial to its last
SKY = 0.5  # share of ambient light of the numerals
MAX_LABELS = 9  # labels of a speedometer with steps of 20 km/h; if it needs more, its steps are 40 km/h
THOUSANDS_FROM = 4000.0  # 1/min, redline from which a tachometer is labelled in thousands, else in hundreds
SMALL = 0.42  # radius of a gauge divided by that of a large dial
KMH = 3.6  # km/h per m/s
RPM = 30.0 / np.pi  # 1/min per rad/s


@dataclass(frozen=True)
class Cluster:
    """Speedometer and tachometer side by side.

    Attributes:
        at: middle between them, m.
        top_kmh: upper limit of the scale, whose last label is a multiple of 40 km/h (20 on slow vehicles).
        limit_rpm: redline, 0 without an engine: a battery charge gauge replaces the tachometer.
        lean: rad by which the faces are tilted back.
        radius: of each dial, m.
        spread: distance of each dial's middle from `at`, in radii.
        gauges: whether there are two small gauges beside them.
    """

    at: tuple
    top_kmh: int
    limit_rpm: int
    lean: float = 0.30
    radius: float = 0.050
    spread: float = 1.25
    gauges: bool = True

    @property
    def apart(self) -> float:
        """Distance from the middle to each large dial's centre, m."""
        return self.spread * self.radius

    @property
    def gauge(self) -> tuple[float, float]:
        """(x, z) of the right one of the two small gauges."""
        return self.apart + self.radius * (1.0 + 1.25 * SMALL), -0.5 * self.radius


# Vehicle: at, top_kmh, limit_rpm.
CLUSTERS = {
    "roadster": Cluster((-0.34, 0.20, 0.82), 220, 7200), "hatchback": Cluster((-0.37, 0.35, 0.97), 220, 6500),
    "coupe": Cluster((-0.36, 0.25, 0.90), 320, 8000), "lowrider": Cluster((-0.38, 0.25, 0.92), 180, 5000),
    "three_wheeler": Cluster((-0.29, 0.275, 0.83), 140, 6000), "offroader": Cluster((-0.42, 0.51, 1.15), 180, 4600),
    "buggy": Cluster((-0.235, 0.29, 0.915), 140, 0, radius=0.040),
    "half_track": Cluster((-0.42, 0.255, 1.56), 80, 3200),
    "truck": Cluster((-0.62, 3.18, 1.80), 140, 2150, lean=0.35, radius=0.062),
    "tractor": Cluster((-0.62, 2.77, 1.80), 140, 2150, lean=0.35, radius=0.062),
    "tank": Cluster((-0.42, 0.985, 1.005), 80, 2700, lean=0.0, radius=0.034, spread=1.76, gauges=False),
}  # fmt: skip
CLUSTERS["track_roadster"] = CLUSTERS["roadster"]
CLUSTERS["mx5_na"] = replace(CLUSTERS["roadster"], limit_rpm=7000)
CLUSTERS["m3_e46"] = Cluster((-0.36, 0.21, 0.92), 300, 8000)
CLUSTERS["golf_gti_mk7"] = replace(CLUSTERS["hatchback"], limit_rpm=6000)
CLUSTERS["patrol"] = replace(CLUSTERS["offroader"], limit_rpm=5200)


@dataclass(frozen=True)
class Scale:
    """Scale of a dial: `labels` at equal steps, `unit` below the middle, red zone from the fraction `red` (2: none)."""

    labels: tuple
    unit: str
    red: float = 2.0

    def angle(self, share: float | np.ndarray) -> Any:
        """Angle of a share of the sweep: rad from upright, positive to the right."""
        return SWEEP * (share - 0.5)


def speed_scale(cluster: Cluster) -> tuple[Scale, int]:
    """(scale, km/h at its end) of the speedometer."""
    step = 20 if cluster.top_kmh < 20 * MAX_LABELS else 40
    return Scale(tuple(range(0, cluster.top_kmh + 1, step)), "KM/H"), cluster.top_kmh // step * step


def engine_scale(cluster: Cluster) -> tuple[Scale, int]:
    """(scale, 1/min at its end) of the tachometer."""
    if not cluster.limit_rpm:
        return Scale((0, 20, 40, 60, 80, 100), "CHARGE"), 0
    unit, step = (1000, 1) if cluster.limit_rpm >= THOUSANDS_FROM else (100, 5)
    end = (cluster.limit_rpm // (unit * step) + 1) * step
    return Scale(tuple(range(0, end + 1, step)), f"RPM X {unit}", cluster.limit_rpm / (unit * end)), unit * end


def _ring(angles, inner, outer, material):
    """A band between two radii along angles (rad from upright), facing -y."""
    a = np.asarray(angles)
    rows = [np.stack([r * np.sin(a), 0 * a, r * np.cos(a)], 1) for r in (inner, outer)]
    n, i = len(a), np.arange(len(a) - 1)
    triangles = np.concatenate([np.stack([i, i + n + 1, i + n], 1), np.stack([i, i + 1, i + n + 1], 1)])
    return Mesh(np.concatenate(rows), triangles, material)


def _bar(angle, inner, outer, half, material, tip=1.0):
    """A radial bar at `angle` from radius `inner` to `outer`, tapering from half width `half` to `tip` * `half`."""
    c, s = np.cos(angle), np.sin(angle)
    corners = [(-half, inner), (half, inner), (tip * half, outer), (-tip * half, outer)]
    return Mesh([(x * c + z * s, 0.0, z * c - x * s) for x, z in corners], [(0, 1, 2), (0, 2, 3)], material)


def face(radius: float, sides: int = 28) -> Mesh:
    """The dark face of a dial in its bright rim."""
    disc = lathe([(0.0, 0.0), (0.0, 0.95 * radius), (-0.012, 0.97 * radius), (-0.010, 1.03 * radius),
                  (0.012, 1.06 * radius), (0.012, 0.0)], sides, "chrome")  # fmt: skip
    flat = np.abs(disc.v[:, 0]) < 1e-9
    disc.m[flat[disc.t].all(axis=1)] = "gloss_black"
    return disc.turned(2, np.pi / 2)


def marking(scale: Scale, radius: float) -> Mesh:
    """Marks, numerals, unit and red zone of a large dial."""
    count, parts = len(scale.labels), []
    for k in range(2 * count - 1):
        share = k / (2 * count - 2)
        long = k % 2 == 0
        parts.append(
            _bar(
                scale.angle(share),
                (0.78 if long else 0.83) * radius,
                0.92 * radius,
                (0.020 if long else 0.011) * radius,
                "needle" if share > scale.red else "dial",
            )
        )
        if long:
            text = str(scale.labels[k // 2])
            high = (0.17 if len(text) < 3 else 0.145) * radius
            x, z = 0.60 * radius * np.sin(scale.angle(share)), 0.62 * radius * np.cos(scale.angle(share))
            parts.append(lettering(text, (1.0, high / TALL), "dial", 1).moved(x, 0.0, z))
    parts.append(lettering(scale.unit, (0.62 * radius, 0.15 * radius), "dial", 1).moved(z=-0.66 * radius))
    if scale.red < 1.0:
        parts.append(_ring(scale.angle(np.linspace(scale.red, 1.0, 6)), 0.87 * radius, 0.95 * radius, "needle"))
    return join(parts).moved(y=-0.0016)


def gauge(radius: float, ends: str, at: float) -> Mesh:
    """Marking of a small gauge labelled `ends` at its ends, with a fixed needle at the fraction `at` of its sweep."""
    scale = Scale((), "")
    parts = [_bar(scale.angle(k / 4), 0.66 * radius, 0.90 * radius, 0.035 * radius, "dial") for k in range(5)]
    for sign, text in zip((-1, 1), ends, strict=True):
        parts.append(lettering(text, (1.0, 0.55 * radius), "dial", 1).moved(sign * 0.50 * radius, 0.0, -0.72 * radius))
    parts.append(_bar(scale.angle(at), -0.2 * radius, 0.78 * radius, 0.05 * radius, "needle", 0.4).moved(y=-0.001))
    return join(parts).moved(y=-0.0016)


def needle(radius: float, angle: float) -> Mesh:
    """A needle with its cap that points to `angle`."""
    cap = lathe([(0.0, 0.0), (0.0, 0.13 * radius), (-0.006, 0.11 * radius), (-0.007, 0.0)], 12, "plastic_black")
    cap = cap.turned(2, np.pi / 2)
    return join([_bar(angle, -0.22 * radius, 0.86 * radius, 0.034 * radius, "needle", 0.3).moved(y=-0.004), cap])


def lit(mesh: Mesh) -> list[Primitive]:
    """Primitives of a mesh for close views, all under ambient light SKY."""
    return primitives(mesh, lambda v, n: np.full(len(v), SKY))


def nodes(name: str, close_parts: Sequence[Mesh]) -> list[Node]:
    """Nodes of a vehicle's dials: markings and the moving needles. The first also gets the meshes `close_parts`."""
    cluster = CLUSTERS.get(name)
    if cluster is None:
        return [Node("dials", primitives=lit(join(close_parts)))] if close_parts else []
    (speed, top), (engine, top_rpm) = speed_scale(cluster), engine_scale(cluster)
    radius, spacing, (x, z) = cluster.radius, cluster.apart, cluster.gauge
    flat = [marking(speed, radius).moved(x=-spacing), marking(engine, radius).moved(x=spacing)]
    if cluster.gauges:  # coolant from cold to hot, fuel from empty to full
        flat += [gauge(SMALL * radius, text, at).moved(side * x, 0.0, z)
                 for side, text, at in ((-1, "CH", 0.45), (1, "EF", 0.80))]  # fmt: skip
    flat = [mesh.turned(0, -cluster.lean).moved(*cluster.at) for mesh in flat]
    out = [Node("dials", primitives=lit(join([*flat, *close_parts])))]
    turn = (float(np.sin(-cluster.lean / 2)), 0.0, 0.0, float(np.cos(-cluster.lean / 2)))
    for side, word, scale, per_unit in (
        (-1, "speed", speed, SWEEP * KMH / top),
        (1, "engine", engine, SWEEP * RPM / top_rpm if top_rpm else 0.0),
    ):
        at = np.array([cluster.at[0] + side * spacing, cluster.at[1], cluster.at[2]])
        shape = needle(radius, scale.angle(0.0 if per_unit else 0.8))
        out.append(Node(f"needle_{word}", tuple(at), turn, primitives=lit(shape), extras={"per_unit": float(per_unit)}))
    return out
