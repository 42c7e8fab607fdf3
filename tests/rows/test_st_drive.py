"""Stingray's format: engine, clutch, gears, differentials, brakes and steering, from the file to the moving car."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from stingray_rig import car, drive, falling, one_substep, read, roll
from stingray_samples import RADIUS, TRACK, WHEELBASE

from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE

# N m s, so low that the engine revs nearly freely
FREE = {"full_throttle": 0.1, "zero_throttle_clutch_engaged": 0.1, "zero_throttle_clutch_disengaged": 0.1}
LIFT = 0.3  # m; a wheel raised this far never reaches the ground
SPLITS = {"front_rear_split": 0.45, "front_left_right_split": 0.6, "rear_left_right_split": 0.4}


# ---- engine


@pytest.mark.covers("ST-ENG-01")
@pytest.mark.parametrize("peak", [400.0, 250.0])
def test_the_engines_largest_torque_is_its_peak_torque(peak):
    d = falling(engine__peak_torque=peak)
    torque = d.log(2.0, lambda d: read(d, "engine.torque"), every=1 / 240, throttle=1.0)
    assert torque.max() == pytest.approx(peak, rel=2e-3)


@pytest.mark.covers("ST-ENG-02")
@pytest.mark.parametrize("limit", [600.0, 450.0])
def test_the_engine_turns_no_faster_than_max_omega(limit):
    omega = falling(engine__max_omega=limit).log(5.0, lambda d: read(d, "engine.omega"), throttle=1.0)
    assert omega.max() <= limit and omega[-1] > 0.95 * limit


def damping_rate(d, **commands):
    """The engine's damping torque during one step, divided by its speed after that step, N m s."""
    before, seconds = read(d, "engine.omega"), d.dt
    d.run(seconds, **commands)
    after = read(d, "engine.omega")
    inertia = d.vehicle.get("engine.inertia")
    lost = read(d, "engine.torque") - read(d, "drivetrain.clutch_torque") - inertia * (after - before) / seconds
    return lost / after


@pytest.mark.covers("ST-ENG-04")
@pytest.mark.parametrize("rate", [0.3, 0.8])
def test_damping_at_full_throttle(rate):
    """The damping torque is the given rate times the engine's speed."""
    d = one_substep(falling(engine__damping_rates__full_throttle=rate)).run(0.4, throttle=1.0)
    assert 50.0 < read(d, "engine.omega") < 550.0
    assert damping_rate(d, throttle=1.0) == pytest.approx(rate, rel=1e-6)


@pytest.mark.covers("ST-ENG-05")
def test_damping_at_half_throttle_in_gear_is_the_mean():
    rates = {"full_throttle": 0.3, "zero_throttle_clutch_engaged": 1.5, "zero_throttle_clutch_disengaged": 0.5}
    d = one_substep(falling(engine__damping_rates=rates)).run(1.0, gear=FIRST, throttle=0.5)
    assert read(d, "gearbox.current_gear") == FIRST and abs(read(d, "drivetrain.clutch_torque")) > 1.0
    assert damping_rate(d, gear=FIRST, throttle=0.5) == pytest.approx(0.9, rel=1e-6)
    assert damping_rate(d, gear=FIRST, throttle=0.0) == pytest.approx(1.5, rel=1e-6)


def drop_time(full, engaged, disengaged):
    """Time in which the engine, with an inertia of 1 kg m^2, slows from 400 to 200 rad/s in neutral, s.

    Arguments: damping rates, N m s.
    """
    rates = dict(zip(("full_throttle", "zero_throttle_clutch_engaged", "zero_throttle_clutch_disengaged"),
                     (full, engaged, disengaged), strict=True))  # fmt: skip
    d = falling(engine__damping_rates=rates)
    d.vehicle.state["engine"]["omega"] = 400.0
    omega = d.log(4.0, lambda d: read(d, "engine.omega"), every=1 / 240)
    return (np.argmax(omega <= 200.0) + 1) / 240.0


@pytest.mark.covers("ST-ENG-06")
def test_revs_fall_in_neutral_by_the_disengaged_rate_alone():
    assert drop_time(0.3, 1.5, 0.5) == pytest.approx(math.log(2.0) / 0.5, abs=0.01)
    assert drop_time(0.3, 1.5, 1.0) == pytest.approx(math.log(2.0) / 1.0, abs=0.01)
    assert drop_time(2.0, 0.7, 0.5) == drop_time(0.3, 1.5, 0.5)


