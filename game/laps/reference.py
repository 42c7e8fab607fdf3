"""Laps that are plotted together with the present one: their list, the choice among them, and reading them.

A lap is read from its recording by a worker process (game/laps/traces.py). The best lap of each track and car is stored
in the user folder and replaced after a faster one, whether anything is plotted or not.
"""

import logging
import math
import re
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from driving_sandbox.game.laps.log import LapLog
from driving_sandbox.game.laps.traces import Request, TraceWorker
from driving_sandbox.game.platform.error_message import message_of
from driving_sandbox.lab.laps import LapError, LapTrace, Ruler, laps_of
from driving_sandbox.lab.timing import Lap, clock_text
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.vehicle.swap import component_files

BEST, PREVIOUS = "best", "previous"  # keys of Sources
LIST_INTERVAL = 0.5  # s for which a list of laps is valid
MISSED = 0.2  # s, longer than a frame; after a longer gap, with closed plots, missed samples come from the state log
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Source:
    """A lap that can be chosen.

    Attributes:
        key: identifies the lap among those of its track: BEST, PREVIOUS or its origin.
        name: shown to the user.
        track: name of the track, or None.
        origin: (path, start in s, end in s, vehicle's index) in a recording, or the Path of a LapTrace.
    """

    key: object
    name: str
    track: str | None
    origin: Any


@dataclass(frozen=True)
class Overlay:
    """A chosen lap with the distance of each of its samples along the ruler, [n], m."""

    name: str
    trace: LapTrace
    distances: np.ndarray


@dataclass(frozen=True)
class WholeLap:
    """A complete lap of a replay, `seconds` after its start; `distances`: of each sample along the ruler, [n], m."""

    trace: LapTrace
    distances: np.ndarray
    seconds: float

    times = property(lambda self: self.trace.times)

    def values(self, name: str) -> np.ndarray | None:
        """The samples of a channel, [n], or None if there are none."""
        return self.trace.channels.get(name)


