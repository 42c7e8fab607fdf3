"""A semi-trailer with three axles and curtain sides; 10.3 m long. `lead_trailer.py` is the same with a shorter body
and a fifth wheel for another trailer.

Lengths are in metres, in the axes of `chassis.py`; the origin is about midway between king pin and middle axle.
"""

from driving_sandbox.assets.build.axles import WIDE, Axle, tree
from driving_sandbox.assets.build.glb import Node
from driving_sandbox.assets.build.lorry import (
    cargo_box,
    fifth_wheel,
    joined,
    ladder,
    landing_legs,
    mudguard,
    side_guards,
    tail,
)
from driving_sandbox.assets.build.parts import box, lathe

AXLES = tuple(Axle(y, track=2.04, shape=WIDE, rail=0.55) for y in (-2.09, -3.40, -4.71))
PIN = 3.60  # y of the king pin
FRONT, REAR = 4.70, -5.60  # y of the body's ends
DECK, TOP = 1.20, 3.95  # z of the body's floor and roof


def build(name: str = "semi_trailer", body_rear: float = REAR, fifth: float | None = None) -> Node:
    """The root node of the model.

    Args:
        name: of the node.
        body_rear: y of the body's rear end, m.
        fifth: y of a fifth wheel for another trailer, m, or None.
    """
    end = -5.45  # y of the frame's rear end
    parts = [*ladder(2.3, end, top=1.10, half=0.55), *cargo_box(FRONT, body_rear, DECK, TOP, ribs=1.15)]
    parts += [  # coupling plate; king pin, turned from the x axis to point down
        box((0, PIN - 0.1, DECK - 0.01), (1.5, 2.2, 0.06), 0.01, "frame"),
        lathe([(-0.12, 0.0), (-0.12, 0.045), (0.0, 0.045), (0.0, 0.0)], 16, "disc")
        .turned(1, -1.5707963)  # -pi / 2
        .moved(0, PIN, 1.18),
    ]
    parts += [*landing_legs(1.35, top=1.1), *side_guards(0.9, -1.35, low=0.46, high=1.05)]
    parts += tail(end, top=1.1, half=0.55)
    for axle in AXLES:
        parts.append(mudguard(axle.y, half_track=1.02, radius=0.57, half_width=0.21, half_angle=0.75))
    if fifth is not None:  # and a plate that carries it, placed for the lead trailer's at y = -3.20
        parts += [*fifth_wheel(fifth, height=1.18), box((0, -4.0, 1.07), (1.3, 2.6, 0.05), 0.01, "frame")]
    collision_corners = [  # of the right half of the hull
        (1.25, FRONT, TOP),
        (1.25, body_rear, TOP),
        (1.25, FRONT, DECK),
        (1.22, min(body_rear, end), 0.52),
        (1.2, end, 1.12),
        (1.2, 0.9, 0.5),
    ]
    return tree(name, AXLES, joined(parts), collision_corners)
