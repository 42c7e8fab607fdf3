"""Where the numbers of a vehicle's state, parameters and working memory lie, as indices of words of 8 bytes.

Vehicles differ in the components of their slots, so their records differ in type, and a kernel of records would have to
be compiled for each. Every number of the records is an aligned word of 8 bytes, though: seen as arrays of words, all
vehicles have one type, and one kernel reads all. `layout_of` finds the words of a vehicle once; MISSING marks those
that it lacks.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_of
from driving_sandbox.physics.drivetrain.clutch import CLUTCH
from driving_sandbox.physics.drivetrain.friction_clutch import FRICTION_CLUTCH
from driving_sandbox.physics.gearbox.timed_gearbox import TIMED_GEARBOX
from driving_sandbox.physics.tick.component import phases_of
from driving_sandbox.physics.vehicle.vehicle import Vehicle

WORD = 8  # bytes
MISSING = -1
PEDAL_CLUTCHES = (CLUTCH.name, FRICTION_CLUTCH.name)  # they do not open by themselves for a change of gear

# name in LAYOUT: (slot, fields from the outermost inwards); the first that the vehicle has counts. A per-wheel slot
# gives the word of the first wheel, an array that of its first element.
STATE = {
    "omega": [("engine", "omega")],
    "throttle": [("engine", "throttle"), ("response", "throttle")],
    "torque": [("engine", "torque")],
    "boost": [("engine", "boost")],
    "running": [("engine", "running")],
    "limited": [("engine", "limited")],
    "cranking": [("engine", "cranking")],
    "gear": [("gearbox", "current_gear")],
    "target_gear": [("gearbox", "target_gear")],
    "pedal": [("input", "clutch")],
    "selector": [("input", "gear")],
    "brake": [("response", "brake"), ("input", "brake")],
    "ram": [("suspension", "ram")],
    "clutch_torque": [("drivetrain", "clutch_torque")],
    "torque_share": [("differential", "torque_ratio")],
    "speed_share": [("differential", "speed_ratio")],
    "motor_torque": [("direct_drive", "torque")],
    "position": [("body", "position")],
    "orientation": [("body", "orientation")],
    "velocity": [("body", "velocity")],
    "spin": [("body", "angular_velocity")],
    "rim": [("wheel", "omega")],
    "along": [("tire", "longitudinal_speed")],
    "across": [("tire", "lateral_speed")],
    "load": [("tire", "load")],
    "friction": [("tire", "friction")],
    "force_along": [("tire", "longitudinal_force")],
    "force_across": [("tire", "lateral_force")],
    "surface": [("road", "surface")],
    "road_point": [("road", "point")],
    "road_normal": [("road", "normal")],
    "road_body": [("road", "body")],
    "sweep_age": [("road", "sweep_age")],
    "contact_count": [("contact", "solver", "contact_count")],
    "anchor": [("contact", "solver", "contacts", "anchor")],
    "normal": [("contact", "solver", "contacts", "normal")],
    "contact_impulse": [("contact", "solver", "contacts", "tick_impulse")],
}
PARAMETERS = {
    "idle_omega": [("engine", "idle_omega"), ("engine", "floor_omega")],
    "max_omega": [("engine", "max_omega")],
    "peak_torque": [("engine", "peak_torque")],
    "curve_count": [("engine", "torque_curve", "count"), ("engine", "used_table", "count")],
    "curve_x": [("engine", "torque_curve", "x"), ("engine", "used_table", "x")],
    "curve_y": [("engine", "torque_curve", "y"), ("engine", "used_table", "y")],
    "natural_share": [("engine", "natural_share")],
    "rated_boost": [("engine", "rated_boost")],
    "wastegate_boost": [("engine", "wastegate_boost")],
    "drag": [("engine", "damping_zero_throttle_clutch_engaged"), ("engine", "braking")],
    "dry_drag": [("engine", "friction")],
    "ratio_count": [("gearbox", "ratios", "count")],
    "ratios": [("gearbox", "ratios", "values")],
    "neutral_gear": [("gearbox", "neutral_gear")],
    "final_ratio": [("gearbox", "final_ratio")],
    "free_shifting": [("gearbox", "free_shifting")],
    "track": [("differential", "track")],
    "lever": [("differential", "lever")],
    "auto_omega": [("clutch", "auto_omega")],
    "motor_limit": [("direct_drive", "max_torque")],
    "radius": [("wheel", "radius")],
    "roughness": [("road", "roughness")],
    "wheel_mass": [("wheel", "mass")],
    "mass": [("body", "mass")],
}
SCRATCH = {  # working memory, which has what the substeps of a tick add up to or find
    "on_edge": [("road", "on_edge")],
    "limit_impulse": [("contact", "solver", "tick_limit_impulse")],
    "hub_stops": [("suspension", "stop_impulses")],
    "hub_newest": [("suspension", "stop_newest")],
    "hub_seconds": [("suspension", "stop_seconds")],
}
STRIDES = {  # words from one wheel or contact to the next; (array of the record, path to the repeated field)
    "differential_stride": ("state", ("differential",)),
    "track_stride": ("params", ("differential",)),
    "motor_stride": ("state", ("direct_drive",)),
    "motor_limit_stride": ("params", ("direct_drive",)),
    "rim_stride": ("state", ("wheel",)),
    "radius_stride": ("params", ("wheel",)),
    "roughness_stride": ("params", ("road",)),
    "ram_stride": ("state", ("suspension",)),
    "tire_stride": ("state", ("tire",)),
    "road_stride": ("state", ("road",)),
    "contact_stride": ("state", ("contact", "solver", "contacts")),
}
LAYOUT = np.dtype(
    [(name, np.int64) for name in (*STATE, *PARAMETERS, *SCRATCH, *STRIDES)]
    + [
        ("wheel_count", np.int64),
        ("electric", np.int64),  # 1: a motor, which neither idles nor burns
        ("axle_drive", np.int64),  # 1: one motor per wheel instead of an engine and a gearbox
        ("pedal_clutch", np.int64),  # 1: nothing but the driver's pedal opens the clutch for a change of gear
        ("curve_in_shares", np.int64),  # 1: the torque curve is of shares of the largest speed and torque
    ],
    align=True,
)


def layout_of(vehicle: Vehicle) -> np.ndarray:
    """LAYOUT array, length 1, of a vehicle."""
    layout = np.zeros(1, LAYOUT)
    sources: list[tuple[np.ndarray, dict[str, Any]]] = [
        (vehicle.state, STATE), (vehicle.params, PARAMETERS), (vehicle.scratch, SCRATCH),
    ]  # fmt: skip
    for array, paths in sources:
        for name, choices in paths.items():
            found = (word_of(array.dtype, path) for path in choices)
            layout[name] = next((word for word in found if word != MISSING), MISSING)
    for name, (record, path) in STRIDES.items():
        layout[name] = stride_of(getattr(vehicle, record).dtype, path)
    layout["wheel_count"] = vehicle.wheel_count
    phases = [(phase.component.slot, phase.phase) for phase in phases_of(vehicle.sequence.entries)]
    if ("contact", "generate") not in phases:  # it clears the sum at the start of a tick
        layout["limit_impulse"] = MISSING
    engine = vehicle.sequence.by_slot.get("engine")
    axle_drive = engine is None and "direct_drive" in vehicle.sequence.by_slot
    layout["axle_drive"] = axle_drive
    clutch = vehicle.sequence.by_slot.get("clutch")
    gearbox = vehicle.sequence.by_slot.get("gearbox")
    layout["pedal_clutch"] = (
        clutch is not None and clutch.name in PEDAL_CLUTCHES and gearbox is not None and gearbox is not TIMED_GEARBOX
    )
    layout["electric"] = axle_drive or (engine is not None and "regeneration" in engine.params.fields)
    layout["curve_in_shares"] = engine is not None and "torque_curve" in engine.params.fields
    return layout


def word_of(record: np.dtype, path: tuple[str, ...]) -> int:
    """Index of the word of a field of nested records, or of its first element; MISSING without such a field."""
    offset = 0
    for name in path:
        inner = record.base
        if inner.names is None or name not in inner.names:
            return MISSING
        record, start = field_of(inner, name)
        offset += start
    return offset // WORD


def stride_of(record: np.dtype, path: tuple[str, ...]) -> int:
    """Words from one element to the next of a repeated field of nested records; 0 without such a field."""
    for name in path:
        if record.base.names is None or name not in record.base.names:
            return 0
        record = field_of(record.base, name)[0]
    return record.base.itemsize // WORD


def words(array: np.ndarray, kind: Any) -> np.ndarray:
    """A length-1 record array as its words, seen as numbers of a type of 8 bytes."""
    return array.view(np.uint8).view(kind)
