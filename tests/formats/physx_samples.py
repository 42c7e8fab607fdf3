"""A PhysX vehicle in the layout of one flat file, the same in other units and axes, and in NVIDIA's two files."""

import copy


def _wheel(x, z, stiffness):
    """A wheel at (x, z), m, with a spring stiffness, N/m."""
    return {
        "attach_pos": [x, -0.1, z], "attach_quat": [0.0, 0.0, 0.0, 1.0], "travel_dir": [0.0, -1.0, 0.0], "travel": 0.25,
        "wheel_attach_pos": [0.0, 0.0, 0.0], "wheel_attach_quat": [0.0, 0.0, 0.0, 1.0],
        "stiffness": stiffness, "damping": 4000.0, "sprung_mass": 350.0,
        "toe": [[0.0, 0.01 * x]], "camber": [[0.0, 0.0], [1.0, 0.02 * x]],
        "susp_app": [[0.0, [0.02, -0.1, 0.05]]], "tire_app": [[0.0, [0.0, -0.2, 0.0]]],
        "lat_stiff_x": 2.0, "lat_stiff_y": 90000.0, "lng_stiff": 80000.0, "camber_stiff": 1000.0, "rest_load": 3400.0,
        "friction_vs_slip": [[0.0, 1.0], [0.1, 1.0], [1.0, 0.9]], "load_filter": [[0.0, 0.2], [3.0, 3.0]],
        "radius": 0.33, "half_width": 0.1, "wheel_mass": 20.0, "wheel_moi": 1.1, "wheel_damping": 0.25,
    }  # fmt: skip


FLAT = {
    "name": "sample", "type": 1, "use_constraint_groups": True, "axles": [[0, 1], [2, 3]],
    "mass": 1400.0, "moi": [1200.0, 1300.0, 400.0],
    "brake": [
        {"max_response": 1800.0, "wheel_multipliers": [1.0, 1.0, 0.7, 0.7], "nonlinear": []},
        {"max_response": 1500.0, "wheel_multipliers": [0.0, 0.0, 1.0, 1.0], "nonlinear": []},
    ],
    "steer": {
        "max_response": 0.5, "wheel_multipliers": [1.0, 1.0, 0.0, 0.0],
        "nonlinear": [{"command": 0.0, "points": [[0.0, 0.0]]},
                      {"command": 1.0, "points": [[0.0, 1.0], [40.0, 0.4]]}],
    },
    "throttle": {"max_response": 500.0, "wheel_multipliers": [1.0, 1.0, 1.0, 1.0], "nonlinear": []},
    "ackermann": [{"wheels": [0, 1], "wheelbase": 2.5, "track": 1.5, "strength": 0.8}],
    "antiroll": [{"wheel0": 0, "wheel1": 1, "stiffness": 8000.0}],
    "jounce_type": 0, "limit_expansion": False,
    "wheels": [_wheel(-0.75, 1.2, 30000.0), _wheel(0.75, 1.2, 31000.0), _wheel(-0.75, -1.2, 28000.0),
               _wheel(0.75, -1.2, 29000.0)],
    "engine": {
        "torque_curve": [[0.0, 0.7], [0.5, 1.0], [1.0, 0.8]], "moi": 0.3, "peak_torque": 300.0, "idle_omega": 80.0,
        "max_omega": 650.0, "damp_full": 0.1, "damp_zero_engaged": 1.0, "damp_zero_disengaged": 0.2,
    },
    "gearbox": {"neutral": 1, "ratios": [-3.5, 0.0, 3.6, 2.1, 1.4], "final": 3.9, "switch_time": 0.3},
    "autobox": {"enabled": True, "up": [0.8] * 5, "down": [0.4] * 5, "latency": 0.8},
    "clutch": {"strength": 15.0, "accuracy_mode": 1, "estimate_iterations": 5},
    "diff": {
        "torque_ratios": [0.25] * 4, "ave_speed_ratios": [0.25] * 4, "front": [0, 1], "rear": [2, 3], "rate": 10.0,
        **{f"{c}_{k}": 0.0 for c in ("front", "rear", "center") for k in ("bias", "target")}, "tracks": [],
    },
    # frame: forward, lateral and up axis of PhysX, 0 to 5 for +x, -x, +y, -y, +z, -z
    "context": {"frame": [4, 0, 2], "gravity": [0.0, -9.81, 0.0], "min_lat_denom": 1.0, "min_passive_lng_denom": 4.0,
                "min_active_lng_denom": 0.1, "wheel_angle_threshold": 5.0},
}  # fmt: skip

