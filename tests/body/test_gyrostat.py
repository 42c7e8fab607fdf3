"""Torque reaction of wheels and engine on the body: angular momentum is conserved, directions are those of a car."""

import numpy as np
import pytest

from driving_sandbox.benchmarks.scenes import flat_world
from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import FIRST, NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

HEIGHT = 60.0  # m, of a car in the air
LONGITUDINAL, TRANSVERSE = (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)  # directions of the crankshaft


def car_with(body, name="roadster_simple", crankshaft=LONGITUDINAL):
    """A car with this component as body, and an engine without torque reaction of its own."""
    car = load_vehicle(name)
    if "torque_reaction" in car.params["engine"].dtype.names:
        car.set("engine.torque_reaction", 0.0)
    if body != car.sequence.by_slot["body"].name:
        car = swapped_vehicle(car, plan_swap(car, "body", body))
    if "gyrostat" in body:
        car.set("body.crankshaft", crankshaft)
    return car


def spin_momentum(car):
    """Angular momentum of wheels and engine relative to the body, world axes, N m s, from their poses."""
    state, params = car.state, car.params
    q = tuple(state["body"]["orientation"][0].tolist())
    momentum = np.zeros(3)
    for i in range(car.wheel_count):
        wheel = state["wheel"][0][i]
        axle = np.array(rotate(tuple(wheel["hub_orientation"].tolist()), (1.0, 0.0, 0.0)))
        momentum -= params["wheel"]["inertia"][0][i] * wheel["omega"] * axle
    engine = params["engine"]["inertia"][0] * state["engine"]["omega"][0]
    return momentum + engine * np.array(rotate(q, tuple(params["body"]["crank_axis"][0].tolist())))


def total_momentum(car):
    """Angular momentum of body, wheels and engine about the centre of mass, world axes, N m s."""
    body = car.state["body"][0]
    q, inertia = tuple(body["orientation"].tolist()), car.params["body"]["inertia"][0]
    body_momentum = inertia * np.array(rotate_inverse(q, tuple(body["angular_velocity"].tolist())))
    return np.array(rotate(q, tuple(body_momentum.tolist()))) + spin_momentum(car)


def in_the_air(car, command, spin=(0.0, 0.0, 0.0), ticks=120):
    """Total angular momentum after the first and the last of the ticks of a car high above the ground."""
    world = flat_world(car)
    car.state["body"]["position"][0, 2] += HEIGHT
    car.state["body"]["angular_velocity"][0] = spin
    momenta = []
    for _ in range(ticks):
        assert world.step(command) is None
        momenta.append(total_momentum(car))
    return momenta[0], momenta[-1]


def throttle(value, steer=0.0, gear=FIRST, brake=0.0):
    """A command with this throttle."""
    command = neutral_command()
    command["throttle"], command["steer"], command["gear"], command["brake"] = value, steer, gear, brake
    return command


@pytest.mark.parametrize(("crankshaft", "spin"), [(LONGITUDINAL, (0.0, 0.0, 0.0)), (TRANSVERSE, (0.4, -1.0, 0.7))])
@pytest.mark.parametrize(("body", "name"), [("gyrostat", "roadster_simple"), ("assembled_gyrostat", "clubsport")])
def test_angular_momentum_is_conserved_in_the_air(body, name, spin, crankshaft):
    car = car_with(body, name, crankshaft)
    before, after = in_the_air(car, throttle(1.0, steer=0.5), spin)
    momentum = np.linalg.norm(spin_momentum(car))
    assert momentum > 40.0, "nothing was spun up"  # N m s
    assert np.linalg.norm(after - before) < 1e-3 * max(momentum, np.linalg.norm(before))


def test_a_rigid_body_does_not_react_to_its_wheels():
    car = load_vehicle("roadster_simple")
    world = flat_world(car)
    car.state["body"]["position"][0, 2] += HEIGHT
    for _ in range(120):
        assert world.step(throttle(1.0)) is None
    assert np.abs(car.state["body"]["angular_velocity"][0]).max() < 1e-9
    assert abs(car.state["wheel"]["omega"][0][2]) > 20.0


