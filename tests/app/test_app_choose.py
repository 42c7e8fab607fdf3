"""Changing vehicle, world, spawn point and time of day in the running program, without loss or leaks."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from app_rig import assert_shows_a_drive, pixels
from test_app_leaks import grown, program_counts, scene_counts

import driving_sandbox.game.program.program
from driving_sandbox.game.program.loading import CompileFailed
from driving_sandbox.game.program.prepared_drive import PreparedDrive
from driving_sandbox.game.program.program import WindowClosed
from driving_sandbox.game.session.choice import (
    Choice,
    later_options,
    next_record,
    read_entry,
    vehicle_entries,
    world_entries,
)
from driving_sandbox.physics.recording import Recording, verify
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER
from driving_sandbox.physics.world.world_file import WORLD_FOLDER

pytestmark = pytest.mark.drawn


@pytest.fixture
def rig(open_rig):
    rig = open_rig()
    rig.app.welcome = None
    return rig


def change(rig, **changes):
    """Request a choice that differs in `changes`, and run the frame that applies it."""
    if "vehicle" in changes and isinstance(changes["vehicle"], str):
        changes["vehicle"] = VEHICLE_FOLDER / f"{changes['vehicle']}.yaml"
    if "world" in changes:
        changes["world"] = WORLD_FOLDER / f"{changes['world']}.yaml"
    rig.program.request(replace(rig.program.choice, spawn=changes.pop("spawn", None), **changes))
    rig.step()
    rig.ui.items.enabled = True


def test_a_change_ends_the_recording_and_starts_another_in_the_same_window(rig):
    window = rig.app.base.win
    rig.hold("w")
    rig.run(1.0)
    first = Path(rig.session.recorder.path)
    change(rig, vehicle="hatchback", world="yard")
    rig.run(0.5)
    second = Path(rig.session.recorder.path)
    assert rig.app.base.win is window
    assert rig.session.vehicle.name == "Hatchback" and rig.session.world.file.name == "Yard"
    driven = rig.session.world.tick
    assert not rig.session.paused and driven >= 120
    rig.close()
    assert first != second and first.with_suffix(".png").is_file()
    for path, ticks in ((first, 240), (second, driven)):
        recording = Recording.open(path)
        assert recording.complete and recording.ticks == ticks
        assert verify(path).ok


def test_the_preview_of_a_recording_does_not_show_the_chooser(rig):
    rig.run(0.5)
    before = preview_of(rig)
    assert_shows_a_drive(before)
    rig.press("g")
    rig.step(3)
    assert rig.app.pause.page == "choose"
    path = Path(rig.session.recorder.path).with_suffix(".png")
    change(rig, vehicle="hatchback")
    assert abs(pixels(path) - before).mean() < 0.01  # the camera is still settling


def preview_of(rig):
    """Pixels of the preview that a recording ending now would get."""
    rig.app.take_thumbnail()
    return pixels(Path(rig.session.recorder.path).with_suffix(".png"))


def test_values_and_undo_stay_with_their_vehicle_over_changes(rig):
    rig.session.tuning.set_parameter("body.mass", 1300.0)
    change(rig, world="yard")
    assert rig.session.vehicle.get("body.mass") == 1300.0
    change(rig, vehicle="hatchback")
    other = rig.session.vehicle.get("body.mass")
    rig.session.tuning.undo()  # this vehicle has no change to undo
    assert rig.session.vehicle.get("body.mass") == other
    rig.session.tuning.set_parameter("body.mass", 1500.0)
    change(rig, vehicle="roadster", world="plane")
    assert rig.session.vehicle.get("body.mass") == 1300.0
    rig.session.tuning.undo()
    assert rig.session.vehicle.get("body.mass") == 1125.0
    rig.session.tuning.redo()
    assert rig.session.vehicle.get("body.mass") == 1300.0
    change(rig, vehicle="hatchback")
    assert rig.session.vehicle.get("body.mass") == 1500.0


GRAVITY = "world.gravity"


def test_changed_parameters_of_a_world_stay_for_every_vehicle(rig):
    rig.session.tuning.set_parameters({GRAVITY: 3.7, "surface.asphalt.friction_street": 0.5})
    change(rig, vehicle="hatchback")
    changed = {GRAVITY: 3.7, "surface.asphalt.friction_street": 0.5}
    assert rig.session.world.parameters.changed_values() == changed
    rig.run(0.3)
    path = rig.session.recorder.path
    change(rig, world="yard")
    assert verify(path).ok and Recording.open(path).header["world"]["values"] == changed
    assert rig.session.world.parameters.changed_values() == {}
    change(rig, vehicle="roadster", world="plane")
    assert rig.session.world.parameters.changed_values() == changed
    rig.session.tuning.undo()
    assert rig.session.world.parameters.changed_values() == {}


def test_undo_skips_steps_of_another_world_and_keeps_those_of_the_vehicle(rig):
    rig.session.tuning.set_parameters({GRAVITY: 3.7})
    rig.session.tuning.set_parameters({GRAVITY: 2.0, "body.mass": 1300.0})
    change(rig, world="yard")
    rig.session.tuning.undo()
    assert rig.session.vehicle.get("body.mass") == 1125.0
    assert rig.session.world.parameters.changed_values() == {} and not rig.session.tuning.can_undo
    rig.session.tuning.redo()
    assert rig.session.vehicle.get("body.mass") == 1300.0
    assert rig.session.world.parameters.changed_values() == {}


def test_the_tuning_of_an_earlier_vehicle_stays_on_the_disk_until_the_end(rig, home):
    rig.session.tuning.set_parameter("body.mass", 1300.0)
    rig.run(0.1)
    rig.app.autosave._written = -1.0  # time of the last save, long enough ago for the next
    rig.app.autosave.poll()
    change(rig, vehicle="hatchback")
    (setup,) = (home / "autosave").glob("Roadster.setup.*")
    assert "1300" in setup.read_text()
    rig.close()
    assert not list((home / "autosave").iterdir())


def test_a_faulty_file_keeps_the_present_drive(rig, tmp_path):
    text = (VEHICLE_FOLDER / "roadster.yaml").read_text().replace("mass: 1125", "mass: -1")
    broken = tmp_path / "broken.yaml"
    broken.write_text(text)
    line = 1 + text[: text.index("mass: -1")].count("\n")
    app, recorder = rig.app, rig.session.recorder
    rig.run(0.2)
    change(rig, vehicle=broken)
    assert rig.app is app and rig.session.recorder is recorder
    assert any(f"broken.yaml:{line}: body.mass" in message.text for message in rig.session.messages)
    assert rig.app.pause.page == "choose" and f"broken.yaml:{line}:" in rig.app.pause.chooser._problem
    rig.app.pause.chooser._back()
    tick = rig.session.world.tick
    rig.run(0.2)
    assert rig.session.world.tick == tick + 48


def test_a_failed_compilation_keeps_the_present_drive(rig, monkeypatch):
    app = rig.app

    def fail(self, screen):
        raise CompileFailed("the physics could not be compiled: no kernel")

    monkeypatch.setattr(PreparedDrive, "wait", fail)
    change(rig, vehicle="hatchback")
    assert rig.app is app and rig.app.running
    assert "no kernel" in rig.session.messages[-1].text


def test_a_scene_that_cannot_be_built_keeps_vehicle_position_and_undo(rig, monkeypatch):
    rig.session.tuning.set_parameter("body.mass", 1300.0)
    rig.hold("w")
    rig.run(1.0)
    position = rig.session.situation.position
    build_scene, failures = driving_sandbox.game.program.program.Scene.of, []

    def fail_once(*arguments):
        if not failures:
            failures.append(True)
            raise ValueError("model part wheel9 follows a wheel that the model does not have")
        return build_scene(*arguments)

    monkeypatch.setattr(driving_sandbox.game.program.program.Scene, "of", fail_once)
    change(rig, vehicle="hatchback")
    assert rig.session.vehicle.name == "Roadster" and "wheel9" in rig.session.messages[-1].text
    assert rig.session.situation.position == pytest.approx(position)
    rig.session.tuning.undo()
    assert rig.session.vehicle.get("body.mass") == 1125.0


def test_a_vehicles_python_file_runs_only_after_confirmation(rig, tmp_path):
    ran = tmp_path / "ran"
    source = tmp_path / "my_tire.py"
    source.write_text(f"open({str(ran)!r}, 'w').close()\nraise ValueError('not a tire yet')\n")
    document = yaml.safe_load((VEHICLE_FOLDER / "roadster.yaml").read_text())
    car = tmp_path / "car.yaml"
    car.write_text(yaml.safe_dump(document | {"components": {"tire": {"file": "my_tire.py", "name": "MY_TIRE"}}}))
    app = rig.app
    change(rig, vehicle=car)
    assert rig.app is app and not ran.exists()
    rig.step(2)
    assert rig.app.pause.page == "choose" and "choose:allow" in rig.ui.items
    rig.click("choose:allow")
    assert ran.exists() and rig.app is app  # it ran, and its error is reported
    assert "not a tire yet" in rig.session.messages[-1].text


def test_the_ai_keeps_driving_in_the_next_world_and_hands_the_car_back_unchanged(rig):
    before = rig.session.vehicle.values()
    change(rig, world="mountain_road")
    rig.press("i")
    assert rig.app.driver_switch.by_ai
    change(rig, world="proving_ground")
    assert rig.app.driver_switch.by_ai
    rig.press("i")
    assert rig.session.vehicle.values() == before


def test_camera_panel_and_instruments_keep_their_state(rig):
    rig.press("c")
    rig.press("tab")
    rig.press("h")
    mode = rig.app.camera.mode
    change(rig, world="yard")
    assert (rig.app.camera.mode, rig.app.panel.open, rig.app.hud.visible) == (mode, True, False)


def test_the_window_can_be_closed_during_a_change(rig, monkeypatch):
    path = rig.session.recorder.path
    rig.run(0.3)

    def closed(stage, share=0.0, note=""):
        raise WindowClosed

    monkeypatch.setattr(rig.program, "show", closed)
    change(rig, vehicle="hatchback")
    assert not rig.program.running
    rig.close()
    assert Recording.open(path).complete


def test_another_time_of_day_applies_at_once_in_the_same_drive(rig):
    app, level = rig.app, rig.app.scene.level
    rig.run(0.3)
    change(rig, daytime="dusk")
    rig.step(2)
    assert rig.app is app and rig.app.scene.level is level
    assert rig.app.scene.dark and rig.app.scene.beams and rig.app.views[0].lamps.head
    assert rig.app.settings.daytime == "dusk"
    change(rig, daytime="afternoon")
    assert not rig.app.scene.dark and rig.app.scene.beams is None and not rig.app.views[0].lamps.head


def test_resource_counts_do_not_grow_with_changes(rig):
    """From the fourth to the tenth change, Python objects may grow by 300, vertex buffers by 8, and nothing else."""
    counts = []
    for _ in range(5):
        for vehicle, world in (("hatchback", "yard"), ("roadster", "plane")):
            change(rig, vehicle=vehicle, world=world)
            rig.run(0.3)
        counts.append({**scene_counts(rig.app.base), **program_counts()})
    assert grown(counts[1], counts[-1], {"objects": 300, "vertex buffers": 8}) == {}


def test_the_chooser_lists_shipped_and_own_vehicles_and_names_broken_files(home):
    own_file = home / "vehicles" / "mine.yaml"
    own_file.parent.mkdir(parents=True, exist_ok=True)
    own_file.write_text((VEHICLE_FOLDER / "roadster.yaml").read_text().replace("name: Roadster", "name: My own"))
    (own_file.parent / "torn.yaml").write_text("name: [")
    entries = {entry.path.stem: entry for entry in vehicle_entries()}
    assert entries["mine"].name == "My own" and entries["mine"].mass == 1125.0
    assert "torn.yaml:" in entries["torn"].problem
    assert {p.stem for p in VEHICLE_FOLDER.glob("*.yaml")} < set(entries)
    worlds = {entry.path.stem: entry for entry in world_entries()}
    assert {p.stem for p in WORLD_FOLDER.glob("*.yaml")} <= set(worlds) and "start" in worlds["proving_ground"].spawns
    assert read_entry(WORLD_FOLDER / "plane.yaml").spawns


def test_a_later_drive_gets_a_new_recording_and_keeps_the_ghosts(tmp_path, rig):
    (tmp_path / "lap-2.drive").touch()
    assert next_record(tmp_path / "lap.drive") == tmp_path / "lap-3.drive"
    assert next_record(tmp_path / "lap-2.drive") == tmp_path / "lap-3.drive"
    assert next_record(None) is None
    choice = Choice.of("roadster", "plane", None, "noon")
    later = later_options(rig.program.options, choice, replace(choice, vehicle=choice.vehicle))
    assert later.ghost == rig.program.options.ghost and later.setup is None
