"""The sound of exported videos: present, as long as the pictures, in time with them, and heard from the camera."""

import json
import shutil
import stat
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from app_rig import program

from driving_sandbox.game.replay.video_sound import CODECS, CameraPath, SoundError, add_sound, filled
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.lab.drivers import CommandFile
from driving_sandbox.physics.recording import Recorder, Recording
from driving_sandbox.physics.recording.format import RecordingError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.recorded import recorded_blocks

RATE = 25  # frames/s
SECONDS = 1.2  # length of the videos
COMMANDS = "time,throttle,gear\n0,0.0,2\n0.2,1.0,2\n"  # gear 2 is first gear
TICK = 1.0 / 240.0  # s
needs_ffmpeg = pytest.mark.skipif(not (shutil.which("ffmpeg") and shutil.which("ffprobe")), reason="needs ffmpeg")


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """A function that records a drive of 1.5 s; at the tick `fault` the car gets a speed that is not recorded."""

    def make(fault=None):
        folder = tmp_path_factory.mktemp("recording")
        world = World(load_world("plane"), [load_vehicle("roadster_simple")], TICK)
        world.spawn()
        (folder / "table.csv").write_text(COMMANDS)
        table = CommandFile(folder / "table.csv", gear_count=7, default_gear=2)
        with Recorder(folder / "lap.drive", world, "2026-01-01 12:00:00") as recorder:
            for tick in range(360):
                if tick == fault:
                    world.vehicles[0].state["body"]["velocity"] = (0.0, 5.0, 0.0)
                row = table.command(tick * TICK)
                world.step(row)
                recorder.record(row)
        return Recording.open(folder / "lap.drive")

    return make


@pytest.fixture(scope="module")
def recording(record):
    return record()


def view_at(y, x=0.0):
    """A View from (x, y, 1.5), m, along the y axis; the car starts at the origin."""
    return View(np.array([x, y, 1.5]), np.array([x, y + 10.0, 1.5]), fov=1.0)


def resting(view, listener=""):
    """The path of a camera at rest, for a video of SECONDS that begins 0.2 s into the recording."""
    track = CameraPath(TICK)
    for k in range(round(SECONDS * RATE)):
        track.add(0.2 + (k + 1) / RATE, replace(view, listener=listener))
    return track


def silent_video(path):
    """Write a video of SECONDS with a test picture and without sound; returns its path."""
    source = f"testsrc=size=64x48:rate={RATE}:duration={SECONDS}"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, path], check=True, capture_output=True)
    return path


def streams(path):
    """{kind: (codec, frame count)} of a video, all decoded."""
    entries = "stream=codec_type,codec_name,nb_read_frames"
    command = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", entries, "-of", "json", path]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)["streams"]
    return {stream["codec_type"]: (stream["codec_name"], int(stream["nb_read_frames"])) for stream in found}


