"""Rules of Racer's documentation: engine, clutch, gear inertia and automatic gears, from the pedals to the wheels."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from racer_rig import AXLE_RATIO, TICK, car, engage, in_air, on_road, read, roll, trace
from row_rig import each_wheel

from driving_sandbox.physics.gearbox.shift_speeds import chosen_gear
from driving_sandbox.physics.maths.quat import rotate_inverse
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL

SECOND, THIRD, FOURTH = FIRST + 1, FIRST + 2, FIRST + 3
RAD_S_PER_RPM = math.pi / 30.0  # rad/s per r/min
ENGINE_INERTIA = 0.16  # kg m^2
MANUAL_CLUTCH = {"clutch__auto_omega": 0.0}  # it does not open by itself


# ---- engine


def dropped_clutch(**values):
    """A car braked in first gear, one second after its clutch pedal was released within a tick."""
    d = on_road(**values).run(1.0, brake=1.0, clutch=1.0, gear=FIRST)
    assert read(d, "engine.running") == 1 and read(d, "gearbox.current_gear") == FIRST
    return d.run(1.0, brake=1.0, gear=FIRST)


@pytest.mark.covers("RC-ENG-03")
def test_a_dropped_clutch_stalls_the_engine_and_the_starter_restarts_it():
    d = dropped_clutch(**MANUAL_CLUTCH)
    assert read(d, "engine.running") == 0 and abs(read(d, "engine.omega")) < 1.0 and abs(d.speed) < 0.05
    d.run(1.0, brake=1.0, gear=FIRST, throttle=0.5)  # in gear, clutch closed: no starter
    assert read(d, "engine.running") == 0
    cranked = trace(d, 0.5, "engine.cranking", "engine.omega", brake=1.0, clutch=1.0, gear=FIRST, throttle=0.5)
    start = d.vehicle.get("engine.start_omega")
    cranking = cranked["engine.cranking"] == 1
    assert cranking.any() and cranked["engine.omega"][cranking].max() < start + 10.0
    d.run(1.5, brake=1.0, clutch=1.0, gear=FIRST)
    assert read(d, "engine.running") == 1 and read(d, "engine.omega") == pytest.approx(94.0, abs=2.0)


@pytest.mark.covers("RC-ENG-03")
def test_what_keeps_an_engine_from_stalling_or_starting():
    weak_clutch = dropped_clutch(**MANUAL_CLUTCH, clutch__max_torque=25.0)
    assert read(weak_clutch, "engine.running") == 1
    assert read(dropped_clutch(), "engine.running") == 1  # automatic clutch
    d = dropped_clutch(**MANUAL_CLUTCH, engine__starter=False).run(2.0, brake=1.0, clutch=1.0, gear=FIRST, throttle=0.5)
    assert read(d, "engine.running") == 0
    off = Drive(car(engine__start_stalled=True)).run(0.5, brake=1.0)
    assert read(off, "engine.running") == 0 and read(off, "engine.omega") == 0.0
    assert read(off.run(1.5, brake=1.0, throttle=0.3), "engine.running") == 1


def test_a_rolling_car_starts_its_engine():
    d = roll(on_road(**MANUAL_CLUTCH), 8.0, SECOND)
    d.vehicle.state["engine"]["running"] = 0
    d.vehicle.state["engine"]["omega"] = 0.0
    assert read(d.run(1.0, gear=SECOND), "engine.running") == 1


def test_the_limiter_cuts_and_restores_the_throttle():
    """The clubsport's limiter acts at 764 rad/s."""
    omega = trace(in_air().run(2.0, throttle=1.0), 1.0, "engine.omega", throttle=1.0)["engine.omega"]
    assert 764.0 < omega.max() < 764.0 + 8.0 and 764.0 - 18.0 < omega.min() < 764.0 - 8.0
    narrow = trace(in_air(engine__limiter_band=2.0).run(2.0, throttle=1.0), 1.0, "engine.omega", throttle=1.0)
    assert narrow["engine.omega"].min() > omega.min() + 4.0


def test_a_closed_throttle_brakes_by_friction_and_by_speed():
    d = in_air(engine__friction=12.0, engine__braking=0.1)
    d.run(0.1)
    d.vehicle.state["engine"]["omega"] = 500.0
    slowing = -np.diff(trace(d, 0.05, "engine.omega")["engine.omega"])[0] / TICK * ENGINE_INERTIA
    assert slowing == pytest.approx(12.0 + 0.1 * 500.0, rel=0.03)


