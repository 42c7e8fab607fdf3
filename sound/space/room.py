"""The surroundings of the listener, measured by rays against the ground: what reflects sound there.

RAYS rays go out in turn, RATE a second, at fixed ticks: to the left, to the right, and upwards at several angles. Of
the upward ones, the share that meets something within RANGE is how enclosed they are, and the reverberation time
is Sabine's,

    T60 = 24 ln(10) V / (c S absorption) = 6 ln(10) (4 V / S) / (c absorption),   absorption = ABSORPTION + open share

with the mean free path 4 V / S = PATHS times the mean distance of what the rays meet (2 r in a long tube, on whose axis
that distance is pi/2 r). Slopes of hills are lower than the rays, so open land has exactly no reverberation.
The first three rays also find single walls: they reflect if the ray meets them squarely and within WALL_RANGE.

All values move slowly to those measured. A wall at another distance is another wall: the old one fades out first.
"""

import math
from typing import Any

import numpy as np

from driving_sandbox.physics.ground.ground import Ground, cast_ray
from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.sound.base.block import SPEED_OF_SOUND
from driving_sandbox.sound.base.gain import smoothstep
from driving_sandbox.sound.space.listener import WALLS

RATE = 240.0  # rays a second: all of them within a fourteenth of a second
RANGE = 30.0  # m
ENCLOSED = (0.25, 0.9)  # shares of blocked rays from which there is reverberation, and with which it is full
ABSORPTION = 0.15  # of walls, road and vehicles, and of the tunnel's far ends: concrete alone has .03
SABINE = 13.815510557964274  # 6 ln 10
PATHS = 1.27  # mean free path / mean distance, of a tube
DECAYS = (0.2, 3.5)  # s, limits of T60
WALL_RANGE = (4.0, 15.0)  # m, from which a wall is heard less, and from which not at all
SQUARE = (0.6, 0.9)  # cosines of the angle between ray and normal, below which no sound comes back, and above which all
SETTLING = 0.15  # s, time constant of all values
SAME_WALL = 1.0  # m; a larger change of the distance is another wall
FAINT = 1e-3  # of a gain, below which it is 0
CUT = 10.0  # m between two ticks; a listener that moves farther has been set elsewhere


def _directions() -> tuple[tuple[float, float, float], ...]:
    """Unit vectors (right, ahead, up) of the rays: left, right, up, then rings 60 and 30 degrees above the horizon."""
    rays = [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)]
    for elevation, count in ((60.0, 6), (30.0, 8)):
        for k in range(count):
            turn, rise = 2.0 * math.pi * (k + 0.5) / count, math.radians(elevation)
            rays.append((math.cos(turn) * math.cos(rise), math.sin(turn) * math.cos(rise), math.sin(rise)))
    return tuple((round(x, 12), round(y, 12), round(z, 12)) for x, y, z in rays)  # rounded: the same everywhere


DIRECTIONS = _directions()
RAYS = len(DIRECTIONS)
_FIRST_UP = 2  # index of the first upward ray

ROOM = np.dtype(
    [  # zero at the start
        ("begun", np.int64),  # 1: there has been a listener
        ("next", np.int64),  # ray
        ("due", np.float64),  # rays that time has allowed and that have not gone out yet
        ("position", np.float64, (3,)),  # m, of the last listener
        ("distance", np.float64, (RAYS,)),  # m; RANGE: nothing
        ("facing", np.float64, (RAYS,)),  # cosine of the angle between ray and normal, 0..1
        ("enclosure", np.float64),
        ("decay", np.float64),
        ("reflection", np.float64, (WALLS,)),
        ("wall", np.float64, (WALLS,)),
    ],
    align=True,
)


