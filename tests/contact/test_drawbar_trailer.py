"""Textbook results of a trailer on a drawbar, at two step sizes: straight ahead, in reverse, jack-knifing."""

import math

import numpy as np
import pytest
from plain_tires import on_plain_tires
from test_analytic import TICKS, at_both

from driving_sandbox.physics.ground.arrays import FRICTION
from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import COMMAND, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text
from driving_sandbox.physics.world.world import World

WHEELS = ("fl", "fr", "rl", "rr")
SPRINGS = {"stiffness": 200e3, "damping": 20e3, "sprung_mass": 2000.0}  # of the car, in N/m, N s/m, kg
DRAWBAR = 4.0  # m
TRAILER = f"""
name: Drawbar
type: trailer
components: {{tire: combined_slip}}
axles: {{axle: [l, r]}}
body: {{mass: 400, centre_of_mass: [0, 0.05, 0.4], box_size: [1.6, 2, 0.6]}}
wheel:
  all: {{radius: 0.32, half_width: 0.1, mass: 15, damping: 0}}
suspension:
  all: {{attachment: [0.8, 0, 0.4], travel: 0.2, stiffness: 40000, damping: 3000}}
tire:
  all: {{lateral_stiffness: 120000, longitudinal_stiffness: 90000, rolling_resistance: 0}}
brakes: {{all: {{max_torque: 1000}}}}
contact: {{hitch_front: [0, {DRAWBAR}, 0.4]}}
"""


def rotation_about_z(vehicle):
    """Heading of a level vehicle, rad."""
    q = vehicle.model_orientation()
    return 2.0 * math.atan2(q[2], q[3])


class Towed:
    """A heavy car with a light trailer on a drawbar of 4 m, rolling at `speed`, m/s, articulated by `angle`, rad."""

    def __init__(self, tick, angle, speed):
        car = on_plain_tires("offroader")
        car.set_many({"contact.hitch_rear": [0.0, -2.0, 0.4], "aero.drag_area": 0.0, "body.mass": 8000.0,
                      "body.principal_inertia": [30000.0, 8000.0, 30000.0],
                      **{f"brakes.{w}.handbrake_torque": 6000.0 for w in WHEELS[2:]},
                      **{f"suspension.{w}.{key}": v for w in WHEELS for key, v in SPRINGS.items()}})  # fmt: skip
        car.trailers = (load_vehicle_text(TRAILER),)
        self.world = World(Ground(Plane(0.0, 0)), [car], tick_seconds=tick)
        self.car, self.trailer = self.world.vehicles
        self.command = np.zeros(1, COMMAND)
        self.command["gear"] = NEUTRAL
        self.world.place(0, (0.0, 0.0), 0.0)
        self.run(1.0)
        self.swing(angle)
        self.run(0.5)
        self.roll(speed)

    def swing(self, angle):
        """Rotate the trailer about the coupling."""
        front = np.add(self.car.model_position(), rotate(self.car.model_orientation(), (0.0, -2.0, 0.4)))
        z = self.trailer.model_position()[2]
        origin = front[:2] - DRAWBAR * np.array([-math.sin(angle), math.cos(angle)])
        self.trailer.put((*origin.tolist(), z), (0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2)))

    def roll(self, speed):
        """Set the car rolling at `speed`, m/s, and the trailer at that speed's component along its own axis."""
        for v in (self.car, self.trailer):
            own_speed = speed * (1.0 if v is self.car else math.cos(self.angle()))
            v.state["body"]["velocity"][0] = rotate(v.model_orientation(), (0.0, own_speed, 0.0))
            v.state["wheel"]["omega"][0, : v.wheel_count] = own_speed / v.params["wheel"]["radius"][0, : v.wheel_count]

    def run(self, seconds):
        for _ in range(round(seconds / self.world.tick_seconds)):
            assert self.world.step(self.command) is None
        return self

    def angle(self):
        """Articulation angle, rad: heading of the trailer less the car's."""
        angle = rotation_about_z(self.trailer) - rotation_about_z(self.car)
        return (angle + math.pi) % (2 * math.pi) - math.pi


def articulation(tick, angle, speed, seconds):
    """Array of (distance of the car from its start, m; tangent of half the articulation angle), a row per 0.05 s."""
    towed = Towed(tick, angle, speed)
    start, samples = np.array(towed.car.model_position()), []
    for _ in range(round(seconds / 0.05)):
        samples.append((np.linalg.norm(np.array(towed.car.model_position()) - start), math.tan(towed.angle() / 2.0)))
        towed.run(0.05)
    return np.array(samples)


def slope_of_log(samples):
    """Slope of the logarithm of the second column with respect to the first one, 1/m."""
    return np.polyfit(samples[:, 0], np.log(np.abs(samples[:, 1])), 1)[0]


def test_a_drawbar_trailer_straightens_out():
    """Towed straight ahead, tan(theta / 2) falls with exp(-s / L): its e-folding length is L = 4.0 m, within 2 %."""

    def folding_length(tick):
        return -1.0 / slope_of_log(articulation(tick, math.radians(20.0), speed=2.0, seconds=3.0))

    at_both(folding_length, DRAWBAR, 0.02 * DRAWBAR)


def test_a_drawbar_trailer_folds_up_in_reverse():
    """In reverse the angle grows by the same law: from 5 to 45 degrees in 9.0 m, within 2 %."""

    def distance(tick):
        samples = articulation(tick, math.radians(5.0), speed=-2.0, seconds=6.0)
        angles = 2.0 * np.degrees(np.arctan(np.abs(samples[:, 1])))
        return np.interp(45.0, angles, samples[:, 0]) - np.interp(5.0, angles, samples[:, 0])

    expected = DRAWBAR * math.log(math.tan(math.radians(22.5)) / math.tan(math.radians(2.5)))
    assert expected == pytest.approx(9.0, abs=0.01)
    at_both(distance, expected, 0.02 * expected)


def fold_after(tick, locked):
    """Largest articulation angle in 3 s, degrees, of a train at 15 m/s on friction 0.3.

    The car yaws at 15 deg/s initially; locked: whether its handbrake locks the rear wheels.
    """
    towed = Towed(tick, angle=0.0, speed=15.0)
    towed.world.ground.arrays.surfaces[:, FRICTION:] = 0.3
    towed.car.state["body"]["angular_velocity"][0, 2] = math.radians(15.0)
    towed.command["handbrake"] = 1.0 if locked else 0.0
    largest = 0.0
    for _ in range(60):
        largest = max(largest, abs(math.degrees(towed.run(0.05).angle())))
    return largest


def test_a_locked_drive_axle_jack_knifes():
    """Articulation exceeds 45 degrees within 3 s; with rolling wheels it stays below 10."""
    for tick in TICKS:
        angles = fold_after(tick, locked=True), fold_after(tick, locked=False)
        assert angles[0] > 45.0 and angles[1] < 10.0, (tick, angles)
