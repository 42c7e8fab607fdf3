"""Tires: slip denominators, linear and limited force, stiffness versus load, camber thrust; and steering."""

import math

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive
from plain_tires import on_plain_tires
from row_rig import NO_AIR, call, each_wheel, rolling, yaw_rate

from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.tick.context import new_context
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.slip_speeds import SLIP_SPEEDS, slip_speeds, use_slip_speeds

REST_LOAD = 3000.0  # N, given to every wheel


def car(**values):
    """A roadster with four equal tires, for calls of kernels on its records."""
    vehicle = load_vehicle("roadster_simple")
    usual = {"lateral_stiffness": 100e3, "longitudinal_stiffness": 60e3, "lateral_stiffness_load": 2.0,
             "camber_stiffness": 0.0, "rest_load": REST_LOAD}  # fmt: skip
    vehicle.set_many(each_wheel("tire", **{**usual, **values}))
    return vehicle


def forces(vehicle, kappa=0.0, alpha=0.0, camber=0.0, load=REST_LOAD, friction=1.0):
    """(longitudinal, lateral) force of the left front tire, N."""
    state = vehicle.state["tire"][0]
    state["sticky_longitudinal"][:4] = state["sticky_lateral"][:4] = 0
    for name, value in (("longitudinal_slip", kappa), ("lateral_slip", alpha), ("camber", camber), ("load", load),
                        ("friction", friction)):  # fmt: skip
        state[name][:4] = value
    call(vehicle, "tire", "force")
    return float(state["longitudinal_force"][0]), float(state["lateral_force"][0])


# ---- slip


def slips(speed, lateral_speed, omega=0.0, driven=0, **context):
    """(longitudinal slip, lateral slip) of a roadster's left front wheel.

    speed, lateral_speed: of the body, forward and to the right, m/s.
    omega: angular velocity of the wheels, rad/s.
    driven: 1 if drive torque acts on the wheels.
    context: slip speeds and other fields of the world.
    """
    drive = Drive("roadster_simple", values=each_wheel("compliance", camber=[], toe=[])).run(2.0, brake=1.0)
    vehicle = drive.vehicle
    for name, value in context.items():
        vehicle.context[name] = value
    vehicle.state["body"][0]["velocity"] = (lateral_speed, speed, 0.0)
    vehicle.state["body"][0]["angular_velocity"] = 0.0
    vehicle.state["wheel"][0]["omega"][:4] = omega
    vehicle.state["actuation"][0]["brake_applied"][:4] = 0
    vehicle.state["actuation"][0]["drive_applied"][:4] = driven
    call(vehicle, "tire", "slip")
    first_tire = vehicle.state["tire"][0]
    return float(first_tire["longitudinal_slip"][0]), float(first_tire["lateral_slip"][0])


@pytest.mark.covers("PX-TIRE-02")
def test_side_slip_at_no_speed_is_finite():
    """It is atan(v / m), where m is the smallest denominator. A larger m lowers the side force at crawling speed."""
    side = []
    for denominator in (0.5, 1.0, 2.0):
        for lateral_speed in (0.1, 0.4, 5.0):
            _, alpha = slips(0.0, lateral_speed, min_lateral_slip_speed=denominator)
            assert alpha == pytest.approx(math.atan(lateral_speed / denominator), rel=1e-3)
        side.append(-forces(car(), alpha=slips(0.2, 0.01, min_lateral_slip_speed=denominator)[1])[1])
    assert side[0] > 1.2 * side[1] > 1.2 * 1.2 * side[2] > 0.0
    fast = [slips(30.0, 1.0, min_lateral_slip_speed=denominator)[1] for denominator in (0.5, 2.0)]
    assert fast[0] == pytest.approx(fast[1], rel=0.06)


@pytest.mark.covers("PX-TIRE-03")
def test_a_launch_from_rest_grips_at_once():
    """Slip and force are finite from the first tick on; a larger denominator of driven wheels lowers them."""
    launches = {}
    for denominator in (0.1, 3.0):
        drive = Drive(on_plain_tires("buggy"), values=NO_AIR).run(2.0, brake=1.0)
        drive.vehicle.context["min_active_slip_speed"] = denominator
        drive.run(1 / 240, throttle=0.3, gear=FIRST)
        slip, force = (drive.wheels("tire", f"longitudinal_{what}") for what in ("slip", "force"))
        assert np.all(np.isfinite(slip)) and np.all(slip > 0.0) and np.all(force > 100.0)
        launches[denominator] = slip, force
    assert np.all(launches[3.0][0] < 0.5 * launches[0.1][0]) and np.all(launches[3.0][1] < 0.5 * launches[0.1][1])
    kappa, _ = slips(0.0, 0.0, omega=1.0, driven=1, min_active_slip_speed=0.1)
    assert kappa == pytest.approx(1.0 * 0.289 / 0.1, rel=1e-3)  # 1 rad/s, radius, smallest denominator


