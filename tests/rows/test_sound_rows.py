"""Sound as a simulation writes it: its pitch by engine speed, and each car's sounds of engine, skid, shift, impact."""

import numpy as np
import pytest

from driving_sandbox.physics.tick.commands import AUTOMATIC, NEUTRAL, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.gather import Gatherer
from driving_sandbox.sound.soundtrack import Soundtrack

TICK_SAMPLES = 200  # at 240 ticks per second
SPECTRUM = 16384  # samples, 0.34 s
SEARCHED = 1.4  # ratio around the firing frequency within which the strongest tone is looked for
DELAY = 0.05  # s, more than the way to the listener behind the car and the limiter's delay
QUIET = 0.1  # master level at which the limiter lets everything pass unchanged


def world_with(name, world="plane", sound=None):
    """A world with one vehicle; sound: {voice: {key: value}} that replace values of its file's section `sound`."""
    vehicle = load_vehicle(name)
    given = vehicle.info.get("sound") or {}
    vehicle.info["sound"] = {
        voice: {**given.get(voice, {}), **(sound or {}).get(voice, {})} for voice in {**given, **(sound or {})}
    }
    world = World(load_world(world), [vehicle])
    world.spawn()
    return world


def recorded_drive(world, ticks, act, level=1.0):
    """(samples [n, 2], FRAME [ticks]) of a drive; act: function(tick, COMMAND array), called before every tick."""
    track, gatherer = Soundtrack(world), Gatherer(world.vehicles[0], world)
    track.scene.levels["master"] = level
    command, blocks, frames = neutral_command(), [], np.zeros(ticks, FRAME)
    for tick in range(ticks):
        act(tick, command)
        world.step(command)
        gatherer.gather(frames[tick])
        track.add()
        blocks += [block.copy() for block in track.blocks()]
    return np.concatenate(blocks), frames


def hold_engine_speed(world):
    """Let the engine keep its speed during a tick, as with an immense flywheel."""
    world.vehicles[0].params["engine"]["inertia"] = 1e6


# ---- CN-SOUND-01


def strongest_tone(samples, firing):
    """Mean frequency of the strongest tone around a firing frequency, Hz."""
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 4 * len(samples))) ** 2
    frequency = np.fft.rfftfreq(4 * len(samples), 1.0 / SAMPLE_RATE)
    searched = (firing / SEARCHED < frequency) & (frequency < firing * SEARCHED)
    peak = frequency[searched][power[searched].argmax()]
    tone = abs(frequency - peak) < 0.08 * firing
    return (frequency[tone] * power[tone]).sum() / power[tone].sum()


