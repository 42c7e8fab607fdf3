"""Cost of hull contact: a car sliding on its belly compared with the same car on its wheels.

Both move at 15 m/s over flat ground of 1 m cells, once a heightfield and once a mesh of random triangles, in ticks of
1/60 s with 3 substeps. For the belly slide the wheels are raised out of reach and the bodywork is frictionless, so that
the state is steady. Calls alternate; times are process times.
"""

import time
from typing import Any

import numpy as np

from driving_sandbox.benchmarks.sweep import RATE, SUBSTEPS, TURN
from driving_sandbox.physics.ground.ground import Ground, Heightfield
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World

SPEED = 15.0  # m/s
CELLS = 512  # cells of 1 m along each side of the ground
SETTLING_TICKS = 120  # ticks until the state is steady
TURNS = 20  # pairs of timed drives, whose median counts
AIM = 3.0  # largest ratio of the times, belly to wheels
WHEELS_UP = 1.5  # m by which the wheels of the sliding car are raised


def heightfield() -> Ground:
    """Flat Ground of CELLS x CELLS cells as a heightfield."""
    half = CELLS / 2.0
    heights = np.zeros((CELLS + 1, CELLS + 1), np.float32)
    return Ground(Heightfield(heights, np.zeros((CELLS, CELLS), np.uint8), (-half, -half), 1.0))


def random_mesh(length: int = 400, width: int = 16) -> Ground:
    """Flat Ground as a mesh of `length` x `width` cells of 1 m whose inner corners and diagonals are random.

    The origin is in the middle of its width, 20 m from its rear end.
    """
    rng = np.random.default_rng(4)
    x, y = np.meshgrid(np.arange(width + 1) - width / 2.0, np.arange(length + 1) - 20.0)
    points = np.stack([x, y, np.zeros_like(x)], axis=-1)
    points[1:-1, 1:-1, :2] += rng.uniform(-0.3, 0.3, (length - 1, width - 1, 2))
    corner = np.arange((length + 1) * (width + 1)).reshape(length + 1, width + 1)
    a, b, c, d = (part.ravel() for part in (corner[:-1, :-1], corner[:-1, 1:], corner[1:, :-1], corner[1:, 1:]))
    rising, falling = np.stack([a, b, d, a, d, c], axis=1), np.stack([a, b, c, b, d, c], axis=1)
    faces = np.where(rng.random(len(a))[:, None] < 0.5, rising, falling).reshape(-1, 3)
    return Ground(None, [Mesh("flat", points.reshape(-1, 3), faces, np.zeros(len(faces), np.int32))])


class _Car:
    """One of the two cars; repeats the same ticks from the same state."""

    def __init__(self, ground: Ground, belly: bool) -> None:
        vehicle = self.vehicle = load_vehicle("roadster_simple")
        if belly:
            names = vehicle.wheel_names
            lifted = {f"suspension.{w}.attachment": vehicle.get(f"suspension.{w}.attachment") for w in names}
            for attachment in lifted.values():
                attachment[2] += WHEELS_UP
            vehicle.set_many({**lifted, "contact.friction": 0.0, "contact.wheels_touch": False})
        world = self.world = World(ground, [vehicle], tick_seconds=1.0 / RATE, substeps=SUBSTEPS)
        world.place(0, (0.0, 0.0, 0.01 if belly else 0.6), 0.0)  # m: just above the ground, or falling onto its wheels
        vehicle.state["body"]["velocity"][0, 1] = SPEED
        vehicle.state["wheel"][0]["omega"] = SPEED / vehicle.params["wheel"][0]["radius"].clip(0.1)
        command = neutral_command()
        command["gear"] = NEUTRAL
        self.commands, self.external = np.repeat(command, TURN), np.zeros(TURN, EXTERNAL)
        for _ in range(SETTLING_TICKS):
            world.step(command)
        self.contacts = int(vehicle.state["contact"]["hull_contact_count"][0])
        self.start = world.snapshot()

    def tick_time(self) -> float:
        """Process time of a tick, s, as the mean of one drive."""
        vehicle, world = self.vehicle, self.world
        world.restore(self.start)
        ticks = min(TURN, int(250.0 / SPEED * RATE))  # at most 250 m, so that the car stays on the ground
        arguments = (
            vehicle.params, vehicle.state, vehicle.scratch, world.context, self.external[:ticks], self.commands[:ticks],
            world.tick_seconds, *world.ground.arrays,
        )  # fmt: skip
        start = time.process_time_ns()
        vehicle.sequence.run(*arguments)
        return (time.process_time_ns() - start) * 1e-9 / ticks


def measure() -> list[dict[str, Any]]:
    """Rows of figures."""
    rows = []
    for name, ground in (("heightfield", heightfield()), ("random triangles", random_mesh())):
        wheels, belly = _Car(ground, belly=False), _Car(ground, belly=True)
        times = np.array([(wheels.tick_time(), belly.tick_time()) for _ in range(TURNS)])
        rolling, sliding = (float(t) * 1e6 for t in np.median(times, axis=0))
        rows += [
            {"what": f"{name}, on its wheels", "value": rolling, "unit": "us", "note": f"{SUBSTEPS} substeps"},
            {"what": f"{name}, on its belly", "value": sliding, "unit": "us", "note": f"{belly.contacts} contacts"},
            {"what": f"{name}, belly / wheels", "value": sliding / rolling, "unit": "1", "note": f"aim: at most {AIM}"},
        ]
    return rows