def changes_of_sign(tick, context, seconds=6.0):
    """Changes of sign of the slip of free wheels below 2 m/s, per wheel and second.

    The wheels are slowed by 2 % every half second. Drag makes the slip negative; after such a disturbance it should
    return without overshoot.
    """
    values = {
        **NO_AIR,
        **each_wheel("wheel", spin_inertia=5.0, damping=0.3),
        **each_wheel("tire", longitudinal_stiffness=15e3),
    }
    drive = Drive("roadster_simple", values=values, tick=tick)
    drive.run(3.0, brake=1.0)
    drive.vehicle.context["substep_count"] = 1
    for name, value in context.items():
        drive.vehicle.context[name] = value
    rolling(drive, 1.9).run(0.5)
    slip = []
    for _ in range(round(2 * seconds)):
        drive.vehicle.state["wheel"][0]["omega"][:4] *= 0.98
        slip.extend(drive.log(0.5, lambda d: d.wheels("tire", "longitudinal_slip"), every=tick))
    assert drive.wheels("suspension", "on_ground").all() and 0.5 < drive.speed < 2.0
    sign = np.sign(np.where(np.abs(slip) > 1e-5, slip, 0.0))
    return (sign[1:] * sign[:-1] < 0.0).sum() / seconds / 4.0


@pytest.mark.covers("PX-TIRE-04")
def test_a_free_wheel_coasts_without_oscillation_of_its_slip():
    """This holds for a smallest denominator of 4 m/s. With 0.4 m/s the slip changes sign more than 5 times a second."""
    assert new_context()[0]["min_passive_slip_speed"] == 4.0
    assert changes_of_sign(1 / 60, {}) < 0.5
    assert changes_of_sign(1 / 60, {"min_passive_slip_speed": 0.4}) > 5.0


@pytest.mark.covers("PX-TIRE-05")
def test_denominators_grow_with_the_step():
    """The default denominators suit 60 Hz. At 30 Hz the slip of a coasting car oscillates with them, but hardly with
    denominators twice as large."""
    at_60 = changes_of_sign(1 / 60, {})
    scaled = slip_speeds(1 / 30)
    assert scaled == {"min_lateral_slip_speed": 2.0, "min_passive_slip_speed": 8.0, "min_active_slip_speed": 0.2}
    assert changes_of_sign(1 / 30, {}) > at_60 + 5.0
    assert changes_of_sign(1 / 30, scaled) <= at_60 + 0.5
    context = new_context()
    use_slip_speeds(context, 1 / 120)  # shorter steps change nothing
    assert all(context[0][name] == new_context()[0][name] for name in SLIP_SPEEDS)


# ---- force


@pytest.mark.covers("PX-TIRE-06")
def test_tiny_slips_add_up_linearly():
    """F_x = C_x kappa and F_y = -C_y alpha + C_camber gamma within 2 %, at less than 2 % of the grip."""
    vehicle = car(camber_stiffness=8000.0, lateral_stiffness=60e3, lateral_stiffness_load=0.0)
    for kappa, alpha, camber in ((3e-4, 0.0, 0.0), (0.0, 4e-4, 0.0), (0.0, 0.0, 2e-3), (3e-4, -4e-4, 2e-3)):
        fx, fy = forces(vehicle, kappa, alpha, camber)
        assert fx == pytest.approx(60e3 * kappa, rel=0.02, abs=1e-9)
        assert fy == pytest.approx(-60e3 * alpha + 8000.0 * camber, rel=0.02, abs=1e-9)


