"""Vehicles whose bodies an outer physics engine moves, a plain one or Bullet; and one without a contact solver."""

import logging

import numpy as np
import pytest
import yaml
from drive_rig import GRAVITY, Drive, slope_ground
from outer_rig import TICK, OuterVehicle, wall
from panda3d.core import Point3, Vec3
from plain_engine import PlainBody
from plain_tires import on_plain_tires
from row_rig import NO_AIR

from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.tick.component import Substeps
from driving_sandbox.physics.vehicle.outer_body import ACCELERATION, VELOCITY, OuterBodies, without_hull
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text, vehicle_text

NEAR_STOP = 1e-3  # m; a wheel this close to the end of its travel counts as fully compressed


@pytest.mark.covers("PX-CONT-01")
@pytest.mark.parametrize("kind", ["plain", "bullet"])
def test_a_wall_of_the_outer_engine_stops_the_car(kind):
    """The vehicle takes over the velocity after the impact in its next step; its own world has no wall."""
    car = OuterVehicle(kind)
    if kind == "plain":
        car.body.wall = 12.0
    else:
        wall(car.engine, 14.0)
    before = 0.0
    for _ in range(1200):
        car.run(TICK, throttle=0.5, gear=FIRST)
        after = car.body.velocity()[0][1]
        if before > 4.0 and after < 0.5 * before:  # the impact, in the engine's step
            assert car.state["velocity"][1] == pytest.approx(before, abs=0.2)
            car.run(TICK)
            assert car.state["velocity"][1] == pytest.approx(after, abs=0.3)
            break
        before = after
    else:
        pytest.fail("it never met the wall")
    speed = car.run(2.0, lambda c: c.state["velocity"][1], brake=1.0)
    assert abs(speed[-1]) < 0.05 and car.position[1] < 14.0


@pytest.mark.covers("PX-CONT-02", "PX-CONT-03")
@pytest.mark.parametrize("kind", ["plain", "bullet"])
def test_pose_comes_from_the_body_and_velocity_goes_to_it(kind):
    car = OuterVehicle(kind)
    car.run(1.0, throttle=0.5, gear=FIRST)
    assert np.linalg.norm(car.state["velocity"]) > 0.5
    if kind == "plain":
        car.body.position = car.body.position + [30.0, -7.0, 0.0]
    else:
        x, y, z = car.position
        car.body.node.setTransform(car.body.node.getTransform().setPos(Point3(x + 30.0, y - 7.0, z)))
    moved = car.position
    command = neutral_command()
    assert car.outer.step(command) is None  # the scene has not stepped
    assert car.state["position"] == pytest.approx(moved, abs=0.02)
    assert car.vehicle.state["wheel"][0]["position"][:4].mean(axis=0)[:2] == pytest.approx(moved[:2], abs=0.3)
    velocity, rate = car.body.velocity()
    assert velocity == pytest.approx(car.state["velocity"], abs=1e-6)
    assert rate == pytest.approx(car.state["angular_velocity"], abs=1e-6)


@pytest.mark.covers("PX-CONT-04")
def test_the_scene_may_step_before_or_after():
    """Positions in the two orders differ by less than 1.5 times the longest distance travelled in a tick."""
    paths = []
    for first in (False, True):
        car = OuterVehicle(engine_first=first)
        path = [car.run(2.0, lambda c: c.state["position"].copy(), throttle=0.5, gear=FIRST),
                car.run(1.5, lambda c: c.state["position"].copy(), throttle=0.2, gear=FIRST, steer=0.3),
                car.run(3.0, lambda c: c.state["position"].copy(), brake=1.0)]  # fmt: skip
        paths.append(np.concatenate(path))
        assert np.linalg.norm(car.state["velocity"]) < 1e-3
    one_step = np.linalg.norm(np.diff(paths[0], axis=0), axis=1).max()
    assert paths[0][-1, 1] > 5.0 and paths[0][-1, 0] > 0.3
    assert np.linalg.norm(paths[0] - paths[1], axis=1).max() < 1.5 * one_step


