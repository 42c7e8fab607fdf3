"""Crank angles at which cylinders fire: from crank pins, bank angle and firing order.

    top dead centre    t = -(pin + bank angle of the cylinder's bank)       deg of crank angle, each turn
    firing             of the two in a cycle, the one nearer to the cylinder's turn in an even firing order

Pins are counted against the rotation. A cross-plane V8, for example, has pins at 0, 0, 90, 90, 270, 270, 180 and 180
degrees and banks 90 degrees apart: in the order 1 8 4 3 6 5 7 2 it fires every 90 degrees.

Source: any text on engine design, as Heisler, Advanced Engine Technology (1995), ch. 1.
"""

import math
from collections.abc import Sequence

from driving_sandbox.physics.schema.schema import SchemaError

CYCLE = 720.0  # deg
TURN = 360.0  # deg


def firing_angles(
    pins: Sequence[float], banks: Sequence[float], bank_angle: float, order: Sequence[float]
) -> list[float]:
    """Crank angles at which the cylinders fire, deg, in the firing order; the first one at 0.

    Args:
        pins: angle of each cylinder's crank pin, deg.
        banks: 0 or 1 for each cylinder; a single number holds for all.
        bank_angle: between the banks, deg.
        order: numbers of the cylinders, from 1.
    Raises:
        SchemaError: the lists do not fit each other.
    """
    count = len(pins)
    if len(banks) not in (1, count):
        raise SchemaError(f"cylinder_banks: {len(banks)} values for {count} cylinders in crank_pins_deg")
    if sorted(order) != list(range(1, count + 1)):
        raise SchemaError(f"firing_order: must name each of the {count} cylinders of crank_pins_deg once, from 1")
    banks = list(banks) * (count if len(banks) == 1 else 1)
    centres = [-(pin + bank * bank_angle) % TURN for pin, bank in zip(pins, banks, strict=True)]
    angles = []
    for index, number in enumerate(order):
        angle = (centres[int(number) - 1] - centres[int(order[0]) - 1]) % TURN
        other_turn = abs(math.remainder(angle - CYCLE * index / count, CYCLE)) > 0.5 * TURN
        angles.append(angle + TURN if other_turn else angle)
    return angles
