"""The sounds of the interface, made of notes: sines with their octave, and bursts of noise. There are no recordings.

Their pitches are those of one scale, C major, so that sounds that follow each other fit together. Up means more: on,
opened, begun, better; down means less. What is frequent is short and quiet, what the user must notice is longer and
lower or has several notes.

Amplitudes have the scale of the vehicles' voices, where an engine at full power has an rms of 0.1. At the volumes of a
new installation they are multiplied by 0.64.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

TICK, CLICK, CALL = 0.02, 0.05, 0.09  # amplitudes: of many per second; of an answer to a press; of what calls the user
SOFT, DULL, BRIGHT = 0.0, 0.15, 0.35  # share of the octave in a note's amplitude
QUICK, SMOOTH = 0.002, 0.012  # s, attacks: of a tick, still without a crack, and of a note
# Hz, equal temperament
C5, D5, E5, G5, C6, E6, G6, C7 = 523.25, 587.33, 659.26, 783.99, 1046.5, 1318.5, 1567.98, 2093.0
C4, F4 = 261.63, 349.23
AIR = 0.3  # share of noise in what opens and closes


class Note(NamedTuple):
    """A part of a sound.

    Attributes:
        start, length: s, from the beginning of the sound.
        attack: s, part of `length` in which the note rises; in the rest it decays to 0.
        frequency, end_frequency: Hz, between which the pitch moves evenly.
        amplitude: of the sum of sine and octave.
        octave: share of the octave in that sum.
        noise: share of noise around `frequency` that replaces the sum.
    """

    start: float
    length: float
    attack: float
    frequency: float
    end_frequency: float
    amplitude: float
    octave: float = SOFT
    noise: float = 0.0


class Kind(IntEnum):
    """What happened; the number is the one in the queue to the audio thread."""

    FOCUS = 0  # the focus moved to another widget
    PRESS = 1
    ON = 2
    OFF = 3
    STEP = 4  # the value of a slider changed
    OPENED = 5  # a page, a window or a list
    CLOSED = 6
    INFO = 7
    WARNING = 8
    ERROR = 9
    CHECKPOINT = 10  # a gate was passed
    LAP = 11
    BEST_LAP = 12
    LAP_CANCELLED = 13
    RECORDING = 14  # a recording began or is kept
    RECORDING_ENDED = 15


def _notes(pitches: tuple[float, ...], step: float, length: float, amplitude: float, octave: float) -> list[Note]:
    """Notes of constant pitch, one every `step` seconds."""
    return [Note(k * step, length, SMOOTH, f, f, amplitude, octave) for k, f in enumerate(pitches)]


SOUNDS: dict[Kind, list[Note]] = {  # arguments in the order of Note's and `_notes`'
    Kind.FOCUS: [Note(0.0, 0.03, QUICK, G6, G6, TICK)],
    Kind.STEP: [Note(0.0, 0.02, QUICK, C7, C7, 0.6 * TICK)],
    Kind.PRESS: [
        Note(0.0, 0.05, QUICK, C6, C6, 0.8 * CLICK, DULL),
        Note(0.0, 0.015, QUICK, 2.0 * C7, 2.0 * C7, 0.4 * CLICK, noise=1.0),
    ],
    Kind.ON: [Note(0.0, 0.05, QUICK, C6, C6, CLICK, DULL), Note(0.05, 0.07, QUICK, G6, G6, CLICK, DULL)],
    Kind.OFF: [Note(0.0, 0.05, QUICK, G6, G6, CLICK, DULL), Note(0.05, 0.07, QUICK, C6, C6, CLICK, DULL)],
    Kind.OPENED: [Note(0.0, 0.12, SMOOTH, G5, C6, CLICK, DULL, AIR)],
    Kind.CLOSED: [Note(0.0, 0.12, SMOOTH, C6, G5, CLICK, DULL, AIR)],
    Kind.INFO: _notes((E6,), 0.0, 0.16, 0.6 * CALL, DULL),
    Kind.WARNING: _notes((D5, D5), 0.12, 0.11, CALL, BRIGHT),
    Kind.ERROR: _notes((F4, C4), 0.13, 0.17, 1.3 * CALL, BRIGHT),
    Kind.CHECKPOINT: _notes((C7,), 0.0, 0.1, 0.9 * CALL, SOFT),
    Kind.LAP: _notes((C6, G6), 0.1, 0.16, CALL, DULL),
    Kind.BEST_LAP: _notes((C6, E6, G6), 0.07, 0.16, CALL, BRIGHT),
    Kind.LAP_CANCELLED: _notes((E5, C5), 0.1, 0.16, 0.8 * CALL, DULL),
    Kind.RECORDING: _notes((G5, G6), 0.06, 0.1, 0.7 * CALL, BRIGHT),
    Kind.RECORDING_ENDED: _notes((G6, G5), 0.06, 0.1, 0.7 * CALL, BRIGHT),
}
MOST_NOTES = 3  # in a sound
NOTE_FIELDS = len(Note._fields)
(START, LENGTH, ATTACK, FREQUENCY, END_FREQUENCY, AMPLITUDE, OCTAVE, NOISE) = range(NOTE_FIELDS)


def _table() -> np.ndarray:
    """SOUNDS as float64 [kinds, MOST_NOTES, NOTE_FIELDS]; notes of length 0 fill it."""
    table = np.zeros((len(Kind), MOST_NOTES, NOTE_FIELDS))
    for kind, notes in SOUNDS.items():
        table[kind, : len(notes)] = notes
    return table


TABLE = _table()


def seconds(kind: Kind) -> float:
    """Length of a sound, s."""
    return max(note.start + note.length for note in SOUNDS[kind])
