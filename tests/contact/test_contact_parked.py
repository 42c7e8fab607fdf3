"""Sticky tires: a sprung car parked on slopes, sliding at low friction, rolling when released."""

import numpy as np
import pytest
from contact_rig import GRAVITY, HEIGHT, MASS, SPIN, SUBSTEPS, TICK, VELOCITY, flat
from wheel_rig import HUB_HEIGHT, RADIUS, parked, slope

from driving_sandbox.physics.contact.records import BRAKE_SLIPS, HELD, TIRE_SLIDES

YAWS = {"up": 0.0, "down": np.pi, "across": -np.pi / 2, "askew": -0.7}
BRAKES = {"all": (3000.0, 3000.0), "handbrake": (0.0, 3000.0)}  # N m, torque of each front and each rear wheel


def downhill(degrees):
    """Unit vector down a slope."""
    a = np.radians(degrees)
    return np.array([0.0, -np.cos(a), -np.sin(a)])


def downhill_acceleration(car, degrees, settle=1.0, seconds=1.0):
    """Mean acceleration down a slope during `seconds`, after `settle` seconds, m/s^2."""
    car.run(settle)
    before = car.body["velocity"][0] @ downhill(degrees)
    car.run(seconds)
    return (car.body["velocity"][0] @ downhill(degrees) - before) / seconds


@pytest.mark.parametrize("heading", YAWS)
@pytest.mark.parametrize("degrees", [5, 10, 20])
@pytest.mark.parametrize("brakes", BRAKES)
def test_parked_car_does_not_move(degrees, heading, brakes):
    ground, up = slope(degrees)
    front, rear = BRAKES[brakes]
    car = parked(ground, up, YAWS[heading], front=front, rear=rear)
    log = car.run(3)
    assert np.linalg.norm(log[-1, VELOCITY]) < 1e-3
    car.run(2)
    before = car.body["position"][0].copy()
    car.run(30)
    assert np.linalg.norm(car.body["position"][0] - before) < 1e-5
    assert car.state["contact_count"][0] == 0


def test_free_car_on_level_ground_is_still():
    log = parked(flat(), (0, 0, 1), yaw=0.3, front=0.0, rear=0.0).run(4)
    assert np.abs(log[round(3 / TICK) :, VELOCITY]).max() < 1e-3


@pytest.mark.parametrize("friction,heading", [(0.1, "up"), (0.1, "down"), (0.17, "up"), (0.174, "up")])
def test_too_little_friction_slides_by_coulombs_law(friction, heading):
    ground, up = slope(10)
    car = parked(ground, up, YAWS[heading], friction=friction)
    exact = GRAVITY * (np.sin(np.radians(10)) - friction * np.cos(np.radians(10)))
    assert downhill_acceleration(car, 10) == pytest.approx(exact, abs=2e-3)
    assert (car.state["wheels"][0]["hold"][:4] != HELD).any()


@pytest.mark.parametrize("heading", ["up", "across"])
def test_just_enough_friction_holds(heading):
    ground, up = slope(10)  # tan 10 deg = 0.1763
    car = parked(ground, up, YAWS[heading], friction=0.5)
    car.run(2)  # at 0.18 the drop by 1 cm at the start would break the tires loose
    car.wheels["friction"] = 0.18
    before = car.body["position"][0].copy()
    car.run(3)
    assert np.linalg.norm(car.body["position"][0] - before) < 3e-4  # a single shift, as the load on each tire changes
    middle = car.body["position"][0].copy()
    car.run(5)
    assert np.linalg.norm(car.body["position"][0] - middle) < 1e-5
    car.wheels["friction"] = 0.17
    car.run(3)
    assert np.linalg.norm(car.body["position"][0] - before) > 0.1


def test_handbrake_on_ice_slides():
    ground, up = slope(10)
    log = parked(ground, up, friction=0.1, front=0.0, rear=3000.0).run(3)
    assert log[-1, VELOCITY] @ downhill(10) > 3.0


def test_released_handbrake_rolls_at_once():
    ground, up = slope(10)
    car = parked(ground, up, front=0.0, rear=3000.0)
    car.run(3)
    car.brake(front=0.0, rear=0.0)
    car.run(0.1)
    assert car.body["velocity"][0] @ downhill(10) == pytest.approx(GRAVITY * np.sin(np.radians(10)) * 0.1, rel=0.01)


def test_weak_brake_rolls_against_its_torque():
    ground, up = slope(10)
    car = parked(ground, up, front=0.0, rear=300.0)
    exact = GRAVITY * np.sin(np.radians(10)) - 2 * 300.0 / RADIUS / MASS
    assert downhill_acceleration(car, 10, settle=0.0, seconds=0.1) == pytest.approx(exact, rel=0.1)
    assert (car.state["wheels"][0]["hold"][2:4] == BRAKE_SLIPS).all()
    assert (car.wheels["rate"][2:4] < -0.03).all()  # rolling backwards, not locked


def test_brake_holds_against_drive_until_it_is_overcome():
    car = parked(flat(), (0, 0, 1), front=0.0, rear=400.0)
    car.run(2)
    car.wheels["drive_torque"][2:4], car.wheels["drive"][2:4] = 390.0, 1
    before = car.body["position"][0, 1]
    car.run(1)
    assert abs(car.body["position"][0, 1] - before) < 1e-3
    assert (car.state["wheels"][0]["hold"][2:4] == HELD).all()
    car.wheels["drive_torque"][2:4] = 410.0
    car.run(0.01)
    assert (car.wheels["sticky_longitudinal"][2:4] == 0).all()


