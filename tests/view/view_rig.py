"""Small worlds, vehicle frames and images for tests of the view."""

import math
from pathlib import Path

import numpy as np
from panda3d.core import LMatrix4f, LVecBase3f, NodePath

from driving_sandbox.game.session.frame import VehicleFrame, WorldView
from driving_sandbox.game.view.vehicle.rotations import rotate

ROADSTER = Path(__file__).resolve().parents[2] / "assets" / "models" / "roadster.glb"


class FakeBase:
    """Stands in for Panda3D's ShowBase: its camera and lens ignore the views they are given."""

    class camera:
        setPos = lookAt = staticmethod(lambda *a: None)

    class camLens:
        getHfov = staticmethod(lambda: 0.0)
        getAspectRatio = staticmethod(lambda: 1.0)
        setFov = setAspectRatio = staticmethod(lambda *a: None)


class SceneWithoutWindow:
    """Stands in for the Scene: a scene graph and its settings, without a window."""

    def __init__(self, quality: str = "high"):
        self.root = NodePath("scene")
        self.quality, self.switches, self.road_switch, self.dark = quality, (), (), False


def rough_heights(size: int = 150, seed: int = 3) -> np.ndarray:
    """Uneven ground, on which a cell that is split along the wrong diagonal has other heights."""
    random = np.random.default_rng(seed)
    return random.uniform(-1.0, 1.0, (size, size)).astype(np.float32)


def grass_world() -> WorldView:
    """A level meadow around the origin with hills at its border."""
    line = np.arange(129) * 2.0 - 128.0
    x, y = np.meshgrid(line, line)
    beyond_meadow = np.clip(np.hypot(x, y) - 70.0, 0.0, None)  # m
    heights = (0.0008 * beyond_meadow**2).astype(np.float32)
    return WorldView(heights, (-128.0, -128.0), 2.0, np.zeros((128, 128), np.uint8), ["grass"])


def link_ends(running_gear, index: int) -> tuple[np.ndarray, np.ndarray]:
    """World positions, m, of the drawn ends (hull, wheel) of a RunningGear's link, from its node's matrix."""
    _, link, path, rest, _ = running_gear.links[index]
    to_world = path.getMat(running_gear._root.getParent())
    to_model = LMatrix4f(rest)
    to_model.invertInPlace()
    ends = (link.hull_rest, link.wheel_rest)
    return tuple(np.array(to_world.xformPoint(to_model.xformPoint(LVecBase3f(*p)))) for p in ends)


def standing_frame(view, position=(0.0, 0.0, 0.0), yaw=0.0, lift=0.0, steer=0.0, spin=0.0, pitch=0.0) -> VehicleFrame:
    """A VehicleFrame of the standing model, with its wheels turned.

    position: m, world.
    yaw, pitch: orientation of the body, rad.
    lift: height of all wheels above their position in the model, m, body frame.
    steer: angle of wheels 1 and 2, rad, positive to the left.
    spin: rotation of all wheels, rad, positive forward.
    """
    body = multiply(axis_turn(2, yaw), axis_turn(0, pitch))
    count = len(view.wheels)
    centres = [view.model.node_position(f"wheel{n + 1}") + (0.0, 0.0, lift) for n in range(count)]
    wheel_position = np.array([np.asarray(position) + np.array(rotate(body, centre)) for centre in centres])
    hub = np.array([multiply(body, axis_turn(2, steer if n < 2 else 0.0)) for n in range(count)])
    wheel = np.array([multiply(q, axis_turn(0, -spin)) for q in hub])
    return VehicleFrame(np.asarray(position, dtype=float), body, count, wheel_position, wheel, hub)


def axis_turn(axis: int, angle: float) -> np.ndarray:
    """Quaternion (x, y, z, w) of a rotation about a coordinate axis; angle: rad."""
    q = np.zeros(4)
    q[axis], q[3] = math.sin(angle / 2), math.cos(angle / 2)
    return q


def multiply(a, b) -> np.ndarray:
    """Product of two quaternions: rotation b, then a."""
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def grab(base) -> np.ndarray:
    """The last drawn frame as (rows, columns, rgb) 0..1, first row on top."""
    image = base.win.getScreenshot()
    pixels = np.frombuffer(bytes(image.getRamImageAs("RGB")), np.uint8)
    return pixels.reshape(image.getYSize(), image.getXSize(), 3)[::-1] / 255.0
