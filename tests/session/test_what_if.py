"""The last seconds simulated again with other parameters: bit-identical if nothing changed, another path otherwise."""

import numpy as np
import pytest
from flat_drive import ahead, flat_world, run, weave

from driving_sandbox.benchmarks.scenes import flat_world as one_car_world
from driving_sandbox.game.experiments.what_if import WhatIf
from driving_sandbox.game.session.session import Session
from driving_sandbox.lab.difference import differences
from driving_sandbox.lab.kinematics import body_velocity, distance, sideslip
from driving_sandbox.physics.batch.trajectory import (
    POSITION,
    SLIPS,
    VELOCITY,
    Rerun,
    Segment,
    Trajectory,
    at_origin,
    columns_of,
)
from driving_sandbox.physics.recording.rewind import RewindRing
from driving_sandbox.physics.tick.context import EXTERNAL

SPAN = 3.0  # s


@pytest.fixture
def session():
    with Session(flat_world()) as session:
        yield session


def by_name(outcome):
    """{name: compared quantity} of an outcome; its `values` are (as driven, with the changes)."""
    return {q.name: q for q in outcome.quantities}


def finished_rerun(session, seconds=SPAN):
    """A finished Rerun of the last seconds with the current parameters."""
    rerun = Rerun(session.vehicle, session.world)
    rerun.begin(session.changes.segment(seconds), rerun.parameters())
    while rerun.advance(100):
        pass
    return rerun


def driven_rows(session, rerun):
    """Rows of the trajectory that was driven in the segment of a rerun, one for every fourth tick."""
    return session.changes.trajectory.rows(rerun.segment.tick, rerun.segment.tick + rerun.segment.ticks)


def push_from_the_side(world):
    """An impulse from the side at one tick, which a rerun must repeat."""
    external = np.zeros(1, EXTERNAL)
    external["impulse"][0, 0] = 3000.0 if world.tick == 900 else 0.0
    return external if world.tick == 900 else None


def test_with_unchanged_parameters_a_rerun_is_bit_identical(session):
    session.external_impulses = push_from_the_side
    run(session, 5.0)
    before = session.world.state_hash()
    rerun = finished_rerun(session)
    assert rerun.segment.ticks >= SPAN * 240 and rerun.fault is None
    assert bytes(rerun._members[0].state_bytes) == bytes(session.vehicle.state_bytes)
    assert np.array_equal(rerun.trajectory(), driven_rows(session, rerun))
    assert session.world.state_hash() == before
    session.external_impulses = None
    without_impulse = Segment(
        rerun.segment.tick, rerun.segment.states, rerun.segment.centres, rerun.segment.commands, {}
    )
    rerun.begin(without_impulse, rerun.parameters())
    rerun.advance(10**6)
    assert bytes(rerun._members[0].state_bytes) != bytes(session.vehicle.state_bytes)  # the impulse counts


def test_trajectory_rows_give_the_models_origin_and_other_parameters_lead_elsewhere(session):
    run(session, 5.0, ahead)
    trajectory = session.changes.trajectory.rows(0, session.world.tick)
    assert len(trajectory) == 300 and np.allclose(
        trajectory[-1, POSITION], session.vehicle.model_position(), atol=1e-12
    )
    assert np.array_equal(trajectory[-1, VELOCITY], session.vehicle.state["body"]["velocity"][0])
    assert trajectory[-1, SLIPS] == session.vehicle.read("tire.fl.lateral_slip")
    session.tuning.set_parameter("body.mass", 1.5 * session.vehicle.get("body.mass"))
    rerun = finished_rerun(session)
    quantities = {
        q.name: q for q in differences(driven_rows(session, rerun), rerun.trajectory(), session.vehicle.axles)
    }
    assert quantities["speed"].values[1] < quantities["speed"].values[0] - 1.0  # heavier, slower
    assert quantities["apart"].values[1] > 1.0
    start = rerun.trajectory()[0, POSITION] - driven_rows(session, rerun)[0, POSITION]
    assert np.linalg.norm(start) < 0.01  # both begin at the same position


def test_a_moved_centre_of_mass_leaves_the_start_where_it_was(session):
    run(session, 3.0)
    x, y, z = session.vehicle.get("body.centre_of_mass")
    session.tuning.set_parameter("body.centre_of_mass", [x, y - 0.3, z])
    rerun = finished_rerun(session, 2.0)
    start = rerun.trajectory()[0, POSITION] - driven_rows(session, rerun)[0, POSITION]
    assert np.linalg.norm(start) < 0.01


def test_a_segment_begins_after_a_recovery_and_ends_at_the_tick_of_a_rewind(session):
    run(session, 3.0)
    session.changes.recover()
    assert session.changes.segment(SPAN) is None
    run(session, 1.0)
    assert session.changes.segment(SPAN).tick == 720 and session.changes.segment(SPAN).ticks == 240
    session.changes.rewind(2.0)
    segment = session.changes.segment(SPAN)
    assert segment.tick == 0 and segment.ticks == 480
    rerun = finished_rerun(session)
    assert bytes(rerun._members[0].state_bytes) == bytes(session.vehicle.state_bytes)


