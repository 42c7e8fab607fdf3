"""Rules of CryEngine's documentation: engine, clutch and gears of the patrol car."""

import re

import numpy as np
import pytest
from drive_rig import Drive
from patrol_rig import (
    FIRST,
    NO_LOSSES,
    RAD_S_PER_RPM,
    SECOND,
    THIRD,
    TICK,
    drive,
    each_wheel,
    falling,
    from_text,
    go,
    grip,
    in_gear,
    read,
    record,
    roll,
    spin,
)

from driving_sandbox.physics.drivetrain.sine_power_engine import sine_power, sine_torque
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text

PLAIN = {"engine.power": 100e3, "engine.max_omega": 6000 * RAD_S_PER_RPM, "engine.min_omega": 0.0}


def engine(**values):
    """Engine parameters of the patrol car with PLAIN and other values."""
    vehicle = load_vehicle("patrol")
    vehicle.set_many({**PLAIN, **values})
    return vehicle.params["engine"][0]


@pytest.mark.covers("CE-ENG-01")
@pytest.mark.parametrize("gear", [0, 1, 2, 3, 4, 5])
def test_without_pedal_only_axle_friction_slows_the_wheels(gear):
    d = in_gear(falling(each_wheel("brakes", axle_friction=27.2)), gear)
    spin(d, 20.0, 20.0, 20.0, 20.0)
    d.run(d.dt, gear=AUTOMATIC)
    assert not d.wheels("actuation", "drive_torque").any() and read(d, "engine.torque") == 0.0
    inertia = d.vehicle.params["wheel"]["inertia"][0, :4]
    assert d.wheels("wheel", "omega") == pytest.approx(20.0 - TICK * 27.2 / inertia, rel=1e-9)


@pytest.mark.covers("CE-ENG-02")
def test_wheel_torque_is_power_divided_by_engine_speed_times_ratio():
    d = falling({**PLAIN, "gearbox.ratios": [-3.0, 0.0, 3.0], "autobox.up_omega": 600.0, "autobox.down_omega": 1.0})
    in_gear(d, FIRST)
    spin(d, *[3000 * RAD_S_PER_RPM / 3.0] * 4)
    go(d, d.dt, throttle=1.0)
    assert d.wheels("actuation", "drive_torque").sum() == pytest.approx(100e3 / 314.16 * 3.0, rel=1e-4)
    assert d.wheels("actuation", "drive_torque").sum() == pytest.approx(955.0, abs=1.0)


@pytest.mark.covers("CE-ENG-03")
def test_power_is_half_a_sine():
    p, top = engine(), 6000 * RAD_S_PER_RPM  # top: rad/s, the highest engine speed
    assert sine_power(p, 0.0) == 0.0 and sine_power(p, top) == 0.0
    assert sine_power(p, top / 2.0) == pytest.approx(100e3, rel=1e-12)
    for share in np.linspace(0.01, 0.49, 25):
        assert sine_power(p, share * top) == pytest.approx(sine_power(p, (1.0 - share) * top), rel=1e-9)


@pytest.mark.covers("CE-ENG-04")
def test_torque_has_its_limit_at_standstill():
    p = engine()
    assert sine_torque(p, 0.0) == pytest.approx(500.0, rel=1e-9)
    assert sine_torque(p, 3000 * RAD_S_PER_RPM) == pytest.approx(318.3, abs=0.05)
    assert sine_torque(p, 6000 * RAD_S_PER_RPM) == 0.0
    slow = [sine_torque(p, x) for x in (0.0, 1e-12, 1e-6, 0.01, 0.07, 1.0)]
    assert np.isfinite(slow).all() and np.all(np.diff(slow) <= 0.0) and slow[-1] == pytest.approx(500.0, rel=1e-4)
    for omega in (50.0, 300.0, 500.0):
        assert sine_torque(p, omega) * omega == pytest.approx(sine_power(p, omega), rel=1e-12)


