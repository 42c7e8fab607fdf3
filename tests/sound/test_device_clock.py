"""The program's clock follows a device's that is faster or slower, so that the number of waiting rows stays right."""

import pytest

from driving_sandbox.game.audio.device_clock import DISK_LIMIT, LIMIT, DeviceClock

FRAME = 1.0 / 60.0  # s


@pytest.mark.parametrize(("error", "limit"), [(-0.06, DISK_LIMIT), (-1e-4, LIMIT), (0.0, LIMIT), (0.03, DISK_LIMIT)])
def test_the_clock_takes_the_pace_of_the_device(error, limit):
    """error: of the device's clock. At first 30 ms too many rows wait; the clock knows a mean of the last 0.2 s."""
    clock, excess, mean, most = DeviceClock(limit), 0.03, 0.03, 0.0
    for _ in range(6000):
        excess += (clock.pace - 1.0 - error) * FRAME
        mean += FRAME / 0.2 * (excess - mean)
        clock.follow(mean, FRAME)
        most = max(most, abs(excess))
        assert abs(clock.pace - 1.0) <= limit + 1e-12
    assert clock.pace == pytest.approx(1.0 + error, abs=1e-4)
    assert excess == pytest.approx(0.0, abs=1e-4)
    assert most < 0.07


def test_a_device_that_is_too_slow_is_not_followed():
    clock = DeviceClock()
    for _ in range(6000):
        clock.follow(0.2, FRAME)
    assert clock.pace == pytest.approx(1.0 - LIMIT)


def test_time_runs_as_usual_while_nothing_plays_and_goes_on_as_it_did():
    clock = DeviceClock()
    for _ in range(600):
        clock.follow(0.01, FRAME)
    slow = clock.pace
    clock.rest()
    assert slow < 0.99 and clock.pace == 1.0
    clock.follow(0.01, FRAME)
    assert clock.pace == pytest.approx(slow, abs=1e-3)