# keys whose values scale with the unit of length (forces and stiffnesses too), and with its square (torques, inertias)
LENGTHS = {"attach_pos", "travel", "wheel_attach_pos", "radius", "half_width", "wheelbase", "track", "lat_stiff_y",
           "lng_stiff", "camber_stiff", "rest_load", "gravity", "min_lat_denom", "min_passive_lng_denom",
           "min_active_lng_denom", "wheel_angle_threshold"}  # fmt: skip
SQUARES = {"moi", "wheel_moi", "wheel_damping", "peak_torque", "damp_full", "damp_zero_engaged",
           "damp_zero_disengaged"}  # fmt: skip


def flat():
    """A copy of FLAT that a test may change."""
    return copy.deepcopy(FLAT)


def _times(value, factor):
    """A number, or every number of nested lists, times a factor."""
    return [_times(v, factor) for v in value] if isinstance(value, list) else value * factor


def scaled(doc, k):
    """The same vehicle with k units of length per metre."""

    def walk(node):
        if isinstance(node, list):
            return [walk(v) for v in node]
        if not isinstance(node, dict):
            return node
        result = {}
        for key, value in node.items():
            power = 1 if key in LENGTHS else 2 if key in SQUARES else 0
            result[key] = _times(value, k**power) if power else walk(value)
            if key in ("susp_app", "tire_app"):
                result[key] = [[x, _times(v, k)] for x, v in value]
            if key == "nonlinear":
                result[key] = [{**row, "points": [[s * k, r] for s, r in row["points"]]} for row in value]
        return result

    result = walk(doc)
    for response in (*result["brake"], result["throttle"]):
        response["max_response"] *= k**2
    result["clutch"]["strength"] *= k**2
    return {**result, "scale": k}


def turned_frame(doc):
    """The same vehicle with forward +x, lateral +y and up +z."""

    def turn(v):  # (x, y, z) with lateral x, up y, forward z
        return [v[2], v[0], v[1]]

    doc["moi"] = turn(doc["moi"])
    doc["context"].update(frame=[0, 2, 4], gravity=turn(doc["context"]["gravity"]))
    for wheel in doc["wheels"]:
        for key in ("attach_pos", "travel_dir", "wheel_attach_pos"):
            wheel[key] = turn(wheel[key])
        for key in ("susp_app", "tire_app"):
            wheel[key] = [[x, turn(v)] for x, v in wheel[key]]
    return doc


def _response(node):
    """A command response in NVIDIA's layout, whose tables have the command of any response under "Throttle"."""
    result = {"MaxResponse": node["max_response"], "WheelResponseMultipliers": node["wheel_multipliers"]}
    if node["nonlinear"]:
        rows = [{"Throttle": row["command"], "ResponseCurve": row["points"]} for row in node["nonlinear"]]
        result["NonLinearResponse"] = rows
    return result


