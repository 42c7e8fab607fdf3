"""Soundtracks of whole drives: equal samples however they are made, firing frequencies, ticks of any length, errors."""

import wave
from itertools import pairwise

import numpy as np
import pytest

from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.lab.simulate import simulation
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.recording import Recorder, Recording
from driving_sandbox.physics.recording.format import RecordingError
from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.follower import LOOKING_BACK, Follower
from driving_sandbox.sound.recorded import recorded_blocks
from driving_sandbox.sound.soundtrack import Soundtrack, interpolate
from driving_sandbox.sound.vehicle_sound import sound_of
from driving_sandbox.sound.wav_file import pcm, write_wav

CREATED = "2026-01-02T03:04:05"


def world_of(*names, rate=240.0):
    """A plane with these vehicles side by side, 8 m apart; rate: ticks per second."""
    world = World(load_world("plane"), [load_vehicle(name) for name in names], 1.0 / rate)
    world.spawn()
    for index in range(1, len(names)):
        world.place(world.trains[index].start, (8.0 * index, 0.0), 0.0)
    return world


def drive(world, track, seconds, commands, recorder=None):
    """Samples [n, 2] of a drive; commands: function(tick, COMMAND array)."""
    blocks, command = [], neutral_command(len(world.trains))
    for tick in range(round(seconds / world.tick_seconds)):
        commands(tick, command)
        world.step(command)
        if recorder is not None:
            rows = neutral_command(len(world.vehicles))
            for train, row in zip(world.trains, command, strict=True):
                rows[train.start : train.stop] = row
            recorder.record(rows)
        track.add()
        blocks += [block.copy() for block in track.blocks()]
    return np.concatenate(blocks)


def launch(tick, command):
    """Set the command of a tick: full throttle in first gear from tick 61 on, weaving."""
    command["throttle"], command["gear"] = float(tick > 60), FIRST
    command["steer"] = 0.3 * np.sin(tick / 100.0)


# ---- equal samples


def test_runs_are_equal_sample_by_sample():
    first, second = (
        drive(world, Soundtrack(world), 0.7, launch)
        for world in (world_of("roadster_simple", "mx5_na"), world_of("roadster_simple", "mx5_na"))
    )
    assert len(first) == 0.7 * SAMPLE_RATE and np.abs(first[-4800:]).max() > 0.01
    assert first.tobytes() == second.tobytes()


def test_recording_has_the_samples_of_the_drive(tmp_path):
    world = world_of("roadster_simple", "buggy")
    recorder = Recorder(tmp_path / "lap.drive", world, CREATED)
    live = drive(world, Soundtrack(world), 1.5, launch, recorder)
    recorder.close()
    recording = Recording.open(tmp_path / "lap.drive")
    whole = np.concatenate([block.copy() for block in recorded_blocks(recording)])
    assert whole.tobytes() == live.tobytes()
    for start, end in ((0.5, 1.0), (1.25, 1.5)):  # from the middle: also the phase of the crankshaft
        part = np.concatenate([block.copy() for block in recorded_blocks(recording, span=(start, end))])
        assert part.tobytes() == live[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE)].tobytes()
    write_wav(tmp_path / "lap.wav", recorded_blocks(recording, "cabin"))
    with wave.open(str(tmp_path / "lap.wav")) as file:
        assert (file.getnframes(), file.getnchannels(), file.getframerate()) == (72000, 2, 48000)
        assert file.readframes(72000) != pcm(live).tobytes()  # from inside


def test_jumps_of_a_recording_are_repeated_without_an_impact(tmp_path):
    world = world_of("roadster_simple")
    recorder = Recorder(tmp_path / "lap.drive", world, CREATED)
    command = neutral_command()
    for tick in range(240):
        if tick == 120:
            world.spawn()
            recorder.jump("recover")
        world.step(command)
        recorder.record(command)
    recorder.close()
    samples = np.concatenate([block.copy() for block in recorded_blocks(Recording.open(tmp_path / "lap.drive"))])
    assert len(samples) == SAMPLE_RATE
    loudness = np.sqrt((samples.reshape(20, -1) ** 2).mean(1))
    assert loudness.max() < 4.0 * np.median(loudness)


def test_recording_that_differs_is_refused_with_the_tick(tmp_path):
    world = world_of("roadster_simple")
    recorder = Recorder(tmp_path / "lap.drive", world, CREATED)
    command = neutral_command()
    for tick in range(120):
        if tick == 60:
            world.vehicles[0].state["body"]["velocity"] = (0.0, 5.0, 0.0)  # without telling the recorder
        world.step(command)
        recorder.record(command)
    recorder.close()
    with pytest.raises(RecordingError, match=r"lap.drive: cannot be repeated: tick 60: the same command leads to"):
        write_wav(tmp_path / "lap.wav", recorded_blocks(Recording.open(tmp_path / "lap.drive")))
    assert not (tmp_path / "lap.wav").exists() and not list(tmp_path.glob("*.tmp"))


# ---- what is heard


