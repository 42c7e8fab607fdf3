"""Our results for the tables of the drivetrain of the reference, PhysX.

A function gets a row of its table and yields (channel, our value, the table's, scale of its error) for every channel,
see table_harness.py.

Timers of the tables are float32 and whole multiples of the step, so that strict comparisons depend on the precision:
they are tested with float32 records. Where ours differs on purpose (docs/compat.md) the component with the
reference's behaviour is used.
"""

import numpy as np
from least_squares import projected_speeds
from reference_compat import REFERENCE_DIFFERENTIAL
from table_harness import function
from table_records import ROW_WHEELS, WHEEL_PARAMS, float32_type, new, per_wheel, wheels_in, write_floats

from driving_sandbox.physics.differential.legacy import LEGACY_DIFFERENTIAL
from driving_sandbox.physics.differential.limited_slip import LimitedSlipParams, reference_groups
from driving_sandbox.physics.differential.multi_wheel import DifferentialState, MultiWheelParams, update_multi_wheel
from driving_sandbox.physics.drivetrain.actuation import (
    ActuationState,
    IntentState,
    flag_engine_wheel,
    update_intent,
)
from driving_sandbox.physics.drivetrain.clutch import ClutchParams, ClutchState, clutch_strength, respond
from driving_sandbox.physics.drivetrain.coupling import COUPLING, SCRATCH, CouplingParams, CouplingState
from driving_sandbox.physics.drivetrain.engine import EngineParams, EngineState, damping_rate, drive_torque
from driving_sandbox.physics.gearbox.autobox import LONG_AGO, AutoboxParams, AutoboxState, autobox_step
from driving_sandbox.physics.gearbox.gearbox import (
    GearboxParams,
    GearboxState,
    advance_change,
    begin_change,
    gear_ratio,
)
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.tank.differential import TANK
from driving_sandbox.physics.tank.tracks import TRACK_SCRATCH, gather
from driving_sandbox.physics.wheel.wheel import WHEEL

SPEED = np.dtype([("omega", np.float64)], align=True)
TIRE = np.dtype([("wheel_torque", np.float64)], align=True)
BRAKE = np.dtype([("torque", np.float64)], align=True)
LEVERS = np.dtype([("thrust_left", np.float64), ("thrust_right", np.float64)], align=True)
TRACK_WHEEL = np.dtype([("torque", "f8"), ("brake_applied", "i8"), ("wheel_torque", "f8"), ("omega", "f8")], align=True)


def engine_params(row):
    """Engine parameters of a row."""
    params = new(
        EngineParams.dtype, peak_torque=row["peak_torque"], idle_omega=row["idle_omega"], max_omega=row["max_omega"],
        inertia=row["eng_moi"], damping_full_throttle=row["damp_full"],
        damping_zero_throttle_clutch_engaged=row["damp_zero_engaged"],
        damping_zero_throttle_clutch_disengaged=row["damp_zero_disengaged"],
    )  # fmt: skip
    n = int(row["curve_n"])
    params["torque_curve"]["count"] = n
    params["torque_curve"]["x"][:n], params["torque_curve"]["y"][:n] = row["curve_x"][:n], row["curve_y"][:n]
    return params


@function("engine_torque_damping")
def engine(row):
    """Torque and damping of the engine."""
    params = engine_params(row)
    torque = drive_torque(params, row["omega"], row["throttle"])
    yield "torque", torque, row["out_torque"], row["peak_torque"]
    neutral = row["current_gear"] == row["neutral_gear"]
    damping = damping_rate(params, row["clutch_normalised"], neutral, row["throttle"])
    yield "damping", damping, row["out_damping_rate"], 0.0


def gearbox_params(row, dtype=GearboxParams.dtype):
    """Gearbox parameters of a row."""
    params = new(
        dtype, neutral_gear=int(row["neutral_gear"]), final_ratio=row["final_ratio"], switch_time=row["switch_time"],
        final_efficiency=1.0,
    )  # fmt: skip
    write_floats(params["ratios"], row["ratios"], int(row["nb_ratios"]))
    write_floats(params["efficiency"], [1.0], 1)
    return params