@pytest.mark.covers("PX-CONT-05")
@pytest.mark.parametrize("name", ["hatchback", "buggy"])
def test_the_suspension_limit_lifts_the_body_out(name):
    """After a drop from 2 m all wheels have been fully compressed. Three ticks later they are less than 1 cm in the
    ground and the body rises."""
    drive = Drive(on_plain_tires(name))
    drive.vehicle.set_many(NO_AIR)
    drive.run(1.0)
    drive.vehicle.state["body"][0]["position"][2] += 2.0
    log = drive.log(1.5, lambda d: [*d.wheels("suspension", "separation"), *d.wheels("suspension", "jounce"),
                                    d.body("velocity")[2]], every=TICK)  # fmt: skip
    # columns of the log: 0 to 3 separation, 4 to 7 jounce of the wheels, 8 vertical speed of the body
    travel = drive.vehicle.params["suspension"][0]["travel"][:4]
    full = np.flatnonzero(np.maximum.accumulate(log[:, 4:8] > travel - NEAR_STOP).all(axis=1))
    assert len(full), "it was never fully compressed"
    after = full[0] + 3
    assert log[full[0] - 5, 8] < -4.0
    assert log[after:, :4].min() > -0.01 and log[after, 8] > 0.0
    unlimited = Drive(on_plain_tires(name), values={"contact.suspension_limit": "none", **NO_AIR})
    unlimited.vehicle.set_many(without_hull(unlimited.vehicle))
    unlimited.run(1.0).vehicle.state["body"][0]["position"][2] += 2.0
    assert unlimited.log(1.5, lambda d: d.wheels("suspension", "separation"), every=TICK).min() < -0.05


def sequence_entries(entries, left_out):
    """A sequence of components in the form of a vehicle file.

    left_out: entries to omit (`slot` or `slot.phase`).
    """
    entries_listed = []
    for entry in entries:
        if isinstance(entry, Substeps):
            entries_listed.append({"substeps": {"components": sequence_entries(entry.entries, left_out)}})
            continue
        name = entry.component.slot + ("" if entry.phase == "update" else f".{entry.phase}")
        entries_listed += [] if name in left_out else [name]
    return entries_listed


SOLVER = ("contact.solve", "contact.settle")


@pytest.mark.covers("PX-CONT-06")
def test_a_sequence_without_a_solver_is_reported_and_brakes_only_without_sticky_tires(caplog):
    """The forces of sticky tires are left to the solver, so that without one such tires neither grip nor brake."""
    whole = on_plain_tires("buggy")
    rolled = {}
    for stick in (True, False):
        doc = yaml.safe_load(vehicle_text(whole))
        del doc["type"]
        left_out = SOLVER if stick else (*SOLVER, "contact.stick")
        doc["components"] = {c.slot: c.name for c in whole.sequence.components}
        doc["sequence"] = sequence_entries(whole.sequence.entries, left_out)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            vehicle = load_vehicle_text(yaml.safe_dump(doc), "own.yaml")
        reported = [r.getMessage() for r in caplog.records if "contact.solve" in r.getMessage()]
        assert bool(reported) == stick and all("neither grip nor brake" in t and vehicle.name in t for t in reported)
        drive = Drive(vehicle, slope_ground(5.0)).run(2.0, brake=1.0)
        before = drive.position
        rolled[stick] = np.linalg.norm(drive.run(2.0, brake=1.0).position - before)
    parked = Drive(on_plain_tires("buggy"), slope_ground(5.0)).run(2.0, brake=1.0)
    before = parked.position
    assert np.linalg.norm(parked.run(2.0, brake=1.0).position - before) < 1e-4
    assert rolled[True] > 0.2 and rolled[False] < 0.02, rolled


@pytest.mark.covers("PX-CONT-07")
def test_alone_and_with_either_engine_a_drop_is_the_same():
    """Dropped with its origin at 0.6 m, the body has the same lowest point within 1 cm and the same rest height within
    1 mm."""
    heights = {}
    alone = Drive(on_plain_tires("buggy"), values=NO_AIR)
    alone.vehicle.set_many(without_hull(alone.vehicle))
    alone.world.place(0, (0.0, 0.0, 0.6), 0.0)
    z = alone.log(2.5, lambda d: d.body("position")[2], every=TICK, brake=1.0)
    heights["alone"] = z.min(), z[-1]
    for kind in ("plain", "bullet"):
        z = OuterVehicle(kind, height=0.6).run(2.5, lambda c: c.state["position"][2], brake=1.0)
        heights[kind] = z.min(), z[-1]
    for kind in ("plain", "bullet"):
        assert heights[kind][0] == pytest.approx(heights["alone"][0], abs=0.01)
        assert heights[kind][1] == pytest.approx(heights["alone"][1], abs=1e-3)
    assert z[0] - heights["alone"][0] > 0.4