def test_the_idle_governor_adds_torque_up_to_its_limit():
    """Losses, 12 + 0.07 w N m at w rad/s, plus a correction that falls linearly from 45 N m at 42 rad/s to 0 at idle
    (94 rad/s); the sum is limited to 0 .. 45 N m. engine.torque is before losses."""
    d = in_air(engine__throttle_linearity=[]).run(0.1)
    # 60 rad/s: 16.2 + 45 * 34 / 52 = 45.6 N m, limited to 45
    for omega, expected in ((42.0, 45.0), (68.0, 12.0 + 0.07 * 68.0 + 45.0 * 26.0 / 52.0), (60.0, 45.0), (200.0, 0.0)):
        d.vehicle.state["engine"]["omega"] = omega
        assert read(d.run(TICK), "engine.torque") == pytest.approx(expected, abs=0.5 if omega == 68.0 else 1e-9), omega


@pytest.mark.parametrize("throttle", [1.0, 0.0])
def test_the_body_reacts_to_the_engines_change_of_speed(throttle):
    """In neutral its angular momentum is torque_reaction times the change of the engine's, with any throttle; about the
    forward axis, positive when the engine speeds up."""
    d = in_air(engine__torque_reaction=0.6).run(0.5, throttle=0.5)
    d.vehicle.state["engine"]["omega"] = 400.0
    d.vehicle.state["body"]["angular_velocity"][0] = 0.0
    speed_change = read(d.run(0.1, throttle=throttle), "engine.omega") - 400.0
    assert (speed_change > 50.0) if throttle else (speed_change < -10.0)
    q = tuple(d.body("orientation").tolist())
    spin = np.array(rotate_inverse(q, tuple(d.body("angular_velocity").tolist())))
    angular_momentum = spin * d.vehicle.get("body.inertia")
    assert angular_momentum == pytest.approx([0.0, 0.6 * ENGINE_INERTIA * speed_change, 0.0], abs=1e-4)


def test_a_driven_wheel_in_neutral_is_slowed_by_its_own_damping():
    d = in_air(drivetrain__output_inertia=0.0, **each_wheel("wheel", ("rl", "rr"), damping=2.0))
    d.world.context["substep_count"] = 1
    d.vehicle.state["wheel"]["omega"][0, 2:4] = 50.0
    d.run(0.25)
    divisor = 1.0 + TICK * 2.0 / d.vehicle.get("wheel.rl.inertia")
    assert d.wheels("wheel", "omega")[2:] == pytest.approx(2 * [50.0 / divisor**60])  # 60 implicit steps


# ---- clutch


@pytest.mark.covers("RC-CLUTCH-01")
def test_an_open_clutch_disconnects_the_engine_and_a_closed_one_locks_it():
    d = roll(on_road(), 10.0, SECOND).run(0.5, gear=SECOND, throttle=0.4)
    ratio = d.vehicle.get("gearbox.ratios")[SECOND] * AXLE_RATIO
    for _ in range(20):
        d.run(0.02, gear=SECOND, throttle=0.4)
        rear = d.wheels("wheel", "omega")[2:].mean()
        assert read(d, "engine.omega") == pytest.approx(ratio * rear, rel=1e-9)
    before = d.speed
    d.run(0.6, gear=SECOND, throttle=1.0, clutch=1.0)
    assert read(d, "drivetrain.clutch_torque") == 0.0 and read(d, "engine.omega") > 600.0
    rim_speed = d.wheels("wheel", "omega")[2:].mean() * 0.315  # m/s; 0.315 m: radius
    assert rim_speed == pytest.approx(d.speed, rel=0.01) and before - 0.6 < d.speed < before


