"""Chassis and driveline of a Racer car as sections of our vehicle files.

    sections, notes = chassis_and_drive(content)

`content` is a car file as nested mappings, {"body": {"mass": "1100", "inertia": {"x": ...}}, "susp0": ...}; values are
numbers, or texts that begin with one. The sections suit vehicles of type clutch_drive. The notes list substituted and
omitted values.

Racer's axes: x left, y up, z forward, so (x, y, z) is (-x, z, y) here; very old cars have their front at -z, which the
positions of the first two suspensions show. All positions are relative to the car's nullpoint. Moments of inertia are
x pitch, y yaw, z roll. Gear 0 is reverse; there is no neutral, so one is inserted. Times are milliseconds, speeds rpm,
angles degrees. Wheels are sorted axle by axle, left first; `handbrakes.wheels` has Racer's wheel numbers.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from driving_sandbox.physics.differential.locks import TYPES
from driving_sandbox.physics.gearbox.timed_gearbox import MAX_FORWARD_GEARS
from driving_sandbox.physics.schema.yaml_file import ConfigError

RAD_S_PER_RPM = math.pi / 30.0  # rad/s per rpm
MILLISECOND = 1e-3  # s
WHEEL_LIMIT = 8  # largest number of wheels in the format
SHIFT_TIMES = ("time_to_declutch", "time_in_neutral", "time_to_clutch")
REVERSE_RATIO = -2.0  # Racer's default
# Engine of a car without an engine section, in the file's units.
DEFAULT_ENGINE = {"max_torque": 250, "max_rpm": 6500, "idle_rpm": 900, "stall_rpm": 400, "start_rpm": 600,
                  "inertia": {"engine": 0.2}}  # fmt: skip
# [speed / max_rpm, torque / max_torque]: a typical naturally aspirated engine, as the curve is in another file
DEFAULT_CURVE = [[0.0, 0.4], [0.2, 0.7], [0.6, 1.0], [0.9, 0.85], [1.0, 0.7], [1.1, 0.0]]


class Tree:
    """Read access by dotted keys, with clear errors."""

    def __init__(self, content: dict[str, Any], path: Path | str = "car.ini") -> None:
        self.content, self.path = content, path

    def __contains__(self, key: str) -> bool:
        return self._find(key) is not None

    def _find(self, key: str) -> Any:
        """The content of a dotted key; None where there is none."""
        branch = self.content
        for part in key.split("."):
            if not isinstance(branch, dict) or part not in branch:
                return None
            branch = branch[part]
        return branch

    def error(self, key: str, rule: str) -> ConfigError:
        """The ConfigError for a key."""
        return ConfigError(self.path, None, key, rule)

    def number(self, key: str, default: float | None = None) -> float:
        """The number at a key, or the default; without one the key is required."""
        entry = self._find(key)
        if entry is None or isinstance(entry, dict):
            if default is None:
                raise self.error(key, "is missing")
            return default
        try:
            value = float(str(entry).split()[0])
        except (ValueError, IndexError):
            raise self.error(key, f"{entry!r} must be a number") from None
        if not math.isfinite(value):
            raise self.error(key, f"{entry!r} must be a finite number")
        return value

    def vector(self, key: str) -> list[float]:
        """[x, y, z] under a key, 0 where a component is missing."""
        return [self.number(f"{key}.{axis}", 0.0) for axis in "xyz"]

    def text(self, key: str, default: str = "") -> str:
        """The text at a key, or the default."""
        entry = self._find(key)
        return default if entry is None else str(entry).strip()


def to_ours(v: Sequence[float], backwards: bool = False) -> list[float]:
    """A position or direction in our frame; `backwards` says that the car's front is at -z."""
    x, y, z = v
    return [x, -z, y] if backwards else [-x, z, y]


def inertia_to_ours(moments: Sequence[float]) -> list[float]:
    """[pitch, roll, yaw] of (x, y, z) moments."""
    x, y, z = moments
    return [x, z, y]


class Wheels:
    """The wheels of a car in our order, by the positions of their suspensions.

    Attributes:
        numbers: Racer's number of each of our wheels.
        positions: their attachments in our frame, m.
        backwards: whether the car's front is at -z.
    """

    def __init__(self, tree: Tree) -> None:
        count = int(tree.number("car.wheels", 4))
        if not 2 <= count <= WHEEL_LIMIT:
            raise tree.error("car.wheels", f"{count} must lie within 2..{WHEEL_LIMIT}")
        positions = [tree.vector(f"susp{n}") for n in range(count)]
        front, rear = positions[:2], positions[2:]
        self.backwards = len(positions) > 2 and sum(p[2] for p in front) / 2 < sum(p[2] for p in rear) / (count - 2)
        ours = [to_ours(p, self.backwards) for p in positions]
        self.numbers = sorted(range(count), key=lambda n: (-ours[n][1], ours[n][0]))
        self.positions = [ours[n] for n in self.numbers]

    def section(self, names: Sequence[str], make: Callable[[int], Any]) -> dict[str, Any]:
        """{our wheel name: make(Racer's wheel number)}."""
        return {name: make(n) for name, n in zip(names, self.numbers, strict=True)}


