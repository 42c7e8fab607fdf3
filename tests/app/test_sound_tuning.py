"""Tuning of voices in a drive that is heard."""

import pytest
from sound_rig import Drive


@pytest.fixture
def drive(compiled_sound, monkeypatch, home):
    """A drive whose samples are dropped."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    drive = Drive()
    yield drive
    drive.close()


def test_tuning_is_heard_at_once_and_undone(drive):
    drive.run(0.3)
    tuning, used = drive.session.tuning, drive.hearing._stream.scene.arrays["parameters"][0]
    before = float(used["wind"]["level"])
    tuning.set_parameters({"sound.wind.level": 0.5, "sound.engine.middle_length": 0.9})
    drive.run(0.2)
    assert used["wind"]["level"] == 0.5 != before
    # samples: length, m, divided by the speed of sound in the exhaust, m/s, times the sample rate, Hz
    assert used["engine"]["derived"]["line_delay"][0, 0] == round(0.9 / 540.0 * 48000.0)
    tuning.undo()
    drive.run(0.2)
    assert used["wind"]["level"] == before and tuning.can_redo and not tuning.can_undo
    samples, engine_speed = drive.hearing.recent()  # of the last 0.1 s; rad/s
    assert len(samples) == 4800 and engine_speed > 50.0 and not drive.said


def test_a_sound_that_no_longer_fits_the_vehicle_stays_with_a_warning(drive):
    drive.run(0.1)
    used = drive.hearing._stream.scene.arrays["wanted"].tobytes()
    drive.world.vehicles[0].info["sound"] = {"motor": {"level": 2.0}}
    drive.run(0.1)
    assert drive.hearing._stream.scene.arrays["wanted"].tobytes() == used
    assert [level for _, level in drive.said] == ["warning"] and "electric motor" in drive.said[0][0]
    del drive.world.vehicles[0].info["sound"]
