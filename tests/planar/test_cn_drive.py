"""Engine, gearbox, traction, brakes and resistances of the planar model, with the article's numbers.

Other numbers are of the planar roadster: 1125 kg, centre of mass 1.0875 m behind the front axle, redline 754 rad/s,
ratios 3.136 and 1.888 of the first two gears, final ratio 4.1, efficiency 0.92.
"""

import math

import numpy as np
import pytest
from drive_rig import Drive
from planar_rig import ARTICLE, FREE, NO_AIR, NO_ROLLING, RAD_S_PER_RPM, WHEELS, Planar, flat_engine

from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

G = 9.81  # m/s^2
RADIUS = 0.289  # m, of the wheels
SECOND = FIRST + 1
TABLE = [[105.0, 100.0], [300.0, 200.0], [500.0, 220.0], [700.0, 150.0]]
GRIP = {"differential.friction": 2.0}  # enough for the traction of these tests: no wheelspin


def torque_at(values, omega):
    """Torque, N m, at full throttle and an engine speed, rad/s, after a tick in first gear."""
    ratio = 3.136 * 4.1
    car = Planar({**FREE, **values}).going(ahead=omega * RADIUS / ratio)
    car.vehicle.state["engine"]["omega"] = omega
    return car.tick(throttle=1.0).read("engine.torque")


@pytest.mark.covers("CN-ENG-01")
def test_torque_table_is_exact_at_its_points_and_linear_between():
    for omega, torque in TABLE:
        assert torque_at({"engine.torque_table": TABLE}, omega) == torque
    assert torque_at({"engine.torque_table": TABLE}, 400.0) == pytest.approx(210.0)
    assert torque_at({"engine.torque_table": TABLE}, 202.5) == pytest.approx(150.0)


@pytest.mark.covers("CN-ENG-02")
def test_a_dense_curve_is_approximated_by_straight_lines_and_the_error_is_reported():
    x = np.linspace(100.0, 700.0, 16)
    dense = [[float(w), float(220.0 - 0.001 * (w - 420.0) ** 2)] for w in x]
    car = Planar({"engine.torque_table": dense, "engine.segments": 3})
    used, reported = car.vehicle.get("engine.used_table"), car.vehicle.get("engine.simplification_error")
    assert len(used) == 4 and used[0] == dense[0] and used[-1] == dense[-1]
    grid = np.array(dense)
    error = np.abs(np.interp(grid[:, 0], *np.array(used).T) - grid[:, 1]).max()
    assert reported == pytest.approx(error) and 0.5 < reported < 12.0
    car.vehicle.set("engine.segments", 0)
    assert car.vehicle.get("engine.simplification_error") == 0.0 and car.vehicle.get("engine.used_table") == dense
    assert len(Planar({"engine.torque_table": TABLE}).vehicle.get("engine.used_table")) == 4, "the three given lines"


@pytest.mark.covers("CN-ENG-03")
def test_car_at_rest_starts_with_the_torque_at_the_floor_speed():
    table = [[0.0, 0.0], [105.0, 100.0], [500.0, 150.0]]
    car = Planar({"engine.torque_table": table}).tick(2, throttle=1.0, gear=FIRST)
    assert car.read("engine.torque") == pytest.approx(100.0) and car.read("engine.omega") < 1.0
    assert car.tick(60, throttle=1.0).read("body.v_long") > 0.5
    stalled = Planar({"engine.torque_table": [[0.0, 0.0], [105.0, 100.0]], "engine.floor_omega": 0.0})
    assert stalled.tick(60, throttle=1.0, gear=FIRST).read("body.v_long") == 0.0


@pytest.mark.covers("CN-ENG-04")
def test_engine_does_not_turn_faster_than_its_redline():
    car = Planar({**NO_AIR, **NO_ROLLING})
    speeds = car.log(12.0, lambda d: d.read("engine.omega"), throttle=1.0, gear=FIRST)
    assert speeds.max() == 754.0 and speeds[-1] == 754.0
    top = 754.0 * RADIUS / (3.136 * 4.1)
    assert car.read("body.v_long") == pytest.approx(top, rel=2e-3), "top speed in first gear"
    assert car.read("engine.torque") == 0.0


