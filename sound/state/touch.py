"""What props touch in a tick: each other, vehicles and the ground, from the contacts of their solver.

Every body that is touched gets a TOUCH: the sum of its normal impulses, whose rise from tick to tick is an impact; how
fast its contact points slide and roll; and the material of what touches it hardest. The bodies are the props of a
world, then its vehicles. That of a vehicle also has how it rubs along other vehicles.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import vec3
from driving_sandbox.sound.base.frame import ABSENT
from driving_sandbox.sound.body.materials import NOTHING, OWN

LEAST_CHANGE = 0.1  # m/s; times a prop's mass it is the rise that counts as an impact: 2.4 times its weight in a tick
LEAST_SCRAPE = 3.0  # W, force by speed, below which a prop that slides or rolls is silent
GROUND_BODY = 0  # number of the ground among the solver's bodies
SLIDING_SHARE = 0.01  # loudness of an impulse that slides or rolls / that of the same impulse as a blow
LONG_AGO = -(10**9)  # a tick before all others

KEPT = [  # strongest impact since the last complete frame
    ("kept_impact", np.float64),  # N s
    ("kept_material", np.int64),
    ("kept_struck", np.int64),
    ("kept_rings", np.int64),
]
TOUCH = np.dtype(
    [
        ("tick", np.int64),  # number of the tick in which the body was touched last
        ("impulse", np.float64),  # N s, sum of the normal impulses of that tick
        ("before", np.float64),  # N s, of the tick before it; after a jump that of `tick`, so that there is no impact
        ("sliding", np.float64),  # N s m/s, sum of impulses times the speeds of sliding
        ("rolling", np.float64),  # N s m/s, the same for the speeds of rolling
        ("strongest", np.float64),  # N s, largest normal impulse
        ("other", np.int64),  # material of what has it, or NOTHING
        ("other_prop", np.int64),  # its number, or NOTHING if it is no prop
        ("rings", np.int64),  # 1: it has no FRAME of its own
        ("ground", np.float64),  # N s, largest normal impulse of the ground
        ("along", np.int64),  # material of that ground, or NOTHING
        # of contacts with other vehicles, whose impacts are the rises of the vehicle's external impulse
        ("rub_tick", np.int64),  # number of the tick in which the vehicle touched another one last
        ("rub_impulse", np.float64),  # N s, sum of the normal impulses of that tick
        ("rub_sliding", np.float64),  # N s m/s, sum of these times the speeds of sliding
        *KEPT,  # of a prop
    ],
    align=True,
)


@kernel
def _begin(row: Any, tick: int) -> None:
    """Begin the TOUCH of a tick."""
    row.before = row.impulse if row.tick == tick - 1 else 0.0
    row.tick = tick
    row.impulse = row.sliding = row.rolling = row.strongest = row.ground = 0.0
    row.other = row.other_prop = row.along = NOTHING
    row.rings = 0


@kernel
def _speeds(c: Any, bodies: Any, prop_of: Any, kind_of: Any, rolls: Any) -> tuple[float, float]:
    """(speed of sliding, speed of rolling) of a contact, m/s."""
    normal, first, second = vec3.load(c.directions[0]), bodies[c.a], bodies[c.b]
    spin_a = vec3.cross(vec3.load(first.angular_velocity), vec3.load(c.arm_a))
    spin_b = vec3.cross(vec3.load(second.angular_velocity), vec3.load(c.arm_b))
    velocity = vec3.sub(vec3.add(vec3.load(second.velocity), spin_b), vec3.add(vec3.load(first.velocity), spin_a))
    sliding = vec3.length(vec3.add_scaled(velocity, normal, -vec3.dot(velocity, normal)))
    rolling = 0.0
    for body, spin in ((c.a, spin_a), (c.b, spin_b)):
        number = prop_of[body] if body != GROUND_BODY else NOTHING
        if number != NOTHING and rolls[kind_of[number]] == 1:
            rolling = max(rolling, vec3.length(vec3.add_scaled(spin, normal, -vec3.dot(spin, normal))))
    return sliding, rolling


@kernel
def _add(row: Any, c: Any, speeds: tuple[float, float], material: int, prop: int, ground: bool) -> None:
    """Add a contact to the TOUCH of one of its bodies. material, prop, ground: of the other one."""
    impulse = c.impulse[0]
    row.impulse += impulse
    row.sliding += impulse * speeds[0]
    row.rolling += impulse * speeds[1]
    if impulse > row.strongest:
        row.strongest, row.other, row.other_prop, row.rings = impulse, material, prop, 1 if ground else 0
    if ground and impulse > row.ground:
        row.ground, row.along = impulse, material


@kernel
def touch(
    contacts: Any, count: int, bodies: Any, prop_of: Any, kind_of: Any, near: Any, touches: Any, touched: Any,
    materials: Any, rolls: Any, vehicle_materials: Any, struck: Any, tick: int, known: bool,
) -> int:  # fmt: skip
    """Write the TOUCH of each body touched in a tick, and its index into `touched`; returns their number.

    Args:
        contacts, count, bodies, prop_of, kind_of: of PropArrays, and the number of contacts.
        near: int64[n], index of the vehicle of each of the solver's bodies from 1 on.
        touches, touched: TOUCH and int64[props + vehicles], written.
        materials, rolls: int64[kinds], material of each kind of prop; 1 if it rolls.
        vehicle_materials: int64[vehicles], material of their bodywork.
        struck: int64[surfaces + 1], material of each surface, then NOTHING.
        tick: its number.
        known: False in the first tick after a jump, in which nothing rises.
    """
    found = 0
    for k in range(count):
        c = contacts[k]
        if c.impulse[0] <= 0.0:
            continue
        stops = c.a == GROUND_BODY and c.surface < 0  # of a hinge
        speeds = (0.0, 0.0) if stops else _speeds(c, bodies, prop_of, kind_of, rolls)
        for own, other in ((c.a, c.b), (c.b, c.a)):
            if own == GROUND_BODY:
                continue
            body = prop_of[own] if prop_of[own] != NOTHING else len(kind_of) + near[own - 1]
            if touches[body].tick != tick:
                _begin(touches[body], tick)
                touched[found] = body
                found += 1
            number = NOTHING if other == GROUND_BODY else prop_of[other]
            if other == GROUND_BODY:
                material = struck[_row(c.surface, len(struck))]
            else:
                material = materials[kind_of[number]] if number != NOTHING else vehicle_materials[near[other - 1]]
            _add(touches[body], c, speeds, material, number, other == GROUND_BODY)
    if not known:
        _level(touches, touched, found)
    return found


@kernel
def add_rub(row: Any, impulse: float, speed: float, tick: int) -> None:
    """Add a contact with another vehicle to a TOUCH: its normal impulse, N s, and speed of sliding, m/s."""
    if row.rub_tick != tick:
        row.rub_tick, row.rub_impulse, row.rub_sliding = tick, 0.0, 0.0
    row.rub_impulse += impulse
    row.rub_sliding += impulse * speed


@kernel
def _level(touches: Any, touched: Any, found: int) -> None:
    """Let nothing rise in a tick after a jump."""
    for k in range(found):
        touches[touched[k]].before = touches[touched[k]].impulse


@kernel
def _row(surface: int, count: int) -> int:
    """Row of a surface among `count`, the last one for an unknown surface."""
    return surface if 0 <= surface < count else count - 1


@kernel
def rise_of(row: Any, tick: int, least: float) -> float:
    """Rise of a body's normal impulses in a tick, N s; 0 if it is not above `least`."""
    rise = row.impulse - row.before
    return rise if row.tick == tick and rise > least else 0.0


