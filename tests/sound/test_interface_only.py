"""Sounds of the interface in a replay that is shown from stored poses, where no drive can be heard."""

from types import SimpleNamespace

import numpy as np
import pytest
from pulled_drive import PulledDevice
from test_interface_sounds import sound

from driving_sandbox.game.audio import interface_only
from driving_sandbox.game.audio.interface_only import InterfaceOnly, hear_interface
from driving_sandbox.game.audio.interface_player import TAIL
from driving_sandbox.game.audio.levels import LOUDEST, gain
from driving_sandbox.game.audio.sdl import NoSound
from driving_sandbox.game.program.settings import Settings, load_settings
from driving_sandbox.sound.interface.kinds import Kind, seconds


@pytest.fixture
def rig(monkeypatch, home):
    """An InterfaceOnly, the devices that it has opened, what it said, and the time."""
    rig = SimpleNamespace(devices=[], said=[], time=0.0)

    def open_device(stream, name):
        rig.devices.append(PulledDevice(stream, name))
        return rig.devices[-1]

    monkeypatch.setattr(interface_only, "is_ready", lambda worker_ended: True)
    monkeypatch.setattr(interface_only, "open_device", open_device)
    monkeypatch.setattr(interface_only, "sleep", lambda duration: None)
    monkeypatch.setattr("driving_sandbox.game.audio.interface_player.monotonic", lambda: rig.time)
    rig.hearing = InterfaceOnly(Settings(), rig.said.append)
    yield rig
    rig.hearing.close()


def test_a_sound_opens_the_device_and_is_heard_until_it_rests(rig):
    rig.hearing.frame(None, 0.0, 1.0)
    assert not rig.devices
    rig.hearing.play_interface_sound(Kind.LAP)
    samples = rig.devices[0].pull(24000)[:, 0]
    settings = Settings()
    expected = sound(Kind.LAP) * LOUDEST * gain(settings.volume) * gain(settings.volume_interface)
    assert np.abs(samples - expected).max() < 1e-6
    rig.time += seconds(Kind.LAP) + TAIL
    rig.hearing.frame(None, 0.0, 1.0)
    assert not rig.devices[0]._playing
    rig.hearing.play_interface_sound(Kind.PRESS)
    assert rig.devices[0]._playing
    assert len(rig.devices) == 1


@pytest.mark.parametrize("muted", ["sound", "volume_interface", "focus"])
def test_a_sound_that_is_not_wanted_opens_nothing(rig, muted):
    if muted == "focus":
        rig.hearing.focused = False
    else:
        setattr(rig.hearing._settings, muted, 0.0)
    rig.hearing.play_interface_sound(Kind.PRESS)
    assert not rig.devices


def test_the_mute_key_is_saved_and_said(rig):
    rig.hearing.toggle()
    assert not load_settings()[0].sound
    rig.hearing.toggle()
    assert load_settings()[0].sound
    assert rig.said == ["sound off", "sound on"]


def test_nothing_is_compiled_for_sounds_of_the_interface(rig, monkeypatch):
    monkeypatch.setattr(interface_only, "is_ready", lambda worker_ended: False)
    rig.hearing.play_interface_sound(Kind.PRESS)
    assert not rig.devices


def test_a_machine_without_a_device_is_silent(rig, monkeypatch):
    def refuse(stream, name):
        rig.devices.append(name)
        raise NoSound("no sound: there is no device")

    monkeypatch.setattr(interface_only, "open_device", refuse)
    rig.hearing.play_interface_sound(Kind.PRESS)
    rig.hearing.play_interface_sound(Kind.PRESS)
    assert len(rig.devices) == 1  # it is not tried again with every sound
    assert rig.hearing.problem == "no sound: there is no device"


@pytest.mark.parametrize("options", [{"offscreen": True}, {"offscreen": False, "no_sound": True}])
def test_without_sound_there_is_none_of_the_interface(options):
    assert not isinstance(hear_interface(SimpleNamespace(**options), Settings(), print), InterfaceOnly)
