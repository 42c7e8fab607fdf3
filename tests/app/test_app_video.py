"""Videos of replays: the number of frames, to an encoder or a folder, complete or cancelled."""

import json
import shutil
import stat
import subprocess
import sys
from argparse import Namespace

import numpy as np
import pytest
from app_rig import assert_shows_a_drive, pixels, program

from driving_sandbox.game.platform.system_packages import INSTALL_FFMPEG
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.replay import video
from driving_sandbox.game.replay.video import FrameFolder, VideoError, VideoFile, export_video, open_target
from driving_sandbox.game.replay.viewer import ReplayViewer
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.physics.recording import Recording

pytestmark = pytest.mark.drawn
SIZE = (320, 180)  # px
ENCODER = """#!{python}
import sys
target, frames = sys.argv[-1], 0
size = [int(n) for n in sys.argv[sys.argv.index("-s") + 1].split("x")]
while data := sys.stdin.buffer.read(size[0] * size[1] * 3):
    assert len(data) == size[0] * size[1] * 3
    frames += 1
    if {fail_at} and frames == {fail_at}:
        sys.exit("no space left")
open(target, "w").write(str(frames))
"""


def encoder(folder, fail_at=0):
    """Path of a fake ffmpeg that writes the number of its frames to the video file; it fails at frame `fail_at`."""
    path = folder / f"encoder{fail_at}"
    path.write_text(ENCODER.format(python=sys.executable, fail_at=fail_at))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def no_program():
    raise RuntimeError("No ffmpeg exe could be found")


@pytest.fixture(scope="module")
def viewer(drive):
    """A viewer of the recorded drive, without a window."""
    base = open_window(WindowSettings(offscreen=True, size=SIZE))
    options = Namespace(offscreen=True, seconds=1.5, screenshot=None, ghost=[])  # videos end at 1.5 s
    source = ReplaySource(Recording.open(drive.recording))
    viewer = ReplayViewer(base, ImGuiBackend(base), source, options, Settings())
    yield viewer
    viewer.shut_down()


def test_a_video_has_a_frame_for_every_time_step(viewer, tmp_path, monkeypatch):
    monkeypatch.setattr(video, "find_encoder", lambda: encoder(tmp_path))
    times, reported = [], []
    original_add = VideoFile.add

    def add(self, base):
        times.append(viewer.player.time)
        original_add(self, base)

    monkeypatch.setattr(VideoFile, "add", add)
    path, count, cancelled = export_video(
        viewer, tmp_path / "a.mp4", rate=10.0, start=0.5, report=lambda *state: reported.append(state)
    )
    assert (path, count, cancelled) == (tmp_path / "a.mp4", 10, False)
    assert np.allclose(times, 0.5 + np.arange(1, 11) / 10.0)
    assert path.read_text() == "10" and reported[-1][0] == 1.0  # the share done
    assert [p.name for p in tmp_path.glob(".*")] == []


def cancel_after(count, monkeypatch):
    """Let the next video be interrupted by Ctrl-C after this many frames."""
    original_add = VideoFile.add

    def add(self, base):
        if self.count == count:
            raise KeyboardInterrupt
        original_add(self, base)

    monkeypatch.setattr(VideoFile, "add", add)


def test_a_cancelled_video_keeps_its_frames(viewer, tmp_path, monkeypatch):
    monkeypatch.setattr(video, "find_encoder", lambda: encoder(tmp_path))
    cancel_after(3, monkeypatch)
    path, count, cancelled = export_video(viewer, tmp_path / "b.mp4", rate=10.0, start=0.5)
    assert cancelled and count == 3 and path.read_text() == "3"


def test_a_failing_encoder_is_reported_and_leaves_no_file(viewer, tmp_path, monkeypatch):
    monkeypatch.setattr(video, "find_encoder", lambda: encoder(tmp_path, fail_at=2))
    with pytest.raises(VideoError, match="no space left"):
        export_video(viewer, tmp_path / "c.mp4", rate=10.0, start=0.5)
    assert list(tmp_path.glob("*.mp4")) == [] and list(tmp_path.glob(".c*")) == []