@pytest.mark.covers("CE-ENG-05")
def test_pedal_and_clutch_scale_the_torque():
    torques = []
    for pedal, clutch in ((1.0, 1.0), (0.5, 0.5), (0.25, 1.0)):
        d = in_gear(falling({"clutch.clutch_speed": 1e-9}), SECOND, clutch, held=200.0)
        ratio = d.vehicle.get("gearbox.ratios")[SECOND]
        spin(d, *[200.0 / ratio] * 4)
        go(d, d.dt, throttle=pedal)
        assert read(d, "engine.omega") == pytest.approx(200.0, rel=1e-6)
        torques.append(d.wheels("actuation", "drive_torque").sum())
    assert torques[1] == pytest.approx(0.25 * torques[0], rel=1e-6)
    assert torques[2] == pytest.approx(0.25 * torques[0], rel=1e-6) and torques[0] > 1000.0


@pytest.mark.covers("CE-ENG-06")
def test_the_engine_turns_with_the_fastest_driven_wheel():
    front = {**each_wheel("differential", ("rl", "rr"), driving=False), "gearbox.ratios": [-3.0, 0.0, 3.0]}
    d = in_gear(falling({**front, **PLAIN, "autobox.down_omega": 1.0}), FIRST)
    spin(d, 10.0, 12.0, 50.0, 60.0)  # the rear wheels are not driven
    go(d, d.dt, throttle=0.5)
    assert read(d, "engine.omega") == pytest.approx(36.0, rel=1e-12)
    assert read(d, "engine.omega") / RAD_S_PER_RPM == pytest.approx(343.8, abs=0.05)


def time_to(speed, **values):
    """Time, s, to a speed, m/s, at full throttle."""
    d = drive({**NO_LOSSES, **grip(3.0), "gearbox.ratios": [-5.0, 0.0, 6.0], "clutch.clutch_speed": 50.0,
               "engine.min_omega": 1.0, **values})  # fmt: skip
    for k in range(4000):
        if d.speed >= speed:
            return k * TICK
        go(d, TICK, throttle=1.0)
    raise AssertionError("never that fast")


@pytest.mark.covers("CE-ENG-07")
def test_twice_the_power_takes_half_the_time():
    slow, fast = (time_to(50.0 / 3.6, **{"engine.power": power}) for power in (40e3, 80e3))
    assert fast == pytest.approx(0.5 * slow, rel=0.1) and slow > 2.0


def reversing(vehicle):
    """State hash after 2 s of driving backwards."""
    d = go(Drive(vehicle).run(0.5), 2.0, digital=1, brake=1.0)
    assert d.speed < -1.0
    return vehicle.state_hash()


@pytest.mark.covers("CE-ENG-08")
def test_power_for_reverse_is_read_and_has_no_effect(caplog):
    hashes = [reversing(from_text())]
    for power in (1, 500000):
        caplog.clear()
        keys = f"engine_power: 140000, engine_power_back: {power}"
        hashes.append(reversing(from_text(("engine_power: 140000", keys))))
        assert "engine_power_back is obsolete and has no effect" in caplog.text and ":" in caplog.text
    assert len(set(hashes)) == 1


@pytest.mark.covers("CE-ENG-09")
def test_free_wheels_stop_at_the_highest_speed_by_either_name():
    other = from_text(("engine_maxRPM: 5200", "engine_maxrpm: 5200"))
    assert bytes(other.params.tobytes()) == bytes(load_vehicle("patrol").params.tobytes())
    for limit in (5200.0, 4600.0):
        d = falling({"engine.max_omega": limit * RAD_S_PER_RPM})
        omega = record(d, 6.0, "engine.omega", throttle=1.0)[:, 0]
        assert omega.max() <= 1.01 * limit * RAD_S_PER_RPM and omega[-240:].min() > 0.97 * limit * RAD_S_PER_RPM


def braked_to_rest(**values):
    """(engine speeds, rad/s; positions of the clutch; gears) after each tick of braking to a stop in second gear."""
    d = roll(drive({"autobox.down_omega": 0.0, **values}), 8.0)
    in_gear(d, SECOND)
    return record(d, 4.0, "engine.omega", "clutch.normalised", "gearbox.current_gear", brake=0.5).T


