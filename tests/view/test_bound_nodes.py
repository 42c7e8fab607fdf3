"""Nodes of Stingray units that follow the chassis or a wheel: its full transform, its translation or its rotation."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.formats.stingray import load_stingray
from driving_sandbox.game.session.situation import fill_frame, new_frame
from driving_sandbox.game.view.vehicle.bound import binding
from driving_sandbox.game.view.vehicle.vehicle import VehicleView
from driving_sandbox.physics.maths.quat import from_axis_angle, rotate, rotate_inverse
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import FIRST

sys.path.extend(str(Path(__file__).parent.parent / name) for name in ("core", "formats"))
from drive_rig import Drive, field_ground
from stingray_samples import block, changed, wheel_centres, written
from view_rig import SceneWithoutWindow

NODES = {"j_mast": (0.2, 0.5, 1.7), "j_flag": (-0.3, -0.4, 1.6), "spare": (0.0, -2.0, 1.0), "tread": (0.75, 1.35, 0.05)}
ROLL = math.radians(30.0)


class DrawnCar:
    """A Stingray car with bound nodes, simulated and drawn.

    lists: entries for nodes bound to the "chassis" and to the "wheels".
    """

    def __init__(self, folder, ground=None, **lists):
        data = changed(block(), chassis__scene_graph_render_nodes=lists.pop("chassis", []),
                       wheels__scene_graph_render_nodes=lists.pop("wheels", []))  # fmt: skip
        path = written(folder, data, extra=NODES.items())  # the model has all NODES
        imported = load_stingray(path, folder=folder)["sample"]
        self.drive = Drive(imported.vehicle, ground).run(2.0, brake=1.0)
        self.view = VehicleView(SceneWithoutWindow(), imported.model)
        self.frame = new_frame(imported.vehicle)
        self.show()

    def show(self):
        """Draw the vehicle's present state."""
        fill_frame(self.frame, self.drive.vehicle)
        self.view.update(self.frame)
        return self

    def node(self, name):
        """(position, up, forward) of a node in the world."""
        path = next(b.path for b in self.view.bound if b.path.getName() == name)
        matrix = path.getMat(self.view.root)
        return tuple(np.array(matrix.getRow3(k)) for k in (3, 2, 1))

    def on_body(self, point):
        """World position of a point of the model."""
        v = self.drive.vehicle
        return np.add(v.model_position(), rotate(v.model_orientation(), point))


def bindings(**types):
    """Entries of a Stingray file that bind nodes; types: {node name: transform type}."""
    return [{"node": name, "transform_type": kind} for name, kind in types.items()]


@pytest.mark.covers("ST-VIS-01")
def test_listed_nodes_follow_the_body_and_others_do_not(tmp_path):
    drawn = DrawnCar(tmp_path, chassis=bindings(j_mast="full", j_flag="full"))
    for _ in range(3):
        drawn.drive.run(0.7, gear=FIRST, throttle=0.8, steer=0.5)
        drawn.show()
        for name in ("j_mast", "j_flag"):
            position, up, _ = drawn.node(f"{name}@body.full")
            assert position == pytest.approx(drawn.on_body(NODES[name]), abs=1e-4)
            assert up == pytest.approx(rotate(drawn.drive.vehicle.model_orientation(), (0.0, 0.0, 1.0)), abs=1e-5)
    assert np.linalg.norm(drawn.drive.position) > 1.0
    followers = [path.getName() for path in drawn.view.root.findAllMatches("**")]
    assert not any("spare" in name or "tread" in name for name in followers)