def test_an_error_between_two_frames_ends_the_encoder_and_leaves_no_file(tmp_path, monkeypatch):
    video_file = VideoFile(tmp_path / "e.mp4", SIZE, 10.0, encoder(tmp_path))
    monkeypatch.setattr(video, "open_target", lambda *arguments: (video_file, ""))
    (tmp_path / ".e.partial.mp4").write_text("begun")
    window = Namespace(getXSize=lambda: SIZE[0], getYSize=lambda: SIZE[1])
    base = Namespace(clock=Namespace(), win=window, taskMgr=Namespace(step=lambda: None))
    player = Namespace(pause=lambda: None, seek=lambda time: None, play=lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        export_video(Namespace(base=base, player=player, limit=1.0, running=True), tmp_path / "e.mp4", rate=10.0)
    assert video_file._process.returncode is not None and not list(tmp_path.glob("*.mp4"))
    assert not list(tmp_path.glob(".e*"))


def test_the_encoder_is_the_ffmpeg_of_the_path_or_of_imageio(tmp_path, monkeypatch):
    """`.ci/wheel` exports a video with the package's."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)  # as if it were not installed
    assert video.find_encoder() is None
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", Namespace(get_ffmpeg_exe=lambda: "/its/own"))
    assert video.find_encoder() == "/its/own"
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", Namespace(get_ffmpeg_exe=no_program))
    assert video.find_encoder() is None
    program = tmp_path / ("ffmpeg.exe" if sys.platform == "win32" else "ffmpeg")
    program.touch()
    program.chmod(0o755)
    assert video.find_encoder() == str(program)


def test_without_an_encoder_frames_are_numbered_images(viewer, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(video, "find_encoder", lambda: None)
    path, count, _ = export_video(viewer, tmp_path / "d.mp4", rate=5.0, start=0.5)
    message = capsys.readouterr().err
    assert path == tmp_path / "d" and count == 5 and "no video encoder" in message
    assert all(f"{command} ({system})" in message for system, command in INSTALL_FFMPEG.items())
    images = sorted(path.glob("*.png"))
    assert [p.name for p in images] == [f"frame_{k:05d}.png" for k in range(1, 6)]
    first, last = pixels(images[0]), pixels(images[-1])
    assert_shows_a_drive(last)
    assert np.abs(first - last).mean() > 0.005  # the car has moved
    assert isinstance(open_target(tmp_path / "folder", SIZE, 60.0)[0], FrameFolder)


def test_the_command_reports_its_output_and_wrong_arguments(drive, tmp_path, home):
    result = program("replay", drive.recording, "--export", tmp_path / "frames", "--to", 0.3, "--fps", 10, "--size",
                   "320x180", "--camera", "orbit")  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "3 frames, 0.30 s" in result.stdout and len(list((tmp_path / "frames").glob("*.png"))) == 3
    wrong = program("replay", drive.recording, "--export", tmp_path / "x", "--from", 50, "--size", "320x180")
    assert wrong.returncode == 2 and "there is nothing after 50 s; it ends at 2" in wrong.stderr
    wrong = program("replay", drive.recording, "--export", tmp_path / "x", "--camera", "chas", "--size", "320x180")
    assert wrong.returncode == 2 and "--camera: no camera 'chas' (did you mean \"chase\"?)" in wrong.stderr
    assert not (tmp_path / "x").exists()
    wrong = program("replay", drive.recording, "--offscreen", "--camera", "eye")
    assert wrong.returncode == 2 and "--camera: needs --export of a video or of sound" in wrong.stderr


@pytest.mark.skipif(not (shutil.which("ffmpeg") and shutil.which("ffprobe")), reason="ffmpeg is not installed")
def test_ffmpeg_writes_a_playable_video_complete_and_cancelled(viewer, tmp_path, monkeypatch):
    path, count, cancelled = export_video(viewer, tmp_path / "a.mp4", rate=10.0, start=0.5)
    assert (count, cancelled) == (10, False) and probed(path) == ("h264", *SIZE, 10)
    image = tmp_path / "last.png"
    subprocess.run(["ffmpeg", "-v", "error", "-sseof", "-0.15", "-i", path, "-frames:v", "1", image], check=True)
    assert_shows_a_drive(pixels(image))
    cancel_after(4, monkeypatch)
    path, count, cancelled = export_video(viewer, tmp_path / "b.mp4", rate=10.0, start=0.5)
    assert cancelled and count == 4 and probed(path) == ("h264", *SIZE, 4)


def probed(path):
    """(codec, width, height, frame count) of a video, all frames decoded."""
    entries = "stream=codec_name,width,height,nb_read_frames"
    result = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", entries, "-of", "json", path],
                          capture_output=True, check=True, text=True)  # fmt: skip
    (stream,) = json.loads(result.stdout)["streams"]
    return stream["codec_name"], stream["width"], stream["height"], int(stream["nb_read_frames"])