@pytest.mark.covers("CE-ENG-10")
def test_the_clutch_opens_before_the_engine_stalls():
    omega, clutch, gear = braked_to_rest()
    assert clutch[-1] == 0.0 and gear[-1] == SECOND
    assert omega.min() >= 250.0 * RAD_S_PER_RPM - 1e-9 and omega[-1] > 250.0 * RAD_S_PER_RPM
    first_open = int(np.argmax(clutch == 0.0))
    assert (clutch[:first_open] == 1.0).all() and (clutch[first_open:] == 0.0).all()
    assert braked_to_rest(**{"engine.min_omega": 0.0})[0].min() < 50.0 * RAD_S_PER_RPM  # nothing opens it


@pytest.mark.covers("CE-ENG-11")
@pytest.mark.parametrize("idle", [800.0, 650.0])
def test_standing_in_gear_the_engine_idles(idle):
    omega, _, gear = braked_to_rest(**{"engine.idle_omega": idle * RAD_S_PER_RPM})
    assert omega[-240:] == pytest.approx(idle * RAD_S_PER_RPM, rel=1e-12) and gear[-1] == SECOND


@pytest.mark.covers("CE-ENG-12")
@pytest.mark.parametrize("start", [1500.0, 2400.0])
def test_leaving_neutral_sets_the_start_speed(start):
    d = drive({"engine.start_omega": start * RAD_S_PER_RPM})
    assert read(d, "gearbox.current_gear") == NEUTRAL
    assert read(d, "engine.omega") == pytest.approx(800.0 * RAD_S_PER_RPM)
    go(d, TICK, throttle=0.5)
    assert read(d, "gearbox.current_gear") == FIRST
    assert read(d, "engine.omega") == pytest.approx(start * RAD_S_PER_RPM, rel=1e-12)


LAUNCH = ("gearbox.current_gear", "engine.omega", "clutch.normalised", "drivetrain.wheel_side", "engine.torque")
GEAR, OMEGA, CLUTCH, WHEEL_SIDE, TORQUE = range(len(LAUNCH))  # columns


def launch(seconds=9.0, **values):
    """LAUNCH channels, in columns, after every tick of a full-throttle run without wheelspin."""
    return record(drive({**grip(3.0), **values}), seconds, *LAUNCH, throttle=1.0)