@pytest.mark.parametrize("value", [0.5, 1.0])
def test_throttle_in_the_air_raises_the_nose(value):
    car = car_with("gyrostat", crankshaft=(0.0, 0.0, 0.0))
    in_the_air(car, throttle(value))
    pitch_rate = car.state["body"]["angular_velocity"][0][0]  # about the axis to the right: nose up
    expected = np.sum(car.params["wheel"]["inertia"][0][:4] * car.state["wheel"]["omega"][0][:4])
    assert expected > 10.0
    assert pitch_rate == pytest.approx(expected / car.params["body"]["inertia"][0][0], rel=0.02)


@pytest.mark.parametrize(("crankshaft", "axis"), [(LONGITUDINAL, 1), (TRANSVERSE, 0)])
def test_an_engine_revved_in_neutral_turns_the_body(crankshaft, axis):
    """A longitudinal engine rolls the car to the right, a transverse one raises the nose."""
    car = car_with("gyrostat", crankshaft=crankshaft)
    in_the_air(car, throttle(1.0, gear=NEUTRAL), ticks=40)
    rates = car.state["body"]["angular_velocity"][0]
    assert rates[axis] > 0.02
    assert np.abs(np.delete(rates, axis)).max() < 0.1 * rates[axis]


@pytest.mark.parametrize("speed", [20.0, 40.0])
def test_a_coasting_gyrostat_pitches_and_rolls_as_a_rigid_body(speed):
    """In neutral both have the same inclination within 2 mrad, as only changes of wheel speed react on the body."""
    poses = []
    for body in ("rigid", "gyrostat"):
        car = car_with(body)
        world = flat_world(car)
        car.state["body"]["velocity"][0, 1] = speed
        car.state["wheel"]["omega"][0, :4] = speed / car.params["wheel"]["radius"][0, :4]
        for _ in range(360):
            assert world.step(throttle(0.0, gear=NEUTRAL)) is None
        poses.append(rotate_inverse(tuple(car.state["body"]["orientation"][0].tolist()), (0.0, 0.0, 1.0)))
    assert np.abs(np.subtract(*poses)).max() < 2e-3


@pytest.mark.parametrize("change", [40.0, 80.0])  # rad/s
def test_speeds_that_were_set_from_outside_do_not_turn_the_body(change):
    car = car_with("gyrostat")
    world = flat_world(car)
    car.state["body"]["position"][0, 2] += HEIGHT
    world.step(throttle(0.0, gear=NEUTRAL))
    before = car.state["body"]["angular_velocity"][0].copy()
    car.state["wheel"]["omega"][0, :4] += change
    world.step(throttle(0.0, gear=NEUTRAL))
    assert np.abs(car.state["body"]["angular_velocity"][0] - before).max() < 0.01


@pytest.mark.parametrize(("reaction", "crankshaft", "refused"), [
    (0.5, LONGITUDINAL, True), (0.5, (0.0, 0.0, 0.0), False), (0.0, LONGITUDINAL, False),
])  # fmt: skip
def test_an_engine_that_would_react_twice_is_refused(reaction, crankshaft, refused):
    car = car_with("assembled_gyrostat", "clubsport", crankshaft)
    car.params["engine"]["torque_reaction"] = reaction
    assert bool(car.problems()) == refused


@pytest.mark.parametrize("ratio, fits", [(0.4, True), (0.6, False)])
def test_an_engine_of_too_much_inertia_for_the_body_is_refused(ratio, fits):
    """0.6 times the body's inertia about the crankshaft is too much: the reaction would spin the body."""
    car = load_vehicle("roadster")
    inertia = ratio * car.params["body"]["inertia"][0, 1]  # about the longitudinal axis, where its crankshaft lies
    if fits:
        car.set("engine.inertia", inertia)
        return
    with pytest.raises(SchemaError, match="crankshaft: an engine of .* engine.inertia is at most"):
        car.set("engine.inertia", inertia)
