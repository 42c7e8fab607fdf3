"""Tuning is saved while driving, restored after a crash, and deleted after a normal end."""

import os
import subprocess
import sys

import pytest
import yaml

from driving_sandbox.game.session.autosave import Autosave
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


@pytest.fixture
def make(tmp_path):
    """A function that returns a new (session, Autosave) in the test's folder; the latter's clock is its `now[0]`, s."""
    sessions = []

    def open_session(vehicle="roadster", world="plane", values=None):
        world = World(load_world(world), [load_vehicle(vehicle)])
        world.parameters.set_many(values or {})
        world.spawn()
        (tmp_path / "autosave").mkdir(exist_ok=True)
        session = Session(world, setups=tmp_path / "setups")
        sessions.append(session)
        now = [0.0]
        saver = Autosave(session, tmp_path / "autosave", clock=lambda: now[0])
        saver.now = now
        return session, saver

    yield open_session
    for session in sessions:
        session.close()


def files(folder):
    """Names of the files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def as_left_by_a_dead_process(folder):
    """Rename this process's files as if another process had written them, which has ended; returns their number."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = list(folder.iterdir())
    for path in left:
        path.rename(path.with_name(path.name.replace(f".{os.getpid()}.", f".{dead.pid}.")))
    return len(left)


def test_changes_are_on_the_disk_at_once_and_then_every_half_second(make, tmp_path):
    session, saver = make()
    saver.poll()
    assert files(tmp_path / "autosave") == []
    session.tuning.set_parameter("engine.inertia", 0.2)
    saver.poll()
    (path,) = (tmp_path / "autosave").iterdir()
    assert yaml.safe_load(path.read_text())["engine"] == {"inertia": 0.2}
    session.tuning.set_parameter("engine.inertia", 0.25)
    saver.poll()
    assert "0.25" not in path.read_text()
    saver.now[0] = 0.6
    saver.poll()
    assert "0.25" in path.read_text()
    saver.close()
    assert files(tmp_path / "autosave") == []


def test_tuning_of_a_crashed_program_is_restored_and_kept_as_a_setup(make, tmp_path):
    """One undo takes the restored values back."""
    session, saver = make()
    session.tuning.set_parameters({"engine.inertia": 0.2, "suspension.fl.stiffness": 30000.0})
    saver.poll()
    as_left_by_a_dead_process(tmp_path / "autosave")
    next_session, saver = make()
    setup_path = saver.restore()
    assert next_session.vehicle.changed_values() == {"engine.inertia": 0.2, "suspension.fl.stiffness": 30000.0}
    assert setup_path.parent == tmp_path / "setups" and setup_path.name.startswith("recovered Roadster")
    assert any("crashed" in message.text for message in next_session.messages)
    saver.poll()
    assert len(files(tmp_path / "autosave")) == 1  # the restored values are saved again
    next_session.tuning.undo()
    assert next_session.vehicle.changed_values() == {}


def test_the_tuning_of_a_trailer_is_restored_to_the_trailer(make, tmp_path):
    session, saver = make("truck_trailer")
    mass = session.world.vehicles[1].get("body.mass") - 1000.0
    with session.tuning.member(1):
        session.tuning.set_parameter("body.mass", mass)
    saver.poll()
    assert as_left_by_a_dead_process(tmp_path / "autosave") == 1
    next_session, saver = make("truck_trailer")
    assert saver.restore().name.startswith("recovered Trailer 1")
    front, trailer = next_session.world.vehicles
    assert trailer.changed_values() == {"body.mass": mass} and not front.changed_values()
    assert next_session.tuning.chosen == 0 and not next_session.tuning.can_undo
    next_session.tuning.choose(1)
    next_session.tuning.undo()
    assert not trailer.changed_values()
    saver.close()
    assert files(tmp_path / "autosave") == []


GRAVITY, GRIP = "world.gravity", "surface.asphalt.friction_street"


def test_changes_of_the_world_are_restored_in_the_same_world(make, tmp_path):
    session, saver = make()
    session.tuning.set_parameters({GRAVITY: 3.7, GRIP: 0.4})
    session.tuning.set_parameter("engine.inertia", 0.2)
    saver.poll()
    assert as_left_by_a_dead_process(tmp_path / "autosave") == 2
    elsewhere, saver = make(world="mountain_road")
    saver.restore()
    assert elsewhere.world.parameters.changed_values() == {}
    assert len(files(tmp_path / "autosave")) == 1  # the vehicle's file was used
    next_session, saver = make()
    assert saver.restore() is None
    assert next_session.world.parameters.changed_values() == {GRAVITY: 3.7, GRIP: 0.4}
    assert any("of the world are restored" in message.text for message in next_session.messages)
    saver.poll()
    assert len(files(tmp_path / "autosave")) == 1  # the restored values are saved again
    next_session.tuning.undo()
    assert next_session.world.parameters.changed_values() == {}
    next_session.tuning.set_parameters({GRAVITY: 3.7})
    saver.now[0] = 0.6
    saver.poll()
    saver.memory()  # the drive ends: the world's file is deleted, because the next drive writes its own
    assert files(tmp_path / "autosave") == []
    next_session, saver = make(values={GRAVITY: 5.0})
    saver.poll()
    assert len(files(tmp_path / "autosave")) == 1


