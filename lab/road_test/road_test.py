"""A whole road test, section by section."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from driving_sandbox.lab.road_test.circle import skid_pad, steering_step
from driving_sandbox.lab.road_test.courses import lane_change, slalom
from driving_sandbox.lab.road_test.ride import ride_frequencies
from driving_sandbox.lab.road_test.straight import acceleration, braking, coast_down, cruising
from driving_sandbox.lab.road_test.track import TestTrack, Trace

KMH = 1.0 / 3.6
NEEDED = ()  # other sections need the figures of this one
SECTIONS = {  # name: figures it gives
    "acceleration": NEEDED,
    "braking": ("braking_100_kmh", "braking_60_mph"),
    "coast-down": ("coast_down_100_60",),
    "steady pace": ("engine_speed_70_mph",),
    "skid pad": NEEDED,
    "steering step": ("yaw_response_time", "yaw_overshoot"),
    "ride": ("ride_frequency_front", "ride_frequency_rear"),
    "slalom 700 ft": ("slalom_700_ft",),
    "slalom 600 ft": ("slalom_600_ft",),
    "lane change": ("lane_change",),
}


@dataclass(frozen=True)
class Section:
    """A part of a road test that is done.

    Attributes:
        name: in words. figures: {name of FIGURES: value}; figures it cannot reach are left out. trace: of the run
        that shows most of it, or None.
    """

    name: str
    figures: dict
    trace: Trace | None = None


class RoadTest:
    """Iterating drives the test and yields a Section each.

    Args:
        vehicle: a Vehicle. world_file: a WorldFile of level ground. only: names of FIGURES; sections that give none of
        them
            and that no other one needs are left out. () for all.
    Attributes:
        figures: {name: value} of the sections so far.
    """

    def __init__(self, vehicle, world_file, only=()):
        self.track = TestTrack(vehicle, world_file)
        self.figures: dict = {}
        self._names = [
            name for name, gives in SECTIONS.items() if not only or gives is NEEDED or set(gives) & set(only)
        ]

    def __iter__(self) -> Iterator[Section]:
        for name in self._names:
            figures, trace = self._drive(name)
            figures = {key: value for key, value in figures.items() if math.isfinite(value)}
            self.figures.update(figures)
            yield Section(name, figures, trace)

    def _drive(self, name):
        track, top_speed = self.track, self.figures.get("top_speed", 0.0) * KMH
        understeer = self.figures.get("understeer_gradient", math.nan)
        steering = understeer if math.isfinite(understeer) else 0.0
        match name:
            case "acceleration":
                return acceleration(track)
            case "braking":
                return braking(track, top_speed), None
            case "coast-down":
                return coast_down(track, top_speed), None
            case "steady pace":
                return cruising(track, top_speed), None
            case "skid pad":
                return skid_pad(track), None
            case "steering step":
                return steering_step(track, understeer, top_speed), None
            case "ride":
                return ride_frequencies(track), None
            case "slalom 700 ft":
                return {"slalom_700_ft": slalom(track, 8, steering, top_speed)}, None
            case "slalom 600 ft":
                return {"slalom_600_ft": slalom(track, 7, steering, top_speed)}, None
            case _:
                return {"lane_change": lane_change(track, steering, top_speed)}, None
