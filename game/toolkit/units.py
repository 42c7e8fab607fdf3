"""Units on screen. Values are kept in SI; a system of units gives a factor and a name under which each is shown.

`choose` sets the system for the whole interface, as a locale would.
"""

import math

from driving_sandbox.lab.units import FOOT, KMH, MPH

DEGREES = 180.0 / math.pi  # per rad
RPM = 30.0 / math.pi  # rpm per rad/s
INCH = 0.0254  # m, exact by definition as the pounds are
POUND = 0.45359237  # kg
POUND_FORCE = 4.4482216152605  # N
MAX_DECIMALS = 12  # smaller is 0 for every parameter there is

_ANGLES = {
    "rad": (DEGREES, "°"), "rad/N": (1e3 * DEGREES, "°/kN"), "rad/(N*m)": (1e2 * DEGREES, "°/(100 N·m)"),
}  # fmt: skip
SYSTEMS = {
    "SI, degrees": _ANGLES,
    "SI, radians": {},
    "Workshop": {
        **_ANGLES, "rad/s": (RPM, "rpm"), "m": (1e3, "mm"), "m/s": (1.0 / KMH, "km/h"), "N/m": (1e-3, "N/mm"),
        "N*s/m": (1e-3, "N·s/mm"), "N": (1e-3, "kN"), "W": (1e-3, "kW"), "Pa": (1e-5, "bar"),
        "N/rad": (1e-3 / DEGREES, "kN/°"), "N*m/rad": (1.0 / DEGREES, "N·m/°"),
    },
    "US customary": {
        **_ANGLES, "rad/s": (RPM, "rpm"), "m": (1.0 / INCH, "in"), "m/s": (1.0 / MPH, "mph"),
        "N/m": (INCH / POUND_FORCE, "lb/in"), "N*s/m": (INCH / POUND_FORCE, "lb·s/in"), "N": (1.0 / POUND_FORCE, "lb"),
        "kg": (1.0 / POUND, "lb"), "N*m": (1.0 / (POUND_FORCE * FOOT), "lb·ft"),
        "Pa": (INCH * INCH / POUND_FORCE, "psi"), "N/rad": (1.0 / (POUND_FORCE * DEGREES), "lb/°"),
        "N*m/rad": (1.0 / (POUND_FORCE * FOOT * DEGREES), "lb·ft/°"),
    },
}  # fmt: skip
DEFAULT = next(iter(SYSTEMS))
_chosen = SYSTEMS[DEFAULT]


def choose(name: str) -> None:
    """Show values in another system, one of SYSTEMS."""
    global _chosen
    _chosen = SYSTEMS[name]


def chosen():
    """The system of units now shown: another object after another choice."""
    return _chosen


def motion_unit(unit):
    """`shown_unit` of a quantity of a vehicle's motion, with two differences: a speed that the chosen system does not
    name is shown in km/h, and a yaw rate in the unit of angles a second, not in rpm as the rate of a wheel."""
    if unit == "m/s" and unit not in _chosen:
        return 1.0 / KMH, "km/h"
    if unit == "rad/s":
        return (DEGREES, "°/s") if "rad" in _chosen else (1.0, unit)
    return shown_unit(unit)


def number_text(number, digits):
    """A number with `digits` significant digits, written out: 30000, never 3e+04."""
    if number == 0.0 or not math.isfinite(number):
        return f"{number:g}"
    decimals = decimals_of(number, digits)
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def decimals_of(number, digits):
    """Decimals with which a number other than 0 shows `digits` significant digits."""
    return min(MAX_DECIMALS, max(0, digits - 1 - math.floor(math.log10(abs(number)))))


def shown_unit(unit):
    """(factor from SI, unit on screen) of an SI unit; a unit that the chosen system does not name stays SI."""
    choice = _chosen.get(unit)
    if choice is not None:
        return choice
    return 1.0, "" if unit == "1" else unit.replace("*", "·").replace("^2", "²").replace("^3", "³")