CRACKLE, HORN = "sound.engine.crackle", "sound.horn.level"


def test_tuning_of_the_sound_is_restored_on_its_own_and_removed_when_undone(make, tmp_path):
    session, saver = make()
    session.tuning.set_parameters({CRACKLE: 0.25, HORN: 0.5})
    saver.poll()
    assert as_left_by_a_dead_process(tmp_path / "autosave") == 1  # the physics was not tuned
    next_session, saver = make()
    assert saver.restore() is None
    assert next_session.tuning.sound.changed_values() == {CRACKLE: 0.25, HORN: 0.5}
    assert any("of the sound are restored" in message.text for message in next_session.messages)
    saver.poll()
    assert len(files(tmp_path / "autosave")) == 1  # the restored values are saved again
    next_session.tuning.undo()
    assert next_session.tuning.sound.changed_values() == {}
    saver.now[0] = 0.6
    saver.poll()
    assert files(tmp_path / "autosave") == []


def test_a_damaged_file_of_the_sound_is_reported_and_kept(make, tmp_path):
    session, saver = make()
    session.tuning.set_parameter(HORN, 0.5)
    saver.poll()
    (path,) = (tmp_path / "autosave").iterdir()
    path.write_text(f"{HORN}: [loud]\n")
    as_left_by_a_dead_process(tmp_path / "autosave")
    next_session, saver = make()
    saver.restore()
    assert next_session.tuning.sound.changed_values() == {}
    assert any("could not be applied" in message.text for message in next_session.messages)
    assert ".refused." in files(tmp_path / "autosave")[0]


@pytest.mark.parametrize("text", ["world.gravity: -3\n", "world.no_such: 1.0\n", "3\n", "abc\n", "3: 4\n", "a: [\n"])
def test_values_of_the_world_that_cannot_be_set_are_reported_once_and_kept(make, tmp_path, text):
    session, saver = make()
    session.tuning.set_parameters({GRAVITY: 3.7})
    saver.poll()
    (path,) = (tmp_path / "autosave").iterdir()
    path.write_text(text)
    as_left_by_a_dead_process(tmp_path / "autosave")
    for reported in (1, 0):  # at the first start only
        next_session, saver = make()
        saver.restore()
        assert not next_session.world.parameters.changed_values()
        assert sum("could not be applied" in message.text for message in next_session.messages) == reported
        assert len(files(tmp_path / "autosave")) == 1


def test_a_program_that_still_runs_keeps_its_file(make, tmp_path):
    session, saver = make()
    session.tuning.set_parameter("engine.inertia", 0.2)
    saver.poll()
    (path,) = (tmp_path / "autosave").iterdir()
    path.rename(path.with_name(path.name.replace(f".{os.getpid()}.", f".{os.getppid()}.")))
    next_session, saver = make()
    assert saver.restore() is None and not next_session.vehicle.changed_values()
    assert len(files(tmp_path / "autosave")) == 1


def test_a_file_that_another_program_restores_meanwhile_does_no_harm(make, tmp_path, monkeypatch):
    session, saver = make()
    session.tuning.set_parameter("engine.inertia", 0.2)
    saver.poll()
    # says True for a file of a program that has ended, but the file is gone then
    monkeypatch.setattr("driving_sandbox.game.session.autosave._ownerless", lambda path: path.unlink() is None)
    next_session, saver = make()
    assert saver.restore() is None and not next_session.vehicle.changed_values()


def test_a_damaged_file_is_reported_and_kept_among_the_setups(make, tmp_path):
    session, saver = make()
    session.tuning.set_parameter("engine.inertia", 0.2)
    saver.poll()
    (path,) = (tmp_path / "autosave").iterdir()
    path.write_text("engine: {inertia: -1}\n")
    as_left_by_a_dead_process(tmp_path / "autosave")
    next_session, saver = make()
    assert saver.restore() is None and not next_session.vehicle.changed_values()
    assert any("could not be applied" in message.text for message in next_session.messages)
    assert len(files(tmp_path / "setups")) == 1


def test_swapped_components_are_kept_as_a_vehicle_file(make, tmp_path):
    from driving_sandbox.physics.vehicle.swap import plan_swap

    session, saver = make("roadster")
    session.tuning.swap(None, plan_swap(session.vehicle, "road", "ray"))
    saver.poll()
    as_left_by_a_dead_process(tmp_path / "autosave")
    next_session, saver = make()
    vehicle_path = saver.restore()
    assert vehicle_path.parent == tmp_path / "vehicles"
    assert load_vehicle(vehicle_path).sequence.by_slot["road"].name == "ray"
    assert next_session.vehicle.sequence.by_slot["road"].name == "sweep"