@function("clutch_gear")
def clutch(row):
    """Response of the clutch, its strength in the gear, and the gear's ratio."""
    state = new(ClutchState.dtype)
    respond(new(ClutchParams.dtype, strength=row["max_response"]), state, row["clutch"])
    gear = int(row["current_gear"])
    yield "normalised", state["normalised"], row["out_normalised"], 1.0
    yield "response", state["response"], row["out_response"], row["max_response"]
    strength = clutch_strength(state, gear, int(row["neutral_gear"]))
    yield "strength", strength, row["out_strength"], row["max_response"]
    yield "gear_ratio", gear_ratio(gearbox_params(row), gear), row["out_gear_ratio"], 0.0


def box_state(row, prefix=""):
    """Gearbox state of a row; prefix: of its columns."""
    return new(
        float32_type(GearboxState.dtype),
        current_gear=int(row[f"current{prefix}"]), target_gear=int(row[f"target{prefix}"]),
        switch_time=row["switch_state_time"] if "switch_state_time" in row else row.get("time0", -1.0),
    )  # fmt: skip


@function("gearbox_sequence")
def gearbox(row):
    """Gearbox states after each of a sequence of commanded gears."""
    params, state = gearbox_params(row, float32_type(GearboxParams.dtype)), box_state(row, "0")
    states = []
    for gear in row["cmd"]:
        begin_change(params, state, int(gear))
        commanded = state.item()
        advance_change(params, state, np.float32(row["dt"]))
        states.append((commanded, state.item()))
    yield "state", states, row["out_state"], None


def autobox_params(row):
    """Parameters of a row's automatic gearbox."""
    params = new(float32_type(AutoboxParams.dtype), latency=row["latency"])
    for name in ("up_ratios", "down_ratios"):
        write_floats(params[name], row[name], int(row["nb_ratios"]))
    return params


@function("autobox_step")
def autobox(row):
    """One step of the automatic gearbox: the gear that it asks for, and its state."""
    state = new(
        float32_type(AutoboxState.dtype),
        time_since_shift=min(row["time_since_shift"], LONG_AGO),
        active=int(row["active"]),
    )
    autobox_step(
        autobox_params(row), state, box_state(row), gearbox_params(row), np.float32(row["throttle"]),
        int(row["target_cmd"]), np.float32(row["omega"]) / np.float32(row["max_omega"]), np.float32(row["dt"]),
    )  # fmt: skip
    yield "gear", state["gear"], row["out_target_cmd"], None
    time_since_shift = np.float32(min(row["out_time_since_shift"], LONG_AGO))
    yield "time_since_shift", state["time_since_shift"], time_since_shift, None
    yield "active", state["active"], row["out_active"], None
    yield "throttle", state["throttle"], np.float32(row["out_throttle"]), None


@function("autobox_sequence")
def autobox_run(row):
    """A sequence of steps of automatic gearbox and gearbox."""
    params, box_params = autobox_params(row), gearbox_params(row, float32_type(GearboxParams.dtype))
    state, box = new(float32_type(AutoboxState.dtype), time_since_shift=LONG_AGO), box_state(row, "0")
    expected = row["out_state"].copy()
    expected[:, 2] = np.minimum(expected[:, 2], LONG_AGO)
    dt, states = np.float32(row["dt"]), []
    for k in range(len(expected)):
        normalised = np.float32(row["omega"][k]) / np.float32(row["max_omega"])
        autobox_step(params, state, box, box_params, np.float32(row["throttle"][k]), int(row["cmd"][k]), normalised, dt)
        begin_change(box_params, box, int(state["gear"]))
        advance_change(box_params, box, dt)
        states.append([state[name] for name in ("gear", "throttle", "time_since_shift", "active")] + list(box.item()))
    yield "state", np.array(states, np.float32), expected.astype(np.float32), None


