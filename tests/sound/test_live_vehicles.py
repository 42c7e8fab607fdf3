"""Vehicles and ghosts beside the driven one, heard in a drive: the samples of its recording's soundtrack, and more."""

from types import SimpleNamespace

import numpy as np
import pytest
from test_live_equality import CAMERA, DELAY, FixedListener, NoDevice

from driving_sandbox.game.audio.ghost_sounds import GhostSounds
from driving_sandbox.game.audio.hearing import Hearing
from driving_sandbox.game.program.settings import Settings
from driving_sandbox.physics.props.placing import PlacedProp
from driving_sandbox.physics.recording import Recorder, Recording
from driving_sandbox.physics.recording.signals import Signals
from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.frame import ABSENT
from driving_sandbox.sound.device.ring import ROWS
from driving_sandbox.sound.device.stream import fill
from driving_sandbox.sound.ghost_frames import ghost_frames
from driving_sandbox.sound.heard import GHOST_GAIN
from driving_sandbox.sound.recorded import recorded_blocks
from driving_sandbox.sound.soundtrack import Soundtrack

TICKS = 480  # of the drive, 2 s
ROW_SAMPLES = 200  # per tick
PUSH = 780  # tick in which the vehicle of the ghost is hit
CREATED = "2026-01-02T03:04:05"
QUIET = "buggy"  # electric: silent while it stands
X, Y = CAMERA.position[:2]  # m


def two_vehicles_and_a_twin():
    """The roadster rolls into a parked hatchback; the planar roadster stands beside them with its engine on."""
    world = World(load_world("plane"), [load_vehicle(name) for name in ("roadster", "hatchback", "planar_roadster")])
    for index, position in enumerate(((X + 4.0, Y), (X + 4.0, Y + 8.0), (X - 4.0, Y))):
        world.place(index, position, 0.0)
    vehicle, wheels = world.vehicles[0], slice(world.vehicles[0].wheel_count)
    vehicle.state["body"]["velocity"] = (0.0, 6.0, 0.0)
    vehicle.state["wheel"]["omega"][0, wheels] = 6.0 / vehicle.params["wheel"]["radius"][0, wheels]
    return world


class Live:
    """A Hearing of a world, whose samples are taken frame by frame."""

    def __init__(self, monkeypatch, world, ghosts=None, **settings):
        monkeypatch.setattr("driving_sandbox.game.audio.compiling.is_ready", lambda worker_ended: True)
        monkeypatch.setattr("driving_sandbox.game.audio.hearing.open_device", lambda stream, name: NoDevice())
        self.world, self.settings = world, Settings(volume=1.0, **settings)  # the gain of a soundtrack
        self.hearing = Hearing(world, self.settings, pytest.fail, Signals(), None, ghosts)
        self.hearing._begin()
        self.stream = self.hearing._stream
        self.stream.record["ring"]["gain"] = 0.0  # of the pace: the test does not run in real time

    def run(self, ticks, command, recorder=None):
        """Samples [n, 2] of ticks with one command for each train."""
        pieces = []
        for tick in range(ticks):
            self.world.step(command)
            if recorder is not None:
                recorder.record(command)
            self.hearing.tick()
            if tick % 4 == 3:
                pieces += self._frame()
        return np.concatenate(pieces)

    def _frame(self):
        self.hearing.frame(CAMERA, float(self.world.tick), 1.0)
        record, pieces = self.stream.record, []
        record["ring"]["target"] = ROWS  # reading begins with the first row
        record["lead"] = 0  # and at once
        while self.stream.ring.waiting >= 2.0:
            pieces.append(np.zeros((ROW_SAMPLES, 2), np.float32))
            fill(record, pieces[-1])
        return pieces


def test_a_drive_among_vehicles_has_the_samples_of_its_recording(monkeypatch, home, tmp_path):
    world, command = two_vehicles_and_a_twin(), neutral_command(3)
    command["handbrake"][1] = 1.0
    command["throttle"][0], command["gear"][0] = 0.6, FIRST
    recorder = Recorder(tmp_path / "a.drive", world, CREATED)
    live = Live(monkeypatch, world)
    samples = live.run(TICKS, command, recorder)
    occupants = [slot.vehicle for slot in live.hearing._vehicles._slots if not slot.released]
    assert sorted(occupants) == [1, 2]
    live.hearing.close()
    recorder.close()
    blocks = recorded_blocks(Recording.open(tmp_path / "a.drive"), FixedListener())
    expected = np.concatenate([block.copy() for block in blocks])
    assert len(samples) > (TICKS - 8) * ROW_SAMPLES
    assert np.abs(samples).max() > 0.02
    assert np.array_equal(samples[DELAY:], expected[: len(samples) - DELAY].astype(np.float32))


