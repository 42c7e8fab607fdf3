"""The total momentum of cars and props in empty space is constant within 2 % of the transferred momentum.

Angular momentum is about the world's origin, so an impulse at a wrong point or at a wrong time is an error too.
The transferred momentum is the sum of the sizes of the impulses of a car's wheels and on its hull. Its arm is the
distance of the centres of mass, at least 1 m and at most 2.5 m.
"""

import numpy as np
import pytest
from prop_rig import coasting_command, launch, momentum, placed_prop, prop_momentum, run, throw, weightless

from driving_sandbox.physics.tick.context import EXTERNAL

TOLERANCE = 0.02  # largest change of momentum, as a share of the transferred momentum
UNDER_WHEELS = {"ramp": -0.25, "tire": -0.2, "crate": -0.69}  # m, height of a prop onto which a wheel rolls


def total_momentum(world):
    """(linear, angular about the origin) momentum of all bodies, including impulses of wheels not yet passed on."""
    count = 0 if world.props is None else len(world.props.kinds)
    parts = [momentum(v) for v in world.vehicles] + [prop_momentum(world, k) for k in range(count)]
    linear, angular = (np.sum([part[k] for part in parts], axis=0) for k in range(2))
    supports = world.between.bodywork.supports if world.props is None else world.props._support_records
    for vehicle, support in zip(world.vehicles, supports, strict=True):
        reactions = vehicle.state["wheel_reactions"][0]
        if support["count"]:
            impulse, moment = reactions["impulse"].sum(axis=0), reactions["moment"].sum(axis=0)
            linear, angular = linear - impulse, angular - moment - np.cross(support["about"], impulse)
    return linear, angular


class Drive:
    """A car that moves at a velocity towards floating props.

    spinning: whether its wheels turn at that speed. `errors` measures by_wheels and on_hulls, the sums of the sizes of
    the car's impulses, N s, and `change`, the (linear, angular) change of the total momentum.
    """

    def __init__(
        self, tmp_path, props, velocity, vehicles=("roadster_simple",), position=(0.0, 0.0, 0.0), spinning=True
    ):
        self.world = weightless(tmp_path, props, vehicles)
        self.car = self.world.vehicles[0]
        self.car.put(position, (0.0, 0.0, 0.0, 1.0))
        launch(self.car, 1.0, velocity)
        n = self.car.wheel_count
        rate = velocity[1] / self.car.params["wheel"]["radius"][0, :n] if spinning else 0.0
        self.car.state["wheel"]["omega"][0, :n] = rate
        if props:
            throw(self.world)

    def errors(self, seconds):
        """(linear, angular) change of the total momentum, as shares of the transferred momentum."""
        before, self.by_wheels, self.on_hulls = total_momentum(self.world), 0.0, 0.0
        run(self.world, seconds, coasting_command(), each=self._add_impulses)
        after = total_momentum(self.world)
        props = self.world.props
        other = self.world.vehicles[1].state["body"]["position"][0] if props is None else props.poses()[0, :3]
        arm = max(1.0, float(np.linalg.norm(other - self.car.state["body"]["position"][0])))
        transferred = self.by_wheels + self.on_hulls
        assert transferred > 1.0, "no contact"
        self.change = after[0] - before[0], after[1] - before[1]
        linear, angular = (np.linalg.norm(change) / transferred for change in self.change)
        return linear, angular / min(arm, 2.5)

    def _add_impulses(self):
        self.by_wheels += np.linalg.norm(self.car.state["wheel_reactions"]["impulse"][0], axis=1).sum()
        self.on_hulls += 0.0 if self.world.acted is None else np.linalg.norm(self.world.acted["impulse"][0])


@pytest.mark.parametrize("speed", [3.0, 10.0, 30.0])
@pytest.mark.parametrize("kind", ["ramp", "tire", "crate"])
def test_rolling_over_a_prop_conserves_momentum(tmp_path, kind, speed):
    """Suspension, bump stops, bars and tires act at different points and in several substeps, one tick late."""
    drive = Drive(tmp_path, [placed_prop(kind, 0.75, 5.0, height=UNDER_WHEELS[kind])], (0.0, speed, 0.0))
    assert max(drive.errors(8.0 / speed)) < TOLERANCE
    assert drive.by_wheels > 20.0