def chassis_and_drive(
    content: dict[str, Any], names: Sequence[str] = ("fl", "fr", "rl", "rr"), path: Path | str = "car.ini"
) -> tuple[dict[str, Any], list[str]]:
    """({slot: section}, notes) of a car; the sections may include `components`.

    Args:
        content: nested mappings, as above.
        names: our names of the wheels, axle by axle.
        path: the car file, for errors.
    """
    tree = Tree(content, path)
    notes: list[str] = []
    wheels = Wheels(tree)
    if len(names) != len(wheels.numbers):
        raise tree.error("car.wheels", f"{len(wheels.numbers)} wheels for {len(names)} names")
    sections = {
        "body": _body(tree, wheels), "brakes": _brakes(tree, wheels, names, notes), "engine": _engine(tree, notes),
        "gearbox": _gearbox(tree, notes), "clutch": {"max_torque": tree.number("clutch.max_torque", 350.0)},
        "autobox": _autobox(tree), "steering": wheels.section(names, lambda n: _steering(tree, n)),
        "suspension": {name: {"attachment": position} for name, position in zip(names, wheels.positions, strict=True)},
        "response": {"steer_linearity": tree.number("steer.linearity", 1.0)},
        "steering_wheel": _steering_wheel(tree, wheels),
    }  # fmt: skip
    if "engine.autoclutch_rpm" in tree:
        sections["clutch"]["auto_omega"] = RAD_S_PER_RPM * tree.number("engine.autoclutch_rpm")
    sections.update(_differential(tree, names, wheels, notes))
    return sections, notes


def _body(tree: Tree, wheels: Wheels) -> dict[str, Any]:
    """The section `body`."""
    section = {"body_mass": tree.number("body.mass"), "engine_mass": tree.number("engine.mass", 0.0),
               "cg": to_ours(tree.vector("car.cg"), wheels.backwards)}  # fmt: skip
    if "body.inertia" in tree:
        section["inertia_from"] = "given"
        section["principal_inertia"] = inertia_to_ours(tree.vector("body.inertia"))
    return section


def _steering(tree: Tree, n: int) -> dict[str, Any]:
    """The section `steering` of wheel n."""
    return {"max_angle": math.radians(tree.number(f"wheel{n}.lock", 0.0)),
            "inner_factor": tree.number(f"wheel{n}.ackerman", 1.0)}  # fmt: skip


def _steering_wheel(tree: Tree, wheels: Wheels) -> dict[str, Any]:
    """The section `steering_wheel`."""
    position = to_ours(tree.vector("steer"), wheels.backwards)
    tilt, lock = tree.number("steer.xa", 0.0), tree.number("steer.lock", 450.0)
    return {"position": position, "tilt": math.radians(tilt), "lock": math.radians(lock)}


def _brakes(tree: Tree, wheels: Wheels, names: Sequence[str], notes: list[str]) -> dict[str, Any]:
    """The section `brakes`; digits in handbrakes.wheels name the wheels with a handbrake."""
    digits = tree.text("handbrakes.wheels")
    for digit in digits:
        if not (digit.isascii() and digit.isdigit()) or int(digit) >= len(names):
            raise tree.error("handbrakes.wheels", f"{digits!r}: wheel {digit} does not exist, there are {len(names)}")

    def wheel(n: int) -> dict[str, Any]:
        """The section of wheel n."""
        section = {"max_torque": tree.number(f"wheel{n}.max_braking", 0.0)}
        if str(n) in digits:
            section["handbrake"] = True
            if f"wheel{n}.max_handbrake_torque" in tree:
                section["handbrake_torque"] = tree.number(f"wheel{n}.max_handbrake_torque")
            else:
                notes.append(f"wheel{n}.max_handbrake_torque is missing: max_braking is used, which is usually too "
                             "much; a tenth of it is realistic")  # fmt: skip
        return section

    return wheels.section(names, wheel)


