"""The last seconds of a vehicle's state, a row per tick: the input of the detectors.

All fields of a state are 64-bit words, so that one `take` of selected words copies all WATCHED channels in about a
microsecond. The buffer has twice the length of the window; when it is full, the newest rows are moved to its start, so
that a window is always one contiguous slice.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.maths.quat import rotate_inverse

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MAX_WINDOW = 5.0  # s, length of the history
WATCHED = {  # {slot: fields}
    "body": ("position", "orientation", "velocity", "angular_velocity"),
    "input": ("throttle", "brake", "handbrake", "clutch", "steer"),
    "gearbox": ("current_gear", "target_gear"),
    "engine": ("omega",),
    "steering": ("angle",),
    "actuation": ("drive_applied", "brake_applied"),
    "contact": ("hull_contact_count", "hull_impulse"),
    "road": ("friction",),
    "suspension": ("jounce", "on_ground", "force"),
    "tire": ("longitudinal_slip", "lateral_slip", "load", "friction", "longitudinal_force"),
    "traction_control": ("active", "ratio"),
    "wheel": ("omega",),
}


class SampleHistory:
    """The latest rows of one vehicle; channels are named slot.field.

    Args:
        vehicle: physics.vehicle.vehicle.Vehicle.
        tick: time between rows, s.
    """

    def __init__(self, vehicle: "Vehicle", tick: float) -> None:
        self.vehicle, self.tick = vehicle, tick
        self._row_count = round(MAX_WINDOW / tick)  # of a full window; the buffer has twice as many
        self._bind()
        self.sample()
        self.local_velocity()  # compiles or loads its kernel now: 10 to 50 ms, which a frame of a drive has not
        self.restart()

    def _bind(self) -> None:
        """Find the words of the watched channels in the vehicle's state."""
        state, count = self.vehicle.state, self.vehicle.wheel_count
        start = state.__array_interface__["data"][0]
        words: list[int] = []
        # {channel: (first column, end column, number type, is an array)}
        self._columns: dict[str, tuple[int, int, np.dtype, bool]] = {}
        for slot, names in WATCHED.items():
            for name in names if slot in field_names(state.dtype) else ():
                block = state[slot]
                if name not in field_names(block.dtype):
                    continue
                first = (block[name].__array_interface__["data"][0] - start) // 8
                per_wheel = block.ndim == 2
                size = count if per_wheel else block[name].size
                offsets = first + (block.dtype.itemsize // 8 if per_wheel else 1) * np.arange(size)
                kind = block.dtype[name].base
                self._columns[f"{slot}.{name}"] = (len(words), len(words) + size, kind, per_wheel or size > 1)
                words.extend(offsets.tolist())
        self._words = np.array(words, np.intp)  # indices of the watched words in the state
        self._bytes = self.vehicle.state_bytes
        self._state = self._bytes.view(np.float64)
        self._rows = np.zeros((2 * self._row_count, len(words)))
        self.restart()

    def restart(self) -> None:
        """Discard the history, after the vehicle was teleported."""
        self._first = self._end = 0  # the window is rows _first to _end, exclusive, of the buffer

    def sample(self) -> None:
        """Append the vehicle's current state."""
        if self.vehicle.state_bytes is not self._bytes:  # components were swapped: the layout differs
            self._bind()
        if self._end == len(self._rows):
            self._rows[: self._row_count] = self._rows[-self._row_count :]
            self._first, self._end = 0, self._row_count
        self._state.take(self._words, out=self._rows[self._end], mode="clip")
        self._end += 1
        self._first = max(self._first, self._end - self._row_count)

    def has(self, *names: str) -> bool:
        """Whether the vehicle has all of these channels."""
        return all(name in self._columns for name in names)

    def full(self, seconds: float) -> bool:
        """Whether the history covers that many seconds."""
        return self._end - self._first >= round(seconds / self.tick)

    def get(self, name: str, seconds: float, rate: float | None = 60.0) -> np.ndarray:
        """Rows of a channel in the last `seconds`, about `rate` per second (None: all), oldest first.

        [n] for a scalar channel, [n, k] for a vector or a per-wheel channel.
        """
        low, high, kind, is_array = self._columns[name]
        step = 1 if rate is None else max(1, round(1.0 / (rate * self.tick)))
        start = max(self._first, self._end - round(seconds / self.tick))
        block = self._rows[start + (self._end - 1 - start) % step : self._end : step, low:high]
        if kind != np.float64:
            block = block.view(np.int64)
        return block if is_array else block[:, 0]

    def now(self, name: str) -> Any:
        """The newest row of a channel."""
        return self.get(name, self.tick, None)[-1]

    def local_velocity(self) -> tuple[float, float, float]:
        """Present velocity (right, forward, up), m/s."""
        return rotate_inverse(tuple(self.now("body.orientation").tolist()), tuple(self.now("body.velocity").tolist()))

    def speeds(self, seconds: float, rate: float | None = 60.0) -> np.ndarray:
        """[n] magnitude of the velocity in the last seconds, m/s."""
        v = self.get("body.velocity", seconds, rate)
        return np.sqrt(np.einsum("ij,ij->i", v, v))
