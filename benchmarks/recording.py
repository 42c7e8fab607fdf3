"""Cost of recording per frame of the program, and latency of opening and seeking in a recording.

A frame is 1/60 s of an AI-driven roadster: four ticks. Rounds with and without a recorder alternate; each
figure is from the shortest of several rounds, as noise only adds time. The times of frames are CPU times.
"""

import shutil
import tempfile
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any

import numpy as np

from driving_sandbox.game.session.drivers import make_driver
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording import Recording, build_world
from driving_sandbox.physics.recording.verification import Resimulation
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

ROUNDS = 7  # of each session
FRAMES = 240  # frames of a round
WARM_UP = 60  # frames before the first round
SECONDS = 60.0  # s, length of the drive that is opened
MOMENTS = 25  # random times that are sought in the drive


def measure() -> list[dict[str, Any]]:
    """Rows of figures: dicts with the keys what, value, unit and note."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        with _drive(None) as alone, _drive(folder / "a.drive") as recorded:
            drivers = {session: make_driver("ai", session.vehicle, session.world.file) for session in (alone, recorded)}
            # times of each round
            frames: dict[Session, list[tuple[float, float]]] = {session: [] for session in drivers}
            for session, driver in drivers.items():
                _frames(session, driver, WARM_UP)
            for _ in range(ROUNDS):
                for session, driver in drivers.items():
                    frames[session].append(_frames(session, driver, FRAMES))
            # shortest times per frame, s: (of the main thread, of all threads)
            (without, all_without), (recording, all_recording) = (
                map(min, zip(*frames[session], strict=True)) for session in (alone, recorded)
            )
            while recorded.world.time < SECONDS:
                recorded.step(1.0 / 60.0, drivers[recorded])
        return [
            {"what": "frame of a session, not recorded", "value": without * 1e3, "unit": "ms", "note": "four ticks"},
            {
                "what": "recording a frame",
                "value": (recording - without) * 1e3,
                "unit": "ms",
                "note": "aim: at most 0.2",
            },
            {
                "what": "the same with the writing thread",
                "value": (all_recording - all_without) * 1e3,
                "unit": "ms",
                "note": "packs and writes once in half a second",
            },
            *_opening(folder / "a.drive"),
        ]
    finally:
        shutil.rmtree(folder)


def _drive(record: Path | None) -> Session:
    """A Session on the handling course that records to the file `record`, or not at all (None)."""
    world_file, vehicle = load_world("proving_ground"), load_vehicle("roadster_simple")
    world = World(world_file, [vehicle])
    world.spawn("course")
    return Session(world, record=record)


def _frames(session: Session, driver: Any, count: int) -> tuple[float, float]:
    """(CPU time of this thread, CPU time of all threads) per frame, s."""
    before, all_before = thread_time(), process_time()
    for _ in range(count):
        session.step(1.0 / 60.0, driver)
    return (thread_time() - before) / count, (process_time() - all_before) / count


def _opening(path: Path) -> list[dict[str, Any]]:
    """Rows: time to open a minute of recording, and to seek in it."""
    began = perf_counter()
    recording = Recording.open(path, check=False)
    opened = perf_counter() - began
    resimulation = Resimulation(recording, build_world(recording))
    times = []
    for tick in np.random.default_rng(0).integers(recording.ticks, size=MOMENTS).tolist():
        began = perf_counter()
        resimulation.go_to(tick)
        recording.pose_at(tick * recording.tick_seconds)
        times.append(perf_counter() - began)
    note = f"of {recording.seconds:.0f} s"
    return [
        {"what": "opening a recording", "value": opened * 1e3, "unit": "ms", "note": note},
        # without the first one, a warm-up
        {
            "what": "going to a moment, the longest",
            "value": max(times[1:]) * 1e3,
            "unit": "ms",
            "note": "aim: at most 100",
        },
    ]
