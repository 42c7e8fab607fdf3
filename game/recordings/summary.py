"""Summarises recordings, in a worker process because hundreds of files take a minute of processor time.

    python -m driving_sandbox.game.recordings.summary

Each line of standard input is a path as JSON; for each, a Summary is written to standard output as a line of JSON. Laps
are timed at the gates of the world as it was recorded.
"""

import json
import sys
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

import numpy as np

from driving_sandbox.lab.laps import laps_of
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.base.worker import Worker
from driving_sandbox.physics.recording.reader import Recording
from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml
from driving_sandbox.physics.world.timing import Track, read_timing

ROUTE_POINTS = 200  # points of the path in the preview
NICENESS = 5  # low priority: drawing comes first, although the user waits for the list


@dataclass
class Summary:
    """Summary of a recording.

    Attributes:
        seconds: length, s.
        created: ISO date and time.
        vehicles, world: names.
        marks: number of marks.
        best: {track: time of the first vehicle's best lap, s}, the track with most laps first.
        route: path of the first vehicle from above, [all x, all y], m.
        problem: why the recording cannot be read, or "".
    """

    seconds: float = 0.0
    created: str = ""
    vehicles: tuple = ()
    world: str = ""
    marks: int = 0
    best: dict = field(default_factory=dict)
    route: list = field(default_factory=list)
    problem: str = ""

    @property
    def best_lap(self) -> float | None:
        """Time of the best lap on the track with most laps, s, or None."""
        return next(iter(self.best.values()), None)


def summary_of(path: str) -> Summary:
    """The Summary of a recording file; its `problem` says why if the file cannot be read."""
    try:
        recording = Recording.open(path)
        times = np.linspace(0.0, recording.seconds, ROUTE_POINTS)
        poses = [recording.pose_at(time) for time in times] if recording.ticks else []  # None: damaged, without poses
        route = [pose.vehicles[0]["model_position"][:2] for pose in poses if pose is not None]
        best_laps = _best_laps(recording)
    except UserError as error:
        return Summary(problem=str(error))
    header = recording.header
    vehicles = tuple(str(vehicle.get("name", "?")) for vehicle in header["vehicles"])
    marks = sum(event["kind"] == "mark" for event in recording.events)
    world = header["world"].get("name") if isinstance(header["world"], dict) else None
    preview = np.round(np.array(route, dtype=float).reshape(-1, 2), 2).T.tolist()
    return Summary(
        recording.seconds, str(header.get("created", "")), vehicles, str(world or ""), marks, best_laps, preview
    )


def _best_laps(recording: Recording) -> dict[Any, Any]:
    """{track: time of the first vehicle's best lap, s}, the track with most laps first."""
    world = recording.header["world"]
    laps: dict[Any, list[float]] = {}
    text = world.get("text") if isinstance(world, dict) else None
    for lap in laps_of(recording, list(_tracks(text))) if isinstance(text, str) else ():
        laps.setdefault(lap.track, []).append(lap.time)
    return {track: min(laps[track]) for track in sorted(laps, key=lambda track: -len(laps[track]))}


@lru_cache(32)
def _tracks(text: str) -> tuple[Track, ...]:
    """Tracks of a world's text; cached because most recordings share a few worlds, and parsing one takes 0.1 s."""
    try:
        return tuple(read_timing(parse_yaml(text, "world.yaml")))
    except ConfigError:
        return ()


class SummaryReader:
    """Summarises recordings in a worker process, one after another; use it as a context manager."""

    def __init__(self) -> None:
        self._worker: _SummaryWorker | None = None  # started by the first `read`

    def read(self, path: str | Path) -> Summary:
        """The Summary of a recording file, which the call waits for.

        If the worker process dies, the Summary's `problem` says so, and the next file gets a new process.
        """
        if self._worker is None:
            self._worker = _SummaryWorker()
        self._worker.ask(str(path))
        line = self._worker.answers.get()
        if line is not None:
            return from_plain(json.loads(line))
        why, self._worker = self._worker.error, None
        return Summary(problem=f"{path}: was not read: {why}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        if self._worker is not None:
            self._worker.cancel()


class _SummaryWorker(Worker):
    """The worker process.

    Attributes:
        answers: queue of the lines that it writes; None when it has ended.
    """

    def __init__(self) -> None:
        self.answers: SimpleQueue[str | None] = SimpleQueue()
        super().__init__("driving_sandbox.game.recordings.summary", niceness=NICENESS)

    def _take(self, line: str) -> None:
        self.answers.put(line)

    def _ended(self) -> None:
        self.answers.put(None)


def from_plain(values: Any) -> Summary:
    """The Summary from the dictionary that `asdict` made of it. Raises TypeError or KeyError for anything else."""
    return Summary(**{**values, "vehicles": tuple(values["vehicles"])})


def main() -> None:
    """Run the worker process."""
    for line in sys.stdin:
        print(json.dumps(asdict(summary_of(json.loads(line)))), flush=True)


if __name__ == "__main__":
    main()
