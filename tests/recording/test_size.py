"""Size of an hour of driving on disk."""

import numpy as np
import pytest

from driving_sandbox.physics.recording import Recorder, Recording, verify
from driving_sandbox.physics.recording import format as fmt
from driving_sandbox.physics.tick.commands import AUTOMATIC, COMMAND
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SECONDS = 20.0
# bytes per hour: 60 million of what is shipped are promised; the smaller ones have a tenth more than was measured
LARGEST = {"roadster": 36e6, "tank": 38e6, "truck_trailer": 44e6, "road_train": 60e6}
FRAME = 4  # ticks between two readings of a gamepad: 60 frames per second


def recorded(path, vehicle):
    """A recorded drive over hills with a gamepad: every frame has another throttle and steer."""
    world = World(load_world("proving_ground"), [load_vehicle(vehicle)])
    world.spawn("open_hills", world.trains[0].start)
    rng, command = np.random.default_rng(5), np.zeros(len(world.vehicles), COMMAND)
    command["gear"] = AUTOMATIC
    with Recorder(path, world, "2026-01-02T03:04:05") as recorder:
        for tick in range(round(SECONDS / world.tick_seconds)):
            if tick % FRAME == 0:
                command["throttle"][0] = np.clip(0.6 + 0.4 * np.sin(0.004 * tick) + 0.01 * rng.normal(), 0.0, 1.0)
                command["steer"][0] = np.clip(0.3 * np.sin(0.01 * tick) + 0.01 * rng.normal(), -1.0, 1.0)
            fault = world.step(command)
            recorder.record(command, None, fault is not None)
    return Recording.open(path)


def bytes_per_hour(recording):
    """Size of an hour of driving, of whose files of half an hour each has a header."""
    data = recording.path.read_bytes()
    _, _, header, _, _ = fmt.CHUNK.unpack_from(data, fmt.PREFIX.size)  # bytes of its text
    return (len(data) - header) * 3600.0 / recording.seconds + 2 * header


@pytest.mark.parametrize("vehicle", LARGEST)
def test_an_hour_of_driving_takes_at_most_sixty_megabytes(tmp_path, vehicle):
    recording = recorded(tmp_path / "a.drive", vehicle)
    assert recording.complete and verify(recording).ok
    assert 10e6 < bytes_per_hour(recording) < LARGEST[vehicle]  # much less would mean that the drive hardly varies
