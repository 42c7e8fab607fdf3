"""Wheels of a FRAME: speed, slip, load and used friction at the contact patch, and the ground under it; tracks."""

import math
from typing import Any

from driving_sandbox.physics.ground.arrays import (
    JOINT_DEPTH,
    JOINT_SPACING,
    JOINT_WIDTH,
    ROUGHNESS_AMPLITUDE,
    ROUGHNESS_WAVELENGTH,
)
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.tank.levers import LEFT
from driving_sandbox.sound.state.path import gather_path, since_last
from driving_sandbox.sound.state.words import MISSING

LEAST_FORCE = 1.0  # N, least divisor of the used friction: a wheel may have no load


@kernel
def gather_wheels(
    frame: Any, memory: Any, state: Any, state_int: Any, params: Any, scratch_int: Any, layout: Any, kinds: Any,
    wetness: Any, surfaces: Any, dt: float, tick: int, complete: int,
) -> None:  # fmt: skip
    """Set the fields of every wheel.

    Args:
        kinds: int64[surfaces + 1], kind of ground of a surface id; the last is that of a model without ground.
        wetness: float64[surfaces + 1], 0..1, of the same.
        surfaces: rows of the surfaces, as the physics reads them (physics/ground/arrays.py).
        dt, tick, complete: as in `fill_frame`.
    """
    seconds = since_last(memory, dt, tick, complete)
    frame.wheel_count = layout.wheel_count
    for i in range(layout.wheel_count):
        gather_patch(frame, i, state, params, layout)
        frame.road_height[i] = height_of_road(i, state, params, layout)
        surface = len(kinds) - 1
        if layout.surface != MISSING:
            surface = state_int[layout.surface + i * layout.road_stride]
        if 0 <= surface < len(kinds):  # else in the air: the ground that it was last on
            memory.surface[i] = kinds[surface]
            memory.wetness[i] = wetness[surface]
        gather_unevenness(frame, i, state, state_int, params, layout, surface, surfaces)
        if complete == 1:
            on_edge = layout.on_edge != MISSING and scratch_int[layout.on_edge + i] == 1
            gather_path(frame, i, memory, seconds, dt, state, params, layout, surface, on_edge)
        frame.surface[i] = memory.surface[i]
        frame.wetness[i] = memory.wetness[i]


@kernel
def gather_patch(frame: Any, i: int, state: Any, params: Any, layout: Any) -> None:
    """Set speeds, load and used friction of wheel i."""
    tire = i * layout.tire_stride
    along, across = state[layout.along + tire], state[layout.across + tire]
    rim = state[layout.rim + i * layout.rim_stride] * params[layout.radius + i * layout.radius_stride]
    load = max(0.0, state[layout.load + tire])
    force_along, force_across = state[layout.force_along + tire], state[layout.force_across + tire]
    limit = state[layout.friction + tire] * load
    frame.wheel_speed[i] = math.sqrt(along * along + across * across)
    frame.slip_speed[i] = math.sqrt(across * across + (rim - along) * (rim - along))
    frame.wheel_load[i] = load
    used = math.sqrt(force_along * force_along + force_across * force_across) / max(limit, LEAST_FORCE)
    frame.used_friction[i] = min(1.0, used)


@kernel
def height_of_road(i: int, state: Any, params: Any, layout: Any) -> float:
    """Height of the centre of wheel i, m, if it were rigid and stood on the ground where the road's query found it.

    On an edge the ground's normal is tilted, so that the height rises steadily as the wheel rolls over it. 0 without a
    query.
    """
    if layout.road_point == MISSING:
        return 0.0
    road, radius = i * layout.road_stride, params[layout.radius + i * layout.radius_stride]
    return state[layout.road_point + road + 2] + radius * state[layout.road_normal + road + 2]


@kernel
def gather_unevenness(
    frame: Any, i: int, state: Any, state_int: Any, params: Any, layout: Any, surface: int, surfaces: Any
) -> None:
    """Set the contact point of wheel i, roughness and joints of the ground there: none in the air or on a moving body.

    surface: row of `surfaces`, or another number in the air.
    """
    frame.contact_x[i] = frame.contact_y[i] = frame.roughness[i] = frame.joint_depth[i] = 0.0
    if layout.road_point == MISSING or layout.roughness == MISSING:
        return
    road = i * layout.road_stride
    frame.contact_x[i], frame.contact_y[i] = state[layout.road_point + road], state[layout.road_point + road + 1]
    if 0 <= surface < len(surfaces) and state_int[layout.road_body + road] == 0:
        factor = params[layout.roughness + i * layout.roughness_stride]
        frame.roughness[i] = factor * surfaces[surface, ROUGHNESS_AMPLITUDE]
        frame.roughness_length[i] = surfaces[surface, ROUGHNESS_WAVELENGTH]
        frame.joint_depth[i] = factor * surfaces[surface, JOINT_DEPTH]
        frame.joint_width[i], frame.joint_spacing[i] = surfaces[surface, JOINT_WIDTH], surfaces[surface, JOINT_SPACING]


@kernel
def gather_tracks(frame: Any, state: Any, params: Any, params_int: Any, layout: Any) -> None:
    """Set speed and load of the tracks of each side; all wheels of a track have the same speed at their rim."""
    frame.track_speed[:] = 0.0
    frame.track_load[:] = 0.0
    if layout.track == MISSING:
        return
    for i in range(layout.wheel_count):
        if params_int[layout.track + i * layout.track_stride] == 0:
            continue
        side = 0 if params_int[layout.lever + i * layout.track_stride] == LEFT else 1
        rim = state[layout.rim + i * layout.rim_stride] * params[layout.radius + i * layout.radius_stride]
        frame.track_speed[side] = max(frame.track_speed[side], abs(rim))
        frame.track_load[side] += frame.wheel_load[i]
