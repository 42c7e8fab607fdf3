"""Tire size designations as on sidewalls: "205/55 R16 91V".

Section width in mm, height of the section in percent of it, "R" (ZR, RF, D or - as well), rim in inches, then "C" for
light commercial tires, the load index (of a single tire where two are given) and the speed symbol, in any order with
"XL". P or LT may precede it. The load index may be missing.
"""

import re
from dataclasses import dataclass

INCH = 0.0254  # m
STANDARD_GRAVITY = 9.80665  # m/s^2, for loads in the table of load indices, which are in kg
INDICES = (60.0, 210.0)  # (lowest, highest) load index: motor scooters, earth movers
_SIZE = re.compile(
    r"\s*(?:P|LT)?\s*(?P<width>\d{2,3})\s*/\s*(?P<aspect>\d{2,3})\s*(?:Z?R|RF|D|-)\s*(?P<rim>\d{1,2}(?:\.\d+)?)\s*"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
_LOAD_AND_SPEED = re.compile(
    r"\(?(?P<index>\d{2,3})(?:/\d{2,3})?\s*(?P<speed>[A-H]|[J-N]|[P-Y]|A[1-8])?\)?", re.IGNORECASE
)
_MARKS = ("C", "XL", "LT")


@dataclass(frozen=True)
class TireSize:
    """A tire size.

    Attributes:
        section_width, rim_radius: m. aspect_ratio: height of the section over its width. load_index: 0 where not given.
    """

    section_width: float
    aspect_ratio: float
    rim_radius: float
    load_index: float = 0.0

    @property
    def radius(self) -> float:
        """Radius of the unloaded tire, m."""
        return self.rim_radius + self.section_width * self.aspect_ratio


def read_size(text: str) -> TireSize:
    """The TireSize of a text. Raises ValueError saying how sizes are written."""
    found = _SIZE.fullmatch(text)
    words = found["rest"].split() if found else []
    loads = [word for word in words if word.upper() not in _MARKS]
    match = _LOAD_AND_SPEED.fullmatch("".join(loads)) if loads else None
    if not found or (loads and match is None):
        raise ValueError(
            f"{text!r} is no tire size; sizes are written like 205/55 R16 91V (load index may be left out)"
        )
    size = TireSize(
        float(found["width"]) / 1000.0, float(found["aspect"]) / 100.0, 0.5 * float(found["rim"]) * INCH,
        float(match["index"]) if match else 0.0,
    )  # fmt: skip
    if size.load_index and not INDICES[0] <= size.load_index <= INDICES[1]:
        raise ValueError(f"{text!r}: the load index must be from {INDICES[0]:g} to {INDICES[1]:g}")
    return size
