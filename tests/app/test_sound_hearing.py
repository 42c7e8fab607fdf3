"""What is heard of a drive: rows, listener, silence while time stands still, and machines without a device."""

import subprocess
import sys
import time
import weakref

import numpy as np
import pytest

from driving_sandbox.game.audio.hearing import REST_AFTER, Hearing, hear
from driving_sandbox.game.audio.levels import VOLUMES, gain
from driving_sandbox.game.audio.listening import Listening
from driving_sandbox.game.audio.player import CALLBACK_FRAMES
from driving_sandbox.game.audio.sdl import AudioDevice, NoSound
from driving_sandbox.game.audio.silence import Silence, SwitchedOff
from driving_sandbox.game.program.settings import Settings, load_settings
from driving_sandbox.game.recordings.source import ReplaySource
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.view.cameras.view import View
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.kernel.cache_folder import cache_folder
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.recording import Recording
from driving_sandbox.physics.tick.commands import neutral_command
from driving_sandbox.physics.vehicle.swap import carry_state
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import BLOCK_SECONDS
from driving_sandbox.sound.device.ring import target_of
from driving_sandbox.sound.device.stream import STREAM_CALLBACK
from driving_sandbox.sound.space.listener import LISTENER
from driving_sandbox.sound.vehicle_sound import heard_vehicles

FRAME = 1.0 / 60.0  # s
TICK = 1.0 / 240.0  # s
SPEED = 15.0  # m/s


def view_at(x, y=0.0, z=1.5):
    return View(np.array([x, y, z]), np.array([x, y + 10.0, z]), 1.0)


class Drive:
    """A session on the plane and its Hearing, without a window; frames take real time."""

    def __init__(self, **settings):
        self.world = World(load_world("plane"), [load_vehicle("roadster")])
        self.world.spawn()
        self.session, self.settings, self.said = Session(self.world), Settings(**settings), []
        self.hearing = Hearing(self.world, self.settings, self.say, self.session.signals)
        self.session.on_tick.append(self.hearing.tick)
        self.command = neutral_command()
        self.command["throttle"] = 1.0

    def say(self, text, level="info"):
        self.said.append((text, level))

    def run(self, seconds, speed=1.0):
        """Draw frames for some real seconds."""
        for _ in range(round(seconds / FRAME)):
            self.session.step(FRAME * speed, lambda situation: self.command)
            moment = self.world.tick - 1.0 + self.session.clock.fraction
            view = view_at(*self.world.vehicles[0].model_position()[:2])
            self.hearing.frame(view, False, moment, 0.0 if self.session.paused else speed)
            time.sleep(FRAME)

    def close(self):
        self.hearing.close()
        self.session.close()


@pytest.fixture(scope="module", autouse=True)
def callback():
    """The compiled callback."""
    command = [sys.executable, "-m", "driving_sandbox.sound.device.compile"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=600, capture_output=True)
    STREAM_CALLBACK.compile()