@pytest.mark.covers("PX-CONT-08")
@pytest.mark.parametrize("kind", ["plain", "bullet"])
def test_gravity_acts_once(kind):
    car = OuterVehicle(kind, height=60.0)
    v = car.run(1.0, lambda c: c.body.velocity()[0][2])
    assert (v[-1] - v[0]) / (len(v) - 1) / TICK == pytest.approx(-GRAVITY, rel=1e-4)
    # the centre of mass begins at 60.5 m
    assert car.position[2] == pytest.approx(60.5 - 0.5 * GRAVITY, abs=0.03)
    if kind == "plain":
        with_gravity = PlainBody(car.vehicle, gravity=GRAVITY)
        silent = PlainBody(car.vehicle, gravity=GRAVITY, reports_gravity=False)
        car.outer = OuterBodies(car.world, {0: silent})
        car.engine = silent.scene
        v = car.run(0.5, lambda c: silent.v[2])
        # gravity that an engine applies without reporting it acts in addition to the vehicle's
        assert (v[-1] - v[0]) / (len(v) - 1) / TICK == pytest.approx(-2.0 * GRAVITY, rel=1e-4)
    else:
        with_gravity = car.body
        with_gravity.node.setGravity(Vec3(0.0, 0.0, -GRAVITY))
    with pytest.raises(ValueError, match=r"9.81 m/s\^2.*turn the engine's gravity off"):
        OuterBodies(car.world, {0: with_gravity})


@pytest.mark.covers("PX-CONT-12")
@pytest.mark.parametrize("kind", ["plain", "bullet"])
def test_velocity_at_once_or_acceleration_through_the_step(kind):
    """Both ways trajectories differ by less than 5 mm; with the plain engine by less than 1 nm in the first half
    second."""
    paths = {}
    for mode in (VELOCITY, ACCELERATION):
        car = OuterVehicle(kind, mode=mode)
        car.run(0.5)
        command = neutral_command()
        command["throttle"], command["gear"] = 1.0, 2
        before = car.body.velocity()[0].copy()
        assert car.outer.step(command) is None
        set_velocity = car.body.velocity()[0].copy()
        car.step_engine()
        after = car.body.velocity()[0]
        assert after[1] - before[1] > 1e-3
        assert set_velocity == pytest.approx(after if mode == VELOCITY else before, abs=1e-6)
        car = OuterVehicle(kind)
        car.run(1.5, throttle=0.8, gear=FIRST)  # rolling: a start from rest lets rounding grow
        car.outer.bodies[0].mode = mode
        paths[mode] = np.concatenate([
            car.run(1.5, lambda c: c.state["position"].copy(), throttle=0.7, gear=FIRST, steer=0.2),
            car.run(1.0, lambda c: c.state["position"].copy(), brake=0.6),
        ])  # fmt: skip
    distance = np.linalg.norm(paths[VELOCITY] - paths[ACCELERATION], axis=1)
    assert np.ptp(paths[VELOCITY][:, 1]) > 3.0
    if kind == "plain":
        assert distance[:120].max() < 1e-9
    assert distance.max() < 5e-3  # braking to rest lets rounding grow
    with pytest.raises(ValueError, match="mode must be"):
        OuterVehicle(mode="position")


@pytest.mark.covers("PX-CONT-13")
@pytest.mark.parametrize("kind", ["plain", "bullet"])
def test_a_parked_car_falls_asleep_and_throttle_wakes_it(kind):
    """It falls asleep between `wake_threshold` and `wake_reset` seconds after it has come to rest.

    While it moves, its counter is reset to `wake_reset` whenever that falls below `wake_threshold`.
    """
    for reset, threshold in ((0.4, 0.2), (1.0, 0.3)):
        car = OuterVehicle(kind, wake_reset=reset, wake_threshold=threshold)
        counters = car.run(1.0, lambda c: c.outer.bodies[0].counter, throttle=0.3, gear=FIRST)
        assert counters.min() >= threshold - 1e-9 and counters.max() <= reset and np.any(np.diff(counters) > 0.1)
        slow = car.run(4.0, lambda c: (c.outer.bodies[0]._energy(c.vehicle.state), c.body.asleep()), brake=1.0)
        asleep = int(np.argmax(slow[:, 1]))
        assert slow[asleep, 1], "it never slept"
        rested = np.flatnonzero(slow[:asleep, 0] > 5e-5)[-1]
        assert threshold - 0.02 <= (asleep - rested) * TICK <= reset + 0.02
        before = car.vehicle.state.tobytes()
        rest_position = car.position
        car.run(1.0, brake=1.0)
        assert car.body.asleep() and np.all(car.position == rest_position) and car.vehicle.state.tobytes() == before
        car.run(TICK, throttle=0.5, gear=FIRST)
        assert not car.body.asleep() and car.state["velocity"][1] > 1e-4