@pytest.mark.covers("CN-ENG-05")
def test_engine_speed_is_that_of_the_car_times_the_ratios():
    values = {**ARTICLE, **FREE, "gearbox.ratios": [-3.0, 0.0, 2.0], "gearbox.final_ratio": 3.38}
    car = Planar(values).going(ahead=20.0).tick()
    assert car.read("engine.omega") / RAD_S_PER_RPM == pytest.approx(3912.0, abs=0.5)
    assert Planar(values).going(ahead=20.0, gear=NEUTRAL).tick().read("engine.omega") == 0.0


@pytest.mark.covers("CN-TRAC-01")
def test_traction_is_wheel_torque_divided_by_radius():
    direct_drive = flat_engine(1000.0, ratio=1.0, final=1.0, efficiency=1.0)
    car = Planar({**ARTICLE, **GRIP, **direct_drive}).going().tick(throttle=1.0)
    assert car.sum("differential", "traction") == pytest.approx(3030.3, abs=0.1)


@pytest.mark.covers("CN-GEAR-03")
def test_traction_is_engine_torque_times_ratios_and_efficiency_divided_by_radius():
    car = Planar({**ARTICLE, **GRIP, **flat_engine(300.0)}).going().tick(throttle=1.0)
    assert car.sum("differential", "traction") == pytest.approx(9956.0, abs=1.0)
    assert car.sum("differential", "traction") * 0.33 == pytest.approx(3285.0, abs=1.0)


@pytest.mark.covers("CN-TIRE-01")
def test_traction_beyond_friction_spins_the_wheels():
    car = Planar({**ARTICLE, **flat_engine(300.0), "differential.friction": 0.9}).going().tick(throttle=1.0)
    assert car.sum("differential", "traction") == pytest.approx(4662.0, abs=0.5)
    assert car.wheels("differential", "spinning").tolist() == [0, 0, 1, 1]
    assert car.read("body.a_long") == pytest.approx((4661.7 - 0.012 * 1200 * G) / 1200, rel=1e-3)
    half = car.tick(throttle=0.4)
    assert half.sum("differential", "traction") == pytest.approx(0.4 * 9956.0, rel=1e-3)
    assert half.wheels("differential", "spinning").tolist() == [0, 0, 0, 0]


@pytest.mark.covers("CN-INPUT-01")
def test_half_throttle_is_half_traction():
    full, half = (Planar(ARTICLE).going(ahead=5.0).tick(throttle=t).sum("differential", "traction") for t in (1.0, 0.5))
    assert full > 500.0 and half == pytest.approx(0.5 * full)
    assert Planar(ARTICLE).going(ahead=5.0).tick().sum("differential", "traction") == 0.0


@pytest.mark.covers("CN-GEAR-01")
def test_ratios_multiply_torque():
    values = {**GRIP, **flat_engine(100.0)}
    first, second = (Planar(values).going(ahead=5.0, gear=g).tick(throttle=1.0) for g in (FIRST, SECOND))
    quotient = first.sum("differential", "traction") / second.sum("differential", "traction")
    assert quotient == pytest.approx(1.0 / 0.6)  # ratios of flat_engine
    back = Planar(values).going(gear=REVERSE).tick(60, throttle=1.0)
    assert back.read("body.v_long") < -0.5


@pytest.mark.covers("CN-GEAR-02")
@pytest.mark.parametrize("efficiency", [0.9, 0.7])
def test_gearbox_loses_power_by_its_efficiency(efficiency):
    values = {"gearbox.efficiency": efficiency, "rolling.coefficient": 0.1}
    car = Planar(values).going(ahead=25.0, gear=SECOND).tick(240 * 900, throttle=0.36 / efficiency)  # 900 s
    assert abs(car.read("body.a_long")) < 1e-6, "steady"
    engine = car.read("engine.torque") * car.read("engine.omega")
    assert car.sum("differential", "traction") * car.read("body.v_long") / engine == pytest.approx(efficiency)


@pytest.mark.covers("CN-DIFF-01")
def test_twice_the_final_ratio_is_twice_the_torque_and_half_the_speed():
    tractions, speeds = [], []
    for final in (2.0, 4.0):
        values = {**FREE, **GRIP, **flat_engine(100.0, final=final, redline=300.0)}
        car = Planar(values).going().tick(throttle=1.0)
        tractions.append(car.sum("differential", "traction"))
        speeds.append(car.tick(240 * 20, throttle=1.0).read("body.v_long"))
    assert tractions[1] == pytest.approx(2.0 * tractions[0]) and speeds[0] == pytest.approx(2.0 * speeds[1], rel=5e-3)


