"""A car and a trailer on a ball hitch: pulled, braked, jack-knifed, parked, at the angle limit; a chain of three."""

import math

import numpy as np
import pytest
from hitch_gap import hitch_gap

from driving_sandbox.physics.contact.hitch import relative_roll
from driving_sandbox.physics.ground.ground import Ground, Heightfield, Plane
from driving_sandbox.physics.maths.quat import from_axis_angle, multiply, rotate, to_matrix
from driving_sandbox.physics.tick.commands import COMMAND, FIRST, NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text
from driving_sandbox.physics.world.placing import hitch_position
from driving_sandbox.physics.world.world import World

GRAVITY = 9.81  # m/s^2, of worlds by default
RIGHT, FORWARD, UP = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TRAILER = """
name: Trailer
type: trailer
components: {tire: combined_slip}
axles: {axle: [l, r]}
body: {mass: 1200, centre_of_mass: [0, 0.25, 0.7], box_size: [2, 3.5, 1.2]}
wheel:
  all: {radius: 0.32, half_width: 0.1, mass: 20}
suspension:
  all: {attachment: [0.9, 0, 0.45], travel: 0.2, stiffness: 45000, damping: 4000}
tire:
  all: {lateral_stiffness: 80000, longitudinal_stiffness: 90000}
brakes:
  all: {max_torque: 1500}
contact: {hitch_front: [0, 3.2, 0.45], hitch_rear: [0, -2.2, 0.45]}
"""


def rotation_about_z(vehicle):
    """Heading of a level vehicle, rad."""
    q = vehicle.model_orientation()
    return 2.0 * math.atan2(q[2], q[3])


class Rig:
    """The offroader and its trailers on a ground; `largest_gaps[k]`: largest gap at trailer k's hitch so far, m.

    Args:
        trailers: their number.
        limit: of the articulation of the first trailer, rad.
        order: in which the train's hitches and vehicles are solved.
        trailer_values: {path: value} of all trailers.
    """

    def __init__(self, ground=None, trailers=1, heading=0.0, limit=None, order="serial", trailer_values=None):
        self.ground = Ground(Plane(0.0, 0)) if ground is None else ground
        tractor = load_vehicle("offroader")
        tractor.set_many({"contact.hitch_rear": [0.0, -2.5, 0.45]})
        tractor.info["trailer_order"] = order
        tractor.trailers = tuple(load_vehicle_text(TRAILER) for _ in range(trailers))
        if limit is not None:
            tractor.trailers[0].set("contact.hitch_limit", limit)
        for trailer in tractor.trailers:
            trailer.set_many(trailer_values or {})
        self.world = World(self.ground, [tractor])
        self.vehicles = self.world.vehicles
        self.world.place(0, (0.0, 0.0), heading)
        self.command = np.zeros(1, COMMAND)
        self.command["gear"] = NEUTRAL
        self.largest_gaps = [0.0] * (trailers + 1)

    def run(self, seconds):
        """Step the world with the present command."""
        for _ in range(round(seconds * 240)):
            assert self.world.step(self.command) is None
            for k in range(1, len(self.vehicles)):
                self.largest_gaps[k] = max(self.largest_gaps[k], hitch_gap(self.vehicles[k - 1], self.vehicles[k]))
        return self

    def set(self, **values):
        """Change fields of the command."""
        for name, value in values.items():
            self.command[name] = value
        return self

    def speed(self, k=0):
        """Speed of vehicle k, m/s; 0 is the offroader."""
        return float(np.linalg.norm(self.vehicles[k].state["body"]["velocity"][0]))

    def articulation(self):
        """Heading of the first trailer less the car's, rad."""
        angle = rotation_about_z(self.vehicles[1]) - rotation_about_z(self.vehicles[0])
        return (angle + math.pi) % (2 * math.pi) - math.pi


@pytest.fixture(scope="module")
def rolling():
    """A Rig after 5 s of driving off in first gear."""
    rig = Rig().run(2)
    rig.set(throttle=0.8, gear=FIRST).run(5)
    return rig


