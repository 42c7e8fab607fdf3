"""Units on screen. Values are kept in SI; a system of units says by what number, and under which name, each is shown.

`choose` sets the system for the whole interface, as a locale would.
"""

import math

DEGREE, RPM = 180.0 / math.pi, 30.0 / math.pi  # per rad; per rad/s
INCH, POUND_FORCE, POUND, FOOT = 0.0254, 4.4482216152605, 0.45359237, 0.3048  # m, N, kg, m; exact by definition
MOST_DECIMALS = 12  # smaller is 0 for every parameter there is
KMH, MPH = 3.6, 1.0 / 0.44704  # per m/s

_ANGLES = {"rad": (DEGREE, "°")}
SYSTEMS = {
    "SI, degrees": _ANGLES,
    "SI, radians": {},
    "Workshop": {
        **_ANGLES, "rad/s": (RPM, "rpm"), "m": (1e3, "mm"), "m/s": (KMH, "km/h"), "N/m": (1e-3, "N/mm"),
        "N*s/m": (1e-3, "N·s/mm"), "N": (1e-3, "kN"), "W": (1e-3, "kW"), "Pa": (1e-5, "bar"),
        "N/rad": (1e-3 / DEGREE, "kN/°"), "N*m/rad": (1.0 / DEGREE, "N·m/°"),
    },
    "US customary": {
        **_ANGLES, "rad/s": (RPM, "rpm"), "m": (1.0 / INCH, "in"), "m/s": (MPH, "mph"),
        "N/m": (INCH / POUND_FORCE, "lb/in"), "N*s/m": (INCH / POUND_FORCE, "lb·s/in"), "N": (1.0 / POUND_FORCE, "lb"),
        "kg": (1.0 / POUND, "lb"), "N*m": (1.0 / (POUND_FORCE * FOOT), "lb·ft"),
        "Pa": (INCH * INCH / POUND_FORCE, "psi"), "N/rad": (1.0 / (POUND_FORCE * DEGREE), "lb/°"),
        "N*m/rad": (1.0 / (POUND_FORCE * FOOT * DEGREE), "lb·ft/°"),
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
    """As `shown_unit` for how a vehicle moves: a speed that the chosen system does not name is shown in km/h, and a yaw
    rate in degrees a second with angles in degrees, not in rpm as the rate of a wheel."""
    if unit == "m/s" and unit not in _chosen:
        return KMH, "km/h"
    if unit == "rad/s":
        return (DEGREE, "°/s") if "rad" in _chosen else (1.0, unit)
    return shown_unit(unit)


def number_text(number, digits):
    """A number with so many significant digits, written out: 30000, never 3e+04."""
    if number == 0.0 or not math.isfinite(number):
        return f"{number:g}"
    decimals = decimals_of(number, digits)
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def decimals_of(number, digits):
    """Decimals with which a number other than 0 shows so many significant digits."""
    return min(MOST_DECIMALS, max(0, digits - 1 - math.floor(math.log10(abs(number)))))


def shown_unit(unit):
    """(factor, unit on screen) of an SI unit; what the chosen system does not name is shown in SI."""
    found = _chosen.get(unit)
    if found is not None:
        return found
    return 1.0, "" if unit == "1" else unit.replace("*", "·").replace("^2", "²").replace("^3", "³")