@function("diff_multiwheel")
def multi_wheel(row):
    """Shares of the wheels by the reference's behaviour and by ours.

    The reference uses the speed ratio as torque ratio, so that our torque ratio is not compared.
    """
    count = wheels_in(row)
    params = per_wheel(MultiWheelParams.dtype)
    params["torque_ratio"][:ROW_WHEELS], params["speed_ratio"][:ROW_WHEELS] = (
        row["torque_ratios"],
        row["ave_speed_ratios"],
    )
    state, ours = per_wheel(DifferentialState.dtype), per_wheel(DifferentialState.dtype)
    REFERENCE_DIFFERENTIAL.phases["update"](params, state, count)
    update_multi_wheel(params, ours, count)
    connected = np.isin(np.arange(ROW_WHEELS), row["out_connected"][: int(row["out_nb_connected"])])
    for name, result in (("reference", state), ("ours", ours)):
        yield f"connected_{name}", result["connected"][:ROW_WHEELS], connected, None
        yield f"speed_ratio_{name}", result["speed_ratio"][:ROW_WHEELS], row["out_ave_speed"], 0.0
    yield "torque_ratio", state["torque_ratio"][:ROW_WHEELS], row["out_torque_ratios"], 0.0


def groups_by_wheel(kind, multipliers, wheels, count=ROW_WHEELS):
    """(number of groups; group, order in group and multiplier of every wheel, which are -1, -1, 0 without a group).

    kind: as in `slip_groups` (group_projection.py). multipliers, wheels: of the four wheels, front ones first.
    """
    group, order, factor = np.full(count, -1.0), np.full(count, -1.0), np.zeros(count)
    sets = [(wheels, multipliers)] if kind == 4 else []
    if kind in (1, 3):
        sets.append((wheels[:2], multipliers[:2]))
    if kind in (2, 3):
        sets.append((wheels[2:], multipliers[2:]))
    for g, (members, values) in enumerate(sets):
        for k, (wheel, value) in enumerate(zip(members, values, strict=True)):
            group[wheel], order[wheel], factor[wheel] = g, k, value
    return len(sets), group, order, factor


@function("diff_fourwheel")
def four_wheel(row):
    """Groups of wheels whose speed ratios limited slip restricts, and the shares of all wheels."""
    names = ("front_bias", "front_target", "rear_bias", "rear_target", "center_bias", "center_target", "rate")
    params = new(LimitedSlipParams.dtype, **{name: row[name] for name in names})
    wheels = [int(i) for i in (*row["front_ids"], *row["rear_ids"])]
    kind, multipliers = reference_groups(params, *(float(row["omega"][i]) for i in wheels), row["dt"])
    count, group, order, factor = groups_by_wheel(kind, multipliers, wheels)
    grouped = row["out_group_of_wheel"] >= 0
    yield "group", group, row["out_group_of_wheel"], None
    yield "order", np.where(grouped, order, 0.0), np.where(grouped, row["out_order_in_group"], 0.0), None
    yield "multiplier", factor, np.where(grouped, row["out_multiplier"], 0.0), 1.0
    if "out_nb_groups" in row:
        yield "groups", count, row["out_nb_groups"], None
    for name, column in (("torque_ratio", "out_torque_ratios"), ("speed_ratio", "out_ave_speed")):
        if column in row:  # shares of the multi-wheel differential
            yield name, shares_of(row)[name][:ROW_WHEELS], row[column], 0.0
    if "out_nb_connected" in row:
        connected = np.isin(np.arange(ROW_WHEELS), row["out_connected"][: int(row["out_nb_connected"])])
        yield "connected", shares_of(row)["connected"][:ROW_WHEELS], connected, None


def shares_of(row):
    """Shares by the multi-wheel differential with the reference's behaviour."""
    params, state = per_wheel(MultiWheelParams.dtype), per_wheel(DifferentialState.dtype)
    params["torque_ratio"][:ROW_WHEELS], params["speed_ratio"][:ROW_WHEELS] = (
        row["torque_ratios"],
        row["ave_speed_ratios"],
    )
    REFERENCE_DIFFERENTIAL.phases["update"](params, state, wheels_in(row))
    return state


