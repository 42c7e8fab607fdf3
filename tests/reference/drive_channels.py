"""Quantities compared after a step: a Channel per column of a recorded drive, with our values and the recorded ones."""

from dataclasses import dataclass

import numpy as np

from driving_sandbox.physics.gearbox.autobox import LONG_AGO
from driving_sandbox.physics.suspension.suspension import IN_AIR

FLT_MAX = float(np.finfo(np.float32).max)  # means unknown or never in the data
FLT_MIN = float(np.finfo(np.float32).tiny)  # means in the air in the data
EPSILON = float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Channel:
    """Our values and those of the data in our axes, [pairs, ...].

    Attributes:
        floor: smallest scale, or None for discrete values.
        wrap: period of an angle, None for other quantities.
        grain: float32 resolution of the numbers from which a change was computed, in the channel's unit.
    """

    name: str
    ours: np.ndarray
    theirs: np.ndarray
    floor: float | None
    wrap: float | None = None
    grain: float = 0.0

    @property
    def scale(self):
        """Largest recorded magnitude, but at least the floor; discrete values have no scale."""
        return max(float(np.abs(self.theirs).max(initial=0.0)), self.floor)


def channels(rig, before, states, rows):
    """All channels of rows; `states`: ours after the step to them, `before`: those of the rows before."""
    yield from _body_channels(rig, states, rows)
    yield from _wheel_channels(rig, states, rows)
    yield from _changes(rig, before, states, rows)


def _changes(rig, before, states, rows):
    """Changes of speeds in the step, which show wrong forces."""
    d, f, n = rig.drive, rig.imported.frame, rig.vehicle.wheel_count
    dt = d.doc["dt"]

    def change(name, ours, previous, data, floor):
        """A Channel of a change; floor: smallest scale of its rate, per second."""
        grain = 2.0 * EPSILON * float(np.abs(data).max())
        return Channel(name, ours - previous, data[rows] - data[rows - 1], floor * dt, grain=grain)

    velocity, spin = f.vector(d.of_body("vx", "vy", "vz")), f.direction(d.of_body("wx", "wy", "wz"))
    body, previous = states["body"], before["body"]
    yield change("velocity_change", body["velocity"], previous["velocity"], velocity, 9.81)
    yield change("spin_change", body["angular_velocity"], previous["angular_velocity"], spin, 10.0)
    wheel = (s["wheel"]["omega"][:, :n] for s in (states, before))
    yield change("omega_change", *wheel, d.of_wheels("omega")[:, rig.order], 10.0)
    if not rig.is_direct:
        engine = (s["engine"]["omega"] for s in (states, before))
        yield change("engine_change", *engine, d.of_body("engine_omega"), 10.0)


def _body_channels(rig, states, rows):
    """Channels of body, anti-roll bars, engine, clutch and gearbox."""
    d, f, body = rig.drive, rig.imported.frame, states["body"]
    yield Channel("position", body["position"], f.vector(d.of_body("px", "py", "pz")[rows]), 1.0)
    q = f.quaternion(d.of_body("qx", "qy", "qz", "qw")[rows])
    same = np.sign((q * body["orientation"]).sum(axis=1, keepdims=True))
    yield Channel("orientation", body["orientation"], q * same, 1.0)
    yield Channel("velocity", body["velocity"], f.vector(d.of_body("vx", "vy", "vz")[rows]), 1.0)
    yield Channel("angular_velocity", body["angular_velocity"], f.direction(d.of_body("wx", "wy", "wz")[rows]), 1.0)
    bars = f.torque(d.of_body("antiroll_tx", "antiroll_ty", "antiroll_tz")[rows])
    p = rig.vehicle.params["antiroll"][0]
    bar_force = d.of_wheels("jounce").max() * p["stiffness"]["values"][: p["stiffness"]["count"]].max(initial=0.0)
    yield Channel("antiroll_torque", states["antiroll"]["torque"], bars, max(1.0, float(bar_force)))  # arm of 1 m
    if rig.is_direct:
        return
    max_omega = max(1.0, float(d.of_body("engine_omega").max()))  # rad/s; the slip is a difference of such speeds
    for name, slot, key, floor in (
        ("engine_omega", "engine", "omega", 1.0), ("clutch_slip", "drivetrain", "clutch_slip", max_omega),
        ("clutch_normalised", "clutch", "normalised", 1.0), ("clutch_response", "clutch", "response", 1.0),
        ("throttle_response", "engine", "throttle", 1.0), ("gear_switch_time", "gearbox", "switch_time", 1.0),
        ("current_gear", "gearbox", "current_gear", None), ("target_gear", "gearbox", "target_gear", None),
        ("autobox_active", "autobox", "active", None),
    ):  # fmt: skip
        yield Channel(name, states[slot][key], d.of_body(name)[rows], floor)
    since = d.of_body("autobox_time_since_shift")[rows]
    since = np.where(since > FLT_MAX / 2, LONG_AGO, since)
    ours = np.minimum(states["autobox"]["time_since_shift"], LONG_AGO)
    never = since == LONG_AGO
    yield Channel("autobox_never", ours == LONG_AGO, never, None)
    yield Channel("autobox_time", np.where(never, 0.0, ours), np.where(never, 0.0, since), 1.0)
    count = states["groups"]["group"][:, : rig.vehicle.wheel_count].max(axis=1) + 1
    yield Channel("nb_constraint_groups", count, d.of_body("nb_constraint_groups")[rows], None)


