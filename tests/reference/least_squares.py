"""The solution of the reference, PhysX, with wheel groups in single precision, for rows of its table.

Wheels of a group are fixed multiples of one unknown, and the (over-determined) rows of engine and wheels are solved by
least squares through the normal equations. That squares the condition number of the system: with float32 a few rows
lose all but two digits. Here the arithmetic is double precision; in repeats with perturbed inputs random float32
rounding is added to the normal equations, which measures the loss.
"""

import numpy as np
from table_records import ROW_WHEELS

from driving_sandbox.physics.drivetrain.clutch import clutch_strength
from driving_sandbox.physics.drivetrain.engine import clamp_omega, damping_rate, drive_torque
from driving_sandbox.physics.drivetrain.wheel_speed import free_wheel_speed
from driving_sandbox.physics.gearbox.gearbox import gear_ratio

EPSILON = float(np.finfo(np.float32).eps)


def full_rows(connected, records, dt):
    """Dense (matrix, right-hand side) of the connected wheels and the engine."""
    r = records
    gear, neutral = int(r["gearbox"]["current_gear"]), int(r["gearbox_params"]["neutral_gear"])
    # k: coupling of wheels and engine by the clutch; g: ratio of the gear; h: step divided by an inertia
    k = clutch_strength(r["clutch"], gear, neutral)
    g = gear_ratio(r["gearbox_params"], gear)
    n = len(connected)
    matrix, right = np.eye(n + 1), np.zeros(n + 1)
    d = r["differential"]
    share = np.array([d["torque_ratio"][i] for i in connected])
    weight = np.array([d["speed_ratio"][i] for i in connected]) * np.sign(share)
    for row, i in enumerate(connected):
        h = dt / r["wheel_params"]["inertia"][i]
        omega = r["wheel"]["omega"][i]
        matrix[row, :n] += h * k * g * g * share[row] * weight
        matrix[row, row] += h * r["wheel_params"]["damping"][i]
        matrix[row, n] = -h * k * g * share[row]
        right[row] = omega + h * (r["tire"]["wheel_torque"][i] - np.sign(omega) * r["brakes"]["torque"][i])
    engine, p = r["engine"], r["engine_params"]
    h = dt / p["inertia"]
    damping = damping_rate(p, r["clutch"]["normalised"], gear == neutral, engine["throttle"])
    matrix[n, :n] = -h * k * g * weight
    matrix[n, n] += h * (k + damping)
    right[n] = engine["omega"] + h * drive_torque(p, engine["omega"], engine["throttle"])
    return matrix, right


def groups_of(row):
    """[(wheels, their speeds relative to the group's unknown)] of a table row."""
    groups = []
    for g in range(int(row["nb_groups"])):
        n = int(row["group_size"][g])
        groups.append((row["group_ids"][g, :n].astype(int).tolist(), row["group_multipliers"][g, :n].tolist()))
    return groups


def solve(reduced, right, rng):
    """The least-squares solution of reduced x = right; with rng, by normal equations with random float32 rounding."""
    if rng is None:
        return np.linalg.lstsq(reduced, right, rcond=None)[0]
    normal, known = reduced.T @ reduced, reduced.T @ right
    sizes = np.abs(reduced).T @ np.abs(reduced), np.abs(reduced).T @ np.abs(right)
    normal += EPSILON * sizes[0] * rng.uniform(-1.0, 1.0, normal.shape)
    known += EPSILON * sizes[1] * rng.uniform(-1.0, 1.0, known.shape)
    return np.linalg.solve(normal, known)


def projected_speeds(row, records):
    """(wheel speeds, engine speed) after the constrained solution of a row."""
    dt = row["dt"]
    connected = row["connected"][: int(row["nb_connected"])].astype(int).tolist()
    matrix, right = full_rows(connected, records, dt)
    groups = groups_of(row)
    grouped = {w for wheels, _ in groups for w in wheels}
    columns = [([i], [1.0]) for i in connected if i not in grouped] + groups
    reduced = np.column_stack(
        [sum(m * matrix[:, connected.index(w)] for w, m in zip(*c, strict=True)) for c in columns] + [matrix[:, -1]]
    )
    solution = solve(reduced, right, row.rng)
    omega = np.array(records["wheel"]["omega"][:ROW_WHEELS], float)
    for i in range(records["wheel_count"]):
        if i not in connected:
            omega[i] = free_wheel_speed(
                records["wheel_params"][i], omega[i], records["tire"]["wheel_torque"][i], 0.0,
                records["brakes"]["torque"][i], records["actuation"]["brake_applied"][i], dt,
            )  # fmt: skip
    for (wheels, multipliers), speed in zip(columns, solution[:-1], strict=True):
        for w, m in zip(wheels, multipliers, strict=True):
            stopped = records["actuation"]["brake_applied"][w] != 0 and omega[w] * m * speed <= 0.0
            omega[w] = 0.0 if stopped else m * speed
    return omega, clamp_omega(records["engine_params"], solution[-1])
