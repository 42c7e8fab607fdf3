"""Recordings of vehicles that meet in the core: repeated bit for bit, rewound, and as older programs wrote them."""

import json

import numpy as np
import pytest

from driving_sandbox.physics.batch.trajectory import VELOCITY, Rerun
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.recording import Recorder, Recording, RecordingError, build_world, state_at, verify, writer
from driving_sandbox.physics.recording.rewind import RewindRing
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND, neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

pytestmark = pytest.mark.skipif(not JIT, reason="long drives")


def pushed(other, **options):
    """(world, commands) of a roadster that is to push another vehicle along."""
    world = World(load_world("plane"), [load_vehicle("roadster_simple"), load_vehicle(other)], **options)
    world.place(0, (0.0, 0.0), 0.0)
    world.place(world.trains[1].start, (0.3, 6.0), 0.1)
    commands = np.full(len(world.vehicles), neutral_command()[0], COMMAND)
    commands["throttle"][0], commands["gear"][0] = 0.7, AUTOMATIC
    return world, commands


def record(path, world, commands, ticks=720, external=None):
    """Record a drive; returns in how many ticks vehicles met."""
    met = 0
    with Recorder(path, world, "2026-01-01") as recorder:
        for tick in range(ticks):
            outside = external if tick % 100 == 50 else None
            assert world.step(commands, outside) is None
            met += world.acted is not outside
            recorder.record(commands, outside)
    return met


@pytest.mark.parametrize("other", ["hatchback", "truck_trailer"])
def test_a_drive_with_contact_is_repeated_bit_for_bit(other, tmp_path):
    world, commands = pushed(other)
    gust = np.zeros(len(world.vehicles), EXTERNAL)
    gust["impulse"][:, 0] = 50.0
    path = tmp_path / "a.drive"
    assert record(path, world, commands, external=gust) > 100
    report = verify(path)
    assert report.ok and report.ticks == 720 and report.snapshots == 3, report.text
    recording = Recording.open(path)
    assert recording.header["vehicle_contact"] is True
    assert state_at(recording, build_world(recording), 720).state_hash() == world.state_hash()


@pytest.mark.parametrize("contact", [True, False])
def test_the_header_says_whether_vehicles_meet(contact, tmp_path):
    world, commands = pushed("hatchback", vehicle_contact=contact)
    path = tmp_path / "a.drive"
    assert (record(path, world, commands) > 0) == contact
    assert build_world(Recording.open(path)).vehicle_contact == contact
    assert verify(path).ok


def header_with(monkeypatch, change):
    """Let recorders write another header."""
    original = writer.header_of

    def header_of(*arguments):
        header = original(*arguments)
        change(header)
        return json.loads(json.dumps(header))

    monkeypatch.setattr(writer, "header_of", header_of)


def test_in_a_recording_of_before_vehicles_do_not_meet(tmp_path, monkeypatch):
    header_with(monkeypatch, lambda header: header.pop("vehicle_contact"))
    world, commands = pushed("hatchback", vehicle_contact=False)
    path = tmp_path / "old.drive"
    shove = np.zeros(2, EXTERNAL)
    shove["impulse"] = [[0.0, -300.0, 0.0], [0.0, 300.0, 0.0]]  # as Bullet gave them
    record(path, world, commands, external=shove)
    assert not build_world(Recording.open(path)).vehicle_contact
    assert verify(path).ok


@pytest.mark.parametrize("value", [1, "yes"])
def test_another_value_in_the_header_is_refused(value, tmp_path, monkeypatch):
    header_with(monkeypatch, lambda header: header.update(vehicle_contact=value))
    world, commands = pushed("hatchback")
    path = tmp_path / "odd.drive"
    record(path, world, commands, ticks=10)
    with pytest.raises(RecordingError, match="vehicle_contact"):
        Recording.open(path)


@pytest.mark.parametrize("seconds", [0.4, 1.1])
def test_a_rewind_leads_to_the_same_bytes(seconds):
    world, commands = pushed("hatchback")
    ring, snapshots = RewindRing(world), []
    for _ in range(720):
        snapshots.append(world.snapshot())
        assert world.step(commands) is None
        ring.record(commands)
    ring.rewind(seconds)
    assert world.snapshot()[8:] == snapshots[720 - round(240 * seconds)][8:]


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_snapshot_with_contact_that_is_no_number_is_refused(wrong):
    world, _ = pushed("hatchback")
    before = world.snapshot()
    world.between.memory["impulse"][3, 1] = wrong
    damaged = world.snapshot()
    world.restore(before)
    with pytest.raises(ValueError, match="contact"):
        world.restore(damaged)
    assert world.snapshot() == before


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_what_if_repeats_a_push_with_unchanged_parameters(seconds):
    world, commands = pushed("hatchback")
    ring = RewindRing(world)
    for _ in range(720):
        assert world.step(commands) is None
        ring.record(commands)
    assert world.acted is not None
    for index in range(2):
        again = Rerun(world.vehicles[index], world)
        again.begin(ring.segment(seconds, index), again.parameters())
        while again.advance(1000):
            pass
        driven, repeated = world.vehicles[index].state["body"], again.trajectory()[-1]
        assert repeated[VELOCITY].tolist() == driven["velocity"][0].tolist()
