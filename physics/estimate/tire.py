"""Dimensions, rated load and stiffness of a tire of which only the wheel and its load are known."""

USUAL_LOAD_SHARE = 0.65  # load at rest / rated load
USUAL_ASPECT_RATIO = 0.55  # section height / width, if neither it nor the rim is given
MIN_ASPECT_RATIO = 0.1  # smallest one derived from the radii of wheel and rim
MAX_ASPECT_RATIO = 1.2  # more than any tire's; beyond 2.57 mf62_family.py would take the root of a negative number
MIN_RIM = 0.3  # smallest rim radius / wheel radius, if the rim is not given
MIN_LOAD = 1.0  # N, smallest load at rest for the rated load
USUAL_DEFLECTION = 0.02  # m, deflection of a tire at rest; real ones deflect 15 to 25 mm


def dimensions(
    width: float, aspect: float, rim: float, wheel_radius: float, wheel_width: float
) -> tuple[float, float, float]:
    """(section width in m, aspect ratio, rim radius in m) of a tire.

    Args:
        width, aspect, rim: what is known of the same three; 0: unknown.
        wheel_radius, wheel_width: of the wheel with its tire, m.
    """
    width = width or wheel_width
    rim = rim or max(wheel_radius - width * (aspect or USUAL_ASPECT_RATIO), MIN_RIM * wheel_radius)
    aspect = aspect or min(max((wheel_radius - rim) / width, MIN_ASPECT_RATIO), MAX_ASPECT_RATIO)
    return width, aspect, rim


def rated_load(load_at_rest: float) -> float:
    """Rated load of a tire, N, from its load at rest, N."""
    return max(load_at_rest, MIN_LOAD) / USUAL_LOAD_SHARE


def vertical_stiffness(load_at_rest: float) -> float:
    """Vertical stiffness of a tire, N/m, from its load at rest, N."""
    return load_at_rest / USUAL_DEFLECTION
