"""Heights of the wheels over the ground, and how their paths bend within a tick (sound/base/heights.py).

A rigid wheel's centre lies one radius along the normal above the point where the road's query found the ground, and
moves at right angles to that normal: straight on a face, on a circle about an edge, which is taken as a parabola. Of
two such curves that meet from below the wheel follows the higher one. Queries are made at the start of a tick, but
again in every substep for wheels whose ground turns: then the last one counts, and is taken back to the tick's start.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.sound.state.words import MISSING

STEEPEST = 0.3  # least vertical part of a normal: on steeper ground, 73 degrees, nothing rolls
LONGEST = 0.02  # s, between frames; longer ones are not of successive ticks
JUMP = 2.0  # times its speed, beyond which a wheel's centre jumps instead of rolling
STANDING = 0.5  # m/s, below which the speed counts as this for jumps
STRAIGHT = 1e-9  # m/tick, less is rounding

HALVINGS = 12  # of a tick, to find a knee: to a microsecond

PATH = [  # fields of MEMORY (sound/state/contact.py), of the last complete frame
    ("path_tick", np.int64),
    ("rolled", np.int64, (WHEEL_CAPACITY,)),  # 1: the wheel was on the ground
    ("rated", np.int64, (WHEEL_CAPACITY,)),  # 1: `rate` and `bending` are known
    ("late", np.float64, (WHEEL_CAPACITY,)),  # s, from the start of the tick to the last query
    ("centre", np.float64, (WHEEL_CAPACITY, 2)),  # m, x and y of the wheel in that query
    ("height", np.float64, (WHEEL_CAPACITY,)),  # m, of the centre, at the start of the tick
    ("rate", np.float64, (WHEEL_CAPACITY,)),  # m/s, of that height
    ("bending", np.float64, (WHEEL_CAPACITY,)),  # m/s^2, of that height
]


@kernel
def since_last(memory: Any, dt: float, tick: int, complete: int) -> float:
    """Seconds since the last complete frame, 0 where it is not the one before; notes a complete one.

    dt, tick, complete: as in `fill_frame` (sound/gather.py).
    """
    seconds = (tick - memory.path_tick) * dt
    if complete == 1:
        memory.path_tick = tick
    return seconds if memory.known == 1 and 0.0 < seconds <= LONGEST else 0.0


@kernel
def gather_path(
    frame: Any, i: int, memory: Any, seconds: float, dt: float, state: Any, params: Any, layout: Any, surface: int,
    on_edge: bool,
) -> None:  # fmt: skip
    """Set the height of wheel i at the start of the tick and how its path bends since the last complete frame.

    Args:
        seconds: from `since_last`.
        dt: length of a tick, s.
        surface: under the wheel; below 0: in the air.
        on_edge: whether it is on an edge of the ground.
    """
    frame.bend_start[i] = frame.bend_end[i] = frame.knee[i] = frame.knee_height[i] = 0.0
    if layout.road_point == MISSING:
        return
    road, radius = i * layout.road_stride, params[layout.radius + i * layout.radius_stride]
    normal = layout.road_normal + road
    nx, ny, nz = state[normal], state[normal + 1], state[normal + 2]
    if surface < 0 or nz < STEEPEST:
        memory.rolled[i] = 0
        return
    age = 0.0 if layout.sweep_age == MISSING else state[layout.sweep_age + road]
    late = dt - age if 0.0 < age < dt else 0.0
    x, y, centre = frame.contact_x[i] + radius * nx, frame.contact_y[i] + radius * ny, memory.centre[i]
    dx, dy, elapsed = x - centre[0], y - centre[1], seconds + late - memory.late[i]
    longest = JUMP * max(frame.wheel_speed[i], STANDING) * elapsed
    if memory.rolled[i] == 1 and seconds > 0.0 and math.sqrt(dx * dx + dy * dy) < longest:
        rate = -(nx * dx + ny * dy) / (nz * elapsed)
        speed = (dx * dx + dy * dy) / (elapsed * elapsed) + rate * rate  # squared, of the centre
        bend(frame, i, memory, seconds, late, rate, -speed / (radius * nz) if on_edge else 0.0)
    else:
        memory.height[i], memory.rated[i] = frame.road_height[i], 0
    centre[0], centre[1], memory.late[i], memory.rolled[i] = x, y, late, 1
    frame.road_height[i] = memory.height[i]


@kernel
def bend(frame: Any, i: int, memory: Any, seconds: float, late: float, rate: float, bending: float) -> None:
    """Set bends and knee, and remember height and rate, of a wheel that has rolled since the last frame.

    Args:
        late: s, from the start of the tick to the query.
        rate, bending: of the centre's height in the query, m/s and m/s^2.
    """
    start, height = memory.height[i], frame.road_height[i]
    if memory.rated[i] == 0:
        memory.rate[i], memory.bending[i] = (height - start) / (seconds + late), 0.0
    rate_before, bending_before = memory.rate[i], memory.bending[i]
    if late > 0.0:
        before = start, rate_before, bending_before
        height, rate, bending = at_start_of_tick(before, (height, rate, bending), seconds, late)
    climbed = height - start
    bend_start, bend_end = rate_before * seconds - climbed, climbed - rate * seconds
    if abs(bend_start) + abs(bend_end) > STRAIGHT:
        frame.bend_start[i], frame.bend_end[i] = bend_start, bend_end
        square = 0.5 * seconds * seconds
        frame.knee[i], frame.knee_height[i] = knee_of(bend_start, square * bending_before, bend_end, square * bending)
    memory.height[i], memory.rate[i], memory.bending[i], memory.rated[i] = height, rate, bending, 1


@kernel
def at_start_of_tick(before: Any, queried: Any, seconds: float, late: float) -> tuple[float, float, float]:
    """Height, m, rate and bending of a wheel that was queried `late` s after the start of the tick.

    Where the rate rises, it is on the higher curve; where it falls, on the cubic between both.

    Args:
        before, queried: the same in the last frame, `seconds` before the start of the tick, and in the query.
    """
    height, rate, bending = before
    followed, followed_rate = height + seconds * (rate + 0.5 * seconds * bending), rate + seconds * bending
    last, last_rate, last_bending = queried
    back, back_rate = last - late * (last_rate - 0.5 * late * last_bending), last_rate - late * last_bending
    if back_rate > followed_rate:
        return (back, back_rate, last_bending) if back > followed else (followed, followed_rate, bending)
    whole = seconds + late
    u, v, rise = seconds / whole, late / whole, last - height
    start, end = rate * whole - rise, rise - last_rate * whole
    between = height + u * rise + u * v * (start * v + end * u)
    return between, (rise + (v - u) * (start * v + end * u) + u * v * (end - start)) / whole, last_bending


@kernel
def knee_of(start: float, start_square: float, end: float, end_square: float) -> tuple[float, float]:
    """(share of the tick, height above the straight line between both ends, m) at which the curve of the start meets
    that of the end from above; 0, 0 if it does not.

    Args:
        start, start_square: the curve is start u + start_square u^2 at the share u.
        end, end_square: the curve is end (1 - u) + end_square (1 - u)^2.
    """
    if end + end_square >= 0.0 or start + start_square >= 0.0:  # the wheel would begin or end on the lower one
        return 0.0, 0.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        u = 0.5 * (low + high)
        if start * u + start_square * u * u > (end + end_square * (1.0 - u)) * (1.0 - u):
            low = u
        else:
            high = u
    u = 0.5 * (low + high)
    return u, start * u + start_square * u * u
