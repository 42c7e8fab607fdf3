"""Torque at the rim that a wheel gets: contributions, the car's factors, signs, lightness before the slide."""

from dataclasses import replace

import numpy as np
import pytest

from driving_sandbox.benchmarks.scenes import flat_world
from driving_sandbox.game.force_feedback.setup import ForceSetup
from driving_sandbox.game.force_feedback.torque import RATE, STICK_SPEED, RimTorque
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.session.stream import CAR, HEADER, Stream
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text, vehicle_text

TICK = 1.0 / 240.0  # s
SETUP = ForceSetup(strength=10.0, gain=1.0, friction=0.4, stick_friction=1.0, damping=0.2, inertia=0.01, road=0.5)


@pytest.fixture
def car(tmp_path):
    """A function that loads the MX-5 with these factors of its section `force_feedback`."""

    def make(**factors):
        path = tmp_path / "car.yaml"
        path.write_text(f"base: mx5_na\nforce_feedback: {{{', '.join(f'{k}: {v}' for k, v in factors.items())}}}\n")
        return load_vehicle(path)

    return make


def at_rim(vehicle, road_torque=0.0, rate=0.0, speed=20.0):
    """RimTorque of a vehicle in this state: torque of the road in N m, rate of the rim in rad/s, speed in m/s."""
    rim = RimTorque(vehicle, TICK)
    column = vehicle.state["steering_column"]
    column["road_torque"][0], column["rate"][0] = road_torque, rate
    vehicle.state["response"]["speed"][0] = speed
    return rim


@pytest.mark.covers("RC-FFB-02")
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_the_aligning_factor_scales_the_torque_of_the_road_alone(car, factor):
    plain, scaled = (at_rim(car(aligning=value), 12.0, rate=1.0) for value in (1.0, factor))
    for rim in (plain, scaled):
        rim.step(SETUP)
    assert scaled.contributions.aligning == pytest.approx(factor * plain.contributions.aligning)
    assert plain.contributions.aligning == pytest.approx(12.0 / (1.0 + 2.0 * (1.0 - 20.0 / 50.0)))  # with assist
    assert scaled.contributions[1:] == plain.contributions[1:]


@pytest.mark.covers("RC-FFB-03", "RC-FFB-05", "RC-FFB-06")
@pytest.mark.parametrize(("name", "spec"), [("friction", 0), ("damping", 1), ("inertia", 2)])
@pytest.mark.parametrize("factor", [0.5, 3.0])
def test_an_amount_is_scaled_by_the_cars_factor(car, name, spec, factor):
    rim = at_rim(car(**{name: factor}))
    assert rim.resistances(SETUP)[spec] == pytest.approx(getattr(SETUP, name) * factor)


@pytest.mark.covers("RC-FFB-04")
@pytest.mark.parametrize("factor", [1.0, 2.0])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 2.0])
def test_friction_at_rest_fades_to_that_of_driving(car, factor, share):
    rim = at_rim(car(stick_friction=factor), speed=share * STICK_SPEED)
    moving = min(share, 1.0)
    assert rim.resistances(SETUP).friction == pytest.approx((1.0 - moving) * 1.0 * factor + moving * 0.4)


@pytest.mark.covers("RC-FFB-07")
@pytest.mark.parametrize("gain", [0.5, 2.0])
def test_the_gain_scales_every_contribution(car, gain):
    torques = {value: at_rim(car(gain=value), 8.0, rate=0.7).step(SETUP) for value in (1.0, gain)}
    assert torques[gain] == pytest.approx(gain * torques[1.0])
    rim = at_rim(car(gain=gain))
    assert rim.gain(replace(SETUP, gain=0.6)) == pytest.approx(0.6 * gain)


@pytest.mark.covers("RC-FFB-01")
@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_the_acceleration_factor_changes_only_what_is_sent(car, factor):
    with Session(flat_world(car(acceleration=factor))) as session:
        for _ in range(60):
            session.step(1.0 / 60.0, lambda situation: full_throttle())
        stream = Stream(session, ("127.0.0.1", 9))
        values = np.frombuffer(stream.packet()[HEADER.size :], "<f4")
        stream.close()
        sent = {name: value for (name, _), value in zip(CAR, values, strict=False)}
        body = session.vehicle.state["body"][0]
        assert sent["acceleration.y"] == pytest.approx(factor * body["acceleration"][1], rel=1e-6)
        assert body["velocity"][1] == pytest.approx(driven_speed(), abs=0.0)


