"""Rules of Racer's documentation: engine, clutch, differentials and automatic gears, from the pedals to the wheels."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from racer_rig import AXLE_RATIO, TICK, car, engage, in_air, on_road, read, roll, trace
from row_rig import call, each_wheel

from driving_sandbox.physics.differential.locks import torque_bias
from driving_sandbox.physics.gearbox.shift_speeds import chosen_gear
from driving_sandbox.physics.maths.quat import rotate_inverse
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text

SECOND, THIRD, FOURTH = FIRST + 1, FIRST + 2, FIRST + 3
RPM = math.pi / 30.0  # rad/s per r/min
ENGINE_INERTIA = 0.16  # kg m^2
MANUAL = {"clutch__auto_omega": 0.0}


# ---- engine


def dropped_clutch(**values):
    """A car braked in first gear, one second after its clutch pedal was released within a tick."""
    d = on_road(**values).run(1.0, brake=1.0, clutch=1.0, gear=FIRST)
    assert read(d, "engine.running") == 1 and read(d, "gearbox.current_gear") == FIRST
    return d.run(1.0, brake=1.0, gear=FIRST)


@pytest.mark.covers("RC-ENG-03")
def test_a_dropped_clutch_stalls_the_engine_and_the_starter_restarts_it():
    d = dropped_clutch(**MANUAL)
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
    assert read(dropped_clutch(**MANUAL, clutch__max_torque=25.0), "engine.running") == 1  # too little clutch torque
    assert read(dropped_clutch(), "engine.running") == 1  # automatic clutch
    d = dropped_clutch(**MANUAL, engine__starter=False).run(2.0, brake=1.0, clutch=1.0, gear=FIRST, throttle=0.5)
    assert read(d, "engine.running") == 0
    off = Drive(car(engine__start_stalled=True)).run(0.5, brake=1.0)
    assert read(off, "engine.running") == 0 and read(off, "engine.omega") == 0.0
    assert read(off.run(1.5, brake=1.0, throttle=0.3), "engine.running") == 1


def test_a_rolling_car_starts_its_engine():
    d = roll(on_road(**MANUAL), 8.0, SECOND)
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
    """It makes up for losses of 12 + 0.07 w N m at w rad/s and adds 45 N m at 42 rad/s, falling to 0 at idle, which is
    94 rad/s. The resulting engine torque is at most 45 N m."""
    d = in_air(engine__throttle_linearity=[]).run(0.1)
    # 60 rad/s: 16.2 + 45 * 34 / 52 = 45.6 N m, limited to 45
    for omega, expected in ((42.0, 45.0), (68.0, 12.0 + 0.07 * 68.0 + 45.0 * 26.0 / 52.0), (60.0, 45.0), (200.0, 0.0)):
        d.vehicle.state["engine"]["omega"] = omega
        assert read(d.run(TICK), "engine.torque") == pytest.approx(expected, abs=0.5 if omega == 68.0 else 1e-9), omega


@pytest.mark.parametrize("throttle", [1.0, 0.0])
def test_the_body_reacts_to_the_engines_change_of_speed(throttle):
    """In neutral its angular momentum is torque_reaction times the change of the engine's, with any throttle."""
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
    lag = 1.0 + TICK * 2.0 / d.vehicle.get("wheel.rl.inertia")
    assert d.wheels("wheel", "omega")[2:] == pytest.approx(2 * [50.0 / lag**60])  # 60 implicit steps


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
    spin = d.vehicle.params["wheel"]["inertia"][0, :4]

    def energy(d):
        shafts = inertia * read(d, "drivetrain.input_omega") ** 2 + output * read(d, "drivetrain.output_omega") ** 2
        return 0.5 * (ENGINE_INERTIA * read(d, "engine.omega") ** 2 + shafts + spin @ d.wheels("wheel", "omega") ** 2)

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
    # 205 N m: the engine's peak torque
    return (omega[-1] - omega[0]) / (len(omega) - 1) / TICK, ratio * 205.0 / total


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


def total_ratio(vehicle, gear=THIRD):
    """Engine turns per turn of the rear wheels, measured with the clutch closed."""
    d = roll(Drive(vehicle).run(0.5, brake=1.0), 15.0, gear)
    d.run(1.0, gear=gear, throttle=0.1)
    return read(d, "engine.omega") / d.wheels("wheel", "omega")[2:].mean()


@pytest.mark.covers("RC-DIFF-01")
@pytest.mark.parametrize("ratio", [4.1, 3.5])
def test_a_differentials_ratio_is_in_the_total_ratio(ratio):
    vehicle = car(differential__rear_ratio=ratio)
    assert total_ratio(vehicle) == pytest.approx(vehicle.get("gearbox.ratios")[THIRD] * ratio, rel=1e-6)
    with pytest.raises(SchemaError, match="must be one of open, spool, viscous, salisbury"):
        car(limited_slip__rear_type="locked")


