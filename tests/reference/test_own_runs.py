"""The reference's drives without any of the reference's behaviour: our components alone, against what must be true.

Only the road is given, as the file's plane under every wheel. Contact solver, limited slip, tracks, exact rotation and
the rest are ours, so these runs need not follow the recorded ones; but no state may leave what physics allows, and
where the differences are small the way driven is nearly the same.
"""

import numpy as np
import pytest
from drive_harness import Drive, build_rig
from energy import body_energy, stored_energy, work_in
from reference_compat import GIVEN_LEVERS, GIVEN_ROAD
from whole_runs import run_drive, way_along

from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.tick.component import swapped
from driving_sandbox.physics.tick.sequence import sequence_of
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle import Vehicle

ROUNDING = 1e-9
# Share of the energy in play (what came in, and how far the body's own went up and down). Forces act for a whole
# substep at the place of its beginning, a tilted spring is compressed along another line than it pushes, and what the
# engine gave is known at the ends of a tick only; the worst drive of the reference, an 8-wheel tank set into a hole by
# a push, gains 0.13 % in one tick. A tire or a clutch that gave energy would do so in every tick.
ENERGY_SLACK = 0.003
WAY_BAND = 0.25  # of the recorded way: outside forces and limited slip act otherwise
WAY_FLOOR = 2.5  # m


def own_rig(path, folder):
    """The imported vehicle with its own list; only road and levers are the file's."""
    rig = build_rig(Drive.load(path), folder)
    ours = rig.imported.vehicle
    entries = VEHICLE_TYPES[rig.imported.config["type"]]
    for slot, choice in rig.imported.config.get("components", {}).items():
        entries = swapped(entries, ours.sequence.by_slot[slot]) if choice else entries
    entries = swapped(swapped(entries, GIVEN_ROAD), GIVEN_LEVERS)
    vehicle = Vehicle(sequence_of(entries), ours.wheel_names, ours.axles, None, dict(ours.info))
    for slot in vehicle.params.dtype.names:
        vehicle.params[slot] = ours.params[slot]
    vehicle.context = rig.context
    vehicle.derive()
    rig.vehicle = vehicle
    return rig


@pytest.fixture(scope="module")
def ground():
    return plane_ground(height=-1e5)  # wheels stand on the file's plane


@pytest.fixture(scope="module")
def own(drive_path, reference, ground):
    """(rig, its states after every step): one run of a drive, that all tests look at."""
    rig = own_rig(drive_path, reference)
    return rig, run_drive(rig, ground, steps=np.arange(len(rig.drive.commands)))[0]


def test_own_components_stay_within_physics(own):
    rig, states = own
    n = rig.vehicle.wheel_count
    tire, suspension = states["tire"][:, :n], states["suspension"][:, :n]
    grip = np.hypot(tire["longitudinal_force"], tire["lateral_force"])
    assert np.all(grip <= tire["friction"] * tire["load"] * (1.0 + ROUNDING))
    assert suspension["force"].min() >= 0.0
    assert suspension["jounce"].min() >= 0.0
    assert np.all(suspension["jounce"] <= rig.vehicle.params["suspension"]["travel"][0, :n] + ROUNDING)
    assert np.allclose(np.linalg.norm(states["body"]["orientation"], axis=1), 1.0, atol=ROUNDING)
    if not rig.is_direct:
        engine = rig.vehicle.params["engine"][0]
        omega = states["engine"]["omega"]
        assert omega.min() >= engine["idle_omega"] and omega.max() <= engine["max_omega"]
    if rig.is_tank:
        rims = states["wheel"]["omega"][:, :n] * rig.vehicle.params["wheel"]["radius"][0, :n]
        for track in rig.drive.doc["vehicle"]["diff"]["tracks"]:
            wheels = [rig.order.index(i) for i in track["wheels"]]
            held = states["tire"]["sticky_longitudinal"][:, wheels].any(axis=1)
            assert np.ptp(rims[~held][:, wheels], axis=1).max(initial=0.0) < 1e-6


def energy_gained(rig, states):
    """Largest rise, at any time, of the energy less all that came in, as a share of what is in play."""
    own = body_energy(rig.vehicle, states, rig.context["gravity"][0])
    came = work_in(rig.vehicle, states, rig.externals()[1:], float(np.float32(rig.drive.doc["dt"])))
    came = np.concatenate([[0.0], np.cumsum(came)])
    left = own + stored_energy(rig.vehicle, states) - came
    return float((left - np.minimum.accumulate(left)).max() / (came[-1] + np.ptp(own)))


def test_energy_comes_from_engine_gravity_and_pushes_only(own):
    """Body, wheels, engine and springs together never hold more than they did plus what came in since."""
    assert energy_gained(*own) < ENERGY_SLACK


def test_energy_from_nowhere_is_noticed(reference, ground):
    """Dampers that push the way they move, in a drive in which nothing else gives energy: sooner or later it jumps."""
    paths = sorted((reference / "trajectories").glob("*.npz"))
    still = (path for path in paths if not Drive.load(path).commands[:, :5].any() and Drive.load(path).ext is None)
    path = next(still, None)
    if path is None:
        pytest.skip("no drive of this reference is without a command")
    rig = own_rig(path, reference)
    rig.vehicle.params["suspension"]["damping"] *= -1.0
    states, _ = run_drive(rig, ground, steps=np.arange(len(rig.drive.commands)))
    assert energy_gained(rig, states) > 10.0 * ENERGY_SLACK


def test_own_components_drive_about_as_far(own):
    """No limited slip, no steering table on a corrected axle, no push: the ways of both differ by little."""
    rig, states = own
    config = rig.imported.config
    table = "steer_table" in config.get("response", {}) and "ackermann" in config
    if rig.drive.ext is not None or "limited_slip" in config or table:
        pytest.skip("pushed, with limited slip or with a steering table the reference forgets: different on purpose")
    theirs = way_along(rig.imported.frame.vector(rig.drive.b("px", "py", "pz")))[-1]
    ours = way_along(states["body"]["position"][rig.drive.recorded])[-1]
    assert abs(ours - theirs) <= max(WAY_FLOOR, WAY_BAND * theirs)
