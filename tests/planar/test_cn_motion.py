"""The planar body: axes, loads, forces, yaw, order of the phases."""

import math
import re

import numpy as np
import pytest
from drive_rig import Drive
from planar_rig import ARTICLE, FREE, NO_AIR, NO_ROLLING, Planar, flat_engine

G = 9.81  # m/s^2


@pytest.mark.covers("CN-FRAME-01")
def test_v_long_is_forward_and_v_lat_to_the_right():
    sliding = Planar(FREE, heading=0.7).going(right=3.0).tick()
    assert sliding.read("body.v_lat") == pytest.approx(3.0) and sliding.local_velocity[0] == pytest.approx(3.0)
    reversing = Planar(FREE, heading=-2.0).going(ahead=-4.0).tick()
    assert reversing.read("body.v_long") == pytest.approx(-4.0)
    pushed = Planar(FREE).run(0.5, force=(1125.0, 2250.0, 0.0))  # N on 1125 kg
    assert pushed.read("body.v_lat") == pytest.approx(0.5) and pushed.read("body.v_long") == pytest.approx(1.0)


@pytest.mark.covers("CN-FRAME-02", "CN-FORCE-02")
def test_velocity_is_constant_without_forces():
    """The velocity in the world, of a car with a yaw rate."""
    random = np.random.default_rng(5)
    for heading in random.uniform(-math.pi, math.pi, 6):
        car = Planar(FREE, heading=heading).going(*random.uniform(-30.0, 30.0, 2), rate=2.0)
        before = car.body("velocity")
        car.tick(120)
        assert np.abs(car.body("velocity") - before).max() < 1e-12 * 30.0
        assert math.remainder(car.heading - heading, 2.0 * math.pi) == pytest.approx(1.0, abs=0.01)
    straight = Planar(FREE, heading=1.1).going(ahead=20.0).tick()
    assert abs(straight.read("body.v_lat")) < 1e-12


@pytest.mark.covers("CN-FRAME-03")
def test_distance_is_speed_times_time_along_the_heading():
    car = Planar(FREE, heading=0.4).going(ahead=12.0)
    start = car.body("position")
    car.tick(480)
    displacement = car.body("position") - start
    assert np.hypot(*displacement[:2]) == pytest.approx(24.0, abs=1e-10)
    assert math.atan2(-displacement[0], displacement[1]) == pytest.approx(0.4, abs=1e-12)


@pytest.mark.covers("CN-MASS-01")
def test_axle_loads_by_the_lever_rule():
    car = Planar(ARTICLE).tick()
    assert car.read("body.front_load") == pytest.approx(6592.0, abs=0.5)
    assert car.read("body.rear_load") == pytest.approx(5180.0, abs=0.5)
    assert car.sum("tire", "load") == pytest.approx(1200.0 * G)


@pytest.mark.covers("CN-MASS-02")
def test_equal_loads_by_position_or_by_choice():
    middle = Planar({**ARTICLE, "body.front_axle": 1.25, "body.rear_axle": 1.25}).tick()
    chosen = Planar({**ARTICLE, "body.loads": "equal"}).tick()
    for car in (middle, chosen):
        assert car.read("body.front_load") == car.read("body.rear_load") == pytest.approx(600.0 * G)


@pytest.mark.covers("CN-LOAD-01")
def test_loads_depend_on_acceleration_only_with_load_transfer():
    values = {**ARTICLE, **NO_AIR, **NO_ROLLING, "body.cg_height": 0.5, "brakes.friction": 0.8}
    without_transfer = Planar(values).going(ahead=20.0).tick(60, brake=1.0)
    assert without_transfer.read("body.front_load") == pytest.approx(1200.0 * G * 1.4 / 2.5)
    car = Planar({**values, "body.load_transfer": True}).going(ahead=20.0).tick(60, brake=1.0)
    assert car.read("body.a_long") == pytest.approx(-0.8 * G)
    load_change = 1200.0 * 0.8 * G * 0.5 / 2.5
    assert car.read("body.front_load") == pytest.approx(1200.0 * G * 1.4 / 2.5 + load_change)
    assert car.read("body.rear_load") == pytest.approx(1200.0 * G * 1.1 / 2.5 - load_change)
    car.tick(720, brake=1.0)
    assert car.read("body.front_load") == pytest.approx(1200.0 * G * 1.4 / 2.5), "no transfer at rest"