@pytest.mark.parametrize("rpm", [1500, 2500, 3500, 5000, 6500])
def test_firing_frequency_of_a_drive(rpm):
    """Twice per turn of a four-cylinder engine, over a second of a standing car whose engine turns at one speed."""
    world = world_of("roadster_simple")
    track, omega = Soundtrack(world), rpm * np.pi / 30.0

    def commands(tick, command):
        command["throttle"] = 0.4  # with less, a mechanical order is the strongest at 3500 rpm
        world.vehicles[0].state["engine"]["omega"] = omega

    world.vehicles[0].params["engine"]["inertia"] = 1e6  # a flywheel that keeps the speed during a tick
    samples = drive(world, track, 1.6, commands)[-48000:].mean(1)
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 4 * len(samples)))
    frequency = np.fft.rfftfreq(4 * len(samples), 1.0 / SAMPLE_RATE)
    firing = omega / (2.0 * np.pi) * 2.0
    strongest = frequency[spectrum[: len(frequency)].argmax()]
    order = min((1.0, 2.0), key=lambda k: abs(strongest - k * firing))
    assert strongest == pytest.approx(order * firing, rel=0.003)


def test_launch_is_louder_than_idling():
    world = world_of("roadster_simple")
    samples = drive(world, Soundtrack(world), 2.5, lambda tick, command: launch(tick - 180, command))
    idle, driving = samples[20000:45000], samples[-25000:]
    assert 1e-4 < idle.std() < 0.3 * driving.std() and np.abs(samples).max() < 0.9
    assert np.abs(samples[:100]).max() < 1e-3  # it fades in


def test_cabin_is_duller_than_outside():
    heard = {}
    for camera, closed in (("chase", 1.0), ("cabin", 1.0), ("cabin", 0.0)):
        world = world_of("roadster_simple")
        world.vehicles[0].info["sound"] = {"body": {"cabin": closed}}
        samples = drive(world, Soundtrack(world, camera), 1.5, launch)[-24000:].mean(1)
        power = np.abs(np.fft.rfft(samples)) ** 2
        frequency = np.fft.rfftfreq(len(samples), 1.0 / SAMPLE_RATE)
        heard[camera, closed] = power[frequency > 1000].sum() / power.sum()
    assert heard["cabin", 1.0] < 0.3 * heard["chase", 1.0] < 0.5 * heard["cabin", 0.0]


@pytest.mark.parametrize("rate", [60.0, 240.0, 1000.0, 5000.0])
def test_ticks_of_any_length_give_as_many_samples_as_the_time(rate):
    """As many samples as the time has, and about the same drive; above 1200 Hz a block is longer than a tick."""
    world = world_of("roadster_simple", rate=rate)
    samples = drive(world, Soundtrack(world), 0.5, lambda tick, command: launch(tick * 240.0 / rate, command))
    assert len(samples) == 24000
    assert np.isfinite(samples).all() and samples[-6000:].std() == pytest.approx(0.051, rel=0.1)


@pytest.mark.parametrize("rate", [240.0, 5000.0])
def test_every_impact_fires_once(rate):
    world = world_of("roadster_simple", rate=rate)
    track = Soundtrack(world)
    heard = []
    render = track.scene.render
    track.scene.render = lambda before, after, listener: (
        heard.append(after[0]["impact"]),
        render(before, after, listener),
    )[1]
    drive(world, track, 0.2, lambda tick, command: None)
    track.vehicles.gatherers[0].record["memory"]["external"] = -5e3  # as if the push of a tick were 5 kN s larger
    drive(world, track, 0.1, lambda tick, command: None)
    assert [impact for impact in heard if impact > 0.0] == [5e3]