def two_vehicles_that_rub():
    """A roadster beside the camera that passes another one at 18 m/s and rubs along it."""
    world = World(load_world("plane"), [load_vehicle("roadster_simple"), load_vehicle("roadster_simple")])
    for index, x in enumerate((X + 4.0, X + 5.6)):
        world.place(index, (x, Y), 0.0)
    world.vehicles[0].state["body"]["velocity"] = (1.0, 18.0, 0.0)
    return world


def test_vehicles_that_rub_along_each_other_have_the_samples_of_their_recording(monkeypatch, home, tmp_path):
    world, forces, command = two_vehicles_that_rub(), [], neutral_command(2)
    recorder = Recorder(tmp_path / "a.drive", world, CREATED)
    live = Live(monkeypatch, world)
    gather = live.hearing._vehicles.gather

    def gather_and_note(frames, *others):
        gather(frames, *others)
        forces.append(frames["scrape_force"][:2].copy())

    monkeypatch.setattr(live.hearing._vehicles, "gather", gather_and_note)
    samples = live.run(240, command, recorder)
    live.hearing.close()
    recorder.close()
    assert ((np.array(forces) > 0.0).sum(axis=0) > 3).all(), "both scrape"
    blocks = recorded_blocks(Recording.open(tmp_path / "a.drive"), FixedListener())
    expected = np.concatenate([block.copy() for block in blocks]).astype(np.float32)
    assert len(samples) > 232 * ROW_SAMPLES and np.abs(samples).max() > 0.02
    assert np.array_equal(samples[DELAY:], expected[: len(samples) - DELAY])


def before_a_crate():
    """A roadster that rolls into a crate beside the camera."""
    crate = PlacedProp("crate", (X + 4.0, Y + 4.0), height=None, rise=0.0, heading=0.0, group=0)
    world = World(load_world("plane"), [load_vehicle("roadster_simple")], props=[crate])
    world.place(0, (X + 4.0, Y), 0.0)
    world.vehicles[0].state["body"]["velocity"] = (0.0, 6.0, 0.0)
    return world


def test_a_crate_that_is_hit_and_comes_to_rest_has_the_samples_of_its_soundtrack(monkeypatch, home):
    live, command = Live(monkeypatch, before_a_crate()), neutral_command()
    pieces = [live.run(96, command)]
    command["brake"] = 1.0
    samples = np.concatenate([*pieces, live.run(724, command)])
    slots = live.hearing._vehicles._props._slots
    assert 300 < slots[0].released_at < 800 and slots[1].released_at < 0
    live.hearing.close()
    world, blocks = before_a_crate(), []
    track = Soundtrack(world, FixedListener())
    for tick in range(820):
        command["brake"] = float(tick >= 96)
        world.step(command)
        track.add()
        blocks += [block.copy() for block in track.blocks()]
    expected = np.concatenate(blocks).astype(np.float32)
    assert np.array_equal(samples[DELAY:], expected[: len(samples) - DELAY])


# ---- ghosts


