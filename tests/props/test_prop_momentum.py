"""Linear and angular momentum of cars and props together, in empty space: within 2 % of what went over.

Angular momentum is taken about the world's origin, so it is wrong too when an impulse acts at the wrong point, or late.
What went over is the sum of all pushes of wheels and blows on hulls; its arm the distance of the centres of mass.
"""

import numpy as np
import pytest
from prop_rig import launch, momentum, placed_prop, prop_momentum, rolling, run, throw, weightless

from driving_sandbox.game.props.bodywork import Bodywork
from driving_sandbox.physics.tick.context import EXTERNAL

WITHIN = 0.02
UNDER_WHEELS = {"ramp": -0.25, "tire": -0.2, "crate": -0.69}  # m, height of the foot at which a wheel rolls onto it


def whole(world, bodywork):
    """(linear, angular about the origin) of everything, and what wheels pressed that has not yet been handed on."""
    count = 0 if world.props is None else len(world.props.kinds)
    parts = [momentum(v) for v in world.vehicles] + [prop_momentum(world, k) for k in range(count)]
    linear, angular = (np.sum([part[k] for part in parts], axis=0) for k in range(2))
    supports = bodywork._support_records if world.props is None else world.props._supports
    for vehicle, given in zip(world.vehicles, supports, strict=True):
        pressed = vehicle.state["wheel_reactions"][0]
        if given["count"]:
            push = pressed["impulse"].sum(axis=0)
            linear, angular = linear - push, angular - pressed["moment"].sum(axis=0) - np.cross(given["about"], push)
    return linear, angular


class Drive:
    """A car on its way at a velocity, into props that float beside it."""

    def __init__(
        self, tmp_path, props, velocity, vehicles=("roadster_simple",), position=(0.0, 0.0, 0.0), spinning=True
    ):
        self.world = weightless(tmp_path, props, vehicles)
        self.car, self.bodywork = self.world.vehicles[0], Bodywork(self.world)
        self.car.put(position, (0.0, 0.0, 0.0, 1.0))
        launch(self.car, 1.0, velocity)
        n = self.car.wheel_count
        rate = velocity[1] / self.car.params["wheel"]["radius"][0, :n] if spinning else 0.0
        self.car.state["wheel"]["omega"][0, :n] = rate
        if props:
            throw(self.world)

    def errors(self, seconds):
        """(linear, angular) momentum that came from nowhere, as shares of what went over."""
        before, self.pressed, self.given = whole(self.world, self.bodywork), 0.0, 0.0
        run(self.world, seconds, rolling(), self._note, self.bodywork)
        after = whole(self.world, self.bodywork)
        props = self.world.props
        other = self.world.vehicles[1].state["body"]["position"][0] if props is None else props.poses()[0, :3]
        arm = max(1.0, float(np.linalg.norm(other - self.car.state["body"]["position"][0])))
        gone = self.pressed + self.given
        assert gone > 1.0, "they met"
        self.change = after[0] - before[0], after[1] - before[1]
        return np.linalg.norm(self.change[0]) / gone, np.linalg.norm(self.change[1]) / (gone * min(arm, 2.5))

    def _note(self):
        self.pressed += np.linalg.norm(self.car.state["wheel_reactions"]["impulse"][0], axis=1).sum()
        self.given += 0.0 if self.world.acted is None else np.linalg.norm(self.world.acted["impulse"][0])


@pytest.mark.parametrize("speed", [3.0, 10.0, 30.0])
@pytest.mark.parametrize("kind", ["ramp", "tire", "crate"])
def test_rolling_over_a_thing_keeps_both_momenta(tmp_path, kind, speed):
    """Suspension, bump stops, bars and tires push at their own points, through several substeps, one tick late."""
    drive = Drive(tmp_path, [placed_prop(kind, 0.75, 5.0, height=UNDER_WHEELS[kind])], (0.0, speed, 0.0))
    assert max(drive.errors(8.0 / speed)) < WITHIN
    assert drive.pressed > 20.0


@pytest.mark.parametrize(("kind", "speed", "x"), [
    ("cone", 2.0, 0.75), ("cone", 10.0, 0.75), ("cone", 40.0, 0.3), ("barrel", 5.0, 0.98),
    ("barrel", 40.0, 0.3), ("crate", 30.0, 0.75), ("tire", 2.0, 0.3), ("tire", 30.0, 0.98),
])  # fmt: skip
def test_a_blow_on_hull_or_tread_keeps_both_momenta(tmp_path, kind, speed, x):
    """What hits a tread turns the car by its arm to the tread, not to the wheel's middle."""
    drive = Drive(tmp_path, [placed_prop(kind, x, 5.0, 0.3, height=-0.15)], (0.0, speed, 0.0), spinning=False)
    assert max(drive.errors(7.0 / speed)) < WITHIN


def test_a_car_that_comes_down_on_another_gives_it_what_it_loses(tmp_path):
    drive = Drive(
        tmp_path, [], (0.0, 0.0, -2.0), ("roadster_simple", "roadster_simple"), (0.0, 0.0, 1.9), spinning=False
    )
    drive.world.place(1, (0.2, 0.3, 0.0), 1.3)
    assert max(drive.errors(1.2)) < WITHIN
    assert drive.pressed > 100.0


@pytest.mark.parametrize("speed", [3.0, 12.0, 30.0])
def test_a_see_saw_turns_by_what_the_wheels_give_it(tmp_path, speed):
    """The hinge may give momentum, but none about its axis."""
    pivot = np.array((0.0, 5.5, -0.22))
    drive = Drive(tmp_path, [placed_prop("seesaw", 0.0, 5.5, height=-0.62)], (0.0, speed, 0.0))
    drive.errors(5.0 / speed)
    linear, angular = drive.change
    assert drive.pressed > 100.0
    assert abs(angular[0] - np.cross(pivot, linear)[0]) < WITHIN * drive.pressed


def test_a_bar_presses_on_what_lies_under_its_wheel(tmp_path):
    """With a stiff bar the wheel that is lifted takes the load of its neighbour: the prop under it feels that."""
    props = [placed_prop("crate", x, 1.14, height=z) for x, z in ((0.75, -1.1), (-0.75, -1.13))]
    drive = Drive(tmp_path, props, (0.0, 0.0, -3.0), spinning=False)
    drive.car.set_many({"antiroll.stiffness": [60e3, 0.0]})
    assert max(drive.errors(0.33)) < WITHIN


def test_a_push_stays_with_the_thing_when_the_wheel_rolls_off_it_within_a_tick(tmp_path):
    """What a wheel pressed is handed on also when at the end of the tick it stands on the ground."""
    drive = Drive(tmp_path, [placed_prop("ramp", 0.75, 5.0, height=-0.25)], (0.0, 10.0, 0.0))
    pressed, support = drive.car.state["wheel_reactions"][0], drive.world.props._all[0].support
    while not pressed["impulse"].any():
        run(drive.world, drive.world.tick_seconds)
        assert drive.world.time < 1.0
    drive.car.state["road"]["body"] = 0
    before, outside = whole(drive.world, drive.bodywork), np.zeros(1, EXTERNAL)
    assert support._handed() and (pressed["body"] > 0).any()
    support.press(0, outside)
    support.leave()
    after = whole(drive.world, drive.bodywork)
    assert after[0] + outside["impulse"][0] == pytest.approx(before[0], abs=1e-3)
    position = drive.car.state["body"]["position"][0]
    given = outside["angular_impulse"][0] + np.cross(position, outside["impulse"][0])
    assert after[1] + given == pytest.approx(before[1], abs=1e-3)