@pytest.mark.covers("CN-LOAD-01")
@pytest.mark.parametrize(("ahead", "pedal", "front"), [(20.0, {"brake": 1.0}, 1.0), (-20.0, {"brake": 1.0}, 0.0)])
def test_no_axle_has_a_negative_load(ahead, pedal, front):
    """With the centre of mass as high as the wheelbase, one axle has the whole load at 0.8 g."""
    values = {**ARTICLE, **NO_AIR, **NO_ROLLING, "body.cg_height": 2.5, "brakes.friction": 0.8}
    car = Planar({**values, "body.load_transfer": True}).going(ahead=ahead).tick(2, **pedal)
    assert car.read("body.front_load") == pytest.approx(front * 1200.0 * G)
    assert car.read("body.rear_load") == pytest.approx((1.0 - front) * 1200.0 * G)


@pytest.mark.covers("CN-INT-01")
def test_explicit_euler_is_exact_in_speed_and_of_first_order_in_position():
    errors = []
    for tick in (1.0 / 60.0, 1.0 / 240.0):
        car = Planar(FREE, tick=tick)
        start = car.body("position")[1]
        car.run(2.0, force=(0.0, 2250.0, 0.0))
        assert car.read("body.v_long") == pytest.approx(4.0, abs=1e-12)
        errors.append(car.body("position")[1] - start - 4.0)
    assert errors[0] == pytest.approx(0.5 * 2.0 * 2.0 / 60.0) and errors[1] == pytest.approx(errors[0] / 4.0)


@pytest.mark.covers("CN-FORCE-01")
def test_at_top_speed_traction_equals_drag_and_rolling_resistance():
    values = {**ARTICLE, **flat_engine(100.0, redline=5000.0), "aero.drag_factor": 0.42, "rolling.coefficient": 0.012}
    car = Planar(values).going(ahead=40.0).tick(240 * 150, throttle=1.0)
    traction = 100.0 * 3.6 * 3.38 * 0.9 / 0.33
    top_speed = math.sqrt((traction - 0.012 * 1200.0 * G) / 0.42)
    assert car.read("body.v_long") == pytest.approx(top_speed, rel=1e-3)


def test_resistance_stops_and_holds_the_car():
    car = Planar(NO_AIR).going(ahead=0.3).tick(240, brake=1.0)
    assert abs(car.read("body.v_long")) < 1e-12
    before_push = car.body("position")
    car.run(1.0, force=(0.0, 100.0, 0.0))
    assert np.array_equal(car.body("position"), before_push), "rolling resistance holds a small push"
    car.run(1.0, force=(0.0, 200.0, 0.0))
    assert car.read("body.a_long") == pytest.approx((200.0 - 0.012 * 1125 * G) / 1125)


@pytest.mark.covers("CN-YAW-02")
def test_equal_lateral_forces_at_equal_arms_have_no_yaw_moment():
    values = {**NO_AIR, "body.front_axle": 1.2, "body.rear_axle": 1.2, "tire.fl.stiffness": 18.0,
              "tire.fr.stiffness": 18.0, "tire.rl.stiffness": 18.0, "tire.rr.stiffness": 18.0}  # fmt: skip
    car = Planar(values).going(ahead=15.0, right=0.5).tick()
    assert car.read("body.front_lat") == pytest.approx(car.read("body.rear_lat")) and car.read("body.front_lat") < -1000
    assert abs(car.read("body.yaw_moment")) < 1e-9
    car = Planar({**values, "tire.rl.stiffness": 9.0, "tire.rr.stiffness": 9.0}).going(ahead=15.0, right=0.5).tick()
    front, rear = car.read("body.front_lat"), car.read("body.rear_lat")
    assert car.read("body.yaw_moment") == pytest.approx(-1.2 * (front - rear)) and front == pytest.approx(2 * rear)


