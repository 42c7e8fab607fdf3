"""Earlier drives as ghosts: recordings, or the best lap, as vehicles that are drawn and do not collide.

A ghost is a stretch of recorded poses. A lap's ghost sets off whenever the player passes the first gate of its track;
any other sets off when it is added, or again by `restart`. Gaps are taken where the player is now, not when: the
ghost's path is searched for the point nearest to the player, and time and distance driven there are compared.
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

MOST = 5  # ghosts at once: each is drawn twice
REACH = 25.0  # m from a ghost's path within which a gap means something
SEARCH = 4.0  # s of a ghost's path, before and after the last point found, that are searched first
BEST_LAP = "best lap"
LOOK_INTERVAL, DISK_SECONDS = 0.1, 5.0  # s between looks whether the disk has a lap, and at most


@dataclass(frozen=True)
class GhostDrive:
    """Recorded poses of one vehicle from a moment on.

    Attributes:
        name. times: [n], s from that moment. poses: {name: array} of physics.recording.poses. driven: [n], m.
        look: (model path, paint). track: name of the track it is a lap of, or None. origin: the stretch of a recording
        it was read from, (path, begin, end, vehicle), or None.
    """

    name: str
    times: np.ndarray
    poses: dict
    driven: np.ndarray
    look: tuple
    track: str | None = None
    origin: tuple | None = None

    @property
    def seconds(self):
        return float(self.times[-1])

    def frame(self, time):
        """VehicleFrame at a time, blended; its ends outside."""
        k = int(np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 1))
        after = min(k + 1, len(self.times) - 1)
        length = self.times[after] - self.times[k]
        share = min(1.0, max(0.0, (time - self.times[k]) / length)) if length > 0.0 else 0.0
        return interpolate(self._stored(k), self._stored(after), share)

    def _stored(self, k):
        poses = self.poses
        wheels = [poses[name][k] for name in ("wheel_position", "wheel_orientation", "hub_orientation")
                  if name in poses]  # fmt: skip
        if len(wheels) < 3:
            return VehicleFrame(poses["model_position"][k], poses["model_orientation"][k])
        return VehicleFrame(poses["model_position"][k], poses["model_orientation"][k], len(wheels[0]), *wheels)


def ghost_drive(recording, look, begin=0.0, end=None, name=None, track=None, index=0):
    """The GhostDrive of one vehicle of a Recording in a stretch of time, s. Raises RecordingError when there is
    none."""
    times, _, vehicles = recording.poses(begin, end)
    if len(times) < 2:
        raise RecordingError(f"{recording.path}: holds no poses; there is nothing to show")
    poses = vehicles[index]
    steps = np.linalg.norm(np.diff(poses["model_position"], axis=0), axis=1)
    driven = np.concatenate([[0.0], np.cumsum(steps)])
    origin = (str(recording.path), begin, float(times[-1]) if end is None else end, index)
    return GhostDrive(name or recording.path.stem, times - begin, poses, driven, look, track, origin)


def best_lap(recording: Any, tracks: "list[Track]", index: int = 0) -> tuple[str, float, float] | None:
    """(track name, begin, end) of the fastest lap in a recording, or None."""
    laps = laps_of(recording, tracks, index)
    if not laps:
        return None
    lap = min(laps, key=lambda one: one.time)
    return lap.track, lap.begin, lap.begin + lap.time


class Ghost:
    """A GhostDrive being driven.

    Attributes:
        drive: GhostDrive. begin: the session's time at which it set off, or None while it waits at its start. gap: s
        the player is behind it (below 0 ahead) at the player's position, or None. ahead: m of its path it has driven
        beyond there.
    """

    def __init__(self, drive, begin=None):
        self.drive, self.begin = drive, begin
        self.gap = self.ahead = None
        self._near = 0
        self._window = max(2, round(SEARCH * len(drive.times) / max(drive.seconds, 1e-9)))

    def set_off(self, time: float | None) -> None:
        """It drives from now on."""
        self.begin, self._near = time, 0
        self.gap = self.ahead = None

    def time(self, now: float) -> float:
        """s since it set off; 0 before."""
        return 0.0 if self.begin is None else max(0.0, now - self.begin)

    def shown(self, now: float) -> bool:
        """Whether it is anywhere: from its start to its end."""
        return self.begin is None or 0.0 <= now - self.begin <= self.drive.seconds

    def frame(self, now):
        """VehicleFrame of this moment."""
        return self.drive.frame(self.time(now))

    def measure(self, position: np.ndarray, now: float) -> None:
        """Take the gap to a player at a position."""
        if self.begin is None:
            return
        k = self._nearest(position)
        if k is None:
            self.gap = self.ahead = None
            return
        time = self.time(now)
        self.gap = time - float(self.drive.times[k])
        self.ahead = float(np.interp(time, self.drive.times, self.drive.driven) - self.drive.driven[k])

    def _nearest(self, position: np.ndarray) -> int | None:
        """Number of the pose nearest to a position, near the last one found if that is near enough; None if none is."""
        positions = self.drive.poses["model_position"]
        low, high = max(0, self._near - self._window), self._near + self._window
        for first, last in ((low, high), (0, len(positions))):
            apart = np.linalg.norm(positions[first:last] - position, axis=1)
            if len(apart) and apart.min() <= REACH:
                self._near = first + int(np.argmin(apart))
                return self._near
        return None


class Companions:
    """Recordings shown with a replay, all from its start.

    Attributes:
        running: list of Ghost. visible.
    """

    loading = ()

    def __init__(self, paths):
        self.running, self.visible = [], True
        for path in paths[:MOST]:
            recording = Recording.open(path)
            ghost = Ghost(ghost_drive(recording, look_of(recording.header["vehicles"][0])[:2]))
            ghost.set_off(0.0)
            self.running.append(ghost)

    def step(self, position, time):
        """Take the gaps to the vehicle of the replay."""
        for ghost in self.running:
            ghost.measure(np.asarray(position), time)


class Ghosts:
    """The ghosts of a session. Call `step` once a frame.

    Args:
        session: game.session.session.Session. look: (model path, paint) of the player's vehicle.
    Attributes:
        running: list of Ghost, at most MOST. keep_best: whether the best lap of this drive becomes a ghost. visible.
        loading: names of what is being read.
    """

    def __init__(self, session: "Session", look: tuple[Path, tuple[float, float, float]] | None) -> None:
        self._session, self._look = session, look
        self.running, self.loading, self.keep_best, self.visible = [], [], True, True
        self._laps, self._begins = 0, {}
        self._read = []  # what threads have read: (name, GhostDrive or text of what is wrong)

    # ---- adding and taking away

    def load(self, path: Path) -> None:
        """Read a recording in a thread and add it: its best lap where it has one of this world, else all of it."""
        path = Path(path)
        if path.name in self.loading:
            return
        self._begin(path.name, lambda: self._of_file(path))

    def _of_file(self, path: Path) -> Any:
        recording = Recording.open(path)
        look = look_of(recording.header["vehicles"][0])[:2]
        world = self._session.world.file
        same = world is not None and recording.header["world"].get("name") == world.name
        lap = best_lap(recording, world.timing) if same else None
        if lap is None:
            return ghost_drive(recording, look)
        track, begin, end = lap
        return ghost_drive(recording, look, begin, end, f"{path.stem}, lap {end - begin:.3f} s", track)

    def add(self, drive):
        """One more ghost; it sets off now, a lap's with the lap. Raises WrongValue when there are too many."""
        if len(self.running) >= MOST:
            raise WrongValue(f"at most {MOST} ghosts at once; take one away first")
        ghost = Ghost(drive)
        ghost.set_off(self._begins.get(drive.track) if drive.track else self._session.world.time)
        self.running.append(ghost)
        return ghost

    def remove(self, ghost: "Ghost") -> None:
        self.running.remove(ghost)

    def restart(self) -> None:
        """All that are no laps set off again, now."""
        for ghost in self.running:
            if not ghost.drive.track:
                ghost.set_off(self._session.world.time)

    # ---- every frame

    def step(self) -> None:
        """Let laps begin, take gaps, take what was read, and fetch the best lap when there is a new one."""
        session = self._session
        now = session.world.time
        for times in session.stopwatch.tracks:
            name = times.track.name
            if times.begin is not None and times.begin != self._begins.get(name):
                for ghost in self.running:
                    if ghost.drive.track == name:
                        ghost.set_off(times.begin)
            self._begins[name] = times.begin
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

    def _take(self, name: str, found: Any) -> None:
        self.loading.remove(name)
        if isinstance(found, str):
            self._session.say(found, "warning")
            return
        if name == BEST_LAP:
            self.running = [g for g in self.running if g.drive.track != found.track or BEST_LAP not in g.drive.name]
        try:
            self.add(found)
        except UserError as error:
            self._session.say(f"{found.name}: {error}", "warning")

    def _fetch(self, lap: "Lap") -> None:
        """Read a lap that has just ended out of the recording that is being written."""
        recorder = self._session.recorder
        if recorder is None or BEST_LAP in self.loading:
            return
        recorder.flush()
        end = recorder.tick * recorder.tick_seconds
        begin = end - (self._session.world.time - lap.begin)
        path, name = recorder.path, f"{BEST_LAP} {lap.time:.3f} s"

        def read():
            until = monotonic() + DISK_SECONDS
            recording = Recording.open(path)
            while recording.seconds < begin + lap.time and monotonic() < until:
                sleep(LOOK_INTERVAL)
                recording = Recording.open(path)
            return ghost_drive(recording, self._look, begin, begin + lap.time, name, lap.track, self._session.player)

        self._begin(BEST_LAP, read)

    def _begin(self, name: str, read: Callable[..., Any]) -> None:
        """Call `read` in a thread; its GhostDrive, or why there is none, is taken by `step`."""

        def work():
            try:
                self._read.append((name, read()))
            except UserError as error:
                self._read.append((name, str(error)))

        self.loading.append(name)
        threading.Thread(target=work, name="reading a ghost", daemon=True).start()
