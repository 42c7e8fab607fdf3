"""The mixer: groups, fades, cabin, several vehicles, and the WAV file."""

import wave

import numpy as np
import pytest
from heard import Scene, chord, level, tone

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.sound.base.block import (
    BLOCK,
    BODY,
    BUS_COUNT,
    ENGINE_BAY,
    EXHAUST,
    FRONT_TIRES,
    REAR_TIRES,
    SAMPLE_RATE,
)
from driving_sandbox.sound.base.gain import smoothstep
from driving_sandbox.sound.mixer import FADE, LEVELS
from driving_sandbox.sound.space.cabin import BOOM, DRUM, DRUM_TONE, GAP, LEAK, LID, WALLS
from driving_sandbox.sound.wav_file import LONGEST, pcm, write_wav

SETTLED = 480  # blocks, 0.4 s


def near():
    """A scene with a vehicle 5 m ahead."""
    scene = Scene()
    scene.frames["position"] = [0.0, 5.0, 0.0]
    return scene


GROUPS = {
    EXHAUST: "engine", ENGINE_BAY: "engine", FRONT_TIRES: "tires", REAR_TIRES: "tires", BODY: "surroundings"
}  # fmt: skip


@pytest.mark.parametrize("bus", range(BUS_COUNT))
@pytest.mark.parametrize("group", [name for name in LEVELS.names if name != "fade"])
def test_a_level_turns_down_its_own_group_only(group, bus):
    scene = near()
    full = level(scene.hear(tone(300.0), buses=(bus,), blocks=SETTLED)[-4800:])[0]
    scene.levels[group] = 0.5
    half = level(scene.hear(tone(300.0), buses=(bus,), blocks=SETTLED)[-4800:])[0]
    concerned = group in ("master", GROUPS[bus])
    assert half - full == pytest.approx(-6.02 if concerned else 0.0, abs=0.01)


@pytest.mark.parametrize("group", ["master", "surroundings"])
def test_switching_off_and_on_does_not_click_and_is_silent_between(group):
    scene = near()
    parts = []
    for value in (1.0, 0.0, 1.0):
        scene.levels[group] = value
        parts.append(scene.hear(chord, blocks=SETTLED))
    heard = np.concatenate(parts)
    off, on = SETTLED * BLOCK, 2 * SETTLED * BLOCK
    assert np.abs(heard[on - 4800 : on]).max() < 1e-12
    loud = np.quantile(np.abs(np.diff(heard[off - 14400 : off], 3, axis=0)), 0.9999)
    for begin in (off, on):
        assert np.abs(np.diff(heard[begin - 10 : begin + 4800], 3, axis=0)).max() < 1.5 * loud


def test_the_first_samples_fade_in():
    heard = near().hear(chord, blocks=120)
    envelope = np.abs(heard[:, 0]).reshape(-1, 480).max(axis=1)  # per 10 ms; 15 ms of travel first
    steady = envelope[-1]
    assert envelope[0] < 0.1 * steady
    assert envelope[2] < 0.75 * steady
    assert envelope[int(FADE * 100.0) + 2] == pytest.approx(steady, rel=0.3)


def test_the_cabin_passes_low_frequencies_and_keeps_out_high_ones():
    def change(hertz):
        scene = near()
        outside = level(scene.hear(tone(hertz), blocks=SETTLED)[-4800:])[0]
        scene.listener["inside"] = 1.0
        return level(scene.hear(tone(hertz), blocks=SETTLED)[-4800:])[0] - outside

    assert change(20.0) == pytest.approx(20.0 * np.log10(WALLS + LEAK), abs=1.5)
    assert change(72.0) == pytest.approx(20.0 * np.log10(WALLS + LEAK + BOOM), abs=1.0)
    assert -16.0 < change(660.0) < -10.0
    assert change(8000.0) == pytest.approx(20.0 * np.log10(LEAK), abs=1.0)


def test_an_open_car_keeps_less_out():
    """Of a high tone, a cabin passes 1 - s + s LEAK, s: smoothstep of `closed`."""

    def heard(closed):
        scene = near()
        scene.cabin, scene.listener["inside"] = closed, 1.0
        return 10.0 ** (level(scene.hear(tone(8000.0), blocks=SETTLED)[-4800:])[0] / 20.0)

    share = smoothstep(0.3, (0.0, 1.0))
    assert heard(0.3) / heard(0.0) == pytest.approx(1.0 - share + share * LEAK, rel=0.02)
    assert heard(1.0) / heard(0.0) == pytest.approx(LEAK, rel=0.1)


def test_the_bonnet_passes_more_than_the_cabin_and_drums():
    def change(hertz):
        scene = near()
        outside = level(scene.hear(tone(hertz), blocks=SETTLED)[-4800:])[0]
        scene.listener["bonnet"] = 1.0
        return level(scene.hear(tone(hertz), blocks=SETTLED)[-4800:])[0] - outside

    assert change(20.0) == pytest.approx(20.0 * np.log10(LID + GAP), abs=1.0)
    assert change(DRUM_TONE) == pytest.approx(20.0 * np.log10(LID + GAP + DRUM), abs=1.0)
    assert change(8000.0) == pytest.approx(20.0 * np.log10(GAP), abs=1.0)


