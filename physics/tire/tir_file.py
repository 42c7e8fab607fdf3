"""Tire property files (.tir) of Magic Formula 5.2, 6.1 and 6.2, read into the coefficients of mf62_coefficients.py.

    [UNITS]                      $ comments begin with $ or !
    LENGTH = 'meter'
    [VERTICAL]
    FNOMIN = 4000

Values are converted from the units in [UNITS] to SI. Scale factors are multiplied into the coefficients that they
scale. Files in ISO axes (z up) have a negative PKY1; they are converted to the axes of mf62.py, those of Pacejka's book
(z down). Turn slip, ranges of validity, masses and the size of the contact patch are not used. A key that is in one of
the formula's sections, but belongs to no version of the formula, is an error.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from driving_sandbox.physics.base.input_file import MEGABYTE, read_text
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint
from driving_sandbox.physics.tire.mf62_coefficients import NAMES

MAX_FILE_SIZE = MEGABYTE  # bytes; real files have about 10,000 bytes
# {FITTYP: version times 10}; 5 and 6: PAC2002
VERSIONS: dict[float, int] = {5: 52, 6: 52, 51: 52, 52: 52, 60: 61, 61: 61, 62: 62}
REQUIRED = ("UNLOADED_RADIUS", "FNOMIN", "PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2")
UNITS = {  # {quantity: {name in the file: factor to SI}}
    "LENGTH": {"meter": 1.0, "m": 1.0, "cm": 0.01, "centimeter": 0.01, "mm": 0.001, "millimeter": 0.001,
               "km": 1000.0, "inch": 0.0254, "foot": 0.3048},
    "FORCE": {"newton": 1.0, "n": 1.0, "kilonewton": 1000.0, "kn": 1000.0, "kilogram_force": 9.80665,
              "kg_force": 9.80665, "pound_force": 4.4482216152605},
    "ANGLE": {"radians": 1.0, "radian": 1.0, "rad": 1.0},
    "TIME": {"second": 1.0, "sec": 1.0, "s": 1.0, "millisecond": 0.001, "minute": 60.0, "hour": 3600.0},
    "PRESSURE": {"pascal": 1.0, "pa": 1.0, "kpa": 1000.0, "bar": 1e5, "psi": 6894.757293168},
}  # fmt: skip
ISO_NEGATED = (  # coefficients of opposite sign in ISO axes
    "PKY1", "PKY6", "PKY7", "PVY1", "PVY2", "PVY3", "PVY4", "RVY1", "RVY2", "RVY3", "QBZ10", "QDZ6", "QDZ7", "QDZ8",
    "QDZ9", "QDZ10", "QDZ11", "SSZ1", "SSZ3", "SSZ4", "QSX3", "QSX9", "QSX13", "QSX14",
)  # fmt: skip
# {scale factor: coefficients that it multiplies, or divides where "/" precedes; twice where a name is repeated}
SCALED = {
    "LFZO": "FNOMIN", "LCX": "PCX1", "LMUX": "PDX1 PDX2 PVX1 PVX2", "LEX": "PEX1 PEX2 PEX3", "LKX": "PKX1 PKX2",
    "LHX": "PHX1 PHX2", "LVX": "PVX1 PVX2", "LCY": "PCY1",
    "LMUY": "PDY1 PDY2 PVY1 PVY2 PVY3 PVY4 /QBZ1 /QBZ2 /QBZ3 /QBZ9", "LEY": "PEY1 PEY2",
    "LKY": "PKY1 QBZ1 QBZ2 QBZ3 QBZ9", "LKYC": "PKY6 PKY7 PVY3 PVY4", "LHY": "PHY1 PHY2", "LVY": "PVY1 PVY2",
    "LTR": "QDZ1 QDZ2", "LRES": "QDZ6 QDZ7", "LKZC": "QDZ8 QDZ9 QDZ10 QDZ11", "LXAL": "RBX1 RBX3", "LYKA": "RBY1 RBY4",
    "LVYKA": "RVY1 RVY2 RVY3", "LS": "SSZ1 SSZ2 SSZ3 SSZ4",
    "LMX": "QSX1 QSX2 QSX3 QSX4 QSX10 QSX12 QSX13 QSX14", "LVMX": "QSX1",
    "LMY": "QSY1 QSY2 QSY3 QSY4 QSY5 QSY6", "LCZ": "VERTICAL_STIFFNESS", "LIP": "INFLPRES",
    "LGAX": "PDX3 PDX3", "LGAY": "PDY3 PDY3 PKY3 PHY3 PVY3 PVY4 PEY4",
    "LGAZ": "QBZ4 QBZ5 QDZ3 QDZ4 QDZ4 QDZ8 QDZ9 QHZ3 QHZ4 QEZ5",
    "LSGKP": "/LONGITUDINAL_STIFFNESS PTX1 PTX2", "LSGAL": "/LATERAL_STIFFNESS PTY1",
}  # fmt: skip
# {scale factor of a neglected effect: its only supported value}
REQUIRED_FACTORS = {"LMUV": 0.0, "LAMU": 1.0, "LGYR": 1.0, "LTRLO": 1.0}
CHECKED = (  # sections in which unknown keys are errors
    "LONGITUDINAL_COEFFICIENTS", "LATERAL_COEFFICIENTS", "ALIGNING_COEFFICIENTS", "OVERTURNING_COEFFICIENTS",
    "ROLLING_COEFFICIENTS", "SCALING_COEFFICIENTS",
)  # fmt: skip
IGNORED = {"QTZ1", "MBELT", "QTYR", "PTZ1", "SWITCH_INTEG"}  # keys of neglected effects, such as gyroscopic moments
COEFFICIENTS = {name.upper() for name in NAMES}
_LINE = re.compile(r"\s*(?P<key>[A-Za-z_]\w*)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|[^$!]*)")


@dataclass
class TirFile:
    """A tire property file.

    Attributes:
        coefficients: {upper-case name: value, SI}, in the axes of mf62.py.
        pressure: inflation pressure in use, Pa; 0 if not given.
        side: side for which the tire was measured, "left", "right" or "both".
    """

    coefficients: dict[str, float] = field(default_factory=dict)
    pressure: float = 0.0
    side: str = "both"


class _Entries(dict[str, str]):
    """{upper-case key: text of its value} of a file, with the line and section of every key."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.lines: dict[str, int] = {}
        self.sections: dict[str, str] = {}

    def error(self, key: str, message: str) -> ConfigError:
        return ConfigError(self.path, self.lines.get(key), key, message)


