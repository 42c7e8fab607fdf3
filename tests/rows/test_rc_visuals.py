"""Drawn nodes of a driving car have the poses of its physics, and its lamps work, as Racer and CryEngine document."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from drive_rig import Drive

from driving_sandbox.assets.build.vehicles import MODELS
from driving_sandbox.game.session.situation import fill_frame, new_frame
from driving_sandbox.game.view.vehicle.lamps import LEFT, RIGHT
from driving_sandbox.game.view.vehicle.vehicle import VehicleView
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import FIRST, REVERSE
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

sys.path.append(str(Path(__file__).parent.parent / "view"))
from view_rig import SceneWithoutWindow, link_ends  # noqa: E402

SPEED = 20.0  # m/s
SLIP = 0.02  # relative tolerance for the slip of a free wheel


class DrawnCar:
    """A simulated car and its view.

    model: file to draw instead of the vehicle's own model.
    speed: at the start, m/s.
    """

    def __init__(self, vehicle="roadster_simple", model=None, speed=0.0):
        self.drive = Drive(vehicle).run(1.0, brake=1.0)
        vehicle = self.drive.vehicle
        if speed:
            n = vehicle.wheel_count
            vehicle.state["body"]["velocity"][0] = (0.0, speed, 0.0)
            vehicle.state["wheel"]["omega"][0, :n] = speed / vehicle.params["wheel"]["radius"][0, :n]
        self.view = VehicleView(SceneWithoutWindow(), model or vehicle.geometry.path)
        self.frame = new_frame(vehicle)
        self.show()

    def show(self):
        """Update the view to the vehicle's state, and return it."""
        fill_frame(self.frame, self.drive.vehicle)
        self.view.update(self.frame)
        return self.view

    def run(self, seconds, **commands):
        self.drive.run(seconds, **commands)
        return self.show()


def axes(path):
    """Right, forward and up axis of a node."""
    matrix = path.getMat()
    return np.array([[matrix.getCell(i, j) for j in range(3)] for i in range(3)])


@pytest.mark.covers("RC-VIS-02")
def test_the_body_node_is_where_physics_has_the_model():
    drawn = DrawnCar()
    for commands in ({"throttle": 1.0, "gear": FIRST}, {"throttle": 0.5, "gear": FIRST, "steer": 0.8}, {"brake": 1.0}):
        drawn.run(0.5, **commands)
        q, body = drawn.drive.vehicle.model_orientation(), drawn.view.body
        assert np.array(body.getPos()) == pytest.approx(drawn.drive.vehicle.model_position(), abs=1e-6)
        for axis, unit in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
            assert axes(body)[axis] == pytest.approx(rotate(q, unit), abs=1e-6)


@pytest.mark.covers("RC-VIS-03")
def test_the_driver_is_drawn_for_outside_cameras_and_hidden_for_the_drivers_eyes():
    drawn = DrawnCar()
    view, body = drawn.view, drawn.view.body
    assert not view.driver.isEmpty()
    eye = np.array(body.getMat().xformPoint((-0.34, -0.5, 1.08)))
    for at, seen in ((eye, False), (eye + (3.0, 4.0, 1.0), True), (eye, False), (eye + (0.0, 0.0, 0.8), True)):
        view.seen_from(at)
        assert view.driver.isHidden() != seen
    assert not view.hulls["hull1"].isHidden()


@pytest.mark.covers("RC-VIS-04")
def test_a_wheel_node_turns_by_the_distance_travelled_over_the_radius():
    drawn = DrawnCar(speed=5.0)
    view, start = drawn.view, drawn.drive.position
    angle, before = 0.0, axes(view.wheels[2])
    while (travelled := float(np.linalg.norm(drawn.drive.position - start))) < 10.0:
        drawn.run(1.0 / 240.0)
        now = axes(view.wheels[2])
        angle += math.atan2(-now[2] @ -before[1], now[2] @ before[2])
        before = now
    radius = float(drawn.drive.vehicle.params["wheel"]["radius"][0, 2])
    assert angle == pytest.approx(travelled / radius, rel=SLIP)


@pytest.mark.covers("RC-VIS-04")
def test_a_wheel_node_shows_steer_and_travel():
    drawn = DrawnCar(speed=SPEED)
    straight, level = axes(drawn.view.wheels[0])[0], drawn.view.body.getRelativePoint(drawn.view.wheels[0], (0, 0, 0))
    drawn.run(0.7, steer=0.5, brake=0.6)
    body = drawn.view.body
    axle = body.getRelativeVector(drawn.view.root, tuple(axes(drawn.view.wheels[0])[0]))
    assert straight[1] == pytest.approx(0.0, abs=0.02)
    assert math.atan2(axle[1], axle[0]) < math.radians(-4.0)  # to the right
    jounce = float(drawn.drive.wheels("suspension", "jounce")[0])
    risen = body.getRelativePoint(drawn.view.wheels[0], (0, 0, 0))[2] - level[2]
    rest = DrawnCar().drive.wheels("suspension", "jounce")[0]
    assert risen > 0.01 and risen == pytest.approx(jounce - rest, abs=0.004)


