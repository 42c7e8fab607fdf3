"""The drivetrain of PhysX: wheels of a group constrained to fixed speed ratios by a least-squares projection.

Limited slip and tracks make groups; the rows of engine and wheels, with one unknown per group, are solved through the
normal equations. Without groups the solution is exact, or estimated by sweeps in the order of the file's wheels. Exact
arithmetic is used; that of PhysX is single precision.
"""

import numpy as np

from driving_sandbox.physics.differential.limited_slip import LimitedSlipParams, reference_groups
from driving_sandbox.physics.drivetrain.clutch import clutch_strength
from driving_sandbox.physics.drivetrain.coupling import (
    ESTIMATE_TOLERANCE,
    SCRATCH,
    CouplingState,
    build_rows,
    solve_exact,
)
from driving_sandbox.physics.drivetrain.engine import clamp_omega, damping_rate, drive_torque
from driving_sandbox.physics.drivetrain.wheel_speed import free_wheel_speed, sign_or_zero, stop_if_braked
from driving_sandbox.physics.gearbox.gearbox import gear_ratio
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, Float, Floats, Int, PerWheel, Schema, field
from driving_sandbox.physics.tick.component import Component


class SlipGroupParams(LimitedSlipParams):
    passed_on: Int = field(default=1, doc="0: the groups are computed, but the drivetrain does not get them.")


class DrivetrainParams(Schema):
    estimate: Int = field(default=0, doc="1 for sweeps instead of an exact solution.")
    sweeps: Int = field(default=5, doc="Number of sweeps.")
    order: Floats = field(capacity=WHEEL_CAPACITY, default=[], unit="1", doc="Wheels in the order of the sweeps.")


class TrackGroupParams(PerWheel):
    group: Int = field(default=-1, doc="Group of the wheel, -1 none.")
    multiplier: Float = field(default=0.0, unit="1", doc="Speed relative to that of the group.")
    passed_on: Int = field(default=1, doc="0: the groups are computed, but the drivetrain does not get them.")


class GroupState(PerWheel):
    group: Int = field(default=-1, doc="Group of the wheel, -1 none.")
    multiplier: Float = field(unit="1", doc="Speed relative to that of the group.")
    passed_on: Int = field(default=1, doc="1 if the drivetrain gets the groups.")


@kernel
def put_in_group(s, group, multiplier):
    s.group = group
    s.multiplier = multiplier


@kernel
def no_groups(state, wheel_count):
    for i in range(wheel_count):
        put_in_group(state[i], -1, 0.0)


@kernel
def slip_groups(params, state, wheel, wheel_count, dt):
    """Groups that limited slip makes; kind: 1 front wheels, 2 rear wheels, 3 a group per axle, 4 one group of both."""
    no_groups(state, wheel_count)
    f0, f1, r0, r1 = params.front_left, params.front_right, params.rear_left, params.rear_right
    kind, m = reference_groups(params, wheel[f0].omega, wheel[f1].omega, wheel[r0].omega, wheel[r1].omega, dt)
    rear = 1 if kind == 3 else 0
    for i in range(wheel_count):
        state[i].passed_on = params.passed_on
    if kind == 1 or kind >= 3:
        put_in_group(state[f0], 0, m[0])
        put_in_group(state[f1], 0, m[1])
    if kind >= 2:
        put_in_group(state[r0], rear, m[2])
        put_in_group(state[r1], rear, m[3])


@kernel
def track_groups(params, state, wheel_count):
    for i in range(wheel_count):
        put_in_group(state[i], params[i].group, params[i].multiplier)
        state[i].passed_on = params[i].passed_on


_UNKNOWNS = WHEEL_CAPACITY + 1
GROUP_SCRATCH = np.dtype(
    [
        *((name, SCRATCH.fields[name][0]) for name in SCRATCH.names),
        ("order", np.int64, (WHEEL_CAPACITY,)),  # connected wheels in the order of the file
        ("full", np.float64, (_UNKNOWNS, _UNKNOWNS)),  # equations of connected wheels and engine, ...
        ("known", np.float64, (_UNKNOWNS,)),  # ... and their right sides
        ("reduced", np.float64, (_UNKNOWNS, _UNKNOWNS)),  # the same equations with one unknown per group
        ("normal", np.float64, (_UNKNOWNS, _UNKNOWNS)),  # normal equations of `reduced`
        ("result", np.float64, (_UNKNOWNS,)),
        ("column", np.int64, (WHEEL_CAPACITY,)),  # of each wheel in `reduced`
    ],
    align=True,
)


