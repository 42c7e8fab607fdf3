"""Engines are told apart by their spectra of orders, whatever their speed, load and noise."""

import numpy as np
import pytest

from driving_sandbox.docs.build import order_spectra
from driving_sandbox.docs.build.order_spectra import EDGES, FLOOR, KINDS, MOTOR, PANEL, TAKES

# firing order of each kind, per turn; of the motor, six times the frequency of its current
FIRING = {"inline_3": 1.5, "inline_4": 2.0, "boxer_4": 2.0, "v8_cross": 4.0, "diesel_6": 3.0, MOTOR: 24.0}


@pytest.fixture(scope="module")
def takes():
    """{kind: [(samples, rad/s)]}."""
    return {kind: [order_spectra.take(kind, number) for number in range(TAKES)] for kind in KINDS}


@pytest.fixture(scope="module")
def spectra(takes):
    return {kind: np.array([order_spectra.order_spectrum(*take) for take in own]) for kind, own in takes.items()}


def share_right(counts):
    """Share of takes judged to be of their own kind; counts: {(kind, judged kind): number of takes}."""
    return sum(n for (kind, other), n in counts.items() if kind == other) / sum(counts.values())


def test_95_percent_of_all_takes_are_nearest_to_their_own_kind(spectra):
    counts = order_spectra.judged(spectra)
    assert sum(counts.values()) == TAKES * len(KINDS) == 120
    assert share_right(counts) >= 0.95, {pair: n for pair, n in counts.items() if n and pair[0] != pair[1]}


def test_takes_of_one_kind_under_two_names_are_not_told_apart(spectra):
    """What the classifier uses is the kind, not a feature of single takes."""
    for kind in ("inline_4", "v8_cross"):
        counts = order_spectra.judged({"even": spectra[kind][::2], "odd": spectra[kind][1::2]})
        assert share_right(counts) < 0.75


def test_pitch_does_not_tell_engines_apart(takes):
    """Judged by the firing frequency alone, many takes are nearer to the mean of another engine."""
    pitches = {kind: np.log([FIRING[kind] * speed for _, speed in own]) for kind, own in takes.items() if kind != MOTOR}
    right = [kind == nearest(pitch, pitches) for kind, own in pitches.items() for pitch in own]
    assert len(right) == TAKES * (len(KINDS) - 1) and np.mean(right) < 0.7


def nearest(value, values):
    return min(values, key=lambda kind: abs(values[kind].mean() - value))


@pytest.mark.parametrize("kind", KINDS)
def test_the_strongest_order_is_the_firing_order_or_its_double(spectra, kind):
    """Of the motor it is the sixfold of its current's frequency, 24 with 4 pole pairs."""
    strongest = int(np.argmax(spectra[kind].mean(axis=0)))
    low, high = EDGES[strongest], EDGES[strongest + 1]
    assert any(low <= factor * FIRING[kind] < high for factor in (1.0, 2.0))
    assert spectra[kind].max() == 0.0
    assert spectra[kind].min() >= FLOOR - 1e-9


def test_the_picture_has_a_panel_of_each_kind(spectra):
    picture = np.asarray(order_spectra.engines_picture(spectra))
    assert picture.shape[1] == 3 * PANEL[0]
    marks = (picture == order_spectra.MEAN).all(axis=-1)
    for k in range(len(KINDS)):
        panel = marks[k // 3 * (len(picture) // 2) :, k % 3 * PANEL[0] :][: PANEL[1], : PANEL[0]]
        assert panel.any(axis=0).mean() > 0.7  # every band has its mean level
