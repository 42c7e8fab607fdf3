"""Parameters, state and text of vehicles."""

from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.benchmarks.scenes import VEHICLES
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml
from driving_sandbox.physics.vehicle.vehicle_file import (
    apply_setup,
    load_vehicle,
    load_vehicle_text,
    setup_text,
    vehicle_text,
)


@pytest.fixture
def car():
    return load_vehicle("roadster_simple")


def test_setting_a_value_updates_derived_ones(car):
    load, mass = car.get("tire.fl.nominal_load"), car.get("body.mass")
    car.set("body.mass", 2.0 * mass)
    assert car.get("body.mass") == 2.0 * mass
    assert car.get("tire.fl.nominal_load") == pytest.approx(2.0 * load)
    car.set("body.centre_of_mass", [0.0, 0.3, 0.46])
    assert car.get("tire.fl.nominal_load") > 2.0 * load
    assert car.get("suspension.fl.arm")[1] == pytest.approx(car.get("suspension.fl.attachment")[1] - 0.3)
    car.set("wheel.rr.spin_inertia", 1.7)
    assert car.get("wheel.rr.inertia") == 1.7


def test_moving_the_centre_of_mass_does_not_move_the_body(car):
    car.put((3.0, 4.0, 5.0), (0.0, 0.0, 0.6, 0.8))
    car.set("body.centre_of_mass", [0.2, -0.3, 0.6])
    assert car.model_position() == pytest.approx((3.0, 4.0, 5.0))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("body.mass", -1.0, "body.mass: -1.0: must be greater than 0"),
        ("body.mass", "heavy", "body.mass: 'heavy'"),
        ("suspension.fl.arm", [0, 0, 0], "computed from other parameters"),
        ("body.centre_of_mass", [0.0, 5.0, 0.4], "outside the wheels"),
        ("body.principal_inertia", [100.0, 0.0, 100.0], "give all three"),
        ("body.principal_inertia", [1.0, 1.0, 1.0], "must be at least 2.8125 kg*m^2, a radius of gyration of 0.05 m"),
        ("body.centre_of_mass", [0.0, 9.0, 0.4], "must be less than or equal to 8"),
        ("engine.peak_torque", 4e5, "must be less than or equal to 200000"),
        ("gearbox.ratios", [-3.0, 0.0, 2.0, 3.0, 1.0, 0.9, 0.8], "forward ratios must fall"),
    ],
)
def test_a_refused_value_changes_nothing(car, path, value, message):
    before = car.params.tobytes()
    with pytest.raises(SchemaError) as error:
        car.set_many({"wheel.fl.radius": 0.4, "engine.peak_torque": 1.0, path: value})
    assert message in str(error.value)
    assert car.params.tobytes() == before and car.changed_values() == {}


def test_unknown_names_suggest_the_nearest(car):
    with pytest.raises(KeyError, match="suspension.fl.stiffness"):
        car.get("suspension.fl.stifness")
    with pytest.raises(KeyError, match="tire.rl.load"):
        car.read("tire.rl.laod")


def test_a_restored_snapshot_has_the_same_state(car):
    start = car.snapshot()
    assert len(start) == car.state.nbytes
    hashed = car.state_hash()
    car.put((1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 1.0), (4.0, 5.0, 6.0))
    assert car.state_hash() != hashed
    assert car.read("body.velocity.y") == 5.0
    car.restore(start)
    assert car.state_hash() == hashed and car.snapshot() == start
    with pytest.raises(ValueError, match="snapshot of Roadster"):
        car.restore(start[:-1])


@pytest.mark.parametrize("name", ["roadster_simple", "hatchback", "offroader", "buggy"])
def test_a_vehicle_round_trips_through_its_text(name):
    car = load_vehicle(name)
    wheel = car.wheel_names[0]
    changes = {f"suspension.{wheel}.stiffness": 31234.5, "body.centre_of_mass": [0.01, 0.02, 0.5],
               f"compliance.{wheel}.toe": [[0.0, 0.01], [1.0, -0.02]], f"tire.{wheel}.tire_type": "sport"}  # fmt: skip
    flag = {"unsprung": "tire_pulls"}.get(car.sequence.by_slot["suspension"].name, "limit_expansion")
    car.set_many({**changes, f"suspension.{wheel}.{flag}": True})
    rebuilt = load_vehicle_text(vehicle_text(car), "text")
    assert rebuilt.params.tobytes() == car.params.tobytes()
    assert rebuilt.values() == car.values() and rebuilt.wheel_names == car.wheel_names and rebuilt.axles == car.axles
    assert vehicle_text(rebuilt) == vehicle_text(car)


