"""Draws one vehicle from a `VehicleFrame`: hull, wheels, brakes, springs and arms, steering wheel, lamps.

Node names are those of the models: hullN, wheelN, brakeN, suspN and armN with helpers *_hull and *_wheel,
steering_wheel. Wheels take `wheel_orientation`, brakes `hub_orientation`; nodes named as game/view/bound.py says follow
in part; everything else rides on the body.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
from panda3d.core import (
    ColorBlendAttrib,
    LMatrix4f,
    LQuaternionf,
    LVecBase3f,
    LVecBase4f,
    NodePath,
    PTA_LVecBase4f,
)

from game.view.bound import BoundNode, binding, pose
from game.view.frame import VehicleFrame
from game.view.link import Link
from game.view.model import Part, VehicleModel, load_model
from game.view.shading import program

STEERING_WHEEL_TURN = math.radians(200.0)  # at full steer command; a picture only, the rack's ratio is physics


def quaternion(q) -> LQuaternionf:
    """(x, y, z, w) to Panda3D's (w, x, y, z)."""
    return LQuaternionf(q[3], q[0], q[1], q[2])


def rotate(q, v) -> tuple[float, float, float]:
    """Vector v turned by unit quaternion q (x, y, z, w); plain floats, v + 2 w (a x v) + 2 a x (a x v)."""
    x, y, z, w = q
    px, py, pz = v
    tx, ty, tz = 2.0 * (y * pz - z * py), 2.0 * (z * px - x * pz), 2.0 * (x * py - y * px)
    return (px + w * tx + y * tz - z * ty, py + w * ty + z * tx - x * tz, pz + w * tz + x * ty - y * tx)


def rotate_back(q, v) -> tuple[float, float, float]:
    return rotate((-q[0], -q[1], -q[2], q[3]), v)


def panda_matrix(rows) -> LMatrix4f:
    """Three rows (linear part, translation) to Panda3D's row-vector matrix."""
    a, b, c = rows
    return LMatrix4f(a[0], b[0], c[0], 0, a[1], b[1], c[1], 0, a[2], b[2], c[2], 0, a[3], b[3], c[3], 1)


def hull_number(name: str) -> int:
    """N of a node hullN or hull_N, or 0."""
    match = re.fullmatch(r"hull_?([1-9]\d*)", name)
    return int(match.group(1)) if match else 0


