"""Heights of the wheels over the ground, and how their paths bend within a tick (sound/base/heights.py).

A rigid wheel's centre lies one radius along the normal above the point where the road's query found the ground, and
moves at right angles to that normal. So the normals of two queries give its rates at both. Queries are made at the
start of a tick, but again in every substep for wheels whose ground turns: then the last one counts, and height and rate
at the start of the tick are those of the path between both queries.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.sound.base.heights import departure, departure_rate
from driving_sandbox.sound.state.words import MISSING

STEEPEST = 0.3  # least vertical part of a normal: on steeper ground, 73 degrees, nothing rolls
LONGEST = 0.02  # s, between frames; longer ones are not of successive ticks
JUMP = 2.0  # times its speed, beyond which a wheel's centre jumps instead of rolling
STANDING = 0.5  # m/s, below which the speed counts as this for jumps
STRAIGHT = 1e-9  # m/tick, less is rounding

PATH = [  # fields of MEMORY (sound/state/contact.py), of the last complete frame
    ("path_tick", np.int64),
    ("rolled", np.int64, (WHEEL_CAPACITY,)),  # 1: the wheel was on the ground
    ("rated", np.int64, (WHEEL_CAPACITY,)),  # 1: `rate` is known
    ("late", np.float64, (WHEEL_CAPACITY,)),  # s, from the start of the tick to the last query
    ("centre", np.float64, (WHEEL_CAPACITY, 3)),  # m, of the rigid wheel, in that query
    ("ahead", np.float64, (WHEEL_CAPACITY, 2)),  # rise of the ground along x and along y, in that query
    ("height", np.float64, (WHEEL_CAPACITY,)),  # m, of the centre, at the start of the tick
    ("rate", np.float64, (WHEEL_CAPACITY,)),  # m/s, of that height
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
    frame: Any, i: int, memory: Any, seconds: float, dt: float, state: Any, params: Any, layout: Any, surface: int
) -> None:
    """Set the height of wheel i at the start of the tick and how its path bends since the last complete frame.

    Args:
        seconds: from `since_last`.
        dt: length of a tick, s.
        surface: under the wheel; below 0: in the air.
    """
    frame.bend_start[i] = frame.bend_end[i] = 0.0
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
    x, y = frame.contact_x[i] + radius * nx, frame.contact_y[i] + radius * ny
    if memory.rolled[i] == 1 and seconds > 0.0:
        bend(frame, i, memory, seconds, late, (x, y), (-nx / nz, -ny / nz))
    else:
        memory.height[i], memory.rated[i] = frame.road_height[i], 0
    centre, ahead = memory.centre[i], memory.ahead[i]
    centre[0], centre[1], centre[2], ahead[0], ahead[1] = x, y, frame.road_height[i], -nx / nz, -ny / nz
    frame.road_height[i], memory.late[i], memory.rolled[i] = memory.height[i], late, 1


@kernel
def bend(frame: Any, i: int, memory: Any, seconds: float, late: float, position: Any, slope: Any) -> None:
    """Set bends, height and rate of a wheel that has rolled since the last frame; only the height in a jump.

    Args:
        late: s, from the start of the tick to the query.
        position, slope: x and y of the centre, m, and rises of the ground along x and along y in this query.
    """
    z, before, ahead = frame.road_height[i], memory.centre[i], memory.ahead[i]
    dx, dy, rise = position[0] - before[0], position[1] - before[1], z - before[2]
    elapsed = seconds + late - memory.late[i]  # between the queries
    if math.sqrt(dx * dx + dy * dy) >= JUMP * max(frame.wheel_speed[i], STANDING) * elapsed:
        memory.height[i], memory.rated[i] = z, 0
        return
    first, last = ahead[0] * dx + ahead[1] * dy, slope[0] * dx + slope[1] * dy  # rates, m/elapsed
    share = 1.0 - late / elapsed
    height, rate = z, last
    if late > 0.0:
        height = before[2] + share * rise + departure(first - rise, rise - last, share)
        rate = rise + departure_rate(first - rise, rise - last, share)
    rate /= elapsed
    rate_before = memory.rate[i] if memory.rated[i] == 1 else first / elapsed
    climbed = height - memory.height[i]
    start, end = rate_before * seconds - climbed, climbed - rate * seconds
    if abs(start) + abs(end) > STRAIGHT:
        frame.bend_start[i], frame.bend_end[i] = start, end
    memory.height[i], memory.rate[i], memory.rated[i] = height, rate, 1