@pytest.mark.covers("CN-SOUND-01")
# 4 and 6 cylinders
@pytest.mark.parametrize(("name", "firings_per_turn"), [("roadster_simple", 2.0), ("m3_e46", 3.0)])
def test_pitch_follows_the_engine_speed_over_a_sweep(name, firings_per_turn):
    world = world_with(name)
    engine = world.vehicles[0].state["engine"]
    hold_engine_speed(world)
    ticks = np.arange(1300)
    omega = 2000.0 * np.pi / 30.0 * 3.0 ** (ticks / 1300.0)  # up to 6000 rpm, evenly in pitch

    def sweep(tick, command):
        command["gear"], command["throttle"] = NEUTRAL, 0.5
        engine["omega"] = omega[tick]

    samples, _ = recorded_drive(world, len(ticks), sweep)
    heard, expected = [], []
    for middle in range(20000, len(samples) - SPECTRUM, 20000):
        firing = firings_per_turn * np.interp(middle / TICK_SAMPLES, ticks + 1, omega) / (2.0 * np.pi)
        expected.append(firing)
        heard.append(strongest_tone(samples[middle - SPECTRUM // 2 : middle + SPECTRUM // 2].mean(1), firing))
    assert len(heard) >= 10 and expected[-1] > 2.0 * expected[0]
    assert heard == pytest.approx(expected, rel=0.05)


@pytest.mark.covers("CN-SOUND-01")
def test_an_engine_that_is_off_is_silent():
    """A clubsport that idles, and one whose engine has stalled."""
    levels = {}
    for state, speed in (("idling", None), ("off", 0.0)):
        world = world_with("clubsport")

        def act(tick, command, world=world, speed=speed):
            engine = world.vehicles[0].state["engine"]
            command["gear"] = NEUTRAL
            if speed is not None:
                engine["omega"], engine["running"] = speed, 0

        samples, frames = recorded_drive(world, 360, act)
        assert (frames["engine_speed"][-1] > 0.0) == (state == "idling")
        levels[state] = np.abs(samples[-24000:]).max()
    assert levels["idling"] > 1e-3
    assert levels["off"] < 1e-9


@pytest.mark.covers("CN-SOUND-01")
def test_an_engine_of_more_torque_is_louder():
    """The same speed and full throttle, with half and twice the largest torque."""
    levels = []
    for factor in (0.5, 1.0, 2.0):
        world = world_with("roadster_simple")
        hold_engine_speed(world)
        engine = world.vehicles[0].params["engine"]
        engine["peak_torque"] *= factor

        def act(tick, command, world=world):
            command["throttle"], command["gear"] = 1.0, NEUTRAL
            world.vehicles[0].state["engine"]["omega"] = 4500.0 * np.pi / 30.0

        samples = recorded_drive(world, 360, act, QUIET)[0][-24000:]
        levels.append(10.0 * np.log10(np.square(samples).mean()))
    assert levels[0] + 1.0 < levels[1] < levels[2] - 1.0


# ---- RC-SOUND-01


def skid(world):
    """Rolling straight, then the handbrake on full lock."""
    move(world, 15.0)

    def act(tick, command):
        command["gear"] = NEUTRAL
        command["steer"] = command["handbrake"] = float(tick >= 60)

    return act, lambda frames: ((frames["slip_speed"] > 0.8) & (frames["used_friction"] > 0.7)).any(axis=1)


def shift(world):
    """Idling in neutral, then a gear is engaged."""

    def act(tick, command):
        command["gear"] = NEUTRAL if tick < 60 else AUTOMATIC

    return act, lambda frames: frames["gear"] != frames["gear"][0]


def collision(world):
    """Into the crates of the yard."""
    world.place(0, (30.0, 22.0), 0.0)
    move(world, 10.0)

    def act(tick, command):
        command["gear"] = NEUTRAL

    return act, lambda frames: frames["impact"] > 20.0


def running(world):
    """Idling."""
    return lambda tick, command: None, lambda frames: frames["engine_speed"] > 0.0


def move(world, speed):
    """Let the vehicle roll along y, m/s."""
    vehicle = world.vehicles[0]
    vehicle.state["body"]["velocity"] = (0.0, speed, 0.0)
    wheels = slice(vehicle.wheel_count)
    vehicle.state["wheel"]["omega"][0, wheels] = speed / vehicle.params["wheel"]["radius"][0, wheels]


EVENTS = {  # sound: (voice and key of its level, scene, ticks, world)
    "engine": (("engine", "level"), running, 120, "plane"),
    "skid": (("tires", "squeal"), skid, 240, "plane"),
    "shift": (("gears", "clunk"), shift, 240, "plane"),
    "collision": (("body", "level"), collision, 240, "yard"),
}


@pytest.mark.covers("RC-SOUND-01")
@pytest.mark.parametrize("sound", EVENTS)
def test_a_sound_begins_with_its_event_and_has_the_cars_level(sound):
    """The same drive by cars that differ in the level of one sound: that sound begins with its event, at its level.

    No level is 0: a sound that is left out draws no random numbers, so that the tire's other sounds would change.
    """
    (voice, key), scene, ticks, place = EVENTS[sound]
    heard = {}
    for level in (0.5, 1.0, 2.0):
        world = world_with("roadster_simple", place, {voice: {key: level}})
        act, happens = scene(world)
        heard[level], frames = recorded_drive(world, ticks, act, QUIET)
    half, full = heard[1.0] - heard[0.5], heard[2.0] - heard[1.0]
    event = int(np.flatnonzero(happens(frames))[0]) * TICK_SAMPLES
    first = int(np.flatnonzero(np.abs(full).max(axis=1) > 1e-9)[0])
    assert event <= first < event + DELAY * SAMPLE_RATE
    assert np.abs(full).max() > 1e-4  # of the master level QUIET
    assert half == pytest.approx(0.5 * full, abs=1e-3 * np.abs(full).max())


@pytest.mark.covers("RC-SOUND-01")
def test_each_car_has_its_own_engine():
    """At the same speed the strongest tones of cars with 4, 6 and 8 cylinders are their firing frequencies."""
    orders = {}
    for name, cylinders in (("roadster_simple", 4), ("m3_e46", 6), ("lowrider", 8)):
        world = world_with(name)

        def act(tick, command, world=world):
            command["throttle"], command["gear"] = 0.6, NEUTRAL
            world.vehicles[0].state["engine"]["omega"] = 2400.0 * np.pi / 30.0

        hold_engine_speed(world)
        samples = recorded_drive(world, 300, act)[0][-SPECTRUM:].mean(1)
        power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
        order = np.fft.rfftfreq(len(samples), 1.0 / SAMPLE_RATE) / 40.0  # 40 turns per second
        audible = (order > 0.75) & (order < 5.0)
        orders[cylinders] = order[audible][power[audible].argmax()]
    assert orders == pytest.approx({4: 2.0, 6: 3.0, 8: 4.0}, abs=0.1)
