"""The reference's table of tank differentials, row by row: shares scaled by thrust, and the speed ratios of a track."""

import numpy as np

from physics.jit import JIT
from physics.schema import WHEEL_CAPACITY
from physics.tank.differential import TANK
from physics.tank.tracks import TRACK_SCRATCH, gather
from physics.wheel.wheel import WHEEL

TOLERANCE = 1e-6
PER_WHEEL = np.dtype([("torque", "f8"), ("brake_applied", "i8"), ("wheel_torque", "f8"), ("omega", "f8")])


def records(dtype, count=WHEEL_CAPACITY):
    array = np.zeros(count, dtype)
    return array if JIT else array.view(np.recarray)


def table(reference):
    with np.load(reference / "tables" / "diff_tank.npz") as file:
        columns = {k: file[k].astype(float) for k in file.files if k != "doc"}
    for i in range(len(columns["in__nb_axles"])):
        yield {k: v[i] for k, v in columns.items()}


def differential_of(row, count):
    """(parameters, state) of our tank differential for a row; thrust command 0 is the left lever."""
    params, state = records(TANK.params.dtype), records(TANK.state.dtype)
    params["torque_ratio"][:8], params["speed_ratio"][:8] = row["in__torque_ratios"], row["in__ave_speed_ratios"]
    for t in range(int(row["in__nb_tracks"])):
        for wheel in row["in__track_ids"][t, : int(row["in__wheels_in_track"][t])].astype(int):
            params["track"][wheel], params["lever"][wheel] = t + 1, int(row["in__thrust_of_track"][t])
    levers = records(np.dtype([("thrust_left", "f8"), ("thrust_right", "f8")]), 1)
    levers["thrust_left"], levers["thrust_right"] = row["in__thrust"]
    TANK.phases["update"](params, state, levers[0], count)
    return params, state


def test_shares_and_connected_wheels(reference):
    seen = set()
    for row in table(reference):
        count = int(row["in__wheels_per_axle"].sum())
        _, state = differential_of(row, count)
        connected = sorted(row["out__connected"][: int(row["out__nb_connected"])].astype(int).tolist())
        assert np.flatnonzero(state["connected"][:count]).tolist() == connected
        assert np.allclose(state["torque_ratio"][:8], row["out__torque_ratios"], atol=TOLERANCE)
        assert np.allclose(state["speed_ratio"][:8], row["out__ave_speed"], atol=TOLERANCE)
        seen.add((len(connected), int(row["out__nb_groups"])))
    assert len(seen) > 3


def test_speed_ratios_inside_a_track(reference):
    compared = 0
    for row in table(reference):
        count = int(row["in__wheels_per_axle"].sum())
        _, state = differential_of(row, count)
        wheel_params, per_wheel = records(WHEEL.params.dtype), records(PER_WHEEL)
        wheel_params["radius"][:8] = row["in__radius"]
        wheel_params["inertia"] = 1.0
        scratch = records(TRACK_SCRATCH, 1)
        gather(scratch[0], state, per_wheel, per_wheel, per_wheel, per_wheel, wheel_params, count)
        groups, order = row["out__group_of_wheel"], row["out__order_in_group"]
        for wheel in np.flatnonzero(groups[:count] >= 0):
            first = np.flatnonzero((groups == groups[wheel]) & (order == 0))[0]
            scale = scratch["scale"][0]
            assert scratch["lead"][0][wheel] == scratch["lead"][0][first]
            assert abs(scale[wheel] / scale[first] - row["out__multiplier"][wheel]) < TOLERANCE
            compared += 1
    assert compared > 40