# ---- clutch and gears


@pytest.mark.covers("ST-CLUTCH-01")
@pytest.mark.parametrize("strength", [10.0, 20.0])
def test_clutch_torque_is_strength_times_slip_on_both_sides(strength):
    d = one_substep(falling(tick=1e-4, clutch__strength=strength, wheels__moi=50.0))
    v = d.vehicle
    v.state["gearbox"]["current_gear"] = v.state["gearbox"]["target_gear"] = FIRST
    total_ratio = 4.0 * 4.0  # first gear, final drive
    v.state["engine"]["omega"], v.state["wheel"]["omega"][0, :4] = 250.0, 200.0 / total_ratio
    d.run(d.dt, gear=FIRST)
    torque = read(d, "drivetrain.clutch_torque")
    assert torque == pytest.approx(strength * (250.0 - 200.0), rel=0.02)
    # torques by the changes of speed: the engine has 1 kg m^2 and a damping of 1.5 N m s, a wheel 50 and 0.25
    engine_torque = (250.0 - read(d, "engine.omega")) / d.dt - 1.5 * read(d, "engine.omega")
    rear = d.wheels("wheel", "omega")[2:]
    wheel_torques = 50.0 * (rear - 200.0 / total_ratio) / d.dt + 0.25 * rear
    assert engine_torque == pytest.approx(torque, rel=1e-6)
    assert wheel_torques.sum() / total_ratio == pytest.approx(torque, rel=1e-6)


@pytest.mark.covers("ST-GEAR-01")
@pytest.mark.parametrize("key", ["use_auto_gears", "auto_gears_enabled"])
def test_either_key_lets_gears_change_by_themselves(key):
    highest = {}
    for automatic in (True, False):
        d = drive(gears={"ratios": [-4.0, 0.0, 4.0, 2.0, 1.5], key: automatic, "final_ratio": 4.0})
        gears = d.log(8.0, lambda d: read(d, "gearbox.current_gear"), gear=AUTOMATIC, throttle=1.0)
        highest[automatic] = gears.max()
    assert highest[False] == FIRST < highest[True]
    with pytest.raises(ConfigError, match=r"use_auto_gears: contradicts auto_gears_enabled in line \d+"):
        car(gears__use_auto_gears=True, gears__auto_gears_enabled=False)


def shift_speeds(final):
    """Circumferential speed of the driven wheels at the first change up from each gear, m/s."""
    d = drive(gears__final_ratio=final, clutch__strength=300.0)
    rows = d.log(40.0, lambda d: (read(d, "gearbox.target_gear"), d.wheels("wheel", "omega")[2:].mean()),
                 every=1 / 240, gear=AUTOMATIC, throttle=1.0)  # fmt: skip
    gears = rows[:, 0]
    return RADIUS * np.array([rows[np.argmax(gears == g) - 1, 1] for g in range(FIRST + 1, int(gears.max()) + 1)])


@pytest.mark.covers("ST-GEAR-02")
def test_half_the_final_ratio_doubles_the_speed_of_every_change():
    short, long = shift_speeds(4.0), shift_speeds(2.0)
    assert len(long) >= 2 and len(short) >= len(long)
    assert long / short[: len(long)] == pytest.approx(2.0, rel=0.03)


@pytest.mark.covers("ST-GEAR-03")
@pytest.mark.parametrize("time", [0.5, 0.3])
def test_a_change_takes_its_switch_time(time):
    d = drive(gears__switch_time=time, gears__use_auto_gears=False)
    d.run(3.0, gear=FIRST, throttle=0.5)
    for gear in (FIRST + 1, FIRST + 2):
        torque = d.log(1.0, lambda d: read(d, "drivetrain.clutch_torque"), every=1 / 240, gear=gear, throttle=0.5)
        assert (torque == 0.0).sum() / 240.0 == pytest.approx(time, abs=1.01 / 240.0)
        assert read(d, "gearbox.current_gear") == gear


@pytest.mark.covers("ST-GEAR-04")
def test_the_first_ratio_drives_backwards():
    d = drive(gears__ratios=[-4.0, 0.0, 4.2, 2.0, 1.1, 1.0])
    d.run(3.0, gear=REVERSE, throttle=0.5)
    assert d.speed < -1.0 and d.wheels("tire", "longitudinal_force")[2:].max() < 0.0