@pytest.mark.covers("CN-GEAR-04")
def test_engine_speed_changes_with_the_ratio():
    values = {**FREE, "gearbox.ratios": [-3.0, 0.0, 2.0, 1.5], "gearbox.final_ratio": 3.38, "engine.max_omega": 800.0}
    car = Planar(values).going(ahead=6000.0 * RAD_S_PER_RPM * RADIUS / (2.0 * 3.38)).tick()
    assert car.read("engine.omega") / RAD_S_PER_RPM == pytest.approx(6000.0)
    assert car.tick(gear=SECOND).read("engine.omega") / RAD_S_PER_RPM == pytest.approx(4500.0)


@pytest.mark.covers("CN-GEAR-04")
@pytest.mark.parametrize(("gear", "omega"), [(REVERSE, 450.0), (FIRST, 300.0), (SECOND, 225.0), (NEUTRAL, 0.0)])
def test_engine_turns_forward_after_changes_out_of_reverse_and_into_it(gear, omega):
    values = {**FREE, "gearbox.ratios": [-3.0, 0.0, 2.0, 1.5], "engine.max_omega": 500.0}
    for before, before_omega, ratio in ((FIRST, 300.0, 2.0), (REVERSE, 450.0, -3.0)):
        car = Planar(values).going(ahead=before_omega / ratio * RADIUS / 4.1, gear=before).tick()
        assert car.read("engine.omega") == pytest.approx(before_omega)
        assert car.tick(gear=gear).read("engine.omega") == pytest.approx(omega)


@pytest.mark.covers("CN-ENG-04")
def test_a_change_down_at_speed_ends_at_the_redline():
    values = {**FREE, "gearbox.ratios": [-3.0, 0.0, 4.0, 1.0], "engine.max_omega": 500.0}
    car = Planar(values).going(ahead=400.0 * RADIUS / 4.1, gear=SECOND).tick()
    assert car.read("engine.omega") == pytest.approx(400.0)
    assert car.tick(gear=FIRST).read("engine.omega") == 500.0


@pytest.mark.covers("CN-AUTO-03")
def test_automatic_changes_down_only_while_it_slows():
    """At 10 m/s third gear is kept while the car accelerates, and left for second when it brakes."""
    car = Planar({**ARTICLE, **flat_engine(300.0)}).going(ahead=10.0, gear=SECOND + 1).tick(throttle=1.0)
    assert set(car.log(0.2, lambda d: d.read("gearbox.current_gear"), throttle=1.0, gear=AUTOMATIC)) == {SECOND + 1}
    car.tick(brake=1.0, gear=AUTOMATIC)
    assert car.read("gearbox.current_gear") == SECOND


@pytest.mark.parametrize(("clutch", "share"), [(0.0, 1.0), (0.25, 0.75), (1.0, 0.0)])
def test_the_clutch_pedal_reduces_traction_by_its_share(clutch, share):
    car = Planar({**ARTICLE, **GRIP, **flat_engine(300.0)}).going(ahead=5.0).tick(throttle=1.0, clutch=clutch)
    assert car.sum("differential", "traction") == pytest.approx(9956.0 * share, abs=1.0)


@pytest.mark.parametrize(("ahead", "right", "share"), [(8.0, 0.0, 1.0), (3.0, 4.0, 0.6), (0.0, 4.0, 0.0)])
def test_the_handbrake_force_along_the_car_has_the_share_of_the_speed_along_it(ahead, right, share):
    car = Planar({**ARTICLE, **FREE, "brakes.handbrake_friction": 0.7}).going(ahead=ahead, right=right)
    car.tick(handbrake=1.0)
    assert car.read("brakes.force") == pytest.approx(0.7 * 1200.0 * G * 1.1 / 2.5 * share)


