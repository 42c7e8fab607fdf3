"""Sounds of the interface of a program in a window, in the samples that its device gets."""

import numpy as np
import pytest

from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.interface.kinds import SOUNDS, Kind, seconds

pytestmark = pytest.mark.serial
SPECTRUM = 1 << 16  # samples


def sounds(samples):
    """(length, strongest frequency) of every sound between silences, s and Hz."""
    sounding = np.flatnonzero(samples)
    for part in np.split(sounding, np.flatnonzero(np.diff(sounding) > 0.02 * SAMPLE_RATE) + 1):
        power = np.abs(np.fft.rfft(samples[part[0] : part[-1] + 1], SPECTRUM))
        yield len(part) / SAMPLE_RATE, np.argmax(power) * SAMPLE_RATE / SPECTRUM


def test_the_menu_of_a_paused_drive_is_heard_and_nothing_else(compiled_sound, open_window, tmp_path, monkeypatch):
    """A key moves the focus, the mouse presses a button, Escape leads back; while the sound is off none is heard."""
    path = tmp_path / "samples.raw"
    monkeypatch.setenv("SDL_DISKAUDIOFILE", str(path))
    user, silent = open_window("--size", "640x360", audio="disk"), "not app.hearing._player.is_sounding"
    user.until("app.hearing.audible and app.world.time > 1.0")
    user.ask("app._welcomed()")
    user.key("Escape")
    user.until(f"app.session.paused and app.hearing._resting and {silent}")
    start = path.stat().st_size // 8  # bytes of a sample of two channels
    for is_on in (True, False):
        user.ask(f"setattr(app.settings, 'sound', {is_on})")
        focus = user.ask("__import__('imgui_bundle').imgui.get_current_context().nav_id")
        user.key("Down")
        user.until(f"__import__('imgui_bundle').imgui.get_current_context().nav_id != {focus} and {silent}")
        user.click(*user.ask("list(app.ui.items.point('pause:settings'))"))
        user.until(f"app.pause.page == 'settings' and {silent}")
        user.key("Escape")
        user.until(f"app.pause.page == 'menu' and {silent}")
    user.close_window()
    code, errors = user.wait()
    assert code == 0, errors
    samples = np.fromfile(path, np.float32).reshape(-1, 2)[start:, 0]
    kinds = (Kind.FOCUS, Kind.OPENED, Kind.CLOSED)
    for kind, (length, frequency) in zip(kinds, sounds(samples), strict=True):
        note = SOUNDS[kind][0]
        assert length == pytest.approx(seconds(kind), abs=2e-3)
        assert frequency == pytest.approx(0.5 * (note.frequency + note.end_frequency), rel=0.15)
