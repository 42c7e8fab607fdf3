"""Physical limits in the drives of the reference, PhysX, simulated with our components only.

Only the road (a plane under every wheel) and the tank's levers are from the file. Contact solver, limited slip, tracks,
exact rotation and the rest are ours, so these runs may differ from the recorded ones; but states must be physical, and
where the differences are small the travelled distance is nearly the same.
"""

import numpy as np
import pytest
from drive_harness import Drive, build_rig
from energy import body_energy, stored_energy, work_in
from reference_compat import GIVEN_LEVERS, GIVEN_ROAD
from whole_runs import distance_along, run_drive

from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.tick.component import swapped
from driving_sandbox.physics.tick.sequence import sequence_of
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle import Vehicle

ROUNDING = 1e-9  # allowance for rounding, relative or in m
# Share of the exchanged energy (work done on the vehicle, and range of the body's own energy). Forces act for a whole
# substep at the position of its start, an inclined spring is compressed along another line than that of its force, and
# engine power is known at the ends of a tick only; the worst drive of the reference, an 8-wheel tank pushed into a
# hole, gains 0.13 % in a tick. A tire or a clutch that adds energy would do so in every tick.
ENERGY_SLACK = 0.003
DISTANCE_BAND = 0.25  # of the recorded distance
DISTANCE_FLOOR = 2.5  # m


def own_rig(path, folder):
    """The imported vehicle with its own list of components; only road and levers are from the file."""
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
    return plane_ground(height=-1e5)  # wheels are on the file's plane


@pytest.fixture(scope="module")
def run(drive_path, reference, ground):
    """(rig, states after every step) of a run of one drive, which all tests share."""
    rig = own_rig(drive_path, reference)
    return rig, run_drive(rig, ground, steps=np.arange(len(rig.drive.commands)))[0]


def test_states_are_physical(run):
    """Tires exceed no grip, springs only push, within their travel, and engines stay within their speeds."""
    rig, states = run
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
            is_sticky = states["tire"]["sticky_longitudinal"][:, wheels].any(axis=1)
            assert np.ptp(rims[~is_sticky][:, wheels], axis=1).max(initial=0.0) < 1e-6


def energy_gained(rig, states):
    """Largest rise of energy minus work done on the vehicle, as a share of the exchanged energy."""
    body = body_energy(rig.vehicle, states, rig.context["gravity"][0])
    work = work_in(rig.vehicle, states, rig.externals()[1:], float(np.float32(rig.drive.doc["dt"])))
    work = np.concatenate([[0.0], np.cumsum(work)])
    difference = body + stored_energy(rig.vehicle, states) - work
    return float((difference - np.minimum.accumulate(difference)).max() / (work[-1] + np.ptp(body)))


def test_energy_comes_from_engine_gravity_and_external_forces_only(run):
    """The energy of body, wheels, engine and springs does not exceed an earlier one plus the work since then."""
    assert energy_gained(*run) < ENERGY_SLACK


def test_added_energy_is_detected(reference, ground):
    """Negative damping adds energy in a drive without commands and external forces."""
    paths = sorted((reference / "trajectories").glob("*.npz"))
    paths_without_commands = (
        path for path in paths if not Drive.load(path).commands[:, :5].any() and Drive.load(path).ext is None
    )
    path = next(paths_without_commands, None)
    if path is None:
        pytest.skip("no drive of this reference is without a command")
    rig = own_rig(path, reference)
    rig.vehicle.params["suspension"]["damping"] *= -1.0
    states, _ = run_drive(rig, ground, steps=np.arange(len(rig.drive.commands)))
    assert energy_gained(rig, states) > 10.0 * ENERGY_SLACK


def test_the_distance_is_similar(run):
    """Without limited slip, steering table on a corrected axle or external forces, distances differ little."""
    rig, states = run
    config = rig.imported.config
    table = "steer_table" in config.get("response", {}) and "ackermann" in config
    if rig.drive.ext is not None or "limited_slip" in config or table:
        pytest.skip("external forces, limited slip, or a steering table that the reference ignores")
    theirs = distance_along(rig.imported.frame.vector(rig.drive.of_body("px", "py", "pz")))[-1]
    ours = distance_along(states["body"]["position"][rig.drive.recorded])[-1]
    assert abs(ours - theirs) <= max(DISTANCE_FLOOR, DISTANCE_BAND * theirs)
