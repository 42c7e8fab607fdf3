"""The patrol car driven by script: launch, brake, slalom, handbrake turn, jump, standing; effects of its parameters."""

import math

import numpy as np
import pytest
import test_parameter_effects
from drive_rig import field_ground
from patrol_rig import DEGREE, NO_LOSSES, TICK, drive, each_wheel, go, grip, read, record

from driving_sandbox.lab.advisor.figures import resistances, time_to
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import AUTOMATIC, NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

KEYS = {"digital": 1}  # commands as from keys


def heading(d):
    """Heading, rad, positive to the left of +y."""
    x, y, _ = rotate(d.vehicle.model_orientation(), (0.0, 1.0, 0.0))
    return math.atan2(-x, y)


def test_the_patrol_car_launches_and_stops_in_a_straight_line():
    d = drive()
    rows = record(d, 7.0, "response.speed", "gearbox.current_gear", throttle=1.0, **KEYS)
    reached = (np.argmax(rows[:, 0] > 50.0 / 3.6) + 1) * TICK
    assert 2.0 < reached < 5.5 and rows[-1, 0] > 18.0 and rows[:, 1].max() >= 3
    assert np.diff(rows[240:, 0]).min() > -0.02 and abs(heading(d)) < 0.01
    speed, start = d.speed, d.position
    rows = record(d, 3.5, "response.speed", brake=1.0, **KEYS)
    stop = int(np.argmax(rows[:, 0] < 0.2))
    assert 5.0 < speed / (stop * TICK) < 9.5  # m/s^2, mean
    assert abs(d.position[0] - start[0]) < 0.3


def test_the_advisor_estimates_launch_time_and_resistances():
    vehicle = load_vehicle("patrol")
    d = drive(grip(2.0))
    rows = record(d, 7.0, "response.speed", throttle=1.0)
    measured = (np.argmax(rows[:, 0] > 15.0) + 1) * TICK
    assert time_to(vehicle, 15.0) == pytest.approx(measured, rel=0.4)  # the estimate leaves out the clutch
    forces = resistances(vehicle, 20.0)
    # N: four axle frictions of 25 N m at a radius of 0.4 m; 0.03 1/s, 2150 kg and 20 m/s
    assert forces["axle friction"] == pytest.approx(4 * 25 / 0.4, rel=1e-3)
    assert forces["body damping"] == pytest.approx(0.03 * 2150 * 20)


def test_the_patrol_car_follows_the_steering_in_a_slalom_and_stays_upright():
    d = drive(grip(1.0))
    go(d, 4.0, throttle=1.0, **KEYS)
    path = []
    for _ in range(3):
        for steer in (-1.0, 1.0):
            path.append(d.log(1.4, lambda d: [d.position[0], read(d, "body.angular_velocity.z"), d.speed],
                              gear=AUTOMATIC, throttle=0.4, steer=steer, **KEYS))  # fmt: skip
    yaw_rates = [part[-40:, 1].mean() for part in path]
    assert (np.sign(yaw_rates) == [1, -1] * 3).all() and min(abs(t) for t in yaw_rates[1:]) > 0.15
    rows = np.concatenate(path)
    assert rows[:, 2].min() > 8.0 and np.ptp(rows[:, 0]) < 60.0
    up = rotate(d.vehicle.model_orientation(), (0.0, 0.0, 1.0))[2]
    assert up > 0.98


def test_a_handbrake_turn_turns_the_patrol_car_by_more_than_74_degrees():
    d = drive({**grip(0.9), **each_wheel("tire", max_braking_friction=0.45)})
    go(d, 4.0, throttle=1.0, **KEYS)
    go(d, 0.4, steer=-1.0, **KEYS)
    before = heading(d)
    headings = d.log(1.8, heading, gear=AUTOMATIC, steer=-1.0, handbrake=1.0, **KEYS)
    assert np.unwrap(np.concatenate([[before], headings]))[-1] - before > 1.3  # rad
    assert rotate(d.vehicle.model_orientation(), (0.0, 0.0, 1.0))[2] > 0.95


def test_the_patrol_car_lands_a_jump_on_its_wheels():
    ramp = field_ground(lambda x, y: np.interp(y, [30.0, 38.0, 38.5], [0.0, 1.4, 0.0]), 128.0, 0.5)
    d = drive(ground=ramp)
    go(d, 4.5, throttle=1.0, **KEYS)
    rows = d.log(
        3.0, lambda d: [d.wheels("suspension", "on_ground").sum(), d.position[1]], gear=AUTOMATIC, throttle=0.3
    )
    flying = rows[rows[:, 0] == 0.0]
    assert len(flying) > 20 and np.ptp(flying[:, 1]) > 3.0
    d.run(3.0, gear=AUTOMATIC, brake=1.0)
    assert rotate(d.vehicle.model_orientation(), (0.0, 0.0, 1.0))[2] > 0.99
    assert d.wheels("suspension", "on_ground").all() and abs(d.position[0]) < 3.0


