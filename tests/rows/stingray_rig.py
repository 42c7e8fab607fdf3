"""Helpers that read the sample file in Stingray's format with changed values, and drive or drop its car."""

import math
import sys
import tempfile
from pathlib import Path

import numpy as np
from drive_rig import Drive

from driving_sandbox.formats.stingray import load_stingray
from driving_sandbox.physics.maths.quat import rotate, rotate_inverse

sys.path.append(str(Path(__file__).parent.parent / "formats"))
from stingray_samples import block, changed, written

WHEELS = ("fl", "fr", "rl", "rr")


def car(axles=2, model="car", **changes):
    """The vehicle read from the sample file with changed values.

    axles: number of axles in the file.
    model: name of the model in the file.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), changed(block(axles, model), **changes), axles=axles)
        return load_stingray(path, folder=folder)["sample"].vehicle


def drive(values=None, **changes):
    """The changed sample car at rest on its springs on flat asphalt."""
    return Drive(car(**changes), values=values).run(2.0, brake=1.0)


def falling(tick=1.0 / 240.0, **changes):
    """The changed sample car in free fall, high enough for several seconds in the air."""
    return Drive(car(**changes), position=(0.0, 0.0, 400.0), tick=tick)


def roll(d, speed):
    """Set a standing car rolling straight ahead; speed: m/s."""
    v = d.vehicle
    v.state["body"]["velocity"][0] = rotate(v.model_orientation(), (0.0, speed, 0.0))
    n = v.wheel_count
    v.state["wheel"]["omega"][0, :n] = speed / v.params["wheel"]["radius"][0, :n]
    return d


def one_substep(d):
    """Use one substep per tick, so that the equations of a step hold between two ticks."""
    d.world.context["substep_count"] = 1
    return d


def pitch_and_roll(d):
    """(pitch, positive with the nose up; roll, positive with the right side down) of the body, rad."""
    q = d.vehicle.model_orientation()
    return math.asin(rotate(q, (0.0, 1.0, 0.0))[2]), -math.asin(rotate(q, (1.0, 0.0, 0.0))[2])


def wheel_in_body(d, wheel):
    """Wheel centre relative to the model's origin, in body axes, m."""
    v = d.vehicle
    offset = v.state["wheel"]["position"][0, wheel] - np.array(v.model_position())
    return np.array(rotate_inverse(v.model_orientation(), tuple(offset.tolist())))


def read(d, name):
    """Present value of a channel."""
    return d.vehicle.read(name)
