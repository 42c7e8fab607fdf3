"""The stream of samples: equal for any size of the device's pieces, without clicks when the simulation stalls."""

import hashlib

import numpy as np
import pytest
from device_rig import TICK, clicks, drive, new_scene, new_stream, samples_of

from driving_sandbox.sound.base.block import BLOCK, SAMPLE_RATE
from driving_sandbox.sound.device.stream import Stream
from driving_sandbox.sound.mixer import FADE

ROW_SAMPLES = round(SAMPLE_RATE * TICK)  # per row of the ring


def digest(samples):
    return hashlib.sha256(samples.tobytes()).hexdigest()


def test_the_samples_do_not_depend_on_the_size_of_the_pieces():
    samples = {size: samples_of(new_stream(vehicle_count=2), 12288, size) for size in (1, 127, 512, 4096)}
    assert np.abs(samples[1]).max() > 0.01
    assert len({digest(s) for s in samples.values()}) == 1


def test_rows_at_the_pace_of_the_device_give_the_samples_of_a_scene_rendered_alone():
    """Without control of the pace, the stream is the scene rendered block by block, two samples later."""
    stream = new_stream(rows=33, gain=0.0)
    stream.ring.record["target"], stream.ring.record["restarted"] = 32.0, 1  # from the first row, not before it
    heard = samples_of(stream, 6000, 127)
    scene, ring = new_scene(), new_stream(rows=33).ring
    before, blocks = ring.frames[0].copy(), []
    for k in range(1, 151):
        late, share = -(-k // 5), 1.0 - (-k % 5) / 5.0  # a row has five blocks; block k ends at a share of row `late`
        after, listener = ring.frames[late].copy(), ring.listeners[late : late + 1].copy()
        for target, rows, names in (
            (after, ring.frames, ("engine_speed", "position")), (listener, ring.listeners, ("position",)),
        ):  # fmt: skip
            for name in names:
                target[name] = rows[late - 1][name] * (1.0 - share) + rows[late][name] * share
        blocks.append(scene.render(before, after, listener).copy())
        before = after
    alone = np.concatenate(blocks)[:5998]
    assert np.abs(heard[2:] - alone).max() < 1e-5 * np.abs(alone).max()


def test_a_stalled_writer_causes_no_click_and_no_stop():
    """The simulation stands for 250 ms, then catches up at once."""
    stream = new_stream(rows=9)
    pieces = []
    for tick in range(480):
        if not 240 <= tick < 300:
            drive(stream, 61 if tick == 300 else 1)
        pieces.append(samples_of(stream, ROW_SAMPLES))
    samples = np.concatenate(pieces)[ROW_SAMPLES * 60 :]
    loudness = np.sqrt((samples[: len(samples) // 480 * 480, 0].reshape(-1, 480) ** 2).mean(axis=1))
    assert loudness.min() > 0.3 * loudness.max()
    assert stream.record["ring"]["held"] > 100
    assert stream.record["ring"]["jumps"] == 1
    calm, pieces = new_stream(rows=9), []
    for _ in range(480):
        drive(calm, 1)
        pieces.append(samples_of(calm, ROW_SAMPLES))
    undisturbed = np.concatenate(pieces)[ROW_SAMPLES * 60 :]
    assert clicks(samples).max() < 1.5 * clicks(undisturbed).max()


def test_before_the_first_row_there_is_silence_and_then_no_click():
    stream = new_stream(rows=0)
    assert not samples_of(stream, 4096).any()
    drive(stream, 9)
    samples = samples_of(stream, 4800)
    assert samples.any()
    assert np.abs(np.diff(samples[:, 0])).max() < 0.3 * np.abs(samples).max()


def test_slow_motion_is_deeper():
    full, half = (spectrum_peak(speed) for speed in (1.0, 0.5))
    assert half == pytest.approx(0.5 * full, rel=0.01)


def spectrum_peak(speed):
    """Frequency of the strongest partial of an engine at constant speed, Hz."""
    stream = new_stream(rows=0)
    drive(stream, 9, start=1.0)
    stream.set_speed(speed)
    samples = samples_of(stream, 72000)[24000:, 0].astype(np.float64)
    strength = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 4 * len(samples)))
    return np.argmax(strength) * SAMPLE_RATE / (4 * len(samples))


def test_a_change_of_speed_makes_no_step():
    stream = new_stream(rows=9)
    pieces = []
    for speed in (1.0, 0.5, 0.25, 1.0):
        stream.set_speed(speed)
        drive(stream, round(24 * speed))
        pieces.append(samples_of(stream, 24 * ROW_SAMPLES))
    samples = np.concatenate(pieces)[6000:, 0]
    assert np.abs(np.diff(samples)).max() < 3.0 * np.quantile(np.abs(np.diff(samples)), 0.99)


def test_mute_fades_to_silence_and_back():
    stream = new_stream(rows=9)
    drive(stream, 1, start=1.0)
    assert np.abs(samples_of(stream, 9600)).max() > 0.01
    stream.scene.levels["fade"] = 0.0
    fading = samples_of(stream, 9600)
    assert not fading[-4800:].any()
    assert np.abs(fading[:BLOCK]).max() > 0.0
    stream.scene.levels["fade"] = 1.0
    assert np.abs(samples_of(stream, 9600)[-2400:]).max() > 0.01


@pytest.mark.parametrize("speed", [1.0, 0.1])
@pytest.mark.parametrize("master", [0.25, 4.0])
def test_a_fade_takes_its_time_at_any_volume_and_speed(master, speed):
    """To silence and back, evenly and without a click."""
    stream, count = new_stream(rows=9), round(FADE * SAMPLE_RATE)
    stream.scene.levels["master"] = master
    drive(stream, 1, start=1.0)
    before = samples_of(stream, 24000)
    stream.set_speed(speed)
    before = np.concatenate([before, samples_of(stream, 24000)])
    stream.scene.levels["fade"] = 0.0
    fading = samples_of(stream, 4800)
    assert np.abs(fading[count - 480 : count - 1]).max() > 0.0
    assert np.abs(fading[count // 2 : count // 2 + 480]).max() < 0.6 * np.abs(before[-4800:]).max()
    assert not fading[count:].any()
    stream.scene.levels["fade"] = 1.0
    rising = samples_of(stream, 4800)
    assert np.abs(rising[:480]).max() < 0.2 * np.abs(before[-4800:]).max()
    assert np.abs(rising[count:]).max() == pytest.approx(np.abs(before[-4800:]).max(), rel=0.3)
    if speed == 1.0:  # in slow motion the sound itself has hardly any third difference
        third = [np.abs(np.diff(part[:, 0].astype(np.float64), 3)) for part in (before[-9600:], fading, rising)]
        assert max(third[1].max(), third[2].max()) < 1.5 * np.quantile(third[0], 0.9999)


def test_a_stream_without_vehicles_is_silent():
    stream = Stream(new_scene(0), TICK, 8.0)
    for _ in range(20):
        stream.ring.next_row()
    stream.ring.publish()
    assert not samples_of(stream, 4096).any()
