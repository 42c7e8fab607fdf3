"""Our components simulate single steps of recorded drives of the reference, PhysX, see drive_harness.py."""

import pytest
from drive_harness import Drive, compare_steps
from table_harness import COMPACT

from driving_sandbox.physics.ground.ground import plane_ground

# largest share of pairs of successive rows with their own bound; more would mean wrong scales, not rounding
SENSITIVE_SHARE = 0.5
LARGEST_ERROR = 0.01  # of the scale, upper limit of bounds by rounding


@pytest.fixture(scope="module")
def ground():
    return plane_ground()  # unused: the file has the roads


def test_there_are_drives(reference):
    assert list((reference / "trajectories").glob("*.npz"))
    assert list((reference / "vehicles").glob("*.json"))


def test_every_recorded_step_is_reproduced(drive_path, reference, ground, report):
    """Errors are within 1e-4 of the scale, or within the effect of the data's rounding; discrete values are equal."""
    result = compare_steps(Drive.load(drive_path), reference, ground)
    for name, errors in result.errors.items():
        bounded_pairs = int((errors > result.usual[name]).sum())
        report("step", [name, float(errors.max()), drive_path.stem, bounded_pairs])
    failures = result.failures()
    worst = sorted(failures, key=lambda f: -f[2] / f[3])[:5]
    assert not failures, f"{len(failures)} of {len(result.rows)} pairs; (step, channel, error, allowed): {worst}"
    assert len(result.sensitive) <= SENSITIVE_SHARE * len(result.rows)
    assert max(float(e.max()) for e in result.errors.values()) <= LARGEST_ERROR


@pytest.mark.parametrize(
    ("path", "factor"),
    [("tire.longitudinal_stiffness", 1.01), ("suspension.damping", 1.01), ("brakes.max_torque", 1.01),
     ("wheel.inertia", 1.01), ("body.mass", 1.001)],
)  # fmt: skip
def test_a_slightly_different_vehicle_is_detected(ground, path, factor):
    """In a drive with braking, an error of 1 % in these parameters, or of 0.1 % in mass, is detected."""
    drive = Drive.load(sorted((COMPACT / "trajectories").glob("*__brake__*.npz"))[0])
    slot, name = path.split(".")

    def change(vehicle):
        vehicle.params[slot][name] *= factor

    assert not compare_steps(drive, COMPACT, ground).failures()
    assert compare_steps(drive, COMPACT, ground, change).failures()
