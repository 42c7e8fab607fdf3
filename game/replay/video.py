"""`./drive replay FILE --export F.mp4`: a replay drawn offscreen at a fixed frame rate.

The encoder is the system's ffmpeg, or that of the package imageio-ffmpeg (the extra `video`); raw frames go to it
through a pipe. Without an encoder, or for a name without a suffix of SUFFIXES, the frames are written as numbered PNG
files into a folder. However long a frame takes to draw, frame k (from 1) shows the time start + k / rate. A cancelled
video can be played up to the moment of cancelling.
"""

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from panda3d.core import PNMImage

from driving_sandbox.game.platform.shutdown import END_REQUEST
from driving_sandbox.game.platform.system_packages import how_to_install_ffmpeg
from driving_sandbox.physics.base.user_error import UserError

SUFFIXES = (".mp4", ".mkv", ".webm")
QUALITY = "18"  # constant rate factor of the encoder; visually near the original
PROGRESS_SECONDS = 1.0  # s between two reports of the progress
WITHOUT_ENCODER = f"no video encoder here: pip install imageio-ffmpeg, or install ffmpeg ({how_to_install_ffmpeg()})"


class VideoError(UserError):
    """A video cannot be written; `str()` says why."""

    exit_code = 1


def find_encoder() -> str | None:
    """Path of an ffmpeg executable, or None."""
    program = shutil.which("ffmpeg")
    if program is None:
        with contextlib.suppress(ImportError, RuntimeError):  # RuntimeError: the package has no program for this system
            import imageio_ffmpeg

            program = imageio_ffmpeg.get_ffmpeg_exe()
    return program


class FrameFolder:
    """Writes frames as numbered files: FOLDER/frame_00001.png, frame_00002.png ..."""

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder)
        self.path.mkdir(parents=True, exist_ok=True)
        self.count = 0

    def add(self, base: Any) -> None:
        """Write the frame drawn last. Raises VideoError."""
        image = PNMImage()
        base.win.getScreenshot(image)
        image.removeAlpha()
        self.count += 1
        target = self.path / f"frame_{self.count:05d}.png"
        if not image.write(str(target)):
            raise VideoError(f"{target}: the picture could not be written")

    def close(self) -> None:
        """Do nothing: every frame is written already."""

    def abort(self) -> None:
        """Do nothing: the frames written so far stay."""


class VideoFile:
    """Encodes frames with ffmpeg into a file, which gets its final name when it is complete.

    Args:
        size: (width, height) of all frames, pixels.
        rate: frames/s.
        encoder: path of ffmpeg.
    """

    def __init__(self, path: str | Path, size: tuple[int, int], rate: float, encoder: str) -> None:
        self.path, self.count = Path(path), 0  # count: frames added
        self._partial = self.path.with_name(f".{self.path.stem}.partial{self.path.suffix}")
        # Panda3D's rows begin at the bottom (vflip); the encoder's yuv420p needs an even width and height (pad)
        command = [
            encoder, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{size[0]}x{size[1]}",
            "-r", f"{rate:g}", "-i", "-", "-vf", "vflip,pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
            "-crf", QUALITY, str(self._partial),
        ]  # fmt: skip
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl+C is handled here and must not reach the encoder
            )
        except OSError as error:
            raise VideoError(f"{encoder}: cannot be run: {error.strerror or error}") from None
        assert self._process.stdin is not None and self._process.stderr is not None  # both are pipes
        self._input, self._messages = self._process.stdin, self._process.stderr

    def add(self, base: Any) -> None:
        """Encode the frame drawn last. Raises VideoError."""
        pixels = base.win.getScreenshot().getRamImageAs("BGR")
        try:
            self._input.write(memoryview(pixels))
        except OSError:
            self._fail()
        self.count += 1

    def close(self) -> None:
        """Let the encoder finish, and give the file its name. Raises VideoError."""
        with contextlib.suppress(OSError):
            self._input.close()
        if self._process.wait():
            self._fail()
        self._partial.replace(self.path)

    def abort(self) -> None:
        """End the encoder at once, and remove the partial file."""
        self._process.kill()
        with contextlib.suppress(OSError):  # frames that the encoder did not take
            self._input.close()
        self._process.wait()
        self._partial.unlink(missing_ok=True)

    def _fail(self) -> None:
        """Remove the partial file, and raise VideoError with the encoder's last message."""
        lines = self._messages.read().decode(errors="replace").strip().splitlines()
        self._process.wait()
        self._partial.unlink(missing_ok=True)
        raise VideoError(f"{self.path}: the encoder failed: {lines[-1] if lines else self._process.returncode}")


def open_target(path: str | Path, size: tuple[int, int], rate: float) -> tuple[FrameFolder | VideoFile, str]:
    """(FrameFolder or VideoFile to write to, note for the user or ""). Raises VideoError."""
    path = Path(path)
    if path.suffix not in SUFFIXES:
        return FrameFolder(path), ""
    encoder = find_encoder()
    if encoder is None:
        folder = path.with_suffix("")
        return FrameFolder(folder), f"{WITHOUT_ENCODER}: PNG files go to {folder}"
    return VideoFile(path, size, rate, encoder), ""


@contextlib.contextmanager
def _closing(target: FrameFolder | VideoFile) -> Iterator[None]:
    """Context that closes the target at its end, or aborts it after an error."""
    try:
        yield
        target.close()
    except BaseException:
        target.abort()
        raise


def export_video(viewer: Any, path: str | Path, rate: float, start: float = 0.0,
                 report: Callable[[float, float], object] | None = None,
                 track: Any = None) -> tuple[Path, int, bool]:  # fmt: skip
    """Write a ReplayViewer's frames from `start`, s, to its limit; returns (path written, frames, cancelled).

    Ctrl+C, SIGTERM and SIGHUP cancel. Raises VideoError.

    Args:
        rate: frames/s.
        report: function(share done, seconds left), called about once a second, or None.
        track: CameraPath that gets the cameras of the frames, or None.
    """
    base, player = viewer.base, viewer.player
    viewer.bar_visible = False
    player.pause()
    player.seek(start)
    base.clock.dt = 1.0 / rate
    base.taskMgr.step()  # the camera is in position before the first frame that is written
    target, note = open_target(path, (base.win.getXSize(), base.win.getYSize()), rate)
    if note:
        print(note, file=sys.stderr)
    frame_count = max(1, round((viewer.limit - start) * rate))
    started = reported = perf_counter()
    cancelled = False
    with END_REQUEST.noted(), _closing(target):
        try:
            player.play()
            while target.count < frame_count and viewer.running and END_REQUEST.number is None:
                base.taskMgr.step()
                target.add(base)
                if track is not None:
                    track.add(player.time, viewer.camera.view)
                now = perf_counter()
                if report is not None and (now - reported > PROGRESS_SECONDS or target.count == frame_count):
                    reported, share = now, target.count / frame_count
                    report(share, (now - started) * (1.0 / share - 1.0))
        except KeyboardInterrupt:
            cancelled = True
    return target.path, target.count, cancelled or target.count < frame_count
