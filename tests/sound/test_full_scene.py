"""Whole scenes: eight cars that hit a wall at once, around the listener; a drive through a tunnel."""

import numpy as np
import pytest

from driving_sandbox.docs.build import sounds
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.sound.base.block import BLOCK, BLOCK_SECONDS, SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.body.materials import PANEL
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.space.emitters import EMITTERS
from driving_sandbox.sound.space.limiter import CEILING
from driving_sandbox.sound.space.listener import LISTENER
from driving_sandbox.sound.vehicle_sound import sound_of
from driving_sandbox.sound.voices import VoiceParameters

CARS = ("roadster", "coupe", "m3_e46", "golf_gti_mk7", "hatchback", "lowrider", "offroader", "clubsport")
DISTANCE = 4.0  # m, of each car from the listener
IMPACT = 5000.0  # N s: a car of 1.25 t that stops from 4 m/s in a tick
BEFORE, AFTER = 0.6, 0.6  # s, around the impacts
OUTSIDE = 1.0  # dB, most that barriers beside the road add before the tunnel
INSIDE = (2.5, 8.0)  # dB, that the tunnel adds: its reverberation is about as strong as what comes directly


def frames_of(sounds_of_cars):
    """FRAME [cars] at full throttle with spinning wheels, evenly around the origin, facing it."""
    frames = np.zeros(len(sounds_of_cars), FRAME)
    for k, (frame, sound) in enumerate(zip(frames, sounds_of_cars, strict=True)):
        turn = 2.0 * np.pi * k / len(frames)
        outwards = np.array([np.cos(turn), np.sin(turn), 0.0])
        frame["position"], frame["forward"], frame["velocity"] = DISTANCE * outwards, -outwards, 0.0
        frame["engine_speed"] = 0.9 * sound.parameters["engine"]["redline"]
    frames["throttle"], frames["load"], frames["burning"], frames["boost"] = 1.0, 1.0, 1, 0.8
    frames["gear"], frames["gear_speed"], frames["shaft_speed"], frames["gear_torque"] = 3, 500.0, 300.0, 250.0
    frames["air_speed"], frames["wheel_count"], frames["wheel_speed"] = 40.0, 4, 40.0
    frames["wheel_load"], frames["slip_speed"], frames["used_friction"] = 4000.0, 6.0, 1.0
    return frames


def crash(master, impact=IMPACT):
    """Samples [n, 2] of eight cars, each with an impact in the same block."""
    cars = [sound_of(load_vehicle(name)) for name in CARS]
    parameters = np.array([car.parameters for car in cars], VoiceParameters)
    scene = Scene(parameters, np.array([car.emitters for car in cars], EMITTERS))
    scene.levels["master"] = master
    calm, listener = frames_of(cars), np.zeros(1, LISTENER)
    listener["right"] = (1.0, 0.0, 0.0)
    struck = calm.copy()
    struck["impact"], struck["impact_material"] = impact, PANEL
    hit, count = round(BEFORE / BLOCK_SECONDS), round((BEFORE + AFTER) / BLOCK_SECONDS)
    return np.concatenate([scene.render(calm, struck if k == hit else calm, listener).copy() for k in range(count)])


def true_peak(samples):
    """Largest magnitude with 4-fold oversampling by the Fourier transform; zeros keep the ends apart."""
    padded = np.pad(samples * np.minimum(1.0, np.arange(len(samples))[::-1, None] / 500.0), ((0, 4800), (0, 0)))
    fine = 4.0 * np.fft.irfft(np.fft.rfft(padded, axis=0), 4 * len(padded), axis=0)
    return np.abs(fine).max()


@pytest.mark.parametrize("master", [1.0, 8.0])
def test_eight_cars_that_hit_a_wall_at_once_stay_below_minus_one_decibel(master):
    samples = crash(master)
    assert np.isfinite(samples).all()
    assert 0.8 * CEILING < np.abs(samples).max() < CEILING
    assert true_peak(samples) < CEILING < 10.0 ** (-1.0 / 20.0)


def test_without_the_limiter_they_would_exceed_full_scale():
    """A tenth of the level passes the limiter unchanged; engines and squealing tires are loud beside the impacts."""
    both, driving = crash(0.1), crash(0.1, 0.0)
    assert np.abs(both).max() < 0.5 * CEILING
    assert 10.0 * np.abs(both).max() > 1.5
    assert 10.0 * np.abs(both - driving).max() > 1.0
    assert not (both - driving)[: round(BEFORE * SAMPLE_RATE)].any()


def test_a_tunnel_is_heard_while_the_listener_is_in_it():
    """The same drive with and without its surroundings."""
    world, drive, seconds = sounds.scene("tunnel")
    tracks = Soundtrack(world), Soundtrack(world)
    tracks[1]._room.fill = lambda listeners, ground: None
    heard, enclosure = ([], []), []
    for _ in range(round(seconds / world.tick_seconds)):
        world.step(drive(world.time))
        for track, blocks in zip(tracks, heard, strict=True):
            track.add()
            blocks += [block.copy() for block in track.blocks()]
        enclosure.append(float(tracks[0]._heard[1, 0]["enclosure"]))
    near, open_land = (np.concatenate(blocks).reshape(-1, 24000, 2) for blocks in heard)
    share = np.reshape(enclosure, (len(near), -1))  # per half second
    louder = 10.0 * np.log10((near**2).sum(axis=(1, 2)) / (open_land**2).sum(axis=(1, 2)))
    inside, outside = share.min(axis=1) > 0.95, share.max(axis=1) == 0.0
    assert inside.sum() >= 5 and outside[:8].all() and outside[-3:].all()
    assert (louder[inside] > INSIDE[0]).all() and (louder[inside] < INSIDE[1]).all()
    assert (abs(louder[outside]) < OUTSIDE).all()
    assert np.array_equal(near[-2:], open_land[-2:])  # nothing is left behind
    alike = [np.corrcoef(piece.T)[0, 1] for piece in near]
    assert (
        max(np.array(alike)[inside]) < 0.9 < 0.97 < min(np.array(alike)[outside])
    )  # reverberation comes from all sides
    assert near.shape[1] * len(near) == seconds * SAMPLE_RATE and near.shape[1] % BLOCK == 0
