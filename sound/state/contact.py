"""Impacts and scrapes of a FRAME: bodywork against the world, other vehicles and props, and suspension stops.

What is struck: the surface of the strongest contact with the world, or the prop that touches hardest (touch.py). Other
vehicles, and props that have a slot of the scene, ring by themselves.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.contact.chosen import next_chosen
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.physics.suspension.hub_system import STOPS
from driving_sandbox.sound.body.materials import NOTHING, OWN
from driving_sandbox.sound.state.path import PATH
from driving_sandbox.sound.state.touch import KEPT, rise_of
from driving_sandbox.sound.state.words import MISSING

# m/s; times the vehicle's mass it is the rise of the impulse that counts as an impact. A car that settles stays below.
LEAST_CHANGE = 0.03
LEAST_TOUCH = 3.0  # N s, rise of the impulses of props that counts as an impact; a crate on the bonnet stays below

MEMORY = np.dtype(  # what the gathering of frames keeps from one tick to the next
    [
        ("known", np.int64),  # 0: there was none, or a jump lies between
        ("hull", np.float64),  # N s, impulse of contacts with the world
        ("external", np.float64),  # N s, impulse of other vehicles and props
        ("stops", np.float64),  # N s, impulse of the suspension's stops
        ("gear_speed", np.float64),  # rad/s, of the gearbox's input shaft
        ("gear", np.int64),  # engaged
        ("engine_speed", np.float64),  # rad/s
        ("crank_speed", np.float64),  # rad/s, FRAME.engine_speed
        ("crank_angle", np.float64),  # rad, FRAME.crank_angle
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
        *PATH,
        *KEPT,
    ],
    align=True,
)


@kernel
def hull_contacts(
    state: Any, state_int: Any, layout: Any, candidates: Any, struck: Any
) -> tuple[float, float, int]:  # fmt: skip
    """Contacts of the bodywork with the world: (sum of their normal impulses in the tick, sum of these times the speeds
    of sliding, material of the strongest one).
    """
    q = words_quat(state, layout.orientation)
    v, w = words_vector(state, layout.velocity), words_vector(state, layout.spin)
    total, sliding, strongest, material, chosen = 0.0, 0.0, 0.0, NOTHING, -1
    count = 0 if layout.contact_count == MISSING else state_int[layout.contact_count]
    for k in range(count):
        start, chosen = k * layout.contact_stride, next_chosen(candidates, chosen + 1)
        impulse = state[layout.contact_impulse + start]
        if impulse > 0.0:
            normal = words_vector(state, layout.normal + start)
            arm = quat.rotate(q, words_vector(state, layout.anchor + start))
            speed = vec3.add(v, vec3.cross(w, arm))
            tangent = vec3.add_scaled(speed, normal, -vec3.dot(speed, normal))
            total += impulse
            sliding += impulse * vec3.length(tangent)
            if impulse > strongest and chosen < len(candidates):
                strongest = impulse
                surface = candidates[chosen].surface
                material = struck[surface if 0 <= surface < len(struck) else len(struck) - 1]
    return total, sliding, material


@kernel
def set_scrape(frame: Any, hull: float, sliding: float, material: int, touch: Any, tick: int, dt: float) -> None:
    """Set the scrape of a frame of the tick `tick`.

    hull, sliding, material: as from `hull_contacts`. touch: TOUCH; props and vehicles count if they touch in this tick.
    """
    total, rolling = hull, 0.0
    if touch.tick == tick:
        total, sliding, rolling = total + touch.impulse, sliding + touch.sliding, touch.rolling
    if touch.rub_tick == tick:
        total, sliding = total + touch.rub_impulse, sliding + touch.rub_sliding
    frame.scrape_force = total / dt
    frame.scrape_speed = sliding / total if total > 0.0 else 0.0
    frame.roll_speed = rolling / total if total > 0.0 else 0.0
    frame.scraped_material = material


@kernel
def stop_impulse(scratch: Any, scratch_int: Any, layout: Any, dt: float) -> float:
    """Sum of the impulses of the suspension's stops in a tick of length dt, N s: limits of the solver, ends of hubs."""
    total = 0.0
    if layout.limit_impulse != MISSING:
        total += scratch[layout.limit_impulse]
    if layout.hub_stops != MISSING and scratch[layout.hub_seconds] > 0.0:
        count = min(STOPS, round(dt / scratch[layout.hub_seconds]))
        for k in range(count):
            total += scratch[layout.hub_stops + (scratch_int[layout.hub_newest] - k) % STOPS]
    return total


@kernel
def landing_impulse(frame: Any, memory: Any, params: Any, layout: Any) -> float:
    """Momentum of the wheels that come down in this tick, N s.

    Their speed is that at which the body fell before the tick: in most suspensions they have no motion of their own,
    and that of hubs with mass differs little from it in a fall. Notes which wheels are in the air, for the next tick.
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
def gather_contact(
    frame: Any, memory: Any, state: Any, state_int: Any, params: Any, layout: Any, external: Any, dt: float,
    candidates: Any, struck: Any, touch: Any, tick: int, stops: float, stop_material: int,
) -> None:  # fmt: skip
    """Set scrape and strongest impact of the tick. Call it last: it needs the frame's wheels and velocity.

    Args:
        external: EXTERNAL record of the tick.
        candidates: CANDIDATE[n] of the tick's contacts with the world.
        struck: int64[surfaces + 1], material of every surface, then NOTHING.
        touch: TOUCH of the vehicle; what in it is of this `tick` counts.
        stops: N s, from `stop_impulse`.
        stop_material: material of the suspension's stops and of tires.
    """
    hull, sliding, material = hull_contacts(state, state_int, layout, candidates, struck)
    set_scrape(frame, hull, sliding, material, touch, tick, dt)
    pushed = vec3.length(vec3.add_scaled(vec3.load(external.impulse), vec3.load(external.force), dt))
    soft = max(stops - memory.stops, landing_impulse(frame, memory, params, layout))
    by_world, by_others = hull - memory.hull, pushed - memory.external  # others: vehicles and props
    by_prop = rise_of(touch, tick, LEAST_TOUCH)
    memory.hull, memory.external, memory.stops = hull, pushed, stops
    frame.impact = max(by_world, max(by_others, soft))
    if frame.impact < LEAST_CHANGE * params[layout.mass]:
        frame.impact = 0.0
    frame.impact = max(frame.impact, by_prop)
    frame.impact_material, frame.struck_material, frame.struck_rings = OWN, NOTHING, 0
    if by_prop > max(by_world, soft):
        frame.struck_material, frame.struck_rings = touch.other, touch.rings
    elif by_world >= frame.impact:
        frame.struck_material, frame.struck_rings = material, 1
    elif soft >= frame.impact:
        frame.impact_material = stop_material
    if memory.known == 0:
        frame.impact = 0.0
    memory.known = 1


@kernel
def words_vector(numbers: Any, word: int) -> tuple[float, float, float]:
    """The vector at a word."""
    return (numbers[word], numbers[word + 1], numbers[word + 2])


@kernel
def words_quat(numbers: Any, word: int) -> tuple[float, float, float, float]:
    """The quaternion at a word."""
    return (numbers[word], numbers[word + 1], numbers[word + 2], numbers[word + 3])
