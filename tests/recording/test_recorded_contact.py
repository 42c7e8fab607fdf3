"""Recordings of vehicles in contact with each other: repeated, rewound, and as older programs wrote them."""

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


def pushing_world(other, **options):
    """(world, commands) of a roadster that will push another vehicle."""
    world = World(load_world("plane"), [load_vehicle("roadster_simple"), load_vehicle(other)], **options)
    world.place(0, (0.0, 0.0), 0.0)
    world.place(world.trains[1].start, (0.3, 6.0), 0.1)
    commands = np.full(len(world.vehicles), neutral_command()[0], COMMAND)
    commands["throttle"][0], commands["gear"][0] = 0.7, AUTOMATIC
    return world, commands


def record(path, world, commands, ticks=720, external=None):
    """Record a drive; returns the number of ticks with contact."""
    contact_ticks = 0
    with Recorder(path, world, "2026-01-01") as recorder:
        for tick in range(ticks):
            tick_external = external if tick % 100 == 50 else None
            assert world.step(commands, tick_external) is None
            contact_ticks += world.acted is not tick_external  # another array, to which contacts have been added
            recorder.record(commands, tick_external)
    return contact_ticks


@pytest.mark.parametrize("other", ["hatchback", "truck_trailer"])
def test_a_drive_with_contact_is_repeated_bit_for_bit(other, tmp_path):
    world, commands = pushing_world(other)
    external = np.zeros(len(world.vehicles), EXTERNAL)
    external["impulse"][:, 0] = 50.0
    path = tmp_path / "a.drive"
    assert record(path, world, commands, external=external) > 100
    report = verify(path)
    assert report.ok and report.ticks == 720 and report.snapshots == 1, report.text
    recording = Recording.open(path)
    assert recording.header["vehicle_contact"] is True
    assert state_at(recording, build_world(recording), 720).state_hash() == world.state_hash()


@pytest.mark.parametrize("contact", [True, False])
def test_the_header_tells_whether_vehicles_collide(contact, tmp_path):
    world, commands = pushing_world("hatchback", vehicle_contact=contact)
    path = tmp_path / "a.drive"
    assert (record(path, world, commands) > 0) == contact
    assert build_world(Recording.open(path)).vehicle_contact == contact
    assert verify(path).ok


def patch_header(monkeypatch, change):
    """Let recorders write another header."""
    original = writer.header_of

    def header_of(*arguments):
        header = original(*arguments)
        change(header)
        return json.loads(json.dumps(header))

    monkeypatch.setattr(writer, "header_of", header_of)


def test_vehicles_do_not_collide_in_a_recording_without_the_header_entry(tmp_path, monkeypatch):
    patch_header(monkeypatch, lambda header: header.pop("vehicle_contact"))
    world, commands = pushing_world("hatchback", vehicle_contact=False)
    path = tmp_path / "old.drive"
    impulses = np.zeros(2, EXTERNAL)
    impulses["impulse"] = [[0.0, -300.0, 0.0], [0.0, 300.0, 0.0]]  # as by Bullet in older programs
    record(path, world, commands, external=impulses)
    assert not build_world(Recording.open(path)).vehicle_contact
    assert verify(path).ok


def riding_world(**options):
    """(world, commands) of a lorry that will drive off with a braked car on its roof."""
    world = World(load_world("plane"), [load_vehicle("truck"), load_vehicle("roadster_simple")], **options)
    world.place(0, (0.0, 0.0), 0.0)
    world.place(1, (0.1, -1.4, 3.65), 0.0)
    commands = np.full(2, neutral_command()[0], COMMAND)
    commands["throttle"], commands["brake"], commands["gear"] = (0.3, 0.0), (0.0, 1.0), AUTOMATIC
    return world, commands


@pytest.mark.parametrize("wheels", [True, False])
def test_a_ride_on_a_lorry_is_repeated_bit_for_bit(wheels, tmp_path):
    world, commands = riding_world(wheels_on_vehicles=wheels)
    path = tmp_path / "a.drive"
    record(path, world, commands)
    recording = Recording.open(path)
    assert recording.header["wheels_on_vehicles"] is wheels
    assert verify(path).ok
    repeated = state_at(recording, build_world(recording), 720)
    assert repeated.wheels_on_vehicles is wheels and repeated.state_hash() == world.state_hash()
    assert (repeated.vehicles[1].state["tire"]["load"][0, :4].sum() > 5e3) == wheels


def test_wheels_do_not_stand_on_vehicles_in_a_recording_without_the_header_entry(tmp_path, monkeypatch):
    """Older programs with a window have stored the bodywork under wheels as external actions."""
    patch_header(monkeypatch, lambda header: header.pop("wheels_on_vehicles"))
    world, commands = riding_world(wheels_on_vehicles=False)
    path = tmp_path / "old.drive"
    decks = np.zeros(2, EXTERNAL)
    decks["moving_count"][1], decks["moving_orientation"][1, 3] = 1, 1.0
    decks["moving_position"][1, :3], decks["moving_half"][1, :3] = (0.0, 0.0, 2.0), (1.2, 4.0, 1.5)
    decks["moving_top"][1, :2] = -4.0, 4.0
    record(path, world, commands, external=decks)
    assert not build_world(Recording.open(path)).wheels_on_vehicles
    assert verify(path).ok


@pytest.mark.parametrize("value", [1, "yes"])
@pytest.mark.parametrize("key", ["vehicle_contact", "wheels_on_vehicles"])
def test_another_value_in_the_header_is_refused(key, value, tmp_path, monkeypatch):
    patch_header(monkeypatch, lambda header: header.update({key: value}))
    world, commands = pushing_world("hatchback")
    path = tmp_path / "odd.drive"
    record(path, world, commands, ticks=10)
    with pytest.raises(RecordingError, match=key):
        Recording.open(path)


@pytest.mark.parametrize("seconds", [0.4, 1.1])
def test_a_rewind_restores_the_earlier_snapshot(seconds):
    world, commands = pushing_world("hatchback")
    ring, snapshots = RewindRing(world), []
    for _ in range(720):
        snapshots.append(world.snapshot())
        assert world.step(commands) is None
        ring.record(commands)
    ring.rewind(seconds)
    assert world.snapshot()[8:] == snapshots[720 - round(240 * seconds)][8:]  # the first 8 bytes are the tick


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_snapshot_with_an_invalid_contact_impulse_is_refused(value):
    world, _ = pushing_world("hatchback")
    before = world.snapshot()
    world.between.memory["impulse"][3, 1] = value
    damaged = world.snapshot()
    world.restore(before)
    with pytest.raises(ValueError, match="contact"):
        world.restore(damaged)
    assert world.snapshot() == before


@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_a_what_if_rerun_with_unchanged_parameters_repeats_a_push(seconds):
    world, commands = pushing_world("hatchback")
    ring = RewindRing(world)
    for _ in range(720):
        assert world.step(commands) is None
        ring.record(commands)
    assert world.acted is not None
    for index in range(2):
        rerun = Rerun(world.vehicles[index], world)
        rerun.begin(ring.segment(seconds, index), rerun.parameters())
        while rerun.advance(1000):
            pass
        body, repeated = world.vehicles[index].state["body"], rerun.trajectory()[-1]
        assert repeated[VELOCITY].tolist() == body["velocity"][0].tolist()