@kernel
def group_count(groups, wheel_count):
    """Number of constraint groups."""
    count = 0
    for i in range(wheel_count):
        if groups[i].passed_on != 0:
            count = max(count, groups[i].group + 1)
    return count


@kernel
def dense_rows(w, n, differential, wheel_params, strength, ratio, engine_h, engine_diagonal, dt):
    """Write the coupled equations of the n connected wheels and the engine to w.full.

    The right sides of the wheels, from w.right, go to w.known.
    strength, ratio: of the clutch, N m s; of the gear.
    engine_h: dt divided by the engine's inertia.
    engine_diagonal: diagonal of the engine without the clutch.
    """
    for row in range(n):
        i = w.order[row]
        h = dt / wheel_params[i].inertia
        share = differential[i].torque_ratio
        for col in range(n):
            j = w.order[col]
            weight = differential[j].speed_ratio * sign_or_zero(differential[j].torque_ratio)
            w.full[row, col] = h * strength * ratio * ratio * share * weight
        w.full[row, row] += 1.0 + h * wheel_params[i].damping
        w.full[row, n] = -h * strength * ratio * share
        w.known[row] = w.right[i]
    for col in range(n):
        j = w.order[col]
        weight = differential[j].speed_ratio * sign_or_zero(differential[j].torque_ratio)
        w.full[n, col] = -engine_h * strength * ratio * weight
    w.full[n, n] = engine_diagonal + engine_h * strength


@kernel
def reduce_columns(w, n, groups, count):
    """One column per wheel without a group, one per group, and one of the engine; returns their number."""
    columns = 0
    for k in range(n):
        i = w.order[k]
        if groups[i].group < 0:
            w.column[i] = columns
            columns += 1
    for k in range(n):
        i = w.order[k]
        if groups[i].group >= 0:
            w.column[i] = columns + groups[i].group
    columns += count
    for row in range(n + 1):
        for c in range(columns + 1):
            w.reduced[row, c] = 0.0
        for k in range(n):
            i = w.order[k]
            factor = groups[i].multiplier if groups[i].group >= 0 else 1.0
            w.reduced[row, w.column[i]] += factor * w.full[row, k]
        w.reduced[row, columns] = w.full[row, n]
    return columns + 1


@kernel
def least_squares(w, rows, columns):
    """Solve the normal equations by elimination with pivoting; the unknowns go to w.result."""
    for a in range(columns):
        for b in range(columns):
            total = 0.0
            for r in range(rows):
                total += w.reduced[r, a] * w.reduced[r, b]
            w.normal[a, b] = total
        total = 0.0
        for r in range(rows):
            total += w.reduced[r, a] * w.known[r]
        w.result[a] = total
    for k in range(columns):
        pivot = k
        for r in range(k + 1, columns):
            if abs(w.normal[r, k]) > abs(w.normal[pivot, k]):
                pivot = r
        if pivot != k:
            for c in range(columns):
                w.normal[k, c], w.normal[pivot, c] = w.normal[pivot, c], w.normal[k, c]
            w.result[k], w.result[pivot] = w.result[pivot], w.result[k]
        for r in range(k + 1, columns):
            f = w.normal[r, k] / w.normal[k, k]
            for c in range(k, columns):
                w.normal[r, c] -= f * w.normal[k, c]
            w.result[r] -= f * w.result[k]
    for k in range(columns - 1, -1, -1):
        for c in range(k + 1, columns):
            w.result[k] -= w.normal[k, c] * w.result[c]
        w.result[k] /= w.normal[k, k]


@kernel
def solve_projected(w, n, groups, count):
    """Compute the speeds of the connected wheels under the group constraints; returns the engine's speed."""
    columns = reduce_columns(w, n, groups, count)
    least_squares(w, n + 1, columns)
    for k in range(n):
        i = w.order[k]
        factor = groups[i].multiplier if groups[i].group >= 0 else 1.0
        w.speed[i] = factor * w.result[w.column[i]]
    return w.result[columns - 1]


