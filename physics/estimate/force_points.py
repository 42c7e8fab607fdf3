"""Default application points of suspension and tire forces on the body.

At the contact patch: forces there act with the whole height of the centre of mass as lever arm, like a suspension whose
roll centre is on the ground. Relative to the attachment, the patch is a wheel radius plus the suspension travel below
at full droop, and a radius below at full compression.
"""


def contact_patch(travel: float, radius: float) -> list:
    """A graph over jounce / travel of points against the attachment, m."""
    return [[0.0, [0.0, 0.0, -(travel + radius)]], [1.0, [0.0, 0.0, -radius]]]