@pytest.mark.covers("RC-CLUTCH-02")
def test_a_clutch_below_the_engines_torque_slips_at_its_capacity():
    base_values = {"engine__peak_torque": 300.0, "clutch__max_torque": 150.0, "engine__throttle_linearity": []}

    def pull(**values):
        d = roll(on_road(**{**base_values, **values}), 15.0, THIRD)
        return trace(d, 1.0, "drivetrain.clutch_torque", "drivetrain.clutch_slip", gear=THIRD, throttle=1.0)

    weak = pull()
    assert weak["drivetrain.clutch_torque"][60:] == pytest.approx(150.0)
    assert weak["drivetrain.clutch_slip"][-1] < -50.0  # the engine runs ahead
    strong = pull(clutch__max_torque=400.0)
    assert np.abs(strong["drivetrain.clutch_slip"][60:]).max() < 1.0
    assert strong["drivetrain.clutch_torque"][60:].min() > 200.0


def test_the_driveline_never_makes_energy():
    """Without engine and wheel losses, in the air, its energy never rises during clutching, shifting and braking."""
    inertia, output = 0.1, 0.05
    d = in_air(engine__friction=0.0, engine__braking=0.0, engine__idle_torque=0.0, gearbox__blip_throttle=0.0,
               gearbox__inertias=[inertia] * 7, drivetrain__output_inertia=output,
               **each_wheel("wheel", ("fl", "fr", "rl", "rr"), damping=0.0))  # fmt: skip
    d.run(0.1)
    d.vehicle.state["engine"]["omega"] = 600.0
    wheel_inertia = d.vehicle.params["wheel"]["inertia"][0, :4]

    def energy(d):
        shafts = inertia * read(d, "drivetrain.input_omega") ** 2 + output * read(d, "drivetrain.output_omega") ** 2
        return 0.5 * (
            ENGINE_INERTIA * read(d, "engine.omega") ** 2 + shafts + wheel_inertia @ d.wheels("wheel", "omega") ** 2
        )

    initial = energy(d.run(0.5, gear=SECOND))
    for gear, brake in ((SECOND, 0.0), (FOURTH, 0.0), (FIRST, 0.0), (THIRD, 0.05), (THIRD, 1.0)):
        energies = d.log(0.6, energy, every=TICK, gear=gear, brake=brake)
        assert np.diff(energies).max() < 1e-9 * initial, gear
    assert initial > 1000.0 and energy(d) < 0.05 * initial  # the engine keeps the rest: its clutch opens by itself


# ---- gearbox inertia, output speed, differential ratio


def acceleration_in_first(inertia, output=0.0):
    """(measured, predicted) angular acceleration of the rear wheels in the air, rad/s^2, at constant torque in first.

    inertia, output: of the first gear's shafts and of the gearbox's output, kg m^2.
    """
    inertias = [0.0, 0.0, inertia, 0.0, 0.0, 0.0, 0.0]
    d = in_air(engine__torque_curve=[[0.0, 1.0]], engine__friction=0.0, engine__braking=0.0,
               engine__throttle_linearity=[], gearbox__inertias=inertias, drivetrain__output_inertia=output,
               gearbox__cut_throttle=False, **each_wheel("wheel", ("rl", "rr"), damping=1e-9))  # fmt: skip
    d.run(0.1)
    engage(d, FIRST)
    d.vehicle.state["engine"]["omega"] = d.vehicle.state["drivetrain"]["input_omega"] = 300.0
    ratio = d.vehicle.get("gearbox.ratios")[FIRST] * AXLE_RATIO
    d.vehicle.state["wheel"]["omega"][0, 2:4] = 300.0 / ratio
    omega = trace(d, 0.1, "wheel.rl.omega", gear=FIRST, throttle=1.0)["wheel.rl.omega"]
    wheels = 2.0 * d.vehicle.get("wheel.rl.inertia")
    total = wheels + ratio**2 * (ENGINE_INERTIA + inertia) + AXLE_RATIO**2 * output
    # 217 N m: the engine's peak torque
    return (omega[-1] - omega[0]) / (len(omega) - 1) / TICK, ratio * 217.0 / total


@pytest.mark.covers("RC-GEAR-03")
def test_gear_inertia_counts_with_the_square_of_the_ratio():
    accelerations = [acceleration_in_first(inertia) for inertia in (0.0, 0.05, 0.2)]
    for measured, predicted in accelerations:
        assert measured == pytest.approx(predicted, rel=1e-3)
    assert accelerations[2][0] < 0.6 * accelerations[0][0]
    measured, predicted = acceleration_in_first(0.0, output=0.5)
    assert measured == pytest.approx(predicted, rel=1e-3)


