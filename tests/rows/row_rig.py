"""Helpers of the tests in this folder, which check the rows of docs/systems.yaml: one rule or parameter per row.

They set values on several wheels, call one kernel, and make a car that only heaves or that rolls straight ahead.
"""

import numpy as np
from drive_rig import Drive

from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.tick.binding import argument_names
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

WHEELS = ("fl", "fr", "rl", "rr")
NO_AIR = {"aero.drag_area": 0.0, "aero.side_drag_area": 0.0, "aero.downforce_area": 0.0}


def each_wheel(slot, wheels=WHEELS, **values):
    """{path: value} for the same values on several wheels."""
    return {f"{slot}.{wheel}.{key}": value for wheel in wheels for key, value in values.items()}


def kernel_view(array):
    """Records in the form that kernels expect: arrays if compiled, recarrays in plain Python."""
    return array if JIT else array.view(np.recarray)


def call(vehicle, slot, phase="update", dt=1.0 / 960.0, kernel=None):
    """Run one phase of the component in a slot of a vehicle on the vehicle's records, and return its result.

    dt: time step, s.
    kernel: function to run instead of the phase.
    """
    component = vehicle.sequence.by_slot[slot]
    kernel = component.phases[phase] if kernel is None else kernel

    def record(records, name):
        block = kernel_view(records)[name]
        return kernel_view(block[0]) if component_of(name).per_wheel else block[0]

    def component_of(name):
        component = vehicle.sequence.by_slot[name]
        return component.state or component.params

    values = {"wheel_count": vehicle.wheel_count, "dt": dt, "context": kernel_view(vehicle.context)[0],
              "command": kernel_view(neutral_command())[0],
              "external": kernel_view(np.zeros(1, EXTERNAL))[0]}  # fmt: skip
    arguments = []
    for name in argument_names(kernel):
        if name == "params":
            arguments.append(record(vehicle.params, slot))
        elif name == "state":
            arguments.append(record(vehicle.state, slot))
        elif name == "scratch":
            arguments.append(kernel_view(vehicle.scratch)[slot][0])
        elif name.endswith("_params"):
            arguments.append(record(vehicle.params, name.removesuffix("_params")))
        else:
            arguments.append(values[name] if name in values else record(vehicle.state, name))
    return kernel(*arguments)


def car_with_equal_corners(mass=1500.0, stiffness=35000.0, damping=0.0, **values):
    """A roadster with four equal corners and its centre of mass in the middle, so that a vertical push only heaves it.

    mass: kg.
    stiffness: of each spring, N/m.
    damping: of each damper, N s/m.
    """
    vehicle = load_vehicle("roadster_simple")
    vehicle.set_many({
        **NO_AIR, "body.mass": mass, "body.centre_of_mass": [0.0, 0.0, 0.46],
        **each_wheel("suspension", stiffness=stiffness, damping=damping, travel=0.4),
        **each_wheel("compliance", camber=[], toe=[], tire_force_point=[], suspension_force_point=[]), **values,
    })  # fmt: skip
    return vehicle


def heave(vehicle, seconds=3.0, push=0.02):
    """Height of the body above its rest position, m, sampled at 240 Hz for `seconds`.
    A constant force first holds the body `push` m below its rest position; sampling starts when the force ends.
    """
    drive = Drive(vehicle)
    changes = each_wheel("suspension", damping=6000.0)
    original = {path: vehicle.get(path) for path in changes}
    vehicle.set_many(changes)
    rest = drive.run(4.0).body("position")[2]
    drive.run(4.0, force=(0.0, 0.0, -push * sum(vehicle.get(f"suspension.{w}.stiffness") for w in WHEELS)))
    vehicle.set_many(original)
    return drive.log(seconds, lambda d: d.body("position")[2] - rest, every=1 / 240)


def peaks(z, min_height=2e-4):
    """Indices of the maxima above `min_height` of a decaying oscillation."""
    return [i for i in range(1, len(z) - 1) if z[i] > z[i - 1] and z[i] >= z[i + 1] and z[i] > min_height]


def rolling(drive, speed):
    """Give a settled car a forward speed, m/s, and its wheels the matching angular velocity."""
    q = tuple(drive.body("orientation").tolist())
    state, n = drive.vehicle.state, drive.vehicle.wheel_count
    state["body"][0]["velocity"] = rotate(q, (0.0, speed, 0.0))
    state["wheel"][0]["omega"][:n] = speed / drive.vehicle.params["wheel"][0]["radius"][:n]
    return drive


def yaw_rate(drive):
    """Angular velocity about the body's own vertical axis, rad/s, positive to the left."""
    q = tuple(drive.body("orientation").tolist())
    return rotate_inverse(q, tuple(drive.body("angular_velocity").tolist()))[2]


def roll_and_pitch(drive):
    """(roll, positive with the right side down; pitch, positive with the nose up) of the body, rad; small angles."""
    q = tuple(drive.body("orientation").tolist())
    right, ahead = rotate(q, (1.0, 0.0, 0.0)), rotate(q, (0.0, 1.0, 0.0))
    return -right[2], ahead[2]