def _wheel_channels(rig, states, rows):
    """Channels of the wheels, in our order."""
    d, f, n = rig.drive, rig.imported.frame, rig.vehicle.wheel_count

    def data(*names):
        return d.of_wheels(*names)[rows][:, rig.order]

    def ours(slot, key):
        return states[slot][key][:, :n]

    load = max(1.0, float(d.of_wheels("tire_load").max()))  # N, the scale of tire forces
    arm = max(float(np.abs(rig.vehicle.params["wheel"]["radius"][0][:n]).max()), 0.1)
    gap = data("separation")
    air = gap == FLT_MIN
    separation = ours("suspension", "separation")
    yield Channel("in_air", separation == IN_AIR, air, None)
    yield Channel("separation", np.where(separation == IN_AIR, 0.0, separation), np.where(air, 0.0, gap), 0.1)
    columns = [
        ("jounce", "suspension", "jounce", 0.1), ("jounce_speed", "suspension", "jounce_speed", 1.0),
        ("omega", "wheel", "omega", 1.0), ("corrected_omega", "wheel", "corrected_omega", 1.0),
        ("steer_angle", "steering", "angle", 0.1), ("brake_torque", "brakes", "torque", 1.0),
        ("is_brake_applied", "actuation", "brake_applied", None),
        ("is_drive_applied", "actuation", "drive_applied", None),
        ("lng_slip", "tire", "longitudinal_slip", 0.1), ("lng_speed", "tire", "longitudinal_speed", 1.0),
        ("camber_angle", "tire", "camber", 0.1), ("tire_load", "tire", "load", load),
        ("tire_friction", "tire", "friction", 1.0), ("susp_normal_force", "suspension", "force", load),
        ("wheel_torque", "tire", "wheel_torque", load * arm),
        ("compliance_toe", "compliance", "toe", 0.1), ("compliance_camber", "compliance", "camber", 0.1),
    ]  # fmt: skip
    if rig.is_direct:
        columns.append(("direct_drive_torque", "direct_drive", "torque", 1.0))
    else:
        columns += [
            ("diff_torque_ratio", "differential", "torque_ratio", 1.0),
            ("diff_ave_speed", "differential", "speed_ratio", 1.0),
            ("constraint_group", "groups", "group", None), ("constraint_multiplier", "groups", "multiplier", 1.0),
        ]  # fmt: skip
    for name, slot, key, floor in columns:
        yield Channel(name, ours(slot, key), data(name), floor)
    yield Channel("rotation_angle", ours("wheel", "rotation_angle"), data("rotation_angle"), 2 * np.pi, 2 * np.pi)
    yield Channel("lat_speed", -ours("tire", "lateral_speed"), data("lat_speed"), 1.0)
    yield Channel("lat_slip", -ours("tire", "lateral_slip"), data("lat_slip"), 0.1)
    yield Channel("aligning_moment", -ours("tire", "aligning_moment"), data("aligning_moment"), load)
    longitudinal, lateral = ours("tire", "longitudinal"), ours("tire", "lateral")
    yield Channel("lng_dir", longitudinal, f.direction(data("lng_dir_x", "lng_dir_y", "lng_dir_z")), 1.0)
    yield Channel("lat_dir", -lateral, f.direction(data("lat_dir_x", "lat_dir_y", "lat_dir_z")), 1.0)
    for name, force in (
        ("lng_force", longitudinal * ours("tire", "longitudinal_force")[..., None]),
        ("lat_force", lateral * ours("tire", "lateral_force")[..., None]),
        ("susp_force", ours("suspension", "force_vector")),
    ):
        yield Channel(name, force, f.vector(data(f"{name}_x", f"{name}_y", f"{name}_z")), load)


def relative(channel, ours, theirs):
    """Largest difference per pair in units of the channel's scale; infinite for a discrete difference."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    difference = np.abs(ours - theirs)
    if channel.floor is None:
        result = np.where(difference > 0, np.inf, 0.0)
    else:
        if channel.wrap:
            difference = np.minimum(difference, np.abs(channel.wrap - difference))
        result = difference / channel.scale
    result = np.where(np.isnan(result), np.inf, result)
    return result.reshape(len(result), -1).max(axis=1)
