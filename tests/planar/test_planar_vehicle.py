"""The planar vehicle: effects of all fields, manoeuvres, repeated runs, wrong values, uneven ground."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from drive_rig import Drive, field_ground
from planar_rig import Planar

from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.simulate import simulate
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.schema import Bool, Choice, Curve, Floats, ResponseTable, SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, NEUTRAL, REVERSE
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text, vehicle_text
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

MIN_DIFFERENCE = 1e-9  # m, smallest change of the body's path
PARTS = [  # (seconds, commands): by keys where `digital` is 1, else by a gamepad
    (2.5, {"throttle": 1.0}),
    (0.6, {"throttle": 0.6, "steer": 0.7}),
    (0.6, {"throttle": 0.6, "steer": -0.7, "brake": 0.2}),
    (5.0, {"throttle": 1.0}),
    (3.5, {"throttle": 0.5, "brake": 0.5}),
    (1.5, {"throttle": 1.0}),
    (0.4, {"throttle": 0.5, "clutch": 0.5}),
    (0.3, {"throttle": 0.5}),
    (0.3, {"handbrake": 0.5}),
    (0.5, {"digital": 1, "throttle": 1.0, "steer": 1.0, "clutch": 1.0}),
    (0.5, {"digital": 1, "brake": 1.0, "steer": -1.0}),
    (0.5, {"digital": 1, "throttle": 1.0, "handbrake": 1.0}),
    (0.3, {"digital": 1, "throttle": 1.0}),
    (0.5, {"throttle": 0.4, "handbrake": 0.7, "steer": 0.5}),
    (1.5, {"gear": AUTOMATIC}),
    (6.0, {"brake": 0.4, "steer": 0.2}),
    (1.0, {"throttle": 0.8, "gear": REVERSE, "steer": 0.5}),
    (1.0, {"gear": NEUTRAL}),
]
NEEDS = {  # values with which a field has an effect
    "body.cg_height": {"body.load_transfer": True},
    "rolling.speed_coefficient": {"rolling.form": "speed"},
}
TOGETHER = {  # values that must be changed together
    "gearbox.neutral_gear": {"gearbox.neutral_gear": 2, "gearbox.ratios": [-4.0, -3.7, 0.0, 3.136, 1.888, 1.33]},
    "steering.fr.max_angle": {"steering.fl.max_angle": 0.5, "steering.fr.max_angle": 0.5},
}


def another_value(parameter, value):
    """Another plausible value of a parameter."""
    kind, field = parameter.field.kind, parameter.field
    if isinstance(kind, Bool):
        return not value
    if isinstance(kind, Choice):
        return kind.options[(kind.options.index(value) + 1) % len(kind.options)]
    if isinstance(kind, Floats):
        return [0.9 * v for v in value]
    if isinstance(kind, Curve):
        return [[x, 0.9 * y] for x, y in value]
    if isinstance(kind, ResponseTable):
        return [[c, [[s, 0.8 * r] for s, r in points]] for c, points in value] or [[0, [[0, 0]]], [1, [[0, 0.8]]]]
    if isinstance(value, int):
        return value + 3
    low, high = field.suggest
    number = value * 0.8 if value else 0.25 * high
    return number if field.gt is None or number > field.gt else 0.5 * (low + high)


class EffectDrive:
    """Drives PARTS from the same start, each time with other values."""

    def __init__(self, components=None):
        self.car = Planar(components=components)
        self.start = self.car.vehicle.snapshot()
        self.params = self.car.vehicle.params.copy()

    def path(self, values):
        """Positions of the body at the end of each part, m."""
        vehicle = self.car.vehicle
        vehicle.restore(self.start)
        try:
            vehicle.set_many(values)
            positions = []
            for seconds, command in PARTS:
                self.car.run(seconds, **{"gear": AUTOMATIC, **command})
                positions.append(self.car.body("position"))
            return np.array(positions)
        finally:
            vehicle.params[:] = self.params


@pytest.mark.parametrize("components", [None, {"tire": "magic_formula"}])
def test_every_field_changes_the_drive(components):
    """Fields of wheels are tried on the right front and the right rear wheel."""
    drive = EffectDrive(components)
    assert np.array_equal(drive.path({}), drive.path({})), "the same drive twice is the same path"
    without_effect, checked = [], 0
    for parameter in drive.car.vehicle.parameters():
        if parameter.field.derived or parameter.field.visual or parameter.wheel not in (None, 1, 3):
            continue
        if parameter.wheel == 3 and parameter.slot in ("steering", "wheel"):
            continue  # the rear axle does not steer, and wheels of an axle have one radius
        needs = NEEDS.get(parameter.path, {})
        value = another_value(parameter, drive.car.vehicle.get(parameter.path))
        values = TOGETHER.get(parameter.path, {**needs, parameter.path: value})
        if parameter.path in ("wheel.fr.radius", "wheel.fr.axle"):
            continue  # these wheels are not driven; the next test changes them
        checked += 1
        if np.abs(drive.path(needs) - drive.path(values)).max() < MIN_DIFFERENCE:
            without_effect.append(parameter.path)
    assert checked > 50
    assert not without_effect, f"without any effect: {', '.join(without_effect)}"


def test_radius_and_axle_of_a_wheel_have_effects():
    front = {"differential.front_share": 1.0}
    default, large = (Planar({**front, "wheel.fl.radius": r, "wheel.fr.radius": r}) for r in (0.289, 0.35))
    default, large = (
        car.going(ahead=3.0).tick(throttle=1.0).sum("differential", "traction") for car in (default, large)
    )
    assert default == pytest.approx(large * 0.35 / 0.289, rel=0.02) and large > 0.0
    with_three_front_wheels = load_vehicle("planar_roadster")
    with_three_front_wheels.set_many({"wheel.rl.axle": "front", "steering.rl.max_angle": 0.62})
    car = Drive(with_three_front_wheels).run(0.1)
    assert car.vehicle.read("tire.rr.load") == pytest.approx(3.0 * car.vehicle.read("tire.rl.load"), rel=0.2)


@pytest.mark.parametrize("name", ["launch", "brake", "slalom", "handbrake_turn", "coast_down", "step_steer"])
def test_scripted_maneuvers_end_as_expected(name):
    vehicle = load_vehicle("planar_roadster")
    world = World(load_world("plane"), [vehicle])
    world.spawn()
    start = vehicle.read("body.heading")
    run = simulate(world, MANEUVERS[name](vehicle, world, world.tick_seconds), 24.0 if name == "brake" else 16.0)
    assert not run.faults
    c = run.telemetry.columns
    speed, rate = c["body.v_long"], c["body.angular_velocity.z"]
    if name == "launch":
        # the launch begins after one second
        time_to_100 = c["time"][np.argmax(speed >= 100.0 / 3.6)] - 1.0
        assert 6.0 < time_to_100 < 10.0 and speed[c["time"] < 1.0].max() == 0.0
    elif name == "brake":
        top = speed.argmax()
        distance = np.hypot(c["body.position.x"][-1] - c["body.position.x"][top],
                       c["body.position.y"][-1] - c["body.position.y"][top])  # fmt: skip
        assert speed[top] > 27.7 and abs(speed[-1]) < 1e-9
        assert distance == pytest.approx(speed[top] ** 2 / 2.0 / 9.81, rel=0.06), (
            "friction 1 on the whole weight, and drag"
        )
    elif name == "slalom":
        steady = c["time"] > 9.0
        assert rate[steady].max() > 0.3 and rate[steady].min() < -0.3
        assert rate[steady].max() == pytest.approx(-rate[steady].min(), rel=0.1), "symmetric"
    elif name == "handbrake_turn":
        yaw = np.unwrap(c["body.heading"]) - start
        braked = c["command.handbrake"] > 0.5
        assert braked.any() and yaw[-1] > np.radians(100.0), "turned by more than 100 degrees"
        assert np.abs(c["tire.rl.lateral_slip"][braked]).max() > np.radians(25.0)
    elif name == "coast_down":
        assert speed.max() > 24.9 and 15.0 < speed[-1] < speed.max() - 1.0
    else:
        assert rate[-1] < -0.2 and np.ptp(rate[-240:]) < 0.02, "steady"


def test_the_car_follows_the_ground_without_jumping():
    """A ramp changes only its height."""
    ground = field_ground(lambda x, y: np.interp(y, [10.0, 20.0, 20.5], [0.0, 1.5, 0.0]))
    car, flat = Drive("planar_roadster", ground), Drive("planar_roadster")
    for drive in (car, flat):
        drive.vehicle.state["body"]["velocity"][0] = (0.0, 15.0, 0.0)
    heights = car.log(2.0, lambda d: d.position[2] - 0.002, every=1.0 / 60.0)
    flat.run(2.0)
    assert max(heights) > 1.3 and heights[-1] == pytest.approx(0.0, abs=0.01)
    assert car.body("velocity")[2] == 0.0
    assert car.body("position")[1] == pytest.approx(flat.body("position")[1], abs=1e-9)


def test_a_restored_snapshot_and_a_car_from_a_written_file_lead_to_the_same_state():
    car = Planar()
    car.run(3.0, throttle=1.0, steer=0.1, gear=AUTOMATIC)
    middle = car.vehicle.snapshot()
    car.run(2.0, throttle=0.5, steer=-0.3, gear=AUTOMATIC)
    end = car.vehicle.state_hash()
    car.vehicle.restore(middle)
    assert car.run(2.0, throttle=0.5, steer=-0.3, gear=AUTOMATIC).vehicle.state_hash() == end
    reloaded = Drive(load_vehicle_text(vehicle_text(load_vehicle("planar_roadster"))))
    reloaded.run(3.0, throttle=1.0, steer=0.1, gear=AUTOMATIC).run(2.0, throttle=0.5, steer=-0.3, gear=AUTOMATIC)
    assert reloaded.vehicle.state_hash() == end


def test_mirrored_steering_mirrors_the_path():
    left, right = Planar(), Planar()
    for car, side in ((left, -1.0), (right, 1.0)):
        car.run(3.0, throttle=0.8, gear=AUTOMATIC).run(1.0, throttle=0.4, steer=0.4 * side, gear=AUTOMATIC)
        car.run(0.2, handbrake=1.0, steer=0.4 * side, gear=AUTOMATIC)
    assert left.body("position")[0] == pytest.approx(-right.body("position")[0], rel=1e-9)
    assert left.heading == pytest.approx(-right.heading, rel=1e-9) and left.heading > 0.3


SCRIPT = """
import json, sys
sys.path.insert(0, "tests/core"); sys.path.insert(0, "tests/planar")
from planar_rig import Planar
from driving_sandbox.physics.tick.commands import AUTOMATIC
car = Planar()
for command in ({"throttle": 1.0}, {"throttle": 0.5, "steer": 0.6}, {"handbrake": 0.8, "steer": 0.6}, {"brake": 0.6}):
    car.run(0.2, force=(300.0, 900.0, 0.0), gear=AUTOMATIC, **command)
