"""Helpers that load the patrol car with changed values and drive, roll or drop it in any gear."""

import re

import numpy as np
from drive_rig import Drive
from stingray_rig import read, roll  # noqa: F401 - for the tests that drive this car, too

from driving_sandbox.physics.tick.commands import AUTOMATIC
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text

WHEELS = ("fl", "fr", "rl", "rr")
TICK = 1.0 / 240.0  # s
RAD_S_PER_RPM = np.pi / 30.0  # rad/s per r/min
DEGREE = np.pi / 180.0  # rad per degree
FIRST, SECOND, THIRD = 2, 3, 4  # indices of the gears; 0 is reverse, 1 neutral
NO_LOSSES = {"aero.drag_area": 0.0, "aero.side_drag_area": 0.0, "driving_state.damping_vehicle": 0.0}


def each_wheel(slot, wheels=WHEELS, **values):
    """{path: value} for the same values on several wheels."""
    return {f"{slot}.{wheel}.{key}": value for wheel in wheels for key, value in values.items()}


NO_LOSSES |= each_wheel("brakes", axle_friction=0.0)


def grip(friction, wheels=WHEELS):
    """Values that set the friction of some wheels, whatever the ground is."""
    return each_wheel("road", wheels, min_friction=friction, max_friction=friction)


def text(*changes):
    """The patrol car's file with (pattern, replacement) pairs applied; each must be found."""
    content = (VEHICLE_FOLDER / "patrol.yaml").read_text(encoding="utf8")
    for pattern, replacement in changes:
        content, count = re.subn(pattern, replacement, content, count=1)
        assert count == 1, pattern
    return content


def from_text(*changes):
    """The patrol car loaded from its file with (pattern, replacement) pairs applied."""
    return load_vehicle_text(text(*changes), str(VEHICLE_FOLDER / "changed.yaml"))


def drive(values=None, seconds=1.0, **drive_arguments):
    """The patrol car with changed values on flat asphalt, after `seconds` without commands.

    drive_arguments: further arguments of Drive, for instance another ground.
    """
    return Drive(load_vehicle("patrol"), values=values, **drive_arguments).run(seconds)


def falling(values=None, speed=0.0, tick=TICK):
    """The patrol car with changed values, without losses, in free fall with a forward speed, m/s.
    Each tick has one substep.
    """
    d = Drive(load_vehicle("patrol"), values={**NO_LOSSES, **(values or {})}, position=(0.0, 0.0, 900.0), tick=tick)
    d.world.context["substep_count"] = 1
    d.vehicle.state["body"]["velocity"][0] = (0.0, speed, 0.0)
    return d


def in_gear(d, gear, clutch=1.0, held=0.0):
    """Set the states of gearbox, clutch and engine to those long after a gear was engaged.

    clutch: 1 closed, 0 open.
    held: `held_omega` of the engine, rad/s.
    """
    s = d.vehicle.state
    for name in ("current_gear", "target_gear"):
        s["gearbox"][name] = gear
    s["clutch"]["gear"] = s["engine"]["gear"] = gear
    s["clutch"]["position"] = s["clutch"]["normalised"] = clutch
    s["engine"]["held_omega"] = held
    s["engine"]["omega"] = 250.0  # rad/s, between the speeds of down and up shifts
    return d


def spin(d, *rates):
    """Set the angular velocities of the wheels, rad/s."""
    d.vehicle.state["wheel"]["omega"][0, : len(rates)] = rates
    return d


def go(d, seconds, **commands):
    """Hold commands for some seconds, with the gearbox in automatic unless they say otherwise."""
    return d.run(seconds, **{"gear": AUTOMATIC, **commands})


def record(d, seconds, *names, **commands):
    """Values of channels after every tick while commands are held: an array with a row per tick, a column per name."""
    return d.log(seconds, lambda d: [read(d, n) for n in names], every=d.dt, **{"gear": AUTOMATIC, **commands})
