"""Distance, direction, Doppler shift and air: what reaches the ears from one vehicle."""

import numpy as np
import pytest
from heard import LATENCY, Scene, chord, click, frequency, level, tone

from driving_sandbox.sound.base.block import (
    BLOCK,
    BODY,
    ENGINE_BAY,
    EXHAUST,
    FRONT_TIRES,
    REAR_TIRES,
    SAMPLE_RATE,
    SPEED_OF_SOUND,
)
from driving_sandbox.sound.space.ears import EAR_DELAY, NEAR_DELAY, SHADOW_GAIN
from driving_sandbox.sound.space.emitters import set_emitters

SETTLED = 480  # blocks, 0.4 s: travel over up to 100 m, fades


def at(*position):
    """A scene with a vehicle at rest at this position."""
    scene = Scene()
    scene.frames["position"] = position
    return scene


def steady(scene, signal, blocks=60):
    """What is heard once the sound has arrived."""
    scene.hear(signal, blocks=SETTLED)
    return scene.hear(signal, blocks=blocks)


def arrival(samples):
    """Sample number of a pulse's centre, per ear."""
    n = np.arange(len(samples))[:, None]
    return np.sum(n * samples, axis=0) / np.sum(samples, axis=0)


def pulse(start):
    """A smooth pulse of 64 samples, from a sample number on."""
    return lambda n, vehicle: np.where((n >= start) & (n < start + 64), np.sin(np.pi * (n - start) / 64) ** 2, 0.0)


def passing(offset, speed, listener_speed=0.0):
    """What is heard of a 1 kHz source along y, at x = `offset`, beside the listener at t = 1 s."""
    scene, heard = Scene(), []
    for _ in range(2400):
        scene.frames["position"] = [offset, speed * (scene.time - 1.0), 0.0]
        scene.listener["position"] = [0.0, listener_speed * (scene.time - 1.0), 0.0]
        heard.append(scene.hear(tone(1000.0)))
    return np.concatenate(heard)


def shifted(offset, speed, time):
    """Frequency, Hz, of that source, heard at `time`, s, by a listener at rest: Doppler shift at its emission."""
    t = np.linspace(0.0, time, 2_000_001)
    source_distance = np.hypot(offset, speed * (t - 1.0))
    sent = t[np.argmin(np.abs(t + source_distance / SPEED_OF_SOUND - time))]
    approach = -speed * speed * (sent - 1.0) / np.hypot(offset, speed * (sent - 1.0))
    return 1000.0 / (1.0 - approach / SPEED_OF_SOUND)


@pytest.mark.parametrize("time", [0.4, 0.7, 1.4, 1.8])
def test_a_passing_source_has_the_doppler_shift_of_its_emission(time):
    heard = passing(3.0, 30.0)[:, 1]
    delay = LATENCY + NEAR_DELAY
    middle = int(time * SAMPLE_RATE + delay)
    measured = frequency(heard[middle - 1200 : middle + 1200])
    assert measured == pytest.approx(shifted(3.0, 30.0, time), rel=1e-3)


def test_a_moving_source_is_shifted_more_than_a_moving_listener_is():
    """At 60 m/s straight ahead: 1 / (1 - M) and 1 + M differ by 3.2 %."""
    middle = slice(28800, 38400)
    mach = 60.0 / SPEED_OF_SOUND
    assert frequency(passing(0.0, 60.0)[middle, 0]) == pytest.approx(1000.0 / (1.0 - mach), rel=1e-3)
    scene, heard = at(0.0, 0.0, 0.0), []
    for _ in range(1200):
        scene.listener["position"] = [0.0, 60.0 * (scene.time - 1.0), 0.0]
        heard.append(scene.hear(tone(1000.0)))
    assert frequency(np.concatenate(heard)[middle, 0]) == pytest.approx(1000.0 * (1.0 + mach), rel=1e-3)


def test_a_listener_who_follows_hears_no_shift():
    heard = passing(6.0, 50.0, listener_speed=50.0)[48000:52800, 0]
    assert frequency(heard) == pytest.approx(1000.0, rel=1e-6)


def test_each_doubled_distance_takes_6_db():
    levels = [level(steady(at(0.0, distance, 0.0), tone(100.0)))[0] for distance in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)]
    assert levels[0] == pytest.approx(levels[1], abs=0.1)  # within the source's size
    assert np.diff(levels[1:]) == pytest.approx(-6.02, abs=0.2)
    assert levels[1] == pytest.approx(20.0 * np.log10(0.1 / np.sqrt(2.0)), abs=0.1)


def test_air_takes_high_frequencies_far_away():
    def loss(distance, hertz):
        return level(steady(at(0.0, distance, 0.0), tone(hertz)))[0] + 20.0 * np.log10(distance)

    near = loss(4.0, 3500.0)
    assert near - loss(100.0, 3500.0) == pytest.approx(3.0, abs=0.7)
    assert near - loss(20.0, 3500.0) < 0.3


def test_a_source_on_the_right_is_earlier_and_louder_at_the_right_ear():
    scene = at(10.0, 0.0, 0.0)
    heard = scene.hear(pulse(0), blocks=60)
    left, right = arrival(heard)  # of the pulse's centre, its sample 32
    assert left - right == pytest.approx(2.0 * EAR_DELAY, abs=4.5)  # and the delay of the shadow's pole
    assert right == pytest.approx(
        LATENCY + NEAR_DELAY - EAR_DELAY + 32.0 + 10.0 / SPEED_OF_SOUND * SAMPLE_RATE, abs=0.5
    )
    low, high = (level(steady(at(10.0, 0.0, 0.0), tone(f))) for f in (100.0, 4000.0))
    assert low[1] - low[0] == pytest.approx(-20.0 * np.log10(SHADOW_GAIN), abs=0.2)
    assert high[1] - high[0] > 11.0


