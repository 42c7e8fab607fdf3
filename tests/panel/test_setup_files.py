"""Setups saved, loaded and compared, in the panel and directly; a tuned vehicle saved as a new one."""

import pytest

from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def test_a_setup_is_saved_and_loaded_with_undo(panel, user, vehicle, model):
    vehicle.set("engine.peak_torque", 600.0)
    user.click("setups")
    user.click("setup-name")
    user.type("wet")
    user.click("setup-save")
    assert [path.stem for path in model.setups()] == ["wet"]
    vehicle.set("engine.peak_torque", 300.0)
    vehicle.set("body.mass", 900.0)
    user.step()
    user.click("setup:wet")
    assert vehicle.changed_values() == {"engine.peak_torque": 600.0}
    user.click("undo")
    assert vehicle.changed_values() == {"engine.peak_torque": 300.0, "body.mass": 900.0}


def test_a_setup_is_compared_with_the_present_values_without_loading_it(panel, user, vehicle, model):
    vehicle.set("engine.peak_torque", 600.0)
    model.save_setup("strong")
    vehicle.set("engine.peak_torque", 300.0)
    vehicle.set("body.mass", 900.0)
    user.step()
    user.click("setups")
    user.click("setup-compare:strong")
    assert "setup-comparison" in user.ui.items
    _, rows = panel._setups._compared
    # (path, value in the vehicle's file, now, in the setup)
    assert rows == [("body.mass", 1320.0, 900.0, 1320.0), ("engine.peak_torque", 410.0, 300.0, 600.0)]
    assert vehicle.changed_values() == {"engine.peak_torque": 300.0, "body.mass": 900.0}


def test_the_tuned_vehicle_is_saved_as_a_new_vehicle(tmp_path):
    car = load_vehicle("roadster")
    model = VehicleModel(car, tmp_path / "setups")
    car.set("engine.inertia", 0.2)
    path = model.save_vehicle("My roadster")
    assert path == tmp_path / "vehicles" / "My roadster.yaml"
    loaded = load_vehicle(path)
    assert loaded.name == "My roadster" and loaded.values() == car.values() and not loaded.changed_values()
    assert loaded.geometry.path == car.geometry.path
    with pytest.raises(ValueError, match="program's own vehicle"):
        model.save_vehicle("roadster")


def test_a_bad_setup_is_refused_as_a_whole(vehicle, model, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("engine:\n  peak_torque: 500\n  idle_omega: -1\n")
    before = vehicle.values()
    with pytest.raises(Exception, match=r"bad.yaml:3.*idle_omega"):
        model.load_setup(path)
    assert vehicle.values() == before


def test_loading_a_setup_of_another_vehicle_is_reported(vehicle, model, tmp_path):
    path = tmp_path / "soft.yaml"
    path.write_text("vehicle: Tank\nengine: {peak_torque: 500}\n")
    model.load_setup(path)
    assert model.messages[-1] == "loaded soft.yaml: 1 value changed; it was made for Tank"
    assert vehicle.get("engine.peak_torque") == 500.0
    path.write_text(f"vehicle: {vehicle.name}\nengine: {{peak_torque: 400}}\n")
    model.load_setup(path)
    assert model.messages[-1].endswith("1 value changed")


@pytest.mark.parametrize("text", ["", "[engine]", "5", "engine: 5", "suspension: {no_wheel: {}}", "{: }"])
def test_the_error_for_a_file_that_is_no_setup_names_the_file(vehicle, model, tmp_path, text):
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    before = vehicle.values()
    with pytest.raises(UserError, match="odd.yaml"):
        model.load_setup(path)
    assert vehicle.values() == before
