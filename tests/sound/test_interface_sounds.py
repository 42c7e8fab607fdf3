"""Sounds of the interface in a stream: pitch, length, distinction; the drive's own samples stay as they are."""

import itertools

import numpy as np
import pytest
from device_rig import drive, new_stream, samples_of

from driving_sandbox.sound.base.block import SAMPLE_RATE
from driving_sandbox.sound.interface.kinds import MOST_NOTES, SOUNDS, TABLE, Kind, seconds
from driving_sandbox.sound.interface.rendering import FULL_SCALE, QUEUED, VOICES

SECOND = round(SAMPLE_RATE)


def resting_stream():
    """A stream of which only the interface is heard."""
    stream = new_stream(rows=0)
    stream.rest_drive(True)
    return stream


def sound(kind, size=512, stream=None):
    """Half a second of a sound alone, float32 [n]."""
    stream = stream or resting_stream()
    stream.interface.post(kind)
    samples = samples_of(stream, SECOND // 2, size)
    assert np.array_equal(samples[:, 0], samples[:, 1])
    return samples[:, 0]


def strongest(samples):
    """Frequency of the strongest partial, Hz."""
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 1 << 16))
    return np.argmax(power) * SAMPLE_RATE / (1 << 16)


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name.lower())
def test_every_sound_has_its_length_and_pitches(kind):
    samples = sound(kind)
    last = np.flatnonzero(samples)[-1] / SAMPLE_RATE
    assert last == pytest.approx(seconds(kind), abs=1e-3)
    assert 0.02 <= round(seconds(kind), 6) <= 0.3
    notes = [note for note in SOUNDS[kind] if note.noise < 1.0]
    ends = [*(note.start for note in notes[1:]), seconds(kind)]
    for note, end in zip(notes, ends, strict=True):
        heard = samples[round(note.start * SAMPLE_RATE) : round(end * SAMPLE_RATE)]
        pitch = 0.5 * (note.frequency + note.end_frequency)
        assert strongest(heard) == pytest.approx(pitch, rel=0.08 if note.length < 0.06 else 0.06)
        assert np.abs(heard).max() > 0.5 * note.amplitude


def test_a_bright_note_has_its_octave():
    note = SOUNDS[Kind.WARNING][0]
    heard = sound(Kind.WARNING)[: round(note.length * SAMPLE_RATE)] * np.hanning(round(note.length * SAMPLE_RATE))
    turns = 2.0j * np.pi * note.frequency * np.arange(len(heard)) / SAMPLE_RATE
    first, second = (abs(heard @ np.exp(-k * turns)) for k in (1, 2))
    assert second / first == pytest.approx(note.octave / (1.0 - note.octave), rel=0.05)


@pytest.mark.parametrize("kind", [Kind.OPENED, Kind.CLOSED])
def test_what_opens_rises_and_what_closes_falls(kind):
    samples, middle = sound(kind), round(0.5 * seconds(kind) * SAMPLE_RATE)
    early, late = strongest(samples[:middle]), strongest(samples[middle : 2 * middle])
    assert (late > 1.08 * early) == (kind == Kind.OPENED)
    assert (late < early / 1.08) == (kind == Kind.CLOSED)


def test_the_sounds_can_be_told_apart():
    """No two have the same course of their spectrum."""
    courses = {}
    for kind in Kind:
        frames = sound(kind)[:14400].reshape(-1, 960) * np.hanning(960)  # 20 ms each
        course = np.abs(np.fft.rfft(frames, axis=1)).ravel()
        courses[kind] = course / np.linalg.norm(course)
    alike = {(a.name, b.name): courses[a] @ courses[b] for a, b in itertools.combinations(Kind, 2)}
    assert max(alike.values()) < 0.9, max(alike, key=alike.get)


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name.lower())
def test_a_sound_begins_and_ends_without_a_click(kind):
    """What lies far above its pitches is at least 50 dB weaker, where it has no noise of its own."""
    samples = sound(kind).astype(np.float64)
    power = np.abs(np.fft.rfft(samples)) ** 2
    high = power[np.fft.rfftfreq(len(samples), 1.0 / SAMPLE_RATE) > 10000.0].sum()
    if not any(note.noise for note in SOUNDS[kind]):
        assert high < 1e-5 * power.sum()
    step = np.abs(np.diff(samples)).max()
    assert max(abs(samples[0]), abs(samples[np.flatnonzero(samples)[-1]])) < 0.02 * step


