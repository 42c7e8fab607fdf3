"""The layers of the debug drawing: functions that turn a vehicle's records into lines in the world.

Every function takes a `Reading` and returns [(from, to)] in metres, world axes, straight from the state after the last
tick, or None where the vehicle's records lack the values. Forces are drawn `Scales.force` metres long per newton,
impulses of the last substep `Scales.impulse` per newton second, speeds `Scales.speed` per metre per second.

The wheel position at full compression is the present one, moved up along the suspension by the compression that is
left, travel - jounce.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from driving_sandbox.game.debug.hull import hull_edges
from driving_sandbox.game.view.debug.shapes import arrow, circle, cross, cross_product, perpendicular, square
from driving_sandbox.physics.contact.records import CONTACT_CAPACITY
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.road.sweep import SEARCH

PATCH = 0.5  # m, side of a drawn contact plane
NORMAL = 0.25  # m, length of a drawn normal
MARK = 0.04  # m, half size of a cross at a point
AXES = 0.35  # m, half length of the axes through the centre of mass
MAX_SPEED_ARROW = 3.0  # m, largest length of a speed arrow, which in a crash would else reach the horizon
MAX_FORCE_ARROW = 4.0  # m, largest length of an arrow for a force or an impulse
SLIP_ANGLE_LINE = 0.8  # m, length of the two lines of a slip angle
CAR_LOAD = 3000.0  # N, wheel load of the car that the default Scales suit
MOVING = 0.5  # m/s; slower wheels have no clear direction of motion
WORLD_AXES = np.eye(3)


@dataclass
class Scales:
    """Metres drawn per newton, per newton second and per metre per second; the defaults suit a car of 1.2 t."""

    force: float = 0.2e-3
    impulse: float = 10e-3
    speed: float = 0.2

    @classmethod
    def suiting(cls, vehicle: Any) -> Scales:
        """Scales that draw this vehicle's mean nominal wheel load as long as the default draws CAR_LOAD.

        The scale of speeds is that of the default, as are all for a vehicle without nominal loads.
        """
        loads = vehicle.params["tire"][0, : vehicle.wheel_count] if "tire" in vehicle.params.dtype.names else None
        if loads is None or "nominal_load" not in loads.dtype.names or not loads["nominal_load"].mean() > 0.0:
            return cls()
        ratio = CAR_LOAD / float(loads["nominal_load"].mean())
        return cls(cls.force * ratio, cls.impulse * ratio)


def axes(orientation: np.ndarray) -> np.ndarray:
    """The right, forward and up axes of a quaternion in the world, as rows of a 3 x 3 array."""
    q = tuple(orientation.tolist())
    return np.array([rotate(q, tuple(axis)) for axis in WORLD_AXES.tolist()])


class Reading:
    """A vehicle's records, cut to the wheels it has; `has` says whether a record exists.

    Attributes:
        scales: Scales of the arrows.
        rotation: matrix from body to world axes, [3, 3].
        position: centre of mass in the world, m.
        wheel_count: number of wheels.
    """

    def __init__(self, vehicle: Any, scales: Scales) -> None:
        self.vehicle, self.scales = vehicle, scales
        self.wheel_count = vehicle.wheel_count
        body = vehicle.state["body"]
        self.position = body["position"][0].copy()
        self.rotation = axes(body["orientation"][0]).T

    def has(self, slot: str, *fields: str) -> bool:
        """Whether the state has this slot with these fields."""
        names = self.vehicle.state.dtype.names
        return slot in names and set(fields) <= set(self.vehicle.state.dtype[slot].base.names or ())

    def state(self, slot: str) -> np.ndarray:
        """Records of a slot, one per wheel."""
        return self.vehicle.state[slot][0, : self.wheel_count]

    def params(self, slot: str) -> np.ndarray:
        """Parameter records of a slot, one per wheel."""
        return self.vehicle.params[slot][0, : self.wheel_count]

    def on_road(self) -> np.ndarray:
        """Indices of the wheels on the ground whose contact plane is known; a replay from poses has no planes."""
        road = self.state("road")
        return np.flatnonzero((road["hit"] != 0) & road["normal"].any(axis=1))

    def suspension_lines(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """(wheel centres at full compression, directions of droop, travels) in the world, m, or None."""
        names = self.vehicle.params.dtype["suspension"].base.names if self.has("suspension", "jounce") else ()
        if not {"direction", "travel"} <= set(names or ()) or not self.has("wheel", "position"):
            return None
        params = self.params("suspension")
        down, travel = params["direction"] @ self.rotation.T, params["travel"]
        to_full_compression = (travel - self.state("suspension")["jounce"])[:, None]
        return self.state("wheel")["position"] - down * to_full_compression, down, travel


def limited(vector: np.ndarray, max_length: float) -> np.ndarray:
    """A vector, shortened to at most `max_length` metres."""
    length = math.hypot(*vector.tolist())
    return vector if length <= max_length else vector * (max_length / length)


def planes(r: Reading) -> list[Any] | None:
    """The contact plane of every wheel on the ground, as a square below the wheel's centre, and its normal."""
    if not r.has("road", "normal", "offset"):
        return None
    segments, road, wheel = [], r.state("road"), r.state("wheel")["position"]
    for i in r.on_road():
        normal = road["normal"][i]
        foot = wheel[i] - normal * (normal @ wheel[i] + road["offset"][i])
        segments += arrow(foot, normal * NORMAL) + square(foot, normal, PATCH)
    return segments