@kernel
def keep_impact(frame: Any, memory: Any, complete: int) -> None:
    """Give a complete frame (`complete` 1, else 0) the strongest impact since the one before. memory: with KEPT."""
    if complete == 0 or memory.kept_impact > 0.0:
        if frame.impact > memory.kept_impact:
            memory.kept_impact, memory.kept_material = frame.impact, frame.impact_material
            memory.kept_struck, memory.kept_rings = frame.struck_material, frame.struck_rings
        if complete == 1:
            frame.impact, frame.impact_material = memory.kept_impact, memory.kept_material
            frame.struck_material, frame.struck_rings = memory.kept_struck, memory.kept_rings
            memory.kept_impact = 0.0


@kernel
def note_sounding(
    touches: Any, touched: Any, found: int, kind_of: Any, kinds: Any, tick: int, dt: float, slot_of: Any,
    heard_at: Any, loudness: Any,
) -> int:  # fmt: skip
    """Note which props sound in a tick; returns how many of them have no slot.

    Args:
        touches, touched, found: as `touch` left them.
        kinds: KIND of PropArrays.
        slot_of: int64[props], slot of each, or -1.
        heard_at: int64[props], tick in which each sounded last.
        loudness: float64[props], N s, of each that sounds: the rise, or a share of the impulse of what it slides on.
    """
    waiting = 0
    for k in range(found):
        number = touched[k]
        if number >= len(kind_of):
            continue
        row = touches[number]
        rise = rise_of(row, tick, LEAST_CHANGE * kinds[kind_of[number]].mass)
        if rise > 0.0 or (row.sliding + row.rolling) / dt > LEAST_SCRAPE:
            heard_at[number], loudness[number] = tick, max(rise, SLIDING_SHARE * row.impulse)
            waiting += 1 if slot_of[number] < 0 else 0
    return waiting


