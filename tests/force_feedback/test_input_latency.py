"""Means of the times from a report to command, picture and force."""

import pytest

from driving_sandbox.game.force_feedback.latency import FRAMES, Latency
from driving_sandbox.game.force_feedback.stream import INTERVAL, ForceStream
from driving_sandbox.game.windows.forces_page import latency_text


class Wheel:
    """A wheel whose stream is some ticks behind."""

    def __init__(self, ticks):
        self.stream = ForceStream(1.0 / 240.0, 8.0, 400.0)
        self.stream.record["written"], self.stream.record["cursor"] = 101, 100.0 - ticks


def measured(frame, tick, drawn, frames=200):
    """A Latency after frames of some length, s, whose tick and end come after the poll by some time, s."""
    latency = Latency()
    for k in range(frames):
        latency.polled(1.0 + k * frame)
        latency.ticked(1.0 + k * frame + tick)
        latency.ticked(1.0 + k * frame + 2.0 * tick)  # a later tick of the frame does not count
        latency.drawn(1.0 + k * frame + drawn)
    return latency


@pytest.mark.parametrize("frame", [1.0 / 60.0, 1.0 / 144.0])
@pytest.mark.parametrize("tick", [0.001, 0.003])
def test_the_wait_for_a_poll_counts_half(frame, tick):
    times = measured(frame, tick, drawn=0.005).milliseconds()
    assert times["command"] == pytest.approx(500.0 * frame + 1000.0 * tick)
    assert times["picture"] == pytest.approx(500.0 * frame + 5.0)
    assert "force" not in times


@pytest.mark.parametrize("ticks", [0.0, 3.0])
def test_the_force_follows_the_tick_by_what_waits_in_its_stream(ticks):
    latency = measured(1.0 / 60.0, 0.001, 0.005)
    latency.forced(Wheel(ticks))
    times = latency.milliseconds()
    assert times["force"] - times["command"] == pytest.approx(1000.0 * ticks / 240.0 + 0.5 * INTERVAL)


def test_only_the_last_frames_count():
    latency = measured(1.0 / 30.0, 0.010, 0.020)
    late = measured(1.0 / 60.0, 0.001, 0.005, frames=FRAMES + 1)
    for k in range(FRAMES + 1):
        latency.polled(100.0 + k / 60.0)
        latency.ticked(100.0 + k / 60.0 + 0.001)
        latency.drawn(100.0 + k / 60.0 + 0.005)
    assert latency.milliseconds()["picture"] == pytest.approx(late.milliseconds()["picture"])


def test_before_a_drive_there_is_nothing_to_say():
    assert Latency().milliseconds() == {}
    assert latency_text({}) == ""
    assert latency_text({"command": 9.4, "picture": 21.0}).endswith("to command 9 ms, picture 21 ms")