def samples_of(path):
    """Decoded samples, float64 [n, 2]."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "f32le", "-ar", "48000", "-ac", "2", "-"]
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    return np.frombuffer(raw, np.float32).reshape(-1, 2).astype(np.float64)


@needs_ffmpeg
@pytest.mark.parametrize("suffix", CODECS)
def test_a_video_gets_sound_as_long_as_its_pictures(recording, tmp_path, suffix):
    path = silent_video(tmp_path / f"lap{suffix}")
    pictures = streams(path)["video"]
    add_sound(path, recording, resting(view_at(-4.0)), (0.2, 0.2 + SECONDS), "ffmpeg")
    found = streams(path)
    assert found["video"] == pictures == (pictures[0], round(SECONDS * RATE))
    # ffmpeg's encoder of Opus is named differently from the codec
    assert found["audio"][0] == {"libopus": "opus"}.get(CODECS[suffix], CODECS[suffix])
    heard = samples_of(path)
    assert len(heard) / SAMPLE_RATE == pytest.approx(SECONDS, abs=1.0 / RATE)
    assert heard[len(heard) // 2 :].std() > 0.01
    assert list(tmp_path.iterdir()) == [path]


@needs_ffmpeg
def test_the_sound_is_in_time_with_the_recording(recording, tmp_path):
    path = silent_video(tmp_path / "lap.mp4")
    add_sound(path, recording, resting(view_at(-4.0)), (0.2, 0.2 + SECONDS), "ffmpeg")
    heard = samples_of(path)[:, 0]
    blocks = recorded_blocks(recording, resting(view_at(-4.0)), (0.2, 0.2 + SECONDS))
    computed = np.concatenate([block[:, 0].copy() for block in blocks])
    size = 1 << 18  # samples; more than both sounds together
    correlation = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(computed, size)), size)
    shift = (int(np.argmax(correlation)) + size // 2) % size - size // 2
    assert abs(shift) < SAMPLE_RATE / RATE / 4.0  # a quarter of a frame


@needs_ffmpeg
def test_the_sound_is_heard_from_the_camera(recording, tmp_path):
    levels = []
    for k, view in enumerate((view_at(-4.0), view_at(-60.0))):
        path = silent_video(tmp_path / f"{k}.mp4")
        add_sound(path, recording, resting(view), (0.2, 0.2 + SECONDS), "ffmpeg")
        levels.append(samples_of(path)[24000:].std())  # from 0.5 s on
    assert levels[1] < 0.3 * levels[0]


@needs_ffmpeg
def test_a_recording_that_cannot_be_repeated_leaves_a_silent_video(record, tmp_path):
    path = silent_video(tmp_path / "lap.mp4")
    before = path.read_bytes()
    with pytest.raises(RecordingError, match="cannot be repeated: tick 200"):
        add_sound(path, record(fault=200), resting(view_at(-4.0)), (0.2, 0.2 + SECONDS), "ffmpeg")
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_failing_encoder_leaves_the_video(recording, tmp_path):
    encoder = tmp_path / "encoder"
    encoder.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no space left')\n")
    encoder.chmod(encoder.stat().st_mode | stat.S_IXUSR)
    path = tmp_path / "lap.mp4"
    path.write_bytes(b"pictures")
    with pytest.raises(SoundError, match="no space left"):
        add_sound(path, recording, resting(view_at(-4.0)), (0.2, 0.4), str(encoder))
    with pytest.raises(SoundError, match="cannot be run"):
        add_sound(path, recording, resting(view_at(-4.0)), (0.2, 0.4), str(tmp_path / "nothing"))
    assert path.read_bytes() == b"pictures" and sorted(tmp_path.iterdir()) == [encoder, path]


def test_blocks_are_filled_up_or_cut():
    blocks = [np.full((40, 2), float(k)) for k in range(5)]
    assert [len(block) for block in filled(blocks, 100)] == [40, 40, 20]
    assert sum(len(block) for block in filled(blocks, 230)) == 230


def test_a_camera_path_is_interpolated_to_ticks_and_holds_at_its_ends():
    track = CameraPath(TICK)
    for k in range(3):
        track.add((4 + 4 * k) * TICK, replace(view_at(2.0 * k), listener="cabin"))
    positions = [float(track.listen()["position"][0, 1]) for _ in range(16)]
    assert positions[:4] == [0.0] * 4
    assert np.diff(positions[3:12]) == pytest.approx(0.5)
    assert positions[12:] == [4.0] * 4
    assert track.listen()["inside"][0] == 1.0 and track.listen()["right"][0] == pytest.approx((1.0, 0.0, 0.0))


def test_a_camera_path_does_not_glide_to_a_camera_elsewhere():
    track = CameraPath(TICK)
    track.add(4 * TICK, view_at(0.0))
    track.add(8 * TICK, view_at(100.0))
    assert {float(track.listen()["position"][0, 1]) for _ in range(10)} == {0.0, 100.0}


@needs_ffmpeg
@pytest.mark.drawn
def test_the_command_exports_a_video_with_sound_or_says_why_it_has_none(recording, record, tmp_path, home):
    options = ("--to", 0.5, "--fps", 20, "--size", "320x180")
    for name, more in (("sound", ("--camera", "trackside")), ("silent", ("--no-sound",))):
        result = program("replay", recording.path, "--export", tmp_path / f"{name}.mp4", *options, *more)
        assert result.returncode == 0, result.stderr
        assert "10 frames, 0.50 s" in result.stdout and "no sound" not in result.stderr
    result = program("replay", record(fault=60).path, "--export", tmp_path / "silent.mkv", *options)
    assert result.returncode == 0 and "silent.mkv: no sound: " in result.stderr, result.stderr
    assert "cannot be repeated: tick 60" in result.stderr
    assert set(streams(tmp_path / "silent.mkv")) == {"video"}
    assert set(streams(tmp_path / "silent.mp4")) == {"video"}
    assert streams(tmp_path / "sound.mp4")["video"] == ("h264", 10)
    heard = samples_of(tmp_path / "sound.mp4")
    assert len(heard) / SAMPLE_RATE == pytest.approx(0.5, abs=0.05) and heard.std() > 1e-3
