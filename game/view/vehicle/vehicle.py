"""Draws one vehicle from a `VehicleFrame`: hull, wheels, brakes, springs and arms, tracks, steering wheel, lamps.

Nodes that move are named wheelN, brakeN, suspN and armN with helpers *_hull and *_wheel
(game/view/vehicle/running_gear.py), beltN, steering_wheel, forearms and needles, or as in game/view/vehicle/bound.py.
All other nodes are fixed to the body; those named hullN can be left out (`draw_parts`). Beyond FAR small parts are
neither drawn nor posed, and the others have coarse forms (game/view/vehicle/detail.py). Vehicles that are not watched
lose their small parts beyond OTHERS_FAR and OTHERS_DISCS already.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import ColorBlendAttrib, Geom, LMatrix4f, LQuaternionf, LVecBase3f, NodePath, PandaNode

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.view.gl.geometry import column_of
from driving_sandbox.game.view.gl.preload import Preload
from driving_sandbox.game.view.gl.quality import level
from driving_sandbox.game.view.gl.shading import program
from driving_sandbox.game.view.light.mirrors import FLANK_MASK
from driving_sandbox.game.view.light.shadow import STATIC_MASK, VEHICLE_MASK
from driving_sandbox.game.view.vehicle.batched_mesh import BatchedMesh
from driving_sandbox.game.view.vehicle.belt import SWITCH, Belt, wheel_radius
from driving_sandbox.game.view.vehicle.bound import BoundNode, binding, check_wheel, pose
from driving_sandbox.game.view.vehicle.detail import COARSE, FINE, MIDDLE, Detail
from driving_sandbox.game.view.vehicle.dials import Dials
from driving_sandbox.game.view.vehicle.hands import Hands, head_position, wheel_turn
from driving_sandbox.game.view.vehicle.lamps import Lamps
from driving_sandbox.game.view.vehicle.model import Part, load_model
from driving_sandbox.game.view.vehicle.rotations import quaternion, rotate, rotate_back
from driving_sandbox.game.view.vehicle.running_gear import RunningGear
from driving_sandbox.game.view.vehicle.shadow_proxy import ShadowProxy
from driving_sandbox.physics.base.user_error import WrongValue

FAR = 90.0  # m from the eye, where a car seen from the side is 90 of 1920 pixels long
FAR_SMALL = 45.0  # m, the same for software OpenGL, where triangles cost more; LOW_RESOLUTION scales the distance first
HYSTERESIS = 0.9  # a part left out beyond a distance is drawn again within this share of it, so that it doesn't flicker
OTHERS_FAR = 10.0  # m, FAR for springs and arms of vehicles that are not watched: those of eight cost 160 draw calls
OTHERS_DISCS = 18.0  # m, FAR for their brake discs and steering wheels, which are more visible
NEAR = 8.0  # m; within it, at the wheel or next to the vehicle, software OpenGL draws fine forms as well
LOW_RESOLUTION = 1.7  # factor on distances at the low resolution of software OpenGL
UNSEEN = 1e-5  # invisible change of a coordinate in m, or of a quaternion's component: 0.01 pixels at a distance of 1 m
INNER_MIRROR = 0.3  # m from the vehicle's middle plane; mirrors farther out are outside mirrors
DEFAULT_BOUNDS = (-0.9, -2.0, 0.0), (0.9, 2.0, 0.7)  # m, of a body without a mesh
OWN_EYES = 0.45  # m around the figure's head; for an eye within, the figure is not drawn
STEERING_WHEEL_TURN = math.radians(200.0)  # drawn angle at full steer command, if `set_steering_wheel` gives none


def hull_number(name: str) -> int:
    """N of a node's name hullN or hull_N; 0 for other names."""
    match = re.fullmatch(r"hull_?([1-9]\d*)", name)
    return int(match.group(1)) if match else 0


