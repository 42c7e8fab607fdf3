"""Our results for the tables of suspension, wheels and body, computed on a bench (wheel_bench.py).

The tables come from the reference, the PhysX 5 vehicle SDK. A function gets a row of its table and yields (channel, our
value, the table's, scale of its error) for every channel; see table_harness.py.

Where our component differs on purpose (docs/compat.md), one with the reference's behaviour is used, and ours is
compared where the difference has no effect.
"""

import numpy as np
from frame_adapter import Frame, frame_of
from reference_compat import REFERENCE_BODY, REFERENCE_SUSPENSION
from table_harness import EPSILON, function
from wheel_bench import Bench, single_record

from driving_sandbox.physics.body.gyroscopic import gyroscopic_spin
from driving_sandbox.physics.body.rigid_body import BODY
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.suspension.antiroll import ANTIROLL, AntirollParams
from driving_sandbox.physics.suspension.compliance import COMPLIANCE, ComplianceParams
from driving_sandbox.physics.suspension.legacy import legacy_load, legacy_push
from driving_sandbox.physics.suspension.sprung_mass import sprung_masses
from driving_sandbox.physics.suspension.suspension import IN_AIR, MAX_DAMPER_SPEED, SUSPENSION
from driving_sandbox.physics.wheel.wheel import WHEEL, hub_axes, wheel_centre

MARKER = 1e30  # magnitudes above it mean "unknown"; non-zero magnitudes below 1 / MARKER mean "none"


def is_marker(value):
    """Whether a number stands for "unknown" or "none"."""
    return abs(value) > MARKER or 0.0 < abs(value) < 1.0 / MARKER


def same_sign(ours, theirs):
    """Our quaternion with the sign of the other one; both signs are the same rotation."""
    return np.asarray(ours) * (1.0 if float(np.dot(ours, theirs)) >= 0.0 else -1.0)


# ---- suspension


@function("suspension_state")
def suspension_state(row):
    """Jounce, its rate, and the distance from the road."""
    bench, frame = Bench(), frame_of(row)
    bench.place_body(frame, row)
    bench.attach(frame, row)
    bench.lay_road(frame, row)
    radius, half_width, mass = row["wheel"][:3]
    bench.set_fields("wheel_params", 0, radius=radius, half_width=half_width, mass=mass)
    bench.set_fields(
        "suspension_params", 0, jounce_query=int(row["calc_type"]), limit_expansion=int(row["limit_expansion"]),
        stiffness=row["stiffness"], damping=row["damping"],
    )  # fmt: skip
    bench.set_fields("steering", 0, angle=row["steer"])
    bench.set_fields("context", gravity=frame.vector(row["gravity"]))
    if row.rng is not None and row["calc_type"] == 1:
        bench["road"][0]["offset"] += rim_error(bench, row)
    known = not is_marker(row["jounce_prev"])
    bench.set_fields(
        "suspension", 0, jounce=row["jounce_prev"] if known else 0.0, jounce_known=int(known),
        jounce_speed=row["jounce_speed_prev"] if known else 0.0,
    )  # fmt: skip
    bench.run(SUSPENSION, row["dt"])
    s = bench["suspension"][0]
    travel = row["susp_travel"]
    yield "jounce", s["jounce"], row["out_jounce"], travel
    yield "jounce_speed", s["jounce_speed"], row["out_jounce_speed"], travel / row["dt"]
    air = is_marker(row["out_separation"])
    yield "in_air", s["separation"] == IN_AIR, air, None
    gap = 0.0 if air else row["out_separation"]
    yield "separation", 0.0 if air else s["separation"], gap, 1.0
    yield "on_ground", s["on_ground"], row["out_on_ground"], None


def rim_error(bench, row):
    """A random error, m, as large as float32 rounding causes in the reference's height of the rim above the road.

    The reference computes the height of the rim's lowest point on the intersection line of wheel plane and road, which
    is inaccurate if they are nearly parallel or far from the origin. Our closed form needs no such line.
    """
    axle, _ = hub_axes(bench["suspension_params"][0], bench["wheel_params"][0], 0.0, row["steer"])
    q = tuple(np.array(bench["body"]["orientation"]).tolist())
    axle = quat.rotate(q, tuple(float(c) for c in axle))
    # of the angle between wheel plane and road; 0 if they are parallel
    sine = np.linalg.norm(np.cross(axle, bench["road"][0]["normal"]))
    constants = abs(row["plane_d"]) + np.linalg.norm(row["pose"][:3])  # of the road's and the wheel's plane
    cancelled = 3.0 * EPSILON * constants  # each is rounded, multiplied and subtracted
    return cancelled / max(sine, EPSILON) * row.rng.uniform(-1.0, 1.0)


