"""The parameters of a vehicle's sound on the tuning panel."""

import pytest
from panel_rows import show

from driving_sandbox.game.panel.layout import sound_groups
from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.sound.parameters import PRESET, SoundParameters
from driving_sandbox.sound.vehicle_sound import sound_of

LEVEL, CRACKLE, LENGTHS = "sound.engine.level", "sound.engine.crackle", "sound.engine.pipe_lengths"


@pytest.fixture
def car():
    return load_vehicle("roadster")


@pytest.fixture
def model(car, tmp_path):
    return VehicleModel(car, tmp_path / "setups", sound=SoundParameters(car))


def heard(car, voice="engine"):
    """The record of a voice as it is heard."""
    return sound_of(car).parameters[voice]


def test_each_voice_has_a_group_with_all_its_parameters(model):
    groups = sound_groups(model.sound)
    titles = [group.title for group in groups]
    assert {"Sound: engine", "Sound: gears", "Sound: tires", "Sound: wind", "Sound: body", "Sound: horn"} <= set(titles)
    paths = [path for group in groups for row in group.rows for path in row.paths]
    assert paths == list(model.sound.values())
    assert sound_groups(()) == []


def test_a_slider_tunes_the_voice_and_undo_restores_it(panel, user, car, model):
    before = heard(car)["level"]
    show(panel, user, LEVEL)
    user.drag(LEVEL, 0.3, 0.9)
    assert heard(car)["level"] == pytest.approx(1.8, rel=0.03)  # of 0..2
    assert car.info["sound"]["engine"]["level"] == heard(car)["level"]
    user.click("undo")
    assert heard(car)["level"] == before and not model.can_undo
    user.click("redo")
    assert heard(car)["level"] == pytest.approx(1.8, rel=0.03)


def test_search_finds_voices_and_reset_all_resets_them(panel, user, car, model):
    panel.search = "sound crackle"
    user.step()
    assert CRACKLE in user.ui.items and LEVEL not in user.ui.items and "body.mass" not in user.ui.items
    before = heard(car).tobytes()
    user.enter(CRACKLE, "0.2")
    assert heard(car)["crackle"] == pytest.approx(0.2)
    panel.search = ""
    user.click("changed")
    assert f"label:{CRACKLE}" in user.ui.items
    user.click("reset-all")
    assert heard(car).tobytes() == before and model.sound.values() == model.sound.base_values()


def test_refused_values_are_reported(panel, user, car):
    before = heard(car).tobytes()
    show(panel, user, CRACKLE)
    user.enter(CRACKLE, "7")
    assert "less than or equal to 1" in panel.errors[CRACKLE] and heard(car).tobytes() == before
    show(panel, user, LENGTHS)
    # one of the four lengths is removed, where necessary after a click on the arrow that opens the list
    user.click(f"{LENGTHS}[-]") if f"{LENGTHS}[-]" in user.ui.items else user.click(LENGTHS)
    if f"{LENGTHS}[-]" in user.ui.items and LENGTHS not in panel.errors:
        user.click(f"{LENGTHS}[-]")
    assert "3 values for 4 cylinders" in panel.errors[LENGTHS] and heard(car).tobytes() == before


def test_a_saved_vehicle_has_the_tuned_sound(panel, user, car, model):
    show(panel, user, CRACKLE)
    user.enter(CRACKLE, "0.2")
    model.set_parameter(PRESET, "boxer_4")
    saved_car = load_vehicle(str(model.save_vehicle("loud")))
    assert heard(saved_car).tobytes() == heard(car).tobytes() and heard(saved_car)["crackle"] == pytest.approx(0.2)


def test_a_vehicle_with_other_voices_has_other_groups(ui, user, tmp_path):
    def shown(name):
        vehicle = load_vehicle(name)
        return {g.slot for g in sound_groups(VehicleModel(vehicle, tmp_path, sound=SoundParameters(vehicle)).sound)}

    assert "sound.turbo" in shown("truck") and "sound.turbo" not in shown("roadster")


def test_sound_parameters_have_widgets(ui, user, tmp_path, car):
    """Checks every third parameter of three voices."""
    panel = ParameterPanel(ui, VehicleModel(car, tmp_path, sound=SoundParameters(car)))
    ui.add(panel.draw)
    user.step()
    for voice in ("engine", "tires", "horn"):
        for parameter in [p for p in SoundParameters(car).parameters() if p.slot == f"sound.{voice}"][::3]:
            panel.reveal(parameter.path)
            user.step(6)
            assert any(item.startswith(parameter.path) for item in user.ui.items.names()), parameter.path
