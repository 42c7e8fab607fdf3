"""Our components simulate recorded drives of the reference, PhysX, from start to end, see whole_runs.py."""

import pytest
from drive_harness import Drive, build_rig
from whole_runs import SPREAD_FACTOR, compare_run, rounding_spread

from driving_sandbox.physics.ground.ground import plane_ground


@pytest.fixture(scope="module")
def ground():
    return plane_ground()  # unused: the file has the roads


def test_a_whole_run_agrees_with_its_recording(drive_path, reference, ground):
    """Positions agree while no wheel is stiff; then the run is within bands, or within its spread by rounding."""
    rig = build_rig(Drive.load(drive_path), reference)
    result, states = compare_run(rig, ground)
    print(result)
    assert result.smooth <= 1.0
    if not result.within_bands:
        sufficient = result.velocity / SPREAD_FACTOR
        assert rounding_spread(rig, states, ground, sufficient) >= sufficient, result