@pytest.mark.covers("RC-GEAR-04")
def test_the_gearboxs_output_turns_with_the_propeller_shaft():
    d = roll(on_road(), 15.0, THIRD).run(0.5, gear=THIRD, throttle=0.3)
    ratio = d.vehicle.get("gearbox.ratios")[THIRD]
    output_omega = read(d, "drivetrain.output_omega")
    assert output_omega == pytest.approx(read(d, "engine.omega") / ratio, rel=1e-9)
    assert output_omega == pytest.approx(AXLE_RATIO * d.wheels("wheel", "omega")[2:].mean(), rel=1e-6)
    d.run(0.5, gear=THIRD, throttle=1.0, clutch=1.0)
    assert read(d, "engine.omega") > 1.3 * ratio * read(d, "drivetrain.output_omega")


# ---- automatic gears


@pytest.mark.covers("RC-AUTO-01")
def test_automatic_gears_reach_third_and_manual_ones_wait():
    gears = {}
    for automatic in (True, False):
        d = on_road(autobox__automatic=automatic)
        gears[automatic] = trace(d, 9.0, "gearbox.current_gear", gear=AUTOMATIC, throttle=1.0)["gearbox.current_gear"]
    assert gears[True].max() >= THIRD
    assert set(gears[False][100:].tolist()) == {float(FIRST)}
    d.run(1.0, gear=SECOND, throttle=1.0)
    assert read(d, "gearbox.current_gear") == SECOND


def shifts(d, seconds, **commands):
    """(engine speed in the tick before, rad/s; gear requested) of every gear change."""
    signals = trace(d, seconds, "gearbox.target_gear", "engine.omega", gear=AUTOMATIC, **commands)
    gear, omega = signals["gearbox.target_gear"], signals["engine.omega"]
    return [(omega[k], int(gear[k + 1])) for k in range(len(gear) - 1) if gear[k + 1] != gear[k]]


@pytest.mark.parametrize(("slower", "faster", "gear"), [
    (721.0, 760.0, FOURTH), (719.0, 760.0, THIRD), (280.0, 289.0, SECOND), (280.0, 291.0, THIRD), (280.0, 760.0, THIRD),
])  # fmt: skip
def test_while_the_clutch_slips_both_of_its_sides_must_ask_for_a_change(slower, faster, gear):
    p = car(autobox__up_omega=720.0, autobox__down_omega=290.0).params["autobox"][0]
    # 7: number of gears, with reverse and neutral
    assert chosen_gear(p, THIRD, NEUTRAL, 7, slower, faster) == gear
    assert chosen_gear(p, NEUTRAL, NEUTRAL, 7, slower, faster) == FIRST  # for any speeds
    if gear == SECOND:
        assert chosen_gear(p, FIRST, NEUTRAL, 7, slower, faster) == FIRST
    if gear == FOURTH:
        assert chosen_gear(p, THIRD, NEUTRAL, THIRD + 1, slower, faster) == THIRD  # the last one


@pytest.mark.covers("RC-AUTO-02")
@pytest.mark.parametrize(("up", "down"), [(6500.0, 2500.0), (5500.0, 2000.0)])
def test_gears_change_at_the_two_speeds(up, down):
    d = on_road(autobox__up_omega=up * RAD_S_PER_RPM, autobox__down_omega=down * RAD_S_PER_RPM)
    (omega, gear), *_ = [s for s in shifts(d, 6.0, throttle=1.0) if s[1] > FIRST]
    assert gear == SECOND and omega == pytest.approx(up * RAD_S_PER_RPM, abs=2.0)  # it gains 1 rad/s in a tick
    d = roll(on_road(autobox__up_omega=up * RAD_S_PER_RPM, autobox__down_omega=down * RAD_S_PER_RPM), 18.0, FOURTH)
    (omega, gear), *_ = shifts(d, 15.0)
    assert gear == THIRD and omega == pytest.approx(down * RAD_S_PER_RPM, abs=2.0)


def test_in_automatic_without_pedals_the_car_stands_and_the_engine_runs():
    d = on_road()
    assert read(d, "gearbox.current_gear") == NEUTRAL
    d.run(20.0, gear=AUTOMATIC)
    assert abs(d.speed) < 0.05 and read(d, "engine.running") == 1
