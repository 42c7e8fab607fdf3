"""Processor time of the sound of one and of eight cars, compared with OpenAL, which plays a loop for each of our buses.

The share of a core is processor time divided by the duration of the sound. All frames have the same made-up values: a
car at nearly full power, all its parts at work. The vehicles drive on past the listener; the fastest round counts.

`gather` is what the program's own thread does for the sound after every tick (sound/heard.py): from the state of the
world's vehicles to their frames. Aims: MOST_ONE for a car and MOST_EIGHT for eight that slide, gathering included.
"""

import time
from typing import Any

import numpy as np

from driving_sandbox.benchmarks import loops
from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import BLOCK_SECONDS, BUS_COUNT
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.follower import Follower
from driving_sandbox.sound.heard import HeardVehicles
from driving_sandbox.sound.scene import SCENE_ARRAYS, Scene, render_scene
from driving_sandbox.sound.space.listener import LISTENER
from driving_sandbox.sound.vehicle_sound import VehicleSound, sound_of
from driving_sandbox.sound.voices import VOICES, render_voices

VEHICLE = "roadster"
BLOCKS = 240 if JIT else 2  # of a round: 0.2 s of sound
ROUNDS = 12  # rounds timed; the fastest counts
SPEED = 25.0  # m/s, of the cars
TICKS = 240 if JIT else 2  # of a round of gathering: 1 s
MOST_ONE, MOST_EIGHT = 6.0, 15.0  # %, of a core
DRIVING = {  # values of a FRAME, in SI units
    "engine_speed": 450.0, "throttle": 0.9, "load": 0.9, "boost": 0.4, "gear_speed": 450.0, "shaft_speed": 250.0,
    "gear_torque": 150.0, "air_speed": SPEED, "forward": (0.0, 1.0, 0.0), "velocity": (0.0, SPEED, 0.0),
    "wheel_speed": SPEED, "slip_speed": 0.1, "wheel_load": 3500.0, "used_friction": 0.4, "burning": 1, "gear": 3,
    "wheel_count": 4,
}  # fmt: skip
SLIDING = {**DRIVING, "slip_speed": 5.0, "used_friction": 0.98, "wheel_speed": 15.0}


@kernel
def _render(count: int, buses: Any, parameters: Any, voices: Any, spaces: Any, state: Any, levels: Any, samples: Any,
            before: Any, after: Any, listener: Any) -> None:  # fmt: skip
    """Render blocks of a scene whose vehicles drive on at their velocity."""
    for _ in range(count):
        for vehicle in range(len(after)):
            before[vehicle] = after[vehicle]
            for k in range(3):
                after[vehicle].position[k] += after[vehicle].velocity[k] * BLOCK_SECONDS
        render_scene(buses, parameters, voices, spaces, state, levels, samples, before, after, listener)


@kernel
def _voice(count: int, buses: Any, parameters: Any, voices: Any, before: Any, after: Any) -> None:
    """Render blocks of the voices of a scene's first vehicle alone."""
    for _ in range(count):
        render_voices(buses[0], parameters[0], voices[0], before[0], after[0])


class _Drive:
    """A scene of equal vehicles with the same values in all frames."""

    def __init__(self, sound: VehicleSound, values: dict[str, Any], count: int = 1) -> None:
        scene = Scene(np.array([sound.parameters] * count), np.array([sound.emitters] * count))
        self.arrays = [scene.arrays[name] for name in SCENE_ARRAYS]
        self.parameters = scene.arrays["parameters"]
        self.before, self.listener = np.zeros(count, FRAME), np.zeros(1, LISTENER)
        for name, value in values.items():
            self.before[name] = value
        self.before["position"][:, 0] = 4.0 + 3.0 * np.arange(count)
        self.before["position"][:, 1] = -0.5 * SPEED * ROUNDS * BLOCKS * BLOCK_SECONDS
        self.after = self.before.copy()
        self.listener["right"] = (1.0, 0.0, 0.0)

    def share(self) -> float:
        """Share of a core of the whole scene."""
        return _least(lambda count: _render(count, *self.arrays, self.before, self.after, self.listener))

    def voices_share(self) -> float:
        """Share of a core of the first vehicle's voices that are present."""
        buses, parameters, voices = self.arrays[:3]
        return _least(lambda count: _voice(count, buses, parameters, voices, self.before, self.after))


