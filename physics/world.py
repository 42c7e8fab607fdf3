"""A world: ground and vehicles, stepped together in fixed ticks.

`step` is the whole physics of a tick. Equal states and equal commands give equal bytes. A vehicle whose numbers run
away is put back to its last good snapshot in the tick it happens, and the fault names component and wheel.
"""

import hashlib
import math
from dataclasses import dataclass

import numpy as np

from physics.command.commands import COMMAND
from physics.context import EXTERNAL, new_context
from physics.guard import BODY_FAULT, WHEEL_FAULT
from physics.road.ground import Ground
from physics.world_file import WorldFile

SPAWN_CLEARANCE = 0.002  # m between the lowest wheel at rest and the ground, so that no wheel starts below it


@dataclass(frozen=True)
class Fault:
    """A vehicle went wrong in a tick and was put back.

    Attributes:
        vehicle: its index. component: slot whose numbers went bad first. wheel: name, or None. tick: when. text: one
        sentence for people.
    """

    vehicle: int
    component: str
    wheel: str | None
    tick: int
    text: str


class World:
    """Ground, vehicles and what they share.

    Args:
        place: a WorldFile or a Ground. vehicles: list of Vehicle. tick_seconds, substeps: override the world file's.
    Attributes:
        ground: physics.road.ground.Ground. context: length-1 record. tick: ticks done. tick_seconds: length of one, s.
    """

    def __init__(self, place, vehicles, tick_seconds=None, substeps=None):
        self.file = place if isinstance(place, WorldFile) else None
        self.ground = place if isinstance(place, Ground) else place.ground()
        self.vehicles = list(vehicles)
        rate = self.file.tick_rate if self.file else 240.0
        self.tick_seconds = 1.0 / rate if tick_seconds is None else float(tick_seconds)
        if not (math.isfinite(self.tick_seconds) and self.tick_seconds > 0.0):
            raise ValueError(f"a tick must last longer than 0 s, not {self.tick_seconds}")
        count = substeps if substeps is not None else (self.file.substeps if self.file else 4)
        self.context = new_context(substep_count=int(count))
        if self.file:
            self.context["gravity"][0] = (0.0, 0.0, -self.file.gravity)
            self.context["air_density"] = self.file.air_density
        self.tick = 0
        self._still = np.zeros(1, EXTERNAL)  # nothing acts from outside
        self._last_good = [np.zeros_like(v.state_bytes) for v in self.vehicles]
        for vehicle in self.vehicles:
            vehicle.context = self.context
            vehicle.derive()
        self._steps = [
            v.sequence.bind(v.params, v.state, v.scratch, self.context, self.ground.arrays) for v in self.vehicles
        ]

    @property
    def time(self):
        """Simulated seconds since the start."""
        return self.tick * self.tick_seconds

    def step(self, commands, external=None):
        """One tick.

        Args:
            commands: COMMAND array, one per vehicle. external: EXTERNAL array, one per vehicle, or None.
        Returns:
            None, or the first Fault of this tick (its vehicle has been put back).
        """
        if (commands.dtype is not COMMAND and commands.dtype != COMMAND) or len(commands) != len(self.vehicles):
            raise ValueError(f"step takes {len(self.vehicles)} COMMAND records, not {commands.shape} {commands.dtype}")
        first = None
        for i, vehicle in enumerate(self.vehicles):
            command = commands[i : i + 1]
            outside = self._still if external is None else external[i : i + 1]
            good = self._last_good[i]
            good[:] = vehicle.state_bytes
            code = self._steps[i](outside, command, self.tick_seconds)
            if code:
                fault = self._fault(i, vehicle, code, good, outside, command)
                first = first or fault
        self.tick += 1
        return first

    def _fault(self, index, vehicle, code, good, outside, command):
        """Name what went wrong by repeating the tick with a look at every number, then put the vehicle back."""
        vehicle.state_bytes[:] = good
        slot, word = vehicle.sequence.trace(
            vehicle.params, vehicle.state, vehicle.state_bytes.view(np.float64), vehicle.sequence.float_words,
            vehicle.scratch, self.context, outside, command, self.tick_seconds, *self.ground.arrays,
        )
        wheel = None
        if slot >= 0:
            component, wheel_index, key = vehicle.sequence.locate(int(word))
            component = list(vehicle.sequence.by_slot)[slot] if component == "tick" else component
            if wheel_index is not None and wheel_index < vehicle.wheel_count:
                wheel = vehicle.wheel_names[wheel_index]
            what = f"{component}{'.' + wheel if wheel else ''}.{key} is not a number"
        elif code == BODY_FAULT:
            component, what = "body", "body moves faster or farther than any vehicle can"
        else:
            component, wheel = "wheel", vehicle.wheel_names[code - WHEEL_FAULT]
            what = f"wheel {wheel} spins faster than any wheel can"
        vehicle.state_bytes[:] = good
        text = f"{vehicle.name}: {what} at {self.time:.3f} s; put back to the tick before"
        return Fault(index, component, wheel, self.tick, text)

    # ---- state

    def snapshot(self):
        """Tick and the states of all vehicles as bytes."""
        return self.tick.to_bytes(8, "little") + b"".join(v.snapshot() for v in self.vehicles)

    def restore(self, data):
        """Put back a `snapshot` of a world with the same vehicles. Raises ValueError when it is another's."""
        sizes = [len(v.state_bytes) for v in self.vehicles]
        if len(data) != 8 + sum(sizes):
            raise ValueError(f"a snapshot of this world has {8 + sum(sizes)} bytes, this one {len(data)}")
        self.tick = int.from_bytes(data[:8], "little")
        start = 8
        for vehicle, size in zip(self.vehicles, sizes, strict=True):
            vehicle.restore(data[start : start + size])
            start += size

    def state_hash(self):
        """64-bit hash of tick and all states."""
        digest = hashlib.blake2b(self.tick.to_bytes(8, "little"), digest_size=8)
        for vehicle in self.vehicles:
            digest.update(vehicle.state_bytes)
        return int.from_bytes(digest.digest(), "little")

    # ---- placing

    def spawn(self, name=None, index=0):
        """Stand a vehicle on a spawn point of the world file, by name or the first one."""
        if self.file is None or not self.file.spawn_points:
            return self.place(index, (0.0, 0.0), 0.0)
        point = self.file.spawn(name)
        position = point.position if point.height is None else (*point.position, point.height)
        return self.place(index, position, point.heading)

    def place(self, index, position, heading):
        """Stand a vehicle on the ground at rest, its springs near their load.

        Args:
            position: (x, y) or (x, y, z) of the model's origin, m; with z it hangs there. heading: rad, 0 faces +y,
            positive to the left.
        """
        vehicle = self.vehicles[index]
        if len(position) == 3:
            turn = (0.0, 0.0, math.sin(heading / 2.0), math.cos(heading / 2.0))
            vehicle.put(tuple(float(c) for c in position), turn)
            return
        x, y = float(position[0]), float(position[1])
        normal, height = self._ground_under(x, y)
        turn = _upright_on(normal, heading)
        rise = self._ride_height(vehicle)
        vehicle.put(tuple(np.array([x, y, height]) + np.array(normal) * (rise + SPAWN_CLEARANCE)), turn)

    def _ground_under(self, x, y):
        """(normal, height) of the highest ground below the sky at a point."""
        low, high = self.ground.bounds
        top = float(high[2]) + 1.0
        hit, distance, normal, _ = self.ground.cast((x, y, top), (0.0, 0.0, -1.0), top - float(low[2]) + 2.0)
        if not hit:
            raise ValueError(f"there is no ground at ({x:g}, {y:g})")
        return tuple(float(n) for n in normal), top - distance

    def _ride_height(self, vehicle):
        """Height of the model's origin above flat ground with every spring carrying its share, m."""
        weight = -float(self.context["gravity"][0, 2])
        heights = []
        for i in range(vehicle.wheel_count):
            s, w = vehicle.params["suspension"][0][i], vehicle.params["wheel"][0][i]
            jounce = min(float(s["supported_mass"]) * weight / float(s["stiffness"]), float(s["travel"]))
            centre = s["attachment"] + s["direction"] * (float(s["travel"]) - jounce) + w["offset"]
            heights.append(float(w["radius"]) - float(centre[2]))
        return max(heights)

    def recover(self, index=0):
        """Put a vehicle back on its wheels where it is: same place and heading, standing still."""
        vehicle = self.vehicles[index]
        x, y, z = vehicle.model_position()
        forward = np.array(_forward(vehicle.model_orientation()))
        heading = math.atan2(-forward[0], forward[1])
        try:
            self.place(index, (x, y), heading)
        except ValueError:
            self.spawn(index=index)


def _forward(q):
    from physics.quat import rotate

    return rotate(q, (0.0, 1.0, 0.0))


def _upright_on(normal, heading):
    """Orientation that stands on a plane with the nose towards a heading."""
    up = np.array(normal)
    ahead = np.array([-math.sin(heading), math.cos(heading), 0.0])
    forward = ahead - up * (ahead @ up)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, up)
    m = np.column_stack([right, forward, up])
    w = math.sqrt(max(0.0, 1.0 + m[0, 0] + m[1, 1] + m[2, 2])) / 2.0
    if w < 1e-6:  # half a turn about z, the only one of these that a heading makes
        return (0.0, 0.0, 1.0, 0.0)
    return ((m[2, 1] - m[1, 2]) / (4 * w), (m[0, 2] - m[2, 0]) / (4 * w), (m[1, 0] - m[0, 1]) / (4 * w), w)

