"""The sound of an exported video: what its camera hears, computed again from the recording, as a second stream.

The frames come first and note where the camera was (CameraPath); a cancelled video stays silent. Then the recording is
simulated again with a listener at the camera, and ffmpeg adds the samples to the file without encoding the frames anew.
A recording that cannot be repeated exactly has no sound.
"""

import contextlib
import subprocess
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from driving_sandbox.game.audio.ghost_sounds import GhostSounds
from driving_sandbox.game.audio.listening import CUT, Listening
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.recording import Recording
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.recorded import recorded_blocks
from driving_sandbox.sound.space.listener import LISTENER
from driving_sandbox.sound.wav_file import pcm

CODECS = {".mp4": "aac", ".mkv": "aac", ".webm": "libopus"}  # {suffix: audio encoder that its players know}
BIT_RATE = "192k"  # of stereo; no loss is audible

Report = Callable[[float, float], None]  # function(share done, seconds left)


class SoundError(UserError):
    """A video cannot get its sound; `str()` says why."""

    exit_code = 1


class CameraPath:
    """Where the camera of a video was, as the listener of a soundtrack.

    Args:
        tick_seconds: length of the recording's ticks, s.
    """

    def __init__(self, tick_seconds: float) -> None:
        self._dt, self._tick = tick_seconds, 0  # _tick: number of calls of `listen`
        self._moments: list[float] = []  # of the frames, in ticks
        self._listeners: list[np.ndarray] = []  # LISTENER [1] of each frame

    def add(self, time: float, view: Any) -> None:
        """Note the View of the next frame, at a time of the recording, s."""
        moment, listener = time / self._dt, np.zeros(1, LISTENER)
        Listening(self._dt).fill(listener, np.array([moment]), view, moment)
        self._moments.append(moment)
        self._listeners.append(listener)

    @property
    def time(self) -> float:
        """Time of the tick for which `listen` was called last, s."""
        return self._tick * self._dt

    def restart(self) -> None:
        """Do nothing after a jump of the recording: the camera's path has the same jump."""

    def listen(self) -> np.ndarray:
        """LISTENER [1] after a tick; call once for each, from the first one of the recording on."""
        self._tick += 1
        k = bisect_left(self._moments, self._tick)
        if k in (0, len(self._moments)):
            return self._listeners[min(k, len(self._moments) - 1)].copy()
        start, end = self._moments[k - 1], self._moments[k]
        before, after = self._listeners[k - 1], self._listeners[k]
        listener = after.copy()
        # interpolated unless the camera was set elsewhere, which makes it faster than CUT, m/s
        if np.linalg.norm(after["position"] - before["position"]) < CUT * self._dt * (end - start):
            share = (self._tick - start) / (end - start)
            for name in ("position", "right"):
                listener[name] = before[name] + share * (after[name] - before[name])
        return listener


def add_sound(path: Path, recording: Recording, track: CameraPath, span: tuple[float, float], encoder: str,
              report: Report | None = None, ghosts: GhostSounds | None = None) -> None:  # fmt: skip
    """Give a video what its camera hears of the recording.

    Args:
        path: the video, which is replaced when all is done, and kept otherwise.
        track: the camera's path.
        span: (start, end) of the video in the recording, s; a shorter sound is followed by silence.
        encoder: path of ffmpeg.
        report: called once a second with (share done, seconds left).
        ghosts: those that the video shows, at the times of `track`, or None.
    Raises:
        UserError: the recording cannot be repeated, or ffmpeg cannot be run or fails; the message says why.
    """
    partial = path.with_name(f".{path.stem}.sound{path.suffix}")
    command = [
        encoder, "-y", "-loglevel", "error", "-i", str(path), "-f", "s16le", "-ar", f"{SAMPLE_RATE:.0f}", "-ac", "2",
        "-i", "-", "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", CODECS[path.suffix], "-b:a", BIT_RATE,
        str(partial),
    ]  # fmt: skip
    blocks = recorded_blocks(recording, track, span, None, report, ghosts=ghosts)
    blocks = filled(blocks, round((span[1] - span[0]) * SAMPLE_RATE))
    try:
        with tempfile.TemporaryFile() as errors:
            _feed(command, blocks, errors)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def filled(blocks: Iterable[np.ndarray], count: int) -> Iterator[np.ndarray]:
    """The first `count` samples of blocks [n, 2], with silence after the last one if there are fewer."""
    for block in blocks:
        yield block[:count]
        count -= len(block)
        if count <= 0:
            return
    yield np.zeros((count, 2))


def _feed(command: list[str], blocks: Iterable[np.ndarray], errors: IO[bytes]) -> None:
    """Run ffmpeg with samples as its input. errors: file for its messages."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=errors, start_new_session=True)
    except OSError as error:
        raise SoundError(f"{command[0]}: cannot be run: {error.strerror or error}") from None
    assert process.stdin is not None  # a pipe
    try:
        with contextlib.suppress(BrokenPipeError):  # its message says more
            for block in blocks:
                process.stdin.write(pcm(block).tobytes())
        with contextlib.suppress(OSError):
            process.stdin.close()
    except BaseException:
        process.kill()
        process.wait()
        raise
    if process.wait():
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
        raise SoundError(f"the encoder failed: {lines[-1] if lines else process.returncode}")