@pytest.mark.parametrize("gear", [NEUTRAL, AUTOMATIC])
def test_the_patrol_car_stands_still_at_rest(gear):
    d = drive().run(4.0, gear=gear)
    before = d.position
    assert np.abs(d.log(2.0, lambda d: d.body("velocity"), gear=gear)).max() < 1e-9
    assert d.run(20.0, gear=gear).position == pytest.approx(before, abs=1e-9)


BAD = [
    ("engine.power", -1.0, "greater than or equal to 0"), ("engine.max_omega", 0.0, "greater than 0"),
    ("engine.min_omega", -1.0, "greater than or equal to 0"), ("engine.min_omega", 600.0, "must be below max_omega"),
    ("engine.idle_omega", 600.0, "must be below max_omega"), ("engine.start_omega", 600.0, "must be below max_omega"),
    ("gearbox.ratios", [3.0, 0.0, 2.0], "entry 0 is the reverse gear"), ("gearbox.final_ratio", 0.0, "greater than 0"),
    ("autobox.up_omega", 0.0, "greater than 0"), ("autobox.down_omega", 450.0, "must be below up_omega"),
    ("autobox.direction_omega", 0.0, "greater than 0"), ("clutch.clutch_speed", 0.0, "greater than 0"),
    ("brakes.fl.brake_torque", -5.0, "greater than or equal to 0"), ("brakes.fl.brake_torque", 1e9, "less than"),
    ("brakes.fl.axle_friction", -1.0, "greater than or equal to 0"), ("brakes.fl.can_brake", 1, "valid boolean"),
    ("tire.fl.slip_threshold", -0.1, "greater than or equal to 0"), ("tire.fl.dynamic_ratio", 6.0, "less than"),
    ("tire.fl.handbrake_factor", 1.1, "less than or equal to 1"), ("tire.fl.max_braking_friction", -1.0, "equal to 0"),
    ("steering.fl.max_angle", 0.0, "greater than 0"), ("steering.fl.limit_at_rest", 1.6, "less than"),
    ("steering.fl.limit_at_rest", 0.0, "must be given together with limit_per_speed"),
    ("steering.fl.rate", 0.0, "greater than 0"), ("steering.fl.rate_at_limit", 11.0, "less than or equal to 10"),
    ("steering.fl.relaxation", -1.0, "equal to 0"), ("steering.fl.relaxation_per_speed", -1.0, "equal to 0"),
    ("pedal.pedal_speed", 0.0, "greater than 0"), ("pedal.max_steering_pedal", 1.1, "less than or equal to 1"),
    ("pedal.pedal_limit_speed", -1.0, "equal to 0"), ("driving_state.max_time_step_vehicle", 0.0, "greater than 0"),
    ("driving_state.sleep_speed_vehicle", -1.0, "equal to 0"), ("driving_state.damping_vehicle", -1.0, "equal to 0"),
    ("suspension.fl.len_max", 0.0, "greater than 0"), ("suspension.fl.given_stiffness", -1.0, "equal to 0"),
    ("suspension.fl.axle", 20, "less than 20"), ("suspension.fl.stiffness", 1.0, "is computed from other parameters"),
    ("antiroll.stabilizer", -0.1, "equal to 0"), ("wheel.fl.radius", 0.5, "is computed from other parameters"),
    ("body.integration", "implicit", "must be one of explicit, semi_implicit"),
    ("body.network", "yes", "must be one of none, forced"),
    ("differential.fl.driving", "x", "valid boolean"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "rule"), BAD, ids=[f"{p}={v}" for p, v, _ in BAD])
def test_bad_values_are_refused(path, value, rule):
    vehicle = load_vehicle("patrol")
    before = vehicle.params.tobytes()
    with pytest.raises(SchemaError, match=rule) as error:
        vehicle.set(path, value)
    assert path.split(".")[-1] in str(error.value) and vehicle.params.tobytes() == before


def test_a_car_without_driven_wheels_is_refused():
    flags = {f"differential.{w}.driving": False for w in ("fl", "fr", "rl", "rr")}
    with pytest.raises(SchemaError, match="driving: must not be false on every wheel"):
        load_vehicle("patrol").set_many(flags)