@pytest.mark.covers("PX-JOINT-01")
def test_pulling_keeps_the_coupling_on_the_ball(rolling):
    assert rolling.speed() > 4.0
    assert rolling.speed(1) == pytest.approx(rolling.speed(), abs=0.1)
    assert rolling.largest_gaps[1] < 1e-3


def test_at_rest_the_ball_has_its_static_load():
    rig = Rig().run(5)
    assert rig.speed() < 1e-3
    trailer = rig.vehicles[1]
    substeps_per_second = 960.0  # force = impulse of a substep times this
    _, pull, vertical = trailer.state["contact"]["solver"]["hitch"]["ball_impulse"][0] * substeps_per_second
    axle, ball = trailer.model_position()[1], hitch_position(trailer, "hitch_front")
    # Equilibrium of moments about the axle's contacts; sticky tires keep a longitudinal force at the ball.
    weight = 1200 * GRAVITY * (trailer.state["body"]["position"][0, 1] - axle)
    assert vertical == pytest.approx((weight + pull * ball[2]) / (ball[1] - axle), rel=0.005)
    assert vertical == pytest.approx(1200 * GRAVITY * 0.25 / 3.2, rel=0.05)  # level, without longitudinal force
    loads = sum(v.state["tire"]["load"][0, :n].sum() for v, n in zip(rig.vehicles, (4, 2), strict=True))
    weight = GRAVITY * sum(v.get("body.mass") for v in rig.vehicles)
    assert loads == pytest.approx(weight, rel=1e-3)


@pytest.mark.covers("PX-JOINT-01")
def test_braking_hard_and_a_slalom_move_the_coupling_less_than_a_millimetre():
    rig = Rig().run(1)
    rig.set(throttle=1.0, gear=FIRST).run(4)
    for steer in (0.5, -0.5, 0.5):
        rig.set(steer=steer).run(1.2)
    assert abs(rig.articulation()) > 0.05
    rig.set(throttle=0.0, brake=1.0, steer=0.0).run(3)
    assert rig.speed() < 0.02
    assert rig.largest_gaps[1] < 1e-3


def test_a_jack_knife_moves_the_coupling_less_than_a_millimetre():
    rig = Rig().run(1)
    rig.set(throttle=1.0, gear=FIRST).run(5)
    rig.vehicles[1].state["body"]["angular_velocity"][0, 2] = 2.5
    rig.set(throttle=0.0, handbrake=1.0, steer=1.0).run(3)
    assert rig.largest_gaps[1] < 1e-3


def test_the_articulation_stays_within_its_limit():
    """Jack-knifing in reverse, it reaches the limit of 0.5 rad; without a limit it exceeds 0.6 rad."""
    rig = Rig(limit=0.5).run(1)
    rig.set(throttle=0.5, gear=REVERSE, steer=1.0)  # jack-knifes in reverse with steering
    largest_angle = 0.0
    for _ in range(80):
        rig.run(0.1)
        largest_angle = max(largest_angle, abs(rig.articulation()))
    assert 0.49 < largest_angle < 0.505
    free = Rig().run(1)
    free.set(throttle=0.5, gear=REVERSE, steer=1.0).run(8)
    assert abs(free.articulation()) > 0.6
    assert rig.largest_gaps[1] < 1e-3


@pytest.mark.parametrize("side", [1.0, -1.0], ids=["right", "left"])
def test_a_fifth_wheel_lets_a_trailer_roll_by_no_more_than_its_play(side):
    """Pushed into roll, the trailer rolls relative to the car by the play of 0.03 rad, on a ball by over 0.08 rad."""

    def largest_roll(play):
        rig = Rig(trailer_values={"contact.hitch_roll": play}).run(1)
        trailer = rig.vehicles[1]
        trailer.state["body"]["angular_velocity"][0] = (0.0, side * 2.0, 0.0)
        sine = 0.0
        for _ in range(120):
            rig.run(1.0 / 240.0)
            right, up = rotate(rig.vehicles[0].model_orientation(), RIGHT), rotate(trailer.model_orientation(), UP)
            sine = max(sine, side * float(np.dot(right, up)))
        assert rig.largest_gaps[1] < 1e-3
        return math.asin(sine)

    assert largest_roll(math.pi) > 0.08
    assert 0.029 < largest_roll(0.03) < 0.032


