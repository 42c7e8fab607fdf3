"""What the user has set for a wheel's forces, and presets for classes of wheels.

Amounts are those of the Racer simulator's controller set-up; the vehicle's file scales each of them
(physics/steering/force_feedback_settings.py).
"""

from dataclasses import dataclass, fields, replace
from typing import Any


@dataclass(frozen=True)
class ForceSetup:
    """Forces of one wheel.

    Attributes:
        strength: largest torque of the wheel, N m.
        gain: torque of the wheel per torque at the car's rim.
        friction: dry friction while driving, N m.
        stick_friction: dry friction at rest, N m; it becomes `friction` at 5 m/s.
        damping: resistance to the rim's rate, N m s/rad.
        inertia: resistance to the rim's acceleration, kg m^2.
        road: torque per difference of the front wheels' vertical speeds, N m s/m.
        soft_lock: torque per angle beyond the car's steering lock, N m/rad.
        slew: largest change of torque per second, N m/s.
        inverted: whether this wheel turns the other way.
        own_effects: whether friction, damping and inertia are left to the wheel, if it has these effects.
        enabled: whether the wheel pulls at all.
        rumble: strength of a pad's motors, 0..1.
        response: levels 0..1 that give the wheel evenly spaced forces (response.py), POINTS of stream.py; () for a
            wheel whose force is proportional to the level.
    """

    strength: float = 4.0
    gain: float = 0.6
    friction: float = 0.15
    stick_friction: float = 0.5
    damping: float = 0.05
    inertia: float = 0.0
    road: float = 0.3
    soft_lock: float = 8.0
    slew: float = 400.0
    inverted: bool = False
    own_effects: bool = False
    enabled: bool = True
    rumble: float = 0.7
    response: tuple[float, ...] = ()

    def changed(self, name: str, value: Any) -> "ForceSetup":
        """This setup with another value of one setting."""
        return replace(self, **{name: value})


LIMITS = {  # {setting: (smallest, largest)}
    "strength": (0.5, 40.0), "gain": (0.0, 3.0), "friction": (0.0, 5.0), "stick_friction": (0.0, 5.0),
    "damping": (0.0, 3.0), "inertia": (0.0, 0.05), "road": (0.0, 5.0), "soft_lock": (0.0, 100.0),
    "slew": (10.0, 10000.0), "rumble": (0.0, 1.0),
}  # fmt: skip

# Torques of common wheels of each class by their makers; a geared wheel has much friction of its own.
# A direct drive has hardly any damping: without hands it would swing ever wider above 25 m/s.
PRESETS = {
    "gears": ForceSetup(strength=2.2, gain=0.45, friction=0.0, damping=0.0, road=0.5, slew=200.0, soft_lock=6.0),
    "belt": ForceSetup(strength=4.0),
    "direct drive, 5 to 9 N m": ForceSetup(strength=8.0, gain=0.8, friction=0.4, damping=0.9),
    "direct drive, above 9 N m": ForceSetup(strength=15.0, gain=1.0, friction=0.5, damping=0.9),
}
_KNOWN = {  # {part of a wheel's name: preset}
    "g25": "gears", "g27": "gears", "g29": "gears", "g920": "gears", "g923": "gears", "driving force": "gears",
    "t80": "gears", "tmx": "belt", "t150": "belt", "t248": "belt", "t300": "belt", "tx ": "belt", "t-gt": "belt",
    "ts-": "belt", "csl elite": "belt", "csw": "belt", "csl dd": "direct drive, 5 to 9 N m",
    "gran turismo dd": "direct drive, 5 to 9 N m", "moza r5": "direct drive, 5 to 9 N m",
    "moza r9": "direct drive, 5 to 9 N m", "t598": "direct drive, 5 to 9 N m", "g pro": "direct drive, above 9 N m",
    "simucube": "direct drive, above 9 N m", "podium": "direct drive, above 9 N m", "vrs": "direct drive, above 9 N m",
    "moza": "direct drive, above 9 N m", "simagic": "direct drive, above 9 N m", "t818": "direct drive, above 9 N m",
}  # fmt: skip
USUAL = "belt"  # preset of a wheel that is not known


def preset_of(name: str) -> str:
    """The preset of the wheel with this name."""
    lower = f"{name.lower()} "
    return next((preset for part, preset in _KNOWN.items() if part in lower), USUAL)


NAMES = tuple(f.name for f in fields(ForceSetup))