@pytest.mark.covers("CE-CLUTCH-01")
@pytest.mark.parametrize("speed", [3.0, 2.0])
def test_after_a_change_the_engine_glides_to_the_wheels_speed(speed):
    rows = launch(**{"clutch.clutch_speed": speed})
    k = int(np.argmax(rows[:, GEAR] == SECOND))
    n = round(240 / speed)  # ticks until the clutch is closed
    omega = rows[k - 1 : k + n + 1, OMEGA]
    steps = np.diff(omega)
    assert (steps <= 1e-9).all() and np.abs(steps).max() < 0.03 * omega[0]  # monotonic, no step
    assert omega[1] == pytest.approx(omega[0], rel=0.005)
    assert omega[-1] == pytest.approx(rows[k + n, WHEEL_SIDE], rel=1e-9) and omega[-1] < 0.75 * omega[0]
    assert rows[k + n // 2, OMEGA] > 1.1 * rows[k + n // 2, WHEEL_SIDE]


@pytest.mark.covers("CE-CLUTCH-02", "CE-CLUTCH-03")
@pytest.mark.parametrize("speed", [2.0, 4.0])
def test_a_change_opens_the_clutch_and_it_closes_at_its_speed(speed):
    rows = launch(**{"clutch.clutch_speed": speed})
    p = load_vehicle("patrol").params["engine"][0]
    for gear in (SECOND, THIRD):
        k = int(np.argmax(rows[:, GEAR] == gear))
        assert rows[k - 1, CLUTCH] == 1.0 and rows[k, CLUTCH] == 0.0 and rows[k, TORQUE] == 0.0
        closed = int(np.argmax(rows[k:, CLUTCH] >= 1.0))
        assert closed * TICK == pytest.approx(1.0 / speed, abs=1.01 * TICK)
        for row in rows[k : k + closed : 7]:
            assert row[TORQUE] == pytest.approx(row[CLUTCH] * sine_torque(p, row[OMEGA]), rel=1e-9)


@pytest.mark.parametrize(("position", "pedal", "clutch"), [(0.3, 0.6, 0.3125), (0.3, 0.9, 0.1), (1.0, 0.6, 0.4)])
def test_the_clutch_is_opened_by_the_automatic_or_by_the_pedal_whichever_opens_further(position, pedal, clutch):
    """At 3 1/s the automatic clutch closes by 0.0125 in a tick."""
    d = in_gear(falling({"clutch.clutch_speed": 3.0, "engine.min_omega": 0.0}), SECOND, clutch=position)
    spin(d, 20.0, 20.0, 20.0, 20.0)
    go(d, d.dt, clutch=pedal, throttle=1.0)
    assert read(d, "clutch.normalised") == pytest.approx(clutch, abs=1e-12)


@pytest.mark.covers("CE-GEAR-01")
def test_the_layout_of_the_gears():
    gears = r"gears: \[.*?\]"
    good = from_text((gears, "gears: [-3, 0, 3, 2, 1.5]"))
    assert good.get("gearbox.ratios") == [-3, 0, 3, 2, 1.5] and good.get("gearbox.neutral_gear") == 1
    for bad, rule in (
        ("[3, 0, 3, 2]", "entry 0 is the reverse gear and must be < 0, not 3"),
        ("[-3, 1, 3, 2]", "entry 1 is neutral and must be 0, not 1"),
        ("[-3, 0, 9, 8, 7, 6, 5, 4, 3]", "takes 3 to 8 entries"),
        ("[-3, 0]", "takes 3 to 8 entries"),
        ("[-3, 0, 3, -2]", "entry 3 is a forward gear and must be > 0, not -2"),
    ):
        with pytest.raises(ConfigError, match=rule):
            from_text((gears, f"gears: {bad}"))
    assert from_text((gears, "gears: [-3, 0, 8, 7, 6, 5, 4, 3]")).get("gearbox.ratios")[-1] == 3


@pytest.mark.covers("CE-AUTO-01")
@pytest.mark.parametrize("up", [4200.0, 3600.0])
def test_every_change_up_is_at_the_first_speed_above_the_threshold(up):
    rows = launch(seconds=20.0, **{"autobox.up_omega": up * RAD_S_PER_RPM, "engine.power": 200e3})
    gears = rows[:, GEAR].astype(int)
    changes = np.flatnonzero(np.diff(gears))
    fourth = THIRD + 1
    assert gears[np.concatenate([[0], changes + 1])].tolist() == [FIRST, SECOND, THIRD, fourth]
    is_due = (rows[:-1, OMEGA] > up * RAD_S_PER_RPM) & (rows[:-1, CLUTCH] >= 1.0) & (gears[:-1] < fourth)
    assert np.array_equal(np.flatnonzero(is_due), changes)


@pytest.mark.covers("CE-AUTO-02")
def test_reverse_has_no_gear_above_it():
    d = in_gear(roll(drive(), -14.0), REVERSE)
    rows = record(d, 1.0, "gearbox.current_gear", "engine.omega", digital=1, brake=1.0)
    assert (rows[:, 0] == REVERSE).all() and (rows[:, 1] > 4200.0 * RAD_S_PER_RPM).any()
    d = in_gear(roll(drive(), 15.0), FIRST)
    assert record(d, 0.1, "gearbox.current_gear", digital=1, throttle=1.0)[-1, 0] == SECOND
    d = in_gear(roll(drive({"autobox.up_omega": 5190.0 * RAD_S_PER_RPM}), 15.0), FIRST)
    assert record(d, 0.1, "gearbox.current_gear", digital=1, throttle=1.0)[-1, 0] == FIRST


@pytest.mark.covers("CE-AUTO-03")
def test_a_coasting_car_changes_down_to_neutral():
    d = in_gear(roll(drive(each_wheel("brakes", axle_friction=300.0)), 16.0), THIRD)
    gears, omega, clutch = record(d, 18.0, "gearbox.current_gear", "engine.omega", "clutch.normalised").T
    gears = gears.astype(int)
    changes = np.flatnonzero(np.diff(gears))
    assert gears[np.concatenate([[0], changes + 1])].tolist() == [THIRD, SECOND, FIRST, NEUTRAL]
    for k in changes:
        assert omega[k] < 1900.0 * RAD_S_PER_RPM and clutch[k] >= 1.0
    assert d.speed == pytest.approx(0.0, abs=0.01)


@pytest.mark.covers("CE-AUTO-04")
@pytest.mark.parametrize("limit", [40.0, 120.0])
def test_the_direction_changes_below_a_speed_of_the_wheels(limit):
    d = in_gear(
        roll(
            drive({"autobox.direction_omega": limit * RAD_S_PER_RPM, **each_wheel("brakes", brake_torque=900.0)}), 8.0
        ),
        FIRST,
    )
    rows = d.log(2.5, lambda d: [read(d, "gearbox.current_gear"), d.wheels("wheel", "omega").max(), d.speed],
                 every=TICK, gear=AUTOMATIC, digital=1, brake=1.0)  # fmt: skip
    gears, wheel_omega, speeds = rows.T
    k = int(np.argmax(gears == REVERSE))
    assert (gears[:k] >= FIRST).all() and np.all(np.diff(speeds[:k]) < 0.0)
    assert wheel_omega[k - 1] < limit * RAD_S_PER_RPM <= wheel_omega[k - 2]
    assert gears[-1] == REVERSE and speeds[-1] < 0.0


def test_timed_clutch_and_sine_power_work_with_an_engine_that_has_inertia():
    """The strength of a viscous clutch follows the timed movement; the engine's power over its speed is half a sine."""
    content = (VEHICLE_FOLDER / "roadster_simple.yaml").read_text(encoding="utf8")
    components = "{body: rigid, clutch: timed_torsion_damper, engine: sine_power, tire: combined_slip}"
    table = f"type: engine_drive\ncomponents: {components}"
    head, _, tail = content.partition("type: engine_drive")
    tail = "\n".join(line for line in tail.splitlines() if not line.startswith("components:"))
    tail = re.sub(r"clutch: \{[^}]*\}", "clutch: {strength: 40, clutch_speed: 2.5}", tail)
    tail = re.sub(r"  peak_torque:[^\n]*\n", "  power: 90000\n", tail)
    tail = re.sub(r"  torque_curve: \[\[.*?\]\][^\n]*\n", "", tail, flags=re.DOTALL)
    vehicle = load_vehicle_text(head + table + tail, str(VEHICLE_FOLDER / "other.yaml"))
    top = vehicle.get("engine.max_omega")
    assert vehicle.get("engine.peak_torque") == pytest.approx(np.pi * 90000 / top)
    curve = np.array(vehicle.get("engine.torque_curve"))
    assert np.interp(0.5, *curve.T) == pytest.approx(2.0 / np.pi, rel=3e-3)
    assert curve[0, 1] == 1.0 and curve[-1, 1] == pytest.approx(0.0, abs=1e-9)
    d = Drive(vehicle)
    channels = ("clutch.response", "gearbox.current_gear", "clutch.position")
    response, gears, position = record(d, 6.0, *channels, throttle=1.0).T
    assert response == pytest.approx(40.0 * position) and gears.max() >= SECOND and d.speed > 10.0
    with pytest.raises(SchemaError, match=r"engine.power: makes 314159 N\*m at standstill .* at most 200000"):
        vehicle.set_many({"engine.power": 4e6, "engine.max_omega": 40.0, "engine.idle_omega": 10.0})
    k = 1 + int(np.argmax(gears == SECOND))  # the clutch is open from the tick after the change of gear
    assert position[k] == 0.0 and position[k + 95] < 1.0 <= position[k + 97]