class Ghost:
    """A ghost that drives the recorded stretch from the start on."""

    def __init__(self, sound):
        self.drive, self.set_off_at, self.is_shown = SimpleNamespace(sound=sound), 0.0, True

    def shown(self, now):
        return self.is_shown

    def time(self, now):
        return now - self.set_off_at


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Recording of a roadster that stands 5 m to the right of the camera, at part throttle in neutral; PUSH hits it."""
    world, path = World(load_world("plane"), [load_vehicle("mx5_na")]), tmp_path_factory.mktemp("ghost") / "a.drive"
    world.place(0, (X, Y - 5.0), 0.0)
    recorder, command = Recorder(path, world, CREATED), neutral_command()
    command["throttle"], command["handbrake"] = 0.3, 1.0
    for tick in range(960):
        push = np.zeros(1, EXTERNAL)
        push["impulse"][0, 0] = 1000.0 * (tick == PUSH)  # N s
        world.step(command, push)
        recorder.record(command, push)
    recorder.close()
    return Recording.open(path)


class Beside:
    """A drive of a buggy that stands 60 m from the camera, with a ghost of a recording, and what is heard of it."""

    def __init__(self, monkeypatch, recording, **settings):
        world = World(load_world("plane"), [load_vehicle(QUIET)])
        world.place(0, (X, Y - 60.0), 0.0)
        self.ghost = Ghost(ghost_frames(recording, 0, recording.poses()[0], 0.0))
        ghosts = SimpleNamespace(running=[self.ghost], visible=True)
        self.running = ghosts.running
        self.live = Live(monkeypatch, world, GhostSounds(ghosts, lambda: world.time, count=2), **settings)
        self.command = neutral_command()

    def run(self, seconds=0.5):
        """Samples [n, 2]."""
        return self.live.run(round(240 * seconds), self.command)

    def computed(self):
        """Slots of the scene whose sound is computed."""
        return np.flatnonzero(self.live.stream.scene.arrays["spaces"]["history"]["count"]).tolist()


@pytest.fixture
def beside(monkeypatch, home, recorded):
    """A function that makes a Beside of the recorded roadster; it is closed after the test."""
    made = []

    def make(**settings):
        made.append(Beside(monkeypatch, recorded, **settings))
        return made[-1]

    yield make
    for one in made:
        one.live.hearing.close()


def rms(samples):
    """Of the second half of samples, per ear."""
    return np.sqrt(np.mean(np.square(samples[len(samples) // 2 :], dtype=float), axis=0))


def driven(monkeypatch, recorded):
    """rms per ear of the recorded drive itself, driven again."""
    world, command = World(load_world("plane"), [load_vehicle("mx5_na")]), neutral_command()
    world.place(0, (X, Y - 5.0), 0.0)
    command["throttle"], command["handbrake"] = 0.3, 1.0
    live = Live(monkeypatch, world)
    samples = live.run(720, command)
    live.hearing.close()
    return rms(samples)


def test_a_ghost_is_12_db_quieter_than_its_drive_and_heard_from_its_side(monkeypatch, beside, recorded):
    found, whole = rms(beside().run(3.0)), driven(monkeypatch, recorded)
    assert 20.0 * np.log10(found / whole) == pytest.approx([20.0 * np.log10(GHOST_GAIN)] * 2, abs=1.0)
    assert found[1] > 1.3 * found[0] > 0.0


def test_the_volume_of_ghosts_is_their_own(beside):
    loud, quiet, mute = (beside(volume_ghosts=volume) for volume in (1.0, 0.5, 0.0))
    level = rms(loud.run())
    assert rms(quiet.run()) == pytest.approx(0.25 * level, rel=0.05)
    assert rms(mute.run()).max() < 1e-9
    assert (loud.computed(), mute.computed()) == ([0, 1], [0])


def test_a_soundtrack_has_the_samples_of_a_drive_beside_a_ghost_that_goes_and_comes(beside):
    live = beside()
    pieces = [live.run(0.5)]
    live.running.clear()
    pieces.append(live.run(2.5))
    live.running.append(live.ghost)
    samples = np.concatenate([*pieces, live.run(1.0)])
    world = World(load_world("plane"), [load_vehicle(QUIET)])
    world.place(0, (X, Y - 60.0), 0.0)
    running = [live.ghost]
    ghosts = GhostSounds(SimpleNamespace(running=running, visible=True), lambda: world.time, count=2)
    track, blocks = Soundtrack(world, FixedListener(), ghosts), []
    for tick in range(960):
        running[:] = [] if 120 <= tick < 720 else [live.ghost]
        world.step(live.command)
        track.add()
        blocks += [block.copy() for block in track.blocks()]
    expected = np.concatenate(blocks).astype(np.float32)
    hit = slice(PUSH * ROW_SAMPLES, (PUSH + 12) * ROW_SAMPLES)
    assert len(samples) > 190_000 and np.abs(expected[hit]).max() > 2.0 * np.abs(expected[: hit.start]).max() > 1e-3
    assert np.array_equal(samples[DELAY:], expected[: len(samples) - DELAY])


@pytest.mark.parametrize("end", ["removed", "ended", "muted", "waits"])
def test_a_ghost_that_is_not_there_any_more_fades_and_is_not_computed(beside, end):
    drive = beside()
    before = np.abs(np.diff(drive.run(), axis=0)).max()
    if end == "removed":
        drive.running.clear()
    drive.ghost.is_shown = end != "ended"
    if end == "muted":
        drive.live.settings.volume_ghosts = 0.0
    if end == "waits":
        drive.ghost.set_off_at = None
        drive.ghost.time = lambda now: 0.0
    faded = drive.run()
    assert np.abs(np.diff(faded[:4800], axis=0)).max() < 1.5 * before, "no click"
    assert rms(faded).max() < 1e-9
    assert drive.computed() == [0]


def test_a_ghost_that_sets_off_again_does_not_click(beside):
    drive = beside()
    before = np.abs(np.diff(drive.run(1.0), axis=0)).max()
    drive.ghost.set_off_at = drive.live.world.time - 0.5
    assert np.abs(np.diff(drive.run(), axis=0)).max() < 1.5 * before


def test_a_new_ghost_gets_a_slot_that_is_silent(beside):
    drive = beside()
    drive.run()
    drive.running[:] = [Ghost(drive.ghost.drive.sound)]
    drive.run(0.2)
    assert drive.computed() == [0, 2]
    drive.running[:] = [Ghost(drive.ghost.drive.sound)]
    assert rms(drive.run(2.0)).max() > 1e-4
    assert drive.computed() == [0, 1]
    ring = drive.live.stream.ring
    assert (
        ring.frames["attenuation"][(ring.written - 1) % ROWS] == [0.0, pytest.approx(1.0 - GHOST_GAIN), ABSENT]
    ).all()
