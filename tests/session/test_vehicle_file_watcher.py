"""A vehicle's file saved in an editor acts on the car being driven."""

import os

import pytest
import yaml

from driving_sandbox.game.session.session import Session
from driving_sandbox.game.session.vehicle_file_watcher import VehicleFileWatcher
from driving_sandbox.physics.vehicle.vehicle_file import find_vehicle, load_vehicle, vehicle_text
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


class Editor:
    """A copy of the roadster's file that is edited while the car is driven."""

    def __init__(self, folder):
        self.path = folder / "mine.yaml"
        self.path.write_text(find_vehicle("roadster").read_text())
        world = World(load_world("plane"), [load_vehicle(self.path)])
        world.spawn()
        self.session = Session(world)
        self.now = 0.0
        self.watch = VehicleFileWatcher(self.session, self.path, clock=lambda: self.now)

    def save(self, old, new):
        """Save the file with one text replaced, and let the watcher look."""
        text = self.path.read_text()
        assert old in text
        self.path.write_text(text.replace(old, new))
        status = self.path.stat()
        # a new time even if the file system's clock is coarse
        os.utime(self.path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
        self.look()

    def look(self):
        """Let the watcher look at the file, a second later."""
        self.now += 1.0
        self.watch.poll()

    @property
    def last_message(self):
        return self.session.messages[-1].text if self.session.messages else ""


@pytest.fixture
def editor(tmp_path):
    editor = Editor(tmp_path)
    yield editor
    editor.session.close()


def test_a_saved_value_acts_at_once_as_a_step_of_undo(editor):
    editor.look()
    assert editor.last_message == ""
    editor.save("mass: 1125 ", "mass: 1000 ")
    assert editor.session.vehicle.get("body.mass") == 1000.0 and "1 value changed" in editor.last_message
    editor.session.tuning.undo()
    assert editor.session.vehicle.get("body.mass") == 1125.0


def test_what_was_tuned_on_the_panel_stays(editor):
    editor.session.tuning.set_parameter("engine.inertia", 0.3)
    editor.save("mass: 1125 ", "mass: 1000 ")
    assert editor.session.vehicle.get("engine.inertia") == 0.3


def test_a_wrong_file_is_reported_with_its_line_and_changes_nothing(editor):
    before = editor.session.vehicle.values()
    editor.save("mass: 1125 ", "masss: 1000 ")
    assert (
        "mine.yaml:" in editor.last_message
        and "mass" in editor.last_message
        and "stay as they were" in editor.last_message
    )
    assert editor.session.vehicle.values() == before
    editor.save("masss: 1000 ", "mass: 1000 ")
    assert editor.session.vehicle.get("body.mass") == 1000.0


def test_a_file_that_is_missing_for_a_moment_is_waited_for(editor):
    text = editor.path.read_text()
    editor.path.unlink()
    editor.look()
    assert editor.last_message == ""
    editor.path.write_text(text.replace("mass: 1125 ", "mass: 1010 "))
    editor.look()
    assert editor.session.vehicle.get("body.mass") == 1010.0


def test_another_component_in_the_file_is_requested(editor):
    editor.save("tire: mf_62,", "tire: mf_62, road: ray,")
    assert "1 component changed" in editor.last_message
    editor.look()
    assert (
        editor.session.component_swap.job is not None or editor.session.vehicle.sequence.by_slot["road"].name == "ray"
    )


def test_another_type_waits_for_the_next_start(editor):
    before = editor.session.vehicle.values()
    text = find_vehicle("buggy").read_text()
    editor.path.write_text(text)
    editor.look()
    assert "next start" in editor.last_message and editor.session.vehicle.values() == before


def test_a_saved_file_acts_on_the_vehicle_in_front_while_the_panel_shows_a_trailer(tmp_path):
    text = vehicle_text(load_vehicle("truck_trailer"))
    path, now = tmp_path / "mine.yaml", iter(range(9))
    path.write_text(text)
    with Session(World(load_world("plane"), [load_vehicle(path)])) as session:
        watch = VehicleFileWatcher(session, path, clock=lambda: next(now))
        session.tuning.choose(1)
        trailer = session.tuning.vehicle.get("body.mass")
        heavier = yaml.safe_load(text)
        heavier["body"]["mass"] += 123.5
        path.write_text(yaml.safe_dump(heavier, sort_keys=False))
        watch.poll()
        assert session.vehicle.get("body.mass") == heavier["body"]["mass"], session.messages
        assert session.tuning.vehicle is session.world.vehicles[1] and not session.tuning.can_undo
        assert session.tuning.vehicle.get("body.mass") == trailer


def test_a_saved_section_of_the_sound_acts_at_once(editor):
    tuning = editor.session.tuning
    tuning.set_parameter("sound.tires.squeal", 0.5)
    editor.save("wind: {level: 1.5}", "tires: {tread: 0.25}\n  wind: {level: 2.5, pitch: 1.2}")
    present = tuning.sound.values()
    assert "3 values" in editor.last_message and present["sound.wind.level"] == 2.5
    assert (present["sound.wind.pitch"], present["sound.tires.tread"], present["sound.tires.squeal"]) == (
        1.2,
        0.25,
        0.5,
    )
    tuning.undo()
    assert tuning.sound.get("sound.wind.level") == 1.5 and tuning.sound.get("sound.tires.squeal") == 0.5
    editor.save("tread: 0.25", "tred: 0.25")
    assert (
        "mine.yaml:" in editor.last_message
        and "sound.tires.tred" in editor.last_message
        and "stay as they were" in editor.last_message
    )
