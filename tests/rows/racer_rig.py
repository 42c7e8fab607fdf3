"""The clubsport with changed values, on the road or in free fall, and its channels tick by tick."""

import numpy as np
from drive_rig import Drive

from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TICK = 1.0 / 240.0  # s
AXLE_RATIO = 4.1  # final drive ratio of the clubsport, in its rear differential
# Gears without losses, and a body on which the engine acts only by its own torque_reaction
IDEAL = {"gearbox.efficiency": [1.0], "gearbox.final_efficiency": 1.0, "body.crankshaft": [0.0, 0.0, 0.0]}
# No roll centres and no air, which act on the model's centre line or at its ground, wherever the other points are
UNMOVED = {f"aero.{name}": 0.0 for name in (
    "drag_coefficient", "drag_over_yaw", "side_force_slope", "yaw_moment_slope", "front_lift_coefficient",
    "rear_lift_coefficient", "front_lift_over_rake", "rear_lift_over_rake")} | {
    f"suspension.{wheel}.roll_centre_height": 0.0 for wheel in ("fl", "fr", "rl", "rr")}  # fmt: skip


def car(**values):
    """The clubsport with IDEAL; `engine__friction=3` sets engine.friction."""
    vehicle = load_vehicle("clubsport")
    vehicle.set_many(IDEAL | {path.replace("__", "."): value for path, value in values.items()})
    return vehicle


def on_road(**values):
    """The clubsport at rest on flat asphalt, engine idling, in neutral."""
    return Drive(car(**values)).run(1.0, brake=1.0)


def in_air(tick=TICK, **values):
    """The clubsport in free fall from 800 m, high enough for several seconds in the air."""
    return Drive(car(**values), position=(0.0, 0.0, 800.0), tick=tick)


def read(drive, name):
    """Present value of a channel."""
    return drive.vehicle.read(name)


def trace(drive, seconds, *names, **commands):
    """{name: array} of channels after every tick while commands are held."""
    rows = drive.log(seconds, lambda d: [read(d, name) for name in names], every=drive.dt, **commands)
    return dict(zip(names, np.asarray(rows, float).T, strict=True))


def roll(drive, speed, gear):
    """Set a settled car rolling straight ahead in a gear, with the engine at the speed of the wheels; speed: m/s."""
    v = drive.vehicle
    v.state["body"]["velocity"][0] = rotate(v.model_orientation(), (0.0, speed, 0.0))
    n = v.wheel_count
    v.state["wheel"]["omega"][0, :n] = speed / v.params["wheel"]["radius"][0, :n]
    engage(drive, gear)
    return drive


def engage(drive, gear):
    """Engage a gear without a shift; engine and input shaft get the speed that matches the rear wheels."""
    v = drive.vehicle
    v.state["gearbox"]["current_gear"] = v.state["gearbox"]["target_gear"] = gear
    input_omega = v.get("gearbox.ratios")[gear] * AXLE_RATIO * float(v.state["wheel"]["omega"][0, 2:4].mean())
    v.state["engine"]["omega"] = input_omega
    v.state["engine"]["running"] = v.state["engine"]["initialized"] = 1
    v.state["drivetrain"]["input_omega"] = input_omega
    return drive
