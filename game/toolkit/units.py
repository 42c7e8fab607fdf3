"""Displayed units. Values are kept in SI; a system of units gives each SI unit a factor and a displayed name.

`choose` sets the system for the whole interface, as a locale would.
"""

import math

from driving_sandbox.lab.units import FOOT, KMH, MPH

DEGREES = 180.0 / math.pi  # degrees per rad
RPM_PER_RAD_S = 30.0 / math.pi  # rpm per rad/s
INCH = 0.0254  # m, exact by definition
POUND = 0.45359237  # kg, exact by definition
POUND_FORCE = 4.4482216152605  # N, exact by definition
MAX_DECIMALS = 12  # maximum number of decimals; what is smaller is negligible for every parameter

_ANGLES = {
    "rad": (DEGREES, "°"), "rad/N": (1e3 * DEGREES, "°/kN"), "rad/(N*m)": (1e2 * DEGREES, "°/(100 N·m)"),
}  # fmt: skip
SYSTEMS = {  # {name: {SI unit: (factor from SI, displayed unit)}}; units that are left out are shown in SI
    "SI, degrees": _ANGLES,
    "SI, radians": {},
    "Workshop": {
        **_ANGLES, "rad/s": (RPM_PER_RAD_S, "rpm"), "m": (1e3, "mm"), "m/s": (1.0 / KMH, "km/h"), "N/m": (1e-3, "N/mm"),
        "N*s/m": (1e-3, "N·s/mm"), "N": (1e-3, "kN"), "W": (1e-3, "kW"), "Pa": (1e-5, "bar"),
        "N/rad": (1e-3 / DEGREES, "kN/°"), "N*m/rad": (1.0 / DEGREES, "N·m/°"),
    },
    "US customary": {
        **_ANGLES, "rad/s": (RPM_PER_RAD_S, "rpm"), "m": (1.0 / INCH, "in"), "m/s": (1.0 / MPH, "mph"),
        "N/m": (INCH / POUND_FORCE, "lb/in"), "N*s/m": (INCH / POUND_FORCE, "lb·s/in"), "N": (1.0 / POUND_FORCE, "lb"),
        "kg": (1.0 / POUND, "lb"), "N*m": (1.0 / (POUND_FORCE * FOOT), "lb·ft"),
        "Pa": (INCH * INCH / POUND_FORCE, "psi"), "N/rad": (1.0 / (POUND_FORCE * DEGREES), "lb/°"),
        "N*m/rad": (1.0 / (POUND_FORCE * FOOT * DEGREES), "lb·ft/°"),
    },
}  # fmt: skip
DEFAULT = next(iter(SYSTEMS))
_chosen = SYSTEMS[DEFAULT]  # the system in use


def choose(name: str) -> None:
    """Show values in the system of this name, one of SYSTEMS, from now on."""
    global _chosen
    _chosen = SYSTEMS[name]


def current_system() -> dict[str, tuple[float, str]]:
    """The system of units in use; compare by identity to notice a change."""
    return _chosen


def motion_unit(unit: str) -> tuple[float, str]:
    """(factor from SI, displayed unit) for a quantity of a vehicle's motion.

    It differs from `shown_unit` in two cases: a speed is shown in km/h if the system does not name m/s, and a yaw rate
    in degrees (or rad) per second, not in rpm like the speed of a wheel.
    """
    if unit == "m/s" and unit not in _chosen:
        return 1.0 / KMH, "km/h"
    if unit == "rad/s":
        return (DEGREES, "°/s") if "rad" in _chosen else (1.0, unit)
    return shown_unit(unit)


def number_text(number: float, digits: int) -> str:
    """A number as text with `digits` significant digits, without an exponent: 30000, not 3e+04."""
    if number == 0.0 or not math.isfinite(number):
        return f"{number:g}"
    decimals = decimals_of(number, digits)
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def decimals_of(number: float, digits: int) -> int:
    """Number of decimals that a number other than 0 needs to show `digits` significant digits."""
    return min(MAX_DECIMALS, max(0, digits - 1 - math.floor(math.log10(abs(number)))))


def shown_unit(unit: str) -> tuple[float, str]:
    """(factor from SI, displayed unit) of an SI unit; a unit that the system in use does not name stays SI."""
    choice = _chosen.get(unit)
    if choice is not None:
        return choice
    return 1.0, "" if unit == "1" else unit.replace("*", "·").replace("^2", "²").replace("^3", "³")
