"""Every parameter of two driven vehicles has an effect on their path.

Each field is changed alone (or with others that make it effective, see NEEDS), and two scripted drives, which use all
commands, are simulated until the body's path differs from the unchanged vehicle's. Fields of wheels are tried on one
wheel only. Derived and visual fields are left out. Fields that act between a vehicle and its trailer or at walls only,
or on parts that the vehicle lacks, are expected to have no effect.
"""

import fnmatch
import math

import numpy as np
import pytest
from drive_rig import Drive, field_ground
from plain_tires import on_plain_tires

from driving_sandbox.physics.ground.arrays import RAYCAST_HIDDEN
from driving_sandbox.physics.schema.schema import (
    Bool,
    Choice,
    Curve,
    Floats,
    Int,
    Quat,
    ResponseTable,
    Vec3,
    VecCurve,
    WheelRef,
    Words,
)
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST, NEUTRAL, REVERSE

CHUNK = 0.2  # s, time between comparisons
MIN_DIFFERENCE = 1e-6  # m, between positions of the body; with equal parameters they are bit-identical

THIRD = FIRST + 2
CALM_DRIVE = [  # (seconds, command): analog as from a gamepad, unless `digital` as from keys
    (0.6, {"handbrake": 1.0}),
    (0.6, {"throttle": 0.25}),
    (0.8, {"throttle": 1.0}),
    (0.4, {"throttle": 0.8, "steer": 0.5}),
    (0.4, {"throttle": 0.8, "steer": -0.5}),
    (0.3, {"brake": 0.5}),
    (0.3, {"handbrake": 0.6, "steer": 0.2}),
    (1.2, {"digital": 1, "throttle": 1.0}),
    (0.3, {"digital": 1, "throttle": 1.0, "steer": 1.0}),
    (0.4, {"digital": 1, "throttle": 1.0, "steer": -1.0}),
    (0.3, {"digital": 1, "brake": 1.0}),
    (0.2, {"digital": 1, "handbrake": 1.0}),
    (3.5, {"throttle": 1.0}),
    (0.5, {"throttle": 0.8, "clutch": 0.7}),
    (0.5, {"throttle": 0.8}),
    (0.4, {"digital": 1, "throttle": 1.0, "clutch": 1.0}),
    (0.6, {"digital": 1, "throttle": 1.0}),
    (0.6, {"digital": 1, "throttle": 1.0, "gear": THIRD}),
    (1.4, {"throttle": 1.0}),
    (1.2, {"brake": 0.6}),
    (1.2, {"throttle": 1.0}),
    (0.6, {"digital": 1, "handbrake": 1.0, "steer": -0.3, "gear": THIRD}),
    (0.3, {"digital": 1, "gear": THIRD}),
    (2.6, {"brake": 1.0}),
    (0.8, {"gear": NEUTRAL, "clutch": 1.0}),
    (1.6, {"throttle": 0.8, "gear": REVERSE, "steer": 0.4}),
    (1.6, {"brake": 0.6, "handbrake": 1.0}),
    (1.2, {"gear": NEUTRAL}),
]
# jumps and landings on the hull at full throttle, then a bend and a stop
WILD_DRIVE = [
    (15.0, {"throttle": 1.0}),
    (2.0, {"steer": 0.2}),
    (2.0, {"brake": 1.0}),
]


def height(x, y):
    """A slope at the start, jump ramps with a ridge behind each for the hull, and a cross slope to the right."""
    start = np.interp(y, [-60.0, 20.0, 30.0], [-8.0, 0.0, 0.0])
    along = np.where(y > 240.0, np.mod(y - 240.0, 45.0), 0.0)  # m from the start of a ramp; they repeat every 45 m
    ramp = np.interp(along, [0.0, 7.0, 7.5], [0.0, 1.1, 0.0])
    ridge = np.interp(along, [24.0, 24.5, 25.5, 26.0], [0.0, 0.4, 0.4, 0.0])
    return start + ramp + ridge - 0.04 * x


ALL_WHEELS_DRIVEN = {f"differential.{w}.torque_ratio": 0.25 for w in ("fl", "fr", "rl", "rr")}
SLIP_LIMITS = {**ALL_WHEELS_DRIVEN, **{f"limited_slip.{a}_bias": 1.3 for a in ("front", "rear", "center")},
               **{f"limited_slip.{a}_target": 1.15 for a in ("front", "rear", "center")}}  # fmt: skip
REAR_STEERING = {"steering.rl.max_angle": -0.2, "steering.rr.max_angle": -0.2, "ackermann_second.left": 2,
                 "ackermann_second.right": 3, "ackermann_second.strength": 0.8,
                 "ackermann_second.wheelbase": -2.3}  # fmt: skip