@pytest.mark.covers("CN-AUTO-01")
def test_manual_gears_change_on_command_only():
    car = Planar()
    gears = car.log(10.0, lambda d: d.read("gearbox.current_gear"), throttle=1.0, gear=FIRST)
    assert set(gears) == {FIRST} and car.read("engine.omega") == 754.0
    assert car.tick(gear=SECOND).read("gearbox.current_gear") == SECOND
    assert set(car.log(4.0, lambda d: d.read("gearbox.current_gear"), brake=1.0, gear=SECOND)) == {SECOND}
    assert car.tick(gear=99).read("gearbox.current_gear") == SECOND, "no such gear"


@pytest.mark.covers("CN-AUTO-02", "CN-AUTO-04")
def test_automatic_changes_up_in_the_step_that_reaches_the_redline():
    car = Planar({**NO_AIR, **GRIP}).going(ahead=16.5)
    ratio = 3.136 * 4.1 / RADIUS
    for _ in range(400):
        before, pull = car.read("gearbox.current_gear"), car.sum("differential", "traction")
        car.tick(throttle=1.0, gear=AUTOMATIC)
        if car.read("gearbox.current_gear") != before:
            break
    assert car.read("gearbox.current_gear") == SECOND
    speed = car.read("body.v_long")
    assert speed * ratio >= 754.0 > (speed - car.read("body.a_long") * car.dt) * ratio
    assert car.read("engine.omega") == pytest.approx(754.0 * 1.888 / 3.136)
    assert car.sum("differential", "traction") == pytest.approx(pull, rel=0.05), "this step still pulled in first gear"
    after = car.tick(throttle=1.0, gear=AUTOMATIC).sum("differential", "traction")
    assert after == pytest.approx(car.read("engine.torque") * 1.888 * 4.1 * 0.92 / RADIUS) and after != pull


@pytest.mark.covers("CN-AUTO-03")
def test_automatic_changes_down_below_the_top_speed_of_the_gear_below():
    values = {**ARTICLE, **flat_engine(200.0, redline=7000.0 * RAD_S_PER_RPM), "autobox.hysteresis": 0.0}
    top = 7000.0 * RAD_S_PER_RPM * 0.33 / (3.6 * 3.38)
    assert top == pytest.approx(19.9, abs=0.05)
    car = Planar(values).going(ahead=top + 1.0, gear=SECOND)
    while car.read("gearbox.current_gear") == SECOND:
        speed = car.tick(brake=0.2, gear=AUTOMATIC).read("body.v_long")
        assert speed > 15.0
    assert car.read("gearbox.current_gear") == FIRST and top - 0.05 < speed < top
    delayed = Planar({**values, "autobox.hysteresis": 2.0}).going(ahead=top, gear=SECOND)
    while delayed.read("gearbox.current_gear") == SECOND:
        speed = delayed.tick(brake=0.2, gear=AUTOMATIC).read("body.v_long")
    assert top - 2.05 < speed < top - 2.0


def test_automatic_does_not_change_down_at_full_throttle():
    car = Planar()
    gears = car.log(40.0, lambda d: d.read("gearbox.current_gear"), throttle=1.0, gear=AUTOMATIC)
    assert (np.diff(gears) >= 0).all() and gears[-1] > SECOND


@pytest.mark.covers("CN-DIFF-02")
def test_front_traction_acts_along_the_steered_wheels():
    values = {**FREE, **GRIP, **flat_engine(100.0), "differential.front_share": 1.0, "steering.fl.max_angle": 0.8,
              "steering.fr.max_angle": 0.8}  # fmt: skip
    car = Planar(values).going().tick(throttle=1.0, steer=math.radians(30.0) / 0.8)
    force = 100.0 * 3.6 * 3.38 * 0.9 / RADIUS
    assert car.read("body.force_long") == pytest.approx(force * math.cos(math.radians(30.0)))
    assert car.read("body.force_lat") == pytest.approx(0.5 * force)
    assert car.read("body.yaw_moment") == pytest.approx(-0.5 * force * 1.0875), "to the right"
    rear = Planar({**values, "differential.front_share": 0.0}).going().tick(throttle=1.0, steer=0.5)
    assert rear.read("body.force_long") == pytest.approx(force) and rear.read("body.force_lat") == 0.0
    both = Planar({**values, "differential.front_share": 0.4}).going().tick(throttle=1.0)
    front, back = both.wheels("differential", "traction")[[0, 2]]
    assert front / (front + back) == pytest.approx(0.4)


