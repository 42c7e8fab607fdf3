"""Reading PhysX vehicle files into one layout, strictly.

Two kinds of files exist. A *flat* file is one JSON object with everything about a vehicle in short names ("wheels",
"brake", "diff" ...). NVIDIA's own samples spread a vehicle over Base.json and EngineDrive.json or DirectDrive.json,
with per-wheel records in any order that carry a "WheelId", three differentials of which one is picked, and single brake
sections. Both end as the flat layout; `Source` looks values up and knows what to call them in an error.
"""

import json
import math
from pathlib import Path

from physics.yaml_file import ConfigError, nearest_key

DIRECT, FOUR_WHEEL, MULTI_WHEEL, TANK = range(4)  # "type" of a flat file
DIFFERENTIALS = {"four_wheel": FOUR_WHEEL, "multi_wheel": MULTI_WHEEL, "tank": TANK}


class Source:
    """A JSON value with the file and the key it stands under. `node["a"]`, `node[0]`, and checked values."""

    def __init__(self, value, path, key=""):
        self.value, self.path, self.key = value, path, key

    def error(self, message):
        return ConfigError(self.path, None, self.key, message)

    def child(self, name):
        if isinstance(name, int):
            return f"{self.key}[{name}]"
        return f"{self.key}.{name}" if self.key else str(name)

    def __contains__(self, name):
        return isinstance(self.value, dict) and name in self.value

    def __getitem__(self, name):
        if isinstance(name, str):
            if not isinstance(self.value, dict):
                raise self.error("must be an object")
            if name not in self.value:
                hint = nearest_key(name, self.value)
                raise ConfigError(self.path, None, self.child(name), f"is missing{hint}")
        return Source(self.value[name], self.path, self.child(name))

    def items(self, length=None):
        """Elements of a list, of a given length if one is asked for."""
        if not isinstance(self.value, list):
            raise self.error("must be a list")
        if length is not None and len(self.value) != length:
            raise self.error(f"has {len(self.value)} entries, not {length}")
        return [self[i] for i in range(len(self.value))]

    def number(self):
        v = self.value
        if isinstance(v, bool) or not isinstance(v, int | float) or not math.isfinite(v):
            raise self.error(f"{v!r} must be a finite number")
        return float(v)

    def integer(self, low, high):
        v = self.value
        if isinstance(v, bool) or not isinstance(v, int) or not low <= v <= high:
            raise self.error(f"{v!r} must be a whole number {low}..{high}")
        return v

    def flag(self):
        if not isinstance(self.value, bool):
            raise self.error(f"{self.value!r} must be true or false")
        return self.value

    def text(self):
        if not isinstance(self.value, str):
            raise self.error(f"{self.value!r} must be a text")
        return self.value

    def numbers(self, length=None):
        return [item.number() for item in self.items(length)]


