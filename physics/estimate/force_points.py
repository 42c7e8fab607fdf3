"""Default application points of suspension and tire forces on the body.

They are at the contact patch, where forces have the whole height of the centre of mass as lever arm, as in a suspension
with its roll centre on the ground. Relative to the attachment, the patch is a wheel radius plus the suspension travel
below at full droop, and a radius below at full compression.
"""


def contact_patch(travel: float, radius: float) -> list:
    """[[jounce / travel, [x, y, z]], ...]: the contact patch relative to the attachment, m.

    travel: suspension travel, m.
    radius: of the wheel, m.
    """
    return [[0.0, [0.0, 0.0, -(travel + radius)]], [1.0, [0.0, 0.0, -radius]]]
