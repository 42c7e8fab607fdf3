"""Our results for PhysX's tables of linear solvers, sticky tires, constraints and changes of axes.

A function gets a row of its table and yields (channel, our value, the table's, scale of its error) for every channel,
see table_harness.py.

The reference, the PhysX 5 vehicle SDK, solves its drivetrain by a dense factorisation; ours takes a time proportional
to the number of wheels (physics/drivetrain/coupling.py). Its sticky tires are soft dampers; ours have the same timers,
but are springs to an anchor on the road, limited by friction (physics/contact/sticky.py, docs/compat.md). The
factorisation and the soft dampers exist in these tests only, written from their description, in float32 where the order
of rounding matters.
"""

import numpy as np
from frame_adapter import Frame
from reference_compat import sticky_timers
from table_harness import function
from wheel_bench import Bench

from driving_sandbox.formats.physx_frame import PhysxFrame
from driving_sandbox.physics.contact.component import NO_LIMIT, ROAD_NORMAL, SUSPENSION_LINE, fill_limit
from driving_sandbox.physics.contact.records import WHEEL_ROW
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.tire.combined_slip import COMBINED_SLIP

SINGLE = np.float32
TINY = SINGLE(1e-10)  # keeps the relative residual finite
FINISHED = SINGLE(1e-10)  # relative squared residual at which sweeps end


def factorise(a):
    """LU with complete pivoting in place: (row and column swaps, determinant)."""
    n, det, swaps = len(a), SINGLE(1.0), []
    for k in range(n - 1):
        block = np.abs(a[k:, k:]).T  # the pivot is searched column by column; the first of equal maxima is taken
        column, row = np.unravel_index(int(np.argmax(block)), block.shape)
        row, column = row + k, column + k
        for pivot, swap in ((row, _swap_rows), (column, _swap_columns)):
            if pivot != k:
                swap(a, k, pivot)
                det = -det
        swaps.append((row, column))
        det = det * a[k, k]
        if a[k, k] != 0.0:
            for r in range(k + 1, n):
                a[r, k] = a[r, k] / a[k, k]
                a[r, k + 1 :] = a[r, k + 1 :] - a[r, k] * a[k, k + 1 :]
    return swaps, det * a[n - 1, n - 1]


def _swap_rows(a, i, j):
    a[[i, j]] = a[[j, i]]


def _swap_columns(a, i, j):
    a[:, [i, j]] = a[:, [j, i]]


def dense_solution(a, b):
    """(solved, determinant, x) of a x = b in float32; a zero determinant gives zeros."""
    a, x = a.astype(SINGLE), b.astype(SINGLE)
    swaps, det = factorise(a)
    if det == 0.0:
        return False, det, np.zeros_like(x)
    n = len(x)
    for k, (row, _) in enumerate(swaps):
        x[k], x[row] = x[row], x[k]
    for r in range(n):
        for i in range(r):
            x[r] = x[r] - a[r, i] * x[i]
    for r in range(n - 1, -1, -1):
        for i in range(r + 1, n):
            x[r] = x[r] - a[r, i] * x[i]
        x[r] = x[r] / a[r, r]
    for k in range(len(swaps) - 1, -1, -1):
        column = swaps[k][1]
        x[k], x[column] = x[column], x[k]
    return True, det, x


def gauss_seidel_solution(a, b, start, sweeps):
    """Gauss-Seidel sweeps in float32 until the residual is small enough."""
    a, b, x = a.astype(SINGLE), b.astype(SINGLE), start.astype(SINGLE)
    norm = SINGLE((b * b).sum(dtype=SINGLE))
    for _ in range(sweeps):
        for r in range(len(x)):
            low, high = SINGLE(0.0), SINGLE(0.0)
            for j in range(r):
                low = low + a[r, j] * x[j]
            for j in range(r + 1, len(x)):
                high = high + a[r, j] * x[j]
            x[r] = (SINGLE(1.0) / a[r, r]) * (b[r] - low - high)
        residual = a @ x - b
        if (residual * residual).sum(dtype=SINGLE) / (norm + TINY) <= FINISHED:
            break
    return x


@function("linear_solvers")
def solvers(row):
    """Dense and Gauss-Seidel solutions of a row's equations."""
    n = int(row["n"])
    a, b = row["A"][:n, :n], row["b"][:n]
    with np.errstate(all="ignore"):
        ok, det, x = dense_solution(a, b)
        gauss_seidel = gauss_seidel_solution(a, b, row["x0"][:n], int(row["iterations"]))
    size = np.prod(np.linalg.norm(a, axis=1))  # upper limit of a determinant
    yield "lu_ok", ok, row["out_lu_ok"], None
    yield "lu_det", det, row["out_lu_det"], size
    yield "lu_x", x, row["out_lu_x"][:n], 0.0
    yield "gs_x", gauss_seidel, row["out_gs_x"][:n], 0.0