def read_tir(path: str | Path) -> TirFile:
    """Read a tire property file. Raises ConfigError `file:line: key: what is wrong`."""
    entries = _entries(Path(path))
    units = _units(entries)
    values = {}
    for key, text in entries.items():
        if key in COEFFICIENTS or key in SCALED or key == "INFLPRES":
            values[key] = _number(entries, key, text)
        elif key in REQUIRED_FACTORS and _number(entries, key, text) != REQUIRED_FACTORS[key]:
            raise entries.error(key, f"scales an effect that is not modelled; must be {REQUIRED_FACTORS[key]:g}")
        elif entries.sections[key] in CHECKED and key not in REQUIRED_FACTORS and key not in IGNORED:
            known = COEFFICIENTS | set(SCALED)
            raise entries.error(key, f"is not a coefficient of Magic Formula 5.2, 6.1 or 6.2{key_hint(key, known)}")
    for key in REQUIRED:
        if key not in values:
            raise ConfigError(path, None, key, "is missing")
    _version(entries, values)
    for key, factor in units.items():
        if key in values:
            values[key] *= factor
    _scale(values)
    _convert_axes(values)
    return TirFile(
        coefficients={key: value for key, value in values.items() if key in COEFFICIENTS},
        pressure=values.get("INFLPRES", 0.0),
        side=_side(entries),
    )