def test_tires_stick_to_moving_ground():
    car = parked(flat(), (0, 0, 1))
    car.wheels["ground_velocity"][:4] = (0.3, 0.1, 0.0)
    car.body["velocity"] = (0.3, 0.1, 0.0)
    car.run(3)
    assert car.body["velocity"][0] == pytest.approx((0.3, 0.1, 0.0), abs=1e-3)


def test_locked_wheels_on_ice_are_marked_as_sliding():
    ground, up = slope(10)
    car = parked(ground, up, friction=0.1)
    car.run(0.1)
    assert (car.state["wheels"][0]["hold"][:4] == TIRE_SLIDES).all()


def with_free_front_wheels(rim_speed, friction, rear_friction=1.0):
    """A car on level ground with braked rear wheels; the front wheels' circumferential speed is `rim_speed`, m/s."""
    car = parked(flat(), (0, 0, 1), front=0.0, rear=3000.0)
    car.wheels["pedal_torque"][2:4] = 3000.0
    car.run(3)
    car.wheels["rate"][:2] = rim_speed / RADIUS
    car.wheels["friction"][:2], car.wheels["friction"][2:4] = friction, rear_friction
    return car


@pytest.mark.parametrize("tick", [TICK, 1.0 / 60.0])
def test_a_free_wheel_of_a_braked_car_stops_with_it(tick):
    car = with_free_front_wheels(0.15, friction=1.0)
    before = car.body["position"][0].copy()
    car.run(2 * tick, tick, substeps=1)
    assert (car.state["wheels"][0]["hold"][:4] == [BRAKE_SLIPS, BRAKE_SLIPS, HELD, HELD]).all()
    assert np.abs(car.wheels["rate"][:2] * RADIUS).max() < 0.01 * 0.15
    car.run(1, tick, substeps=1)
    assert np.linalg.norm(car.body["position"][0] - before) < 1e-3
    assert np.linalg.norm(car.body["velocity"][0]) < 1e-6


def test_a_free_wheel_gives_its_momentum_to_the_car():
    """A rolling wheel acts as an additional mass J = I / R^2 at its contact point; the rear wheels slide on ice.

    The momentum M v + 2 J u of car and front wheels is constant, where v is the car's speed and u the wheels'
    circumferential speed. At first v = 0; in the end both are equal: v = 2 J 0.15 / (M + 2 J).
    """
    car = with_free_front_wheels(0.15, friction=1.0, rear_friction=0.0)
    inertia = car.wheels["inertia"][0]
    rolling_mass = inertia / RADIUS**2
    car.run(0.1)
    momentum = MASS * car.body["velocity"][0, 1] + inertia / RADIUS * car.wheels["rate"][:2].sum()
    assert momentum == pytest.approx(2 * rolling_mass * 0.15, rel=1e-6)
    assert car.body["velocity"][0, 1] == pytest.approx(2 * rolling_mass * 0.15 / (MASS + 2 * rolling_mass), rel=0.02)


def test_a_free_wheel_uses_the_tire_model_with_released_pedal_or_throttle_or_on_ice():
    """The pedal torque of the braked wheels is 0, or the driver drives the free ones, or grip cannot stop them.

    On ice friction needs more than a substep to stop a circumferential speed of 0.15 m/s.
    """
    for pedal, drive, friction in ((0.0, 0, 1.0), (3000.0, 1, 1.0), (3000.0, 0, 0.01)):
        car = with_free_front_wheels(0.15, friction=friction)
        car.wheels["pedal_torque"][2:4], car.wheels["drive"][:2] = pedal, drive
        car.run(TICK, substeps=1)
        assert (car.wheels["sticky_longitudinal"][:2] == 0).all()


def test_a_free_wheel_transmits_the_torque_of_its_drivetrain():
    """An engine idling in gear pushes the car against its handbrake with the torque divided by the wheel radius."""
    car = with_free_front_wheels(0.0, friction=1.0)
    car.wheels["drive_torque"][:2] = 200.0
    car.run(1)
    forces = car.state["wheels"][0]["longitudinal_impulse"][:4] / (TICK / SUBSTEPS)
    assert forces[:2] == pytest.approx([200.0 / RADIUS] * 2, rel=1e-6)
    assert forces[2:].sum() == pytest.approx(-2 * 200.0 / RADIUS, rel=1e-3)
    assert np.abs(car.wheels["rate"][:4]).max() < 1e-6


def test_the_suspension_limit_ends_the_travel():
    """A drop by 1 m uses up the 0.2 m of travel; the suspension limit, not the ground, takes the rest."""
    car = parked(flat(), (0, 0, 1))
    car.body["position"][0, 2] += 1.0  # m above its height at rest
    log = car.run(3)
    lowest = log[:, HEIGHT].min()
    at_stop = RADIUS - HUB_HEIGHT  # m, height of the centre of mass at full jounce
    assert lowest == pytest.approx(at_stop, abs=0.01)
    assert log[:, HEIGHT].max() < log[0, HEIGHT] + 1e-6
    assert np.abs(log[:, SPIN]).max() < 0.1  # lands level: the impact is shared by four wheels
    assert np.linalg.norm(log[-1, VELOCITY]) < 1e-3


def test_releasing_the_brakes_clears_the_sticky_anchor():
    ground, up = slope(5)
    car = parked(ground, up)
    car.run(1)
    assert np.abs(car.state["wheels"][0]["longitudinal_offset"][:4]).max() > 1e-6
    car.brake(front=0.0, rear=0.0)
    car.run(TICK)
    assert (car.state["wheels"][0]["longitudinal_offset"][:4] == 0.0).all()
    assert (car.state["wheels"][0]["longitudinal_impulse"][:4] == 0.0).all()