def test_moments_of_tires_conserve_momentum(tmp_path):
    """Tires with ten times the usual trail slip sideways on a crate.

    Their aligning and overturning moments add up to 3.4 N m s, 1.8 % of the transferred momentum times its arm.
    """
    crate = placed_prop("crate", 0.75, 5.0, height=UNDER_WHEELS["crate"])
    drive = Drive(tmp_path, [crate], (2.0, 10.0, 0.0), ("buggy",))
    drive.car.set_many({f"tire.{wheel}.trail_factor": 10.0 for wheel in drive.car.wheel_names})
    assert max(drive.errors(0.6)) < 0.05 * TOLERANCE
    assert drive.by_wheels > 20.0


@pytest.mark.parametrize(("kind", "speed", "x"), [
    ("cone", 2.0, 0.75), ("cone", 10.0, 0.75), ("cone", 40.0, 0.3), ("barrel", 5.0, 0.98),
    ("barrel", 40.0, 0.3), ("crate", 30.0, 0.75), ("tire", 2.0, 0.3), ("tire", 30.0, 0.98),
])  # fmt: skip
def test_a_hit_on_hull_or_deck_conserves_momentum(tmp_path, kind, speed, x):
    """A hit on a deck has its arm at the deck, not at the wheel's centre."""
    drive = Drive(tmp_path, [placed_prop(kind, x, 5.0, 0.3, height=-0.15)], (0.0, speed, 0.0), spinning=False)
    assert max(drive.errors(7.0 / speed)) < TOLERANCE


def test_a_car_landing_on_another_conserves_momentum(tmp_path):
    drive = Drive(
        tmp_path, [], (0.0, 0.0, -2.0), ("roadster_simple", "roadster_simple"), (0.0, 0.0, 1.9), spinning=False
    )
    drive.world.place(1, (0.2, 0.3, 0.0), 1.3)
    assert max(drive.errors(1.2)) < TOLERANCE
    assert drive.by_wheels > 100.0


@pytest.mark.parametrize("speed", [3.0, 12.0, 30.0])
def test_a_see_saw_turns_by_the_impulses_of_wheels(tmp_path, speed):
    """Its hinge may change the momentum, but not that about its axis."""
    pivot = np.array((0.0, 5.5, -0.22))
    drive = Drive(tmp_path, [placed_prop("seesaw", 0.0, 5.5, height=-0.62)], (0.0, speed, 0.0))
    drive.errors(5.0 / speed)
    linear, angular = drive.change
    assert drive.by_wheels > 100.0
    assert abs(angular[0] - np.cross(pivot, linear)[0]) < TOLERANCE * drive.by_wheels


def test_wheels_with_a_stiff_anti_roll_bar_conserve_momentum(tmp_path):
    """The wheels land on crates of different height, so that the bar moves load to one of them."""
    props = [placed_prop("crate", x, 1.14, height=z) for x, z in ((0.75, -1.1), (-0.75, -1.13))]
    drive = Drive(tmp_path, props, (0.0, 0.0, -3.0), spinning=False)
    drive.car.set_many({"antiroll.stiffness": [60e3, 0.0]})
    assert max(drive.errors(0.33)) < TOLERANCE


def test_impulses_of_a_wheel_that_leaves_a_prop_within_a_tick_are_passed_on(tmp_path):
    """They are passed on also if at the end of the tick the wheel is on the ground."""
    drive = Drive(tmp_path, [placed_prop("ramp", 0.75, 5.0, height=-0.25)], (0.0, 10.0, 0.0))
    reactions, support = drive.car.state["wheel_reactions"][0], drive.world.props._vehicles[0].support
    while not reactions["impulse"].any():
        run(drive.world, drive.world.tick_seconds)
        assert drive.world.time < 1.0
    drive.car.state["road"]["body"] = 0
    before, external = total_momentum(drive.world), np.zeros(1, EXTERNAL)
    assert support._passed_decks() and (reactions["body"] > 0).any()
    support.apply_reactions(0, external)
    support.forget_decks()
    after = total_momentum(drive.world)
    assert after[0] + external["impulse"][0] == pytest.approx(before[0], abs=1e-3)
    position = drive.car.state["body"]["position"][0]
    angular_impulse = external["angular_impulse"][0] + np.cross(position, external["impulse"][0])
    assert after[1] + angular_impulse == pytest.approx(before[1], abs=1e-3)
