"""The last seconds of channels of a vehicle and its trailers, derived ones included, ready to plot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.plots.derived_channels import DERIVED, DerivedChannels
from driving_sandbox.physics.batch.state_log import StateLog
from driving_sandbox.physics.vehicle.trailers import channel_view

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

CAPACITY = 600  # samples of a channel: one or two per pixel of a plot


class ChannelReader:
    """Reads channels of one vehicle and its trailers, derived ones included; `step` once per sample, then `read`."""

    def __init__(self, vehicle: Vehicle) -> None:
        self._vehicle, self.derived = vehicle, DerivedChannels(vehicle)
        self._views: dict[str, np.ndarray] = {}  # {name: `_view`}

    def has(self, name: str) -> bool:
        """Whether there is a channel of this name."""
        return name in self.derived.names if name in DERIVED else self._view(name) is not None

    def _view(self, name: str) -> np.ndarray | None:
        """View of a channel's number: an array of one element; None for an unknown channel."""
        if name not in self._views:
            try:
                self._views[name] = channel_view(self._vehicle, name)
            except KeyError:
                return None
        return self._views[name]

    def step(self, elapsed: float | None) -> None:
        """Read the present state, `elapsed` seconds after the last one; None for the first one."""
        self.derived.step(elapsed)

    def read(self, name: str) -> float:
        """The value of a channel at the last step, SI units."""
        if name in DERIVED:
            return self.derived.read(name)
        view = self._view(name)
        assert view is not None  # `has(name)`
        return float(view[0])


