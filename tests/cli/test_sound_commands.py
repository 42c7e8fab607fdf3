"""`simulate --sound` and `replay --export F.wav`: files, and the errors of their options."""

import json
import stat
import wave

import pytest
from command_line import run

from driving_sandbox.benchmarks.scenes import command
from driving_sandbox.cli.program import main
from driving_sandbox.lab.drivers import CommandFile
from driving_sandbox.physics.recording import Recorder
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

COMMANDS = "time,throttle,gear\n0,0.0,2\n0.2,1.0,2\n"
SIMULATE = ("simulate", "--vehicle", "roadster_simple", "--world", "plane", "--seconds", 1)


def pcm_of(path):
    """The samples of a WAV file as bytes; it must be stereo, of 16 bits and 48 kHz."""
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, 48000)
        return file.readframes(file.getnframes())


@pytest.fixture
def commands(tmp_path):
    path = tmp_path / "commands.csv"
    path.write_text(COMMANDS)
    return path


@pytest.fixture
def recording(tmp_path):
    """The drive of COMMANDS."""
    world = World(load_world("plane"), [load_vehicle("roadster_simple")])
    world.spawn()
    (tmp_path / "table.csv").write_text(COMMANDS)
    table = CommandFile(tmp_path / "table.csv", gear_count=7, default_gear=2)
    with Recorder(tmp_path / "lap.drive", world, "2026-01-01 12:00:00") as recorder:
        for tick in range(240):
            row = table.command(tick * world.tick_seconds)
            world.step(row)
            recorder.record(row)
    return tmp_path / "lap.drive"


def test_files_of_a_simulation_and_of_its_recording_are_equal(commands, recording, tmp_path, home, capsys):
    arguments = [*SIMULATE, "--commands", commands, "--out", tmp_path / "run.npz", "--json"]
    assert main([str(word) for word in [*arguments, "--sound", tmp_path / "run.wav"]]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["sound"] == str(tmp_path / "run.wav")
    assert main(["replay", str(recording), "--export", str(tmp_path / "lap.wav")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'lap.wav'}: 48000 samples, 1.00 s\n"
    assert pcm_of(tmp_path / "run.wav") == pcm_of(tmp_path / "lap.wav") != bytes(4 * 48000)
    mode = stat.S_IMODE((tmp_path / "run.wav").stat().st_mode)
    assert mode == stat.S_IMODE((tmp_path / "run.npz").stat().st_mode)  # the same permissions


def test_part_of_a_recording_is_the_part_of_its_file(recording, tmp_path, home, capsys):
    main(["replay", str(recording), "--export", str(tmp_path / "whole.wav"), "--camera", "cabin"])
    part = ["--from", "0.25", "--to", "0.75", "--camera", "cabin"]
    assert main(["replay", str(recording), "--export", str(tmp_path / "part.wav"), *part]) == 0
    whole = pcm_of(tmp_path / "whole.wav")
    assert pcm_of(tmp_path / "part.wav") == whole[4 * 12000 : 4 * 36000]  # 4 bytes for each 1/48000 s


def test_a_drive_sounds_the_same_in_a_fresh_process(commands, tmp_path, home):
    for name in ("one", "two"):
        result = run(
            *SIMULATE, "--commands", commands, "--out", tmp_path / "run.npz", "--sound", tmp_path / f"{name}.wav"
        )
        assert result.returncode == 0, result.stderr
        assert f"sound in {tmp_path / name}.wav" in result.stdout
    assert pcm_of(tmp_path / "one.wav") == pcm_of(tmp_path / "two.wav")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--sound", "run.mp3"), "run.mp3: --sound: must end in .wav"),
        (("--sound", "nowhere/run.wav"), "--sound: no such folder"),
        (("--camera", "cabin"), "--camera: needs --sound"),
        (("--sound", "run.wav", "--camera", "roof"), "no camera 'roof'"),
    ],
)
def test_wrong_options_of_simulate_are_refused(options, message, tmp_path, home, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([str(word) for word in (*SIMULATE, "--out", "run.npz", *options)]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("*.wav")) and not list(tmp_path.glob(".*.tmp"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--camera", "roof"), "no camera 'roof'"),
        (("--fps", "30"), "--fps: needs --export of a video"),
        (("--from", "5"), "there is nothing after 5 s; it ends at 1 s"),
    ],
)
def test_wrong_options_of_replay_are_refused(options, message, recording, tmp_path, home, capsys):
    assert main(["replay", str(recording), "--export", str(tmp_path / "lap.wav"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "lap.wav").exists()


def test_recording_that_cannot_be_repeated_is_refused_with_the_reason(tmp_path, home, capsys):
    world = World(load_world("plane").ground(), [load_vehicle("roadster_simple")])  # without a file
    with Recorder(tmp_path / "other.drive", world, "2026-01-01 12:00:00") as recorder:
        world.step(command(world.vehicles[0]))
        recorder.record(command(world.vehicles[0]))
    assert main(["replay", str(tmp_path / "other.drive"), "--export", str(tmp_path / "other.wav")]) == 2
    assert "was recorded in a world without a file" in capsys.readouterr().err
    assert not (tmp_path / "other.wav").exists()