@pytest.mark.parametrize("way", [(0.0, 1.0), (1.0, 0.0)])
def test_a_change_between_cabin_and_outside_does_not_click(way):
    scene = near()
    parts = []
    for inside in way:
        scene.listener["inside"] = inside
        parts.append(scene.hear(chord, blocks=SETTLED))
        if inside == way[0]:
            scene.listener["position"] = [3.0, 1.0, 0.0]  # another camera, at the same distance
    heard, begin = np.concatenate(parts), SETTLED * BLOCK
    loud = max(np.quantile(np.abs(np.diff(part[4800:], 3, axis=0)), 0.9999) for part in parts)
    assert np.abs(np.diff(heard[begin - 10 : begin + 6000], 3, axis=0)).max() < 1.5 * loud


def test_the_borders_of_blocks_are_not_heard_in_a_drive_by():
    scene, heard = Scene(), []
    for _ in range(1800):
        scene.frames["position"] = [4.0, 40.0 * (scene.time - 0.75), 0.0]
        heard.append(scene.hear(chord))
    change = np.abs(np.diff(np.concatenate(heard), 3, axis=0))[BLOCK * 600 : BLOCK * 1200].max(axis=1)
    by_sample = change.reshape(-1, BLOCK).max(axis=0)  # of a sample within its block
    assert by_sample.max() < 1.25 * np.median(by_sample)


def drive(vehicles, blocks=400):
    """Samples of vehicles that pass each other, each with its own noise."""
    scene, heard = Scene(vehicles), []
    signals = np.random.default_rng(5).uniform(-0.3, 0.3, (vehicles, blocks * BLOCK))
    for _ in range(blocks):
        for vehicle in range(vehicles):
            scene.frames["position"][vehicle] = [3.0 * vehicle, (20.0 + 9.0 * vehicle) * scene.time - 5.0, 0.0]
        heard.append(scene.hear(lambda n, vehicle: signals[vehicle, n]))
    return np.concatenate(heard)


def test_equal_drives_give_equal_samples():
    assert drive(3).tobytes() == drive(3).tobytes()


def test_vehicles_add_up():
    scenes = Scene(2), Scene(1), Scene(1)
    positions = [[6.0, 2.0, 0.0], [-3.0, -8.0, 0.0]]
    signals = [tone(200.0), tone(330.0)]
    scenes[0].frames["position"] = positions
    scenes[1].frames["position"], scenes[2].frames["position"] = positions[:1], positions[1:]
    both = scenes[0].hear(lambda n, vehicle: signals[vehicle](n, 0), blocks=SETTLED)
    alone = [scene.hear(signal, blocks=SETTLED) for scene, signal in zip(scenes[1:], signals, strict=True)]
    assert both == pytest.approx(alone[0] + alone[1], abs=1e-9)


def test_without_vehicles_there_is_silence():
    assert not Scene(0).hear(chord, blocks=20).any()


def test_overload_stays_below_the_ceiling():
    heard = near().hear(lambda n, vehicle: 20.0 * chord(n, vehicle), blocks=SETTLED)
    assert 0.5 < np.abs(heard).max() <= 0.891  # -1 dB of full scale


def test_a_wav_file_holds_the_rounded_samples(tmp_path):
    blocks = [near().hear(chord, blocks=3) for _ in range(4)]
    path = tmp_path / "drive.wav"
    assert write_wav(path, blocks) == 12 * BLOCK
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, int(SAMPLE_RATE))
        read = np.frombuffer(file.readframes(10**6), "<i2").reshape(-1, 2)
    assert np.array_equal(read, np.rint(np.concatenate(blocks) * 32767.0))
    first = path.read_bytes()
    write_wav(path, iter(blocks))
    assert path.read_bytes() == first


def test_samples_beyond_full_scale_are_clipped_not_wrapped():
    assert pcm(np.array([[1.5, -1.5], [1.0, 0.0]])).tolist() == [[32767, -32767], [32767, 0]]


def test_a_wav_file_that_would_be_too_long_is_refused(tmp_path, monkeypatch):
    assert 44 + 4 * LONGEST <= 2**32 + 7 and LONGEST / SAMPLE_RATE > 6.2 * 3600.0  # sizes without the first 8 bytes
    monkeypatch.setattr("driving_sandbox.sound.wav_file.LONGEST", 3 * BLOCK)
    path = tmp_path / "drive.wav"
    block = np.zeros((BLOCK, 2))
    assert write_wav(path, [block] * 3) == 3 * BLOCK
    with pytest.raises(UserError, match=r"drive.wav: a WAV file holds at most .* h of sound; make it in parts"):
        write_wav(path, [block] * 4)
    assert list(tmp_path.iterdir()) == [path] and path.stat().st_size == 44 + 3 * BLOCK * 4


def test_a_wav_file_that_fails_leaves_the_old_one(tmp_path):
    path = tmp_path / "drive.wav"
    path.write_bytes(b"old")

    def broken():
        yield np.zeros((BLOCK, 2))
        raise RuntimeError("the vehicle exploded")

    with pytest.raises(RuntimeError, match="exploded"):
        write_wav(path, broken())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