def _engine(tree: Tree, notes: list[str]) -> dict[str, Any]:
    """The section `engine`, with defaults for what the file lacks."""
    if "engine.max_torque" not in tree:
        notes.append("the car has no engine: a default engine is used")
        tree = Tree({"engine": DEFAULT_ENGINE}, tree.path)
    notes.append("engine: the torque curve is in a separate file; a typical one is used")
    section = {"peak_torque": tree.number("engine.max_torque"), "torque_curve": DEFAULT_CURVE,
               "inertia": tree.number("engine.inertia.engine", 0.2)}  # fmt: skip
    for ours, key, usual in (("max", "max_rpm", 6000.0), ("idle", "idle_rpm", 900.0), ("stall", "stall_rpm", 400.0),
                             ("start", "start_rpm", 600.0)):  # fmt: skip
        section[f"{ours}_omega"] = RAD_S_PER_RPM * tree.number(f"engine.{key}", usual)
    for ours, key in (("friction", "friction"), ("braking", "braking_coeff"), ("starter_torque", "starter_torque"),
                      ("torque_reaction", "torque_reaction")):  # fmt: skip
        if f"engine.{key}" in tree:
            section[ours] = tree.number(f"engine.{key}")
    for key in ("starter", "start_stalled"):
        if f"engine.{key}" in tree:
            section[key] = tree.number(f"engine.{key}") != 0.0
    return section


def _gearbox(tree: Tree, notes: list[str]) -> dict[str, Any]:
    """The section `gearbox`; gear 0 becomes reverse, and neutral is inserted."""
    count = int(tree.number("gearbox.gears"))
    if not 1 <= count <= MAX_FORWARD_GEARS:
        raise tree.error("gearbox.gears", f"{count} must lie within 1..{MAX_FORWARD_GEARS}")
    reverse = tree.number("gear0.ratio", REVERSE_RATIO)
    if reverse >= 0.0:
        ratio = -reverse or REVERSE_RATIO
        notes.append(f"gear0.ratio is {reverse:g}: gear 0 is reverse and must be negative; {ratio:g} is used")
        reverse = ratio
    forward = range(1, count + 1)
    section: dict[str, Any] = {
        "ratios": [reverse, 0.0, *(tree.number(f"gear{n}.ratio") for n in forward)],
        "inertias": [tree.number("gear0.inertia", 0.0), 0.0, *(tree.number(f"gear{n}.inertia", 0.0) for n in forward)],
    }
    for name in SHIFT_TIMES:
        for key in (name, f"{name}_down"):
            if f"engine.shifting.{key}" in tree:
                section[key] = MILLISECOND * tree.number(f"engine.shifting.{key}")
    section["blip_throttle"] = tree.number("engine.shifting.blip_throttle", 0.0)
    for ours, key in (("cut_throttle", "cut_throttle"), ("fast", "fast")):
        section[ours] = tree.number(f"engine.shifting.{key}", 0.0) != 0.0
    if "differential.ratio" not in tree:
        section["end_ratio"] = tree.number("gearbox.end_ratio", 1.0)
    elif "gearbox.end_ratio" in tree:
        notes.append("gearbox.end_ratio is ignored: the differential has a ratio")
    return section


def _autobox(tree: Tree) -> dict[str, Any]:
    """The section `autobox`."""
    return {"automatic": tree.number("engine.shifting.automatic", 0.0) != 0.0,
            "up_omega": RAD_S_PER_RPM * tree.number("engine.shifting.shift_up_rpm", 3500.0),
            "down_omega": RAD_S_PER_RPM * tree.number("engine.shifting.shift_down_rpm", 2000.0)}  # fmt: skip


def _differential(tree: Tree, names: Sequence[str], wheels: Wheels, notes: list[str]) -> dict[str, Any]:
    """Sections of the differential, its locks and its inertia. The rear wheels are driven unless `powered` differs."""
    powered = [n for n in wheels.numbers if tree.number(f"wheel{n}.powered", float(n >= 2)) != 0.0]
    if not powered:
        raise tree.error("wheel2.powered", "no wheel is powered")
    if "differential.ratio" not in tree:
        notes.append("no differential is defined: gearbox.end_ratio is the final drive")
        share = wheels.section(names, lambda n: {"torque_ratio": float(n in powered)})
        return {"components": {"differential": "open"}, "differential": share, "limited_slip": {}}
    # The file's wheels 0 and 1 are the front ones.
    driven = "front" if max(powered) < 2 else "rear" if min(powered) >= 2 else "four_wheel"
    axle = "center" if driven == "four_wheel" else driven
    ratio, kind = tree.number("differential.ratio"), tree.text("differential.type", "open")
    if ratio <= 0.0:
        raise tree.error("differential.ratio", f"{ratio:g} must be greater than 0")
    if kind not in TYPES:
        raise tree.error("differential.type", f"{kind!r} must be one of {', '.join(TYPES)}")
    inertia = tree.number("differential.inertia", 0.0) / ratio**2  # kg m^2, at the outputs' speed
    return {"differential": {"driven": driven, f"{axle}_ratio": ratio}, "limited_slip": {f"{axle}_type": kind},
            "drivetrain": {"output_inertia": inertia}}  # fmt: skip