def test_left_and_right_are_mirror_images_and_ahead_is_the_same_for_both_ears():
    right, left, ahead = (steady(at(x, y, 0.0), chord) for x, y in ((7.0, 3.0), (-7.0, 3.0), (0.0, 7.0)))
    assert right == pytest.approx(left[:, ::-1], abs=1e-9)
    assert ahead[:, 0] == pytest.approx(ahead[:, 1], abs=1e-9)


def test_direction_follows_the_right_ear_not_the_axes():
    scene = at(0.0, 10.0, 0.0)
    scene.listener["right"] = [0.0, 1.0, 0.0]
    left, right = level(steady(scene, tone(500.0)))
    assert right > left + 4.0


def test_buses_sound_where_they_are_on_the_vehicle():
    """The listener stands 10 m before a vehicle that heads for +x."""
    positions = {}
    for bus in (EXHAUST, ENGINE_BAY, FRONT_TIRES, REAR_TIRES, BODY):
        scene = at(0.0, 0.0, 0.0)
        scene.frames["forward"] = [1.0, 0.0, 0.0]
        scene.listener["position"], scene.listener["right"] = [10.0, 0.0, 0.0], [0.0, -1.0, 0.0]
        set_emitters(scene.spaces[0]["emitters"], 1.2, -1.4)
        samples = arrival(scene.hear(pulse(0), buses=(bus,), blocks=60))[0] - LATENCY - NEAR_DELAY - 32.0
        positions[bus] = 10.0 - samples / SAMPLE_RATE * SPEED_OF_SOUND
    expected = {EXHAUST: -2.1, ENGINE_BAY: 1.2, FRONT_TIRES: 1.2, REAR_TIRES: -1.4, BODY: -0.1}
    assert positions == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("jump", [(30.0, 0.0, 0.0), (0.0, 100.0, 0.0), (2.0, 1.5, 1.0), (-12.0, 5.0, 0.0)])
@pytest.mark.parametrize("who", ["vehicle", "listener"])
def test_a_jump_of_vehicle_or_listener_does_not_click(who, jump):
    scene = at(6.0, 4.0, 0.0)
    moved = scene.frames if who == "vehicle" else scene.listener
    before = scene.hear(chord, blocks=SETTLED)
    start = moved["position"].copy()
    during = []
    for block in range(SETTLED):
        moved["position"] = start + np.multiply(jump, min(block + 1, 5) / 5.0)  # a tick, interpolated
        during.append(scene.hear(chord))
    heard = np.concatenate([before, *during])
    begin = SETTLED * BLOCK
    assert click(heard, begin, begin + 4000) < 1.5


@pytest.mark.parametrize("blocks", [1, 5])
@pytest.mark.parametrize("turn_deg", [10.0, 40.0, 180.0])
def test_another_direction_of_view_does_not_click(turn_deg, blocks):
    scene = at(6.0, 4.0, 0.0)
    parts = [scene.hear(chord, blocks=SETTLED)]
    for block in range(SETTLED):
        angle = np.deg2rad(turn_deg) * min((block + 1) / blocks, 1.0)
        scene.listener["right"] = [np.cos(angle), np.sin(angle), 0.0]
        parts.append(scene.hear(chord))
    begin = SETTLED * BLOCK
    assert click(np.concatenate(parts), begin, begin + 4000) < 1.5


def test_a_jump_changes_to_the_new_distance_within_50_ms_without_a_sweep():
    scene = at(0.0, 5.0, 0.0)
    steady(scene, tone(1000.0))
    scene.frames["position"] = [0.0, 40.0, 0.0]
    heard = scene.hear(tone(1000.0), blocks=120)
    assert level(heard[2400:])[0] == pytest.approx(level(steady(scene, tone(1000.0)))[0], abs=0.1)
    spectrum = np.abs(np.fft.rfft(heard[:, 0] * np.hanning(len(heard))))
    assert spectrum[: len(spectrum) // 30].max() < 0.01 * spectrum.max()  # below 800 Hz; a sweep would pass there


def test_nothing_fails_beyond_the_line_and_beyond_the_speed_of_sound():
    scene, heard = Scene(), []
    for _ in range(1500):
        scene.frames["position"] = [3.0, 700.0 * (scene.time - 0.6), 0.0]
        heard.append(scene.hear(chord))
    heard = np.concatenate(heard)
    assert np.isfinite(heard).all()
    assert 0.01 < np.abs(heard).max() < 0.5


def test_silence_becomes_exact_silence():
    scene = at(20.0, 20.0, 0.0)
    scene.hear(chord, blocks=SETTLED)
    assert np.abs(scene.hear(lambda n, vehicle: 0.0 * n, blocks=2000)[-BLOCK:]).max() < 1e-12
    assert not scene.spaces["sounding"].any()


def test_a_faulty_sample_is_not_heard_for_long():
    scene = at(0.0, 5.0, 0.0)
    scene.hear(lambda n, vehicle: np.where(n % 7 == 0, np.nan, 1e9), blocks=20)
    heard = scene.hear(tone(300.0), blocks=200)
    assert np.isfinite(heard).all()
    assert level(heard[-2400:])[0] > -40.0
