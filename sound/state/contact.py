"""Impacts and scrapes of a FRAME: bodywork against the world, other vehicles and props, and suspension stops."""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.sound.state.words import MISSING

# m/s; times the vehicle's mass it is the rise of the impulse that counts as an impact. A car that settles stays below.
LEAST_CHANGE = 0.03
UNDERNEATH = 0.5  # cosine between the body's upward axis and a contact's normal, above which the underbody is hit

MEMORY = np.dtype(  # of the tick before
    [
        ("known", np.int64),  # 0: there was none, or a jump lies between
        ("hull", np.float64),  # N s, impulse of contacts with the world
        ("external", np.float64),  # N s, impulse of other vehicles and props
        ("stops", np.float64),  # N s, impulse of the suspension's stops
        ("gear_speed", np.float64),  # rad/s, of the gearbox's input shaft
        ("gear", np.int64),  # engaged
        ("engine_speed", np.float64),  # rad/s
        ("dog_speed", np.float64),  # rad/s, of the last gear that was forced in
        ("dog_time", np.float64),  # s for which that is still reported
        ("left_gear", np.int64),  # the last one engaged
        ("wanted_gear", np.int64),  # the one that is pushed, or neutral
        ("unsynchronised", np.float64),  # rad/s, by which the input shaft still differs from the gear that is pushed
        ("fall", np.float64),  # m/s, downwards
        ("in_air", np.int64, (WHEEL_CAPACITY,)),  # 1: the wheel had no load
        ("rams", np.float64, (WHEEL_CAPACITY,)),  # m, positions of the suspension's pistons
        ("surface", np.int64, (WHEEL_CAPACITY,)),  # kind of ground that the wheel was last on
        ("wetness", np.float64, (WHEEL_CAPACITY,)),  # of that ground, 0..1
        ("kept_impact", np.float64),  # N s, strongest one since the last complete frame
        ("kept_material", np.int64),  # its material
    ],
    align=True,
)


@kernel
def hull_contacts(frame: Any, state: Any, state_int: Any, layout: Any, dt: float) -> tuple[float, float]:
    """Set scrape speed and force; returns (sum of the normal impulses of the tick in N s, its share from below)."""
    q = words_quat(state, layout.orientation)
    up = quat.rotate(q, (0.0, 0.0, 1.0))
    v, w = words_vector(state, layout.velocity), words_vector(state, layout.spin)
    total, below, sliding = 0.0, 0.0, 0.0
    count = 0 if layout.contact_count == MISSING else state_int[layout.contact_count]
    for k in range(count):
        start = k * layout.contact_stride
        impulse = state[layout.contact_impulse + start]
        if impulse > 0.0:
            normal = words_vector(state, layout.normal + start)
            arm = quat.rotate(q, words_vector(state, layout.anchor + start))
            speed = vec3.add(v, vec3.cross(w, arm))
            tangent = vec3.add_scaled(speed, normal, -vec3.dot(speed, normal))
            total += impulse
            sliding += impulse * vec3.length(tangent)
            if vec3.dot(normal, up) > UNDERNEATH:
                below += impulse
    frame.scrape_force = total / dt
    frame.scrape_speed = sliding / total if total > 0.0 else 0.0
    return total, below / total if total > 0.0 else 0.0


@kernel
def stop_impulse(state: Any, layout: Any) -> float:
    """Sum of the impulses of the suspension's stops in the last substep, N s."""
    total = 0.0
    if layout.stop_impulse != MISSING:
        for i in range(layout.wheel_count):
            total += state[layout.stop_impulse + i * layout.stop_stride]
    return total


@kernel
def landing_impulse(frame: Any, memory: Any, params: Any, layout: Any) -> float:
    """Momentum of the wheels that touch the ground in this tick, N s: in the physics they have no motion of their own.

    Their speed is that at which the body fell before the tick.
    """
    total = 0.0
    if layout.wheel_mass != MISSING:
        for i in range(layout.wheel_count):
            in_air = 1 if frame.wheel_load[i] == 0.0 else 0
            if in_air == 0 and memory.in_air[i] == 1:
                total += params[layout.wheel_mass + i * layout.radius_stride] * max(0.0, memory.fall)
            memory.in_air[i] = in_air
    memory.fall = -frame.velocity[2]
    return total


@kernel
def ground_below(state_int: Any, layout: Any, otherwise: int) -> int:
    """Surface id under the first wheel that has ground below it; `otherwise` without any."""
    if layout.surface != MISSING:
        for i in range(layout.wheel_count):
            surface = state_int[layout.surface + i * layout.road_stride]
            if 0 <= surface < otherwise:
                return surface
    return otherwise


@kernel
def gather_contact(
    frame: Any, memory: Any, state: Any, state_int: Any, params: Any, layout: Any, external: Any, dt: float,
    struck: Any, stop_material: int,
) -> None:  # fmt: skip
    """Scrape, and the strongest impact of the tick; the frame's wheels and velocity are known. Call it last.

    Args:
        external: EXTERNAL record of the tick.
        struck: int64[surfaces + 1], material heard where the underbody hits a surface, then that of the bodywork.
        stop_material: material of the suspension's stops and of tires.
    """
    hull, from_below = hull_contacts(frame, state, state_int, layout, dt)
    pushed = vec3.length(vec3.add_scaled(vec3.load(external.impulse), vec3.load(external.force), dt))
    stops = stop_impulse(state, layout)
    soft = max(stops - memory.stops, landing_impulse(frame, memory, params, layout))
    rises = (hull - memory.hull, pushed - memory.external, soft)
    memory.hull, memory.external, memory.stops = hull, pushed, stops
    frame.impact = max(rises[0], max(rises[1], rises[2]))
    bodywork = len(struck) - 1
    frame.impact_material = struck[bodywork]
    if rises[0] >= frame.impact and from_below > 0.5:
        frame.impact_material = struck[ground_below(state_int, layout, bodywork)]
    elif rises[2] >= frame.impact:
        frame.impact_material = stop_material
    if frame.impact < LEAST_CHANGE * params[layout.mass] or memory.known == 0:
        frame.impact = 0.0
    memory.known = 1


@kernel
def keep_impact(frame: Any, memory: Any, complete: int) -> None:
    """Give a complete frame the strongest impact since the one before; `complete`: 0 or 1."""
    if complete == 0 or memory.kept_impact > 0.0:
        if frame.impact > memory.kept_impact:
            memory.kept_impact, memory.kept_material = frame.impact, frame.impact_material
        if complete == 1:
            frame.impact, frame.impact_material = memory.kept_impact, memory.kept_material
            memory.kept_impact = 0.0


@kernel
def words_vector(numbers: Any, word: int) -> tuple[float, float, float]:
    """The vector at a word."""
    return (numbers[word], numbers[word + 1], numbers[word + 2])


@kernel
def words_quat(numbers: Any, word: int) -> tuple[float, float, float, float]:
    """The quaternion at a word."""
    return (numbers[word], numbers[word + 1], numbers[word + 2], numbers[word + 3])