def full_throttle():
    command = neutral_command()
    command["throttle"] = 1.0
    return command


def driven_speed():
    """Speed of the plain car after the same second."""
    with Session(flat_world(load_vehicle("mx5_na"))) as session:
        for _ in range(60):
            session.step(1.0 / 60.0, lambda situation: full_throttle())
        return float(session.vehicle.state["body"]["velocity"][0, 1])


@pytest.mark.parametrize("rate", [0.5 * RATE, 4.0 * RATE, -2.0 * RATE])
def test_resistances_oppose_the_rim(car, rate):
    rim = at_rim(car(), rate=rate)
    rim.step(SETUP)
    share = min(1.0, abs(rate) / RATE)
    assert rim.contributions.friction == pytest.approx(-np.sign(rate) * 0.4 * share)
    assert rim.contributions.damping == pytest.approx(-0.2 * rate)
    assert rim.contributions.inertia * rate < 0.0  # the rate has just risen from 0
    rim.step(SETUP, own_effects=True)
    assert rim.contributions[2:5] == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("muted", ["aligning", "damping"])
def test_a_muted_contribution_is_left_out(car, muted):
    rim = at_rim(car(), 8.0, rate=0.7)
    rim.muted = {muted}
    torque = rim.step(SETUP)
    others = sum(value for name, value in rim.contributions._asdict().items() if name != muted)
    assert torque == pytest.approx(others)
    assert getattr(rim.contributions, muted) != 0.0


@pytest.mark.parametrize("beyond", [0.1, -0.3])
def test_the_lock_pushes_back(car, beyond):
    rim = at_rim(car())
    rim.step(SETUP, beyond_lock=beyond)
    assert rim.contributions.lock == pytest.approx(-SETUP.soft_lock * beyond)


def bend(steer, seconds=3.0, speed=15.0):
    """(torques at the rim, side forces of the front wheels, steer angles) while the rim turns in steadily."""
    vehicle = load_vehicle("mx5_na")
    world = flat_world(vehicle)
    vehicle.state["body"]["velocity"][0, 1] = speed
    vehicle.state["wheel"]["omega"][0, :4] = speed / vehicle.params["wheel"]["radius"][0, :4]
    vehicle.set("response.steer_table", [[0, [[0, 0]]], [1, [[0, 1], [60, 1]]]])
    rim, rows = RimTorque(vehicle, world.tick_seconds), []
    setup = replace(SETUP, friction=0.0, stick_friction=0.0, damping=0.0, inertia=0.0, road=0.0)
    while world.time < seconds:
        command = neutral_command()
        command["steer"], command["gear"] = steer * world.time / seconds, NEUTRAL
        assert world.step(command) is None
        torque = rim.step(setup)
        rows.append((torque, vehicle.state["tire"]["lateral_force"][0, :2].sum()))
    return np.array(rows).T


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_rim_pulls_back_and_grows_light_before_the_grip_ends(side):
    """In a right bend (steer above 0) the rim pulls to the left; its torque peaks before the side force does."""
    torques, forces = bend(0.5 * side)
    assert np.sign(torques[200]) == side
    assert abs(torques).max() > 2.0
    assert abs(torques).argmax() < abs(forces).argmax() - 20
    assert abs(torques[abs(forces).argmax()]) < 0.9 * abs(torques).max()


def test_the_section_survives_writing_and_reading(car):
    vehicle = load_vehicle_text(vehicle_text(car(aligning=1.5, gain=0.7)))
    assert RimTorque(vehicle, TICK).factors | {"x": 0} == {
        "acceleration": 1.0, "aligning": 1.5, "friction": 1.0, "stick_friction": 1.0, "damping": 1.0, "inertia": 1.0,
        "gain": 0.7, "x": 0,
    }  # fmt: skip


def test_a_vehicle_without_a_steering_column_has_no_torque():
    rim = RimTorque(load_vehicle("roadster_simple"), TICK)
    assert not rim.available
    assert rim.step(SETUP) == 0.0