class Laps:
    """The chosen laps, read and measured along one ruler; base class of DriveLaps and ReplayLaps.

    Args:
        tracks: tracks of the world.
        world: name of the world, under which best laps are stored.
        car: name of the car, under which best laps are stored.
        ghosts: game.experiments.ghosts.Ghosts or ReplayGhosts.
        best_folder: folder of the best laps.
        folder: folder of recordings from which laps can be chosen, or None.
    Attributes:
        chosen: keys of the chosen Sources, in the order of choice.
        overlays: Overlays of the present track that are ready.
        current: the present lap (with `times`, `distances`, `values(name)` and `seconds`), or None.
        ruler: Ruler along the first chosen lap, or None.
        problem: why the last lap could not be read, or "".
    """

    def __init__(
        self, tracks: Sequence[Any], world: str, car: str, ghosts: Any, best_folder: Path | str,
        folder: Path | str | None = None,
    ) -> None:  # fmt: skip
        self.tracks = {track.name: track for track in tracks}
        self.chosen, self.overlays = list[Any]([BEST]), list[Overlay]()
        self.current: Any = None
        self.ruler: Ruler | None = None
        self.problem, self.folder = "", folder and Path(folder)
        self._ghosts, self._best_folder, self._names = ghosts, Path(best_folder), (world, car)
        self._traces, self._workers = dict[Any, LapTrace | None](), dict[Any, TraceWorker]()  # {origin: ...}
        self._loading, self._files = set[Path](), list[Source]()  # origins; Sources of the recordings that were opened
        self._opened: list[tuple[Path, list[Lap], str]] = []  # (path, laps, error) from threads
        self._sources, self._listed = list[Source](), -LIST_INTERVAL  # the latest list, and its time in s
        self._overlay_job: tuple = ()  # what the overlays measured last depend on, see `_overlay`
        self._overlay_result: Any = None  # (job, ruler, overlays, distances of the present lap) from a thread
        self._scratch, self._read_count = tempfile.TemporaryDirectory(prefix="laps-"), 0  # for traces; number of them

    @property
    def reading(self) -> bool:
        """Whether laps are being read."""
        return bool(self._workers or self._loading)

    def sources(self) -> list[Source]:
        """All Sources, as listed at most LIST_INTERVAL ago."""
        if monotonic() - self._listed > LIST_INTERVAL:
            self._listed = monotonic()
            self._sources = self._list()
            listed = {source.origin for source in self._sources}
            for origin in [origin for origin in self._traces if origin not in listed]:
                del self._traces[origin]  # a trace takes 13 MB for two minutes
        return self._sources

    def _list(self) -> list[Source]:
        """All Sources at this moment."""
        sources = []
        for track in self.tracks:
            path = self.path_of_best(track)
            if path.is_file():
                trace = self._traces.get(path)
                sources.append(Source(BEST, f"best {clock_text(trace.seconds)}" if trace else "best", track, path))
        for ghost in self._ghosts.running:
            origin = ghost.drive.origin
            if origin is not None:
                sources.append(Source(origin, f"ghost {ghost.drive.name}", ghost.drive.track, origin))
        return sources + self._files

    def path_of_best(self, track: str) -> Path:
        """Path of the stored best lap of a track."""
        world, car, track = (re.sub(r"[^\w.-]+", "_", word) for word in (*self._names, track))
        return self._best_folder / world / f"{car}-{track}.npz"

    def choose(self, key: Any, wanted: bool = True) -> None:
        """Add a lap to the chosen ones, or remove it if `wanted` is False."""
        self.chosen = [other for other in self.chosen if other != key] + ([key] if wanted else [])
        self._listed = -LIST_INTERVAL

    def open(self, path: Path | str) -> None:
        """Search a recording for laps in a thread; `step` then chooses the fastest."""

        def work() -> None:
            try:
                self._opened.append((Path(path), laps_of(Recording.open(path), list(self.tracks.values())), ""))
            except Exception as error:  # whatever it is: the user waits for the end
                self._opened.append((Path(path), [], message_of(error)))

        threading.Thread(target=work, name="looking for laps", daemon=True).start()

    def _take_opened(self) -> None:
        """Add the laps of recordings that threads have opened, and choose the fastest of each."""
        while self._opened:
            path, laps, self.problem = self._opened.pop(0)
            if not laps:
                self.problem = self.problem or f"{path.name}: has no lap of this world"
                continue
            listed_keys = {source.key for source in self._files}
            new = laps_as_sources(path, laps, f"{path.stem}, lap")
            self._files += [source for source in new if source.key not in listed_keys]
            self.choose(origin_of(path, min(laps, key=lambda lap: lap.time)))

    def trace(self, source: Source) -> LapTrace | None:
        """The LapTrace of a Source, which the first call begins to read; None until then, and if it cannot be read."""
        origin = source.origin
        if origin not in self._traces and origin not in self._workers and origin not in self._loading:
            if isinstance(origin, Path):
                self._loading.add(origin)
                threading.Thread(target=self._load, args=(origin,), name="loading a lap", daemon=True).start()
            else:
                self._read_count += 1
                self._read(source, Path(self._scratch.name) / f"{self._read_count}.npz")
        return self._traces.get(origin)

    def _load(self, path: Path) -> None:
        """Load a stored LapTrace, in a thread."""
        try:
            self._traces[path] = LapTrace.load(path)
        except Exception as error:  # whatever it is: else the lap would be read for ever
            self._traces[path], self.problem = None, message_of(error)
        self._loading.discard(path)
        self._listed = -LIST_INTERVAL  # list anew: the name of the lap now contains its time

    def _read(self, source: Source, trace_path: Path) -> None:
        """Start a worker that reads a Source from its recording and writes its LapTrace to `trace_path`."""
        path, start, end, index = source.origin
        request = Request(str(path), start, end, source.name, source.track, str(trace_path), index, self._trusted())
        self._workers[source.origin] = TraceWorker(request)

    def _trusted(self) -> tuple[str, ...]:
        """Paths of Python files of components that are allowed to run."""
        return ()

    def step(self) -> None:
        """Take the laps that workers and threads have read. Call once a frame."""
        if self._opened:
            self._take_opened()
        for origin, worker in list(self._workers.items()):
            if worker.done:
                del self._workers[origin]
                trace_path = Path(worker.request.out)
                self._traces[origin] = self._traces[trace_path] = worker.trace  # a best lap's origin is its file's path
                if trace_path.is_relative_to(self._scratch.name):
                    trace_path.unlink(missing_ok=True)
                self.problem = worker.error or ""
                self._listed = -LIST_INTERVAL

    def _overlay(self, track: str, extra: LapTrace | None = None) -> np.ndarray | None:
        """Measure the chosen laps of a track along the first of them, in a thread; once done, set `ruler`, `overlays`.

        Args:
            track: name of the track.
            extra: LapTrace of the present lap, which is measured too, or None.
        Returns:
            The distances of `extra` once they are known, else None.
        """
        for source in self.sources():
            if source.track == track and source.key in self.chosen:
                self.trace(source)
        sources = {source.key: source for source in self.sources() if source.track == track}
        chosen = [source for source in map(sources.get, self.chosen) if source]
        named_traces = [(source.name, self._traces.get(source.origin)) for source in chosen]
        named_traces = [(name, trace) for name, trace in named_traces if trace is not None and trace is not extra]
        job = (track, [(name, id(trace)) for name, trace in named_traces], id(extra))
        if job != self._overlay_job:
            self._overlay_job = job
            arguments = job, named_traces, extra
            threading.Thread(target=self._measure_overlays, args=arguments, name="measuring laps", daemon=True).start()
        if self._overlay_result is None or self._overlay_result[0] != job:
            return None
        _, self.ruler, self.overlays, distances = self._overlay_result
        return distances

    def _measure_overlays(self, job: tuple, named_traces: list[tuple[str, LapTrace]], extra: LapTrace | None) -> None:
        """Set `_overlay_result` for a job of `_overlay`, in the thread; named_traces: [(name, LapTrace)]."""
        traces = [trace for _, trace in named_traces] + ([extra] if extra is not None else [])
        try:
            ruler: Any = Ruler(traces[0].positions, self.tracks.get(job[0])) if traces else None
            overlays = [Overlay(name, trace, ruler.distances(trace.positions)) for name, trace in named_traces]
            self._overlay_result = job, ruler, overlays, None if extra is None else ruler.distances(extra.positions)
        except ValueError as error:  # a path without length
            _log.warning("%s", error)
            self._overlay_result = job, None, [], None

    def wait(self) -> None:
        """Block until all chosen laps have been read; for tests and screenshots."""
        while self.reading:
            for worker in list(self._workers.values()):
                worker.wait()
            self.step()

    def close(self) -> None:
        """End the workers and remove their files."""
        for worker in self._workers.values():
            worker.cancel()
        self._scratch.cleanup()


