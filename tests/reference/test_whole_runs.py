"""Recorded drives of the reference simulated from start to end, see whole_runs.py."""

import pytest
from drive_harness import Drive, build_rig
from whole_runs import CHAOS_FACTOR, chaos, compare_run

from driving_sandbox.physics.ground.ground import plane_ground


@pytest.fixture(scope="module")
def ground():
    return plane_ground()  # unused: roads are those of the file


def test_whole_run(drive_path, reference, ground):
    """Position while no wheel is stiff; then bands, or the spread of this drive by rounding."""
    rig = build_rig(Drive.load(drive_path), reference)
    result, states = compare_run(rig, ground)
    print(result)
    assert result.smooth <= 1.0
    if not result.within_bands:
        enough = result.velocity / CHAOS_FACTOR
        assert chaos(rig, states, ground, enough) >= enough, result