def test_every_change_gives_an_outcome_which_grows_while_it_is_computed(session):
    what_if = WhatIf(session)
    run(session, 6.0, ahead)
    session.tuning.set_parameter("body.mass", 1500.0)
    what_if.poll()
    assert what_if.outcome is None  # off: nothing is computed
    what_if.set_span(SPAN)
    what_if.on = True
    what_if.poll()
    assert what_if.wait() and what_if.outcome.share == 1.0
    heavy = by_name(what_if.outcome)["speed"].values
    shares = []
    session.tuning.set_parameter("body.mass", 700.0)
    what_if.set_span(5.0)
    what_if.poll()
    while not shares or shares[-1] < 1.0:
        what_if.poll()
        if what_if.outcome.seconds >= 5.0:
            shares.append(what_if.outcome.share)
    assert shares == sorted(shares) and what_if.outcome.changed.shape == what_if.outcome.driven.shape
    light = by_name(what_if.outcome)["speed"].values
    assert light[1] > light[0] and heavy[1] < heavy[0]
    session.tuning.undo()
    session.tuning.undo()
    what_if.poll()
    assert what_if.wait() and by_name(what_if.outcome)["apart"].values[1] == 0.0  # as it was driven
    session.changes.recover()
    assert what_if.outcome is None
    what_if.close()


def test_the_outcome_is_that_of_the_newest_change(session):
    what_if = WhatIf(session)
    run(session, 6.0)
    what_if.on = True
    for mass in np.linspace(800.0, 2000.0, 25):
        session.tuning.set_parameter("body.mass", float(mass))
        what_if.poll()
    what_if.poll()
    assert what_if.wait()
    rerun = finished_rerun(session, what_if.span)
    assert np.array_equal(what_if.outcome.changed, rerun.trajectory())
    what_if.close()


def test_a_train_is_repeated_whole():
    world = flat_world(("truck_trailer",))
    with Session(world) as session:
        run(session, 2.0)
        rerun = finished_rerun(session, 1.0)
        for repeated, vehicle in zip(rerun._members, world.vehicles, strict=True):
            assert bytes(repeated.state_bytes) == bytes(vehicle.state_bytes)


def test_a_rerun_ends_with_a_fault_that_names_the_vehicle():
    world = one_car_world()
    ring = RewindRing(world)
    command = np.repeat(weave_at(0.0), 1)
    for _ in range(120):
        world.step(command)
        ring.record(command)
    vehicle = world.vehicles[0]
    rerun = Rerun(vehicle, world)
    parameters = rerun.parameters()
    parameters[0]["suspension"]["stiffness"][0, :4] = 1e14
    rerun.begin(ring.segment(0.4, 0), parameters)
    assert not rerun.advance(10**6)
    assert rerun.done < 120 and vehicle.name in rerun.fault


def weave_at(time):
    """The weaving command at a time, s."""

    class Now:
        pass

    now = Now()
    now.time = time
    return weave(now)


def test_differences_of_a_straight_drive_have_the_known_values():
    """A vehicle turned 90 degrees to the left drives along -x at 10 m/s and drifts 1 m/s to its right, which is +y."""
    # columns: 0 to 2 position, 3 to 6 orientation, 7 to 9 velocity, 10 to 12 angular velocity
    rows = np.zeros((61, SLIPS))  # one second in 61 rows
    half = np.sqrt(0.5)
    rows[:, 3:7] = (0.0, 0.0, half, half)
    rows[:, 7:10] = (-10.0, 1.0, 0.0)
    rows[:, 0] = -10.0 * np.arange(61) / 60.0
    ahead, right = body_velocity(rows)
    assert np.allclose(ahead, 10.0) and np.allclose(right, 1.0)
    assert np.allclose(sideslip(rows), -np.arctan(0.1))
    assert distance(rows)[-1] == pytest.approx(10.0)
    other = rows.copy()
    other[:, 1] += 2.0
    other[:, 12] = -0.5
    quantities = {q.name: q for q in differences(rows, other[:-5], {"front": [0, 1]})}
    assert quantities["apart"].values == (0.0, 2.0) and quantities["yaw rate"].values == (0.0, 0.5)
    assert "slip front" not in quantities  # these rows have no tire slips


def test_largest_values_are_compared_by_magnitude():
    """In a slalom one car may slide most to the left and the other to the right by the same angle."""
    rows = np.zeros((61, SLIPS))
    # columns: scalar part of the orientation, velocity to the right and ahead, yaw rate
    rows[:, 6], rows[:, 7], rows[:, 8], rows[:, 12] = 1.0, np.linspace(-1.0, 0.5, 61), 10.0, 0.4
    mirrored = rows.copy()
    mirrored[:, [7, 12]] *= -1.0
    quantities = {q.name: q for q in differences(rows, mirrored, {})}
    assert quantities["sideslip"].values == pytest.approx([np.arctan(0.1)] * 2) and quantities["yaw rate"].values == (
        0.4,
        0.4,
    )
    assert quantities["sideslip"].first[0] == -quantities["sideslip"].second[0]  # the curves over time keep their signs


def test_trajectory_rows_are_fields_of_the_state_at_the_origin():
    world = flat_world()
    vehicle = world.vehicles[0]
    trajectory = Trajectory(vehicle, 100, world.tick_seconds)
    trajectory.record(4)
    row = vehicle.state_bytes.view(np.float64)[columns_of(vehicle)][None]
    centre = vehicle.params["body"]["centre_of_mass"][0]
    assert np.array_equal(trajectory.rows(0, 4), at_origin(row.copy(), centre))