@pytest.mark.covers("CN-BRAKE-01")
def test_full_braking_stops_from_20_m_s_in_22_7_m():
    values = {**ARTICLE, **NO_AIR, **NO_ROLLING, "brakes.friction": 0.9}
    car = Planar(values).going(ahead=20.0)
    start = car.body("position")[1]
    car.tick(240 * 3, brake=1.0)
    assert car.read("body.v_long") == pytest.approx(0.0, abs=1e-12)
    assert car.body("position")[1] - start == pytest.approx(22.7, abs=0.1)
    half = Planar(values).going(ahead=-20.0).tick(brake=0.5)
    assert half.read("body.a_long") == pytest.approx(0.45 * G)
    with_force = Planar({**values, "brakes.brake_force": 3000.0}).going(ahead=20.0).tick(brake=1.0)
    assert with_force.read("body.a_long") == pytest.approx(-2.5)


@pytest.mark.covers("CN-INPUT-02")
@pytest.mark.parametrize("vehicle", ["planar_roadster", "roadster_simple"])
def test_throttle_and_brake_together_or_one_of_them(vehicle):
    """With the component of the planar model, also in another vehicle."""
    loaded = load_vehicle(vehicle)
    for exclusive in (False, True):
        other = swapped_vehicle(loaded, plan_swap(loaded, "response", "pedal_overlap"))
        car = Drive(other, values={"response.exclusive": exclusive})
        car.run(0.1, throttle=1.0, brake=0.3, gear=FIRST)
        assert car.vehicle.read("response.throttle") == (0.0 if exclusive else 1.0)
        assert car.vehicle.read("response.brake") == pytest.approx(0.3)
        car.run(0.1, throttle=0.7, gear=FIRST)
        assert car.vehicle.read("response.throttle") == pytest.approx(0.7)


def car_at(values, ahead=0.0, right=0.0, density=1.225):
    """The car after a tick at a speed, m/s, in air of a density, kg/m^3."""
    car = Planar(values)
    car.world.context["air_density"] = density
    car.vehicle.derive()
    return car.going(ahead=ahead, right=right).tick()


@pytest.mark.covers("CN-AERO-01")
def test_drag_of_the_article():
    """The drag is density / 2 times drag coefficient, area and squared speed, against the motion."""
    values = {"aero.frontal_area": 2.2, "aero.drag_coefficient": 0.30}
    assert car_at(values, 30.0).read("aero.drag_long") == pytest.approx(-363.8, abs=0.1)
    assert car_at(values, -30.0).read("aero.drag_long") == pytest.approx(363.8, abs=0.1)
    assert car_at(values, 30.0, density=1.0).read("aero.drag_long") == pytest.approx(-297.0, abs=0.1)


@pytest.mark.covers("CN-AERO-02")
def test_coast_down_is_the_same_with_a_factor_or_with_area_and_coefficient():
    speeds = []
    for values in ({"aero.frontal_area": 2.2, "aero.drag_coefficient": 0.3},
                   {"aero.drag_factor": 0.5 * 1.204 * 2.2 * 0.3, "aero.frontal_area": 9.0}):  # fmt: skip
        car = Planar(values).going(ahead=50.0, gear=NEUTRAL)
        speeds.append(car.log(20.0, lambda d: d.read("body.v_long"), every=0.5, gear=NEUTRAL))
    assert speeds[0][-1] < 42.0 and np.allclose(*speeds, rtol=1e-12, atol=0.0)


@pytest.mark.covers("CN-AERO-03")
def test_drag_of_a_lateral_slide_is_that_of_the_side_factor():
    values = {**NO_ROLLING, "aero.drag_factor": 0.4, "aero.side_drag_factor": 1.8}
    values.update({f"tire.{w}.side_friction": 0.0 for w in WHEELS})
    car = Planar(values).going(right=20.0).tick()
    assert car.read("body.a_lat") == pytest.approx(-1.8 * 400.0 / 1125.0)
    straight = Planar(values).going(ahead=20.0).tick()
    assert straight.read("body.a_long") == pytest.approx(-0.4 * 400.0 / 1125.0)


