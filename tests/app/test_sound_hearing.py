"""What is heard of a drive: rows (what the sound needs of a tick), listener, volumes, and silence while paused."""

import numpy as np
import pytest
from sound_rig import FRAME, heard, view_at

from driving_sandbox.game.audio.hearing import MOST_ROWS, REST_AFTER, Hearing
from driving_sandbox.game.audio.levels import VOLUMES, gain
from driving_sandbox.game.audio.listening import Listening
from driving_sandbox.game.audio.live_follower import LiveFollower
from driving_sandbox.game.program.settings import Settings, load_settings
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.view.cameras.look_back import looking_back
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.swap import carry_state
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import BLOCK_SECONDS
from driving_sandbox.sound.follower import Follower
from driving_sandbox.sound.space.listener import LISTENER

TICK = 1.0 / 240.0  # s
SPEED = 15.0  # m/s


def test_a_drive_is_heard(new_drive, raw_file):
    drive = new_drive()
    drive.run(1.0)
    assert drive.hearing.audible
    drive.close()
    samples = heard(raw_file)
    assert np.isfinite(samples).all()
    assert np.abs(samples).max() > 0.01
    assert not drive.said


def test_a_paused_drive_is_silent(new_drive, raw_file):
    drive = new_drive()
    drive.run(0.6)
    drive.session.paused = True
    drive.run(0.8)
    drive.close()
    samples = heard(raw_file)
    assert np.abs(samples[: len(samples) // 2]).max() > 0.01
    assert np.abs(samples[-4800:]).max() < 1e-6  # the last 0.1 s


def test_without_sound_nothing_is_gathered_or_rendered_until_it_is_switched_on(new_drive, raw_file):
    drive = new_drive()
    drive.run(0.4)
    stream, settings = drive.hearing._stream, drive.settings
    settings.sound = False
    drive.run(2.0 * REST_AFTER)
    rest = int(stream.record["blocks"]), stream.ring.written
    drive.run(0.2)
    assert (int(stream.record["blocks"]), stream.ring.written) == rest
    settings.sound = True
    drive.run(0.3)
    assert drive.hearing.audible
    assert stream.record["blocks"] > rest[0]
    assert stream.record["ring"]["position"] >= rest[1]  # no row from before is heard again
    drive.close()
    assert np.abs(heard(raw_file)[-9600:]).max() > 0.01  # the last 0.2 s


@pytest.mark.parametrize(
    ("settings", "focused", "speed", "audible"),
    [
        ({}, True, 1.0, True),
        ({"sound": False}, True, 1.0, False),
        ({}, False, 1.0, False),
        ({"sound_without_focus": True}, False, 1.0, True),
        ({}, True, 0.5, True),
        ({"sound_in_slow_motion": False}, True, 0.5, False),
        ({}, True, 2.0, False),
    ],
)
def test_when_a_drive_is_heard(new_drive, settings, focused, speed, audible):
    drive = new_drive(**settings)
    drive.hearing.focused = focused
    drive.run(0.1, speed)
    assert drive.hearing.audible == audible
    assert drive.hearing._stream.scene.levels["fade"] == audible


def test_slow_motion_slows_the_samples(new_drive):
    drive = new_drive()
    drive.run(0.1, speed=0.5)
    record = drive.hearing._stream.record
    assert record["speed"] == 0.5
    assert record["ring"]["target"] < drive.hearing._target(1.0)  # as a callback takes half of the rows
    drive.run(0.1)
    assert drive.hearing._stream.record["speed"] == 1.0


def test_the_mute_key_is_saved_and_said(new_drive):
    drive = new_drive()
    drive.hearing.toggle()
    assert drive.said == [("sound off", "info")]
    assert not load_settings()[0].sound
    drive.hearing.toggle()
    assert drive.said[-1] == ("sound on", "info")
    assert load_settings()[0].sound


def test_volumes_are_those_of_the_settings(new_drive):
    drive = new_drive(volume_tires=0.5)
    drive.run(FRAME)
    levels = drive.hearing._stream.scene.levels
    assert levels["tires"][0] == 0.25  # the square of the volume
    before = float(levels["master"][0])
    drive.settings.volume /= 2.0
    drive.hearing.set_levels()
    assert levels["master"][0] == pytest.approx(before / 4.0)
    assert gain(1.0) == 1.0
    assert {field for _, field in VOLUMES.values() if field} == set(levels.dtype.names) - {"fade"}


def test_the_horn_is_in_the_rows_while_it_is_pressed(new_drive):
    drive = new_drive()
    for pressed in (False, True, False):
        drive.session.signals.horn = pressed
        drive.run(2.0 * FRAME)
        ring = drive.hearing._stream.ring
        assert ring.frames[ring.written - 1]["horn"][0] == pressed


def test_the_turn_signals_are_in_the_rows_while_they_are_lit(new_drive):
    drive = new_drive()
    for switched_on in (False, True, False):
        drive.session.signals.turn = int(switched_on)
        drive.run(1.0)
        ring = drive.hearing._stream.ring
        lit = ring.frames["indicator"][(ring.written - np.arange(1, 200)) % len(ring.frames), 0]
        assert set(lit.tolist()) == ({0, 1} if switched_on else {0})


def test_a_swap_of_the_vehicle_is_followed(new_drive):
    """Hearing notices the other vehicle by itself, as in a replay nothing tells it of a swap."""
    drive = new_drive()
    drive.run(0.1)
    before, after = drive.world.vehicles[0], load_vehicle("roadster")
    carry_state(before.state, after.state)
    after.state["body"]["velocity"] = (0.0, 30.0, 0.0)
    after.info["sound"] = {"wind": {"level": 0.5}}
    drive.world.swap(0, after)
    drive.run(0.4)
    hearing = drive.hearing
    ring, used = hearing._stream.ring, hearing._stream.scene.arrays["parameters"]
    assert hearing._vehicles.gatherers[0].vehicle is after
    assert ring.frames[ring.written - 1]["air_speed"][0] > 20.0
    assert used["wind"]["level"][0] == 0.5


def test_short_ticks_share_the_rows_of_the_ring(compiled_sound, raw_file):
    """At 1,000 ticks per second three share a row: 333 rows per second."""
    world = World(load_world("plane"), [load_vehicle("roadster")], 1e-3)
    world.spawn()
    hearing = Hearing(world, Settings(), pytest.fail, Session(world).signals)
    hearing.frame(view_at(0.0), moment=0.0, speed=1.0)
    try:
        for _ in range(12):
            world.step(neutral_command())
            hearing.tick()
        assert hearing._ticks == [3, 6, 9, 12]
        hearing.frame(view_at(0.0), moment=11.5, speed=1.0)
        ring = hearing._stream.ring
        assert ring.written == 4 and ring.record["pace"] == pytest.approx(BLOCK_SECONDS / 0.003)
        assert (ring.frames["wheel_count"][:4, 0] == 4).all() and ring.frames["wheel_load"][3, 0, 0] > 0.0
    finally:
        hearing.close()


def test_of_a_frame_with_too_many_ticks_the_newest_are_heard(new_drive):
    drive = new_drive()
    drive.run(2.0 * FRAME)
    hearing, ring = drive.hearing, drive.hearing._stream.ring
    written, speeds = ring.written, []
    for _ in range(2 * MOST_ROWS):
        drive.world.step(drive.command)
        hearing.tick()
        speeds.append(float(drive.world.vehicles[0].state["engine"]["omega"][0]))
    last, count = drive.world.tick, len(hearing._ticks)
    assert MOST_ROWS // 2 <= count <= MOST_ROWS < len(speeds)
    assert hearing._ticks == list(range(last - count + 1, last + 1))
    hearing.frame(view_at(0.0), moment=last - 0.5, speed=1.0)
    assert ring.written == written + count
    rows = ring.frames["engine_speed"][np.arange(written, ring.written) % len(ring.frames), 0]
    assert rows.tolist() == speeds[-count:] != speeds[:count]


# ---- the listener


def filled(listening, ticks, view, moment):
    """Let `listening` fill the listeners of these ticks; returns their positions along y, m."""
    listeners = np.zeros(len(ticks), LISTENER)
    listening.fill(listeners, np.array(ticks, dtype=np.float64), view, moment)
    assert listeners["right"][-1] == pytest.approx([1.0, 0.0, 0.0])
    return listeners["position"][:, 1]


def test_a_listener_moves_evenly_through_the_ticks_of_frames():
    listening, positions = Listening(TICK), []
    for k in range(20):
        moment = 3.7 * k + 0.4  # ticks: frames of 3.7 ticks each
        ticks = range(int(3.7 * (k - 1) + 0.4) + 2 if k else 0, int(moment) + 2)
        positions += list(filled(listening, list(ticks), view_at(0.0, SPEED * TICK * moment), moment))
    steps = np.diff(positions[4:])
    assert steps == pytest.approx(SPEED * TICK, rel=1e-9)


def test_a_listener_does_not_glide_to_a_camera_that_was_switched():
    listening = Listening(TICK)
    filled(listening, [0, 1, 2, 3], view_at(0.0, 0.0), 3.0)
    assert filled(listening, [4, 5, 6, 7], view_at(0.0, 300.0), 7.0) == pytest.approx([300.0] * 4)
    listening.restart()
    assert filled(listening, [8, 9], view_at(0.0, 301.0), 9.0) == pytest.approx([301.0] * 2)


def test_the_listener_of_the_chase_camera_depends_on_ticks_alone():
    """It is the soundtrack's in every tick; a camera that was switched to is followed from the next frame on."""
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    follower, expected = LiveFollower(world), Follower(world, "chase")
    for frame, (ticks, camera) in enumerate([(3, "chase"), (1, "chase"), (5, ""), (2, "cabin"), (4, "cabin")]):
        positions = []
        for _ in range(ticks):
            world.step(neutral_command())
            follower.tick(noted=True)
            positions.append(expected.listen()["position"][0].tolist())
        listeners = follower.take(camera, ticks)
        if frame < 2:
            assert listeners["position"].tolist() == positions
        elif frame < 4:
            assert listeners is None
    assert (listeners["inside"] == 1.0).all() and len(listeners) == 4


@pytest.mark.parametrize("camera", ["cabin", "bonnet"])
def test_looking_back_hears_left_and_right_as_in_the_picture(camera):
    """Position and right ear of the listener are those of the picture, also in the followed vehicle's soundtrack."""
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    ahead = Follower(world, camera).listen()[0]
    view = View(ahead["position"], ahead["position"] + (0.0, 10.0, 0.0), fov=1.0, listener=camera)
    back = looking_back(view, world.vehicles[0].state["body"]["position"][0], world.ground.height)
    seen = np.zeros(1, LISTENER)
    Listening(TICK).fill(seen, np.zeros(1), back, 0.0)
    followed = Follower(world, back.listener).listen()
    for name in ("position", "right", "inside", "bonnet"):
        assert followed[name] == pytest.approx(seen[name], abs=1e-3), name
    assert seen["right"][0, 0] == pytest.approx(-1.0) and ahead["right"][0] == pytest.approx(1.0)


# ---- replays


@pytest.mark.parametrize("vehicles", [1, 2])
def test_a_replay_hears_the_ticks_that_it_repeats_but_not_those_of_seeking(vehicles, tmp_path, home):
    world = World(load_world("plane"), [load_vehicle("roadster") for _ in range(vehicles)])
    world.spawn()
    with Session(world, record=tmp_path / "lap.drive") as session:
        for _ in range(30):
            session.step(0.1, lambda situation: neutral_command())
    source = ReplaySource(Recording.open(tmp_path / "lap.drive"))
    assert source.world is None
    source.repeat()
    ticks = []
    source.on_tick.append(lambda: ticks.append(source.world.tick))
    for tick in (10, 20, 600, 605, 100):
        source.show(tick * TICK, tick)
    start = source.world.tick - 100
    # of two vehicles there is no stored state between ticks 20 and 600, so that all ticks are repeated
    later = range(601, 606) if vehicles == 1 else range(21, 606)
    assert [tick - start for tick in ticks] == [*range(1, 21), *later]