class ChannelHistory:
    """Ring buffers of the samples of channels, with one array of times; samples are at least `span / CAPACITY` apart.

    Every value is written twice, `CAPACITY` elements apart, so that the latest samples are always contiguous and a plot
    reads them without a copy. If there is a `log`, it supplies the samples from before sampling began or before a
    channel was chosen.

    Attributes:
        span: seconds shown.
        log: function() -> physics.batch.state_log.StateLog, or None.
    """

    def __init__(self, span: float = 10.0) -> None:
        self.span = span
        self.log: Callable[[], StateLog | None] = lambda: None
        self._vehicle: Vehicle | None = None  # the vehicle that is followed
        self._series: dict[str, np.ndarray] = {}  # {channel: ring buffer [2 * CAPACITY]}
        self._times = np.zeros(2 * CAPACITY)  # simulated times of the samples, s
        self.clear()

    def clear(self) -> None:
        """Forget all samples."""
        self._last = -1  # index of the latest sample
        self._count = self._total = 0  # samples stored, samples taken since the last `clear`
        self._outlined: tuple[int, int, int] | None = None  # what the outlines were computed for
        self._outlines: Any = None  # (times, {channel: values})
        self._time: float | None = None  # of the latest step, s
        for values in self._series.values():
            values[:] = np.nan

    def set_span(self, span: float) -> None:
        """Set the seconds shown; a different span clears the samples, because their spacing changes."""
        if span != self.span:
            self.span = span
            self.clear()

    def follow(self, vehicle: Vehicle, names: Iterable[str]) -> list[str]:
        """Record the channels `names` of a vehicle from now on; returns the names of those that the vehicle has."""
        if vehicle is not self._vehicle:
            self._vehicle = vehicle
            self._reader = ChannelReader(vehicle)
            self.clear()
        present = [name for name in names if self._reader.has(name)]
        self._outlined = None
        for name in set(self._series) - set(present):
            del self._series[name]
        new = [name for name in present if name not in self._series]
        for name in new:
            self._series[name] = np.full(2 * CAPACITY, np.nan)
        if new and self._logged() is not None:
            self.clear()  # the past of all channels is read from the log
        return present

    def _logged(self) -> StateLog | None:
        """The StateLog of the vehicle that is followed, or None."""
        log = self.log()
        return log if log is not None and log.vehicle is self._vehicle else None

    def read_again(self) -> None:
        """After a gap, let the next `sample` read all samples again from the log, if there is one."""
        if self._logged() is not None:
            self.clear()

    def jumped(self) -> None:
        """To be called after a jump of the vehicle."""
        if self._vehicle is not None:
            self._reader.derived.jumped()

    def sample(self, time: float) -> None:
        """Take one sample at simulated `time`, s; does nothing if time has not changed."""
        if self._vehicle is None or time == self._time:
            return
        if self._time is not None and time < self._time:
            self.clear()
        if self._time is None and self._logged() is not None:
            self._read_log(time)
        self._reader.step(None if self._time is None else time - self._time)
        self._time = time
        if self._due(time):
            self._record(time, self._reader.read)

    def _due(self, time: float) -> bool:
        """Whether a sample at this time is to be stored."""
        return self._count == 0 or time - self._times[self._last] >= self.span / CAPACITY - 1e-9

    def _read_log(self, now: float) -> None:
        """Read the samples from `now - span` to `now` from the log."""
        log, reader = self._logged(), None
        for time, vehicle, jumped in () if log is None else log.between(now - self.span, now):
            reader = reader or ChannelReader(vehicle)
            if jumped:
                reader.derived.jumped()
            reader.step(None if self._time is None else time - self._time)
            self._time = time
            if self._due(time):
                self._record(time, reader.read)
        if reader is not None:
            self._reader.derived.continue_from(reader.derived)

    def past(
        self, names: Sequence[str], start: float, end: float
    ) -> Iterator[tuple[float, tuple[float, float, float], dict[str, float]]]:
        """Yield (time, position, {channel: value}) of the logged samples from `start` on, before `end`."""
        log, reader, last = self._logged(), None, None
        for time, vehicle, jumped in () if log is None else log.between(start, end):
            reader = reader or ChannelReader(vehicle)
            if jumped:
                reader.derived.jumped()
            reader.step(None if last is None else time - last)
            last = time
            yield time, vehicle.model_position(), {name: reader.read(name) for name in names}

    def read(self, name: str) -> float:
        """A channel's value at the latest `sample`, also if that was not stored."""
        return self._reader.read(name)

    def _record(self, time: float, read: Callable[[str], float]) -> None:
        """Store a sample of each channel.

        Args:
            read: function(name) -> value.
        """
        last = self._last = (self._last + 1) % CAPACITY
        duplicate = last + CAPACITY
        self._total += 1
        self._count = min(CAPACITY, self._count + 1)
        self._times[last] = self._times[duplicate] = time
        for name, values in self._series.items():
            values[last] = values[duplicate] = read(name)

    @property
    def now(self) -> float:
        """Simulated time of the latest sample, s; 0 before the first."""
        return self._times[self._last] if self._count else 0.0

    def times(self) -> np.ndarray:
        """Times of the samples, s, oldest first."""
        end = self._last + CAPACITY + 1
        return self._times[end - self._count : end]

    def values(self, name: str) -> np.ndarray:
        """Samples of a channel, as long as `times()`; NaN from before it was followed."""
        end = self._last + CAPACITY + 1
        return self._series[name][end - self._count : end]

    def outline(self, name: str, points: int) -> tuple[np.ndarray, np.ndarray]:
        """(times, values) of a channel, reduced to about `points` points.

        Two points per group of samples, the group's minimum and maximum, preserve peaks; the last is the latest sample.
        Groups consist of the same samples from frame to frame, or the line would shimmer.
        """
        size = -(-2 * self._count // max(2, points))  # samples per group, rounded up
        if size <= 2 or self._count < 2 * size:
            return self.times(), self.values(name)
        if self._outlined != (self._total, size, len(self._series)):
            self._outlined = (self._total, size, len(self._series))
            self._outline_all(size)
        times, outlines = self._outlines
        return times, outlines[name]

    def _outline_all(self, size: int) -> None:
        """Compute the outlines of all channels together, in groups of `size` samples."""
        skip = (self._count - self._total) % size  # oldest samples, whose group is no longer complete
        groups = (self._count - skip) // size
        end = skip + groups * size
        times = self.times()
        outline_times = np.empty(2 * groups + 1)
        outline_times[:-1:2], outline_times[1::2] = times[skip:end:size], times[skip + size - 1 : end : size]
        outline_times[-1] = times[-1]
        values = np.array([self.values(name) for name in self._series])
        blocks = values[:, skip:end].reshape(len(values), groups, size)
        columns = [blocks[:, :, k] for k in range(size)]  # numpy is slow along a short last axis
        low, high = reduce(np.minimum, columns), reduce(np.maximum, columns)
        falling = blocks[:, :, 0] > blocks[:, :, -1]
        outlines = np.empty((len(values), 2 * groups + 1))
        outlines[:, :-1:2], outlines[:, 1::2] = np.where(falling, high, low), np.where(falling, low, high)
        outlines[:, -1] = values[:, -1]
        self._outlines = outline_times, dict(zip(self._series, outlines, strict=True))
