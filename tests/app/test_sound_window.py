"""Sound of the program in a window: without an audio device, samples of a drive, and the keys for sound and horn."""

import numpy as np
import pytest

from driving_sandbox.physics.recording import Recording
from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE
from driving_sandbox.sound.recorded import recorded_blocks

pytestmark = pytest.mark.serial

LEAST_SECONDS = 1.5  # of samples to be compared
ATTEMPTS = 4  # on a busy machine the drive may stutter


def test_without_a_device_the_program_runs_and_one_line_says_so(open_window):
    user = open_window("--size", "320x180", audio="nonsense")
    user.until("app.world.time > 0.3")
    said = user.ask("[m.text for m in app.session.messages if 'sound' in m.text]")
    assert said == ["no sound: Audio target 'nonsense' not available"]
    user.key("F4")
    user.until("not app.settings.sound")


def test_a_drive_in_a_window_is_heard_and_muted_by_its_key(compiled_sound, open_window, tmp_path, monkeypatch):
    path = tmp_path / "samples.raw"
    monkeypatch.setenv("SDL_DISKAUDIOFILE", str(path))
    user = open_window("--size", "320x180", audio="disk")
    user.until("app.hearing.audible and app.world.time > 1.0")
    user.hold("v")
    user.until("app.session.signals.horn")
    user.release("v")
    user.until("not app.session.signals.horn")
    user.ask("setattr(app.views[0].lamps, 'turn', 1)")  # the left turn signal, which ticks
    user.until("app.session.signals.turn == 1")
    user.key("F4")
    user.until("not app.hearing.audible")
    user.key("F4")
    user.until("app.hearing.audible")
    user.key("Escape")
    user.until("app.session.paused and not app.hearing.audible")
    user.until("app.hearing._resting")
    blocks = "int(app.hearing._stream.record['blocks'])"
    assert user.ask(blocks) == user.ask(blocks)  # at rest no blocks are rendered: the count stays
    user.close_window()
    code, errors = user.wait()
    assert code == 0, errors
    samples = np.fromfile(path, np.float32)
    assert np.isfinite(samples).all()
    assert np.abs(samples).max() > 0.01
    assert np.abs(samples[-960:]).max() < 1e-6  # the last 10 ms of both channels


def written_samples(raw, blocks_before_stutter):
    """Samples [n, 2] that SDL's audio driver `disk` wrote, from the first one that is not 0 to the first stutter.

    The last two blocks before the stutter are left out, as the drive may have faded out there.
    """
    samples = np.fromfile(raw, np.float32).reshape(-1, 2)
    samples = samples[np.argmax(samples.any(axis=1)) :]
    return samples[: max(0, blocks_before_stutter - 2) * BLOCK]


def test_a_drive_in_a_window_has_the_samples_of_its_recording(compiled_sound, open_window, home, tmp_path, monkeypatch):
    """With the chase camera, every sample up to the first stutter equals the one computed from the recording."""
    (home / "settings").mkdir(parents=True, exist_ok=True)
    (home / "settings" / "program.yaml").write_text("volume: 1.0\nfirst_start: false\n", encoding="utf-8")
    for attempt in range(ATTEMPTS):
        raw, path = tmp_path / f"{attempt}.raw", tmp_path / f"{attempt}.drive"
        monkeypatch.setenv("SDL_DISKAUDIOFILE", str(raw))
        user = open_window("--size", "320x180", "--driver", "ai", "--record", str(path), audio="disk")
        user.until("app.world.time > 1.0")
        user.hold("v")
        user.until("app.world.time > 2.5")
        blocks_before_stutter = user.ask("int(app.hearing._stream.record['ring']['exact'])")
        user.close_window()
        assert user.wait()[0] == 0
        expected = np.concatenate([block.copy() for block in recorded_blocks(Recording.open(path))])
        expected = expected[np.argmax(expected.any(axis=1)) :].astype(np.float32)
        written = written_samples(raw, blocks_before_stutter)
        assert np.array_equal(written, expected[: len(written)])
        if len(written) >= LEAST_SECONDS * SAMPLE_RATE:
            assert np.abs(written).max() > 0.05
            return
    pytest.fail(f"{ATTEMPTS} drives stuttered within {LEAST_SECONDS} s")
