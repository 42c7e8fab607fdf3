"""Strict reader of PhysX vehicle files, into one flat layout.

Two kinds of files exist. A *flat* file is one JSON object with everything about a vehicle in short names ("wheels",
"brake", "diff" ...). NVIDIA's own samples spread a vehicle over Base.json and EngineDrive.json or DirectDrive.json,
with per-wheel records in any order that carry a "WheelId", three differentials of which the caller picks one, and a
section for each brake. Files of both kinds are read into the flat layout; `Source` looks values up and names them in
errors.
"""

import json
import sys
from pathlib import Path
from typing import Any

from driving_sandbox.physics.base.input_file import read_bytes
from driving_sandbox.physics.base.json_text import MAX_LENGTH, parse_json
from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint, wrong_bytes

DIRECT, FOUR_WHEEL, MULTI_WHEEL, TANK = range(4)  # "type" of a flat file
DIFFERENTIALS = {"four_wheel": FOUR_WHEEL, "multi_wheel": MULTI_WHEEL, "tank": TANK}
_DIFFERENTIAL_NAMES = {FOUR_WHEEL: "FourWheel", MULTI_WHEEL: "MultiWheel", TANK: "Tank"}  # in keys of EngineDrive.json


class Source:
    """A JSON value with its file and key; `node["a"]` and `node[0]` are its children, methods give checked values.

    Values merged from elsewhere may be nodes with a file and key of their own.
    """

    def __init__(self, value: Any, path: Path | str, key: str = "") -> None:
        self.value, self.path, self.key = value, path, key

    def error(self, message: str) -> ConfigError:
        """The ConfigError for this value."""
        return ConfigError(self.path, None, self.key, message)

    def child(self, name: int | str) -> str:
        """Dotted key of a child."""
        if isinstance(name, int):
            return f"{self.key}[{name}]"
        return f"{self.key}.{name}" if self.key else str(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def __getitem__(self, name: str | int) -> "Source":
        if isinstance(name, str):
            if not isinstance(self.value, dict):
                raise self.error("must be an object")
            if name not in self.value:
                hint = key_hint(name, self.value)
                raise ConfigError(self.path, None, self.child(name), f"is missing{hint}")
        value = self.value[name]
        return value if isinstance(value, Source) else Source(value, self.path, self.child(name))

    def items(self, length: int | None = None) -> list["Source"]:
        """Elements of a list, optionally of a required length."""
        if not isinstance(self.value, list):
            raise self.error("must be a list")
        if length is not None and len(self.value) != length:
            raise self.error(f"has {len(self.value)} entries, not {length}")
        return [self[i] for i in range(len(self.value))]

    def number(self) -> float:
        """The value as a float. Raises ConfigError."""
        v = self.value
        if isinstance(v, bool) or not isinstance(v, int | float) or not abs(v) <= sys.float_info.max:
            raise self.error(f"{brief(v)} must be a finite number")
        return float(v)

    def integer(self, low: int, high: int) -> int:
        """The value as an int within low..high. Raises ConfigError."""
        v = self.value
        if isinstance(v, bool) or not isinstance(v, int) or not low <= v <= high:
            raise self.error(f"{v!r} must be a whole number {low}..{high}")
        return v

    def flag(self) -> bool:
        """The value as a bool. Raises ConfigError."""
        if not isinstance(self.value, bool):
            raise self.error(f"{self.value!r} must be true or false")
        return self.value

    def text(self) -> str:
        """The value as a text. Raises ConfigError."""
        if not isinstance(self.value, str):
            raise self.error(f"{self.value!r} must be text")
        return self.value

    def numbers(self, length: int | None = None) -> list[float]:
        """The numbers of a list, optionally of a required length. Raises ConfigError."""
        return [item.number() for item in self.items(length)]


def load_json(path: Path | str) -> Any:
    """Parsed JSON of a file. Raises ConfigError for a missing, unreadable or broken file, or a key given twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """The dict of an object's pairs."""
        table = {}
        for key, value in pairs:
            if key in table:
                raise ConfigError(path, None, key, "is given twice in one object")
            table[key] = value
        return table

    try:
        return parse_json(read_bytes(path, MAX_LENGTH), pairs=once, finite=False)  # bytes: json detects the encoding
    except FileNotFoundError:
        raise ConfigError(path, None, "", "no such file") from None
    except json.JSONDecodeError as error:
        raise ConfigError(path, error.lineno, "", f"not valid JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise wrong_bytes(Path(path), error) from None
    except ValueError as error:
        raise ConfigError(path, None, "", f"not valid JSON: {error}") from None
    except OSError as error:
        raise ConfigError(path, None, "", f"cannot be read: {error}") from None


def read_vehicle(path: Path | str, differential: str = "four_wheel") -> Source:
    """The flat layout of a vehicle as a Source.

    Args:
        path: a flat file, or EngineDrive.json or DirectDrive.json of NVIDIA's samples with Base.json beside it.
        differential: which of an EngineDrive.json's three to use: four_wheel, multi_wheel or tank.
    Raises:
        ConfigError: an invalid file; names file and key.
        ValueError: an unknown differential.
    """
    path = Path(path)
    value = load_json(path)
    if not isinstance(value, dict):
        raise ConfigError(path, None, "", "must be a JSON object")
    if "wheels" in value:
        return Source(value, path)
    if "EngineParams" in value or "ThrottleCommandResponseParams" in value:
        base = path.with_name("Base.json")
        return _merged(Source(load_json(base), base), Source(value, path), differential)
    if "SuspensionParams" in value:
        raise ConfigError(
            path, None, "", "holds only what all vehicles share; open EngineDrive.json or DirectDrive.json beside it"
        )
    raise ConfigError(path, None, "", "is no vehicle: has no wheels, EngineParams or ThrottleCommandResponseParams")


def _merged(base: Source, drive: Source, differential: str) -> Source:
    """Flat layout from the two files of a sample vehicle; its values are Sources in these files."""
    if differential not in DIFFERENTIALS:
        raise ValueError(f"differential: {differential!r} is none of {', '.join(DIFFERENTIALS)}")
    axles = [axle["WheelIds"] for axle in base["AxleDescription"].items()]
    count = sum(len(axle.items()) for axle in axles)
    frame = base["Frame"]
    flat = {
        "name": Path(drive.path).stem,
        "axles": axles,
        "mass": base["RigidBodyParams"]["Mass"],
        "moi": base["RigidBodyParams"]["MOI"],
        "brake": [_response(base[k]) for k in ("BrakeCommandResponseParams", "HandbrakeCommandResponseParams")],
        "steer": _response(base["SteerCommandResponseParams"]),
        "ackermann": [_ackermann(base["AckermannParams"])] if "AckermannParams" in base else [],
        "antiroll": [],
        "jounce_type": base["SuspensionStateCalculationParams"]["JounceCalculationType"],
        "limit_expansion": base["SuspensionStateCalculationParams"]["LimitSuspensionExpansionVelocity"],
        "wheels": [_wheel(base, i, count) for i in range(count)],
        "context": {"frame": [frame[k] for k in ("LngAxis", "LatAxis", "VrtAxis")]},
        "scale": base["Scale"]["Scale"] if "Scale" in base else 1.0,
    }
    if "EngineParams" in drive:
        flat.update(_engine_drive(drive, DIFFERENTIALS[differential]))
    else:
        flat.update(type=DIRECT, throttle=_response(drive["ThrottleCommandResponseParams"]))
    return Source(flat, drive.path)


def _response(node: Source) -> dict[str, Any]:
    """A command response in the flat layout; PhysX calls the command of any response "Throttle" in its table."""
    rows = []
    if "NonLinearResponse" in node:
        for row in node["NonLinearResponse"].items():
            rows.append({"command": row["Throttle"], "points": row["ResponseCurve"]})
    return {
        "max_response": node["MaxResponse"],
        "wheel_multipliers": node["WheelResponseMultipliers"],
        "nonlinear": rows,
    }


def _ackermann(node: Source) -> dict[str, Any]:
    """The Ackermann correction of an axle in the flat layout."""
    return {
        "wheels": node["WheelIds"], "wheelbase": node["WheelBase"], "track": node["TrackWidth"],
        "strength": node["Strength"],
    }  # fmt: skip


def _of_wheel(base: Source, section: str, wheel: int, count: int) -> Source:
    """The only record of a wheel in a section, whose records may be in any order. Raises ConfigError."""
    matches = [r for r in base[section].items(count) if r["WheelId"].value == wheel]
    if len(matches) != 1:
        raise base[section].error(f"has {len(matches)} records with WheelId {wheel}, not one")
    return matches[0]


def _wheel(base: Source, wheel: int, count: int) -> dict[str, Any]:
    """A wheel in the flat layout, from its records in Base.json."""
    suspension = _of_wheel(base, "SuspensionParams", wheel, count)
    compliance = _of_wheel(base, "SuspensionComplianceParams", wheel, count)
    force = _of_wheel(base, "SuspensionForceParams", wheel, count)
    tire = _of_wheel(base, "TireForceParams", wheel, count)
    wheel_params = _of_wheel(base, "WheelParams", wheel, count)

    def points(node: Source) -> list[list[Any]]:
        """[[x, [3 numbers]]] of rows of 4 numbers; `items` raises ConfigError for another length."""
        return [[p[0], [p[1], p[2], p[3]]] for p in node.items() if p.items(4)]

    return {
        "attach_pos": suspension["SuspensionAttachment"]["Pos"],
        "attach_quat": suspension["SuspensionAttachment"]["Quat"],
        "travel_dir": suspension["SuspensionTravelDir"],
        "travel": suspension["SuspensionTravelDist"],
        "wheel_attach_pos": suspension["WheelAttachment"]["Pos"],
        "wheel_attach_quat": suspension["WheelAttachment"]["Quat"],
        "stiffness": force["Stiffness"], "damping": force["Damping"], "sprung_mass": force["SprungMass"],
        "toe": compliance["WheelToeAngle"], "camber": compliance["WheelCamberAngle"],
        "susp_app": points(compliance["SuspForceAppPoint"]), "tire_app": points(compliance["TireForceAppPoint"]),
        "lat_stiff_x": tire["LateralStiffnessX"], "lat_stiff_y": tire["LateralStiffnessY"],
        "lng_stiff": tire["LongitudinalStiffness"], "camber_stiff": tire["CamberStiffness"],
        "rest_load": tire["RestLoad"], "friction_vs_slip": tire["FrictionVsSlip"],
        "load_filter": tire["TireLoadFilter"],
        "radius": wheel_params["Radius"], "half_width": wheel_params["HalfWidth"], "wheel_mass": wheel_params["Mass"],
        "wheel_moi": wheel_params["MOI"], "wheel_damping": wheel_params["DampingRate"],
    }  # fmt: skip


def _engine_drive(drive: Source, kind: int) -> dict[str, Any]:
    """The drivetrain in the flat layout from EngineDrive.json, with the differential of a kind (FOUR_WHEEL ...)."""
    engine, gears, box, clutch = (drive[k] for k in ("EngineParams", "GearboxParams", "AutoboxParams", "ClutchParams"))
    section = drive[f"{_DIFFERENTIAL_NAMES[kind]}DifferentialParams"]
    diff: dict[str, Any] = {
        "torque_ratios": section["TorqueRatios"],
        "ave_speed_ratios": section["AveWheelSpeedRatios"],
    }
    if kind == FOUR_WHEEL:
        for ours, theirs in (("front", "FrontWheelIds"), ("rear", "RearWheelIds"), ("rate", "Rate")):
            diff[ours] = section[theirs]
        for ours, theirs in (("front", "Front"), ("rear", "Rear"), ("center", "Center")):
            diff[f"{ours}_bias"] = section[f"{theirs}Bias"]
            diff[f"{ours}_target"] = section[f"{theirs}Target"]
    if kind == TANK:
        diff["tracks"] = [{"wheels": t, "thrust": i % 2} for i, t in enumerate(section["TankTracks"].items())]
    return {
        "type": kind,
        "use_constraint_groups": True,
        "engine": {
            "torque_curve": engine["TorqueCurve"], "moi": engine["MOI"],
            "peak_torque": engine["PeakTorque"], "idle_omega": engine["IdleOmega"],
            "max_omega": engine["MaxOmega"], "damp_full": engine["DampingRateFullThrottle"],
            "damp_zero_engaged": engine["DampingRateZeroThrottleClutchEngaged"],
            "damp_zero_disengaged": engine["DampingRateZeroThrottleClutchDisengaged"],
        },
        "gearbox": {
            "neutral": gears["NeutralGear"], "ratios": gears["Ratios"], "final": gears["FinalRatio"],
            "switch_time": gears["SwitchTime"],
        },
        "autobox": {
            "enabled": True, "up": box["UpRatios"], "down": box["DownRatios"],
            "latency": box["Latency"],
        },
        "clutch": {
            "strength": drive["ClutchCommandResponseParams"]["MaxResponse"],
            "accuracy_mode": clutch["AccuracyMode"], "estimate_iterations": clutch["EstimateIterations"],
        },
        "diff": diff,
    }  # fmt: skip