@pytest.mark.parametrize("name", VEHICLES)
def test_every_shipped_vehicle_is_rebuilt_from_its_text(name):
    """Order of axles and wheels and all parameters are the same, for trailers too: recordings need that."""
    vehicle = load_vehicle(name)
    rebuilt = load_vehicle_text(vehicle_text(vehicle), vehicle.info["path"])
    for first, second in zip((vehicle, *vehicle.trailers), (rebuilt, *rebuilt.trailers), strict=True):
        assert first.wheel_names == second.wheel_names and first.axles == second.axles
        assert first.params.tobytes() == second.params.tobytes()


def test_setups_have_only_changed_values(car):
    changes = {"brakes.fl.max_torque": 900.0, "engine.peak_torque": 200.0, "antiroll.stiffness": [1.0, 2.0]}
    car.set_many(changes)
    assert car.changed_values() == changes
    text = setup_text(car)
    other = load_vehicle("roadster_simple")
    apply_setup(other, parse_yaml(text, "setup.yaml"))
    assert other.params.tobytes() == car.params.tobytes()
    assert other.base_params.tobytes() == car.base_params.tobytes() != other.params.tobytes()
    for wrong, message in (("brakes: {fl: {max_torque: -1}}", "setup.yaml:1: brakes.fl.max_torque"),
                         ("brakes: {fx: {max_torque: 1}}", "known here: all, front"), ("engin: {}", 'mean "engine"'),
                         ("body: 3", "must be a mapping")):  # fmt: skip
        with pytest.raises(ConfigError) as error:
            apply_setup(other, parse_yaml(wrong, "setup.yaml"))
        assert message in str(error.value)
        assert other.params.tobytes() == car.params.tobytes()


def test_left_wheels_get_mirrored_values(car):
    fl, fr = car.get("suspension.fl.attachment"), car.get("suspension.fr.attachment")
    assert fl == [-fr[0], fr[1], fr[2]] and fr[0] > 0.0
    camber = car.get("compliance.fr.camber")
    assert car.get("compliance.fl.camber") == [[x, -y] for x, y in camber] and camber[1][1] < 0.0
    points = car.get("compliance.fr.tire_force_point")
    assert car.get("compliance.fl.tire_force_point") == [[x, [-v[0], v[1], v[2]]] for x, v in points]


@pytest.mark.parametrize(
    ("edit", "rule"),
    [
        (("  mass: 1125", "  mass: -1125"), "body.mass: -1125: must be greater than 0"),
        (("  mass: 1125  ", "  masss: 1125  "), 'did you mean "mass"'),
        (("type: engine_drive", "type: engine_driv"), 'did you mean "engine_drive"'),
        (("clutch: automatic,", "clutch: automatik,"), 'did you mean "automatic"'),
        (("clutch: automatic,", "clatch: automatic,"), "clatch"),
        (("rear: [rl, rr]}", "rear: [rl, fr]}"), "used twice"),
        (("  peak_torque: 149", "  # peak_torque: 149"), "engine.peak_torque: is missing"),
        (("left: fl,", "left: xl,"), "no wheel 'xl'"),
        (("models/roadster.glb", "models/none.glb"), "no such model file"),
        (("0.60, 0.06, 0.03", "0.60, 0.06"), "three numbers"),
        (("engine:\n  peak_torque", "engine: 3\nspare:\n  peak_torque"), "spare: unknown key"),
        (
            ("{drag_area: 0.64, side_drag_area: 2.0, downforce_area: -0.05, centre_of_pressure: [0, 0.1, 0.5]}", "3"),
            "aero: must be a mapping",
        ),
    ],
)
def test_errors_in_vehicle_files_are_one_line_with_file_and_line(car, edit, rule):
    text = Path(car.info["path"]).read_text(encoding="utf8")
    assert edit[0] in text
    with pytest.raises(ConfigError) as error:
        load_vehicle_text(text.replace(*edit, 1), "my_car.yaml")
    message = str(error.value)
    assert rule in message and message.startswith("my_car.yaml") and "\n" not in message
    assert error.value.line is not None


def test_channels_read_the_state(car):
    car.state["tire"][0]["load"][2] = 123.0
    car.state["body"][0]["position"] = (1.0, 2.0, 3.0)
    assert car.read("tire.rl.load") == 123.0 and car.read("body.position.z") == 3.0
    for channel in car.channels():
        assert np.isscalar(car.read(channel.name)), channel.name
    assert len({c.name for c in car.channels()}) == len(car.channels()) > 200


@pytest.mark.parametrize("name", ["params", "state", "state_bytes", "scratch"])
def test_arrays_of_the_compiled_step_cannot_be_replaced(car, name):
    """The compiled step would go on with the old array."""
    with pytest.raises(AttributeError, match=f"vehicle.{name} cannot be replaced"):
        setattr(car, name, getattr(car, name).copy())
    block = getattr(car, name)
    block[:] = block.copy()
    assert getattr(car, name) is block