print(json.dumps({c.name: car.vehicle.read(c.name) for c in car.vehicle.channels()}))
"""


def test_compiled_and_plain_kernels_agree():
    runs = []
    for jit in ("1", "0"):
        result = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True,
                              env={**os.environ, "SANDBOX_JIT": jit, "PYTHONPATH": str(ROOT)})  # fmt: skip
        runs.append(json.loads(result.stdout))
    assert runs[0]["body.position.y"] > 0.2 and runs[0]["tire.fl.lateral_slip"] != 0.0
    for name, value in runs[0].items():
        assert runs[1][name] == pytest.approx(value, rel=1e-7, abs=1e-7), name


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("body.mass", 0.0, "must be greater than 0"),
        ("body.rear_axle", -1.0, "must be greater than 0"),
        ("body.loads", "half", "must be one of lever_rule, equal"),
        ("gearbox.efficiency", 1.2, "must be less than or equal to 1"),
        ("gearbox.ratios", [-3.0, 0.5, 2.0], "neutral"),
        ("gearbox.ratios", [-3.0, 0.0, 2.0, 2.5], "must fall"),
        ("engine.torque_table", [[100.0, 50.0], [90.0, 60.0]], "x values must rise"),
        ("engine.torque_table", [], "needs at least one point"),
        ("engine.floor_omega", 800.0, "must be below max_omega"),
        ("engine.segments", 16, "must be less than 16"),
        ("differential.front_share", 1.5, "must be less than or equal to 1"),
        ("tire.fl.side_friction", float("nan"), "must be a finite number"),
        ("rolling.form", "both", "must be one of load, speed"),
        ("aero.long_factor", 1.0, "is computed from other parameters"),
        ("steering.fl.max_angle", 0.3, "must have the same steering.max_angle"),
        ("wheel.rl.radius", 0.0, "must be greater than 0"),
        ("brakes.brake_force", -1.0, "must be greater than or equal to 0"),
    ],
)
def test_wrong_values_are_refused_and_change_nothing(path, value, rule):
    vehicle = load_vehicle("planar_roadster")
    before = vehicle.params.tobytes()
    with pytest.raises(SchemaError) as error:
        vehicle.set(path, value)
    assert rule in str(error.value) and vehicle.params.tobytes() == before


def test_inertia_too_small_for_the_mass_is_refused():
    vehicle = load_vehicle("planar_roadster")
    vehicle.set("body.yaw_inertia", 20.0)
    with pytest.raises(SchemaError, match=r"yaw_inertia: .* at least 500 kg\*m\^2, a radius of gyration of 0.05 m"):
        vehicle.set("body.mass", 200000.0)


def test_an_axle_without_wheels_is_refused():
    vehicle = load_vehicle("planar_roadster")
    with pytest.raises(SchemaError, match="needs a wheel with `axle: rear`"):
        vehicle.set_many({"wheel.rl.axle": "front", "wheel.rr.axle": "front"})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("yaw_inertia", "yaw_inertai", 'did you mean "yaw_inertia"'),
        ("torque_table", "torque_curve", "torque_curve: unknown key"),
        ("type: planar", "type: plannar", 'did you mean "planar"'),
    ],
)
def test_wrong_keys_are_refused_with_their_line(old, new, words):
    text = (ROOT / "configs" / "vehicles" / "planar_roadster.yaml").read_text(encoding="utf8")
    with pytest.raises(ConfigError) as error:
        load_vehicle_text(text.replace(old, new, 1), ROOT / "configs" / "vehicles" / "car.yaml")
    assert words in str(error.value) and "car.yaml:" in str(error.value)


def test_components_of_a_full_car_are_refused():
    vehicle = load_vehicle("planar_roadster")
    for slot, choice in (("tire", "combined_slip"), ("aero", "drag"), ("engine", "torque_curve")):
        with pytest.raises(ValueError, match="has no phase|nothing in this vehicle|does not run"):
            swapped_vehicle(vehicle, plan_swap(vehicle, slot, choice))