def test_the_play_of_a_fifth_wheel_is_in_roll_not_pitch_or_articulation():
    """The plate tilts about the front vehicle's lateral axis, the trailer rotates about its vertical axis."""
    front = from_axis_angle((0.6, 0.0, 0.8), 0.4)
    for pitch, roll, articulation in ((0.2, 0.0, 1.2), (-0.3, 0.1, 0.0), (0.1, -0.25, -0.9)):
        roll_and_yaw = multiply(from_axis_angle(FORWARD, roll), from_axis_angle(UP, articulation))
        rear = multiply(front, multiply(from_axis_angle(RIGHT, pitch), roll_and_yaw))
        angle, axis = relative_roll(to_matrix(front), to_matrix(rear))
        assert angle == pytest.approx(abs(roll), abs=1e-12)
        rolled_on = multiply(from_axis_angle(axis, 1e-3), rear)
        assert relative_roll(to_matrix(front), to_matrix(rolled_on))[0] == pytest.approx(angle + 1e-3, abs=1e-9)


def slope(degrees):
    """Ground rising along +y."""
    n = 41
    y = -640 + 32.0 * np.arange(n)
    heights = np.repeat((math.tan(math.radians(degrees)) * y)[:, None], n, axis=1).astype(np.float32)
    return Ground(Heightfield(heights, np.zeros((n - 1, n - 1), np.uint8), (-640.0, -640.0), 32.0))


def test_a_train_parked_on_a_slope_with_its_trailer_unbraked_does_not_creep():
    rig = Rig(slope(10), trailer_values={f"brakes.{w}.max_torque": 0.0 for w in "lr"}).set(brake=1.0).run(6)
    before = [v.state["body"]["position"][0].copy() for v in rig.vehicles]
    rig.run(10)
    for vehicle, position in zip(rig.vehicles, before, strict=True):
        assert np.linalg.norm(vehicle.state["body"]["position"][0] - position) < 1e-3


@pytest.mark.covers("PX-JOINT-03")
def test_a_train_at_rest_starts_at_once():
    rig = Rig().run(5)
    start = rig.vehicles[1].state["body"]["position"][0].copy()
    rig.set(throttle=1.0, gear=FIRST).run(1.0)
    assert rig.vehicles[1].state["body"]["position"][0, 1] - start[1] > 0.1


def test_the_couplings_of_a_chain_of_three_move_less_than_a_millimetre():
    rig = Rig(trailers=2).run(2)
    rig.set(throttle=1.0, gear=FIRST).run(4)
    rig.set(steer=0.4).run(2)
    assert rig.speed(2) > 1.5
    assert max(rig.largest_gaps) < 1e-3


def test_the_ball_keeps_the_momentum_of_both_vehicles():
    """In the air only the ball acts between the two, so their total momentum is constant."""
    rig = Rig()
    for vehicle, speed in zip(rig.vehicles, (3.0, -1.0), strict=True):
        body = vehicle.state["body"][0]
        body["position"][2] += 50.0
        body["velocity"] = (speed, 0.0, 0.0)
    rig.world.context["air_density"] = 0.0
    masses = [v.get("body.mass") for v in rig.vehicles]
    before = masses[0] * 3.0 - masses[1]
    rig.run(0.5)
    after = sum(m * v.state["body"]["velocity"][0, 0] for m, v in zip(masses, rig.vehicles, strict=True))
    assert after == pytest.approx(before, rel=1e-9)
    assert rig.largest_gaps[1] < 5e-3
