"""Places on the vehicles that have no shape of their own: the driver's eyes, and the mouths of exhaust pipes; and the
hands that those eyes see.

Nodes `eye_pos` and `exhaust1`, `exhaust2` of the models, m in the frame of `chassis.py`. Eyes are behind the visor of
the seated figure (assets/build/figure.py); where none is seated they are where one would look from.
"""

from assets.build.glb import Node
from assets.build.hands import forearms

EYES = {
    "roadster": (-0.34, -0.40, 1.06), "hatchback": (-0.37, -0.28, 1.16), "coupe": (-0.36, -0.34, 1.11),
    "buggy": (-0.235, -0.32, 1.08), "three_wheeler": (-0.29, -0.24, 1.05), "patrol": (-0.42, 0.02, 1.37),
    "offroader": (-0.42, 0.02, 1.37), "lowrider": (-0.38, -0.36, 1.14), "half_track": (-0.42, -0.20, 1.72),
    "tank": (-0.42, 0.40, 1.25), "truck": (-0.62, 2.53, 2.12), "tractor": (-0.62, 2.12, 2.12),
}  # fmt: skip
PIPES = {
    "roadster": ((-0.42, -2.01, 0.235), (0.42, -2.01, 0.235)),
    "hatchback": ((-0.46, -2.14, 0.265), (0.46, -2.14, 0.265)),
    "coupe": ((-0.48, -2.335, 0.245), (0.48, -2.335, 0.245)), "three_wheeler": ((-0.36, -1.685, 0.235),),
    "lowrider": ((-0.55, -2.925, 0.24), (0.55, -2.925, 0.24)), "tank": ((1.07, -2.17, 1.36),),
    "buggy": ((-0.13, -1.72, 1.00), (0.13, -1.72, 1.00)),
    "truck": ((0.95, 0.02, 0.60),), "tractor": ((-0.98, 0.80, 3.37), (0.98, 0.80, 3.37)),
    "offroader": ((0.58, -2.33, 0.40),), "patrol": ((0.58, -2.33, 0.40),),
}  # fmt: skip
EYES["track_roadster"], PIPES["track_roadster"] = EYES["roadster"], PIPES["roadster"]


def fittings(name, root):
    """The nodes of a vehicle with this tree."""
    eye = [Node("eye_pos", EYES[name])] if name in EYES else []
    for wheel in root.children:
        if wheel.name == "steering_wheel":
            eye += forearms(name, EYES[name], wheel)
    return eye + [Node(f"exhaust{n}", place) for n, place in enumerate(PIPES.get(name, ()), 1)]