def travel(r: Reading) -> list[Any] | None:
    """The line from full droop to full compression through each wheel's centre, with a mark at either end."""
    lines = r.suspension_lines()
    if lines is None:
        return None
    segments = []
    for full, down, length, centre in zip(*lines, r.state("wheel")["position"], strict=True):
        droop, aside = full + down * length, perpendicular(down) * (2.0 * MARK)
        segments += [(droop, centre), (centre, full), (droop - aside, droop + aside), (full - aside, full + aside)]
    return segments


def suspension_forces(r: Reading) -> list[Any] | None:
    """The force of each suspension on the body, drawn at the point where it acts."""
    if not r.has("suspension", "force_vector", "force_arm"):
        return None
    suspension, segments = r.state("suspension"), []
    for force, arm in zip(suspension["force_vector"], suspension["force_arm"], strict=True):
        segments += arrow(r.position + arm, limited(force * r.scales.force, MAX_FORCE_ARROW))
    return segments


def _tire_forces(r: Reading, direction: str, force: str) -> list[Any] | None:
    """Arrows of a component of the tire forces at the contact points.

    Args:
        direction: name of the tire's field with the unit vector of the component, world axes.
        force: name of the tire's field with its size, N.
    """
    if not r.has("tire", direction, force) or not r.has("road", "point"):
        return None
    tire, point, segments = r.state("tire"), r.state("road")["point"], []
    for i in r.on_road():
        segments += arrow(point[i], limited(tire[direction][i] * (tire[force][i] * r.scales.force), MAX_FORCE_ARROW))
    return segments


def longitudinal_forces(r: Reading) -> list[Any] | None:
    """Longitudinal tire forces."""
    return _tire_forces(r, "longitudinal", "longitudinal_force")


def lateral_forces(r: Reading) -> list[Any] | None:
    """Lateral tire forces."""
    return _tire_forces(r, "lateral", "lateral_force")


def grip(r: Reading) -> list[Any] | None:
    """The friction circle at each contact, of radius friction times load, which bounds the tire force."""
    if not r.has("tire", "longitudinal", "lateral", "friction", "load") or not r.has("road", "point"):
        return None
    tire, point = r.state("tire"), r.state("road")["point"]
    segments: list[Any] = []
    radius = np.minimum(tire["friction"] * tire["load"] * r.scales.force, MAX_FORCE_ARROW)
    for i in r.on_road():
        if radius[i] > 0.0:
            segments.extend(circle(point[i], tire["lateral"][i] * radius[i], tire["longitudinal"][i] * radius[i]))
    return segments


def slip(r: Reading) -> list[Any] | None:
    """The sliding velocity of each tread over the ground, and the slip angle between two lines.

    The two lines are the wheel's heading and its direction of motion.
    """
    fields = ("longitudinal", "lateral", "longitudinal_speed", "lateral_speed")
    if not r.has("tire", *fields) or not r.has("wheel", "omega") or not r.has("road", "point"):
        return None
    tire, point, segments = r.state("tire"), r.state("road")["point"], []
    tread = r.state("wheel")["omega"] * r.params("wheel")["radius"]
    for i in r.on_road():
        longitudinal_axis, lateral_axis = tire["longitudinal"][i], tire["lateral"][i]
        longitudinal_speed, lateral_speed = tire["longitudinal_speed"][i], tire["lateral_speed"][i]
        slide = longitudinal_axis * (longitudinal_speed - tread[i]) + lateral_axis * lateral_speed
        segments += arrow(point[i], limited(slide * r.scales.speed, MAX_SPEED_ARROW))
        motion = longitudinal_axis * longitudinal_speed + lateral_axis * lateral_speed
        speed = math.hypot(*motion.tolist())
        if speed > MOVING:
            heading = longitudinal_axis * (SLIP_ANGLE_LINE if longitudinal_speed >= 0.0 else -SLIP_ANGLE_LINE)
            segments += [(point[i], point[i] + heading), (point[i], point[i] + motion * (SLIP_ANGLE_LINE / speed))]
    return segments


