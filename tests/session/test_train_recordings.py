"""Vehicles with trailers in a session: rewind, recording, replay, panel, files."""

import csv
import subprocess
import sys

import numpy as np
import pytest
from flat_drive import flat_world, run, weave
from hitch_gap import hitch_gap

from driving_sandbox.game.plots.history import ChannelHistory
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.session.session import Session
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.simulate import simulate
from driving_sandbox.lab.start import start
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording, RecordingError
from driving_sandbox.physics.recording.exports import table
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text, vehicle_text

PRINT_REPORT = """
import sys
sys.path.insert(0, sys.argv[2])
from driving_sandbox.physics.recording import Recording, build_world, state_at, verify
report, recording = verify(sys.argv[1]), Recording.open(sys.argv[1])
world = state_at(recording, build_world(recording), recording.ticks)
print(report.ok, report.ticks, report.snapshots, world.state_hash(), report.text)
"""


def train_world(*vehicles):
    """Flat world of these vehicles, by default a truck with its trailer."""
    return flat_world(vehicles or ("truck_trailer",))


def gaps(world):
    """Distance between the two halves of each hitch, m."""
    members = world.vehicles
    return [hitch_gap(members[k - 1], members[k]) for train in world.trains for k in train[1:]]


def test_a_world_lists_trailers_behind_their_vehicle():
    world = train_world("road_train", "roadster")
    assert [v.name for v in world.vehicles] == ["Road train", "Lead trailer", "Semi-trailer", "Roadster"]
    assert world.trains == [range(3), range(3, 4)]
    world.place(1, (20.0, 5.0), 1.2)  # any member places the whole train
    assert world.vehicles[0].model_position()[:2] == pytest.approx((20.0, 5.0), abs=1e-6)
    assert max(gaps(world)) < 1e-9
    commands = np.concatenate([neutral_command(), neutral_command()])
    assert world.step(commands) is None  # one row per train is enough
    with pytest.raises(ValueError, match="takes 2 or 4"):
        world.step(np.concatenate([commands, commands[:1]]))


def test_recovering_puts_the_whole_train_straight_again():
    session = Session(train_world())
    run(session, 4.0)
    for vehicle in session.world.vehicles:
        vehicle.state["body"]["angular_velocity"][0] = (0.0, 1.0, 0.5)
    session.changes.recover()
    front, rear = (v.state["body"]["orientation"][0] for v in session.world.vehicles)
    assert np.abs(front - rear).max() < 0.01
    assert all(np.all(v.state["body"]["velocity"][0] == 0.0) for v in session.world.vehicles)
    run(session, 1.0)
    assert max(gaps(session.world)) < 1e-4


