"""Input of the HUD: the values of one instant."""

from __future__ import annotations

from dataclasses import dataclass, field

READY, LIT, OFF = "ready", "lit", "off"  # states of a lamp: its aid is idle, intervenes, or is switched off


@dataclass
class TowedWheels:
    """The wheels of a trailer.

    Attributes:
        axles: rows of wheel indices, front axle first.
        rest_load: mean nominal load of its tires, N, the reference of the load bars.
        loads: load of each wheel, N.
        saturations: share of the available friction in use at each wheel.
    """

    axles: list
    rest_load: float = 1.0
    loads: list = field(default_factory=list)
    saturations: list = field(default_factory=list)


@dataclass
class HudFrame:
    """The displayed values of one instant; attributes not listed here are explained by their names.

    Attributes:
        speed: m/s, displayed in mph if `miles`, else in km/h.
        max_rpm: full scale of the dial; 0 means no engine, and the dial then shows speed up to `top_speed`, m/s.
        throttle, brake, clutch, handbrake: pedal travel, 0..1.
        steer: -1..1, positive to the right.
        wheel_loads: load of each wheel, N.
        wheel_slips: slip ratio of each wheel; 0.1 is displayed as 10 %.
        wheel_saturations: share of the available friction in use at each wheel.
        axles: rows of wheel indices, front axle first.
        rest_load: mean nominal load of the tires, N, the reference of the load bars.
        trailers: TowedWheels, the trailer next to the towing vehicle first.
        acceleration: (to the right, forward), m/s^2, or None if unknown.
        trail: earlier accelerations, (to the right, forward) in m/s^2, oldest first.
        grip: load-weighted mean friction coefficient under the wheels, 0 in the air.
        lamps: [(label, state)] of the driving aids; states are READY, LIT and OFF.
        recording: seconds recorded, or None.
        time_scale: simulated time / real time.
        timing: [(name, value)] texts of laps, sectors and splits.
        delta: s by which the lap is behind the lap named `reference`, negative while ahead, or None.
        position: (x, y) of the vehicle on the map, m, or None if unknown.
        heading: rad, 0 along +y, positive to the left.
        others: [(x, y, colour)] of the other vehicles on the map, m; colours are RGBA, 0..1.
        messages: list of game.hud.messages.ShownMessage.
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