@pytest.mark.covers("RC-GEAR-05")
def test_the_end_ratio_counts_only_without_a_differential_that_has_one():
    assert total_ratio(car(gearbox__end_ratio=2.0)) == pytest.approx(1.47 * AXLE_RATIO, rel=1e-6)  # 1.47: third gear
    text = ("base: clubsport\nname: plain\n"
            "components: {differential: open, tire: mf_62, abs: velocity_ratio, compliance: graphs_and_bushes}\n"
            "differential: {rear: {torque_ratio: 1}}\nlimited_slip: {}\n")  # fmt: skip
    plain = load_vehicle_text(text, "configs/vehicles/plain.yaml")
    assert plain.get("gearbox.final_ratio") == plain.get("gearbox.end_ratio") == 1.0
    plain.set("gearbox.end_ratio", 3.0)
    call(plain, "differential")
    shares = plain.state["differential"]["speed_ratio"][0, :4]
    assert plain.get("gearbox.final_ratio") == 3.0 and shares.sum() == pytest.approx(1.0)


@pytest.mark.covers("RC-DIFF-01")
def test_three_differentials_share_torque_and_speed():
    vehicle = car(differential__driven="four_wheel", differential__front_ratio=3.0, differential__rear_ratio=3.0,
                  differential__center_ratio=1.2, differential__front_split=0.4)  # fmt: skip
    call(vehicle, "differential")
    state = vehicle.state["differential"][0]
    # front: 1.2 * 3 * 0.4 / 2; rear: 1.2 * 3 * 0.6 / 2
    assert state["torque_ratio"][:4] == pytest.approx([0.72, 0.72, 1.08, 1.08])
    assert state["speed_ratio"][:4].sum() == pytest.approx(3.6) and state["connected"][:4].all()
    vehicle.set("differential.driven", "front")
    call(vehicle, "differential")
    assert state["torque_ratio"][:4].tolist() == [1.5, 1.5, 0.0, 0.0]
    assert state["connected"][:4].tolist() == [1, 1, 0, 0]


# ---- limited slip


def coupled(kind, torque=0.0, seconds=TICK, **values):
    """(speeds of the rear wheels, rad/s; vehicle) after some time in which only the coupling acts on them.

    The wheels begin at 40 and 20 rad/s.
    torque: of the clutch, N m.
    values: further parameters of the rear coupling.
    """
    vehicle = car(limited_slip__rear_type=kind, **{f"limited_slip__rear_{k}": v for k, v in values.items()})
    call(vehicle, "differential")
    vehicle.state["gearbox"]["current_gear"] = FIRST
    vehicle.state["drivetrain"]["clutch_torque"] = torque
    vehicle.state["wheel"]["omega"][0, 2:4] = (40.0, 20.0)
    step = TICK / 4.0
    for _ in range(round(seconds / step)):
        call(vehicle, "limited_slip", dt=step)
    return vehicle.state["wheel"]["omega"][0, 2:4].copy(), vehicle


@pytest.mark.covers("RC-DIFF-01")
def test_open_spool_and_viscous_couplings():
    assert coupled("open", torque=200.0)[0].tolist() == [40.0, 20.0]
    assert coupled("spool")[0] == pytest.approx([30.0, 30.0])
    seconds, rate = 0.05, 5.0
    (left, right), vehicle = coupled("viscous", seconds=seconds, locking=rate)
    inertia = vehicle.get("wheel.rl.inertia")
    assert left + right == pytest.approx(60.0)
    assert left - right == pytest.approx(20.0 * math.exp(-2.0 * rate / inertia * seconds), rel=0.03)
    assert vehicle.read("limited_slip.rear_torque") == pytest.approx(rate * (left - right), rel=0.01)
    for rate in (0.0, 5.0, 2e3):  # one implicit substep does not reverse the difference
        left, right = coupled("viscous", seconds=TICK / 4.0, locking=rate)[0]
        assert left - right == pytest.approx(20.0 / (1.0 + TICK / 4.0 * rate * 2.0 / inertia))


@pytest.mark.covers("RC-DIFF-01")
def test_salisbury_clutches_lock_in_proportion_to_the_torque_on_them():
    """B = cos(60 deg) (1 + 2 x 2) 1.2 = 3 on power: the slower wheel gets three times what the faster one does."""
    assert torque_bias(math.radians(60.0), 2, 1.2) == pytest.approx(3.0)
    shape = {"power_angle": math.radians(60.0), "coast_angle": math.radians(80.0), "clutches": 2, "clutch_factor": 1.2}
    assert coupled("salisbury", torque=0.0, **shape)[0].tolist() == [40.0, 20.0]
    _, vehicle = coupled("salisbury", torque=20.0, **shape)
    axle_torque = 20.0 * vehicle.get("gearbox.ratios")[FIRST] * AXLE_RATIO
    torque = vehicle.read("limited_slip.rear_torque")
    assert torque == pytest.approx(0.25 * axle_torque)
    assert (0.5 * axle_torque + torque) / (0.5 * axle_torque - torque) == pytest.approx(3.0)
    _, vehicle = coupled("salisbury", torque=-20.0, **shape)
    coast = math.cos(math.radians(80.0)) * 5.0 * 1.2
    assert vehicle.read("limited_slip.rear_torque") == pytest.approx(0.5 * axle_torque * (coast - 1.0) / (coast + 1.0))
    speeds, _ = coupled("salisbury", torque=200.0, seconds=0.1, **shape)
    assert speeds == pytest.approx([30.0, 30.0])  # locked, and not reversed


