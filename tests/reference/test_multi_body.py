"""The integration that wrote data/commonroad reproduces the published drive and the start of two files."""

import numpy as np
import pytest
from multi_body import DRIVES, NAMES, PARAMETERS, SAMPLE, STORED, drive, inputs

FIRST = 101  # number of compared samples, one second at intervals of 10 ms


def published():
    """{name: array} of the file of the published drive."""
    with np.load(PARAMETERS.with_name("step_steer_20_mild.npz")) as file:
        return {key: file[key] for key in file.files}


def integrated(count=None):
    """{name: (computed, published)} of the first samples of the published drive, by default of all.

    Steering rates are computed from the recorded angle.
    """
    file = published()
    names = [str(name) for name in file["mb_names"]]
    recorded = file["mb"][:count]
    angles = recorded[:, names.index("delta")]
    rates = np.diff(angles, append=angles[-1]) / SAMPLE  # of which the last is not used
    states = drive(20.0, rates, file["u_accel"][:count])
    return {name: (states[:, NAMES.index(name)], recorded[:, i]) for i, name in enumerate(names)}


def test_the_start_of_the_published_drive_is_reproduced():
    """Steering ends between two samples, hence the tolerance of 1e-3."""
    for name, (computed, expected) in integrated(FIRST).items():
        assert computed == pytest.approx(expected, abs=1e-3), name


@pytest.mark.nightly
def test_the_published_drive_is_reproduced():
    for name, (computed, expected) in integrated().items():
        assert computed == pytest.approx(expected, abs=4e-3), name


@pytest.mark.parametrize("name", DRIVES)
def test_the_files_have_these_inputs(name):
    time, steer_rates, accelerations = inputs(name)
    with np.load(PARAMETERS.with_name(f"{name}.npz")) as file:
        assert file["t"] == pytest.approx(time)
        assert file["u_steer_rate"] == pytest.approx(steer_rates, abs=1e-6)
        assert file["u_accel"] == pytest.approx(accelerations, abs=1e-6)


@pytest.mark.parametrize("name", ["step_steer_30_hard", "turn_round_5"])
def test_the_first_second_of_two_files_is_reproduced(name):
    _, steer_rates, accelerations = inputs(name)
    states = drive(float(DRIVES[name][0]), steer_rates[:FIRST], accelerations[:FIRST])
    with np.load(PARAMETERS.with_name(f"{name}.npz")) as file:
        for i, key in enumerate(STORED):
            assert states[:, NAMES.index(key)] == pytest.approx(file["mb"][:FIRST, i], rel=1e-5, abs=1e-5)
