"""Tuning in a drive is recorded: the recording's soundtrack has every change in the same block as the drive had it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from test_live_equality import CAMERA, DELAY
from test_live_vehicles import CREATED, ROW_SAMPLES, Live, X, Y

from driving_sandbox.game.replay.events import stored_events
from driving_sandbox.game.session.changes import Changes
from driving_sandbox.game.session.tuning import Tuning
from driving_sandbox.physics.recording import Recorder, Recording
from driving_sandbox.physics.recording.verification import Resimulation, verify
from driving_sandbox.physics.recording.world import build_world
from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.vehicle.swap import plan_swap
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.recorded import recorded_blocks
from driving_sandbox.sound.vehicle_sound import sound_of

TICKS = 320  # of the drive
FRAME_TICKS = 4  # per frame of the program; changes within a frame wait for the device together
WIND, LENGTH, REDLINE, MASS = "sound.wind.level", "sound.engine.middle_length", "engine.max_omega", "body.mass"
# {tick before which it is made: values, None to undo, "swap" of the clutch, or "recovered": the car is put back}
CHANGES = {
    0: {WIND: 1.5},
    80: {WIND: 0.5, LENGTH: 0.9},
    82: {WIND: 0.2},
    140: {REDLINE: 500.0},
    181: {MASS: 6000.0},
    183: None,
    220: {"sound.engine.preset": "v_twin"},
    262: "swap",
    264: {WIND: 0.7},
    290: "recovered",
}


class TunedDrive:
    """A launch of the roadster that is heard from the chase camera, recorded and tuned."""

    def __init__(self, monkeypatch, folder):
        self.world = World(load_world("plane"), [load_vehicle("roadster")])
        self.world.place(0, (X + 4.0, Y), 0.0)
        self.path = folder / "a.drive"
        recorder = Recorder(self.path, self.world, CREATED)
        control = SimpleNamespace(recorder=recorder)
        changes = Changes(self.world, control, 0, SimpleNamespace(jumped=lambda: None))
        monkeypatch.setattr("test_live_vehicles.CAMERA", replace(CAMERA, listener="chase"))
        self.live = Live(monkeypatch, self.world)
        changes.on_jump.append(self.live.hearing.jumped)
        self.samples = self._run(changes, Tuning(changes, folder), recorder)
        self.live.hearing.close()
        recorder.close()

    def _run(self, changes, tuning, recorder):
        """Samples [n, 2] of the drive."""
        command, pieces = neutral_command(), []
        for tick in range(TICKS):
            if tick in CHANGES:
                self._change(changes, tuning, CHANGES[tick])
            command["throttle"], command["gear"], command["steer"] = float(tick > 20), FIRST, 0.5
            self.world.step(command)
            recorder.record(command)
            self.live.hearing.tick()
            if tick % FRAME_TICKS == FRAME_TICKS - 1:
                pieces += self.live._frame()
        return np.concatenate(pieces)

    def _change(self, changes, tuning, change):
        if change is None:
            tuning.undo()
        elif change == "recovered":
            changes.recover()
        elif change == "swap":
            tuning._set(plan_swap(self.world.vehicles[0], "clutch", "torsion_damper"))
        else:
            tuning.set_parameters(change)

    def soundtrack(self):
        blocks = recorded_blocks(Recording.open(self.path), "chase")
        return np.concatenate([block.copy() for block in blocks])


@pytest.fixture
def drive(monkeypatch, home, tmp_path):
    return TunedDrive(monkeypatch, tmp_path)


def test_a_tuned_drive_has_the_samples_of_its_recording(drive):
    expected = drive.soundtrack()
    assert len(drive.samples) > (TICKS - 8) * ROW_SAMPLES
    assert np.abs(drive.samples).max() > 0.02
    count = len(drive.samples) - DELAY
    differing = np.flatnonzero((drive.samples[DELAY:] != expected[:count].astype(np.float32)).any(axis=1))
    assert differing[:1].tolist() == [], f"tick {differing[0] / ROW_SAMPLES:.2f}"
    used = drive.live.stream.scene.arrays["parameters"][0]
    assert used.tobytes() == sound_of(drive.world.vehicles[0]).parameters.tobytes()
    assert used["wind"]["level"] == 0.7 and used["engine"]["redline"] == 500.0


def test_a_replay_has_the_sound_of_every_moment(drive):
    recording = Recording.open(drive.path)
    assert verify(recording).ok
    resimulation = Resimulation(recording, build_world(recording))
    for tick, wind in ((300, 0.7), (100, 0.2), (1, 1.5), (81, 0.5)):
        resimulation.go_to(tick)
        assert sound_of(resimulation.world.vehicles[0]).parameters["wind"]["level"] == wind
    assert "sound changed" in [entry.text for entry in stored_events(recording)]


def test_a_section_that_the_recording_must_not_change_is_refused(tmp_path):
    world = World(load_world("plane"), [load_vehicle("roadster")])
    with Recorder(tmp_path / "a.drive", world, CREATED) as recorder:
        recorder.event("section", vehicle=0, name="path", values={"a": 1})
        world.step(neutral_command())
        recorder.record(neutral_command())
    report = verify(tmp_path / "a.drive")
    text = "the change of a section cannot be repeated: the section must be one of sound, not 'path'"
    assert not report.ok and text in report.text
