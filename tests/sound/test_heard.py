"""Vehicles beside the driven one: parked ones are silent, moving ones heard from where they are, ghosts quieter."""

import numpy as np
import pytest

from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound import heard
from driving_sandbox.sound.base.block import SAMPLE_RATE, SPEED_OF_SOUND
from driving_sandbox.sound.base.frame import ABSENT, FRAME
from driving_sandbox.sound.heard import GHOST_GAIN, MOST_OTHERS, STILL_SECONDS, HeardVehicles
from driving_sandbox.sound.soundtrack import Soundtrack
from driving_sandbox.sound.space.listener import LISTENER

RATE = round(SAMPLE_RATE)
QUIET = "buggy"  # electric: without a command it is perfectly silent
PARKED = {"handbrake": 1.0}


def world_of(*names):
    """A plane on which the first vehicle stands at the origin, the next ones 8 m to the right of the one before."""
    world = World(load_world("plane"), [load_vehicle(name) for name in names])
    for index in range(len(names)):
        world.place(world.trains[index].start, (8.0 * index, 0.0), 0.0)
    return world


class Standing:
    """A listener that stands at the origin and looks along y."""

    def __init__(self):
        self.listener = np.zeros(1, LISTENER)
        self.listener["position"], self.listener["right"] = [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]

    def restart(self):
        pass

    def listen(self):
        return self.listener


def drive(world, track, seconds, first=None, others=PARKED):
    """Samples [n, 2] of a drive. first, others: fields of the command of the first vehicle, and of all others."""
    command, blocks = neutral_command(len(world.trains)), []
    for fields, rows in ((first or {}, command[:1]), (others, command[1:])):
        for name, value in fields.items():
            rows[name] = value
    for _ in range(round(seconds / world.tick_seconds)):
        world.step(command)
        track.add()
        blocks += [block.copy() for block in track.blocks()]
    return np.concatenate(blocks)


def roll(vehicle, speed):
    """Let a vehicle roll forward (+y), m/s."""
    wheels = slice(vehicle.wheel_count)
    vehicle.state["body"]["velocity"] = (0.0, speed, 0.0)
    vehicle.state["wheel"]["omega"][0, wheels] = speed / vehicle.params["wheel"]["radius"][0, wheels]


def settle(world):
    """Let all vehicles come to rest on their springs."""
    command = neutral_command(len(world.trains))
    command["handbrake"] = 1.0
    for _ in range(240):
        world.step(command)


def is_silent(samples):
    """Whether nothing is left but the offset that keeps filters free of denormal numbers."""
    return np.abs(samples).max() < 1e-15


def level(samples):
    """dB of the rms, per ear."""
    return 10.0 * np.log10(np.mean(np.square(samples), axis=0) + 1e-30)