@pytest.mark.covers("CN-RR-01", "CN-RR-02")
def test_rolling_resistance_by_load():
    """It is 1 % of each wheel's load, here 117.7 N in total, and slows a car that rolls freely by 0.0981 m/s²."""
    values = {**ARTICLE, **NO_AIR, "rolling.coefficient": 0.01}
    car = Planar(values).going(ahead=10.0, gear=NEUTRAL).tick()
    assert car.sum("rolling", "force") == pytest.approx(117.7, abs=0.05)
    assert car.wheels("rolling", "force")[:2] == pytest.approx(0.01 * 0.5 * 6592.3, abs=0.01), "of each wheel's load"
    assert car.read("body.a_long") == pytest.approx(-0.0981)
    car.tick(480)
    assert car.read("body.v_long") == pytest.approx(10.0 - 481.0 / 240.0 * 0.0981)
    assert Planar(values).going(ahead=-3.0).tick().read("body.a_long") == pytest.approx(0.0981), "against the motion"


@pytest.mark.covers("CN-RR-03")
def test_rolling_resistance_by_speed_equals_drag_at_30_m_s():
    values = {**ARTICLE, "rolling.form": "speed", "aero.drag_factor": 0.42}
    car = Planar(values).going(ahead=30.0, gear=NEUTRAL).tick()
    assert car.sum("rolling", "force") == pytest.approx(-car.read("aero.drag_long")) == pytest.approx(378.0)
    slow = Planar(values).going(ahead=15.0, gear=NEUTRAL).tick()
    assert slow.sum("rolling", "force") == pytest.approx(189.0)
    with_coefficient = Planar({**values, "rolling.speed_coefficient": 5.0}).going(ahead=15.0).tick()
    assert with_coefficient.sum("rolling", "force") == pytest.approx(75.0)


@pytest.mark.covers("CN-RR-04")
def test_rolling_resistance_acts_along_the_steered_wheels():
    values = {**FREE, "rolling.coefficient": 0.02, "steering.fl.max_angle": 0.8, "steering.fr.max_angle": 0.8,
              "response.steer_table": []}  # fmt: skip
    angle = math.radians(30.0)
    car = Planar(values).going(ahead=3.0, gear=NEUTRAL).tick(steer=angle / 0.8)
    front = car.wheels("rolling", "force")[:2].sum()
    assert front == pytest.approx(0.02 * car.read("body.front_load"))
    assert car.read("body.front_lat") == pytest.approx(-0.5 * front) and car.read("body.rear_lat") == 0.0
    assert car.read("body.yaw_moment") == pytest.approx(0.5 * front * 1.0875)
    rear = car.wheels("rolling", "force")[2:].sum()
    assert car.read("body.force_long") == pytest.approx(-rear - front * math.cos(angle))


@pytest.mark.covers("CN-RR-04")
def test_rolling_resistance_by_speed_uses_the_speed_along_each_wheel():
    """For a car that slides and turns: along a front wheel it is v_long cos + (v_lat - rate b) sin."""
    values = {**FREE, "rolling.form": "speed", "rolling.speed_coefficient": 50.0, "response.steer_table": [],
              "steering.fl.max_angle": 0.8, "steering.fr.max_angle": 0.8}  # fmt: skip
    angle = 0.5
    car = Planar(values).going(ahead=6.0, right=2.0, rate=-1.5, gear=NEUTRAL).tick(steer=angle / 0.8)
    speed = 6.0 * math.cos(angle) + (2.0 + 1.5 * 1.0875) * math.sin(angle)
    loads = car.wheels("tire", "load") / car.wheels("tire", "load").sum()
    assert car.wheels("rolling", "force")[:2] == pytest.approx(50.0 * speed * loads[:2])
    assert car.wheels("rolling", "force")[2:] == pytest.approx(50.0 * 6.0 * loads[2:])


def test_automatic_takes_a_gear_that_is_fast_enough():
    """From neutral the lowest gear for the speed, from reverse the first."""
    for speed, expected in ((0.0, FIRST), (16.0, FIRST), (20.0, SECOND), (45.0, FIRST + 3), (90.0, FIRST + 4)):
        car = Planar().going(ahead=speed, gear=NEUTRAL).tick(gear=AUTOMATIC)
        assert car.read("gearbox.current_gear") == expected
    assert Planar().going(ahead=-2.0, gear=REVERSE).tick(gear=AUTOMATIC).read("gearbox.current_gear") == FIRST