@kernel
def _fill_prop(frame: Any, prop: Any, mass: float, row: Any, tick: int, dt: float) -> None:
    """Fill the FRAME of a prop. prop, row: its PROP and TOUCH; tick: number of the tick."""
    vec3.store(frame.position, vec3.load(prop.position))
    vec3.store(frame.forward, (0.0, 1.0, 0.0))
    vec3.store(frame.velocity, vec3.load(prop.velocity))
    frame.impact = rise_of(row, tick, LEAST_CHANGE * mass)
    frame.impact_material, frame.struck_material, frame.struck_rings = OWN, row.other, row.rings
    frame.scrape_force = frame.scrape_speed = frame.roll_speed = 0.0
    frame.scraped_material = NOTHING
    if row.tick == tick and row.impulse > 0.0:
        frame.scrape_force, frame.scraped_material = row.impulse / dt, row.along
        frame.scrape_speed, frame.roll_speed = row.sliding / row.impulse, row.rolling / row.impulse


@kernel
def fill_props(
    frames: Any, first: int, filled: Any, releasing: Any, props: Any, kind_of: Any, kinds: Any, touches: Any, tick: int,
    dt: float, complete: int,
) -> None:  # fmt: skip
    """Fill the FRAMEs of props.

    Args:
        frames: FRAME [slots of the scene].
        first: number of the first slot of a prop.
        filled: int64 [slots of props], number of the prop in each, or -1 if the frame says no more than ABSENT.
        releasing: int64 [slots of props], 1: the prop is filled but ABSENT, as numbers are interpolated up to that row.
        complete: 0 or 1, as in sound/gather.py.
    """
    for k in range(len(filled)):
        frame, number = frames[first + k], filled[k]
        frame.attenuation = ABSENT
        if number >= 0:
            _fill_prop(frame, props[number], kinds[kind_of[number]].mass, touches[number], tick, dt)
            keep_impact(frame, touches[number], complete)
            frame.attenuation = ABSENT if releasing[k] == 1 else 0.0


def untouched(count: int) -> np.ndarray:
    """TOUCH array of bodies that nothing has touched."""
    touches = np.zeros(count, TOUCH)
    touches["tick"] = touches["rub_tick"] = LONG_AGO
    return touches