@pytest.mark.covers("CN-YAW-03")
def test_twice_the_inertia_has_half_the_yaw_acceleration():
    rates = []
    for inertia in (1300.0, 2600.0):
        car = Planar({"body.yaw_inertia": inertia}).going(ahead=20.0).tick(steer=0.2)
        assert car.read("body.yaw_acceleration") == pytest.approx(car.read("body.yaw_moment") / inertia)
        rates.append(car.read("body.yaw_acceleration"))
    assert rates[0] < -1.0 and rates[0] == pytest.approx(2.0 * rates[1])


@pytest.mark.covers("CN-YAW-04")
def test_phases_run_in_their_order_and_once_per_step():
    source = Planar().vehicle.sequence.source
    step = source[source.index("def step(") : source.index("def bound(")]
    calls = re.findall(r"^    ([a-z]+_\w+)\(", step, re.MULTILINE)
    order = [
        "body_resolve", "steering_update", "aero_drag", "rolling_roll", "engine_give_torque",
        "differential_drive_axles", "brakes_brake", "tire_front_slip", "tire_front_force", "tire_rear_slip",
        "tire_rear_force", "body_net_force", "body_accelerate", "body_move", "body_torque", "body_yaw", "body_turn",
        "engine_follow", "autobox_choose", "gearbox_change",
    ]  # fmt: skip
    assert [call for call in calls if call in order] == order
    assert len(calls) == len(set(calls)) and "for _" not in step


@pytest.mark.covers("CN-YAW-05")
def test_side_drag_ahead_of_the_centre_turns_the_car():
    values = {**FREE, "aero.side_drag_factor": 2.0}
    straight = Planar({**values, "aero.side_centre": 0.0}).going(right=20.0).tick()
    assert straight.read("body.yaw_moment") == 0.0 and straight.read("body.a_lat") < -0.7
    car = Planar({**values, "aero.side_centre": 0.3}).going(right=20.0).tick()
    assert car.read("aero.drag_lat") == pytest.approx(-800.0)
    assert car.read("body.yaw_moment") == pytest.approx(240.0), "to the left, as drag ahead of the centre"


def steady_yaw_rate(name, speed, steer):
    """(yaw rate, rad/s, scaled to exactly `speed`; lateral acceleration, m/s^2) after 8 s of steering at that speed."""
    car = Drive(name)
    body = car.vehicle.state["body"][0]
    body["velocity"] = (0.0, speed, 0.0)
    for i in range(4):
        car.vehicle.state["wheel"][0][i]["omega"] = speed / car.vehicle.get("wheel.fl.radius")
    throttle = 0.1
    for _ in range(160):
        throttle = min(max(throttle + 0.02 * (speed - car.speed), 0.0), 1.0)
        pedal = min(max(throttle + 0.5 * (speed - car.speed), 0.0), 1.0)
        car.run(0.05, throttle=pedal, steer=steer, gear=4)  # third gear
    assert car.speed == pytest.approx(speed, abs=0.3)
    return car.body("angular_velocity")[2] * speed / car.speed, car.body("angular_velocity")[2] * car.speed


@pytest.mark.covers("CN-YAW-01", "CN-STEER-01")
@pytest.mark.parametrize(("speed", "steer"), [(10.0, 0.12), (14.0, -0.08)])
def test_steady_yaw_rates_are_near_those_of_the_full_car(speed, steer):
    planar, lateral_acceleration = steady_yaw_rate("planar_roadster", speed, steer)
    full, _ = steady_yaw_rate("roadster_simple", speed, steer)
    assert 0.1 * G < abs(lateral_acceleration) < 0.3 * G
    assert planar == pytest.approx(full, rel=0.1) and planar * steer < 0.0


@pytest.mark.covers("CN-STEER-01")
def test_front_wheels_are_parallel_at_any_input():
    car = Planar()
    for steer in (-1.0, -0.3, 0.2, 1.0):
        car.tick(steer=steer)
        left, right, *rear = car.wheels("steering", "angle")
        assert left == right == pytest.approx(-0.62 * steer) and rear == [0.0, 0.0]
