"""Vehicles on any number of solid axles with single or twin wheels, air springs and a beam between the wheels.

The tree of nodes is that of `chassis.py`; wheels are numbered axle by axle, left first. The air springs are the `susp`
links of the wheels, the beam of an axle their two `arm` links. The inner ends of these stay with the body, so that the
beam bends at its middle when the wheels travel.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from driving_sandbox.assets.build.chassis import body_nodes, link, proxy, steering_wheel
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.mesh import Mesh, join, primitives
from driving_sandbox.assets.build.parts import along, lathe, tube
from driving_sandbox.assets.build.wheel import LIP, WheelShape, brake, rim, tire

SHADED_REACH = 4.3  # m from the origin; ambient occlusion of larger vehicles is baked at a smaller scale
SINGLE = WheelShape(  # lorry's front axle
    radius=0.505,
    half_width=0.155,
    rim_radius=0.292,
    spokes="dish",
    sides=40,
    disc_radius=0.20,
    caliper_material="frame",
    sipes=0,
)
WIDE = WheelShape(  # trailer's axle
    radius=0.505,
    half_width=0.19,
    rim_radius=0.292,
    spokes="dish",
    sides=40,
    disc_radius=0.20,
    caliper_material="frame",
    sipes=0,
)
TWIN = WheelShape(  # two tires side by side on one hub
    radius=0.505,
    half_width=0.275,
    rim_radius=0.292,
    spokes="dish",
    sides=40,
    disc_radius=0.20,
    caliper_material="frame",
    sipes=0,
)
SPRING_TOP = 0.97  # m, z of the springs' upper ends, where the rails of all frames are
TWIN_TIRE = 0.133  # m, half width of one tire of a TWIN wheel
DISH = 0.11  # m, inset of a twin wheel's rim from the middle of its outer tire


@dataclass(frozen=True)
class Axle:
    """An axle; lengths in metres.

    Attributes:
        y: position along the vehicle, positive forward.
        track: distance between the middles of its wheels.
        shape: of its right wheel.
        rail: |x| of the frame rails, which rest on its springs.
    """

    y: float
    track: float
    shape: WheelShape
    rail: float = 0.42

    def centre(self, side: int) -> np.ndarray:
        """Centre of the wheel on one side (-1 left, +1 right)."""
        return np.array([side * self.track / 2, self.y, self.shape.radius])


def is_twin(shape: WheelShape) -> bool:
    """Whether a wheel of this width is drawn as two tires side by side."""
    return shape.half_width > 1.8 * TWIN_TIRE


def outer_tire(shape: WheelShape) -> float:
    """x of the middle of a twin wheel's outer tire, m from the middle of the wheel."""
    return shape.half_width - TWIN_TIRE


def brake_of(shape: WheelShape) -> Mesh:
    """Disc, caliper and upright that fit inside the rim of a wheel of this shape."""
    return brake(shape, forward=-1, lip=outer_tire(shape) - DISH + LIP * TWIN_TIRE if is_twin(shape) else None)


def wheel(shape: WheelShape) -> Mesh:
    """Tire and rim of a right wheel, or two tires side by side on a hub."""
    if not is_twin(shape):
        return join([tire(shape), rim(shape)])
    single, offset = replace(shape, half_width=TWIN_TIRE), outer_tire(shape)
    hub = [(offset + 0.02, 0.0), (offset + 0.02, 0.10), (offset - 0.10, 0.125), (offset - 0.10, 0.0)]
    hub = lathe(hub, 20, "frame")
    barrel = lathe([(offset + 0.10, 0.282), (offset + 0.10, 0.292), (-offset, 0.292), (-offset, 0.282)], 40, "rim")
    hidden = replace(single, sides=24)  # between its outer neighbour and the frame
    tires = [tire(single).moved(offset), tire(hidden).moved(-offset)]
    return join([*tires, rim(single).moved(offset - DISH), barrel, hub])


def bellows(a: ArrayLike, b: ArrayLike) -> Mesh:
    """An air spring on its pedestal, from the frame (a) to the axle (b)."""
    size = float(np.sqrt(np.sum((np.asarray(b) - np.asarray(a)) ** 2)))
    z = np.array([0.0, 0.04, 0.16, 0.28, 0.40, 0.52, 0.60]) * size
    r = np.array([0.10, 0.13, 0.14, 0.125, 0.14, 0.13, 0.10])
    bag = tube([(0, 0, k) for k in z], r, "plastic_black", 16)
    pedestal = tube([(0, 0, 0.58 * size), (0, 0, size)], [0.085, 0.11], "frame", 12)
    return along(join([bag, pedestal]), a, b)


