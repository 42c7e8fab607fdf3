"""Parameters of a world: declared, changed while driving, undone, recorded, repeated, and in branches of recordings."""

import math

import pytest
from flat_drive import ahead, flat_world, run

from driving_sandbox.game.experiments.what_if import WhatIf
from driving_sandbox.game.replay.branch import world_at
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.recording import Recording, build_world, state_at, verify
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import WORLD_FOLDER, load_world

GRIP = "surface.asphalt.friction_street"


@pytest.fixture
def session(tmp_path):
    with Session(flat_world(), recordings=tmp_path / "recordings", setups=tmp_path / "setups") as session:
        yield session


def closed_recording(session):
    """Close the session and return its recording, which must verify."""
    session.close()
    recording = Recording.open(session.recorder.path)
    report = verify(recording)
    assert report.ok and report.ticks == recording.ticks, report.text
    assert not report.note
    return recording


def test_parameters_exist_for_all_surfaces_except_barriers_and_for_the_world():
    world, surfaces = World(load_world("plane"), []), default_surfaces()
    surface_names = {path.split(".")[1] for path in world.parameters.values() if path.startswith("surface.")}
    assert surface_names == {s.name for s in surfaces if not s.barrier} and len(surface_names) > 5
    assert world.parameters.get("world.gravity") == 9.81
    for surface in (s for s in surfaces if not s.barrier):
        for tire, value in surface.friction.items():
            assert world.parameters.get(f"surface.{surface.name}.friction_{tire}") == value
        assert world.parameters.get(f"surface.{surface.name}.material_friction") == surface.material_friction
    assert all(p.field.doc and p.field.suggest for p in world.parameters.parameters())


def test_a_change_acts_as_a_world_file_with_that_value(tmp_path):
    text = (WORLD_FOLDER / "plane.yaml").read_text(encoding="utf8").replace("air_density:", "# air_density:")
    path = tmp_path / "moon.yaml"
    path.write_text("\n".join(line for line in text.splitlines() if not line.startswith(("gravity", "surfaces")))
                    + "\ngravity: 1.62\nair_density: 0.4\n", encoding="utf8")  # fmt: skip
    hashes = []
    for file, values in ((path, {}), ("plane", {"world.gravity": 1.62, "world.air_density": 0.4})):
        world = World(load_world(file), [load_vehicle("hatchback")])
        world.parameters.set_many(values)
        world.spawn()
        with Session(world) as session:
            run(session, 2.0, ahead)
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def weight(session):
    """Sum of the tire loads, N."""
    return sum(session.vehicle.read(f"tire.{name}.load") for name in session.vehicle.wheel_names)


def parked(situation):
    """Driver who holds the handbrake."""
    command = neutral_command()
    command["handbrake"] = 1.0
    return command


def test_gravity_and_grip_reach_the_tires_while_driving(session):
    run(session, 2.0, parked)
    before = weight(session)
    session.tuning.set_parameter("world.gravity", 4.905)
    run(session, 3.0, parked)
    assert weight(session) == pytest.approx(before / 2.0, rel=0.02)
    session.tuning.set_parameter(GRIP, 0.2)
    run(session, 0.2)
    assert session.vehicle.read("tire.fl.friction") < 0.3


def test_changes_are_undone_recorded_and_repeated(session):
    run(session, 0.5)
    session.tuning.set_parameter("world.gravity", 3.7)
    run(session, 0.5)
    session.tuning.set_parameter(GRIP, 0.3)
    session.tuning.undo()
    session.tuning.undo()
    assert session.world.parameters.changed_values() == {}
    run(session, 0.5)
    session.tuning.redo()
    assert session.world.parameters.changed_values() == {"world.gravity": 3.7}
    run(session, 0.5)
    recording = closed_recording(session)
    # 240 ticks a second
    changes = [(e["tick"], e["values"]) for e in recording.events if e["kind"] == "world"]
    assert changes == [(120, {"world.gravity": 3.7}), (240, {GRIP: 0.3}),
                       (240, {GRIP: session.world.parameters.base(GRIP)}), (240, {"world.gravity": 9.81}),
                       (360, {"world.gravity": 3.7})]  # fmt: skip


def test_seeking_across_changes_gives_the_same_state_and_branches_have_their_values(session):
    run(session, 0.5)
    session.tuning.set_parameter("world.gravity", 3.7)
    run(session, 1.0)
    session.tuning.set_parameter("world.gravity", 9.0)
    run(session, 0.5)
    end_hash, recording = session.world.state_hash(), closed_recording(session)
    world = build_world(recording)
    assert state_at(recording, world, recording.ticks).state_hash() == end_hash
    assert state_at(recording, world, 100).parameters.get("world.gravity") == 9.81  # a tick before the first change
    branch = world_at(recording, 300)
    assert branch.parameters.get("world.gravity") == 3.7


