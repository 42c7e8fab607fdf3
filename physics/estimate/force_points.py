"""Where suspension and tire forces act on the body of a vehicle whose file does not say.

At the contact patch: a force there tilts the body by its whole height below the centre of mass, as a suspension does
whose roll centre is on the ground. Against the attachment the patch is a wheel radius and the suspension's travel below
at full droop, and a radius at full compression.
"""


def contact_patch(travel: float, radius: float) -> list:
    """A graph over jounce / travel of points against the attachment, m."""
    return [[0.0, [0.0, 0.0, -(travel + radius)]], [1.0, [0.0, 0.0, -radius]]]
