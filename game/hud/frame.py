"""Input of the HUD: the values of one instant."""

from __future__ import annotations

from dataclasses import dataclass, field

READY, LIT, OFF = "ready", "lit", "off"  # states of a lamp: its aid is idle, intervenes, or is switched off


@dataclass
class TowedWheels:
    """The wheels of a trailer; attributes as of the wheels of a HudFrame."""

    axles: list
    rest_load: float = 1.0
    loads: list = field(default_factory=list)
    saturations: list = field(default_factory=list)


@dataclass
class HudFrame:
    """One instant, as shown. Speed in m/s, shown in mph if `miles`; pedals 0..1; `steer` -1..1, + to the right.

    `max_rpm` 0 means no engine: the dial then shows speed up to `top_speed`, m/s. Per wheel: load in N, slip ratio
    (0.1 reads 10 %), saturation as the share of the available friction in use. `axles` are rows of wheel indices.
    `rest_load`: N, of a wheel at rest. `trailers` are TowedWheels, the first one next to the towing vehicle.
    `acceleration` is (to the right, forward) in m/s^2, None where it is not known; `trail` its values of the last
    moments, oldest first; `grip` the friction coefficient under the wheels, 0 in the air.
    `lamps` are (label, state) of the driving aids.
    `recording` is seconds recorded or None. `timing` is a list of (what, value) texts: laps, sectors, splits.
    `delta`: s the lap is behind (below 0: ahead of) the one named `reference` here, None where that is unknown.
    `position` (x, y) in m, None where it is not known, `heading` in rad, 0 along +y, + to the left, and `others`
    [(x, y, colour)] are for the map.
    """

    speed: float = 0.0
    rpm: float = 0.0
    max_rpm: float = 0.0
    redline_rpm: float = 0.0
    gear: str = "N"
    automatic: bool = False
    throttle: float = 0.0
    brake: float = 0.0
    clutch: float = 0.0
    handbrake: float = 0.0
    steer: float = 0.0
    wheel_loads: list = field(default_factory=list)
    wheel_slips: list = field(default_factory=list)
    wheel_saturations: list = field(default_factory=list)
    axles: list = field(default_factory=list)
    rest_load: float = 3500.0
    trailers: list = field(default_factory=list)
    top_speed: float = 55.0
    acceleration: tuple | None = None
    trail: list = field(default_factory=list)
    grip: float = 0.0
    lamps: list = field(default_factory=list)
    recording: float | None = None
    paused: bool = False
    time_scale: float = 1.0
    timing: list = field(default_factory=list)
    delta: float | None = None
    reference: str = ""
    position: tuple | None = None
    heading: float = 0.0
    others: list = field(default_factory=list)
    messages: list = field(default_factory=list)
    miles: bool = False