def _least(render: Any) -> float:
    """Least share of a core of a round of blocks; render(count) renders that many."""
    render(1)
    render(BLOCKS)  # all voices have started
    seconds = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        render(BLOCKS)
        seconds.append(time.thread_time() - start)
    return min(seconds) / (BLOCKS * BLOCK_SECONDS)


def gather_share(count: int) -> float:
    """Share of a core of gathering from a number of cars that move."""
    world = World(load_world("plane"), [load_vehicle(VEHICLE) for _ in range(count)])
    for index in range(count):
        world.place(index, (4.0 * index, 0.0), 0.0)
    world.step(neutral_command(count))
    for vehicle in world.vehicles:
        vehicle.state["body"]["velocity"] = (0.0, SPEED, 0.0)
    vehicles, follower = HeardVehicles(world), Follower(world)
    frames = np.zeros(vehicles.count, FRAME)

    def gather(ticks: int) -> None:
        for _ in range(ticks):
            vehicles.has_changed()
            vehicles.gather(frames)
            follower.listen()

    gather(TICKS)
    seconds = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        gather(TICKS)
        seconds.append(time.thread_time() - start)
    return min(seconds) / (TICKS * world.tick_seconds)


def voice_shares(sound: VehicleSound, values: dict[str, Any]) -> dict[str, float]:
    """{voice: share of a core} of every voice that a vehicle has."""
    shares = {}
    for name in VOICES:
        if sound.parameters["present"][name]:
            drive = _Drive(sound, values)
            drive.parameters["present"] = np.zeros((), drive.parameters["present"].dtype)
            drive.parameters["present"][name] = 1
            shares[name] = drive.voices_share()
    return shares


def measure() -> list[dict[str, Any]]:
    """Rows of figures: one car, eight cars, gathering, their ratio to OpenAL's loops, and each voice."""
    sound = sound_of(load_vehicle(VEHICLE))
    one, eight = _Drive(sound, DRIVING).share(), _Drive(sound, SLIDING, 8).share()
    gather_one, gather_eight = gather_share(1), gather_share(8)
    rows = [
        _row("one car", one, "of a core, driving"),
        _row("gather, one car", gather_one, f"with the row above {100.0 * (one + gather_one):.2f} %, aim {MOST_ONE} %"),
        _row("eight cars", eight, "of a core, all sliding"),
        _row(
            "gather, eight cars",
            gather_eight,
            f"with the row above {100.0 * (eight + gather_eight):.2f} %, aim {MOST_EIGHT} %",
        ),
        *_openal_rows(one, eight),
    ]
    driving, sliding = voice_shares(sound, DRIVING), voice_shares(sound, SLIDING)
    for name, share in sorted(driving.items(), key=lambda item: -item[1]):
        rows.append(_row(f"voice {name}", share, f"sliding {100.0 * sliding[name]:.3f} %"))
    return rows


def _openal_rows(one: float, eight: float) -> list[dict[str, Any]]:
    """Rows of OpenAL; where it is missing, one that says so. `one`, `eight`: shares of a core of our cars."""
    openal = loops.shares(0, BUS_COUNT, 8 * BUS_COUNT)
    if openal is None:
        return [{"what": "OpenAL", "value": 0.0, "unit": "", "note": "not available: no comparison"}]
    idle, few, many = openal
    rows = []
    for what, ours, peer, count in (("one car", one, few, BUS_COUNT), ("eight cars", eight, many, 8 * BUS_COUNT)):
        share = max(peer - idle, 1e-6)
        rows.append(_row(f"OpenAL, {count} loops", peer, f"of a core; {100.0 * idle:.3f} % without any"))
        note = "processor time, divided by that of the loops, which play a file"
        rows.append({"what": f"{what} / loops", "value": ours / share, "unit": "1", "note": note})
    return rows


def _row(what: str, share: float, note: str) -> dict[str, Any]:
    return {"what": what, "value": 100.0 * share, "unit": "%", "note": note}
