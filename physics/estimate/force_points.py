"""Default application points of suspension and tire forces on the body.

They are at the contact patch, where the lever arm of lateral forces is the whole height of the centre of mass, as for a
suspension with its roll centre on the ground. At full droop the patch is a wheel radius plus the suspension travel
below the attachment, at full compression a radius below it.
"""


def contact_patch(travel: float, radius: float) -> list:
    """[[jounce / travel, [x, y, z]], ...]: position of the contact patch relative to the attachment, m.

    travel: suspension travel, m.
    radius: radius of the wheel, m.
    """
    return [[0.0, [0.0, 0.0, -(travel + radius)]], [1.0, [0.0, 0.0, -radius]]]