# ---- differential


def icy(d, *wheels):
    """Give wheels the friction of ice, whatever the ground is."""
    d.vehicle.set_many({f"road.{w}.max_friction": 0.08 for w in wheels})
    return d


def drive_off_on_ice(kind, *on_ice, throttle=0.25, **differential):
    """(angular velocities, rad/s; longitudinal forces, N; shares of torque) of the wheels, a row per 0.01 s.

    The car drives off with the wheels `on_ice`.
    """
    d = icy(drive(differential={"type": kind, **differential}, engine__damping_rates=FREE), *on_ice)
    d.run(1.0, gear=FIRST, throttle=throttle)
    rows = d.log(1.5, lambda d: [d.wheels("wheel", "omega"), d.wheels("tire", "longitudinal_force"),
                                     d.wheels("differential", "torque_ratio")],
                 gear=FIRST, throttle=throttle)  # fmt: skip
    return rows[:, 0], rows[:, 1], rows[:, 2]


def largest_speed_ratio(omega, a, b):
    """Largest speed ratio of two groups of wheels in the second half of a run."""
    late = omega[len(omega) // 2 :]
    first, second = late[:, a].sum(axis=1) / len(a), late[:, b].sum(axis=1) / len(b)
    return float(np.max(np.maximum(first, second) / np.minimum(first, second)))


FL, FR, RL, RR = range(4)


@pytest.mark.covers("ST-DIFF-01")
def test_limited_slip_on_four_wheels_pulls_with_three():
    omega, force, shares = drive_off_on_ice("ls_4wd", "rr", throttle=0.5)
    assert (
        max(
            largest_speed_ratio(omega, [FL], [FR]),
            largest_speed_ratio(omega, [RL], [RR]),
            largest_speed_ratio(omega, [FL, FR], [RL, RR]),
        )
        < 1.33
    )
    late = force[len(force) // 2 :].mean(axis=0)
    assert late[[FL, FR, RL]].min() > 2.0 * max(late[RR], 0.0) and late[[FL, FR, RL]].min() > 300.0
    assert np.all(shares[-1] > 0.2)


@pytest.mark.covers("ST-DIFF-02")
def test_limited_slip_in_front():
    """Only the front wheels are driven, one of them on ice; the bias limits the ratio of their speeds."""
    omega, force, shares = drive_off_on_ice("ls_frontwd", "fr")
    assert np.all(shares[:, 2:] == 0.0) and np.all(shares[:, :2] > 0.4)
    assert np.abs(force[-20:, 2:]).max() < 100.0 < force[-20:, FL].min()
    assert 1.2 < largest_speed_ratio(omega, [FL], [FR]) < 1.33
    wider = drive_off_on_ice("ls_frontwd", "fr", front_bias=2.0)[0]
    assert 1.8 < largest_speed_ratio(wider, [FL], [FR]) < 2.05


@pytest.mark.covers("ST-DIFF-03")
def test_limited_slip_in_the_rear():
    omega, force, shares = drive_off_on_ice("ls_rearwd", "rr")
    assert np.all(shares[:, :2] == 0.0) and np.all(shares[:, 2:] > 0.4)
    assert np.abs(force[-20:, :2]).max() < 100.0 < force[-20:, RL].min()
    assert 1.2 < largest_speed_ratio(omega, [RL], [RR]) < 1.33
    wider = drive_off_on_ice("ls_rearwd", "rr", rear_bias=2.0)[0]
    assert 1.8 < largest_speed_ratio(wider, [RL], [RR]) < 2.05


@pytest.mark.covers("ST-DIFF-04")
def test_open_on_four_wheels_spins_the_one_on_ice():
    omega, _, shares = drive_off_on_ice("open_4wd", "rr")
    assert largest_speed_ratio(omega, [RL], [RR]) > 4.0
    assert np.ptp(shares, axis=0).max() == 0.0 and np.all(shares > 0.2)


def lifted(kind, wheel, throttle=0.15, **differential):
    """(angular velocities of the wheels in rows; drive) of a car that drives off on three wheels.

    The fourth one, `wheel`, is raised, and the centre of mass is moved away from it.
    """
    side, end = (1.0 if wheel in (FR, RR) else -1.0), (1.0 if wheel in (FL, FR) else -1.0)
    offset = tuple([0.0, 0.0, LIFT] if i == wheel else None for i in range(4))
    d = drive(differential={"type": kind, **differential}, wheels__position_offset=offset,
              engine__damping_rates=FREE, chassis__center_of_mass_offset=[-0.35 * side, -0.6 * end, -0.35])  # fmt: skip
    d.run(1.0, gear=FIRST, throttle=throttle)
    omega = d.log(1.0, lambda d: d.wheels("wheel", "omega"), gear=FIRST, throttle=throttle)
    assert d.wheels("suspension", "on_ground").tolist() == [int(i != wheel) for i in range(4)]
    return omega, d


@pytest.mark.covers("ST-DIFF-05")
def test_open_in_front_lets_a_lifted_front_wheel_spin():
    omega, d = lifted("open_frontwd", FR)
    assert d.wheels("differential", "torque_ratio").tolist() == [0.5, 0.5, 0.0, 0.0]
    assert omega[-1, FR] > 10.0 * max(omega[-1, FL], 0.1)


@pytest.mark.covers("ST-DIFF-06")
def test_open_in_the_rear_lets_a_lifted_rear_wheel_spin():
    omega, d = lifted("open_rearwd", RR)
    assert d.wheels("differential", "torque_ratio").tolist() == [0.0, 0.0, 0.5, 0.5]
    assert omega[-1, RR] > 10.0 * max(omega[-1, RL], 0.1)


def shares(kind, **differential):
    """Shares of torque of the wheels."""
    return drive(differential={"type": kind, **differential}).wheels("differential", "torque_ratio")


@pytest.mark.covers("ST-DIFF-07")
@pytest.mark.parametrize("kind", ["open_4wd", "ls_4wd"])
def test_the_split_between_the_axles(kind):
    torque = 1000.0 * shares(kind, front_rear_split=0.45)
    assert (torque[:2].sum(), torque[2:].sum()) == (pytest.approx(450.0), pytest.approx(550.0))
    torque = 1000.0 * shares(kind, front_rear_split=0.7)
    assert torque[:2].sum() == pytest.approx(700.0)
    for axle, expected in (("frontwd", 1000.0), ("rearwd", 0.0)):
        torque = 1000.0 * shares(kind.replace("4wd", axle), front_rear_split=0.45)
        assert torque[:2].sum() == pytest.approx(expected)


@pytest.mark.covers("ST-DIFF-08")
@pytest.mark.parametrize("kind", ["open_4wd", "ls_4wd", "ls_frontwd", "open_frontwd"])
def test_the_split_between_the_front_wheels(kind):
    torques = shares(kind, **SPLITS)
    assert torques[FL] / torques[FR] == pytest.approx(1.5)
    assert shares(kind)[FL] == pytest.approx(shares(kind)[FR])


@pytest.mark.covers("ST-DIFF-09")
@pytest.mark.parametrize("kind", ["open_4wd", "ls_4wd", "ls_rearwd", "open_rearwd"])
def test_the_split_between_the_rear_wheels(kind):
    torques = shares(kind, **SPLITS)
    assert torques[RL] / torques[RR] == pytest.approx(2.0 / 3.0)


@pytest.mark.covers("ST-DIFF-10")
def test_the_centre_bias_limits_the_speed_of_a_front_axle_on_ice():
    omega = drive_off_on_ice("ls_4wd", "fl", "fr", throttle=0.4)[0]
    assert 1.2 < largest_speed_ratio(omega, [FL, FR], [RL, RR]) < 1.31
    assert (
        1.8
        < largest_speed_ratio(
            drive_off_on_ice("ls_4wd", "fl", "fr", throttle=0.4, center_bias=2.0)[0], [FL, FR], [RL, RR]
        )
        < 2.01
    )
    assert largest_speed_ratio(drive_off_on_ice("open_4wd", "fl", "fr", throttle=0.4)[0], [FL, FR], [RL, RR]) > 3.0


@pytest.mark.covers("ST-DIFF-11")
@pytest.mark.parametrize("kind", ["ls_4wd", "ls_frontwd"])
def test_the_front_bias_limits_the_speed_of_a_lifted_wheel(kind):
    assert 1.25 < largest_speed_ratio(lifted(kind, FR, 0.3)[0], [FR], [FL]) < 1.31
    assert 1.7 < largest_speed_ratio(lifted(kind, FR, 0.3, front_bias=1.8, center_bias=2.0)[0], [FR], [FL]) < 1.81


@pytest.mark.covers("ST-DIFF-12")
@pytest.mark.parametrize("kind", ["ls_4wd", "ls_rearwd"])
def test_the_rear_bias_limits_the_speed_of_a_lifted_wheel(kind):
    assert 1.25 < largest_speed_ratio(lifted(kind, RR, 0.3)[0], [RR], [RL]) < 1.31
    assert 1.7 < largest_speed_ratio(lifted(kind, RR, 0.3, rear_bias=1.8, center_bias=2.0)[0], [RR], [RL]) < 1.81


# ---- brakes and steering


@pytest.mark.covers("ST-BRAKE-01")
@pytest.mark.parametrize("torque", [1500.0, 3000.0])
def test_a_lifted_wheel_stops_in_angular_momentum_per_brake_torque(torque):
    d = falling(wheels__moi=1.0, wheels__max_brake_torque=torque)
    d.vehicle.state["wheel"]["omega"][0, :4] = 100.0
    omega = d.log(0.1, lambda d: d.wheels("wheel", "omega")[0], every=1 / 240, brake=1.0)
    assert (np.argmax(omega == 0.0) + 1) / 240.0 == pytest.approx(100.0 / torque, abs=1.5 / 240.0)


@pytest.mark.covers("ST-BRAKE-02")
def test_the_handbrake_holds_only_wheels_that_have_one():
    d = roll(drive(), 10.0).run(0.4, handbrake=1.0)
    assert d.wheels("brakes", "torque").tolist() == [0.0, 0.0, 3000.0, 3000.0]
    omega = d.wheels("wheel", "omega")
    assert omega[:2].min() * RADIUS > 4.0 and np.abs(omega[2:]).max() < 1e-6


@pytest.mark.covers("ST-STEER-01")
def test_ackermann_accuracy():
    """With 1 both wheels turn about one point; with 0 their angles are equal."""
    for steer, outer, inner in ((-1.0, 1, 0), (1.0, 0, 1), (-0.4, 1, 0)):
        angle = np.abs(drive().run(1 / 240, steer=steer).wheels("steering", "angle"))
        gap = 1.0 / math.tan(angle[outer]) - 1.0 / math.tan(angle[inner])
        assert gap == pytest.approx(TRACK / WHEELBASE, abs=1e-6)
        same = drive(ackermann_correction__accuracy=0.0).run(1 / 240, steer=steer).wheels("steering", "angle")
        assert same[0] == same[1] != 0.0
    half = drive(ackermann_correction__accuracy=0.5).run(1 / 240, steer=-1.0).wheels("steering", "angle")
    full = drive().run(1 / 240, steer=-1.0).wheels("steering", "angle")
    assert half[1] == pytest.approx(0.5 * (full[0] + full[1]))


@pytest.mark.covers("ST-STEER-02")
@pytest.mark.parametrize(("speed", "largest"), [(0.0, 1.0), (2.5, 0.875), (17.5, 0.485), (120.0, 0.19), (150.0, 0.19)])
def test_the_steering_is_limited_by_speed(speed, largest):
    d = falling()
    d.vehicle.state["body"]["velocity"][0] = (0.0, speed, 0.0)
    d.run(d.dt, steer=1.0)
    assert read(d, "response.steer") == pytest.approx(largest, abs=1e-9)


@pytest.mark.covers("ST-STEER-03")
def test_each_wheel_has_its_own_largest_steering_angle():
    d = falling(ackermann_correction__accuracy=0.0, wheels__max_steer=(0.6, 0.5, 0.0, 0.0))
    d.vehicle.state["body"]["velocity"][0] = (0.0, 17.5, 0.0)
    angles = d.run(d.dt, steer=-1.0).wheels("steering", "angle")
    assert angles == pytest.approx([0.6 * 0.485, 0.5 * 0.485, 0.0, 0.0], abs=1e-9)
    assert Drive(car()).run(0.1, steer=1.0, gear=NEUTRAL).wheels("steering", "angle")[2:].tolist() == [0.0, 0.0]