KEYED = [  # (seconds, command): driven with keys in both directions, in bends with either pedal down, and parked
    (0.5, {}), (2.5, {"throttle": 1.0}), (0.6, {"throttle": 1.0, "steer": 1.0}), (0.4, {}),
    (0.8, {"throttle": 1.0, "steer": -1.0}), (3.0, {"brake": 1.0}), (0.5, {"brake": 1.0, "steer": 1.0}),
    (2.0, {"throttle": 1.0}), (0.5, {"handbrake": 1.0, "steer": 0.6}), (1.0, {"handbrake": 1.0}), (4.0, {}),
    (1.0, {"brake": 1.0}), (0.5, {"throttle": 0.5}), (3.0, {"throttle": 1.0}), (3.5, {"brake": 1.0, "digital": 0}),
    (1.0, {"throttle": 1.0, "digital": 0}),
]  # fmt: skip
SLOTS = ("engine", "gearbox", "autobox", "clutch", "brakes", "tire", "steering", "pedal", "driving_state", "suspension",
         "antiroll", "differential", "wheel", "road")  # fmt: skip
PLACED_BY_VALUES = {
    **each_wheel("suspension", place_from="values", len_initial=0.38),
    **{
        f"suspension.{w}.pivot": [x, y, 0.79]
        for w, x, y in (("fl", -0.8, 1.47), ("fr", 0.8, 1.47), ("rl", -0.8, -1.47), ("rr", 0.8, -1.47))
    },
}
LOCKED = {"brakes.fr.can_brake": True, "tire.fr.max_braking_friction": 10.0}
NEEDED = {  # parameter: values that must be set for it to have an effect
    "steering.fr.max_angle": each_wheel("steering", limit_at_rest=0.0, limit_per_speed=0.0),
    "engine.idle_omega": {"autobox.down_omega": 1.0},
    "suspension.fr.pivot": PLACED_BY_VALUES, "suspension.fr.len_initial": PLACED_BY_VALUES,
    "suspension.fr.place_from": {k: v for k, v in PLACED_BY_VALUES.items() if "place_from" not in k},
    "road.fr.min_friction": {"road.fr.max_friction": 3.0}, "tire.fr.tire_type": {"road.fr.friction_rule": "table"},
    "tire.fr.handbrake_factor": LOCKED, "tire.fr.max_braking_friction": LOCKED,
}  # fmt: skip
CHOSEN = {  # parameter: changed value, where the usual change has no effect
    "steering.fr.least_rate": 50 * DEGREE, "driving_state.max_time_step_vehicle": 0.0005,
    "driving_state.max_time_step": 0.0005, "tire.fr.max_braking_friction": 0.3, "autobox.direction_omega": 0.5,
    "engine.min_omega": 60.0, "road.fr.min_friction": 2.5,
}  # fmt: skip
WITHOUT_EFFECT = ("driving_state.sleep_speed",)  # acts only on a vehicle that rests on its bodywork (see the last test)


def test_every_parameter_of_the_cryengine_slots_changes_the_drive(monkeypatch):
    """Parameters in WITHOUT_EFFECT are exceptions. Parameters of wheels are changed on the second wheel only."""
    for name, table, values in (
        ("NEEDS", test_parameter_effects.NEEDS, NEEDED),
        ("CHANGES", test_parameter_effects.CHANGES, CHOSEN),
    ):
        monkeypatch.setattr(test_parameter_effects, name, {**values, **table})  # the first matching pattern counts
    drive = test_parameter_effects.EffectDrive("patrol")
    drive.drives.insert(0, drive.commands([(s, {"digital": 1, **c}) for s, c in KEYED], AUTOMATIC))
    tried_count, ineffective = 0, []
    for parameter in drive.drive.vehicle.parameters():
        is_own = parameter.slot in SLOTS or parameter.path in ("body.integration", "body.network")
        if not is_own or parameter.field.derived or parameter.field.visual or parameter.wheel not in (None, 1):
            continue
        tried_count += 1
        if not drive.has_effect(parameter):
            ineffective.append(parameter.path)
    assert tried_count > 60 and sorted(ineffective) == sorted(WITHOUT_EFFECT)


def test_a_car_on_its_roof_sleeps_below_sleep_speed():
    for speed, asleep in ((0.04, 1), (0.0, 0)):
        d = drive({**NO_LOSSES, "driving_state.sleep_speed": speed, "contact.restitution": 0.0})
        d.vehicle.put((0.0, 0.0, 2.2), (0.0, 1.0, 0.0, 0.0))
        d.run(8.0)
        assert read(d, "driving_state.driving") == 0 and read(d, "driving_state.asleep") == asleep