class VehicleView:
    """Nodes of one vehicle below `scene.root`; call `update` once a frame.

    Args:
        scene: Scene.
        model_path: the vehicle's .glb file.
        paint: colour of the body, linear RGB.
    """

    def __init__(self, scene: Any, model_path: Path, paint: Sequence[float] = (0.03, 0.19, 0.30)) -> None:
        self.hulls: dict[str, NodePath] = {}
        self.model = load_model(model_path)
        self.root = scene.root.attachNewNode("vehicle")
        self.body = self.root.attachNewNode("body")
        self.lamps = Lamps(self.root, scene.dark)
        switches = (scene.quality.upper(), *scene.switches)
        self.root.setShader(program("vehicle", "vehicle", *switches))
        self._glass_shader = program("vehicle", "vehicle", *switches, "GLASS_PASS")
        self._mirror_shader = program("vehicle", "mirror", *switches, *scene.road_switch, include=("common", "tints"))
        self.mirrors: list[NodePath] = []
        self.mirror_positions: list[tuple | None] = [None, None]  # outside mirrors, left and right, model frame, m
        self._switches = switches
        self.set_paint(paint)
        self.bound: list[BoundNode] = []
        self.belts: list[Belt] = []
        self.far = self.bare = False  # far: springs, arms and mirrors are left out; bare: discs and steering wheel
        self._posed: np.ndarray | None = None  # frame in which all nodes were posed, None if any is outdated
        self._position: list[float] | None = None  # of the body in it, m
        self.cast_at: Any = None  # position when the static shadow map was last drawn with the vehicle, or None
        self._low_resolution = not level(scene.quality).full
        # (lock, position, tilt) of the steering wheel, see `set_steering_wheel`
        self._wheel_mounting: tuple[float, Sequence[float], float] | None = None
        self._steering_turn = STEERING_WHEEL_TURN
        self._drawn_batch: BatchedMesh | None = None  # the mesh drawn instead of its parts
        self.frame: VehicleFrame | None = None
        try:
            self._build()
        except WrongValue as error:
            raise WrongValue(f"{model_path}: {error}") from None
        self.low, self.high = self._bounds()
        self.half_size = np.maximum(np.abs(self.low), np.abs(self.high))  # m, of a box around the origin with all parts
        self.wheel_radius = [self._wheel_radius(wheel) for wheel in self.wheels] or [0.33]  # m

    def set_paint(self, paint: Sequence[float]) -> None:
        """Set the body colour, linear RGB: dark diffuse and flakes, as bright diffuse paint looks like plastic."""
        colour = np.asarray(paint, dtype=float)
        self.root.setShaderInput("paint_base", LVecBase3f(*(float(v) for v in colour * 0.17)))
        self.root.setShaderInput("paint_flake", LVecBase3f(*(float(v) for v in np.clip(colour * 0.8, 0.004, 0.75))))

    def _build(self) -> None:
        """Attach all parts of the model below `root`, and prepare their coarser forms."""
        parts = self.model.parts
        self.gear = RunningGear(self.model, self.root, self.body, self._attach)
        self.wheels, self.brakes = self.gear.wheels, self.gear.brakes
        moving = {"hullproxy1"} | self.gear.names
        moving |= self._add_belts(parts)
        for name, part in parts.items():
            bound = binding(name)
            if bound is not None:
                moving.add(name)
                self._add_bound(part, *bound)
            if name not in moving and not name.startswith("hullproxy") and (part.opaque or part.glass):
                path = self._attach(part, self.body)
                path.setMat(part.rest)
                if hull_number(name):
                    self.hulls[f"hull{hull_number(name)}"] = path
        self._steering = self.body.find("**/steering_wheel")
        self.driver = self.body.find("driver")
        self.hands, self.dials = Hands(self.body, self.model), Dials(self.body, self.model)
        self._head = head_position(parts["driver"]) if not self.driver.isEmpty() else None
        self._discs = [*self.brakes] if self._steering.isEmpty() else [*self.brakes, self._steering]
        self.detail = Detail([*self.hulls.values(), *self.wheels])
        figure = [] if self.driver.isEmpty() else [self.driver]
        self.gear.gather(self.detail)
        wheel_parts = self.gear.parts[: len(self.wheels)]
        self._batched = BatchedMesh("batched mesh", self.body, self.hulls.values(), figure, wheel_parts, self.detail)
        casters = [*self.hulls.values(), *self.wheels, *figure]
        self._shadow_proxy = ShadowProxy(
            self.root, [(path, parts[path.getName()]) for path in casters], self.detail.forms(COARSE)
        )
        self.set_low_resolution(self._low_resolution)
        if not self._steering.isEmpty():
            self._steering_rest = LQuaternionf(self._steering.getQuat())
            self._steering_model = self._steering_rest, tuple(self._steering.getPos())  # the model's own mounting

    def set_low_resolution(self, low: bool) -> None:
        """Choose whether the vehicle is drawn for the low resolution of software OpenGL."""
        self._draw_batch(None)
        self._low_resolution = low
        self.detail.cast_coarse(low)
        for path in (*self._discs, *self.gear.springs):  # their shadows are within those of hull and wheels
            path.show(VEHICLE_MASK)
            path.hide(STATIC_MASK | VEHICLE_MASK if low else STATIC_MASK)

    def prepare(self, preload: Preload) -> None:
        """Preload all meshes of the vehicle: those of the parts, and the batched meshes that replace them."""
        preload.add_parts(self.root)
        for geom in (*self.detail.forms(COARSE).values(), *self.hands.forms):
            preload.add_mesh(geom)
        if self._low_resolution:
            return
        for batch, forms in ((self.gear.batched, (FINE,)), (self._batched, (FINE, COARSE))):
            for form in forms if batch.possible else ():
                preload.add(partial(batch.geom, form))

    def set_steering_wheel(self, mounting: tuple[float, Sequence[float], float] | None) -> None:
        """Set the steering wheel's mounting (lock, position, tilt) in rad, m and rad; None for the model's own.

        lock is the wheel's angle at full steer command; a position of zeros stands for the model's position and tilt;
        tilt leans the wheel's top away from the driver.
        """
        if mounting == self._wheel_mounting or self._steering.isEmpty():
            return
        self._wheel_mounting, self._posed = mounting, None
        lock, position, tilt = mounting or (STEERING_WHEEL_TURN, (0.0, 0.0, 0.0), 0.0)
        self._steering_turn = lock
        if any(position):
            self._steering_rest = LQuaternionf(math.cos(-tilt / 2.0), math.sin(-tilt / 2.0), 0.0, 0.0)
        else:
            self._steering_rest, position = self._steering_model
        self._steering.setPos(*position)

    def draw_parts(self, names: Container[str]) -> None:
        """Choose the hull parts to draw, by names as in `Geometry.drawn_names`; all other parts are always drawn."""
        changed = [(name, path) for name, path in self.hulls.items() if (name in names) == path.isHidden()]
        for name, path in changed:
            path.show() if name in names else path.hide()
        if changed:
            self._shadow_proxy.gather()
            self._batched.renew()

    def _attach(self, part: Part, parent: NodePath) -> NodePath:
        """Attach a part's opaque, glass and mirror meshes; returns the path of the node that moves them."""
        path = parent.attachNewNode(part.opaque or PandaNode(part.name))
        if part.glass:
            glass = path.attachNewNode(part.glass)
            glass.setShader(self._glass_shader)
            glass.setAttrib(ColorBlendAttrib.make(ColorBlendAttrib.MAdd, ColorBlendAttrib.OIncomingAlpha,
                                                  ColorBlendAttrib.OOneMinusIncomingAlpha))  # fmt: skip
            glass.setBin("transparent", 0)
            glass.setDepthWrite(False)
            glass.setTwoSided(True)
        if part.mirrors:
            self.mirrors.append(path.attachNewNode(part.mirrors))
            self.mirrors[-1].setShader(self._mirror_shader)
            self.mirrors[-1].hide(STATIC_MASK | VEHICLE_MASK | FLANK_MASK)
            self._find_mirrors(part.mirrors.getGeom(0), part.rest)
        return path

    def _find_mirrors(self, geom: Geom, rest: LMatrix4f) -> None:
        """Set `mirror_positions` from the points of a part's mirrors on the left and on the right."""
        points = column_of(geom, "vertex").astype(float)
        points += np.array(rest.getRow3(3))
        for index, side in enumerate((-1.0, 1.0)):
            mirror_points = points[side * points[:, 0] > INNER_MIRROR]
            if len(mirror_points):
                self.mirror_positions[index] = tuple(mirror_points.mean(axis=0).tolist())

    def holds(self, point: Sequence[float]) -> bool:
        """Whether a point in the body frame is in the upper half of the box of `half_size` around the origin."""
        (x, y, z), half = point, self.half_size
        return abs(x) < half[0] and abs(y) < half[1] and 0.0 < z < half[2]

    @property
    def is_trailer(self) -> bool:
        """Whether the vehicle is a trailer, which is recognised by a model without a steering wheel."""
        return self._steering.isEmpty()

    def show_in_flanks(self, shown: bool) -> None:
        """Choose whether the vehicle is drawn in the images of the watched vehicle's outside mirrors."""
        for path in (*self.hulls.values(), *self.wheels, self.gear.batched.path):
            path.showThrough(FLANK_MASK) if shown else path.hide(FLANK_MASK)

    def _add_belts(self, parts: dict[str, Part]) -> set[str]:
        """Add the tracks of a tracked vehicle; returns the names of their nodes."""
        names, shader = set(), program("vehicle", "vehicle", *self._switches, SWITCH)
        for name in [n for n in parts if re.fullmatch(r"belt\d+", n)]:
            ends = [n for n in parts if n.startswith(f"{name}_turn")]
            turning = []
            for end in ends:
                path = self._attach(parts[end], self.body)
                path.setMat(parts[end].rest)
                turning.append((path, wheel_radius(parts[end])))
            self.belts.append(Belt(parts[name], turning, self.body, self.model.node_position, shader))
            names |= {name, *ends}
        return names

    def _add_bound(self, part: Part, wheel: int | None, kind: str) -> None:
        """Attach a part that is bound to the body or a wheel. Raises WrongValue if there is no such wheel."""
        check_wheel(part.name, len(self.wheels))
        wheel_rest = None if wheel is None else self.model.node_position(f"wheel{wheel + 1}")
        at = (0.0, 0.0, 0.0) if wheel_rest is None else wheel_rest
        self.bound.append(BoundNode(self._attach(part, self.root), part.rest, wheel, kind, at))

    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """(lowest, highest coordinates) of the drawn body as modelled, m."""
        bounds = self.body.getTightBounds(self.body)  # None without triangles
        low, high = (np.array(point) for point in bounds or DEFAULT_BOUNDS)
        return low, high

    def _wheel_radius(self, wheel: NodePath) -> float:
        """Drawn radius of a wheel, m; only for the shade below the tire, not for physics."""
        bounds = wheel.getTightBounds(wheel)
        return float(bounds[1][2]) if bounds else 0.33

    def _is_posed(self, frame: VehicleFrame, position: list[float]) -> bool:
        """Whether all nodes are posed as in a frame already, like those of a parked vehicle; if not, they will be."""
        last, self._position = self._position, position
        if last and math.dist(position, last) > UNSEEN:  # moving, so that nothing else need be compared
            self._posed = None
            return False
        numbers = np.concatenate([
            frame.body_position, frame.body_orientation, frame.wheel_position.ravel(), frame.wheel_orientation.ravel(),
            frame.hub_orientation.ravel(), (frame.steer_command,),
        ])  # fmt: skip
        former = self._posed
        if former is None or len(numbers) != len(former) or self.hands.own:
            posed = False
        else:
            posed = bool(np.abs(numbers - former).max() < UNSEEN)
        if not posed:
            self._posed = numbers
        return posed

    def update(self, frame: VehicleFrame) -> None:
        """Pose all nodes as in a VehicleFrame."""
        self.frame = frame
        self.lamps.show(frame)
        position = frame.body_position.tolist()
        if self._is_posed(frame, position):
            return
        (x, y, z), body_orientation = position, frame.body_orientation.tolist()
        self.body.setPosQuat(LVecBase3f(x, y, z), quaternion(body_orientation))
        self._shadow_proxy.path.setTransform(self.body.getTransform())
        count = min(frame.wheel_count, len(self.wheels))
        positions, hubs = frame.wheel_position.tolist()[:count], frame.hub_orientation.tolist()[:count]
        wheels = frame.wheel_orientation.tolist()[:count]
        if self._batched.shown:
            poses = zip((position, *positions), (body_orientation, *wheels), strict=True)
            self._batched.pose(pose(*of_part) for of_part in poses)
            return
        self.gear.pose(position, body_orientation, positions, wheels, hubs, discs=not self.bare, springs=not self.far)
        if self.far:
            return
        if self.bound:
            body = pose(frame.body_position, body_orientation)
            for node in self.bound:
                if node.wheel is None:
                    node.update(body, None)
                elif node.wheel < count:
                    node.update(body, pose(positions[node.wheel], wheels[node.wheel]))
        for belt in self.belts:
            if belt.last < count:
                belt.update(lambda wheel: self.gear.on_wheel(wheel, (0.0, 0.0, 0.0)), wheels, hubs)
        if not self._steering.isEmpty():
            angle = self._steering_turn * frame.steer_command
            self._steering.setQuat(wheel_turn(angle) * self._steering_rest)
            self.hands.follow(self._steering, self._steering_rest, angle)
            if self.hands.own:
                self.dials.turn(frame)

    def _leave_out(self, links: bool, discs: bool) -> None:
        """Leave out springs, arms and mirrors if `links`, brake discs and the steering wheel if `discs`.

        They are stashed, because cameras still traverse hidden nodes.
        """
        if (links, discs) != (self.far, self.bare):
            self._posed = None  # culled parts have an outdated pose
        if links != self.far:
            self.far = links
            for path in (*self.gear.springs, *self.mirrors):
                path.stash() if links else path.unstash()
        if discs != self.bare:
            self.bare = discs
            for path in self._discs:
                path.stash() if discs else path.unstash()

    def _draw_batch(self, batch: BatchedMesh | None) -> None:
        """Draw a batched mesh instead of its parts; None draws the parts."""
        if batch is self._drawn_batch:
            return
        if self._drawn_batch is not None:
            self._drawn_batch.show(False)
        if batch is not None:
            batch.show(True)
        self._drawn_batch, self._posed = batch, None  # culled parts have an outdated pose
        if self.frame is not None:
            self.update(self.frame)

    def _batch_for(self, wheels: int, links_left_out: bool, discs_left_out: bool, watched: bool) -> BatchedMesh | None:
        """The batched mesh to draw, or None. Bodywork of trailers stays separate, because mirrors show it."""
        if self._low_resolution or wheels < len(self.wheels):
            return None
        whole = discs_left_out and not (watched or self.is_trailer)
        batch = self._batched if whole else None if links_left_out else self.gear.batched
        return batch if batch is not None and batch.possible else None

    def seen_from(self, eye: Sequence[float], watched: bool = True, zoom: float = 1.0) -> None:
        """Choose parts and forms for an eye at a position in the world, m.

        Args:
            watched: whether the vehicle is the watched one; others lose springs, arms and discs at shorter distances.
            zoom: factor by which a long lens enlarges the vehicle.
        """
        if self.frame is None:
            return
        px, py, pz = self.frame.body_position.tolist()
        x, y, z = eye[0] - px, eye[1] - py, eye[2] - pz
        low = self._low_resolution
        distance = math.sqrt(x * x + y * y + z * z) * (LOW_RESOLUTION if low else 1.0) / zoom
        far_limit = FAR_SMALL if low else FAR

        def beyond(limit: float, was_beyond: bool) -> bool:
            """Whether the vehicle is farther than `limit`, with hysteresis."""
            return distance > (HYSTERESIS * limit if was_beyond else limit)

        links = beyond(far_limit if watched else OTHERS_FAR, self.far)
        discs = beyond(far_limit if watched else OTHERS_DISCS, self.bare)
        batch = self._batch_for(self.frame.wheel_count, links, discs, watched)
        if batch is not self._drawn_batch:
            self._draw_batch(None)
        self._leave_out(links, discs)
        coarse, middle = beyond(far_limit, self.detail.shown == COARSE), low and beyond(NEAR, self.detail.shown != FINE)
        self.detail.show(COARSE if coarse else MIDDLE if middle else FINE)
        self._draw_batch(batch)
        if batch is not None:
            batch.follow()
        in_model = rotate_back(self.frame.body_orientation.tolist(), (x, y, z))
        self.hands.see(in_model, still=low or not watched)
        self.dials.see(in_model)
        if self._head is not None:
            hx, hy, hz = rotate(self.frame.body_orientation.tolist(), self._head)
            inside = (x - hx) ** 2 + (y - hy) ** 2 + (z - hz) ** 2 < OWN_EYES * OWN_EYES
            if inside != self.driver.isHidden():
                self.driver.hide() if inside else self.driver.show()