def test_a_recording_of_a_train_repeats_in_a_fresh_process(tmp_path):
    path = tmp_path / "train.drive"
    with Session(train_world(), record=path) as session:
        run(session, 1.5)
        session.tuning.choose(1)
        session.tuning.set_parameter("brakes.fl.max_torque", 5000.0)
        run(session, 0.5)
        session.changes.recover()
        run(session, 0.5)
        assert session.changes.rewind(1.0) == pytest.approx(1.0, abs=0.02)
        run(session, 0.5)
        end = session.world.state_hash()
    recording = Recording.open(path)
    assert [v["name"] for v in recording.header["vehicles"]] == ["Truck and trailer", "Trailer"]
    command = [sys.executable, "-c", PRINT_REPORT, str(path), str(ROOT)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert output[:2] == ["True", "720"] and int(output[2]) >= 1 and int(output[3]) == end, output
    exported = table(recording, ["engine.omega", "brakes.fl.torque", "1:wheel.fl.omega"])
    channels = [name for name in exported.names[1:] if "command." not in name]
    assert channels == ["0:engine.omega", "0:brakes.fl.torque", "1:brakes.fl.torque", "1:wheel.fl.omega"]
    with pytest.raises(RecordingError, match="Truck and trailer and Trailer: no channel 1:engine.omega"):
        table(recording, ["1:engine.omega"], (0.0, 0.1))


def test_replay_shows_every_member_where_it_was(tmp_path):
    path = tmp_path / "train.drive"
    with Session(train_world(), record=path) as session:
        run(session, 2.0)
        positions = [v.model_position() for v in session.world.vehicles]
    source = ReplaySource(Recording.open(path))
    source.repeat()
    assert source.exact and len(source.looks) == 2
    frames = source.show(2.0, 480)
    for frame, position in zip(frames, positions, strict=True):
        assert frame.body_position == pytest.approx(position, abs=2e-3)


@pytest.mark.parametrize("exact", [True, False])
def test_a_replay_plots_the_trailers_that_are_shown(tmp_path, exact):
    """exact: the simulation is repeated; else values come from poses, without hitch forces."""
    path = tmp_path / "train.drive"
    with Session(train_world(), record=path) as session:
        run(session, 3.0, weave)
    source = ReplaySource(Recording.open(path))
    if exact:
        source.repeat()
        assert source.exact, source.notes
    history = ChannelHistory(span=1.0)
    names = ["trailer1.body.velocity.y", "trailer1.articulation", "trailer1.hitch_force"]
    assert history.follow(source.vehicles[0], names) == names
    for time in (2.0, 2.5):
        source.show(time, round(time * 240))
        history.sample(time)
    trailer = source.vehicles[1]
    assert source.vehicles[0].trailers == (trailer,)
    assert history.values(names[0])[-1] == trailer.read("body.velocity.y") > 0.5
    assert np.all(np.isfinite(history.values(names[1])))
    assert np.isfinite(history.values(names[2])[-1]) == exact


def test_the_panel_tunes_every_member_with_its_own_undo():
    session = Session(train_world())
    tuning = session.tuning
    assert tuning.members == ["Truck and trailer", "Trailer"]
    truck, trailer = session.world.vehicles
    session.tuning.set_parameter("body.mass", 17000.0)
    tuning.choose(1)
    session.tuning.set_parameter("body.mass", 9000.0)
    assert tuning.vehicle is trailer and (truck.get("body.mass"), trailer.get("body.mass")) == (17000.0, 9000.0)
    session.tuning.undo()
    assert (truck.get("body.mass"), trailer.get("body.mass")) == (17000.0, 12000.0)
    tuning.choose(0)
    session.tuning.undo()
    assert truck.get("body.mass") == 18000.0
    with pytest.raises(SchemaError):
        session.changes.apply({"body.mass": -1.0}, 1)


def test_a_fault_in_a_trailer_names_it_and_leaves_the_state_before_the_tick():
    world = train_world()
    commands = weave(type("Situation", (), {"time": 0.0}))
    for _ in range(30):
        assert world.step(commands) is None
    before = world.snapshot()[8:]  # without the tick number
    world.vehicles[1].state["body"]["velocity"][0, 0] = 1e6
    broken = world.snapshot()[8:]
    fault = world.step(commands)
    assert fault.vehicle in (0, 1) and fault.component == "body"  # the hitch passes the speed on to the truck
    assert world.snapshot()[8:] == broken != before
    world.restore(world.tick.to_bytes(8, "little") + before)
    world.vehicles[1].state["body"]["velocity"][0, 1] = float("nan")
    fault = world.step(commands)
    assert fault.vehicle == 1 and fault.text.startswith("Trailer:") and "not a number" in fault.text


def test_simulate_has_the_channels_of_all_members(tmp_path):
    world = train_world()
    settings = tmp_path / "moving.yaml"
    settings.write_text("speed: 10\n")
    start(world, settings)
    assert all(np.linalg.norm(v.state["body"]["velocity"][0]) == pytest.approx(10.0) for v in world.vehicles)
    result = simulate(world, MANEUVERS["rest"](world.vehicles[0], world, world.tick_seconds), 1.0, row_interval=24)
    columns = result.telemetry.columns
    assert columns["trailer1.tire.fl.load"][-1] == world.vehicles[1].read("tire.fl.load") > 10e3
    assert columns["tire.fl.load"][-1] == world.vehicles[0].read("tire.fl.load")
    result.telemetry.write(tmp_path / "a.csv", {})
    head = next(csv.reader((tmp_path / "a.csv").open()))
    assert "trailer1.tire.fl.load [N]" in head and len(head) == len(columns)


def test_the_text_of_a_train_builds_an_equal_one():
    truck = load_vehicle("road_train")
    truck.trailers[1].set("body.mass", 12345.0)
    again = load_vehicle_text(vehicle_text(truck))
    assert [t.name for t in again.trailers] == [t.name for t in truck.trailers]
    assert again.trailers[1].get("body.mass") == 12345.0
    for member, copy in zip((truck, *truck.trailers), (again, *again.trailers), strict=True):
        assert member.params.tobytes() == copy.params.tobytes()


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ("trailers: [semi_trailr]", "trailers.0", 'did you mean "semi_trailer"'),
        ("trailers: semi_trailer", "trailers", "must be a list"),
        ("trailers: [../truck]", "trailers.0", "engine of its own"),
        ("trailers: [semi_trailer, semi_trailer]", "trailers.1", "no hitch"),
        ("trailers: [semi_trailer]\ntrailer_order: random", "trailer_order", "must be one of serial"),
    ],
)
def test_wrong_trailers_are_named_with_their_line(text, key, message, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(f"name: Mine\nbase: truck\n{text}\n")
    with pytest.raises(ConfigError, match=message) as caught:
        load_vehicle(path)
    assert caught.value.key == key and caught.value.line >= 3
