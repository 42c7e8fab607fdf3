"""A car on solid axles behaves equally to both sides: a drive steered the other way is the mirror image."""

import numpy as np
import pytest
from drive_rig import Drive
from row_rig import each_wheel

from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CAR = ROOT / "tests" / "reference" / "data" / "commonroad" / "sedan.yaml"
SPEED, RADIUS = 15.0, 0.344  # m/s; m, of the wheels
LATERAL_FIELDS = ("axle_travel", "axle_speed", "axle_lean", "joint_force")


def rolling(drive):
    """Set the car rolling straight ahead, with the state of the right wheels made the mirror image of the left ones."""
    state, body = drive.vehicle.state, drive.vehicle.state["body"][0]
    body["orientation"][1:3] = 0.0
    body["position"][:2], body["velocity"], body["angular_velocity"] = 0.0, (0.0, SPEED, 0.0), 0.0
    for slot in ("suspension", "wheel", "tire"):
        record = state[slot][0]
        for name in record.dtype.names:
            values = record[name]
            if values.ndim and len(values) >= 4:
                values[1:4:2] = values[0:4:2]
            if values.ndim == 2:
                values[:4, 0] = 0.0
    for name in LATERAL_FIELDS:
        state["suspension"][0][name][:4] = 0.0
    state["tire"][0]["lateral_force"][:4], state["wheel"][0]["omega"][:4] = 0.0, SPEED / RADIUS
    return drive


def mirrored_log(drive, side):
    """Velocity, m/s, angular velocity, rad/s, and wheel loads, kN, every 0.05 s of 2 s of steering, throttle and brake.

    side: 1 steers to the right, -1 to the left. With -1 the returned values are those of the mirrored drive: lateral
    components change sign, and the loads of left and right wheels change places.
    """
    rows = []
    for k in range(40):
        drive.run(0.05, steer=0.06 * side, gear=FIRST, throttle=0.1 * (k < 15), brake=0.3 * (25 < k < 35))
        velocity, spin = drive.body("velocity"), drive.body("angular_velocity")
        loads = drive.wheels("suspension", "force").reshape(2, 2)[:, ::-side]
        rows.append([side * velocity[0], *velocity[1:], spin[0], *(side * spin[1:]), *loads.ravel() / 1e3])
    return np.array(rows)


def test_a_drive_to_the_left_mirrors_the_drive_to_the_right():
    """The tires are mirror images as well. Measured differences are 1e-10 kN and 2e-14 m/s."""
    vehicle = load_vehicle(CAR)
    vehicle.set_many(each_wheel("tire", measured_on="left"))
    drive = rolling(Drive(vehicle, tick=1.0 / 500.0).run(4.0))
    start = vehicle.snapshot()
    right = mirrored_log(drive, 1)
    vehicle.restore(start)
    left = mirrored_log(drive, -1)
    assert abs(right[-1, 5]) > 0.2 and np.ptp(right[:, 6]) > 0.5  # yaw rate; load of a front wheel
    assert left == pytest.approx(right, abs=1e-9)
