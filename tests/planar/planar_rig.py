"""The planar roadster on a plane, and values of the article's examples."""

import math

import numpy as np
from drive_rig import Drive

from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

WHEELS = ("fl", "fr", "rl", "rr")
RAD_S_PER_RPM = 2.0 * math.pi / 60.0  # rad/s
ARTICLE = {  # the article's examples: mass, distances of the axles from the center of mass, wheel radius (m, b, c, r)
    "body.mass": 1200.0, "body.front_axle": 1.1, "body.rear_axle": 1.4,
    **{f"wheel.{w}.radius": 0.33 for w in WHEELS},
}  # fmt: skip
NO_AIR = {"aero.frontal_area": 0.0, "aero.side_area": 0.0}
NO_ROLLING = {"rolling.coefficient": 0.0}
NO_SIDE_FORCE = {f"tire.{w}.side_friction": 0.0 for w in WHEELS}
FREE = {**NO_AIR, **NO_ROLLING, **NO_SIDE_FORCE}  # no drag, rolling resistance or lateral tire force


def flat_engine(torque, ratio=3.6, final=3.38, efficiency=0.9, redline=700.0):
    """Values of an engine with the same torque, N m, at all speeds, and a gearbox with three forward gears.

    ratio: of first gear; second and third have 0.6 and 0.4 times as much. redline: rad/s.
    """
    return {
        "engine.torque_table": [[0.0, torque]], "engine.max_omega": redline, "engine.floor_omega": 0.0,
        "gearbox.ratios": [-3.0, 0.0, ratio, 0.6 * ratio, 0.4 * ratio], "gearbox.final_ratio": final,
        "gearbox.efficiency": efficiency,
    }  # fmt: skip


class Planar(Drive):
    """A planar roadster on the plane, with ticks of `tick` s.

    `going` sets its motion; the method `tick` simulates ticks and keeps the gear unless one is given.
    """

    def __init__(self, values=None, components=None, tick=1.0 / 240.0, heading=0.0):
        vehicle = load_vehicle("planar_roadster")
        for slot, choice in (components or {}).items():
            vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, slot, choice))
        super().__init__(vehicle, values=values, tick=tick, heading=heading)

    def going(self, ahead=0.0, right=0.0, rate=0.0, gear=FIRST):
        """Set velocity along the body's axes, m/s, yaw rate, rad/s, and gear."""
        body = self.vehicle.state["body"][0]
        c, s = math.cos(self.heading), math.sin(self.heading)
        body["velocity"] = (-s * ahead + c * right, c * ahead + s * right, 0.0)
        body["angular_velocity"] = (0.0, 0.0, rate)
        self.vehicle.state["gearbox"]["current_gear"] = gear
        self.vehicle.state["autobox"]["gear"] = gear
        return self

    def tick(self, count=1, **values):
        """Simulate ticks with these commands."""
        values.setdefault("gear", int(self.vehicle.state["gearbox"]["current_gear"][0]))
        return self.ticks(self.commands(count, **values))

    def read(self, name):
        return self.vehicle.read(name)

    def sum(self, slot, name):
        """Sum of a wheel channel over the wheels."""
        return float(self.wheels(slot, name).sum())

    @property
    def heading(self):
        """Angle of the forward axis from +y to the left, rad."""
        q = self.body("orientation")
        return 2.0 * math.atan2(q[2], q[3])

    @property
    def travelled(self):
        """Distance from the origin, m."""
        return float(np.hypot(*self.body("position")[:2]))