def centre_of_mass(r: Reading) -> list[Any]:
    """The body's axes through the centre of mass."""
    return cross(r.position, r.rotation.T, AXES)


def hull(r: Reading) -> np.ndarray | None:
    """The convex parts of the collision hull: bodywork, and wheels at full compression."""
    if "contact" not in (r.vehicle.params.dtype.names or ()):
        return None
    edges = hull_edges(r.vehicle.params["contact"]["hull"][0])
    return edges @ r.rotation.T + r.position


def queries(r: Reading) -> list[Any] | None:
    """The ground query of each wheel, a ray along the suspension or a cylinder swept down, and the contact points.

    A ray runs from one radius above the centre at full compression to one radius below the centre at full droop.
    """
    lines = r.suspension_lines() if r.has("road", "point") and r.has("wheel", "hub_orientation") else None
    component = r.vehicle.sequence.by_slot.get("road")
    if lines is None or component is None:
        return None
    segments, hub, size = [], r.state("wheel")["hub_orientation"], r.params("wheel")
    for i, (full, down, length) in enumerate(zip(*lines, strict=True)):
        radius = float(size["radius"][i])
        if component.name == "sweep":
            axle = axes(hub[i])[0]
            below, ahead = full + down * (length + SEARCH), cross_product(down, axle)
            ahead /= np.linalg.norm(ahead)
            for axial_offset in (-size["half_width"][i], size["half_width"][i]):
                segments += [(full + axle * axial_offset, below + axle * axial_offset)]
                segments.extend(circle(full + axle * axial_offset, ahead * radius, down * radius))
                segments.extend(circle(below + axle * axial_offset, ahead * radius, down * radius))
        else:
            segments.append((full - down * radius, full + down * (length + radius)))
    for i in r.on_road():
        segments += cross(r.state("road")["point"][i], WORLD_AXES, MARK)
    return segments


def rows(r: Reading) -> list[Any] | None:
    """Constraint rows of the contact solver with their impulses: hull contacts, sticky tires, suspension limits."""
    if not r.has("contact", "solver"):
        return None
    solver, scale, segments = r.vehicle.state["contact"]["solver"][0], r.scales.impulse, []
    for contact in solver["contacts"][: min(int(solver["contact_count"]), CONTACT_CAPACITY)]:
        point, normal = r.position + r.rotation @ contact["anchor"], contact["normal"]
        segments += [(point, point + normal * NORMAL), *cross(point, WORLD_AXES, MARK)]
        segments += arrow(point, limited(normal * (float(contact["normal_impulse"]) * scale), MAX_FORCE_ARROW))
    if r.has("road", "point", "normal") and r.has("tire", "longitudinal", "lateral"):
        road, tire = r.state("road"), r.state("tire")
        for i in r.on_road():
            row = solver["wheels"][i]
            for direction, impulse in ((tire["longitudinal"][i], row["longitudinal_impulse"]),
                                       (tire["lateral"][i], row["lateral_impulse"]),
                                       (road["normal"][i], row["limit_impulse"])):  # fmt: skip
                segments += arrow(road["point"][i], limited(direction * (float(impulse) * scale), MAX_FORCE_ARROW))
    return segments


@dataclass(frozen=True)
class Layer:
    """A layer of the debug drawing: label on screen, RGBA colour, function of a Reading that returns the lines."""

    label: str
    colour: tuple
    lines: Callable[[Reading], Any]


LAYERS = {
    "planes": Layer("Contact planes", (0.45, 0.75, 1.00, 0.9), planes),
    "travel": Layer("Suspension travel", (0.95, 0.95, 0.55, 0.9), travel),
    "suspension_forces": Layer("Suspension forces", (0.45, 0.95, 0.45, 1.0), suspension_forces),
    "longitudinal_forces": Layer("Longitudinal tire forces", (1.00, 0.55, 0.15, 1.0), longitudinal_forces),
    "lateral_forces": Layer("Lateral tire forces", (0.20, 0.85, 0.95, 1.0), lateral_forces),
    "grip": Layer("Friction circle", (0.80, 0.80, 0.85, 0.55), grip),
    "slip": Layer("Slip", (1.00, 0.30, 0.55, 1.0), slip),
    "centre_of_mass": Layer("Centre of mass", (1.00, 1.00, 1.00, 1.0), centre_of_mass),
    "hull": Layer("Collision hull", (0.65, 0.45, 1.00, 0.6), hull),
    "queries": Layer("Ground queries", (0.30, 0.55, 1.00, 0.7), queries),
    "rows": Layer("Contact impulses", (1.00, 0.20, 0.20, 1.0), rows),
}