NEEDS = {  # pattern of paths: values for which the field has an effect
    "body.box_size": {"body.principal_inertia": [0.0, 0.0, 0.0]},
    "limited_slip.center_*": SLIP_LIMITS,
    "limited_slip.*": {k: v for k, v in SLIP_LIMITS.items() if "center" not in k},
    "ackermann_second.*": REAR_STEERING,
    "drivetrain.estimate_iterations": {"drivetrain.accuracy": "estimate"},
    "contact.mass_from": {"contact.part_mass": [1200.0]},
    "contact.part_mass": {"contact.mass_from": "model", "contact.part_mass": [1000.0]},
    "contact.longitudinal_time": {f"tire.{w}.rolling_resistance": 0.0 for w in ("fl", "fr", "rl", "rr")},
    "road.*.tire_material": {"road.fr.friction_rule": "mean"},
    "wheel.*.half_width": {f"suspension.{w}.jounce_query": "sweep" for w in ("fl", "fr", "rl", "rr")},
}
CHANGES = {  # pattern of paths: value to try, for fields where the general rules of `changed` would have no effect
    "limited_slip.rate": 5.0,
    "limited_slip.*_target": 1.05,
    "engine.idle_omega": 100.0,
    "limited_slip.front_left": 2,
    "limited_slip.front_right": 3,
    "limited_slip.rear_left": 0,
    "limited_slip.rear_right": 1,
    "ackermann.left": 2,
    "ackermann.right": 3,
    "ackermann_second.left": 0,
    "ackermann_second.right": 1,
    "antiroll.wheel_a": [0.0, 0.0],
    "antiroll.wheel_b": [1.0, 2.0],
    "gearbox.neutral_gear": 2,
    "autobox.standstill_speed": 20.0,  # above the speed of every downshift
    "drivetrain.estimate_iterations": 1,
    "contact.part_flags": [2.0],
    "contact.part_excluded": [1.0],
    "contact.part_mass": [1200.0],
    "contact.part_zoffset": [0.1],
    "contact.restitution": 0.7,
    "contact.limit_restitution": 0.8,
    "contact.longitudinal_speed": 0.6,
    "contact.lateral_speed": 0.02,
    "contact.longitudinal_time": 1.5,
    "contact.lateral_time": 1.5,
    "input.analog_*": 2.0,
    "road.*.min_friction": 1.5,
    "road.*.max_friction": 0.5,
    "tire.*.rest_load": 2500.0,
    "suspension.*.direction": [0.05, 0.1, -1.0],
    "*.torque_ratio": 0.2,
    "*.handbrake_torque": 700.0,
}
TOGETHER = {  # path: all values to set, in place of NEEDS and CHANGES, for fields that cannot be changed alone
    "suspension.fr.sprung_mass": {f"suspension.{w}.sprung_mass": 300.0 for w in ("fl", "fr", "rl", "rr")},
    "gearbox.neutral_gear": {"gearbox.neutral_gear": 2,
                             "gearbox.ratios": [-4.0, -3.758, 0.0, 3.136, 1.888, 1.33, 1.0]},
    "body.principal_inertia": {"body.principal_inertia": [1500.0, 400.0, 1600.0]},
}  # fmt: skip


def within(field, value):
    """A number clamped to the field's limits."""
    for limit, bound, step in ((field.gt, max, 1e-6), (field.ge, max, 0.0), (field.lt, min, -1e-6), (field.le, min, 0)):
        if limit is not None:
            value = bound(value, limit + step)
    return value


def changed_number(field, value):
    """Another number within the limits: 30 % larger or smaller, or, for 0, a number in the suggested range."""
    if value == 0.0:
        low, high = field.suggest or (0.0, 0.2)
        return within(field, 0.75 * low + 0.25 * high or 0.1 * high)
    moved = within(field, value * 1.3)
    return moved if moved != value else within(field, value * 0.7)


def changed(parameter, value):
    """Another valid value of a parameter."""
    field, kind = parameter.field, parameter.field.kind
    for pattern, other_value in CHANGES.items():
        if fnmatch.fnmatch(parameter.path, pattern):
            return other_value
    if isinstance(kind, Bool):
        return not value
    if isinstance(kind, Choice):
        return kind.options[(kind.options.index(value) + 1) % len(kind.options)]
    if isinstance(kind, Int | WheelRef):
        return value + 1
    if isinstance(kind, Vec3):
        return [within(field, c * 1.1 + 0.04) for c in value]
    if isinstance(kind, Quat):
        return [0.0, math.sin(0.02), 0.0, math.cos(0.02)]
    if isinstance(kind, Floats):
        return [within(field, 0.85 * v) for v in value]
    if isinstance(kind, Words):
        return [kind.options[-1]]
    if isinstance(kind, Curve):
        return [[x, within(field, 0.8 * y)] for x, y in value] or [[0.0, 0.02], [1.0, 0.03]]
    if isinstance(kind, VecCurve):
        return [[x, [v[0] + 0.05, v[1] + 0.05, v[2] + 0.05]] for x, v in value] or [[0.0, [0.0, 0.1, -0.1]]]
    if isinstance(kind, ResponseTable):
        rows = [[c, [[s, 0.8 * r] for s, r in points]] for c, points in value]
        return rows or [[0.0, [[0.0, 0.0]]], [1.0, [[0.0, 0.9], [10.0, 0.5]]]]
    return changed_number(field, value)


