"""FRAMEs of a ghost, from the poses and commands of a recording, against those of the drive itself."""

import numpy as np
import pytest

from driving_sandbox.physics.recording import Recorder, Recording
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.gather import Gatherer
from driving_sandbox.sound.ghost_frames import GhostFrames, ghost_frames
from driving_sandbox.sound.vehicle_sound import sound_of

TICKS = 1920  # 8 s
CREATED = "2026-01-02T03:04:05"
TOLERANCES = {  # {field: mean difference / rms of the drive's values}
    "engine_speed": 0.01,
    "crank_angle": 0.001,
    "throttle": 0.1,
    "load": 0.06,
    "filling": 0.02,
    "boost": 0.06,
    "gear_torque": 0.1,
    "position": 1e-4,
    "velocity": 0.01,
    "forward": 0.01,
    "air_speed": 0.01,
    "wheel_speed": 0.1,
    "wheel_load": 0.02,
    "slip_speed": 0.2,
    "brake": 0.05,
    "gear": 0.02,
}


def drive(name, path):
    """(Recording, FRAME [ticks]) of a vehicle: full throttle, a turn, then the brake."""
    world = World(load_world("plane"), [load_vehicle(name)])
    world.spawn()
    sound, frames = sound_of(world.vehicles[0]), np.zeros(TICKS, FRAME)
    gatherer = Gatherer(world.vehicles[0], world, sound.assumed_boost, sound.usual_torque)
    recorder, command = Recorder(path, world, CREATED), neutral_command()
    command["gear"] = AUTOMATIC
    for tick in range(TICKS):
        command["throttle"], command["brake"] = 120 < tick < 1400, tick > 1600
        command["steer"] = 0.3 * (900 < tick < 1500)
        world.step(command)
        recorder.record(command)
        gatherer.gather(frames[tick])
    recorder.close()
    return Recording.open(path), frames


def frames_of(recording, surfaces=None):
    """FRAME [ticks] of the ghost of a recording."""
    return filled(ghost_frames(recording, 0, recording.poses()[0], 0.0, surfaces), recording)


def filled(ghost, recording):
    """FRAME [ticks] of GhostFrames of a whole recording."""
    frames = np.zeros(recording.ticks, FRAME)
    for tick, words in enumerate(frames.view(np.float64).reshape(len(frames), -1)):
        ghost.fill(words, (tick + 1) * recording.tick_seconds, tick * recording.tick_seconds)
    return frames


@pytest.mark.parametrize("name", ["mx5_na", "buggy", "planar_roadster", "golf_gti_mk7"])
def test_a_ghost_has_the_frames_of_its_drive(tmp_path, name):
    recording, drive_frames = drive(name, tmp_path / "a.drive")
    ghost = frames_of(recording)
    wheels = slice(int(drive_frames["wheel_count"][0]))
    for field, tolerance in TOLERANCES.items():
        expected, found = drive_frames[field].astype(float), ghost[field].astype(float)
        if field.startswith(("wheel", "slip")):
            expected, found = expected[:, wheels], found[:, wheels]
        difference = np.abs(found - expected).mean()
        assert difference <= tolerance * np.sqrt(np.mean(expected**2)) + 1e-12, field
    assert ghost["wheel_count"].tolist() == drive_frames["wheel_count"].tolist()
    assert not ghost["impact"].any() and not ghost["attenuation"].any()


def test_a_ghost_drives_on_the_ground_of_its_world(tmp_path):
    recording, drive_frames = drive("mx5_na", tmp_path / "a.drive")
    ghost = frames_of(recording, load_world("plane").surfaces)
    assert (ghost["surface"] == drive_frames["surface"])[100:, :4].all()


def test_a_vehicle_that_cannot_be_rebuilt_is_not_heard(tmp_path):
    recording, _ = drive("mx5_na", tmp_path / "a.drive")
    recording.header["vehicles"][0]["config"] = "no: vehicle"
    assert ghost_frames(recording, 0, recording.poses()[0], 0.0) is None


def test_a_recording_without_torques_is_heard_by_its_throttle(tmp_path):
    recording, drive_frames = drive("mx5_na", tmp_path / "a.drive")
    times, _, vehicles = recording.poses()
    added = {"engine_torque", "clutch_torque", "boost", "engine_throttle", "contact_rise", "contact_impulse"}
    poses = {name: values for name, values in vehicles[0].items() if name not in added}
    assert len(vehicles[0]) - len(poses) >= 5
    ticks = np.clip(np.rint(times / recording.tick_seconds).astype(int) - 1, 0, recording.ticks - 1)
    ghost = filled(GhostFrames(load_vehicle("mx5_na"), times, poses, recording.commands()[ticks, 0]), recording)
    for field, tolerance in (("load", 0.25), ("filling", 0.02)):
        rms = np.sqrt(np.mean(drive_frames[field] ** 2))
        assert np.abs(ghost[field] - drive_frames[field]).mean() < tolerance * rms, field
    assert not ghost["impact"].any() and not ghost["scrape_force"].any()


# ---- impacts and scrapes


def crash(path):
    """(Recording, FRAME [ticks]) of a roadster that falls on its roof at 10 m/s and slides on, and is then pushed."""
    world = World(load_world("plane"), [load_vehicle("roadster_simple")])
    world.place(0, (0.0, 0.0), 0.0)
    body = world.vehicles[0].state["body"]
    body["position"][0, 2], body["orientation"], body["velocity"] = 1.5, (0.0, 1.0, 0.0, 0.0), (0.0, 10.0, 0.0)
    gatherer, frames = Gatherer(world.vehicles[0], world), np.zeros(480, FRAME)
    with Recorder(path, world, CREATED) as recorder:
        for tick in range(len(frames)):
            external = np.zeros(1, EXTERNAL)
            external["impulse"][0, 0] = 2000.0 * (tick == 400)  # N s
            world.step(neutral_command(), external)
            recorder.record(neutral_command(), external)
            gatherer.gather(frames[tick])
    return Recording.open(path), frames


def test_a_ghost_has_the_impacts_and_scrapes_of_its_drive(tmp_path):
    recording, drive_frames = crash(tmp_path / "a.drive")
    ghost = frames_of(recording)
    for ticks in (slice(0, 240), slice(380, 440)):
        expected, found = drive_frames["impact"][ticks], ghost["impact"][ticks]
        assert found.max() == pytest.approx(expected.max(), rel=1e-3) and expected.max() > 500.0
        assert 0 <= np.argmax(found) - np.argmax(expected) <= 4  # ticks: a pose
        assert np.count_nonzero(found == found.max()) == 1
    scraped = slice(120, 360)
    for field, tolerance in (("scrape_force", 0.05), ("scrape_speed", 0.3)):
        expected = drive_frames[field][scraped].mean()
        assert ghost[field][scraped].mean() == pytest.approx(expected, rel=tolerance) and expected > 1.0


def test_an_impact_that_is_passed_over_is_not_heard(tmp_path):
    recording, _ = crash(tmp_path / "a.drive")
    ghost, frame = ghost_frames(recording, 0, recording.poses()[0], 0.0), np.zeros(1, FRAME)
    for before, time in ((None, 1.9), (0.0, 1.9), (1.9, 1.9), (1.9, 0.5)):
        ghost.fill(frame.view(np.float64), time, before)
        assert frame["impact"][0] == 0.0
