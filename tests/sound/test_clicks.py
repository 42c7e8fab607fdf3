"""No click at what happens in a drive: start, pause, jumps of the world, changes of camera and gear, mute."""

import numpy as np
import pytest
from pulled_drive import BONNET, CHASE, ROADSIDE, SEAT, PulledDrive

CLICK = 1.5  # largest third difference / its 99.99 % quantile before and after, above which it is a click
AFTER = 9600  # samples after an event in which it would click: 0.2 s, with the delay of the ring and all fades
AROUND = 24000  # samples before the event, and after those, for comparison


@pytest.fixture
def drive(monkeypatch, home):
    """A drive in first gear, heard from behind; from 4 s on the clutch is closed."""
    drive = PulledDrive(monkeypatch)
    yield drive
    drive.close()


def driven(drive, seconds):
    """Drive for some time; returns the number of the next sample."""
    drive.run(seconds)
    return drive.now


def sharpness(samples, event):
    """Largest third difference in the AFTER samples from a sample number on / the 99.99 % quantile around them."""
    change = np.abs(np.diff(samples, 3, axis=0)).max(axis=1)
    around = np.concatenate([change[max(0, event - AROUND) : event], change[event + AFTER : event + AFTER + AROUND]])
    assert len(around) >= AROUND and np.abs(samples).max() > 0.01
    return change[event : event + AFTER].max() / np.quantile(around, 0.9999)


def restart(drive):
    drive.world.spawn()
    drive.session.changes.record_jump("restart")


def shift(drive):
    drive.command["gear"] += 1


EVENTS = {
    "rewind": lambda drive: drive.session.changes.rewind(1.5),
    "restart": restart,
    "recover": lambda drive: drive.session.changes.recover(),
    "shift": shift,
    "lift": lambda drive: drive.command.__setitem__("throttle", 0.0),
    "horn": lambda drive: setattr(drive.session.signals, "horn", True),
    "mute": lambda drive: drive.hearing.toggle(),
}


def test_the_start_makes_no_click(drive):
    driven(drive, 1.0)
    assert sharpness(drive.samples, 0) < CLICK


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_makes_no_click(drive, event):
    start = driven(drive, 4.0)
    EVENTS[event](drive)
    drive.run(0.8)
    assert sharpness(drive.samples, start) < CLICK


def test_a_pause_and_its_end_make_no_click(drive):
    pause = driven(drive, 4.0)
    drive.session.paused = True
    end = driven(drive, 0.5)
    drive.session.paused = False
    drive.run(0.8)
    samples = drive.samples
    assert not samples[end - 4800 : end].any()
    assert sharpness(samples, pause) < CLICK
    assert sharpness(samples, end) < CLICK


@pytest.mark.parametrize("before", [CHASE, SEAT, BONNET, ROADSIDE])
@pytest.mark.parametrize("after", [CHASE, SEAT, BONNET, ROADSIDE])
def test_a_change_of_camera_makes_no_click(drive, before, after):
    drive.camera = before
    start = driven(drive, 4.0)
    drive.camera = after
    drive.run(0.8)
    assert sharpness(drive.samples, start) < CLICK


def test_the_measure_finds_a_gain_that_jumps(drive):
    start = driven(drive, 4.0)
    drive.run(0.8)
    samples = drive.samples
    samples[start + np.argmax(np.abs(samples[start : start + AFTER, 0])) :] *= 0.5
    assert sharpness(samples, start) > CLICK