@function("suspension_compliance")
def compliance(row):
    """Toe, camber and points of force at a jounce."""
    bench = Bench()
    names = (("toe", "toe"), ("camber", "camber"), ("suspension_force_point", "susp_app"),
             ("tire_force_point", "tire_app"))  # fmt: skip
    for ours, theirs in names:
        n = int(row[f"{theirs}_n"])
        points = list(zip(row[f"{theirs}_x"][:n].tolist(), row[f"{theirs}_y"][:n].tolist(), strict=True))
        bench.set_curves("compliance_params", 0, ComplianceParams, **{ours: points})
    bench.set_fields("suspension_params", 0, travel=row["susp_travel" if "susp_travel" in row else "travel"])
    bench.set_fields("suspension", 0, jounce=row["jounce"])
    bench.run(COMPLIANCE)
    for ours, theirs in names:
        size = np.abs(row[f"{theirs}_y"]).max()
        yield ours, np.array(bench["compliance"][0][ours]), row[f"out_{theirs}"], size


@function("suspension_force")
def suspension_force(row):
    """Forces by the reference's suspension, by ours up to its largest damper speed, and by the legacy one."""
    bench, frame = Bench(), Frame()
    bench.place_body(frame, row)
    bench.attach(frame, row)
    bench.lay_road(frame, row)
    q = tuple(np.array(bench["body"]["orientation"]).tolist())
    direction = quat.rotate(q, tuple(np.array(bench["suspension_params"][0]["direction"]).tolist()))
    bench.set_fields("suspension", 0, jounce=row["jounce"], jounce_speed=row["jounce_speed"],
                     on_ground=int(row["separation"] <= 0.0), direction=direction)  # fmt: skip
    bench.set_fields("suspension_params", 0, stiffness=row["stiffness"], damping=row["damping"],
                     supported_mass=row["sprung_mass"])  # fmt: skip
    bench.set_fields("compliance", 0, suspension_force_point=frame.vector(row["susp_app"]))
    bench.set_fields("body_params", mass=row["mass"])
    gravity = frame.vector(row["gravity"])
    bench.set_fields("context", gravity=gravity)
    bench.set_fields("external", force=frame.vector(row["ext_force"]), torque=frame.vector(row["ext_torque"]))
    weight = row["sprung_mass"] * (np.linalg.norm(row["gravity"]) + np.linalg.norm(row["ext_force"]) / row["mass"])
    spring = row["stiffness"] * abs(row["jounce"]) + row["damping"] * abs(row["jounce_speed"])
    bench.run(REFERENCE_SUSPENSION.phase("force"))
    s = bench["suspension"][0]
    force, arm = np.array(s["force_vector"]), np.array(s["force_arm"])
    yield "normal_force", s["force"], row["out_normal_force"], spring + weight
    yield "force", force, frame.vector(row["out_force"]), spring + weight
    yield "torque", np.cross(arm, force), frame.vector(row["out_torque"]), (spring + weight) * np.linalg.norm(arm)
    bench.run(SUSPENSION.phase("line_force"))
    bench.run(SUSPENSION.phase("force"))  # ours pushes only, with limited damper speed
    if abs(row["jounce_speed"]) <= MAX_DAMPER_SPEED:
        yield "normal_force_ours", s["force"], max(0.0, row["out_normal_force"]), spring + weight
    normal = tuple(np.array(bench["road"][0]["normal"]).tolist())
    legacy = 0.0
    if row["separation"] <= 0.0:
        values = {"supported_mass": row["sprung_mass"], "stiffness": row["stiffness"], "damping": row["damping"],
                  "travel": row["susp_travel"], "used_rest_distance": row["rest_distance"]}  # fmt: skip
        p = record_of_scalars(values)
        push = legacy_push(p, row["jounce"], row["jounce_speed"], max(0.0, float(np.dot(gravity, direction))))
        legacy = legacy_load(p, push, normal, direction, tuple(gravity.tolist()))
    size = row["stiffness"] * (abs(row["jounce"]) + row["rest_distance"] + row["susp_travel"]) + spring + weight
    yield "legacy_normal_force", legacy, row["out_legacy_normal_force"], size
    force = np.array(normal) * legacy
    yield "legacy_force", force, frame.vector(row["out_legacy_force"]), size
    torque = frame.vector(row["out_legacy_torque"])
    yield "legacy_torque", np.cross(arm, force), torque, size * np.linalg.norm(arm)


def record_of_scalars(values):
    """A record of scalars with these names."""
    array = np.zeros(1, np.dtype([(name, np.float64) for name in values], align=True))
    for name, value in values.items():
        array[name] = value
    return single_record(array)


