"""Loudness and spectrograms of the documentation (docs/build), and how evenly loud the vehicles are."""

import numpy as np
import pytest

from driving_sandbox.docs.build import sounds
from driving_sandbox.docs.build.loudness import loudness
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER
from driving_sandbox.sound.base.block import SAMPLE_RATE

QUIETER = {"buggy"}  # electric
BAND = 3.0  # LU


def tone(frequency, level, seconds=3.0):
    """A sine, dB of full scale, in both channels."""
    wave = np.sin(2.0 * np.pi * frequency / SAMPLE_RATE * np.arange(round(seconds * SAMPLE_RATE)))
    return np.repeat(10.0 ** (level / 20.0) * wave[:, None], 2, axis=1)


@pytest.mark.parametrize("level", [-40.0, -23.0, 0.0])
def test_a_tone_of_1_khz_has_its_level(level):
    """Signals of EBU Tech 3341: 0 dB in both channels is 0 LUFS, in one -3."""
    both = tone(1000.0, level)
    assert loudness(both) == pytest.approx(level, abs=0.1)
    assert loudness(both * [1.0, 0.0]) == pytest.approx(level - 3.01, abs=0.1)


def test_low_tones_count_less_and_high_ones_more():
    assert loudness(tone(40.0, -20.0)) < -24.0
    assert loudness(tone(5000.0, -20.0)) == pytest.approx(-20.0 + 3.3, abs=0.3)


def test_pauses_do_not_count():
    """Case 3 of EBU Tech 3341: a tone between quieter ones is measured alone."""
    mixed = np.concatenate([tone(1000.0, -36.0, 10.0), tone(1000.0, -23.0, 60.0), tone(1000.0, -36.0, 10.0)])
    assert loudness(mixed) == pytest.approx(-23.0, abs=0.1)
    assert loudness(np.zeros((48000, 2))) == -np.inf


@pytest.mark.parametrize("frequency", [100.0, 1000.0, 6000.0])
def test_a_tone_is_a_line_at_its_frequency(frequency):
    picture = sounds.spectrogram(tone(frequency, -10.0)).astype(float).sum(axis=2)[:, 200:400]
    pitch = np.geomspace(sounds.HIGHEST, sounds.LOWEST, sounds.SIZE[1])
    brightest = pitch[picture.mean(axis=1).argmax()]
    assert brightest == pytest.approx(frequency, rel=0.01, abs=SAMPLE_RATE / sounds.WINDOW)  # a row or a bin
    assert np.median(picture) < 0.2 * picture.max()


def test_scenes_have_a_slide_and_a_crash():
    world, drive, _ = sounds.scene("crash")
    speeds = []
    while world.time < sounds.BRAKE_BEGIN:  # at full throttle
        world.step(drive(world.time))
        speeds.append(world.vehicles[0].state["body"]["velocity"][0, 1])
    assert min(np.diff(speeds)) < -0.5  # m/s in a tick
    world, drive, _ = sounds.scene("slide")
    across = []
    while world.time < sounds.HANDBRAKE_END:
        world.step(drive(world.time))
        across.append(abs(world.vehicles[0].state["tire"]["lateral_speed"][0, 2]))
    assert max(across[: round(sounds.SLIDE_BEGIN / world.tick_seconds)]) < 0.5 < 2.0 < max(across)  # m/s, a rear tire


@pytest.mark.nightly
def test_vehicles_are_equally_loud():
    names = sorted(path.stem for path in VEHICLE_FOLDER.glob("*.yaml"))
    levels = {}
    for name in names:
        blocks = [block.copy() for block in sounds.rendered(*sounds.scene(name))]
        levels[name] = loudness(np.concatenate(blocks))
    middle = np.median(list(levels.values()))
    assert {name for name, level in levels.items() if abs(level - middle) > BAND} == QUIETER