@function("diff_tank")
def tank(row):
    """Shares of the wheels and tracks of a tank; the row's thrust command 0 is the left lever."""
    count = wheels_in(row)
    params, state, levers = per_wheel(TANK.params.dtype), per_wheel(TANK.state.dtype), new(LEVERS)
    params["torque_ratio"][:ROW_WHEELS], params["speed_ratio"][:ROW_WHEELS] = (
        row["torque_ratios"],
        row["ave_speed_ratios"],
    )
    for t in range(int(row["nb_tracks"])):
        for wheel in row["track_ids"][t, : int(row["wheels_in_track"][t])].astype(int):
            params["track"][wheel], params["lever"][wheel] = t + 1, int(row["thrust_of_track"][t])
    levers["thrust_left"], levers["thrust_right"] = row["thrust"]
    TANK.phases["update"](params, state, levers, count)
    connected = np.isin(np.arange(ROW_WHEELS), row["out_connected"][: int(row["out_nb_connected"])])
    yield "connected", state["connected"][:ROW_WHEELS], connected, None
    yield "torque_ratio", state["torque_ratio"][:ROW_WHEELS], row["out_torque_ratios"], 1.0
    yield "speed_ratio", state["speed_ratio"][:ROW_WHEELS], row["out_ave_speed"], 1.0
    yield from track_speeds(row, state, count)


def track_speeds(row, state, count):
    """Speeds of a track's wheels relative to its first one; our factors are relative to another wheel of the track."""
    wheel_params, others = per_wheel(WHEEL.params.dtype), per_wheel(TRACK_WHEEL)
    wheel_params["radius"][:ROW_WHEELS], wheel_params["inertia"] = row["radius"], 1.0
    scratch = np.zeros(1, TRACK_SCRATCH) if JIT else np.zeros(1, TRACK_SCRATCH).view(np.recarray)
    gather(scratch[0], state, others, others, others, others, wheel_params, count)
    group, order = row["out_group_of_wheel"], row["out_order_in_group"]
    lead, scale = scratch["lead"][0], scratch["scale"][0]
    factor, same = np.zeros(ROW_WHEELS), np.zeros(ROW_WHEELS)
    for wheel in np.flatnonzero(group >= 0):
        first = np.flatnonzero((group == group[wheel]) & (order == 0))[0]
        factor[wheel], same[wheel] = scale[wheel] / scale[first], lead[wheel] == lead[first]
    yield "multiplier", factor, np.where(group >= 0, row["out_multiplier"], 0.0), 1.0
    yield "together", same, group >= 0, None
    tracks = {int(g) for g in group if g >= 0}
    yield "groups", len(tracks), row["out_nb_groups"], None


@function("diff_legacy")
def legacy(row):
    """Shares by the legacy differentials; the row's first wheel of each axle is the right one."""
    params, state, wheel = new(LEGACY_DIFFERENTIAL.params.dtype), per_wheel(DifferentialState.dtype), per_wheel(SPEED)
    for name, value in {
        "driven": int(row["type"]), "front_left": 1, "front_right": 0, "rear_left": 3, "rear_right": 2,
        "front_split": row["front_rear_split"], "front_left_split": 1.0 - row["front_negpos_split"],
        "rear_left_split": 1.0 - row["rear_negpos_split"], "center_bias": row["center_bias"],
        "front_bias": row["front_bias"], "rear_bias": row["rear_bias"],
    }.items():  # fmt: skip
        params[name] = value
    wheel["omega"][:4] = row["omega"]
    LEGACY_DIFFERENTIAL.phases["update"](params, state, wheel, 4)
    yield "connected", state["connected"][:4].sum(), row["out_nb_connected"], None
    yield "torque_ratio", state["torque_ratio"][:4], row["out_torque_ratios"], 1.0
    yield "speed_ratio", state["speed_ratio"][:4], row["out_ave_speed"], 1.0


