"""Torques of ticks become the level of a wheel's constant force: interpolation, hitches, safety, limits."""

import numpy as np
import pytest

from driving_sandbox.game.force_feedback.stream import (
    POINTS,
    RELEASE,
    SOFT_START,
    WATCHDOG,
    ForceStream,
    next_level,
)

TICK, UPDATE = 1.0 / 240.0, 0.003  # s
STRENGTH, FAST = 8.0, 1e6  # N m, N m/s


def new_stream(slew=FAST, strength=STRENGTH):
    stream = ForceStream(TICK, strength, slew)
    stream.active = True
    return stream


def played(stream, torque_of, seconds, start=0.0, frame=1.0 / 60.0):
    """(times, levels) of a drive of some seconds, whose frames feed their ticks at once; torque_of(time) in N m."""
    times, levels = [], []
    now, due, tick = start, start, round(start / TICK)
    while now < start + seconds:
        now += UPDATE
        while due + frame <= now:
            due += frame
            while (tick + 1) * TICK <= due + 1e-9:
                stream.feed(torque_of(tick * TICK))
                tick += 1
        levels.append(next_level(stream.record, now))
        times.append(now)
    return np.array(times), np.array(levels)


@pytest.mark.parametrize("torque", [2.0, -6.0])
def test_the_level_is_torque_over_strength(torque):
    _, levels = played(new_stream(), lambda time: torque, seconds=2.0)
    assert levels[-1] == pytest.approx(torque / STRENGTH, abs=1e-9)


@pytest.mark.parametrize("frequency", [12.0, 35.0])
@pytest.mark.parametrize("frame", [1.0 / 60.0, 1.0 / 144.0])
def test_a_vibration_keeps_its_frequency_and_size(frequency, frame):
    """A kerb's frequency appears in the stream, although a frame gives several ticks at once."""
    wave = lambda time: 3.0 * np.sin(2.0 * np.pi * frequency * time)  # noqa: E731
    times, levels = played(new_stream(), wave, seconds=4.0, frame=frame)
    late = times > 2.0
    spectrum = np.abs(np.fft.rfft(levels[late] * np.hanning(late.sum())))
    peak = np.fft.rfftfreq(late.sum(), UPDATE)[spectrum.argmax()]
    assert peak == pytest.approx(frequency, abs=0.6)
    assert levels[late].std() * np.sqrt(2.0) == pytest.approx(3.0 / STRENGTH, rel=0.12)


def test_a_hitch_of_200_ms_holds_the_force():
    stream = new_stream()
    times, levels = played(stream, lambda time: 4.0, seconds=2.0)
    held = [next_level(stream.record, times[-1] + k * UPDATE) for k in range(1, 67)]
    assert held == pytest.approx([levels[-1]] * 66, abs=1e-3)


def test_the_force_ends_when_ticks_stop_coming():
    stream = new_stream()
    times, levels = played(stream, lambda time: 4.0, seconds=2.0)
    assert levels[-1] == pytest.approx(0.5)
    later = [next_level(stream.record, times[-1] + k * UPDATE) for k in range(1, 250)]
    after = round((WATCHDOG + RELEASE + 0.02) / UPDATE)
    assert later[after] == 0.0
    assert later[round(0.9 * WATCHDOG / UPDATE)] > 0.4


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_the_force_rises_slowly_at_first(share):
    stream = new_stream()
    times, levels = played(stream, lambda time: 4.0, seconds=1.5)
    index = np.searchsorted(times, share * SOFT_START)
    assert levels[index] == pytest.approx(share * 0.5, abs=0.02)


def test_a_wheel_that_is_let_go_falls_to_zero_and_rises_again():
    stream = new_stream()
    times, levels = played(stream, lambda time: 4.0, seconds=2.0)
    stream.active = False
    times, levels = played(stream, lambda time: 4.0, seconds=0.2, start=times[-1])
    assert levels[-1] == 0.0
    stream.active = True
    _, levels = played(stream, lambda time: 4.0, seconds=1.5, start=times[-1])
    assert levels[-1] == pytest.approx(0.5)


@pytest.mark.parametrize("slew", [4.0, 20.0])
def test_the_rate_is_limited(slew):
    stream = new_stream(slew)
    step = lambda time: 0.0 if time < 1.5 else 6.0  # noqa: E731
    times, levels = played(stream, step, seconds=3.0)
    rates = np.diff(levels) / UPDATE * STRENGTH
    assert rates.max() == pytest.approx(slew, rel=0.01)
    assert rates.max() <= slew * 1.001


@pytest.mark.parametrize("torque", [np.nan, np.inf])
def test_a_torque_that_is_no_number_counts_as_none(torque):
    _, levels = played(new_stream(), lambda time: torque, seconds=1.0)
    assert (levels == 0.0).all()


def test_torques_beyond_the_strength_are_cut_and_counted():
    stream = new_stream()
    _, levels = played(stream, lambda time: 20.0, seconds=2.0)
    assert levels.max() == 1.0
    assert stream.record["clipped"] > 600
    stream = new_stream()
    played(stream, lambda time: 7.9, seconds=2.0)
    assert stream.record["clipped"] == 0


@pytest.mark.parametrize(("torque", "level"), [(2.0, 0.25), (4.0, 0.5)])
def test_the_response_of_a_wheel_is_taken_into_account(torque, level):
    """A wheel whose force is the square of the level needs the square root."""
    stream = new_stream()
    stream.set_response(np.sqrt(np.linspace(0.0, 1.0, POINTS)))
    _, levels = played(stream, lambda time: torque, seconds=2.0)
    assert levels[-1] ** 2 == pytest.approx(level, abs=0.01)


def test_a_wheel_that_turns_the_other_way_gets_the_other_sign():
    _, levels = played(new_stream(strength=-STRENGTH), lambda time: 4.0, seconds=2.0)
    assert levels[-1] == pytest.approx(-0.5)