@pytest.mark.covers("PX-TIRE-07")
def test_no_slip_makes_more_than_friction_times_load():
    """This holds for 10 000 random slips with camber. The force approaches the limit without a kink."""
    vehicle, rng = car(camber_stiffness=8000.0), np.random.default_rng(3)
    max_usage = 0.0
    for _ in range(2500):
        state = vehicle.state["tire"][0]
        load, friction = rng.uniform(100.0, 9000.0, 4), rng.uniform(0.05, 1.6, 4)
        state["longitudinal_slip"][:4] = rng.normal(0.0, 0.3, 4)
        state["lateral_slip"][:4] = rng.uniform(-1.5, 1.5, 4)
        state["camber"][:4] = rng.uniform(-0.5, 0.5, 4)
        state["load"][:4], state["friction"][:4] = load, friction
        call(vehicle, "tire", "force")
        used = np.hypot(state["longitudinal_force"][:4], state["lateral_force"][:4]) / (friction * load)
        assert np.all(used <= 1.0 + 1e-9)
        max_usage = max(max_usage, used.max())
    assert max_usage > 0.999
    demand = np.linspace(0.0, 4.0, 401)
    fx = np.array([forces(vehicle, kappa=k * REST_LOAD / 60e3)[0] for k in demand]) / REST_LOAD
    slope = np.gradient(fx, demand)
    assert np.abs(np.diff(slope)).max() < 0.02  # a cut-off line would jump by 1
    assert fx[100:].min() > 0.69 and fx[-1] == pytest.approx(1.0)


@pytest.mark.covers("PX-TIRE-08")
def test_longitudinal_slip_gives_force_by_its_stiffness_and_reduces_side_force():
    """At a slip of 0.01 the force is 0.01 C_x, far below the limit."""
    for stiffness in (40e3, 90e3):
        vehicle = car(longitudinal_stiffness=stiffness)
        assert forces(vehicle, kappa=0.01, friction=1000.0)[0] == pytest.approx(0.01 * stiffness, rel=1e-3)
    alone = forces(vehicle, alpha=0.05)[1]
    assert abs(forces(vehicle, kappa=0.1, alpha=0.05)[1]) < 0.7 * abs(alone)
    stiff = abs(forces(car(longitudinal_stiffness=180e3), kappa=0.02, alpha=0.05)[1])
    assert stiff < abs(forces(vehicle, kappa=0.02, alpha=0.05)[1])


def small_slip_stiffness(vehicle, load):
    """Side force per slip angle far below the limit, N/rad."""
    return -forces(vehicle, alpha=1e-4, load=load, friction=1000.0)[1] / 1e-4


@pytest.mark.covers("PX-TIRE-09", "PX-TIRE-10")
def test_lateral_stiffness_saturates_at_its_load():
    """With saturation at 2 rest loads, stiffness is 100 kN/rad at 2 and 3 rest loads and at least 10 % lower at 1."""
    vehicle = car(lateral_stiffness_load=2.0, lateral_stiffness=100e3)
    one, two, three = (small_slip_stiffness(vehicle, n * REST_LOAD) for n in (1.0, 2.0, 3.0))
    assert two == pytest.approx(100e3, rel=1e-3) and three == pytest.approx(two, rel=1e-3)
    assert one < 0.9 * two
    at_three = car(lateral_stiffness_load=3.0)
    assert small_slip_stiffness(at_three, 2.0 * REST_LOAD) < 0.99 * small_slip_stiffness(at_three, 3.0 * REST_LOAD)
    assert small_slip_stiffness(car(lateral_stiffness=50e3), 2.0 * REST_LOAD) == pytest.approx(50e3, rel=1e-3)


@pytest.mark.covers("PX-TIRE-11")
def test_the_rest_load_is_the_weight_on_the_wheel_or_a_given_value():
    """Stiffness depends on the load divided by the rest load."""
    vehicle = load_vehicle("roadster_simple")
    sprung = vehicle.params["suspension"][0]["supported_mass"][:4]
    nominal = vehicle.params["tire"][0]["nominal_load"][:4].copy()
    assert nominal == pytest.approx(sprung * GRAVITY, rel=1e-9)
    assert Drive(vehicle).run(4.0).wheels("suspension", "force") == pytest.approx(nominal, rel=0.01)
    base = small_slip_stiffness(car(), REST_LOAD)
    vehicle = car(rest_load=2.0 * REST_LOAD)
    assert vehicle.params["tire"][0]["nominal_load"][:4] == pytest.approx([2.0 * REST_LOAD] * 4)
    assert small_slip_stiffness(vehicle, 2.0 * REST_LOAD) == pytest.approx(base, rel=1e-3)
    assert small_slip_stiffness(vehicle, REST_LOAD) < 0.9 * base


