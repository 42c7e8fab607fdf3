"""The soundtrack of a recording has horn and turn signals exactly while the driver had them on."""

import wave

import numpy as np
import pytest
from driveline_blocks import peak_near, rms

from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.recording import Recorder, Recording
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.recorded import recorded_blocks
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.wav_file import write_wav

TICK = 1.0 / 240.0  # s
TICKS, PRESSED, RELEASED = 480, 97, 313  # of a drive; at which horn or turn signals go on and off
TONES = 420.0, 500.0  # Hz
TRAVEL = 0.05  # s, longer than sound takes from the car to the camera
RELEASE = 0.3  # s, of the horn and of the ground's reflections


def new_world():
    world = World(load_world("plane"), [load_vehicle("roadster_simple")], TICK)
    world.spawn()
    return world


def record(path, horn=(TICKS, TICKS), turn=(TICKS, TICKS)):
    """Record a standing car whose horn and turn signals are on from one tick to another; returns its samples [n, 2]."""
    world, blocks = new_world(), []
    track = Soundtrack(world)

    def listen():
        track.horn, track.indicator = session.signals.horn, session.signals.turn != 0
        track.add()
        blocks.extend(block.copy() for block in track.blocks())

    with Session(world, record=path) as session:
        session.on_tick.append(listen)
        for tick in range(TICKS):
            session.signals.horn = horn[0] <= tick < horn[1]
            session.signals.turn = 1 if turn[0] <= tick < turn[1] else 0
            session.step(TICK, lambda situation: neutral_command())
    assert len(blocks) * 40 == TICKS * TICK * SAMPLE_RATE
    return np.concatenate(blocks)


def samples_of(path, folder):
    """Samples [n, 2] of the WAV file of a recording."""
    write_wav(folder / "a.wav", recorded_blocks(Recording.open(path)))
    with wave.open(str(folder / "a.wav")) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2) / 32768.0


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """Samples of the drive without signals."""
    return record(tmp_path_factory.mktemp("quiet") / "quiet.drive")


def test_the_horn_is_heard_from_tick_to_tick(tmp_path, quiet):
    path = tmp_path / "horn.drive"
    driven = record(path, horn=(PRESSED, RELEASED))
    heard = samples_of(path, tmp_path)
    assert np.abs(heard - driven).max() < 2.0 / 32768.0  # the drive's own, rounded
    horn = (driven - quiet)[:, 0]
    start, end = (int(tick * TICK * SAMPLE_RATE) for tick in (PRESSED, RELEASED))
    assert not horn[:start].any()
    assert horn[start : start + int(TRAVEL * SAMPLE_RATE)].any()
    for tone in TONES:
        frequency, strength = peak_near(heard[start + 4800 : end, 0], tone)
        assert frequency == pytest.approx(tone, rel=0.005)
        for silent in (heard[: start - 100, 0], heard[end + int(RELEASE * SAMPLE_RATE) :, 0]):
            assert peak_near(silent, tone)[1] < 0.2 * strength  # of the idling engine
    assert rms(horn[end - 4800 : end]) > 100.0 * rms(horn[end + int(RELEASE * SAMPLE_RATE) :])


def test_turn_signals_click_while_they_are_on(tmp_path, quiet):
    path = tmp_path / "turn.drive"
    driven = record(path, turn=(PRESSED, RELEASED))
    blocks = np.concatenate([block.copy() for block in recorded_blocks(Recording.open(path))])
    assert blocks.tobytes() == driven.tobytes()
    click = np.abs(driven - quiet).max(1)
    start, end = (int(tick * TICK * SAMPLE_RATE) for tick in (PRESSED, RELEASED))
    assert not click[:start].any() and click[start:end].any()
    assert click[end + int(RELEASE * SAMPLE_RATE) :].max() < 0.01 * click.max()


def test_a_swapped_vehicle_keeps_its_horn():
    world = new_world()
    track = Soundtrack(world)
    track.horn = True
    for tick in range(2):
        if tick == 1:
            other = load_vehicle("roadster_simple")
            other.put(world.vehicles[0].model_position(), world.vehicles[0].model_orientation())
            world.swap(0, other)
        world.step(neutral_command())
        track.add()
        assert track._rows["horn"][1, 0] == 1


def test_an_event_of_an_unknown_kind_is_not_heard(tmp_path):
    heard = []
    for kind in (None, "wipers"):
        world, path = new_world(), tmp_path / f"{kind}.drive"
        with Recorder(path, world, "2026-01-02T03:04:05") as recorder:
            for tick in range(120):
                if tick == 60 and kind:
                    recorder.event(kind, horn=True, turn=3)
                command = neutral_command()
                world.step(command)
                recorder.record(command)
        heard.append(np.concatenate([block.copy() for block in recorded_blocks(Recording.open(path))]))
    assert heard[0].tobytes() == heard[1].tobytes()