@function("engine_actuation")
def engine_actuation(row):
    """Flags of braked and driven wheels, and the intention to accelerate."""
    count = wheels_in(row)
    state = new(ClutchState.dtype, response=row["clutch_response"])
    strength = clutch_strength(state, int(row["current_gear"]), int(row["neutral_gear"]))
    flags, intent = per_wheel(ActuationState.dtype), new(IntentState.dtype)
    for i in range(count):
        flag_engine_wheel(flags[i], row["brake_torque"][i], strength, row["torque_ratios"][i], row["throttle"])
    update_intent(intent, flags, count)
    yield "brake_applied", flags["brake_applied"][:count], row["out_is_brake_applied"][:count], None
    yield "drive_applied", flags["drive_applied"][:count], row["out_is_drive_applied"][:count], None
    yield "accelerating", intent["accelerating"], row["out_accel_intent"], None


def drivetrain_records(row):
    """{name: argument} of the coupling's kernel for one row, in the kernel's order."""
    differential, brake = per_wheel(DifferentialState.dtype), per_wheel(BRAKE)
    actuation, tire, wheel = per_wheel(ActuationState.dtype), per_wheel(TIRE), per_wheel(SPEED)
    wheel_params = per_wheel(WHEEL_PARAMS)
    for i in row["connected"][: int(row["nb_connected"])].astype(int):
        differential["connected"][i] = 1
    differential["torque_ratio"][:ROW_WHEELS], differential["speed_ratio"][:ROW_WHEELS] = (
        row["torque_ratios"],
        row["ave_speed"],
    )
    brake["torque"][:ROW_WHEELS], actuation["brake_applied"][:ROW_WHEELS] = (
        row["brake_torque"],
        row["brake_torque"] != 0,
    )
    tire["wheel_torque"][:ROW_WHEELS] = row["tire_torque"]
    wheel_params["inertia"][:ROW_WHEELS], wheel_params["damping"][:ROW_WHEELS] = row["wheel_moi"], row["wheel_damping"]
    wheel["omega"][:ROW_WHEELS] = row["omega"]
    return {
        "params": new(
            CouplingParams.dtype, accuracy=1 - int(row["accuracy_mode"]),
            estimate_iterations=int(row["estimate_iterations"]),
        ),
        "state": new(CouplingState.dtype), "scratch": new(SCRATCH),
        "engine": new(EngineState.dtype, omega=row["engine_omega"], throttle=row["throttle"]),
        "engine_params": engine_params(row),
        "gearbox": new(GearboxState.dtype, current_gear=int(row["current_gear"])),
        "gearbox_params": gearbox_params(row),
        "clutch": new(ClutchState.dtype, normalised=row["clutch_normalised"], response=row["clutch_response"]),
        "differential": differential, "brakes": brake, "actuation": actuation, "tire": tire,
        "wheel": wheel, "wheel_params": wheel_params, "wheel_count": wheels_in(row), "dt": row["dt"],
    }  # fmt: skip


@function("engine_drivetrain")
def drivetrain(row):
    """Our drivetrain; with constraint groups the reference's projection, which exists in these tests only.

    The clutch slip of the reference ignores the signs of the torque ratios.
    """
    r = drivetrain_records(row)
    if row["nb_groups"] > 0:
        omega, engine_omega = projected_speeds(row, r)
    COUPLING.phases["update"](*r.values())
    if row["nb_groups"] == 0:
        omega, engine_omega = r["wheel"]["omega"], float(r["engine"]["omega"])
    scale = max(np.abs(row["omega"]).max(), np.abs(row["out_omega"]).max(), 1.0)
    yield "omega", omega[:ROW_WHEELS], row["out_omega"], scale
    yield "engine_omega", engine_omega, row["out_engine_omega"], max(row["engine_omega"], row["max_omega"])
    ratio = gear_ratio(r["gearbox_params"], int(row["current_gear"]))
    connected = row["connected"][: int(row["nb_connected"])].astype(int)
    unsigned = (1.0 - np.sign(row["torque_ratios"])) * row["ave_speed"] * row["omega"]
    slip = float(r["state"]["clutch_slip"]) + ratio * unsigned[connected].sum()
    yield "clutch_slip", slip, row["out_clutch_slip"], row["max_omega"]