class Room:
    """The surroundings of one listener of a world.

    Args:
        tick_seconds: time between the listeners, s.
    """

    def __init__(self, tick_seconds: float) -> None:
        self._dt = tick_seconds
        memory = np.zeros(1, ROOM)
        self._memory = memory if JIT else memory.view(np.recarray)

    def fill(self, listeners: Any, ground: Ground) -> None:
        """Fill `enclosure`, `decay`, `reflection` and `wall` of the LISTENERs [n] of the next ticks, in their order."""
        measure(ground.arrays, self._memory[0], listeners if JIT else listeners.view(np.recarray), self._dt)


@kernel
def measure(ground: Any, room: Any, listeners: Any, dt: float) -> None:
    """Send out the rays that are due at each LISTENER [n], and fill its fields; the ticks are `dt` seconds apart."""
    for k in range(len(listeners)):
        listener = listeners[k]
        first = room.begun == 0
        moved = 0.0
        for axis in range(3):
            moved += (listener.position[axis] - room.position[axis]) ** 2
            room.position[axis] = listener.position[axis]
        room.due = RAYS if first or moved > CUT * CUT else min(room.due + RATE * dt, float(RAYS))
        while room.due >= 1.0:
            _cast(ground, room, listener)
            room.due -= 1.0
        room.begun = 1
        _settle(room, 1.0 if first else dt / (dt + SETTLING))
        listener.enclosure, listener.decay = room.enclosure, room.decay
        for wall in range(WALLS):
            listener.reflection[wall], listener.wall[wall] = room.reflection[wall], room.wall[wall]


@kernel
def _cast(ground: Any, room: Any, listener: Any) -> None:
    """Send out the next ray."""
    k, p = room.next, listener.position
    x, y = listener.right[0], listener.right[1]
    size = math.sqrt(x * x + y * y)
    x, y = (x / size, y / size) if size > 0.0 else (1.0, 0.0)  # the head lies on its side: any direction is as good
    right, ahead, up = DIRECTIONS[k]
    ray = (right * x - ahead * y, right * y + ahead * x, up)
    hit, distance, normal, _ = cast_ray(ground, (p[0], p[1], p[2]), ray, RANGE)
    room.distance[k] = distance if hit else RANGE
    room.facing[k] = abs(normal[0] * ray[0] + normal[1] * ray[1] + normal[2] * ray[2]) if hit else 0.0
    room.next = (k + 1) % RAYS


@kernel
def _settle(room: Any, share: float) -> None:
    """Move all values by a share of the way to those that the rays give."""
    blocked, total = 0, 0.0
    for k in range(_FIRST_UP, RAYS):
        if room.distance[k] < RANGE:
            blocked += 1
            total += room.distance[k]
    part = blocked / (RAYS - _FIRST_UP)
    room.enclosure = _settled(room.enclosure, smoothstep(part, ENCLOSED), share)
    if blocked > 0:
        path = PATHS * total / blocked
        decay = SABINE * path / (SPEED_OF_SOUND * (ABSORPTION + 1.0 - part))
        decay = min(max(decay, DECAYS[0]), DECAYS[1])
    else:
        decay = DECAYS[0]
    room.decay += share * (decay - room.decay)
    for wall in range(WALLS):
        _settle_wall(room, wall, share)


@kernel
def _settle_wall(room: Any, wall: int, share: float) -> None:
    """Move gain and distance of one of the three walls by a share; a new wall waits until the old one has faded."""
    distance = room.distance[wall]
    gain = smoothstep(room.facing[wall], SQUARE) * (1.0 - smoothstep(distance, WALL_RANGE))
    if gain > 0.0 and abs(distance - room.wall[wall]) > SAME_WALL:
        if room.reflection[wall] == 0.0:
            room.wall[wall] = distance  # the new wall is heard from the next tick on
            if share < 1.0:
                return
        else:
            gain = 0.0
    elif gain > 0.0:
        room.wall[wall] += share * (distance - room.wall[wall])
    room.reflection[wall] = _settled(room.reflection[wall], gain, share)


@kernel
def _settled(value: float, target: float, share: float) -> float:
    """A gain by a share nearer to its target; 0 if faint."""
    value += share * (target - value)
    return value if value > FAINT or target > FAINT else 0.0