@pytest.fixture
def raw_file(tmp_path, monkeypatch, home):
    """The file that SDL's driver `disk` writes the samples to."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "disk")
    monkeypatch.setenv("SDL_DISKAUDIOFILE", str(tmp_path / "samples.raw"))
    return tmp_path / "samples.raw"


@pytest.fixture
def new_drive(raw_file):
    """A function that makes a Drive; it is closed after the test."""
    drives = []

    def make(**settings):
        drives.append(Drive(**settings))
        return drives[-1]

    yield make
    for drive in drives:
        drive.close()


def heard(path):
    """Samples that were written so far, float32 [count, 2]."""
    words = np.fromfile(path, np.float32)
    return words[: len(words) // 2 * 2].reshape(-1, 2)


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
    assert np.abs(samples[-4800:]).max() < 1e-6


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
    assert np.abs(heard(raw_file)[-9600:]).max() > 0.01


def test_the_thread_rests_with_its_device(new_drive, monkeypatch):
    monkeypatch.setenv("SANDBOX_SOUND_THREAD", "1")
    drive = new_drive()
    drive.run(0.3)
    drive.session.paused = True
    drive.run(2.0 * REST_AFTER)
    blocks = int(drive.hearing._stream.record["blocks"])
    drive.run(0.1)
    assert drive.hearing._stream.record["blocks"] == blocks > 0
    drive.session.paused = False
    drive.run(0.3)
    assert drive.hearing._stream.record["blocks"] > blocks


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
    drive.run(0.1, 0.5)
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
    levels = drive.hearing._stream.scene.levels
    assert levels["tires"][0] == 0.25
    before = float(levels["master"][0])
    drive.settings.volume /= 2.0
    drive.hearing.set_levels()
    assert levels["master"][0] == pytest.approx(before / 4.0)
    assert gain(1.0) == 1.0
    assert {field for _, field in VOLUMES.values()} == set(levels.dtype.names) - {"fade"}


def test_the_device_plays_once_enough_rows_wait(new_drive):
    drive = new_drive()
    drive.run(FRAME)
    assert not drive.hearing._playing
    drive.run(0.2)
    assert drive.hearing._playing


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


def test_the_stream_outlives_the_device(new_drive, monkeypatch):
    drive = new_drive()
    drive.run(0.1)
    stream, alive, close = weakref.ref(drive.hearing._stream), [], AudioDevice.close
    drive.hearing._device._owner = None  # here the order alone
    monkeypatch.setattr(AudioDevice, "close", lambda device: close(device) or alive.append(stream() is not None))
    drive.close()
    assert alive == [True]
    assert stream() is None


def test_a_swap_of_the_vehicle_is_followed(new_drive):
    drive = new_drive()
    """In a replay, too, where nobody tells of it."""
    drive.run(0.1)
    before, after = drive.world.vehicles[0], load_vehicle("roadster")
    carry_state(before.state, after.state)
    after.state["body"]["velocity"] = (0.0, 30.0, 0.0)
    after.info["sound"] = {"wind": {"level": 0.5}}
    drive.world.swap(0, after)
    drive.run(0.4)
    hearing = drive.hearing
    ring, used = hearing._stream.ring, hearing._stream.scene.arrays["parameters"]
    assert hearing._gatherers[0].vehicle is after
    assert ring.frames[ring.written - 1]["air_speed"][0] > 20.0
    assert used["wind"]["level"][0] == 0.5


def test_short_ticks_share_the_rows_of_the_ring(raw_file):
    """At 1,000 ticks per second three share a row: 333 rows per second."""
    world = World(load_world("plane"), [load_vehicle("roadster")], 1e-3)
    world.spawn()
    hearing = Hearing(world, Settings(), pytest.fail, Session(world).signals)
    try:
        for _ in range(12):
            world.step(neutral_command())
            hearing.tick()
        assert hearing._ticks == [3, 6, 9, 12]
        hearing.frame(view_at(0.0), False, 11.5, 1.0)
        ring = hearing._stream.ring
        assert ring.written == 4 and ring.record["pace"] == pytest.approx(BLOCK_SECONDS / 0.003)
        assert (ring.frames["wheel_count"][:4, 0] == 4).all() and ring.frames["wheel_load"][3, 0, 0] > 0.0
    finally:
        hearing.close()


def test_the_driven_train_is_heard_and_no_parked_vehicle(raw_file):
    world = World(load_world("plane"), [load_vehicle("roadster"), load_vehicle("roadster")])
    assert heard_vehicles(world) == world.vehicles[:1]


def test_without_a_device_one_line_is_said_and_the_drive_goes_on(monkeypatch, home):
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    drive = Drive()
    drive.run(0.2)
    assert len(drive.said) == 1
    text, level = drive.said[0]
    assert text.startswith("no sound: ")
    assert level == "warning"
    drive.hearing.toggle()
    assert drive.said[-1][0] == "sound off"
    drive.hearing.toggle()
    assert drive.said[-1][0] == f"sound on, but not heard: {text.removeprefix('no sound: ')}"
    del drive.said[1:]
    assert drive.world.tick > 30
    assert drive.hearing.devices() == []
    drive.close()


def test_choosing_a_device_ends_a_problem(new_drive, monkeypatch):
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    drive = new_drive()
    drive.run(0.1)
    assert drive.hearing.problem
    monkeypatch.setenv("SDL_AUDIODRIVER", "disk")
    drive.hearing.choose_device("")
    assert not drive.hearing.problem
    drive.run(0.3)
    assert drive.hearing.audible
    assert drive.hearing._stream.record["blocks"] > 0


def test_after_a_device_that_does_not_open_another_one_goes_on(new_drive, monkeypatch):
    drive = new_drive()
    drive.run(0.2)

    def refuse(stream, name):
        raise NoSound(f"no sound: {name} is gone")

    stream = drive.hearing._stream
    with monkeypatch.context() as patched:
        patched.setattr("driving_sandbox.game.audio.hearing.open_device", refuse)
        drive.hearing.choose_device("Headphones")
        drive.run(0.1)
    assert drive.said == [("no sound: Headphones is gone", "warning")]
    assert not drive.hearing.audible
    drive.hearing.choose_device("")
    assert not drive.hearing.problem
    blocks = int(stream.record["blocks"])
    drive.run(0.3)
    assert drive.hearing._stream is stream
    assert stream.record["blocks"] > blocks


def test_a_sound_that_does_not_fit_the_vehicle_is_said(new_drive, monkeypatch):
    def refuse(vehicle):
        raise UserError("an electric motor cannot have this")

    monkeypatch.setattr("driving_sandbox.game.audio.hearing.sound_of", refuse)
    assert new_drive().hearing.problem == "no sound: an electric motor cannot have this"


class Helper:
    """A helper that compiles nothing, until a test sets `done`."""

    def __init__(self, module, niceness):
        self.module, self.done, self.error = module, False, "the disk is full"

    def cancel(self):
        pass


@pytest.fixture
def uncompiled(monkeypatch):
    """A cache without the callback, and a helper that cannot compile it."""
    monkeypatch.setattr("driving_sandbox.game.audio.player.STREAM_CALLBACK.load", lambda: 0)
    monkeypatch.setattr("driving_sandbox.game.audio.hearing.Worker", Helper)


def test_a_helper_compiles_what_is_not_compiled_yet(uncompiled, monkeypatch, new_drive):
    """The drive goes on meanwhile; a helper that fails is reported."""
    monkeypatch.setattr("driving_sandbox.game.audio.player.load_compiled", lambda *arguments: False)
    drive = new_drive()
    drive.run(0.1)
    assert drive.hearing._worker.module == "driving_sandbox.sound.device.compile"
    assert not drive.said
    drive.hearing._worker.done = True
    drive.run(0.1)
    assert [text for text, _ in drive.said] == ["no sound: it could not be compiled: the disk is full"]
    drive.hearing.choose_device("")
    assert drive.hearing.compiling  # again
    assert not drive.hearing.problem
    drive.hearing._worker.done, drive.hearing._worker.error = True, None
    drive.run(0.1)
    assert drive.said[-1][0] == f"no sound: the compiled code could not be stored in {cache_folder()}"


def test_a_thread_plays_where_only_the_callback_could_not_be_compiled(uncompiled, new_drive, raw_file):
    drive = new_drive()
    drive.run(0.1)
    assert drive.hearing._device is None  # it may still be compiled
    drive.hearing._worker.done = True
    drive.run(0.6)
    target = float(drive.hearing._stream.ring.record["target"])
    drive.close()
    assert not drive.said
    assert np.abs(heard(raw_file)).max() > 0.01
    assert target > target_of(CALLBACK_FRAMES, 1, TICK) + 2.0  # rows, as the thread may take two pieces at once


def test_offscreen_and_by_an_option_no_device_is_opened():
    class Options:
        offscreen, no_sound = True, False

    assert type(hear(Options, None, None, None, None)) is Silence
    Options.offscreen, Options.no_sound = False, True
    said = []
    hearing = hear(Options, None, None, said.append, None)
    hearing.toggle()
    assert type(hearing) is SwitchedOff
    assert said == ["no sound: it is switched off by the option --no-sound"]


# ---- the listener


def filled(listening, ticks, view, moment):
    """Positions of the listeners of ticks, m."""
    listeners = np.zeros(len(ticks), LISTENER)
    listening.fill(listeners, np.array(ticks, dtype=np.float64), view, moment, 0.5)
    assert (listeners["inside"] == 0.5).all()
    assert listeners["right"][-1] == pytest.approx([1.0, 0.0, 0.0])
    return listeners["position"][:, 1]


def test_a_listener_moves_evenly_through_the_ticks_of_frames():
    listening, positions = Listening(TICK), []
    for k in range(20):
        moment = 3.7 * k + 0.4
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


# ---- devices and replays that change


def test_a_device_that_was_unplugged_is_replaced(new_drive, monkeypatch):
    drive = new_drive(sound_device="System audio output device")
    drive.run(0.3)
    first = drive.hearing._device
    assert first.name == "System audio output device"
    monkeypatch.setattr(type(first), "lost", property(lambda device: device is first))
    monkeypatch.setattr("driving_sandbox.game.audio.hearing.CHECK_SECONDS", 0.0)
    drive.run(2.0 * FRAME)
    assert drive.hearing._device is not first
    assert drive.hearing._device.name == ""
    blocks = int(drive.hearing._stream.record["blocks"])
    drive.run(0.3)
    assert drive.hearing._stream.record["blocks"] > blocks


def test_a_replay_hears_the_ticks_that_it_repeats_but_not_those_of_a_search(tmp_path, home):
    world = World(load_world("plane"), [load_vehicle("roadster")])
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
    assert [tick - start for tick in ticks] == [*range(1, 21), *range(601, 606)]