class VehicleView:
    """Nodes of one vehicle under `scene.root`; call `update` once a frame."""

    def __init__(self, scene, model_path: Path, paint=(0.03, 0.19, 0.30)):
        self.hulls: dict[str, NodePath] = {}
        self.model = load_model(model_path)
        self.root = scene.root.attachNewNode("vehicle")
        self.body = self.root.attachNewNode("body")
        self._lamps = PTA_LVecBase4f([LVecBase4f(0)])
        self.root.setShader(program("vehicle", "vehicle", scene.quality.upper()))
        self._glass_shader = program("vehicle", "vehicle", scene.quality.upper(), "GLASS_PASS")
        self.root.setShaderInput("lamps", self._lamps)
        self.set_paint(paint)
        self.wheels: list[NodePath] = []
        self.brakes: list[NodePath] = []
        self.links: list[tuple[int, Link, NodePath, LMatrix4f, tuple]] = []
        self.bound: list[BoundNode] = []
        self._build()
        self.frame: VehicleFrame | None = None
        self.half_size = self._half_size()
        self.wheel_radius = [self._wheel_radius(wheel) for wheel in self.wheels] or [0.33]

    def set_paint(self, paint) -> None:
        """Linear rgb of the body colour. Dark diffuse, coloured flakes: a bright diffuse looks like toy plastic."""
        colour = np.asarray(paint, dtype=float)
        self.root.setShaderInput("paint_base", LVecBase3f(*(float(v) for v in colour * 0.17)))
        self.root.setShaderInput("paint_flake", LVecBase3f(*(float(v) for v in np.clip(colour * 0.8, 0.004, 0.75))))

    def _build(self) -> None:
        parts = self.model.parts
        numbers = range(1, 21)
        moving = {"hullproxy1"}
        for n in numbers:
            if f"wheel{n}" not in parts:
                break
            self.wheels.append(self._attach(parts[f"wheel{n}"], self.root))
            brake = parts.get(f"brake{n}", Part(f"brake{n}", LMatrix4f.identMat()))
            self.brakes.append(self._attach(brake, self.root))
            moving |= {f"wheel{n}", f"brake{n}"}
            for kind in ("susp", "arm"):
                if f"{kind}{n}" in parts:
                    self._add_link(self.model, f"{kind}{n}", n - 1)
                    moving.add(f"{kind}{n}")
        for name, part in parts.items():
            if binding(name) is not None:
                moving.add(name)
                self._add_bound(part)
            if name not in moving and not name.startswith("hullproxy") and (part.opaque or part.glass):
                path = self._attach(part, self.body)
                path.setMat(part.rest)
                if hull_number(name):
                    self.hulls[f"hull{hull_number(name)}"] = path
        self._steering = self.body.find("**/steering_wheel")
        if not self._steering.isEmpty():
            self._steering_rest = LQuaternionf(self._steering.getQuat())

    def draw_parts(self, names) -> None:
        """Draw these hull parts only, by the names of `Geometry.drawn_names`; wheels and the rest always are."""
        for name, path in self.hulls.items():
            if (name in names) == path.isHidden():
                path.show() if name in names else path.hide()

    def _attach(self, part: Part, parent: NodePath) -> NodePath:
        path = parent.attachNewNode(part.name)
        if part.opaque:
            path.attachNewNode(part.opaque)
        if part.glass:
            glass = path.attachNewNode(part.glass)
            glass.setShader(self._glass_shader)
            glass.setAttrib(ColorBlendAttrib.make(
                ColorBlendAttrib.MAdd, ColorBlendAttrib.OIncomingAlpha, ColorBlendAttrib.OOneMinusIncomingAlpha))
            glass.setBin("transparent", 0)
            glass.setDepthWrite(False)
            glass.setTwoSided(True)
        return path

    def _add_link(self, model: VehicleModel, name: str, wheel: int) -> None:
        hull_end, wheel_end = model.place(f"{name}_hull"), model.place(f"{name}_wheel")
        if hull_end is None or wheel_end is None:
            raise ValueError(f"model part {name} needs helpers {name}_hull and {name}_wheel")
        part = model.parts[name]
        path = self._attach(part, self.body)
        on_hub = tuple((wheel_end - model.place(f"wheel{wheel + 1}")).tolist())
        self.links.append((wheel, Link(hull_end, wheel_end), path, part.rest, on_hub))

    def _add_bound(self, part: Part) -> None:
        wheel, kind = binding(part.name)
        if wheel is not None and wheel >= len(self.wheels):
            raise ValueError(f"model part {part.name} follows a wheel that the model does not have")
        wheel_rest = (0.0, 0.0, 0.0) if wheel is None else self.model.place(f"wheel{wheel + 1}")
        self.bound.append(BoundNode(self._attach(part, self.root), part.rest, wheel, kind, wheel_rest))

    def _half_size(self) -> np.ndarray:
        """Half extents of the drawn body, for the shade below it."""
        bounds = self.body.getTightBounds(self.body) if not self.body.isEmpty() else None
        if not bounds:
            return np.array([0.9, 2.0, 0.7])
        low, high = (np.array(point) for point in bounds)
        return np.maximum(np.abs(low), np.abs(high))

    def _wheel_radius(self, wheel: NodePath) -> float:
        """Drawn radius; only for the shade at the tyre's foot, never for physics."""
        bounds = wheel.getTightBounds(wheel)
        return float(bounds[1][2]) if bounds else 0.33

    def link_ends(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """World positions of the drawn ends (hull, wheel) of a link, by its node's matrix."""
        _, link, path, rest, _ = self.links[index]
        to_world = path.getMat(self.root.getParent())
        back = LMatrix4f(rest)
        back.invertInPlace()
        ends = (link.hull_rest, link.wheel_rest)
        return tuple(np.array(to_world.xformPoint(back.xformPoint(LVecBase3f(*p)))) for p in ends)

    def update(self, frame: VehicleFrame) -> None:
        """Pose all nodes."""
        self.frame = frame
        x, y, z = (float(v) for v in frame.body_position)
        body_orientation = [float(v) for v in frame.body_orientation]
        self.body.setPosQuat(LVecBase3f(x, y, z), quaternion(body_orientation))
        count = min(frame.wheel_count, len(self.wheels))
        places, hubs = frame.wheel_position.tolist(), frame.hub_orientation.tolist()
        wheels = frame.wheel_orientation.tolist()
        for index in range(count):
            at = LVecBase3f(*places[index])
            self.wheels[index].setPosQuat(at, quaternion(wheels[index]))
            self.brakes[index].setPosQuat(at, quaternion(hubs[index]))
        for wheel, link, path, rest, on_hub in self.links:
            if wheel >= count:
                continue
            ex, ey, ez = rotate(hubs[wheel], on_hub)
            px, py, pz = places[wheel]
            local = rotate_back(body_orientation, (px + ex - x, py + ey - y, pz + ez - z))
            path.setMat(rest * panda_matrix(link.rows(local)))
        if self.bound:
            body = pose(frame.body_position, body_orientation)
            for node in self.bound:
                if node.wheel is None:
                    node.update(body, None)
                elif node.wheel < count:
                    node.update(body, pose(places[node.wheel], wheels[node.wheel]))
        if not self._steering.isEmpty():
            half = 0.5 * STEERING_WHEEL_TURN * frame.steer_command
            turn = LQuaternionf(math.cos(half), 0.0, math.sin(half), 0.0)
            self._steering.setQuat(turn * self._steering_rest)
        self._lamps.setElement(0, LVecBase4f(min(1.0, frame.brake * 3.0), float(frame.reverse), 0.0, 0.0))
