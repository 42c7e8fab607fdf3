"""Ghosts: earlier drives (a recording, or its best lap) shown as vehicles without collision.

A ghost is a stretch of recorded poses. A lap's ghost sets off whenever the player passes the first gate of its track;
added during a lap, it joins as if it had set off at the lap's start. Any other ghost sets off when it is added, and
again by `restart`. Gaps are measured at the player's position: the ghost's time and distance at the point of its path
nearest to the player are compared with its present time and distance.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.audio.ghost_sounds import GhostSounds
from driving_sandbox.game.platform.error_message import message_of
from driving_sandbox.game.recordings.source import look_of
from driving_sandbox.game.session.frame import VehicleFrame, interpolate
from driving_sandbox.lab.laps import laps_of
from driving_sandbox.physics.base.user_error import UserError, WrongValue
from driving_sandbox.physics.recording import Recording, RecordingError
from driving_sandbox.sound.ghost_frames import GhostFrames, ghost_frames

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session
    from driving_sandbox.lab.timing import Lap
    from driving_sandbox.physics.world.timing import Track

MAX_GHOSTS = 5  # ghosts at once: each costs two draw passes, depth and colour
MAX_DISTANCE = 25.0  # m between player and a ghost's path beyond which no gap is measured
SEARCH = 4.0  # s of a ghost's path before and after the latest nearest point that are searched first
BEST_LAP = "best lap"
READ_INTERVAL = 0.1  # s between attempts to read a lap that is still being written
READ_TIMEOUT = 5.0  # s after which the part of the lap written so far is used


@dataclass(frozen=True)
class GhostDrive:
    """Recorded poses of one vehicle over a stretch of time.

    Attributes:
        name: shown to the player.
        times: time of each pose from the start of the stretch, [n], s.
        poses: {name: array}, as from physics.recording.poses.
        distance: distance travelled from the start, [n], m.
        look: (model path, paint), or None if the model is unknown.
        track: name of the track if the stretch is a lap, or None.
        sound: GhostFrames of the stretch, or None if the vehicle cannot be rebuilt.
        origin: the stretch of a recording it was read from, (path, start in s, end in s, vehicle's index), or None.
    """

    name: str
    times: np.ndarray
    poses: dict
    distance: np.ndarray
    look: tuple | None
    track: str | None = None
    origin: tuple | None = None
    sound: GhostFrames | None = None

    @property
    def seconds(self) -> float:
        """Length of the stretch, s."""
        return float(self.times[-1])

    def frame(self, time: float) -> VehicleFrame:
        """The interpolated VehicleFrame at a time in s from the start, clamped to the first and the last pose."""
        k = int(np.clip(np.searchsorted(self.times, time, side="right") - 1, 0, len(self.times) - 1))
        after = min(k + 1, len(self.times) - 1)
        length = self.times[after] - self.times[k]
        fraction = min(1.0, max(0.0, (time - self.times[k]) / length)) if length > 0.0 else 0.0
        return interpolate(self._stored(k), self._stored(after), fraction)

    def _stored(self, k: int) -> VehicleFrame:
        """The VehicleFrame of pose k; without wheels if their poses are not stored."""
        poses = self.poses
        wheels = [poses[name][k] for name in ("wheel_position", "wheel_orientation", "hub_orientation")
                  if name in poses]  # fmt: skip
        if len(wheels) < 3:
            return VehicleFrame(poses["model_position"][k], poses["model_orientation"][k])
        return VehicleFrame(poses["model_position"][k], poses["model_orientation"][k], len(wheels[0]), *wheels)


def ghost_drive(
    recording: Recording,
    look: tuple | None,
    start: float = 0.0,
    end: float | None = None,
    name: str | None = None,
    track: str | None = None,
    index: int = 0,
    world_file: Any = None,
) -> GhostDrive:
    """The GhostDrive of vehicle `index` in a Recording from `start` to `end`, s (None: to the end).

    Args:
        look, name, track: as in GhostDrive; the name None means that of the recording's file.
        world_file: WorldFile of the drive that shows the ghost; the ghost sounds as on its surfaces if it was recorded
            in that world, else as on pavement.
    Raises:
        RecordingError: the stretch has fewer than two poses, or the recording cannot be read.
    """
    times, _, vehicles = recording.poses(start, end)
    if len(times) < 2:
        raise RecordingError(f"{recording.path}: holds fewer than two poses in this stretch; there is nothing to show")
    poses = vehicles[index]
    steps = np.linalg.norm(np.diff(poses["model_position"], axis=0), axis=1)
    distance = np.concatenate([[0.0], np.cumsum(steps)])
    origin = (str(recording.path), start, float(times[-1]) if end is None else end, index)
    sound = ghost_frames(recording, index, times, start, _surfaces(recording, world_file))
    return GhostDrive(
        name or recording.path.stem, times - start, poses, distance, look, track=track, origin=origin, sound=sound
    )


def _surfaces(recording: Recording, world_file: Any) -> Any:
    """SurfaceTable of a WorldFile if a recording was driven there, or None."""
    driven = world_file is not None and recording.header["world"].get("name") == world_file.name
    return world_file.surfaces if driven else None


def best_lap(recording: Any, tracks: "list[Track]", index: int = 0) -> tuple[str, float, float] | None:
    """(track name, start, end) of the fastest lap in a recording, s, or None."""
    laps = laps_of(recording, tracks, index)
    if not laps:
        return None
    lap = min(laps, key=lambda lap: lap.time)
    return lap.track, lap.begin, lap.begin + lap.time


class Ghost:
    """A GhostDrive being replayed in a session.

    Attributes:
        drive: GhostDrive.
        set_off_at: the session's time in s at which the ghost set off, or None while it waits at its start.
        gap: s by which the player is behind the ghost, negative while ahead, or None.
        ahead: m along the ghost's path from the player to the ghost, negative if the ghost is behind, or None.
    """

    def __init__(self, drive: GhostDrive, set_off_at: float | None = None) -> None:
        self.drive, self.set_off_at = drive, set_off_at
        self.gap: float | None = None
        self.ahead: float | None = None
        self._nearest_index = 0  # index of the drive's pose that was nearest to the player last
        self._window = max(2, round(SEARCH * len(drive.times) / max(drive.seconds, 1e-9)))  # number of poses in SEARCH

    def set_off(self, time: float | None) -> None:
        """Set off at `time`, the session's time in s, or wait at the start if None."""
        self.set_off_at, self._nearest_index = time, 0
        self.gap = self.ahead = None

    def time(self, now: float) -> float:
        """Seconds since the ghost set off, 0 before."""
        return 0.0 if self.set_off_at is None else max(0.0, now - self.set_off_at)

    def shown(self, now: float) -> bool:
        """Whether the ghost is visible: while it waits, and until its drive has ended."""
        return self.set_off_at is None or 0.0 <= now - self.set_off_at <= self.drive.seconds

    def frame(self, now: float) -> VehicleFrame:
        """The VehicleFrame at `now`, the session's time in s."""
        return self.drive.frame(self.time(now))

    def measure(self, position: np.ndarray, now: float) -> None:
        """Set `gap` and `ahead` for a player at this position, m, at `now`, the session's time in s."""
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
        """Index of the pose nearest to a position, or None if none is within MAX_DISTANCE.

        Poses around the latest result are searched first, all poses only if none of those is near enough.
        """
        positions = self.drive.poses["model_position"]
        low, high = max(0, self._nearest_index - self._window), self._nearest_index + self._window
        for first, last in ((low, high), (0, len(positions))):
            distances = np.linalg.norm(positions[first:last] - position, axis=1)
            if len(distances) and distances.min() <= MAX_DISTANCE:
                self._nearest_index = first + int(np.argmin(distances))
                return self._nearest_index
        return None


class ReplayGhosts:
    """Ghosts of a replay: other recordings, each replayed from its own start.

    Args:
        paths: paths of the recordings, of which the first MAX_GHOSTS are used.
        world_file: WorldFile of the replay, or None.
    Attributes:
        running: list of Ghost.
        visible: whether the ghosts are drawn.
    """

    loading = ()  # as in Ghosts: a replay's ghosts are read before it begins

    def __init__(self, paths: Sequence[Path | str], world_file: Any = None) -> None:
        self.running, self.visible = [], True
        for path in paths[:MAX_GHOSTS]:
            recording = Recording.open(path)
            look = look_of(recording.header["vehicles"][0])[:2]
            ghost = Ghost(ghost_drive(recording, look, world_file=world_file))
            ghost.set_off(0.0)
            self.running.append(ghost)

    def remove(self, ghost: Ghost) -> None:
        """Take a ghost out of the replay."""
        self.running.remove(ghost)

    def sounds(self, now: Callable[[], float]) -> GhostSounds:
        """The sound of the ghosts. now: function() that gives the recorded time of the last tick, s."""
        return GhostSounds(self, now, MAX_GHOSTS)

    def step(self, position: Any, time: float) -> None:
        """Update the gaps to the replay's vehicle at a position in m and a time of the replay in s."""
        for ghost in self.running:
            ghost.measure(np.asarray(position), time)


class Ghosts:
    """The ghosts of a session. Call `step` once a frame.

    Args:
        session: game.session.session.Session.
        look: (model path, paint) of the player's vehicle, or None if it has no model.
    Attributes:
        running: list of Ghost, at most MAX_GHOSTS, including those that wait or have ended.
        keep_best: whether the best lap of this drive becomes a ghost.
        visible: whether the ghosts are drawn.
        loading: names of the recordings and laps that are being read.
    """

    def __init__(self, session: "Session", look: tuple[Path, tuple[float, float, float]] | None) -> None:
        self._session, self._look = session, look
        self.running: list[Ghost] = []
        self.loading: list[str] = []
        self.keep_best, self.visible = True, True
        self._lap_count = 0  # laps handled
        self._lap_starts: dict[str, float | None] = {}  # {track: start of the lap in progress, s or None}
        # results of the reading threads: (name, GhostDrive or the error's text, whether a best lap)
        self._read: list[tuple[str, Any, bool]] = []
        self._best_laps: dict[str, Ghost] = {}  # {track: ghost of this drive's best lap}
        self._reads_best_lap = False

    # ---- adding and removing

    def load(self, path: Path | str) -> None:
        """Read a recording in a thread and add its best lap if it has one in this world, else all of it."""
        path = Path(path)
        if path.name in self.loading:
            return
        self._read_in_thread(path.name, lambda: self._drive_from_file(path))

    def _drive_from_file(self, path: Path) -> GhostDrive:
        """The GhostDrive of a recording: its best lap if it has one in this world, else all of it."""
        recording = Recording.open(path)
        look = look_of(recording.header["vehicles"][0])[:2]
        world = self._session.world.file
        same_world = world is not None and recording.header["world"].get("name") == world.name
        lap = best_lap(recording, world.timing) if world is not None and same_world else None
        if lap is None:
            return ghost_drive(recording, look, world_file=world)
        track, start, end = lap
        name = f"{path.stem}, lap {end - start:.3f} s"
        return ghost_drive(recording, look, start, end, name, track, world_file=world)

    def add(self, drive: GhostDrive) -> Ghost:
        """Add and return a Ghost, which sets off now. That of a lap sets off with the player's present or next lap.

        Raises:
            WrongValue: there are MAX_GHOSTS already.
        """
        if len(self.running) >= MAX_GHOSTS:
            raise WrongValue(f"at most {MAX_GHOSTS} ghosts at once; remove one first")
        ghost = Ghost(drive)
        ghost.set_off(self._lap_starts.get(drive.track) if drive.track else self._session.world.time)
        self.running.append(ghost)
        return ghost

    def remove(self, ghost: "Ghost") -> None:
        """Take a ghost out of the session."""
        self.running.remove(ghost)

    def restart(self) -> None:
        """Restart all ghosts that are not laps."""
        for ghost in self.running:
            if not ghost.drive.track:
                ghost.set_off(self._session.world.time)

    def sounds(self, shows_twin: Callable[[], bool]) -> GhostSounds:
        """The sound of the ghosts. shows_twin: as in GhostSounds."""
        return GhostSounds(self, lambda: self._session.world.time, MAX_GHOSTS, shows_twin)

    # ---- every frame

    def step(self) -> None:
        """Let ghosts of laps set off, update the gaps, add the drives read, and begin to read a new best lap."""
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
            self._add_read(*self._read.pop(0))
        laps = session.stopwatch.laps
        if len(laps) > self._lap_count:
            self._lap_count = len(laps)
            if self.keep_best and all(laps[-1].time <= lap.time for lap in laps if lap.track == laps[-1].track):
                self._read_best_lap(laps[-1])

    def _add_read(self, name: str, loaded: Any, is_best_lap: bool) -> None:
        """Add a drive that a thread has read, or show its error. A best lap replaces the earlier one of its track."""
        self.loading.remove(name)
        if is_best_lap:
            self._reads_best_lap = False
        if isinstance(loaded, str):
            self._session.say(loaded, "warning")
            return
        if is_best_lap:
            earlier = self._best_laps.pop(loaded.track, None)
            self.running = [ghost for ghost in self.running if ghost is not earlier]
        try:
            ghost = self.add(loaded)
        except UserError as error:
            self._session.say(f"{loaded.name}: {error}", "warning")
            return
        if is_best_lap:
            self._best_laps[loaded.track] = ghost

    def _read_best_lap(self, lap: "Lap") -> None:
        """Read the lap that has just ended from the recording being written, unless another one is being read."""
        recorder = self._session.recorder
        if recorder is None or self._reads_best_lap:
            return
        self._reads_best_lap = True
        recorder.flush()
        end = recorder.tick * recorder.tick_seconds
        start = end - (self._session.world.time - lap.begin)
        path, name = recorder.path, f"{BEST_LAP} {lap.time:.3f} s"

        def read() -> GhostDrive:
            deadline = monotonic() + READ_TIMEOUT
            recording = Recording.open(path)
            while recording.seconds < start + lap.time and monotonic() < deadline:
                sleep(READ_INTERVAL)
                recording = Recording.open(path)
            world = self._session.world.file
            return ghost_drive(
                recording, self._look, start, start + lap.time, name, lap.track, self._session.player, world
            )

        self._read_in_thread(BEST_LAP, read, is_best_lap=True)

    def _read_in_thread(self, name: str, read: Callable[..., Any], is_best_lap: bool = False) -> None:
        """Call `read` in a thread; `step` handles its GhostDrive or error."""

        def work() -> None:
            try:
                self._read.append((name, read(), is_best_lap))
            except Exception as error:  # whatever it is: else "reading" would be shown for ever
                self._read.append((name, message_of(error), is_best_lap))

        self.loading.append(name)
        threading.Thread(target=work, name="reading a ghost", daemon=True).start()