def origin_of(path: Path | str, lap: Lap, index: int = 0) -> tuple[str, float, float, int]:
    """The origin of a Lap in a recording: (path, start in s, end in s, vehicle's index)."""
    return str(path), float(lap.begin), float(lap.begin + lap.time), index


def laps_as_sources(path: Path | str, laps: Sequence[Lap], name: str) -> list[Source]:
    """A Source for each Lap of a recording."""
    origins = [origin_of(path, lap) for lap in laps]
    return [Source(origin, f"{name} {k + 1}: {clock_text(lap.time)}", lap.track, origin)
            for k, (origin, lap) in enumerate(zip(origins, laps, strict=True))]  # fmt: skip


class DriveLaps(Laps):
    """The laps of a drive in a game.session.session.Session; the other arguments are those of Laps."""

    def __init__(self, session: Any, ghosts: Any, best_folder: Path | str, folder: Path | str | None = None) -> None:
        world, vehicle = session.world.file, session.vehicle
        super().__init__(
            world.timing if world is not None else (), world.name if world is not None else "",
            Path(vehicle.info.get("path") or vehicle.name).stem, ghosts, best_folder, folder,
        )  # fmt: skip
        self.chosen = [BEST, PREVIOUS]
        self._session, self._lap_count = session, len(session.stopwatch.laps)  # number of laps dealt with
        # {track name: Source of the previous lap}, {path: time of the best lap, s}
        self._previous, self._bests = dict[str, Source](), dict[Path, float]()

    def _list(self) -> list[Source]:
        return [*self._previous.values(), *super()._list()]

    def step(self) -> None:
        """Read what is asked for, and offer and store the lap that has just ended."""
        super().step()
        laps = self._session.stopwatch.laps
        if len(laps) > self._lap_count:
            self._lap_count = len(laps)
            self._ended(laps[-1])

    def _ended(self, lap: Lap) -> None:
        """If the drive is recorded, offer the ended lap as the previous lap, and store it as the best if faster."""
        recorder = self._session.recorder
        if recorder is None:
            return
        recorder.flush()
        end = recorder.tick * recorder.tick_seconds - (self._session.world.time - lap.begin - lap.time)
        origin = (recorder.path, end - lap.time, end, self._session.player)
        source = Source(PREVIOUS, f"previous {clock_text(lap.time)}", lap.track, origin)
        self._previous[lap.track], self._listed = source, -LIST_INTERVAL
        path = self.path_of_best(lap.track)
        if lap.time < self._best(path):
            self._bests[path] = lap.time
            self._read(source, path)

    def _best(self, path: Path) -> float:
        """Time of the best lap in s, stored or still being read; infinite if there is none."""
        if path not in self._bests:
            try:
                self._bests[path] = LapTrace.seconds_of(path)
            except LapError:
                self._bests[path] = math.inf
        return self._bests[path]

    def _trusted(self) -> tuple[str, ...]:
        return tuple(component_files(self._session.vehicle))

    def sample(self, time: float, position: Any, values: Callable[..., Any], past: Callable[..., Any]) -> None:
        """Take a sample of the present lap. Call once a frame while a lap is plotted.

        Args:
            time: the session's time, s.
            position: (x, y, ...) of the vehicle, m.
            values: function() -> {channel: value} of the plotted channels.
            past: function(start, end) -> [(time, position, {channel: value})] of samples that were missed.
        """
        times = self._session.stopwatch.shown
        if times is None:
            self.current = None
            return
        self._overlay(times.track.name)
        if times.begin is not None:
            self._extend_log(times, time, (time, position, values()), past)
        if self.current is not None and self.current.ruler is not self.ruler:
            self.current.measure(self.ruler)

    def _extend_log(self, times: Any, time: float, now: tuple[float, Any, dict], past: Callable[..., Any]) -> None:
        """Add the samples missed since the last one, and the present one, to the log of this lap, begun if necessary.

        Args:
            times: the stopwatch's times of the present track.
            time: the session's time, s.
            now: the present sample, (time, position, {channel: value}).
            past: as in `sample`.
        """
        log = self.current
        if log is not None and (log.track, log.begin) != (times.track.name, times.begin):
            log = None
        last_time = times.begin if log is None else times.begin + float(log.times[-1])
        samples = [*(past(last_time, time) if time - last_time > MISSED else ()), now]
        if log is None:
            passed = sum(times.begin + split.time <= samples[0][0] for split in times.splits)
            log = self.current = LapLog(times.track.name, times.begin, self.ruler, passed + 1)
        for sample in samples:
            log.sample(*sample)