@pytest.mark.covers("PX-TIRE-12")
@pytest.mark.parametrize("saturation", [2.0, 3.0])
def test_stiffness_versus_load_follows_the_smoothing_curve(saturation):
    """Y g(3 n / X), g(K) = min(1, K - K^2/3 + K^3/27): linear near no load, full from X on.

    n: load per rest load; Y: lateral_stiffness; X: lateral_stiffness_load.
    """
    vehicle = car(lateral_stiffness_load=saturation)
    for n in np.linspace(0.05, 4.0, 40):
        k = 3.0 * n / saturation
        expected = 1.0 if k >= 3.0 else min(1.0, k - k * k / 3.0 + k**3 / 27.0)
        assert small_slip_stiffness(vehicle, n * REST_LOAD) == pytest.approx(100e3 * expected, rel=1e-3)


@pytest.mark.covers("PX-TIRE-13")
def test_camber_thrust():
    """At 3 degrees (0.0524 rad) without slip it is 0.0524 C_camber to the side of the tilt; low friction limits it."""
    for stiffness in (2500.0, 9000.0, 0.0):
        vehicle = car(camber_stiffness=stiffness)
        for side in (1.0, -1.0):
            fx, fy = forces(vehicle, camber=side * math.radians(3.0), friction=100.0)
            assert fx == 0.0 and fy == pytest.approx(side * stiffness * 0.0524, rel=2e-3, abs=1e-9)
    limited = forces(car(camber_stiffness=9000.0), camber=0.5, friction=0.1)[1]
    assert 0.9 * 300.0 < limited <= 300.0 + 1e-9


# ---- steering


@pytest.mark.covers("PX-STEER-01")
@pytest.mark.parametrize("angle", [math.radians(30.0), math.radians(45.0)])
def test_the_turning_radius_at_full_lock_is_wheelbase_divided_by_tangent(angle):
    """Radius of the left rear wheel's path at walking speed, within 5 %; the left front wheel turns by the full
    angle."""
    values = {**NO_AIR, **each_wheel("steering", ("fl", "fr"), max_angle=angle), "ackermann.strength": 1.0,
              "response.steer_table": [], **each_wheel("tire", rolling_resistance=0.0)}  # fmt: skip
    commands = {"steer": -1.0, "throttle": 0.06, "gear": 2}
    drive = Drive(on_plain_tires("buggy"), values=values).run(2.0).run(2.5, **commands)
    assert drive.wheels("steering", "angle")[0] == pytest.approx(angle)
    assert 0.5 < drive.speed < 2.0
    wheelbase = drive.vehicle.params["suspension"][0]["attachment"][0, 1] * 2.0
    positions = drive.log(2.0, lambda d: d.wheels("wheel", "position")[2, :2], every=0.02, **commands)
    # the circle p^2 = 2 p . centre + c that fits all positions p best
    matrix = np.column_stack([2.0 * positions, np.ones(len(positions))])
    x, y, c = np.linalg.lstsq(matrix, (positions**2).sum(axis=1), rcond=None)[0]
    assert math.sqrt(c + x * x + y * y) == pytest.approx(wheelbase / math.tan(angle), rel=0.05)


@pytest.mark.covers("PX-STEER-03")
def test_full_steering_at_forty_metres_a_second():
    """The car is steered from lock to lock. With at most 6 % of the steering angle at this speed, sideslip stays below
    15 degrees; with all of it the car spins."""
    max_sideslips, gear = {}, 5
    points = [[0.0, 1.0], [5.0, 1.0], [30.0, 0.06], [120.0, 0.03]]
    for name, table in (("filtered", [[0.0, [[0.0, 0.0]]], [1.0, points]]), ("all of it", [])):
        drive = Drive("roadster_simple", values={"response.steer_table": table}).run(2.0)
        state, vehicle = drive.vehicle.state, drive.vehicle
        ratio = vehicle.get("gearbox.ratios")[gear] * vehicle.get("gearbox.final_ratio")
        state["engine"][0]["omega"] = 40.0 / vehicle.get("wheel.rl.radius") * ratio
        state["gearbox"][0]["current_gear"] = state["gearbox"][0]["target_gear"] = gear
        rolling(drive, 40.0)
        motions = [
            drive.log(seconds, lambda d: (math.atan2(d.local_velocity[0], d.speed), yaw_rate(d)), steer=steer,
                      throttle=0.5, gear=gear)
            for seconds, steer in ((1.0, -1.0), (3.0, 1.0))
        ]  # fmt: skip
        assert motions[0][50, 1] > 0.1  # it does turn
        max_sideslips[name] = np.degrees(np.abs(np.concatenate(motions)[:, 0]).max())
    assert max_sideslips["filtered"] < 15.0 and max_sideslips["all of it"] > 90.0, max_sideslips