def _entries(path: Path) -> _Entries:
    """Parse a file into _Entries. Lines that are not entries are skipped, except in the formula's sections."""
    try:
        lines = read_text(path, MAX_FILE_SIZE, errors="replace").splitlines()
    except FileNotFoundError:
        raise ConfigError(path, None, "", "no such tire property file") from None
    except OSError as error:
        raise ConfigError(path, None, "", f"cannot be read: {error}") from None
    entries, section = _Entries(path), ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("[") and "]" in text:
            section = text[1 : text.index("]")].strip().upper()
            continue
        # "{" begins the heading of a table of points
        if not text or text[0] in "$!{" or section in ("SHAPE", "MDI_HEADER"):
            continue
        match = _LINE.match(line)
        if match is None:
            if section in CHECKED:
                raise ConfigError(path, number, "", f"{text!r}: a line must be a section, a comment or NAME = value")
            continue
        key = match["key"].upper()
        if key in entries and (key in COEFFICIENTS or key in SCALED):
            raise ConfigError(path, number, key, f"is given twice; first in line {entries.lines[key]}")
        entries[key], entries.lines[key], entries.sections[key] = match["value"].strip(), number, section
    return entries


def _number(entries: _Entries, key: str, text: str) -> float:
    try:
        value = float(text.replace("D", "e").replace("d", "e"))  # D marks the exponent in numbers written by Fortran
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise entries.error(key, f"{text!r} is not a number")
    return value


def _units(entries: _Entries) -> dict[str, float]:
    """{coefficient with a dimension: factor to SI units}, from the section [UNITS]."""
    factors: dict[str, float | None] = {}  # {quantity: factor to SI units, or None if the file does not give its unit}
    for quantity, known in UNITS.items():
        text = entries.get(quantity, "")
        word = text.strip("'\" ").lower()
        if text and entries.sections[quantity] == "UNITS" and word not in known:
            raise entries.error(quantity, f"{word!r} is not a supported unit; must be one of {', '.join(known)}")
        factors[quantity] = known.get(word, 1.0) if text and entries.sections[quantity] == "UNITS" else None
    length, force, time = (factors[quantity] or 1.0 for quantity in ("LENGTH", "FORCE", "TIME"))
    pressure = factors["PRESSURE"] or force / (length * length)
    stiffness = dict.fromkeys(("VERTICAL_STIFFNESS", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS"), force / length)
    return {"UNLOADED_RADIUS": length, "FNOMIN": force, "LONGVL": length / time, "NOMPRES": pressure,
            "INFLPRES": pressure, **stiffness}  # fmt: skip


def _version(entries: _Entries, values: dict[str, float]) -> None:
    """Replace FITTYP by the version. A file without FITTYP is of 6.1 if it has PKY4, which 5.2 lacks, else of 5.2."""
    fittyp = values.get("FITTYP", 61.0 if "PKY4" in values else 52.0)
    if fittyp not in VERSIONS:
        known = ", ".join(map(str, VERSIONS))
        raise entries.error(
            "FITTYP", f"{fittyp:g} is not supported; must be one of {known} (Magic Formula 5.2, 6.1, 6.2)"
        )
    values["FITTYP"] = float(VERSIONS[fittyp])


def _scale(values: dict[str, float]) -> None:
    """Apply the scale factors to the coefficients, and remove them."""
    for factor, names in SCALED.items():
        scale = values.pop(factor, 1.0)
        for name in names.split():
            key = name.lstrip("/")
            if key in values and scale != 1.0:
                values[key] = values[key] / scale if name[0] == "/" else values[key] * scale


def _convert_axes(values: dict[str, float]) -> None:
    """Make the lateral peak positive, and convert to the axes of Pacejka's book."""
    if values["PDY1"] < 0.0:
        for key in ("PDY1", "PDY2"):
            values[key] = -values.get(key, 0.0)
    if values["PKY1"] < 0.0:
        for key in ISO_NEGATED:
            if key in values:
                values[key] = -values[key]


def _side(entries: _Entries) -> str:
    """Side of the measurement: left, right or both."""
    side = entries.get("TYRESIDE", "").strip("'\" ").lower()
    return side if side in ("left", "right") else "both"
