"""Curves of Magic Formula 6.2 and of its family of tires.

"+ moves right" in the labels: the slip angle is positive when the contact point moves to the right.
"""

import math

import numpy as np

from driving_sandbox.docs.build.curve import DEGREES, KN, MM, Figure, Line, curve, span
from driving_sandbox.physics.tire.mf62_coefficients import complete_set
from driving_sandbox.physics.tire.mf62_evaluate import evaluate
from driving_sandbox.physics.tire.mf62_family import family, rated_load
from driving_sandbox.physics.tire.tire_size import read_size

MODULE = "driving_sandbox.physics.tire.mf62_tire"
LOADS = (2000.0, 4000.0, 8000.0)  # N
ANGLES, SLIPS = span(math.radians(-15.0), math.radians(15.0)), span(-0.5, 0.5)
CLASSES = ("eco", "touring", "sport", "semi_slick", "slick", "winter", "off_road")


def tire(size: str = "205/55 R16 91V", tire_class: str = "touring") -> dict[str, float]:
    """{coefficient: value} of a tire of the family, by its size and class."""
    tire_size = read_size(size)
    return complete_set(family(tire_size, tire_class, rated_load(tire_size.load_index)))


def over_loads(key: str, scale: float = 1.0, **swept: np.ndarray) -> list[Line]:
    """Lines of an output of the formula, times `scale`, over the swept quantity {name: values}, one for each load."""
    (name, values), c = next(iter(swept.items())), tire()
    x = values * DEGREES if name in ("angle", "camber") else values
    return [Line(f"{load * KN:g} kN", x, evaluate(c, load, **swept)[key] * scale) for load in LOADS]


@curve(
    MODULE, "Lateral force of 205/55 R16 91V, touring, over the slip angle: grip falls with load and beyond the peak."
)
def mf62_lateral() -> Figure:
    """Lateral force versus the slip angle at each load."""
    return Figure("slip angle [deg], + moves right", "lateral force [kN], + right", over_loads("fy", KN, angle=ANGLES))


@curve(MODULE, "Longitudinal force of 205/55 R16 91V, touring: stiffness grows with load.")
def mf62_longitudinal() -> Figure:
    """Longitudinal force versus the longitudinal slip at each load."""
    return Figure("longitudinal slip [1], + drives", "longitudinal force [kN]", over_loads("fx", KN, slip=SLIPS))


@curve(
    MODULE,
    "Aligning moment of 205/55 R16 91V, touring, largest well before the peak of the force: steering grows light "
    "before the front slides.",
)
def mf62_aligning() -> Figure:
    """Aligning moment versus the slip angle at each load."""
    return Figure("slip angle [deg], + moves right", "aligning moment [N m]", over_loads("mz", angle=ANGLES))


@curve(MODULE, "Pneumatic trail of 205/55 R16 91V, touring, which vanishes around the peak of the force.")
def mf62_trail() -> Figure:
    """Pneumatic trail versus the slip angle at each load."""
    return Figure("slip angle [deg], + moves right", "trail [mm]", over_loads("trail", MM, angle=ANGLES))


@curve(MODULE, "Both forces at 4 kN while the longitudinal slip goes from -1 to 1, each line one slip angle.")
def mf62_combined() -> Figure:
    """Both forces while the longitudinal slip goes from -1 to 1, for several slip angles."""
    slip = np.sign(s := span(-1.0, 1.0, 301)) * s * s  # points are dense around 0, where the forces change fastest
    lines, c = [], tire()
    # labels give magnitudes; the slip angles are negative, so that the lateral forces are positive
    for angle in (1.0, 3.0, 6.0, 12.0):
        forces = evaluate(c, 4000.0, slip=slip, angle=-math.radians(angle))
        lines.append(Line(f"slip angle {angle:g} deg", forces["fx"] * KN, forces["fy"] * KN))
    return Figure("longitudinal force [kN]", "lateral force [kN]", lines)


@curve(MODULE, "Classes of the same size at 4 kN.")
def mf62_classes() -> Figure:
    """Lateral force versus the slip angle for each class of tire."""
    angles = span(0.0, math.radians(20.0))  # positive: forces are negative, their magnitudes are drawn
    lines = []
    for name in CLASSES:
        forces = evaluate(tire(tire_class=name), 4000.0, angle=angles)
        lines.append(Line(name.replace("_", " "), angles * DEGREES, -forces["fy"] * KN))
    return Figure("slip angle [deg]", "lateral force [kN]", lines)


@curve(MODULE, "Relaxation lengths versus load.")
def mf62_relaxation() -> Figure:
    """Lateral and longitudinal relaxation lengths versus load."""
    loads, c = span(200.0, 9000.0), tire()
    lengths = evaluate(c, loads)
    lines = [
        Line(label, loads * KN, lengths[key]) for label, key in (("lateral", "sigma_y"), ("longitudinal", "sigma_x"))
    ]
    return Figure("load [kN]", "relaxation length [m]", lines)
