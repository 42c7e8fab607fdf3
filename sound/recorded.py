"""Renders the soundtrack of a recording by simulating it again; the samples equal those of the recorded drive."""

import math
import time
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path

import numpy as np

from driving_sandbox.physics.recording.format import RecordingError
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.recording.signals import RecordedSignals
from driving_sandbox.physics.recording.verification import Difference, Resimulation, verify_ticks
from driving_sandbox.physics.recording.world import build_world
from driving_sandbox.sound.base.block import BLOCK_SECONDS
from driving_sandbox.sound.mixer import LOUDEST
from driving_sandbox.sound.soundtrack import Ghosts, Listener, Soundtrack

_FOREVER = 1e9  # s, instead of an infinite end, which has no block number
PROGRESS_SECONDS = 1.0  # s between two reports of the progress

Trust = Callable[[Path], bool]
Report = Callable[[float, float], None]


def recorded_blocks(
    recording: Recording,
    camera: str | Listener = "chase",
    span: tuple[float, float] = (0.0, inf),
    trust: Trust | None = None,
    report: Report | None = None,
    gain: float = LOUDEST,
    ghosts: Ghosts | None = None,
) -> Iterator[np.ndarray]:
    """Yield the blocks of samples of a recording, float64 [BLOCK, 2]; each is overwritten by the next.

    What is before the span is simulated and rendered too, so that a part sounds as it does in the whole.

    Args:
        camera, ghosts: as in Soundtrack.
        span: (start, end) of the blocks, s, rounded to whole blocks.
        trust: function(path) -> whether a Python component file may run; by default none may.
        report: called once a second with (share done, seconds left).
        gain: of the mixer; its limiter keeps the samples within -.891 and .891.
    Raises:
        RecordingError: it cannot be repeated, or comes out differently; ConfigError, WrongValue: as Soundtrack.
    """
    world = build_world(recording, trust)
    resimulation = Resimulation(recording, world, trust)
    first, end = (round(min(max(moment, 0.0), _FOREVER) / BLOCK_SECONDS) for moment in span)
    count = min(recording.ticks, math.ceil(end * BLOCK_SECONDS / recording.tick_seconds))
    progress = Progress(count, report)
    number = 0
    try:
        resimulation.apply_events(0)
        track = Soundtrack(world, camera, ghosts)
        track.scene.levels["master"] = gain
        for tick in _repeated(recording, resimulation, track, count):
            for block in track.blocks():
                if first <= number < end:
                    yield block
                number += 1
            progress.at(tick + 1)
    except Difference as error:
        raise RecordingError(f"{recording.path}: cannot be repeated: tick {error.tick}: {error}") from None


def _repeated(recording: Recording, resimulation: Resimulation, track: Soundtrack, count: int) -> Iterator[int]:
    """Simulate the first `count` ticks and add each to the soundtrack; yields its number after that."""
    # a swap leaves the vehicle where it is, and the listener with it
    jumps = {event["tick"] for event in recording.events if event["kind"] == "jump" and event.get("reason") != "swap"}
    signals = RecordedSignals(recording.events)
    for tick in range(count):
        track.horn, turn = signals.at(tick)
        track.indicator = turn != 0
        rows = recording.rows(tick, tick + 1)
        verify_ticks(recording, resimulation, rows, first=tick, expected={}, stepped=track.add)
        if tick + 1 in jumps:
            track.jump()
        yield tick


class Progress:
    """Reports how much of a number of ticks is done, once a second. report: see `recorded_blocks`."""

    def __init__(self, count: int, report: Report | None) -> None:
        self._count, self._report = count, report
        self._start = self._last = time.monotonic()

    def at(self, tick: int) -> None:
        """Report after this tick if it is time to."""
        now = time.monotonic()
        if self._report is not None and now - self._last >= PROGRESS_SECONDS:
            self._last, share = now, tick / self._count
            self._report(share, (now - self._start) * (1.0 - share) / share)