def sample_pair(doc):
    """(Base.json, EngineDrive.json) of a vehicle; records of wheels in reverse order."""
    engine, gears, box = doc["engine"], doc["gearbox"], doc["autobox"]

    def records(**keys):
        rows = [{"WheelId": i, **{k: w[v] for k, v in keys.items()}} for i, w in enumerate(doc["wheels"])]
        return rows[::-1]

    def pose(wheel, name):
        return {"Pos": wheel[f"{name}_pos"], "Quat": wheel[f"{name}_quat"]}

    def points(graph):
        return [[x, *v] for x, v in graph]

    axle = doc["ackermann"][0]
    base = {
        "AxleDescription": [{"WheelIds": ids} for ids in doc["axles"]],
        "Frame": {"LngAxis": 4, "LatAxis": 0, "VrtAxis": 2},
        "Scale": {"Scale": 1.0},
        "RigidBodyParams": {"Mass": doc["mass"], "MOI": doc["moi"]},
        "BrakeCommandResponseParams": _response(doc["brake"][0]),
        "HandbrakeCommandResponseParams": _response(doc["brake"][1]),
        "SteerCommandResponseParams": _response(doc["steer"]),
        "AckermannParams": {"WheelIds": axle["wheels"], "WheelBase": axle["wheelbase"], "TrackWidth": axle["track"],
                            "Strength": axle["strength"]},
        "SuspensionParams": [
            {"WheelId": i, "SuspensionAttachment": pose(w, "attach"), "SuspensionTravelDir": w["travel_dir"],
             "SuspensionTravelDist": w["travel"], "WheelAttachment": pose(w, "wheel_attach")}
            for i, w in enumerate(doc["wheels"])
        ],
        "SuspensionStateCalculationParams": {"JounceCalculationType": doc["jounce_type"],
                                             "LimitSuspensionExpansionVelocity": doc["limit_expansion"]},
        "SuspensionComplianceParams": [
            {"WheelId": i, "WheelToeAngle": w["toe"], "WheelCamberAngle": w["camber"],
             "SuspForceAppPoint": points(w["susp_app"]), "TireForceAppPoint": points(w["tire_app"])}
            for i, w in enumerate(doc["wheels"])
        ],
        "SuspensionForceParams": records(Damping="damping", Stiffness="stiffness", SprungMass="sprung_mass"),
        "TireForceParams": records(
            LongitudinalStiffness="lng_stiff", LateralStiffnessX="lat_stiff_x", LateralStiffnessY="lat_stiff_y",
            CamberStiffness="camber_stiff", RestLoad="rest_load", FrictionVsSlip="friction_vs_slip",
            TireLoadFilter="load_filter",
        ),
        "WheelParams": records(HalfWidth="half_width", Radius="radius", Mass="wheel_mass", MOI="wheel_moi",
                               DampingRate="wheel_damping"),
    }  # fmt: skip
    shares = {"TorqueRatios": doc["diff"]["torque_ratios"], "AveWheelSpeedRatios": doc["diff"]["ave_speed_ratios"]}
    drive = {
        "AutoboxParams": {"UpRatios": box["up"], "DownRatios": box["down"], "Latency": box["latency"]},
        "ClutchCommandResponseParams": {"MaxResponse": doc["clutch"]["strength"]},
        "EngineParams": {
            "TorqueCurve": engine["torque_curve"], "MOI": engine["moi"], "PeakTorque": engine["peak_torque"],
            "IdleOmega": engine["idle_omega"], "MaxOmega": engine["max_omega"],
            "DampingRateFullThrottle": engine["damp_full"],
            "DampingRateZeroThrottleClutchEngaged": engine["damp_zero_engaged"],
            "DampingRateZeroThrottleClutchDisengaged": engine["damp_zero_disengaged"],
        },
        "GearboxParams": {"NeutralGear": gears["neutral"], "Ratios": gears["ratios"], "FinalRatio": gears["final"],
                          "SwitchTime": gears["switch_time"]},
        "MultiWheelDifferentialParams": shares,
        "FourWheelDifferentialParams": {
            **shares, "FrontWheelIds": [0, 1], "RearWheelIds": [2, 3], "Rate": 10.0,
            **{f"{c}{k}": v for c in ("Front", "Rear", "Center") for k, v in (("Bias", 1.3), ("Target", 1.29))},
        },
        "TankDifferentialParams": {**shares, "TankTracks": [[0, 2], [1, 3]]},
        "ClutchParams": {"AccuracyMode": 1, "EstimateIterations": 5},
    }  # fmt: skip
    return base, drive