@pytest.mark.covers("ST-VIS-02")
def test_translation_keeps_the_orientation_and_rotation_the_position(tmp_path):
    types = {"j_mast": "translation", "j_flag": "rotation", "tread": "full"}
    drawn = DrawnCar(tmp_path, chassis=bindings(**types))
    before = {name: drawn.node(f"{name}@body.{kind}")[0] for name, kind in types.items()}
    start = drawn.drive.position
    drawn.drive.vehicle.put((5.0, 3.0, 0.5), from_axis_angle((0.0, 1.0, 0.0), ROLL))
    drawn.show()
    up_leaning = (math.sin(ROLL), 0.0, math.cos(ROLL))
    position, up, _ = drawn.node("j_mast@body.translation")
    assert position - before["j_mast"] == pytest.approx(np.array([5.0, 3.0, 0.5]) - start, abs=1e-4)
    assert up == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)
    position, up, _ = drawn.node("j_flag@body.rotation")
    assert position == pytest.approx(before["j_flag"], abs=1e-5) and up == pytest.approx(up_leaning, abs=1e-5)
    position, up, _ = drawn.node("tread@body.full")
    assert position == pytest.approx(drawn.on_body(NODES["tread"]), abs=1e-4) and up == pytest.approx(
        up_leaning, abs=1e-5
    )
    with pytest.raises(ConfigError, match="transform_type: 'turn' is none of full, translation, rotation"):
        DrawnCar(tmp_path, chassis=bindings(j_mast="turn"))


@pytest.mark.covers("ST-VIS-03")
def test_a_translation_node_rises_with_its_wheel_without_spinning(tmp_path):
    """The front right wheel stands on a plate; then all wheels are rotated by 1.9 rad."""
    plate = field_ground(lambda x, y: np.where((x > 0.2) & (y > 0.5) & (y < 2.5), 0.08, 0.0), half_size=16.0)
    drawn = DrawnCar(tmp_path, plate, wheels=bindings(tread="translation"))
    vehicle = drawn.drive.vehicle
    orientation, origin = vehicle.model_orientation(), np.array(vehicle.model_position())
    wheel_lifts = []
    for wheel, rest in enumerate(wheel_centres()):
        centre = rotate_inverse(orientation, tuple((drawn.frame.wheel_position[wheel] - origin).tolist()))
        position, up, forward = drawn.node(f"tread@wheel{wheel + 1}.translation")
        local = rotate_inverse(orientation, tuple((position - origin).tolist()))
        shift = np.array(centre) - rest
        assert np.array(local) - NODES["tread"] == pytest.approx(shift, abs=1e-4)
        wheel_lifts.append(shift[2])
    assert wheel_lifts[1] > 0.02 + max(wheel_lifts[0], wheel_lifts[3])  # 1: front right
    drawn.frame.wheel_orientation[:] = from_axis_angle((1.0, 0.0, 0.0), -1.9)
    drawn.view.update(drawn.frame)
    assert drawn.node("tread@wheel2.translation")[1] == pytest.approx(up, abs=1e-6)
    assert up == pytest.approx(rotate(orientation, (0.0, 0.0, 1.0)), abs=1e-5)
    assert forward == pytest.approx(rotate(orientation, (0.0, 1.0, 0.0)), abs=1e-5)


def test_full_and_rotation_nodes_of_a_wheel_spin_with_it(tmp_path):
    """A `full` node also follows the wheel's position, a `rotation` node stays at its position on the body."""
    drawn = DrawnCar(tmp_path, wheels=bindings(tread="full", j_flag="rotation"))
    turn = from_axis_angle((1.0, 0.0, 0.0), -math.pi / 2.0)  # a quarter turn forwards
    drawn.frame.wheel_orientation[:] = turn
    drawn.view.update(drawn.frame)
    rest = np.subtract(NODES["tread"], wheel_centres()[1])
    position, up, _ = drawn.node("tread@wheel2.full")
    assert position == pytest.approx(drawn.frame.wheel_position[1] + rotate(turn, tuple(rest)), abs=1e-4)
    assert up == pytest.approx((0.0, 1.0, 0.0), abs=1e-4)
    position, up, _ = drawn.node("j_flag@wheel2.rotation")
    assert position == pytest.approx(drawn.on_body(NODES["j_flag"]), abs=1e-4)
    assert up == pytest.approx((0.0, 1.0, 0.0), abs=1e-3)


def test_a_nodes_name_gives_its_wheel_and_transform():
    names = ("a@body.full", "x@y@wheel12.translation", "a@wheel0.full", "a@body.spin", "wheel1", "body.full")
    assert [binding(n) for n in names] == [(None, "full"), (11, "translation"), None, None, None, None]