class EffectDrive:
    """A vehicle, its drives, and the paths of the unchanged vehicle for comparison."""

    def __init__(self, vehicle):
        self.drive = Drive(vehicle, field_ground(height, half_size=512.0), position=(0.0, 0.0), smooth=False)
        # all bits except bit 0: only wheels with raycast filter 0 hit the ground, so that the filter has an effect
        self.drive.ground.arrays.surfaces[:, RAYCAST_HIDDEN] = -2
        vehicle = self.drive.vehicle
        forward = AUTOMATIC if "autobox" in vehicle.sequence.by_slot else FIRST
        self.drives = [self.commands(part, forward) for part in (CALM_DRIVE, WILD_DRIVE)]
        self.start = vehicle.snapshot()
        self.params = vehicle.params.copy()
        self.paths = {}

    def commands(self, script, forward):
        """COMMAND records of every tick of a script, with the gear `forward` unless it gives one."""
        parts = [self.drive.commands(round(s / self.drive.dt), **{"gear": forward, **c}) for s, c in script]
        return np.concatenate(parts)

    def chunks(self, values):
        """Positions of the body, m, every CHUNK seconds of both drives with some values."""
        vehicle, size = self.drive.vehicle, round(CHUNK / self.drive.dt)
        vehicle.restore(self.start)
        try:
            vehicle.set_many(values)
            for commands in self.drives:
                vehicle.restore(self.start)
                for first in range(0, len(commands), size):
                    self.drive.ticks(commands[first : first + size])
                    yield self.drive.body("position")
        finally:
            vehicle.params[:] = self.params

    def base_path(self, values):
        """The path with these values, computed once."""
        key = repr(sorted(values.items()))
        if key not in self.paths:
            self.paths[key] = list(self.chunks(values))
        return self.paths[key]

    def has_effect(self, parameter):
        """Whether the path differs from the unchanged vehicle's."""
        needs = next((v for k, v in NEEDS.items() if fnmatch.fnmatch(parameter.path, k)), {})
        needs = {k: v for k, v in needs.items() if k in self.drive.vehicle._parameters}
        before = needs.get(parameter.path, self.drive.vehicle.get(parameter.path))
        value = changed(parameter, before)
        assert value != before, f"{parameter.path}: no other value found"
        values = TOGETHER.get(parameter.path, {**needs, parameter.path: value})
        pairs = zip(self.base_path(needs), self.chunks(values), strict=True)
        return any(np.abs(old - new).max() > MIN_DIFFERENCE for old, new in pairs)


CLUTCH_FIELDS = ("input.clutch_rise", "input.clutch_fall", "input.analog_clutch_rise", "input.analog_clutch_fall")
TRAILER_OR_WALL_FIELDS = (  # fields that act between a vehicle and its trailer or at walls only; tested elsewhere
    "contact.hitch_front", "contact.hitch_limit", "contact.hitch_rear", "contact.hitch_roll", "contact.wheels_touch",
)  # fmt: skip


def fields_without_effect(name, min_count):
    """Paths of a vehicle's fields without effect. At least `min_count` fields must have been tried."""
    rig = EffectDrive(on_plain_tires(name))
    base = np.array(rig.base_path({}))
    assert np.array_equal(base, list(rig.chunks({}))), "the same drive gives another path"
    tried = [p for p in rig.drive.vehicle.parameters()
              if not p.field.derived and not p.field.visual and p.wheel in (None, 1)]  # fmt: skip
    assert len(tried) > min_count
    return [p.path for p in tried if not rig.has_effect(p)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("roadster_simple", TRAILER_OR_WALL_FIELDS), ("buggy", (*TRAILER_OR_WALL_FIELDS, *CLUTCH_FIELDS))],
)
def test_every_field_changes_the_drive(name, expected):
    """expected: fields without effect, as the drive has no trailer or wall, or the vehicle lacks the part."""
    without_effect = fields_without_effect(name, min_count=80)
    assert sorted(without_effect) == sorted(expected)