def load_json(path):
    """Parsed JSON of a file. Raises ConfigError for a missing, unreadable or broken file, or a key given twice."""

    def once(pairs):
        table = {}
        for key, value in pairs:
            if key in table:
                raise ConfigError(path, None, key, "is given twice in one object")
            table[key] = value
        return table

    try:
        return json.loads(Path(path).read_text(encoding="utf8"), object_pairs_hook=once)
    except FileNotFoundError:
        raise ConfigError(path, None, "", "no such file") from None
    except json.JSONDecodeError as error:
        raise ConfigError(path, error.lineno, "", f"not valid JSON: {error.msg}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(path, None, "", f"cannot be read: {error}") from None


def read_vehicle(path, differential="four_wheel"):
    """The flat layout of a vehicle as a Source.

    Args:
        path: a flat file, or EngineDrive.json or DirectDrive.json of NVIDIA's samples with Base.json beside it.
        differential: which of an EngineDrive.json's three to use: four_wheel, multi_wheel or tank.
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


def _merged(base, drive, differential):
    """Flat layout from the two files of a sample vehicle. Keys in later errors are those of the flat layout."""
    if differential not in DIFFERENTIALS:
        raise ValueError(f"differential: {differential!r} is none of {', '.join(DIFFERENTIALS)}")
    axles = [axle["WheelIds"].value for axle in base["AxleDescription"].items()]
    count = sum(len(axle) for axle in axles)
    frame = base["Frame"]
    flat = {
        "name": drive.path.stem,
        "axles": axles,
        "mass": base["RigidBodyParams"]["Mass"].value,
        "moi": base["RigidBodyParams"]["MOI"].value,
        "brake": [_response(base[k]) for k in ("BrakeCommandResponseParams", "HandbrakeCommandResponseParams")],
        "steer": _response(base["SteerCommandResponseParams"]),
        "ackermann": [_ackermann(base["AckermannParams"])] if "AckermannParams" in base else [],
        "antiroll": [],
        "jounce_type": base["SuspensionStateCalculationParams"]["JounceCalculationType"].value,
        "limit_expansion": base["SuspensionStateCalculationParams"]["LimitSuspensionExpansionVelocity"].value,
        "wheels": [_wheel(base, i, count) for i in range(count)],
        "context": {"frame": [frame[k].value for k in ("LngAxis", "LatAxis", "VrtAxis")]},
        "scale": base["Scale"]["Scale"].value if "Scale" in base else 1.0,
    }
    if "EngineParams" in drive:
        flat.update(_engine_drive(drive, DIFFERENTIALS[differential]))
    else:
        flat.update(type=DIRECT, throttle=_response(drive["ThrottleCommandResponseParams"], "Throttle"))
    return Source(flat, drive.path)


def _response(node, command=""):
    rows = []
    if "NonLinearResponse" in node:
        for row in node["NonLinearResponse"].items():
            rows.append({"command": row[command].value, "points": row["ResponseCurve"].value})
    return {
        "max_response": node["MaxResponse"].value,
        "wheel_multipliers": node["WheelResponseMultipliers"].value,
        "nonlinear": rows,
    }


def _ackermann(node):
    return {
        "wheels": node["WheelIds"].value, "wheelbase": node["WheelBase"].value, "track": node["TrackWidth"].value,
        "strength": node["Strength"].value,
    }  # fmt: skip


def _of_wheel(base, section, wheel, count):
    """The record of a wheel in a list of records in any order."""
    found = [r for r in base[section].items(count) if r["WheelId"].value == wheel]
    if len(found) != 1:
        raise base[section].error(f"has {len(found)} records with WheelId {wheel}, not one")
    return found[0]


def _wheel(base, wheel, count):
    susp = _of_wheel(base, "SuspensionParams", wheel, count)
    bend = _of_wheel(base, "SuspensionComplianceParams", wheel, count)
    force = _of_wheel(base, "SuspensionForceParams", wheel, count)
    tire = _of_wheel(base, "TireForceParams", wheel, count)
    rim = _of_wheel(base, "WheelParams", wheel, count)

    def points(node):
        return [[p.numbers(4)[0], p.numbers(4)[1:]] for p in node.items()]

    return {
        "attach_pos": susp["SuspensionAttachment"]["Pos"].value,
        "attach_quat": susp["SuspensionAttachment"]["Quat"].value,
        "travel_dir": susp["SuspensionTravelDir"].value,
        "travel": susp["SuspensionTravelDist"].value,
        "wheel_attach_pos": susp["WheelAttachment"]["Pos"].value,
        "wheel_attach_quat": susp["WheelAttachment"]["Quat"].value,
        "stiffness": force["Stiffness"].value, "damping": force["Damping"].value,
        "sprung_mass": force["SprungMass"].value,
        "toe": bend["WheelToeAngle"].value, "camber": bend["WheelCamberAngle"].value,
        "susp_app": points(bend["SuspForceAppPoint"]), "tire_app": points(bend["TireForceAppPoint"]),
        "lat_stiff_x": tire["LateralStiffnessX"].value, "lat_stiff_y": tire["LateralStiffnessY"].value,
        "lng_stiff": tire["LongitudinalStiffness"].value, "camber_stiff": tire["CamberStiffness"].value,
        "rest_load": tire["RestLoad"].value, "friction_vs_slip": tire["FrictionVsSlip"].value,
        "load_filter": tire["TireLoadFilter"].value,
        "radius": rim["Radius"].value, "half_width": rim["HalfWidth"].value, "wheel_mass": rim["Mass"].value,
        "wheel_moi": rim["MOI"].value, "wheel_damping": rim["DampingRate"].value,
    }  # fmt: skip


def _engine_drive(drive, kind):
    engine, gears, box, clutch = (
        drive[k] for k in ("EngineParams", "GearboxParams", "AutoboxParams", "ClutchParams")
    )
    names = {FOUR_WHEEL: "FourWheel", MULTI_WHEEL: "MultiWheel", TANK: "Tank"}
    section = drive[f"{names[kind]}DifferentialParams"]
    diff = {"torque_ratios": section["TorqueRatios"].value, "ave_speed_ratios": section["AveWheelSpeedRatios"].value}
    if kind == FOUR_WHEEL:
        for ours, theirs in (("front", "FrontWheelIds"), ("rear", "RearWheelIds"), ("rate", "Rate")):
            diff[ours] = section[theirs].value
        for ours, theirs in (("front", "Front"), ("rear", "Rear"), ("center", "Center")):
            diff[f"{ours}_bias"] = section[f"{theirs}Bias"].value
            diff[f"{ours}_target"] = section[f"{theirs}Target"].value
    if kind == TANK:
        diff["tracks"] = [{"wheels": t.value, "thrust": i % 2} for i, t in enumerate(section["TankTracks"].items())]
    return {
        "type": kind,
        "use_constraint_groups": True,
        "engine": {
            "torque_curve": engine["TorqueCurve"].value, "moi": engine["MOI"].value,
            "peak_torque": engine["PeakTorque"].value, "idle_omega": engine["IdleOmega"].value,
            "max_omega": engine["MaxOmega"].value, "damp_full": engine["DampingRateFullThrottle"].value,
            "damp_zero_engaged": engine["DampingRateZeroThrottleClutchEngaged"].value,
            "damp_zero_disengaged": engine["DampingRateZeroThrottleClutchDisengaged"].value,
        },
        "gearbox": {
            "neutral": gears["NeutralGear"].value, "ratios": gears["Ratios"].value, "final": gears["FinalRatio"].value,
            "switch_time": gears["SwitchTime"].value,
        },
        "autobox": {
            "enabled": True, "up": box["UpRatios"].value, "down": box["DownRatios"].value,
            "latency": box["Latency"].value,
        },
        "clutch": {
            "strength": drive["ClutchCommandResponseParams"]["MaxResponse"].value,
            "accuracy_mode": clutch["AccuracyMode"].value, "estimate_iterations": clutch["EstimateIterations"].value,
        },
        "diff": diff,
    }  # fmt: skip
