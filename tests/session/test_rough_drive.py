"""Two reckless minutes over hills, ramps and into walls.

No car sinks through the terrain or passes a wall or ramp, no speed diverges, and the recording is repeated bit for bit.
"""

import numpy as np
import pytest

from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording import verify
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SECONDS, FRAME = 120.0, 1.0 / 60.0  # s
TURN_TICKS = 360  # ticks (1.5 s) between turns of the steering wheel
CHECK_FRAMES = 360  # frames between checks whether the car is stuck; it is then recovered, as a driver would do
STUCK_SPEED = 1.0  # m/s
MAX_DEPTH = 0.6  # m; on a crest the terrain between the wheels may be this much above the model's origin
MAX_SPEED = 80.0  # m/s


class Reckless:
    """Driver with full throttle who turns the steering wheel to a random angle every TURN_TICKS."""

    def __init__(self, gear, seed):
        self.command = neutral_command()
        self.command["throttle"], self.command["gear"], self.command["digital"] = 1.0, gear, 1
        self.random = np.random.default_rng(seed)

    def __call__(self, situation):
        if situation.tick % TURN_TICKS == 0:
            self.command["steer"] = self.random.choice([-0.25, -0.08, 0.0, 0.0, 0.0, 0.08, 0.25])
        return self.command


def passes_a_mesh(ground, start, end):
    """Whether the segment between two positions enters a wall, ramp or other mesh; the terrain does not count."""
    offset = np.subtract(end, start)
    length = float(np.linalg.norm(offset))
    if length == 0.0:
        return False
    hit, distance, _, _ = ground.cast(tuple(start), tuple(offset / length), length)
    x, y, z = np.add(start, offset * distance / length)
    return bool(hit and z - ground.height(x, y) > 0.05)


def test_passing_a_wall_is_noticed():
    ground = load_world("proving_ground").ground()
    beside, behind = (30.0, -88.0, 0.7), (30.0, -95.0, 0.7)  # a wall is between them, at y = -89.5 m
    assert passes_a_mesh(ground, beside, behind) and passes_a_mesh(ground, behind, beside)
    assert not passes_a_mesh(ground, (30.0, -85.0, 0.7), beside)
    assert not passes_a_mesh(ground, (30.0, -85.0, 0.7), (30.0, -85.0, -0.7))  # into the terrain


@pytest.mark.parametrize(("name", "spawn", "gear"), [
    ("roadster", "ramp_20", AUTOMATIC), ("hatchback", "start", AUTOMATIC), ("offroader", "hills", AUTOMATIC),
    ("buggy", "slope_20", 2),
])  # fmt: skip
def test_two_reckless_minutes_cause_no_fault(tmp_path, name, spawn, gear):
    world_file = load_world("proving_ground")
    vehicle = load_vehicle(name)
    world = World(world_file, [vehicle])
    world.spawn(spawn)
    start = np.array(vehicle.model_position())
    deepest = fastest = farthest = 0.0
    body, before, passed = vehicle.state["body"], None, []
    path = tmp_path / "reckless.drive"
    with Session(world, record=path) as session:
        driver = Reckless(gear, seed=3)
        for frame in range(int(SECONDS / FRAME)):
            session.step(FRAME, driver)
            x, y, z = vehicle.model_position()
            speed = float(np.linalg.norm(body["velocity"][0]))
            ground_height = world.ground.height(x, y)
            if np.isfinite(ground_height):
                deepest = max(deepest, ground_height - z)
            centre = np.array(body["position"][0])
            if before is not None and passes_a_mesh(world.ground, before, centre):
                passed.append((round(frame * FRAME, 2), before.round(2).tolist(), centre.round(2).tolist()))
            before = centre
            fastest = max(fastest, speed)
            farthest = max(farthest, float(np.hypot(x - start[0], y - start[1])))
            if frame % CHECK_FRAMES == CHECK_FRAMES - 1 and speed < STUCK_SPEED:
                session.changes.recover()
                before = None
        warnings = [m.text for m in session.messages if m.level == "warning"]
    assert warnings == []
    assert deepest < MAX_DEPTH and fastest < MAX_SPEED and not passed
    assert farthest > 30.0  # it did not stay at its start
    report = verify(path)
    assert report.ok and report.ticks == world.tick, report.text