def pitch(samples):
    """Frequency of the strongest partial between 380 and 470 Hz, the horn's lower tone, Hz."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 8 * len(samples)))
    frequencies = np.fft.rfftfreq(8 * len(samples), 1.0 / SAMPLE_RATE)
    inside = (frequencies > 380.0) & (frequencies < 470.0)
    return frequencies[inside][np.argmax(spectrum[inside])]


def computed(track):
    """Slots of the scene whose sound is computed."""
    return np.flatnonzero(track.scene.arrays["spaces"]["history"]["count"])


# ---- parked vehicles


def test_parked_vehicles_add_exactly_nothing_and_are_not_computed():
    moving = {"throttle": 1.0, "gear": FIRST}
    worlds = world_of("roadster_simple"), world_of("roadster_simple", "hatchback", "truck")
    for world in worlds:
        settle(world)
    tracks = [Soundtrack(world) for world in worlds]
    alone, beside = (drive(world, track, 1.0, moving) for world, track in zip(worlds, tracks, strict=True))
    assert np.abs(alone).max() > 0.01
    assert beside.tobytes() == alone.tobytes()
    assert list(computed(tracks[1])) == [0]


def test_a_world_in_which_everything_stands_is_silent():
    world = world_of(QUIET, "hatchback")
    settle(world)
    track = Soundtrack(world)
    assert is_silent(drive(world, track, 0.5))
    assert list(computed(track)) == [0]


def test_a_parked_vehicle_is_heard_when_it_is_hit_and_is_silent_after_it_has_come_to_rest():
    world = world_of(QUIET, "hatchback")
    settle(world)
    track = Soundtrack(world)
    drive(world, track, 0.1)
    world.vehicles[1].state["body"]["velocity"] = (1.0, 0.0, 0.0)
    assert np.abs(drive(world, track, 0.5)).max() > 1e-3
    assert list(computed(track)) == [0, 1]
    drive(world, track, STILL_SECONDS + 1.5)
    assert list(computed(track)) == [0]
    assert is_silent(drive(world, track, 0.5))


def test_the_engine_of_a_parked_vehicle_is_off_until_it_is_given_throttle():
    frames = np.zeros(2, FRAME)
    world = world_of(QUIET, "hatchback")
    vehicles, command = HeardVehicles(world), neutral_command(2)

    def gathered(ticks, throttle):
        command["throttle"][1], command["handbrake"] = throttle, 1.0
        for _ in range(ticks):
            world.step(command)
            vehicles.gather(frames)
        return frames[1]

    world.vehicles[1].state["body"]["velocity"] = (1.0, 0.0, 0.0)
    assert gathered(10, 0.0)["attenuation"] == 0.0 and frames["engine_speed"][1] == 0.0
    assert gathered(20, 0.5)["engine_speed"] > 50.0
    assert gathered(1200, 0.0)["engine_speed"] > 50.0 and frames["attenuation"][1] == 0.0


# ---- vehicles that move


def test_a_vehicle_that_passes_a_standing_listener_has_its_doppler_shift_and_level():
    """A horn of 420 Hz at 30 m/s: sounded 60 m before and behind the listener, 4 m beside it."""
    world = world_of(QUIET, "roadster_simple")
    world.place(0, (0.0, -400.0), 0.0)
    track, heard_at = Soundtrack(world, Standing()), []
    for y in (-75.0, 45.0, 145.0):
        world.place(1, (4.0, y), 0.0)
        roll(world.vehicles[1], 30.0)
        track.jump()
        track.vehicles.gatherers[1].switch(horn=True, indicator=False)
        heard_at.append(drive(world, track, 1.0, others={})[RATE // 2 : RATE * 3 // 4])
    before, after, farther = heard_at
    mach = 30.0 / SPEED_OF_SOUND
    assert pitch(before.mean(1)) == pytest.approx(420.0 / (1.0 - mach), rel=0.004)
    assert pitch(after.mean(1)) == pytest.approx(420.0 / (1.0 + mach), rel=0.004)
    lost = level(after).mean() - level(farther).mean()  # about 59 and 155 m away when the sound was emitted
    assert lost == pytest.approx(20.0 * np.log10(155.0 / 59.0), abs=2.0)


def test_if_more_vehicles_move_than_there_are_slots_the_nearest_ones_are_heard(monkeypatch):
    monkeypatch.setattr(heard, "MOST_OTHERS", 2)
    world = world_of(QUIET, *["planar_roadster"] * 4)
    vehicles, frames = HeardVehicles(world), np.zeros(3, FRAME)

    def heard_after(seconds):
        for _ in range(round(seconds / world.tick_seconds)):
            vehicles.gather(frames)
        return {slot.vehicle for slot in vehicles._slots if not slot.released}

    assert MOST_OTHERS == 8
    assert heard_after(0.1) == {1, 2}
    world.vehicles[4].state["body"]["position"][0, 0] = 1.0  # now nearest
    assert heard_after(0.1) == {1}, "the farthest one fades first"
    assert heard_after(1.2) == {1, 4}
    assert frames["attenuation"][1:].max() < ABSENT


def test_a_vehicle_occupies_and_releases_a_slot_without_a_click():
    """Rolling noise that is cut off would have a step as large as its samples."""
    world = world_of(QUIET, "planar_roadster")
    track = Soundtrack(world)
    drive(world, track, 0.5)
    steps = [np.abs(np.diff(drive(world, track, 0.5), axis=0)).max()]
    for ghost_level in (0.0, 1.0):
        track.vehicles.ghost_level = ghost_level  # 0 takes its slot away, 1 gives it one
        steps.append(np.abs(np.diff(drive(world, track, 0.5), axis=0)).max())
    assert max(steps[1:]) < 1.5 * steps[0]


# ---- ghosts


@pytest.mark.parametrize(("side", "louder"), [(8.0, 1), (-8.0, 0)])
def test_a_vehicle_that_passes_through_others_is_12_db_quieter_and_heard_from_its_side(monkeypatch, side, louder):
    def heard_with(gain):
        monkeypatch.setattr(heard, "GHOST_GAIN", gain)
        world = world_of(QUIET, "planar_roadster")
        world.place(1, (side, 0.0), 0.0)
        return drive(world, Soundtrack(world, Standing()), 1.0)[RATE // 2 :]

    whole, quiet = heard_with(1.0), heard_with(GHOST_GAIN)
    assert round(20.0 * np.log10(GHOST_GAIN), 6) == -12.0
    assert level(quiet) == pytest.approx(level(whole) - 12.0, abs=0.01)
    assert level(quiet)[louder] > level(quiet)[1 - louder] + 1.0


def test_a_ghost_that_is_muted_is_not_computed():
    world = world_of(QUIET, "planar_roadster")
    track = Soundtrack(world)
    assert np.abs(drive(world, track, 0.5)[RATE // 4 :]).max() > 1e-4
    track.vehicles.ghost_level = 0.0
    drive(world, track, 0.2)
    assert is_silent(drive(world, track, 0.2))
    assert list(computed(track)) == [0]
