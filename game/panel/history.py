"""The last seconds of chosen channels of a vehicle, ready to plot.

Besides the vehicle's own channels there are four made here: `car.speed` (m/s, forward), `car.longitudinal_g` and
`car.lateral_g` (g, body axes, + forward and + right) and `car.rpm`. Accelerations are differences of velocity between
samples, smoothed with G_SMOOTHING, so they stay readable at any frame rate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce

import numpy as np

CAPACITY = 600  # points of a line: about one per pixel of a plot
GRAVITY = 9.80665  # m/s^2, standard; one g
G_SMOOTHING = 0.08  # s, time constant: below a tire's relaxation one sees the frame rate, not the car
RPM_PER_RAD = 60.0 / (2.0 * math.pi)


@dataclass(frozen=True)
class MadeChannel:
    """A channel computed here; the same attributes as a vehicle's own."""

    name: str
    unit: str
    doc: str


MADE = {
    channel.name: channel
    for channel in (
        MadeChannel("car.speed", "m/s", "Forward speed of the centre of mass."),
        MadeChannel("car.rpm", "rpm", "Engine speed."),
        MadeChannel("car.longitudinal_g", "g", "Acceleration forward, in g."),
        MadeChannel("car.lateral_g", "g", "Acceleration to the right, in g."),
    )
}


class ChannelHistory:
    """A ring of samples at most `span / CAPACITY` apart.

    Every value is written twice, `CAPACITY` apart, so the latest samples always lie in one piece and a plot reads them
    without a copy.
    """

    def __init__(self, span=10.0):
        self.span = span
        self._vehicle = None
        self._views = {}
        self._series = {}
        self._times = np.zeros(2 * CAPACITY)
        self.clear()

    def clear(self):
        """Forget all samples."""
        self._last = -1
        self._count = self._total = 0
        self._outlined = self._outlines = None
        self._time = None
        self._velocity = None
        self._g = (0.0, 0.0)
        for values in self._series.values():
            values[:] = np.nan

    def set_span(self, span):
        """Seconds shown; another span starts afresh, as its samples lie further apart."""
        if span != self.span:
            self.span = span
            self.clear()

    def follow(self, vehicle, names):
        """Record these channels of this vehicle; returns those it really has, in order."""
        if vehicle is not self._vehicle:
            self._vehicle = vehicle
            self._views.clear()
            self.clear()
        known = [name for name in names if self._view(name) is not None]
        self._outlined = None
        for name in set(self._series) - set(known):
            del self._series[name]
        for name in known:
            if name not in self._series:
                self._series[name] = np.full(2 * CAPACITY, np.nan)
        return known

    def _view(self, name):
        """Live numbers of a channel: an array of one element; () for a made one, None for an unknown one."""
        view = self._views.get(name)
        if view is None:
            source = {"car.rpm": "engine.omega"}.get(name, "body.velocity.x" if name in MADE else name)
            try:
                view = self._vehicle.channel_view(source)
            except KeyError:
                return None
            self._views[name] = view = () if name in MADE and name != "car.rpm" else view
        return view

    def sample(self, time):
        """Take one sample at simulated `time`; nothing happens while it stands still."""
        if self._vehicle is None or time == self._time:
            return
        if self._time is not None and time < self._time:
            self.clear()
        body = self._vehicle.state["body"][0]
        velocity, orientation = body["velocity"].tolist(), body["orientation"].tolist()
        forward, right = _axes(orientation)
        if self._velocity is not None:
            self._filter_g(velocity, forward, right, time - self._time)
        due = self._count == 0 or time - self._times[self._last] >= self.span / CAPACITY - 1e-9
        self._time, self._velocity = time, velocity
        if due:
            self._record(time, sum(v * f for v, f in zip(velocity, forward, strict=True)))

    def _filter_g(self, velocity, forward, right, elapsed):
        change = [(new - old) / (elapsed * GRAVITY) for new, old in zip(velocity, self._velocity, strict=True)]
        weight = 1.0 - math.exp(-elapsed / G_SMOOTHING)
        measured = [sum(c * a for c, a in zip(change, axis, strict=True)) for axis in (forward, right)]
        self._g = tuple(old + (new - old) * weight for old, new in zip(self._g, measured, strict=True))

    def _record(self, time, speed):
        last = self._last = (self._last + 1) % CAPACITY
        twin = last + CAPACITY
        self._total += 1
        self._count = min(CAPACITY, self._count + 1)
        self._times[last] = self._times[twin] = time
        made = {"car.speed": speed, "car.longitudinal_g": self._g[0], "car.lateral_g": self._g[1]}
        for name, values in self._series.items():
            value = made.get(name)
            if value is None:
                value = self._views[name][0]
                if name == "car.rpm":
                    value *= RPM_PER_RAD
            values[last] = values[twin] = value

    @property
    def now(self):
        """Time of the latest sample."""
        return self._times[self._last] if self._count else 0.0

    def times(self):
        end = self._last + CAPACITY + 1
        return self._times[end - self._count : end]

    def values(self, name):
        """Samples of a channel, as long as `times()`; NaN from before it was followed."""
        end = self._last + CAPACITY + 1
        return self._series[name][end - self._count : end]

    def outline(self, name, points):
        """(times, values) of a channel in about `points` points: the ends of every few samples, so that peaks stay.

        Groups begin at the same samples from frame to frame, or the line would shimmer. The latest sample is the last.
        """
        size = -(-2 * self._count // max(2, points))
        if size <= 2 or self._count < 2 * size:
            return self.times(), self.values(name)
        if self._outlined != (self._total, size, len(self._series)):
            self._outlined = (self._total, size, len(self._series))
            self._outline_all(size)
        when, ends = self._outlines
        return when, ends[name]

    def _outline_all(self, size):
        """Outlines of all channels, in one go."""
        skip = (self._count - self._total) % size
        groups = (self._count - skip) // size
        end = skip + groups * size
        times = self.times()
        when = np.empty(2 * groups + 1)
        when[:-1:2], when[1::2], when[-1] = times[skip:end:size], times[skip + size - 1 : end : size], times[-1]
        values = np.array([self.values(name) for name in self._series])
        blocks = values[:, skip:end].reshape(len(values), groups, size)
        columns = [blocks[:, :, k] for k in range(size)]  # numpy is slow along a short last axis
        low, high = reduce(np.minimum, columns), reduce(np.maximum, columns)
        falling = blocks[:, :, 0] > blocks[:, :, -1]
        ends = np.empty((len(values), 2 * groups + 1))
        ends[:, :-1:2], ends[:, 1::2] = np.where(falling, high, low), np.where(falling, low, high)
        ends[:, -1] = values[:, -1]
        self._outlines = when, dict(zip(self._series, ends, strict=True))


def _axes(q):
    """Unit vectors forward and right of an orientation x, y, z, w."""
    x, y, z, w = q
    forward = (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x))
    right = (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y))
    return forward, right
