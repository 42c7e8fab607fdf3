"""Vibrations for shakers: packets of eight ticks, a channel per wheel and one of the engine."""

import math
import socket

import numpy as np
import pytest

from driving_sandbox.benchmarks.scenes import flat_world
from driving_sandbox.game.session.session import Session
from driving_sandbox.game.session.shakers import FIRINGS, HEADER, IDLE, ROWS, Shakers
from driving_sandbox.physics.tick.commands import NEUTRAL, neutral_command


@pytest.fixture
def received():
    """(function of seconds of driving and throttle -> rows received, the session)."""
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("127.0.0.1", 0))
    receiver.settimeout(1.0)
    session = Session(flat_world("mx5_na"))
    shakers = Shakers(session, receiver.getsockname())

    def drive(seconds, throttle):
        command = neutral_command()
        command["gear"], command["throttle"] = NEUTRAL, throttle
        rows = []
        for _ in range(round(seconds * 60.0)):
            session.step(1.0 / 60.0, lambda situation: command)
            receiver.setblocking(False)
            try:
                while True:
                    packet = receiver.recv(65536)
                    magic, version, length, tick, channels, dt = HEADER.unpack(packet[: HEADER.size])
                    assert (magic, version, length) == (b"DSSK", 1, len(packet))
                    assert dt == pytest.approx(session.world.tick_seconds)
                    assert tick % ROWS == 0
                    rows.append(np.frombuffer(packet[HEADER.size :], "<f4").reshape(ROWS, channels))
            except BlockingIOError:
                pass
        return np.vstack(rows)

    yield drive, session
    shakers.close()
    session.close()
    receiver.close()


def test_every_tick_arrives_with_a_channel_per_wheel_and_one_of_the_engine(received):
    drive, session = received
    rows = drive(2.0, throttle=0.0)
    assert rows.shape == (session.world.tick // ROWS * ROWS, 5)
    assert np.isfinite(rows).all()


def test_a_bump_of_a_wheel_is_on_its_channel(received):
    drive, session = received
    drive(2.0, throttle=0.0)  # until it stands still
    quiet = drive(0.5, throttle=0.0)
    session.vehicle.state["suspension"]["jounce_speed"][0, 2] += 0.5
    bumped = drive(0.2, throttle=0.0)
    assert abs(quiet[:, :4]).max() < 1.0
    assert abs(bumped[:, 2]).max() > 20.0
    assert abs(bumped[:, 2]).max() > 2.0 * abs(bumped[:, 0]).max()


def test_the_engine_shakes_at_its_firing_frequency_and_with_its_torque(received):
    drive, session = received
    idle = drive(3.0, throttle=0.0)[-256:, 4]
    omega = float(session.vehicle.state["engine"]["omega"][0])
    spectrum = abs(np.fft.rfft(idle * np.hanning(256)))
    peak = np.fft.rfftfreq(256, session.world.tick_seconds)[spectrum.argmax()]
    assert peak == pytest.approx(FIRINGS * omega / (2.0 * math.pi), abs=2.0)
    assert abs(idle).max() == pytest.approx(IDLE, rel=0.05)
    assert abs(drive(0.3, throttle=1.0)[:, 4]).max() > 3.0 * IDLE
