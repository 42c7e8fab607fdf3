"""FRAMEs of a ghost, from the poses and commands of a recording, against those of the drive itself."""

import numpy as np
import pytest

from driving_sandbox.physics.recording import Recorder, Recording
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.gather import Gatherer
from driving_sandbox.sound.ghost_frames import ghost_frames

TICKS = 1920  # 8 s
CREATED = "2026-01-02T03:04:05"
TOLERANCES = {  # {field: mean difference / rms of the drive's values}
    "engine_speed": 0.01,
    "throttle": 0.1,
    "load": 0.25,
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
    gatherer, frames = Gatherer(world.vehicles[0], world), np.zeros(TICKS, FRAME)
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
    ghost = ghost_frames(recording, 0, recording.poses()[0], 0.0, surfaces)
    frames = np.zeros(TICKS, FRAME)
    for tick, words in enumerate(frames.view(np.float64).reshape(TICKS, -1)):
        ghost.fill(words, (tick + 1) * recording.tick_seconds)
    return frames


@pytest.mark.parametrize("name", ["mx5_na", "buggy", "planar_roadster"])
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
