"""Tire size designations as printed on sidewalls: "205/55 R16 91V".

They consist of section width in mm, aspect ratio in percent, "R" (also ZR, RF, D or -), rim diameter in inches, load
index and speed symbol. Of two load indices (121/119) the first counts, that of a tire mounted singly. P or LT may come
first. The load index may be missing; "C" (light commercial tire), "LT" and "XL" may stand anywhere after the rim.
"""

import re
from dataclasses import dataclass

INCH = 0.0254  # m
STANDARD_GRAVITY = 9.80665  # m/s^2; converts loads in kg, as in the table of load indices
LOAD_INDICES = (60.0, 210.0)  # lowest and highest supported: those of motor scooters and of earth movers
_SIZE = re.compile(
    r"\s*(?:P|LT)?\s*(?P<width>\d{2,3})\s*/\s*(?P<aspect>\d{2,3})\s*(?:Z?R|RF|D|-)\s*(?P<rim>\d{1,2}(?:\.\d+)?)\s*"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
_LOAD_AND_SPEED = re.compile(
    r"\(?(?P<index>\d{2,3})(?:/\d{2,3})?\s*(?P<speed>[A-H]|[J-N]|[P-Y]|A[1-8])?\)?", re.IGNORECASE
)
_MARKS = ("C", "XL", "LT")  # words after the rim that are neither load index nor speed symbol


@dataclass(frozen=True)
class TireSize:
    """What a designation says of a tire: its dimensions and its load index."""

    section_width: float  # m
    aspect_ratio: float  # section height / section width
    rim_radius: float  # m
    load_index: float = 0.0  # 0: not given

    @property
    def radius(self) -> float:
        """Radius of the unloaded tire, m."""
        return self.rim_radius + self.section_width * self.aspect_ratio


def read_size(text: str) -> TireSize:
    """The TireSize that a designation describes. Raises ValueError with a message that shows how to write one."""
    size_match = _SIZE.fullmatch(text)
    words = size_match["rest"].split() if size_match else []
    loads = [word for word in words if word.upper() not in _MARKS]
    load_match = _LOAD_AND_SPEED.fullmatch("".join(loads)) if loads else None
    if not size_match or (loads and load_match is None):
        raise ValueError(f"{text!r} is not a tire size; write it like 205/55 R16 91V (the load index may be left out)")
    size = TireSize(
        section_width=float(size_match["width"]) / 1000.0,
        aspect_ratio=float(size_match["aspect"]) / 100.0,
        rim_radius=0.5 * float(size_match["rim"]) * INCH,
        load_index=float(load_match["index"]) if load_match else 0.0,
    )
    if size.load_index and not LOAD_INDICES[0] <= size.load_index <= LOAD_INDICES[1]:
        raise ValueError(f"{text!r}: the load index must be from {LOAD_INDICES[0]:g} to {LOAD_INDICES[1]:g}")
    return size
