"""Nodes added to the models of driven vehicles: the driver's eyes, exhaust outlets, forearms, dials, steering column.

`eye_pos`, `exhaust1` and `exhaust2` have no geometry; positions are in m, in the axes of `chassis.py`. The eyes are
behind the visor of the seated figure (assets/build/figure.py), or where a driver's would be.
"""

import numpy as np

from driving_sandbox.assets.build import dials
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.hands import forearms
from driving_sandbox.assets.build.mesh import Mesh
from driving_sandbox.assets.build.parts import cushion, tube

EYES = {  # {vehicle: position of the driver's eyes}
    "roadster": (-0.34, -0.40, 1.06), "hatchback": (-0.37, -0.28, 1.16), "coupe": (-0.36, -0.34, 1.11),
    "buggy": (-0.235, -0.32, 1.08), "three_wheeler": (-0.29, -0.24, 1.05), "patrol": (-0.42, 0.02, 1.37),
    "offroader": (-0.42, 0.02, 1.37), "lowrider": (-0.38, -0.36, 1.14), "half_track": (-0.42, -0.20, 1.72),
    "tank": (-0.42, 0.40, 1.25), "truck": (-0.62, 2.53, 2.12), "tractor": (-0.62, 2.12, 2.12),
}  # fmt: skip
PIPES = {  # {vehicle: positions of its exhaust outlets}
    "roadster": ((-0.42, -2.01, 0.235), (0.42, -2.01, 0.235)),
    "hatchback": ((-0.46, -2.14, 0.265), (0.46, -2.14, 0.265)),
    "coupe": ((-0.48, -2.335, 0.245), (0.48, -2.335, 0.245)), "three_wheeler": ((-0.36, -1.685, 0.235),),
    "lowrider": ((-0.55, -2.925, 0.24), (0.55, -2.925, 0.24)), "tank": ((1.07, -2.17, 1.36),),
    "buggy": ((-0.13, -1.72, 1.00), (0.13, -1.72, 1.00)),
    "truck": ((0.95, 0.02, 0.60),), "tractor": ((-0.98, 0.80, 3.37), (0.98, 0.80, 3.37)),
    "offroader": ((0.58, -2.33, 0.40),), "patrol": ((0.58, -2.33, 0.40),),
}  # fmt: skip
EYES["track_roadster"], PIPES["track_roadster"] = EYES["roadster"], PIPES["roadster"]
EYES["mx5_na"], PIPES["mx5_na"] = EYES["roadster"], ((0.42, -2.01, 0.235),)
EYES["golf_gti_mk7"], PIPES["golf_gti_mk7"] = EYES["hatchback"], PIPES["hatchback"]
EYES["m3_e46"], PIPES["m3_e46"] = (-0.36, -0.38, 1.13), ((-0.445, -2.365, 0.250), (0.445, -2.365, 0.250))


def column(wheel: Node, cluster: dials.Cluster | None) -> list[Mesh]:
    """Parts round the steering column of the node `wheel`: a shroud that ends at the `cluster`, and two stalks."""
    tilt = 2.0 * np.arctan2(wheel.rotation[0], wheel.rotation[3])
    middle = np.array(wheel.translation)
    far = 0.09 if cluster is None else min(0.16, max(0.07, cluster.at[1] - middle[1]))
    parts = [cushion([(s * 0.020, y, z, r) for s in (-1, 1) for y, z, r in (
        (0.045, -0.012, 0.026), (far, -0.016, 0.034), (far, 0.0, 0.030))], "plastic_black", 10)]  # fmt: skip
    for side in (-1, 1):
        path = [(side * 0.03, 0.055, 0.004), (side * 0.09, 0.045, 0.016), (side * 0.138, 0.034, 0.022)]
        parts += [
            tube(path, [0.0065, 0.0060, 0.0075], "plastic_black", 8),
            tube([path[-1], (side * 0.158, 0.029, 0.0245)], 0.0092, "gloss_black", 8),
            tube([(side * 0.146, 0.0325, 0.0230), (side * 0.149, 0.0315, 0.0234)], 0.0098, "dial", 8),
        ]
    return [part.turned(0, tilt).moved(*middle) for part in parts]


def fittings(name: str, root: Node) -> list[Node]:
    """Nodes to add to the tree `root` of the vehicle `name`: eyes, forearms, dials, exhausts."""
    nodes = [Node("eye_pos", EYES[name])] if name in EYES else []
    for wheel in root.children:
        if wheel.name == "steering_wheel":
            nodes += forearms(name, EYES[name], wheel) + dials.nodes(name, column(wheel, dials.CLUSTERS.get(name)))
    return nodes + [Node(f"exhaust{n}", position) for n, position in enumerate(PIPES.get(name, ()), 1)]