def _links(axle, side, n):
    """Nodes of the air spring and of half the axle's beam at wheel n."""
    centre = axle.centre(side)
    inner = axle.track / 2 - axle.shape.half_width
    top = np.array([side * axle.rail, axle.y - 0.02, SPRING_TOP])
    foot = np.array([side * (axle.rail + 0.06), axle.y - 0.02, axle.shape.radius + 0.03])
    middle = np.array([side * 0.02, axle.y, axle.shape.radius])
    end = centre - [side * axle.shape.half_width * 0.6, 0.0, 0.0]
    beam = tube([middle, [side * 0.16, axle.y, axle.shape.radius]], [0.15, 0.075], "frame", 12)
    beam = join(
        [
            beam,
            tube(
                [[side * 0.14, axle.y, axle.shape.radius], [side * inner, axle.y, axle.shape.radius], end],
                [0.075, 0.07, 0.10],
                "frame",
                12,
            ),
        ]
    )
    return [link(n, "susp", n - 1, top, foot, bellows(top, foot)), link(n, "arm", n - 1, middle, end, beam)]


def running_gear(axles: Sequence[Axle]) -> list[Node]:
    """Nodes of wheels, brakes, springs and axle beams."""
    # each shape once, in the order of the axles
    right = {shape: (wheel(shape), brake_of(shape)) for shape in {axle.shape: None for axle in axles}}
    # {shape: {1 right, -1 left: primitives of (wheel, brake)}}
    built = {shape: {1: (primitives(w), primitives(b)), -1: (primitives(w.mirrored()), primitives(b.mirrored()))}
             for shape, (w, b) in right.items()}  # fmt: skip
    spinning, still = [], []
    for k, axle in enumerate(axles):
        for side in (-1, 1):
            n = 2 * k + (1 if side < 0 else 2)
            wheel_primitives, brake_primitives = built[axle.shape][side]
            centre = tuple(axle.centre(side))
            label = f"axle {k + 1} {'left' if side < 0 else 'right'}"
            spinning.append(Node(f"wheel{n}", centre, primitives=wheel_primitives, extras={"position": label}))
            helpers = [Node(f"wheel{n}_lower"), Node(f"wheel{n}_upper", (0.0, 0.0, 0.5))]  # m, suspension's length
            still.append(Node(f"brake{n}", centre, primitives=brake_primitives, children=helpers))
            still += _links(axle, side, n)
    return spinning + still


def tree(
    name: str,
    axles: Sequence[Axle],
    body: Sequence[Mesh],
    proxy_points: ArrayLike,
    column: tuple[tuple[float, float, float], float] | None = None,
    driver: Sequence[Mesh] = (),
) -> Node:
    """The root node of a vehicle on solid axles.

    Args:
        axles: Axle, from the front to the rear.
        body: list of meshes.
        proxy_points: corners of the right half of the collision hull.
        column: (position in m, tilt in rad) of its steering wheel, or None.
        driver: meshes of a figure; may be empty.
    """
    wheels = []
    for axle in axles:
        w, r = axle.shape.half_width, axle.shape.radius
        plain = lathe([(w, 0.0), (w, 0.9 * r), (0.8 * w, r), (-0.8 * w, r), (-w, 0.9 * r), (-w, 0.0)], 24)
        wheels += [plain.moved(*axle.centre(side)) for side in (-1, 1)]
    reach = max(float(np.sqrt((mesh.v**2).sum(axis=1)).max()) for mesh in body)
    visible = body_nodes(body, wheels, driver, scale=round(min(1.0, SHADED_REACH / reach), 3))
    wheelbase = abs(axles[0].y - axles[-1].y)
    children = [*visible, proxy(proxy_points), *running_gear(axles)]
    if column is not None:
        children.append(steering_wheel(*column, radius=0.23))
    return Node(name, extras={"wheelbase": wheelbase, "tracks": [axle.track for axle in axles]}, children=children)