@pytest.mark.covers("RC-DIFF-01")
@pytest.mark.parametrize(("torque", "direction", "angle"), [(20.0, 1, 60.0), (-20.0, 1, 80.0), (-20.0, -1, 60.0),
                                                          (20.0, -1, 80.0)])  # fmt: skip
@pytest.mark.parametrize("location", ["front", "center", "rear"])
def test_each_ramp_presses_on_power_or_coasting_in_either_direction(location, torque, direction, angle):
    """The clutches shift (B - 1) / (B + 1) / 2 of the torque, with B = 6 cos(angle), whichever way the wheels turn."""
    shape = {"type": "salisbury", "power_angle": math.radians(60.0), "coast_angle": math.radians(80.0), "clutches": 2,
             "clutch_factor": 1.2}  # fmt: skip
    vehicle = car(differential__driven="four_wheel", differential__front_ratio=2.0, differential__rear_ratio=2.0,
                  differential__front_split=0.4,
                  **{"limited_slip__rear_type": "open",
                     **{f"limited_slip__{location}_{k}": v for k, v in shape.items()}})  # fmt: skip
    call(vehicle, "differential")
    vehicle.state["gearbox"]["current_gear"] = SECOND
    vehicle.state["drivetrain"]["clutch_torque"] = torque / vehicle.get("gearbox.ratios")[SECOND]
    vehicle.state["wheel"]["omega"][0, :4] = direction * np.array([50.0, 40.0, 30.0, 20.0])
    call(vehicle, "limited_slip", dt=TICK)
    bias = 6.0 * math.cos(math.radians(angle))
    share = {"front": 0.4, "center": 1.0, "rear": 0.6}[location]
    # 40 N m: 20 N m behind the gearbox times the ratio of 2 of the axles
    moved = direction * 0.5 * 40.0 * share * (bias - 1.0) / (bias + 1.0)
    assert vehicle.read(f"limited_slip.{location}_torque") == pytest.approx(moved)


@pytest.mark.parametrize("kind", ["spool", "viscous"])
def test_the_centre_coupling_brings_the_axles_together(kind):
    vehicle = car(limited_slip__center_type=kind, limited_slip__rear_type="open", limited_slip__center_locking=40.0)
    vehicle.state["wheel"]["omega"][0, :4] = (30.0, 20.0, 50.0, 60.0)
    momentum = vehicle.state["wheel"]["omega"][0, :4].sum()
    for _ in range(200):
        call(vehicle, "limited_slip", dt=1e-3)
    speeds = vehicle.state["wheel"]["omega"][0, :4]
    assert speeds[:2].mean() == pytest.approx(speeds[2:].mean(), abs=0.1) and speeds.sum() == pytest.approx(momentum)
    assert speeds[0] - speeds[1] == pytest.approx(10.0) and speeds[3] - speeds[2] == pytest.approx(10.0)


def test_a_locked_axle_pulls_where_an_open_one_spins_its_wheel():
    """With the left wheels on ice, it covers more than 1.5 times the distance in 3 s at 70 % throttle in first gear."""

    def distance(kind):
        d = on_road(limited_slip__rear_type=kind, **each_wheel("road", ("fl", "rl"), max_friction=0.1))
        return d.run(3.0, gear=FIRST, throttle=0.7).position[1]

    assert distance("spool") > 1.5 * distance("open")


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
    d = on_road(autobox__up_omega=up * RPM, autobox__down_omega=down * RPM)
    (omega, gear), *_ = [s for s in shifts(d, 6.0, throttle=1.0) if s[1] > FIRST]
    assert gear == SECOND and omega == pytest.approx(up * RPM, abs=2.0)  # it gains 1 rad/s in a tick
    d = roll(on_road(autobox__up_omega=up * RPM, autobox__down_omega=down * RPM), 18.0, FOURTH)
    (omega, gear), *_ = shifts(d, 15.0)
    assert gear == THIRD and omega == pytest.approx(down * RPM, abs=2.0)


def test_in_automatic_without_pedals_the_car_stands_and_the_engine_runs():
    d = on_road()
    assert read(d, "gearbox.current_gear") == NEUTRAL
    d.run(20.0, gear=AUTOMATIC)
    assert abs(d.speed) < 0.05 and read(d, "engine.running") == 1