def test_frames_are_interpolated_and_events_taken_from_the_later_tick():
    rows = np.zeros((2, 1), FRAME)
    rows["engine_speed"][:, 0], rows["gear"][:, 0], rows["wheel_load"][1, 0, 3] = (100.0, 200.0), (2, 3), 8.0
    result = np.zeros(1, FRAME)
    words = rows.view(np.float64).reshape(2, 1, -1)
    interpolate(words, result.view(np.float64).reshape(1, -1), 0.25, FRAME.fields["burning"][1] // 8)
    assert (result["engine_speed"][0], result["gear"][0], result["wheel_load"][0, 3]) == (125.0, 3, 2.0)


def test_a_swap_during_a_change_of_parameters_keeps_the_new_vehicle():
    """The change was meant for the old one."""
    world = world_of("roadster_simple")
    track = Soundtrack(world)
    drive(world, track, 0.05, launch)
    changed = track.scene.arrays["parameters"].copy()
    changed["wind"]["level"] = 7.0
    track.scene.tune(changed)
    drive(world, track, 0.005, launch)
    other = load_vehicle("mx5_na")
    other.put(world.vehicles[0].model_position(), world.vehicles[0].model_orientation())
    world.swap(0, other)
    drive(world, track, 0.1, launch)
    assert track.scene.arrays["parameters"][0].tobytes() == sound_of(other).parameters.tobytes()


@pytest.mark.parametrize("start", [0.3, 1.1])
def test_a_part_of_a_recording_has_as_many_samples_as_its_time(tmp_path, start):
    """Multiples of a tenth of a second are not exact in binary; a span must not end a block too late or early."""
    world = world_of("roadster_simple")
    with Recorder(tmp_path / "lap.drive", world, CREATED) as recorder:
        for _ in range(336):
            world.step(neutral_command())
            recorder.record(neutral_command())
    recording = Recording.open(tmp_path / "lap.drive")
    blocks = sum(1 for _ in recorded_blocks(recording, span=(start, start + 0.1 + 0.1)))
    assert blocks * BLOCK == 0.2 * SAMPLE_RATE


def test_swapped_vehicle_goes_on():
    world = world_of("roadster_simple")
    track = Soundtrack(world)
    drive(world, track, 0.1, launch)
    other = load_vehicle("roadster_simple")
    other.put(world.vehicles[0].model_position(), world.vehicles[0].model_orientation())
    world.swap(0, other)
    samples = drive(world, track, 0.2, launch)
    assert track.vehicles.gatherers[0].vehicle is other and np.abs(samples).max() > 1e-3


def test_a_kerb_sounds_the_same_at_any_tick():
    """At 30 m/s its ribs pass at 60 to 340 Hz, more than half of the 240 ticks a second."""

    def power(rate):
        vehicle = load_vehicle("buggy")
        vehicle.info["sound"] = {"tires": {"tread": 0.0, "blocks": 0.0, "lugs": 0.0, "texture": 0.0}}
        world = World(plane_ground(surface="kerb"), [vehicle], 1.0 / rate)
        world.spawn()
        wheels = slice(vehicle.wheel_count)

        def roll(tick, command):
            vehicle.state["body"]["velocity"][0, :2] = (0.0, 30.0)
            vehicle.state["wheel"]["omega"][0, wheels] = 30.0 / vehicle.params["wheel"]["radius"][0, wheels]

        samples = drive(world, Soundtrack(world), 2.5, roll)[-2 * round(SAMPLE_RATE) :].mean(1)
        frequency = np.fft.rfftfreq(len(samples), 1.0 / SAMPLE_RATE)
        spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
        edges = (40.0, 80.0, 120.0, 160.0, 200.0, 240.0, 320.0, 400.0)
        return np.array([spectrum[(frequency >= a) & (frequency < b)].mean() for a, b in pairwise(edges)])

    assert 10.0 * np.log10(power(240.0) / power(960.0)) == pytest.approx(0.0, abs=2.0)


# ---- listener


def test_listener_is_where_its_camera_is():
    world = world_of("roadster_simple")
    listener = Follower(world).listen()[0]
    position = world.vehicles[0].state["body"]["position"][0]
    assert listener["position"][1] < position[1] - 4.0 and listener["position"][2] > position[2] + 1.0
    assert listener["right"] == pytest.approx((1.0, 0.0, 0.0)) and listener["inside"] == 0.0
    on_it = Follower(world, "bonnet").listen()[0]
    assert (on_it["inside"], on_it["bonnet"]) == (0.0, 1.0)
    assert 0.3 < on_it["position"][1] - position[1] < 1.3 and on_it["position"][2] > position[2]
    inside = Follower(world, "cabin").listen()[0]
    assert inside["inside"] == 1.0 and np.linalg.norm(inside["position"] - position) < 1.0
    with pytest.raises(WrongValue, match="no camera 'cabbin' .did you mean \"cabin\""):
        Follower(world, "cabbin")


@pytest.mark.parametrize("camera", ["cabin", "bonnet"])
def test_a_source_at_the_right_is_at_the_left_looking_back(camera):
    """A car 8 m to the right of an electric one; it is heard once it is given throttle."""

    def rev(tick, command):
        command["throttle"] = (0.0, 0.5)

    louder_right = []
    for view in (camera, LOOKING_BACK[camera]):
        world = world_of("buggy", "roadster_simple")
        samples = drive(world, Soundtrack(world, view), 0.6, rev)[-14400:]
        left, right = np.sqrt(np.mean(samples**2, axis=0))
        louder_right.append(20.0 * np.log10(right / left))
    assert louder_right[0] > 1.0 and louder_right[1] < -1.0


def test_listener_turns_with_a_lag():
    world = world_of("roadster_simple")
    follower = Follower(world)
    follower.listen()
    world.vehicles[0].state["body"]["orientation"] = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))  # a quarter turn left
    turned = [np.degrees(np.arccos(follower.listen()[0]["right"][0])) for _ in range(480)]
    assert turned[0] < 2.0 and turned[-1] == pytest.approx(90.0, abs=1.0) and (np.diff(turned) > 0.0).all()


def test_simulation_pauses_after_every_tick():
    world = world_of("roadster_simple")
    run, ticks = simulation(world, MANEUVERS["launch"](world.vehicles[0], world, world.tick_seconds), 0.1)
    assert [(number, world.tick) for number in ticks] == [(k, k) for k in range(1, 25)]
    assert run.ticks == 24 and len(run.telemetry.columns["time"]) == 24 and BLOCK == 40
