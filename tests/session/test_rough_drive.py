"""Two reckless minutes over hills, ramps and into walls: nothing tunnels, nothing explodes, all of it verifies."""

import numpy as np
import pytest

from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording import verify
from driving_sandbox.physics.tick.commands import AUTOMATIC, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

SECONDS, FRAME = 120.0, 1.0 / 60.0
TURN_TICKS = 360  # how long the wheel is held one way
STUCK_FRAMES, STUCK_SPEED = 360, 1.0  # m/s; a car that a wall holds is put back on its wheels, as a driver would
DEEPEST = 0.6  # m; the model's origin dips below the terrain's height between its wheels on a crest, not more
FASTEST = 80.0  # m/s


class Reckless:
    """Full throttle, and the wheel held this way or that."""

    def __init__(self, gear, seed):
        self.command = neutral_command()
        self.command["throttle"], self.command["gear"], self.command["digital"] = 1.0, gear, 1
        self.random = np.random.default_rng(seed)

    def __call__(self, situation):
        if situation.tick % TURN_TICKS == 0:
            self.command["steer"] = self.random.choice([-0.25, -0.08, 0.0, 0.0, 0.0, 0.08, 0.25])
        return self.command


@pytest.mark.parametrize(("name", "spawn", "gear"), [
    ("roadster", "ramp_20", AUTOMATIC), ("hatchback", "start", AUTOMATIC), ("offroader", "hills", AUTOMATIC),
    ("buggy", "slope_20", 2),
])  # fmt: skip
def test_two_reckless_minutes(tmp_path, name, spawn, gear):
    world_file = load_world("proving_ground")
    vehicle = load_vehicle(name)
    world = World(world_file, [vehicle])
    world.spawn(spawn)
    start = np.array(vehicle.model_position())
    deepest = fastest = farthest = 0.0
    path = tmp_path / "reckless.drive"
    with Session(world, record=path) as session:
        driver = Reckless(gear, seed=3)
        for frame in range(int(SECONDS / FRAME)):
            session.step(FRAME, driver)
            x, y, z = vehicle.model_position()
            speed = float(np.linalg.norm(vehicle.state["body"]["velocity"][0]))
            ground = world.ground.height(x, y)
            if np.isfinite(ground):
                deepest = max(deepest, ground - z)
            fastest = max(fastest, speed)
            farthest = max(farthest, float(np.hypot(x - start[0], y - start[1])))
            if frame % STUCK_FRAMES == STUCK_FRAMES - 1 and speed < STUCK_SPEED:
                session.changes.recover()
        faults = [m.text for m in session.messages if m.level == "warning"]
    assert faults == []
    assert deepest < DEEPEST and fastest < FASTEST
    assert farthest > 30.0  # it has been somewhere
    report = verify(path)
    assert report.ok and report.ticks == world.tick, report.text