@function("tire_sticky")
def sticky(row):
    """Timers and states of a sticky tire, and their reset by a towing vehicle that accelerates."""
    count = int(row["wheels_per_axle"].sum())
    wheels = row["wheel_ids"][:count].astype(int)
    braking, driving = (bool(np.any(row[f"is_{n}_applied"][wheels])) for n in ("brake", "drive"))
    grip = row["load"] * row["friction"]
    timers = sticky_timers(
        row["lng_speed"], row["lat_speed"], row["omega"], row["radius"], grip, braking, driving,
        (row["lng_threshold_speed"], row["lng_threshold_time"], row["lat_threshold_speed"], row["lat_threshold_time"]),
        (np.float32(row["lng_time"]), np.float32(row["lat_time"])), np.float32(row["dt"]),
    )  # fmt: skip
    for k, name in enumerate(("lng", "lat")):
        yield f"{name}_time", timers[k], np.float32(row[f"out_{name}_time"]), None
        active = timers[2 + k]
        yield f"{name}_active", active, row[f"out_{name}_active"], None
        yield f"{name}_slip", 0.0 if active else row[f"{name}_slip"], row[f"out_{name}_slip"], None
        factor = 0.0 if row["reset_intent"] else 1.0  # 0 if the towing vehicle accelerates
        yield f"reset_{name}_time", factor * reset_input(row, name, "time"), row[f"out_reset_{name}_time"], None
        yield f"reset_{name}_active", factor * reset_input(row, name, "active"), row[f"out_reset_{name}_active"], None


def reset_input(row, name, what):
    """Input of the reset function: the state after the timers."""
    return row[f"out_{name}_{what}"]


@function("constraint_state")
def constraints(row):
    """Constraints of sticky tires and of a suspension's limit, both at the tire's force point as in the reference."""
    bench, frame = Bench(), Frame()
    bench.place_body(frame, row)
    bench.attach(frame, row)
    bench.set_fields("compliance", 0, tire_force_point=frame.vector(row["tire_app"]))
    bench.run(COMBINED_SLIP.phase("slip"))  # only to compute the tire's arm
    arm = np.array(bench["tire"][0]["arm"])
    reach = 1.0 + np.linalg.norm(arm)
    for name in ("lng", "lat"):
        active = row[f"sticky_{name}"]
        direction = frame.vector(row[name]) * active
        yield f"{name}_active", active, row[f"out_{name}_active"], None
        yield f"{name}_linear", direction, frame.vector(row[f"out_{name}_linear"]), 1.0
        yield f"{name}_angular", np.cross(arm, direction), frame.vector(row[f"out_{name}_angular"]), reach
        yield f"{name}_damping", row[f"damp_{name}"] * active, row[f"out_{name}_damping"], 1.0
    yield from limit(row, bench, frame, arm)


def limit(row, bench, frame, arm):
    """Our constraint of a suspension's limit at the reference's point."""
    rows = np.zeros(1, WHEEL_ROW)
    wheel = rows[0] if JIT else rows.view(np.recarray)[0]
    q = tuple(np.array(bench["body"]["orientation"]).tolist())
    droop = quat.rotate(q, tuple(np.array(bench["suspension_params"][0]["direction"]).tolist()))
    # a positive separation is the gap below a wheel in the air
    bench.set_fields("suspension", 0, direction=droop, separation=row["separation"], limit_gap=row["separation"],
                     on_ground=int(row["separation"] <= 0.0))  # fmt: skip
    bench.set_fields("road", 0, normal=frame.vector(row["normal"]))
    which = (SUSPENSION_LINE, ROAD_NORMAL, NO_LIMIT)[int(row["direction"])]
    point = tuple(arm.tolist())
    fill_limit(wheel, bench["suspension"][0], bench["road"][0], point, which, row["restitution"], 1.0)
    active = int(wheel["limit_active"])
    push = np.array(wheel["limit_direction"]) * active
    yield "limit_active", active, row["out_susp_active"], None
    yield "limit_linear", push, frame.vector(row["out_susp_linear"]), 1.0
    angular = np.cross(np.array(wheel["limit_point"]), push)
    yield "limit_angular", angular, frame.vector(row["out_susp_angular"]), 1.0 + np.linalg.norm(arm)
    yield "limit_error", wheel["limit_separation"] * active, row["out_susp_error"], 1.0
    yield "limit_restitution", wheel["limit_restitution"] * active, row["out_restitution"], 1.0


@function("frames")
def frames(row):
    """Positions and rotations before and after a change of axes and scale become equal in our axes."""
    source = PhysxFrame(row["src"].astype(int).tolist(), row["src_scale"])
    target = PhysxFrame(row["dst"].astype(int).tolist(), row["dst_scale"])
    ours, theirs = source.vector(row["transform"][:3]), target.vector(row["out_transform"][:3])
    yield "position", ours, theirs, 0.0
    ours, theirs = source.quaternion(row["transform"][3:]), target.quaternion(row["out_transform"][3:])
    yield "orientation", ours * np.sign(ours @ theirs), theirs, 1.0
    roll, pitch, yaw = (float(row[name]) for name in ("roll", "pitch", "yaw"))
    roll_and_pitch = quat.multiply(
        quat.from_axis_angle((0.0, 1.0, 0.0), roll), quat.from_axis_angle((-1.0, 0.0, 0.0), pitch)
    )
    ours = np.array(quat.multiply(quat.from_axis_angle((0.0, 0.0, 1.0), yaw), roll_and_pitch))
    theirs = source.quaternion(row["out_rotation"])
    yield "rotation", ours * np.sign(ours @ theirs), theirs, 1.0
    forward, left, up = row["lng_lat_vrt"]
    yield "translation", np.array([-left, forward, up]), source.direction(row["out_translation"]), 0.0