@function("antiroll")
def antiroll(row):
    """Torque of the anti-roll bars on the body."""
    bench, frame = Bench(4), Frame()
    bench.place_body(frame, row)
    for i in range(4):
        bench.attach(frame, row, i, prefix=f"w{i}_")
        bench.set_fields("suspension", i, jounce=row[f"w{i}_jounce"])
        bench.set_fields("compliance", i, suspension_force_point=frame.vector(row[f"w{i}_susp_app"]))
    bars = row["bars"][: int(row["nb_bars"])]
    bench.set_curves("antiroll_params", None, AntirollParams, wheel_a=bars[:, 0].tolist(), wheel_b=bars[:, 1].tolist(),
                     stiffness=bars[:, 2].tolist(), loads_tires=False)  # fmt: skip
    bench.run(ANTIROLL)
    # scale 0.0: the table's own value
    yield "torque", np.array(bench["antiroll"]["torque"]), frame.vector(row["out_torque"]), 0.0


@function("sprung_masses")
def sprung(row):
    """Sprung masses by wheel positions; not every arrangement has them."""
    n, up = int(row["nb_wheels"]), int(row["gravity_axis"]) // 2
    positions = row["positions"][:n][:, [(up + 1) % 3, (up + 2) % 3]]
    try:
        masses = sprung_masses(row["total_mass"], positions)
    except ValueError:
        masses = None
    yield "ok", masses is not None, row["out_ok"], None
    theirs = row["out_masses"][:n]
    # nothing to compare where either side has no solution; "ok" has checked that
    yield "masses", theirs if masses is None or not row["out_ok"] else masses, theirs, row["total_mass"]


# ---- body and wheels


def body_bench(row, frame):
    """A bench with the forces of a row. Our forces act at points, so the row's torques are set as external torque."""
    bench = Bench(int(sum(row["wheels_per_axle"])))
    bench.place_body(frame, row)
    bench.set_fields("body_params", mass=row["mass"], inertia=np.abs(frame.vector(row["moi"])))
    torque = frame.vector(row["ext_torque"])
    for index, wheel in enumerate(row["wheel_ids"][: bench["wheel_count"]].astype(int)):
        suspension, suspension_torque, forward, left, forward_torque, left_torque = (
            frame.vector(v) for v in row["w_forces"][wheel]
        )
        forward_size, left_size = np.linalg.norm(forward), np.linalg.norm(left)
        bench.set_fields("suspension", index, force_vector=suspension)
        bench.set_fields("tire", index, longitudinal_force=forward_size, lateral_force=-left_size,
                         longitudinal=forward / forward_size if forward_size else forward,
                         lateral=-left / left_size if left_size else left)  # fmt: skip
        torque = torque + suspension_torque + forward_torque + left_torque
    bench.set_fields("external", force=frame.vector(row["ext_force"]), torque=torque)
    bench.set_fields("antiroll", torque=frame.vector(row["antiroll_torque"]) * row["has_antiroll"])
    bench.set_fields("context", gravity=frame.vector(row["gravity"]))
    return bench


@function("rigid_body")
def rigid_body(row):
    """A step under all forces, by the reference's body and by ours, which has the gyroscopic term."""
    frame = Frame()
    bench = body_bench(row, frame)
    bench.run(REFERENCE_BODY.phase("velocity"), row["dt"])
    bench.run(REFERENCE_BODY.phase("pose"), row["dt"])
    body, wheels = bench["body"], bench["wheel_count"]
    velocity_scale = np.abs(row["w_forces"]).sum() / row["mass"] * row["dt"] + np.linalg.norm(row["lin_vel"])
    rotation = np.abs(row["w_forces"]).sum() / row["moi"].min() * row["dt"] + np.linalg.norm(row["ang_vel"])
    velocity, spin = frame.vector(row["out_lin_vel"]), frame.vector(row["out_ang_vel"])
    position, theirs = frame.pose(row["out_pose"])
    yield "velocity", np.array(body["velocity"]), velocity, velocity_scale
    yield "angular_velocity", np.array(body["angular_velocity"]), spin, rotation
    yield "position", np.array(body["position"]), position, 1.0
    yield "orientation", same_sign(np.array(body["orientation"]), theirs), theirs, 1.0
    cleared = np.concatenate([row["out_ext_force"], row["out_ext_torque"]])
    yield "external", np.concatenate([bench["external"]["force"], bench["external"]["torque"]]), cleared, None
    ours = body_bench(row, frame)  # with the gyroscopic term
    ours.run(BODY.phase("velocity"), row["dt"])
    q, moments = tuple(map(float, ours["body"]["orientation"])), tuple(map(float, ours["body_params"]["inertia"]))
    body_spin = gyroscopic_spin(quat.rotate_inverse(q, tuple(map(float, spin))), moments, float(row["dt"]))
    assert ours["wheel_count"] == wheels
    yield "velocity_ours", np.array(ours["body"]["velocity"]), velocity, velocity_scale
    expected = np.array(quat.rotate(q, body_spin))
    yield "angular_velocity_ours", np.array(ours["body"]["angular_velocity"]), expected, rotation


