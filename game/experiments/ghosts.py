"""Ghosts: earlier drives (a recording, or its best lap) shown as vehicles without collision.

A ghost is a stretch of recorded poses. A lap's ghost sets off whenever the player passes the first gate of its track;
added during a lap, it joins as if it had set off at the lap's start. Any other sets off when it is added, or again by
`restart`. Gaps are taken at the player's position: the point of the ghost's path nearest to the player is found, and
the ghost's time and distance there are compared with those now.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.recordings.source import look_of
from driving_sandbox.game.session.frame import VehicleFrame, interpolate
from driving_sandbox.lab.laps import laps_of
from driving_sandbox.physics.base.user_error import UserError, WrongValue
from driving_sandbox.physics.recording import Recording, RecordingError

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session
    from driving_sandbox.lab.timing import Lap
    from driving_sandbox.physics.world.timing import Track

MAX_GHOSTS = 5  # at once: each costs two draw passes, depth and colour
MAX_DISTANCE = 25.0  # m from a ghost's path; farther away there is no gap
SEARCH = 4.0  # s of a ghost's path, before and after the last point found, that are searched first
BEST_LAP = "best lap"
READ_INTERVAL = 0.1  # s between attempts to read a lap that is still being written
READ_TIMEOUT = 5.0  # s after which what is there is used


@dataclass(frozen=True)
class GhostDrive:
    """Recorded poses of one vehicle in a stretch of time.

    Attributes:
        name: shown to the player. times: [n], s from its start. poses: {name: array} of physics.recording.poses.
        distance: [n], m travelled from its start. look: (model path, paint), or None where it cannot be drawn. track:
        name of the track it is a lap of, or None. origin: the stretch of a recording it was read from, (path, start,
        end, vehicle), or None.
    """

    name: str
    times: np.ndarray
    poses: dict
    distance: np.ndarray
    look: tuple | None
    track: str | None = None
    origin: tuple | None = None

    @property
    def seconds(self):
        return float(self.times[-1])

    def frame(self, time):
        """VehicleFrame at a time, s from the start, interpolated; clamped to the first and the last pose."""
        k = int(np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 1))
        after = min(k + 1, len(self.times) - 1)
        length = self.times[after] - self.times[k]
        fraction = min(1.0, max(0.0, (time - self.times[k]) / length)) if length > 0.0 else 0.0
        return interpolate(self._stored(k), self._stored(after), fraction)

    def _stored(self, k):
        poses = self.poses
        wheels = [poses[name][k] for name in ("wheel_position", "wheel_orientation", "hub_orientation")
                  if name in poses]  # fmt: skip
        if len(wheels) < 3:
            return VehicleFrame(poses["model_position"][k], poses["model_orientation"][k])
        return VehicleFrame(poses["model_position"][k], poses["model_orientation"][k], len(wheels[0]), *wheels)


def ghost_drive(recording, look, start=0.0, end=None, name=None, track=None, index=0):
    """The GhostDrive of one vehicle of a Recording from `start` to `end`, s. Raises RecordingError unless there are at
    least two poses."""
    times, _, vehicles = recording.poses(start, end)
    if len(times) < 2:
        raise RecordingError(f"{recording.path}: holds fewer than two poses in this stretch; there is nothing to show")
    poses = vehicles[index]
    steps = np.linalg.norm(np.diff(poses["model_position"], axis=0), axis=1)
    distance = np.concatenate([[0.0], np.cumsum(steps)])
    origin = (str(recording.path), start, float(times[-1]) if end is None else end, index)
    return GhostDrive(name or recording.path.stem, times - start, poses, distance, look, track, origin)


def best_lap(recording: Any, tracks: "list[Track]", index: int = 0) -> tuple[str, float, float] | None:
    """(track name, start, end) of the fastest lap in a recording, s, or None."""
    laps = laps_of(recording, tracks, index)
    if not laps:
        return None
    lap = min(laps, key=lambda one: one.time)
    return lap.track, lap.begin, lap.begin + lap.time


class Ghost:
    """A GhostDrive that is shown.

    Attributes:
        drive: GhostDrive. set_off_at: the session's time at which it set off, or None while it waits at its start.
        gap: s by which the player is behind it (below 0: ahead), or None. ahead: m along its path from the player to
        the ghost, below 0 where the ghost is behind, or None.
    """

    def __init__(self, drive, set_off_at=None):
        self.drive, self.set_off_at = drive, set_off_at
        self.gap = self.ahead = None
        self._near = 0
        self._window = max(2, round(SEARCH * len(drive.times) / max(drive.seconds, 1e-9)))

    def set_off(self, time: float | None) -> None:
        """Set off at a time of the session; None: wait at the start."""
        self.set_off_at, self._near = time, 0
        self.gap = self.ahead = None

    def time(self, now: float) -> float:
        """s since it set off; 0 before."""
        return 0.0 if self.set_off_at is None else max(0.0, now - self.set_off_at)

    def shown(self, now: float) -> bool:
        """Whether it is in the world: while it waits, and from its start to its end."""
        return self.set_off_at is None or 0.0 <= now - self.set_off_at <= self.drive.seconds

    def frame(self, now):
        """VehicleFrame of this moment."""
        return self.drive.frame(self.time(now))

    def measure(self, position: np.ndarray, now: float) -> None:
        """Set `gap` and `ahead` for a player at a position."""
        if self.set_off_at is None:
            return
        k = self._nearest(position)
        if k is None:
            self.gap = self.ahead = None
            return
        time = self.time(now)
        self.gap = time - float(self.drive.times[k])
        self.ahead = float(np.interp(time, self.drive.times, self.drive.distance) - self.drive.distance[k])

    def _nearest(self, position: np.ndarray) -> int | None:
        """Index of the pose nearest to a position, searched first around the last one found; None where none is within
        MAX_DISTANCE."""
        positions = self.drive.poses["model_position"]
        low, high = max(0, self._near - self._window), self._near + self._window
        for first, last in ((low, high), (0, len(positions))):
            distances = np.linalg.norm(positions[first:last] - position, axis=1)
            if len(distances) and distances.min() <= MAX_DISTANCE:
                self._near = first + int(np.argmin(distances))
                return self._near
        return None


class ReplayGhosts:
    """Ghosts of a replay: other recordings, all from their own starts.

    Attributes:
        running: list of Ghost. visible: whether they are drawn.
    """

    loading = ()

    def __init__(self, paths):
        self.running, self.visible = [], True
        for path in paths[:MAX_GHOSTS]:
            recording = Recording.open(path)
            ghost = Ghost(ghost_drive(recording, look_of(recording.header["vehicles"][0])[:2]))
            ghost.set_off(0.0)
            self.running.append(ghost)

    def step(self, position, time):
        """Update the gaps to the vehicle of the replay."""
        for ghost in self.running:
            ghost.measure(np.asarray(position), time)


class Ghosts:
    """The ghosts of a session. Call `step` once a frame.

    Args:
        session: game.session.session.Session. look: (model path, paint) of the player's vehicle.
    Attributes:
        running: list of Ghost, at most MAX_GHOSTS. keep_best: whether the best lap of this drive becomes a ghost.
        visible: whether they are drawn. loading: names of what is being read.
    """

    def __init__(self, session: "Session", look: tuple[Path, tuple[float, float, float]] | None) -> None:
        self._session, self._look = session, look
        self.running, self.loading, self.keep_best, self.visible = [], [], True, True
        self._laps, self._lap_starts = 0, {}
        self._read = []  # what threads have read: (name, GhostDrive or the error's text)

    # ---- adding and removing

    def load(self, path: Path) -> None:
        """Read a recording in a thread and add it: its best lap where it has one of this world, else all of it."""
        path = Path(path)
        if path.name in self.loading:
            return
        self._read_in_thread(path.name, lambda: self._of_file(path))

    def _of_file(self, path: Path) -> Any:
        """The GhostDrive of a recording: its best lap if it is of this world, else all of it."""
        recording = Recording.open(path)
        look = look_of(recording.header["vehicles"][0])[:2]
        world = self._session.world.file
        same = world is not None and recording.header["world"].get("name") == world.name
        lap = best_lap(recording, world.timing) if same else None
        if lap is None:
            return ghost_drive(recording, look)
        track, start, end = lap
        return ghost_drive(recording, look, start, end, f"{path.stem}, lap {end - start:.3f} s", track)

    def add(self, drive):
        """Add a ghost; it sets off now, or with the lap in progress if it is one. Raises WrongValue for too many."""
        if len(self.running) >= MAX_GHOSTS:
            raise WrongValue(f"at most {MAX_GHOSTS} ghosts at once; remove one first")
        ghost = Ghost(drive)
        ghost.set_off(self._lap_starts.get(drive.track) if drive.track else self._session.world.time)
        self.running.append(ghost)
        return ghost

    def remove(self, ghost: "Ghost") -> None:
        self.running.remove(ghost)

    def restart(self) -> None:
        """Restart all ghosts that are not laps."""
        for ghost in self.running:
            if not ghost.drive.track:
                ghost.set_off(self._session.world.time)

    # ---- every frame

    def step(self) -> None:
        """Let ghosts of laps set off, update gaps, add what was read, and read a new best lap."""
        session = self._session
        now = session.world.time
        for times in session.stopwatch.tracks:
            name = times.track.name
            if times.begin is not None and times.begin != self._lap_starts.get(name):
                for ghost in self.running:
                    if ghost.drive.track == name:
                        ghost.set_off(times.begin)
            self._lap_starts[name] = times.begin
        position = np.array(session.vehicle.model_position())
        for ghost in self.running:
            ghost.measure(position, now)
        while self._read:
            self._take(*self._read.pop(0))
        laps = session.stopwatch.laps
        if len(laps) > self._laps:
            self._laps = len(laps)
            if self.keep_best and all(laps[-1].time <= lap.time for lap in laps if lap.track == laps[-1].track):
                self._fetch(laps[-1])

    def _take(self, name: str, loaded: Any) -> None:
        """Add a drive that a thread has read, or report its error. A best lap replaces the earlier one of its track."""
        self.loading.remove(name)
        if isinstance(loaded, str):
            self._session.say(loaded, "warning")
            return
        if name == BEST_LAP:
            self.running = [g for g in self.running if g.drive.track != loaded.track or BEST_LAP not in g.drive.name]
        try:
            self.add(loaded)
        except UserError as error:
            self._session.say(f"{loaded.name}: {error}", "warning")

    def _fetch(self, lap: "Lap") -> None:
        """From the recording being written, read the lap that has just ended."""
        recorder = self._session.recorder
        if recorder is None or BEST_LAP in self.loading:
            return
        recorder.flush()
        end = recorder.tick * recorder.tick_seconds
        start = end - (self._session.world.time - lap.begin)
        path, name = recorder.path, f"{BEST_LAP} {lap.time:.3f} s"

        def read():
            until = monotonic() + READ_TIMEOUT
            recording = Recording.open(path)
            while recording.seconds < start + lap.time and monotonic() < until:
                sleep(READ_INTERVAL)
                recording = Recording.open(path)
            return ghost_drive(recording, self._look, start, start + lap.time, name, lap.track, self._session.player)

        self._read_in_thread(BEST_LAP, read)

    def _read_in_thread(self, name: str, read: Callable[..., Any]) -> None:
        """Call `read` in a thread; `step` takes its GhostDrive or error."""

        def work():
            try:
                self._read.append((name, read()))
            except UserError as error:
                self._read.append((name, str(error)))

        self.loading.append(name)
        threading.Thread(target=work, name="reading a ghost", daemon=True).start()