@pytest.mark.covers("RC-VIS-05")
def test_a_brake_node_steers_and_travels_and_does_not_spin():
    drawn = DrawnCar(speed=SPEED)
    spun = []
    for _ in range(20):
        drawn.run(1.0 / 240.0, steer=0.3)
        wheel, brake = axes(drawn.view.wheels[0]), axes(drawn.view.brakes[0])
        assert np.array(drawn.view.brakes[0].getPos()) == pytest.approx(np.array(drawn.view.wheels[0].getPos()))
        assert brake[0] == pytest.approx(wheel[0], abs=1e-5)  # the same axle: steer and camber
        assert brake[2][2] > 0.99
        spun.append(math.atan2(wheel[1] @ brake[2], wheel[1] @ brake[1]))
    radius = float(drawn.drive.vehicle.params["wheel"]["radius"][0, 0])
    assert np.ptp(np.unwrap(spun)) == pytest.approx(SPEED * 19 / 240.0 / radius, rel=0.05)


@pytest.mark.covers("CE-VIS-01")
def test_suspension_parts_stretch_and_change_no_physics(tmp_path):
    """The states of the car with and without susp and arm nodes are bit-identical after a launch and a stop."""
    bare = tmp_path / "bare.glb"
    data = (MODELS / "roadster.glb").read_bytes()
    # other names of the same length, so that the file's sizes stay right
    bare.write_bytes(data.replace(b'"name":"susp', b'"name":"deco').replace(b'"name":"arm', b'"name":"bit'))
    doc = yaml.safe_load((ROOT / "configs" / "vehicles" / "roadster_simple.yaml").read_text())
    doc["model"] = str(bare)
    file = tmp_path / "bare.yaml"
    file.write_text(yaml.safe_dump(doc))
    with_parts, without = DrawnCar(), DrawnCar(load_vehicle(str(file)))
    assert len(with_parts.view.gear.links) == 8 and not without.view.gear.links
    lengths = []  # m, after each part of the drive: of the eight links, then the jounce of the four wheels
    for commands in ({"throttle": 1.0, "gear": FIRST, "steer": 0.6}, {"brake": 1.0}):
        for drawn in (with_parts, without):
            drawn.run(1.2, **commands)
        a, b = (d.drive.vehicle.state.tobytes() for d in (with_parts, without))
        assert a == b
        jounce = with_parts.drive.wheels("suspension", "jounce")
        ends = [link_ends(with_parts.view.gear, k) for k in range(8)]
        lengths.append([np.linalg.norm(hull - wheel) for hull, wheel in ends] + [*jounce])
    springs = [k for k, (_, _, path, *_) in enumerate(with_parts.view.gear.links) if path.getName().startswith("susp")]
    first, second = (np.array(row) for row in lengths)
    change = (second - first)[springs]
    travel = (second - first)[8:]
    assert np.abs(travel).max() > 0.01
    assert change == pytest.approx(-travel * 0.9, abs=0.012)  # springs are slightly inclined


@pytest.mark.covers("RC-LIGHT-01")
def test_brake_lamps_shine_exactly_while_the_brake_is_pressed():
    drawn = DrawnCar(speed=SPEED)
    for brake in (0.0, 1e-4, 0.3, 0.0, 1.0, 0.0):
        drawn.frame.brake = brake
        drawn.view.update(drawn.frame)
        assert drawn.view.lamps.on["brake"] == (brake > 0.0)
    assert drawn.run(0.3, brake=0.5).lamps.on["brake"]
    assert not drawn.run(0.3).lamps.on["brake"]


@pytest.mark.covers("RC-LIGHT-02")
def test_headlamps_are_off_by_day_and_can_be_switched_on():
    view = DrawnCar().view
    assert view.model.head_lamp is not None and not view.hulls["hull1"].isHidden()
    assert not view.lamps.on["head"]
    view.lamps.head = True
    view.update(view.frame)
    assert view.lamps.on["head"]


def test_reversing_lamps_go_by_the_gear_and_turn_signals_by_command():
    drawn = DrawnCar()
    drawn.drive.vehicle.state["gearbox"]["current_gear"] = drawn.drive.vehicle.state["gearbox"]["target_gear"] = REVERSE
    assert drawn.show().lamps.on["reverse"]
    for turn in (0, LEFT, RIGHT, LEFT | RIGHT):
        drawn.view.lamps.turn = turn
        drawn.view.update(drawn.frame)
        assert (drawn.view.lamps.on["left"], drawn.view.lamps.on["right"]) == (bool(turn & LEFT), bool(turn & RIGHT))


def test_far_cars_draw_and_pose_no_small_parts():
    drawn = DrawnCar()
    view = drawn.view
    view.seen_from(drawn.drive.position + (100.0, 0.0, 0.0))
    assert view.far and all(path.isStashed() for path in view.brakes) and not view.wheels[0].isHidden()
    still = view.brakes[0].getPos()
    drawn.run(1.0, throttle=1.0, gear=FIRST)
    assert view.brakes[0].getPos() == still and view.wheels[0].getPos() != still
    view.seen_from(drawn.drive.position + (5.0, 0.0, 0.0))
    drawn.show()
    assert not view.far and view.gear.batched.shown
    view.set_low_resolution(True)  # parts are drawn as nodes
    assert not view.brakes[0].isStashed() and view.brakes[0].getPos() == view.wheels[0].getPos()