@function("wheel_rotation_angle")
def rotation_angle(row):
    """The drawn rotation of a wheel."""
    bench = Bench()
    braked, driven = int(row["is_brake_applied"]), int(row["is_drive_applied"])
    bench.set_fields("wheel_params", 0, radius=row["radius"])
    bench.set_fields("actuation", 0, brake_applied=braked, drive_applied=driven)
    bench.set_fields("suspension", 0, jounce=row["jounce"])
    bench.set_fields("tire", 0, longitudinal_speed=row["lng_speed"])
    bench.set_fields("context", wheel_angle_speed=row["threshold"])
    bench.set_fields("wheel", 0, omega=row["omega"], rotation_angle=row["angle"])
    bench.run(WHEEL, row["dt"])
    w, rim = bench["wheel"][0], abs(row["omega"]) + abs(row["lng_speed"]) / row["radius"]
    yield "omega", w["omega"], row["out_omega"], 0.0  # scale: the table's own value; only the drawn angle changes
    yield "corrected_omega", w["corrected_omega"], row["out_corrected_omega"], rim
    difference = w["rotation_angle"] - row["out_angle"]
    difference -= round(difference / (2 * np.pi)) * 2 * np.pi  # a whole turn may be subtracted a step later
    size = 2 * np.pi + abs(row["angle"]) + rim * row["dt"]
    yield "rotation_angle", row["out_angle"] + difference, row["out_angle"], size


@function("wheel_pose")
def wheel_pose(row):
    """Pose of a wheel relative to the body and in the world; start, direction and length of road queries."""
    bench, frame = Bench(), frame_of(row)
    bench.attach(frame, row)
    bench.set_fields("wheel_params", 0, radius=row["radius"])
    jounce = row["susp_travel"] if is_marker(row["jounce"]) else row["jounce"]
    bench.set_fields("suspension", 0, jounce=jounce)
    bench.set_fields("compliance", 0, toe=row["toe"], camber=row["camber"])
    bench.set_fields("steering", 0, angle=row["steer"])
    for name in ("local", "world"):
        if name == "world":
            bench.place_body(frame, row)
        bench.set_fields("wheel", 0, omega=0.0, rotation_angle=row["rotation"])
        bench.run(WHEEL, 0.0)
        position, theirs = frame.pose(row[f"out_{name}_pose"])
        w = bench["wheel"][0]
        yield f"{name}_position", np.array(w["position"]), position, 1.0
        yield f"{name}_orientation", same_sign(np.array(w["orientation"]), theirs), theirs, 1.0
    yield from queries(row, bench, frame)


def queries(row, bench, frame):
    """Starts, directions and lengths of rays and sweeps of the road query, as in physics/road/query.py."""
    p, w, body = bench["suspension_params"][0], bench["wheel_params"][0], bench["body"]
    q, radius, travel = tuple(np.array(body["orientation"]).tolist()), row["radius"], row["susp_travel"]
    top = quat.rotate(q, tuple(float(c) for c in wheel_centre(p, w, 0.0, 0.0, row["steer"])))
    top = np.array(body["position"]) + top
    direction = np.array(quat.rotate(q, tuple(np.array(p["direction"]).tolist())))
    yield "ray_start", top - direction * radius, frame.vector(row["out_ray_start"]), 1.0
    yield "ray_direction", direction, frame.vector(row["out_ray_dir"]), 1.0
    yield "ray_length", travel + 2.0 * radius, row["out_ray_dist"], 1.0
    bench.set_fields("suspension", 0, jounce=travel)
    bench.set_fields("compliance", 0, toe=0.0, camber=0.0)
    bench.set_fields("wheel", 0, omega=0.0, rotation_angle=0.0)
    bench.run(WHEEL, 0.0)
    position, theirs = frame.pose(row["out_sweep_start"])
    yield "sweep_start", np.array(bench["wheel"][0]["position"]), position, 1.0
    yield "sweep_orientation", same_sign(np.array(bench["wheel"][0]["orientation"]), theirs), theirs, 1.0
    yield "sweep_length", travel, row["out_sweep_dist"], 1.0