@kernel
def row_times_speeds(w, n, row):
    """A row of the full matrix times the speeds of wheels and engine."""
    total = 0.0
    for col in range(n + 1):
        total += w.full[row, col] * w.result[col]
    return total


@kernel
def sweep(w, n, omega, sweeps):
    """Gauss-Seidel sweeps from the old speeds; returns the new speed of the engine."""
    norm = 0.0
    for k in range(n):
        w.result[k] = w.speed[w.order[k]]
        norm += w.known[k] * w.known[k]
    w.result[n] = omega
    norm += w.known[n] * w.known[n]
    for _ in range(sweeps):
        for row in range(n + 1):
            others = row_times_speeds(w, n, row) - w.full[row, row] * w.result[row]
            w.result[row] = (w.known[row] - others) / w.full[row, row]
        residual = 0.0
        for row in range(n + 1):
            error = row_times_speeds(w, n, row) - w.known[row]
            residual += error * error
        if residual / (norm + 1e-10) <= ESTIMATE_TOLERANCE:
            break
    for k in range(n):
        w.speed[w.order[k]] = w.result[k]
    return w.result[n]


@kernel
def reference_drivetrain(
    params, state, scratch, engine, engine_params, gearbox, gearbox_params, clutch, differential, groups, brakes,
    actuation, tire, wheel, wheel_params, wheel_count, dt,
):  # fmt: skip
    """A step of the reference's drivetrain: speeds of wheels and engine, and the clutch slip."""
    w = scratch
    neutral = gearbox.current_gear == gearbox_params.neutral_gear
    strength = clutch_strength(clutch, gearbox.current_gear, gearbox_params.neutral_gear)
    ratio = gear_ratio(gearbox_params, gearbox.current_gear)
    h = dt / engine_params.inertia
    engine.torque = drive_torque(engine_params, engine.omega, engine.throttle)
    right = engine.omega + h * engine.torque
    diagonal = 1.0 + h * damping_rate(engine_params, clutch.normalised, neutral, engine.throttle)
    build_rows(w, differential, brakes, tire, wheel, wheel_params, wheel_count, dt)
    mean = 0.0
    for i in range(wheel_count):
        if differential[i].connected != 0:
            mean += differential[i].speed_ratio * wheel[i].omega  # without the sign of the share
    state.clutch_slip = ratio * mean - engine.omega
    count = group_count(groups, wheel_count)
    n = 0
    for k in range(wheel_count):
        i = int(params.order.values[k])
        if differential[i].connected != 0:
            w.order[n] = i
            n += 1
    dense_rows(w, n, differential, wheel_params, strength, ratio, h, diagonal, dt)
    w.known[n] = right
    if count > 0:
        omega = solve_projected(w, n, groups, count)
    elif params.estimate == 0:
        omega = solve_exact(w, differential, wheel_count, strength, ratio, right, diagonal, h)
    else:
        omega = sweep(w, n, engine.omega, params.sweeps)
    for i in range(wheel_count):
        before, braked = wheel[i].omega, actuation[i].brake_applied
        if differential[i].connected != 0:
            wheel[i].omega = stop_if_braked(before, w.speed[i], braked)
        else:
            wheel[i].omega = free_wheel_speed(
                wheel_params[i], before, tire[i].wheel_torque, 0.0, brakes[i].torque, braked, dt
            )
    engine.omega = clamp_omega(engine_params, omega)


REFERENCE_DRIVETRAIN = Component(
    slot="drivetrain",
    name="reference",
    params=DrivetrainParams,
    state=CouplingState,
    scratch=GROUP_SCRATCH,
    phases={"update": reference_drivetrain},
)
SLIP_GROUPS = Component(
    slot="groups", name="limited_slip", params=SlipGroupParams, state=GroupState, phases={"update": slip_groups}
)
TRACK_GROUPS = Component(
    slot="groups", name="tracks", params=TrackGroupParams, state=GroupState, phases={"update": track_groups}
)
NO_GROUPS = Component(slot="groups", name="none", state=GroupState, phases={"update": no_groups})
