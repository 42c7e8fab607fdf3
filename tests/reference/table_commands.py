"""Our results for PhysX's tables of command response, steering, brakes and direct drive.

A function gets a row of its table and yields (channel, our value, the table's, scale of its error) for every channel,
see table_harness.py.

In the tables the lateral axis points left and a positive steer command turns left; our command is positive to the
right. Angles are positive to the left in both.
"""

from table_harness import function
from table_records import WHEEL_PARAMS, new

from driving_sandbox.physics.brakes.response import BrakeParams, brake_torque
from driving_sandbox.physics.command.response import steer_response
from driving_sandbox.physics.drivetrain.actuation import (
    ActuationState,
    flag_direct_wheel,
)
from driving_sandbox.physics.drivetrain.direct import DirectDriveParams, direct_torque
from driving_sandbox.physics.drivetrain.wheel_speed import free_wheel_speed
from driving_sandbox.physics.maths.curve import response
from driving_sandbox.physics.schema.schema import ResponseTable
from driving_sandbox.physics.steering.ackermann import reference_angles
from driving_sandbox.physics.steering.response import SteeringParams, steer_angle

RESPONSE = ResponseTable().dtype()


def command_table(row, prefix=""):
    """The response table of a row as a parameter record; prefix: of its columns."""
    table = new(RESPONSE)
    table["count"] = int(row[f"{prefix}nb_commands"])
    table["command"] = row[f"{prefix}command_values"]
    table["point_count"] = row[f"{prefix}nb_speeds"]
    table["speed"] = row[f"{prefix}speeds"]
    table["response"] = row[f"{prefix}responses"]
    return table


@function("command_response")
def command_response(row):
    """Response to a command, linear and by a table."""
    full = row["max_response"] * row["multiplier"]
    size = row["max_response"]
    yield "linear", row["command"] * full, row["out_linear"], size
    value = response(command_table(row), row["command"], row["speed"]) * full
    yield "nonlinear", value, row["out_nonlinear"], size


@function("steer_response")
def steering(row):
    """Steering angle of a wheel for a command and a speed."""
    wheel = new(SteeringParams.dtype, max_angle=row["max_response"] * row["multiplier"])
    # a command of 0 counts as positive in both, so that its angle has the opposite sign in the other frame
    steer = -row["steer"] if row["steer"] != 0 else 0.0
    angle = steer_angle(wheel, steer_response(command_table(row), steer, row["speed"]))
    yield "steer_angle", -angle if row["steer"] == 0 else angle, row["out_steer_angle"], row["max_response"]


@function("ackermann")
def ackermann(row):
    """Steer angles of both wheels of an axle, of which the row's wheel 0 is the right one."""
    full = row["max_response"]
    left, right = reference_angles(
        -row["steer"], full * row["mult1"], full * row["mult0"], row["strength"], row["wheelbase"], row["track"]
    )
    if row["steer"] * (row["mult0"] + row["mult1"]) == 0.0 or row["strength"] == 0.0:
        left, right = row["prior1"], row["prior0"]  # the component keeps the angles
    yield "steer_left", left, row["out_steer1"], full
    yield "steer_right", right, row["out_steer0"], full


@function("brake_response")
def brakes(row):
    """Torque of brake and handbrake together on a wheel."""
    full = [row[f"b{b}_max_response"] * row[f"b{b}_multiplier"] for b in (0, 1)]
    normalised = [
        response(command_table(row, f"b{b}_"), row["brakes"][b], row["speed"]) if b < row["nb_brakes"] else 0.0
        for b in (0, 1)
    ]
    wheel = new(BrakeParams.dtype, max_torque=full[0], handbrake_torque=full[1])
    size = max(abs(full[0]), abs(full[1]))
    yield "brake_torque", brake_torque(wheel, normalised[0], normalised[1]), row["out_brake_torque"], size


@function("direct_throttle_response")
def direct_throttle(row):
    """Drive torque of a direct drive for a command, a speed and a gear."""
    wheel = new(DirectDriveParams.dtype, max_torque=row["max_response"] * row["multiplier"])
    throttle = response(command_table(row), row["throttle"], row["speed"])
    torque = direct_torque(wheel, throttle, int(row["gear"]))
    yield "drive_torque", torque, row["out_drive_torque"], row["max_response"]


@function("direct_actuation")
def direct_actuation(row):
    """Whether brake and drive act on a wheel."""
    flags = new(ActuationState.dtype)
    flag_direct_wheel(flags, row["brake_torque"], row["drive_torque"])
    yield "brake_applied", flags["brake_applied"], row["out_is_brake_applied"], None
    yield "drive_applied", flags["drive_applied"], row["out_is_drive_applied"], None


@function("direct_drive_update")
def direct_drive(row):
    """Speed of a directly driven wheel after a step."""
    inertia, damping = row["wheel"][3:5]
    wheel = new(WHEEL_PARAMS, inertia=inertia, damping=damping)
    omega = free_wheel_speed(
        wheel, row["omega"], row["tire_torque"], row["drive_torque"], row["brake_torque"],
        int(row["is_brake_applied"]), row["dt"],
    )  # fmt: skip
    torques = abs(row["tire_torque"]) + abs(row["drive_torque"]) + row["brake_torque"]
    yield "omega", omega, row["out_omega"], abs(row["omega"]) + row["dt"] / inertia * torques