class ReplayLaps(Laps):
    """The laps of a replay of a Recording with its game.replay.events.Timeline.

    The other arguments are those of Laps.
    """

    def __init__(
        self, recording: Recording, tracks: Sequence[Any], timeline: Any, ghosts: Any, best_folder: Path | str,
        folder: Path | str | None = None,
    ) -> None:  # fmt: skip
        header, stored = recording.header, recording.header["vehicles"][0]
        car = Path(str(stored.get("path") or stored["name"])).stem
        super().__init__(tracks, str(header["world"].get("name", "")), car, ghosts, best_folder, folder)
        self._recording, self._timeline = recording, timeline

    def _list(self) -> list[Source]:
        return [*laps_as_sources(self._recording.path, self._timeline.laps, "lap"), *super()._list()]

    def sample(self, time: float, position: Any, values: Callable[..., Any], past: Callable[..., Any]) -> None:
        """Make the complete lap at `time`, s, the present one. Call once a frame while a lap is plotted."""
        lap = next((lap for lap in self._timeline.laps if lap.begin <= time <= lap.begin + lap.time), None)
        if lap is None:
            self.current = None
            return
        origin = origin_of(self._recording.path, lap)
        trace = self.trace(Source(origin, "lap", lap.track, origin))
        distances = None if trace is None else self._overlay(lap.track, trace)
        self.current = None if trace is None or distances is None else WholeLap(trace, distances, time - lap.begin)