@pytest.mark.parametrize("kind", [Kind.PRESS, Kind.BEST_LAP])
def test_a_sound_has_the_same_bytes_each_time_and_in_pieces_of_any_size(kind):
    stream = resting_stream()
    twice = [sound(kind, stream=stream), sound(kind, stream=stream)]
    assert twice[0].tobytes() == twice[1].tobytes()
    assert {sound(kind, size).tobytes() for size in (1, 64, 1000)} == {twice[0].tobytes()}


def test_no_more_than_a_few_sound_at_once():
    stream = resting_stream()
    kinds = [Kind.LAP, Kind.PRESS, Kind.ERROR, Kind.INFO, Kind.BEST_LAP, Kind.STEP]
    assert len(kinds) > VOICES
    alone = sum(sound(kind).astype(np.float64) for kind in kinds[:VOICES])
    for kind in kinds:
        stream.interface.post(kind)
    together = samples_of(stream, SECOND // 2)[:, 0]
    assert np.abs(together - alone).max() < 1e-6
    assert np.abs(sound(Kind.STEP, stream=stream)).max() > 0.0  # afterwards there is room again


def test_a_queue_that_nobody_reads_does_not_overflow():
    stream = resting_stream()
    for _ in range(3 * QUEUED):
        stream.interface.post(Kind.LAP)
    stream.interface.clear()
    assert not samples_of(stream, 4800).any()
    assert np.array_equal(sound(Kind.PRESS, stream=stream), sound(Kind.PRESS))


def test_at_volume_zero_there_is_exact_silence():
    stream = resting_stream()
    stream.scene.levels["interface"] = 0.0
    assert not sound(Kind.ERROR, stream=stream).any()


def test_a_change_of_volume_in_a_sound_makes_no_step():
    stream = resting_stream()
    stream.interface.post(Kind.ERROR)
    before = samples_of(stream, 2400)
    stream.scene.levels["interface"] = 0.0
    after = samples_of(stream, 4800)
    assert np.abs(np.diff(np.concatenate([before, after])[:, 0])).max() < 1.1 * np.abs(np.diff(sound(Kind.ERROR))).max()
    assert after[:240].any() and not after[2400:].any()


def moving_stream():
    """A stream of a drive that is heard; rows wait for half a second."""
    stream = new_stream(rows=150, gain=0.0)
    stream.ring.record["target"] = 149.0
    return stream


def test_a_sound_is_added_to_the_samples_of_the_drive():
    """Before a sound and after it; during the sound the drive goes on, and both add up."""
    drive_alone, stream = samples_of(moving_stream(), SECOND // 2), moving_stream()
    before = samples_of(stream, 4800)
    stream.interface.post(Kind.PRESS)
    after = samples_of(stream, SECOND // 2 - 4800)
    assert np.array_equal(before, drive_alone[:4800])
    length = round(seconds(Kind.PRESS) * SAMPLE_RATE) + 1
    assert np.array_equal(after[length:], drive_alone[4800 + length :])
    added = after[:length] - drive_alone[4800 : 4800 + length]
    assert np.abs(added[:, 0] - sound(Kind.PRESS)[:length]).max() < 1e-6


def test_slow_motion_and_a_muted_drive_leave_a_sound_as_it_is():
    stream = moving_stream()
    stream.scene.levels["fade"] = 0.0
    samples_of(stream, 4800)
    stream.set_speed(0.25)
    assert np.array_equal(sound(Kind.LAP, stream=stream), sound(Kind.LAP))


def test_a_drive_that_rests_is_left_as_it_is():
    stream = moving_stream()
    samples_of(stream, 4800)
    before = float(stream.ring.record["position"]), int(stream.record["blocks"])
    stream.rest_drive(True)
    assert np.array_equal(sound(Kind.PRESS, stream=stream), sound(Kind.PRESS))
    assert (float(stream.ring.record["position"]), int(stream.record["blocks"])) == before
    stream.rest_drive(False)
    drive(stream, 30)
    assert samples_of(stream, 480).any()


def test_full_scale_is_never_exceeded():
    stream = moving_stream()
    stream.scene.levels["master"] = 400.0
    for _ in range(VOICES):
        stream.interface.post(Kind.ERROR)
    samples = samples_of(stream, 9600)
    assert np.abs(samples).max() == FULL_SCALE


def test_the_table_has_a_row_for_every_kind():
    assert set(SOUNDS) == set(Kind)
    assert [kind.value for kind in Kind] == list(range(len(TABLE)))
    assert max(len(notes) for notes in SOUNDS.values()) == MOST_NOTES
