"""Parameter sets converted to other axes and units of length: invertible, with the same end of a drive."""

import json

import numpy as np
import pytest
from physx_samples import flat

from driving_sandbox.formats.physx import load_physx
from driving_sandbox.formats.physx_transform import transformed
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.tick.commands import FIRST, neutral_command
from driving_sandbox.physics.world.world import World

# forward, lateral and up axis; 0 to 5 for +x, -x, +y, -y, +z, -z
FRAMES = [(0, 2, 4), (4, 0, 2), (1, 3, 4), (2, 1, 4), (5, 2, 0)]


def numbers(node):
    """All numbers of a document in a fixed order, without the frame."""
    if isinstance(node, dict):
        return [x for key in sorted(node) if key != "frame" for x in numbers(node[key])]
    if isinstance(node, list):
        return [x for v in node for x in numbers(v)]
    return [] if isinstance(node, str) else [float(node)]


def turned_sample():
    """The sample with rotations and sticky thresholds."""
    doc = flat()
    doc["wheels"][0]["attach_quat"] = [0.1, 0.2, -0.3, (1.0 - 0.14) ** 0.5]
    doc["context"]["sticky"] = [[0.2, 1.0, 1.0], [0.2, 1.0, 0.1]]
    return doc


@pytest.mark.covers("PX-FRAME-03")
@pytest.mark.parametrize("frame", FRAMES)
def test_the_transform_is_invertible(frame):
    doc = turned_sample()
    converted = transformed(doc, frame, scale=100.0)
    restored = transformed(converted, doc["context"]["frame"], scale=1.0)
    assert np.allclose(numbers(restored), numbers({**doc, "scale": 1.0}), rtol=1e-12, atol=1e-15)
    assert converted["engine"]["peak_torque"] == pytest.approx(1e4 * doc["engine"]["peak_torque"])  # torque: L^2
    assert converted["wheels"][0]["wheel_moi"] == pytest.approx(1e4 * doc["wheels"][0]["wheel_moi"])  # inertia: L^2
    assert converted["wheels"][0]["stiffness"] == doc["wheels"][0]["stiffness"]  # stiffness: L^0
    assert converted["ackermann"][0]["strength"] == doc["ackermann"][0]["strength"]
    assert not np.allclose(numbers(converted["wheels"]), numbers(doc["wheels"]))


def driven(tmp_path, doc):
    """(position, orientation) of the body after a second and a half of full throttle with steering."""
    path = tmp_path / "car.json"
    path.write_text(json.dumps(doc))
    vehicle = load_physx(path).vehicle
    world = World(plane_ground(), [vehicle], tick_seconds=1.0 / 120.0, substeps=4)
    world.place(0, (0.0, 0.0), 0.0)
    command = neutral_command()
    command["throttle"], command["gear"], command["steer"] = 1.0, FIRST, 0.2
    for _ in range(180):
        assert world.step(command) is None
    return vehicle.state["body"]["position"][0].copy(), vehicle.state["body"]["orientation"][0].copy()


@pytest.mark.covers("PX-FRAME-01")
@pytest.mark.parametrize("frame", FRAMES[2:4])
def test_a_car_in_other_axes_drives_to_the_same_pose(tmp_path, frame):
    position, orientation = driven(tmp_path, flat())
    other_position, other_orientation = driven(tmp_path, transformed(flat(), frame))
    assert abs(position[1]) > 1.0
    assert np.allclose(position, other_position, rtol=1e-9, atol=1e-9)
    assert np.allclose(orientation, other_orientation, atol=1e-9)


@pytest.mark.covers("PX-FRAME-02")
def test_a_car_in_centimetres_drives_to_the_same_position(tmp_path):
    """The importer converts its values to metres."""
    (position, _), (other, _) = driven(tmp_path, flat()), driven(tmp_path, transformed(flat(), scale=100.0))
    assert np.allclose(100.0 * other, 100.0 * position, rtol=1e-7, atol=1e-6)


def test_left_handed_axes_are_refused():
    with pytest.raises(ValueError, match="right-handed"):
        transformed(flat(), (0, 3, 4))
