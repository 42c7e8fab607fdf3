"""Sound of the program in a window: a machine without a device, the samples of a drive, and its keys."""

import numpy as np
import pytest

pytestmark = pytest.mark.serial


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
    user.ask("app.views[0].lamps.__setattr__('turn', 1)")
    user.until("app.session.signals.turn == 1")
    user.key("F4")
    user.until("not app.hearing.audible")
    user.key("F4")
    user.until("app.hearing.audible")
    user.key("Escape")
    user.until("app.session.paused and not app.hearing.audible")
    user.until("app.hearing._resting")
    blocks = "int(app.hearing._stream.record['blocks'])"
    assert user.ask(blocks) == user.ask(blocks)
    user.close_window()
    code, errors = user.wait()
    assert code == 0, errors
    samples = np.fromfile(path, np.float32)
    assert np.isfinite(samples).all()
    assert np.abs(samples).max() > 0.01
    assert np.abs(samples[-960:]).max() < 1e-6  # the last 10 ms of both channels