def test_a_changed_wind_acts_and_is_undone_recorded_and_applied_in_a_branch(session, tmp_path):
    run(session, 0.5)
    session.tuning.set_parameter("world.wind", [20.0, -5.0, 0.0])
    run(session, 0.5)
    assert session.vehicle.read("aero.force.x") > 100.0
    session.tuning.undo()
    run(session, 0.5)
    session.tuning.redo()
    run(session, 0.5)
    end_hash, recording = session.world.state_hash(), closed_recording(session)
    assert [e["values"] for e in recording.events if e["kind"] == "world"] == [
        {"world.wind": [20.0, -5.0, 0.0]}, {"world.wind": [0.0, 0.0, 0.0]}, {"world.wind": [20.0, -5.0, 0.0]},
    ]  # fmt: skip
    world = build_world(recording)
    assert state_at(recording, world, recording.ticks).state_hash() == end_hash
    assert state_at(recording, world, 200).parameters.get("world.wind") == [20.0, -5.0, 0.0]
    assert state_at(recording, world, 300).parameters.get("world.wind") == [0.0, 0.0, 0.0]
    with Session(world_at(recording, 200), record=tmp_path / "branch.drive") as branch_session:
        run(branch_session, 0.5)
        branch = closed_recording(branch_session)
    assert branch.header["world"]["values"] == {"world.wind": [20.0, -5.0, 0.0]}


def test_the_recording_of_a_branch_holds_the_changed_values_of_its_world(session, tmp_path):
    run(session, 0.5)
    session.tuning.set_parameter("world.air_density", 0.9)
    session.tuning.set_parameter(GRIP, 0.5)
    run(session, 1.5)
    branch = world_at(closed_recording(session), 300)
    with Session(branch, record=tmp_path / "branch.drive") as branch_session:
        run(branch_session, 0.5)
        branch_session.tuning.set_parameter(GRIP, 1.0)
        run(branch_session, 0.5)
        recording = closed_recording(branch_session)
    assert recording.header["world"]["values"] == {"world.air_density": 0.9, GRIP: 0.5}
    assert state_at(recording, build_world(recording), 60).parameters.get(GRIP) == 0.5


def test_after_a_rewind_the_current_values_stay(session):
    run(session, 1.0)
    session.tuning.set_parameter("world.gravity", 5.0)
    run(session, 1.0)
    session.changes.rewind(1.5)
    assert session.world.parameters.get("world.gravity") == 5.0  # parameters of vehicles stay as well
    session.tuning.set_parameter(GRIP, 0.4)
    run(session, 0.5)
    closed_recording(session)


def test_wrong_values_change_nothing(session):
    before = session.world.parameters.values()
    for values, error in (({"world.gravity": -1.0}, SchemaError), ({GRIP: math.nan}, SchemaError),
                          ({"world.wind": [0.0, 101.0, 0.0]}, SchemaError), ({"world.wind": 5.0}, SchemaError),
                          ({"surface.asfalt.friction_street": 1.0}, KeyError),
                          ({"world.air_density": 1.0, GRIP: 9.0, "body.mass": 1500.0}, SchemaError)):  # fmt: skip
        with pytest.raises(error):
            session.tuning.set_parameters(values)
    assert session.world.parameters.values() == before and not session.vehicle.changed_values()
    with pytest.raises(SchemaError, match=r"world\.gravity"):
        session.world.parameters.set_many({"world.gravity": 101.0})


def test_a_setup_leaves_the_world_alone(session):
    session.tuning.set_parameter("world.gravity", 5.0)
    session.tuning.set_parameter("body.mass", 1500.0)
    path = session.tuning.save_setup("light")
    assert "gravity" not in path.read_text(encoding="utf8")
    session.tuning.load_setup(path)
    assert session.world.parameters.get("world.gravity") == 5.0


def test_what_if_repeats_under_the_new_gravity(session):
    what_if = WhatIf(session)
    try:
        run(session, 5.5)
        what_if.on = True
        assert what_if.wait()
        session.tuning.set_parameter("world.gravity", 5.0)
        assert what_if.wait()
        outcome = what_if.outcome
        assert abs(outcome.changed[-1] - outcome.driven[-1])[:3].max() > 1e-3
    finally:
        what_if.close()
