"""A whole road test, section by section."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from driving_sandbox.lab.road_test.circle import skid_pad, steering_step
from driving_sandbox.lab.road_test.courses import lane_change, slalom
from driving_sandbox.lab.road_test.ride import ride_frequencies
from driving_sandbox.lab.road_test.straight import acceleration, braking, coast_down, cruising
from driving_sandbox.lab.road_test.track import TestTrack, Trace
from driving_sandbox.lab.road_test.units import KMH


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
        them and that no other section needs are left out. () for all.
    Attributes:
        figures: {name: value} of the sections so far.
    """

    def __init__(self, vehicle, world_file, only=()):
        self.track = TestTrack(vehicle, world_file)
        self.figures: dict = {}
        self._names = [name for name, (gives, _) in SECTIONS.items() if not only or not gives or set(gives) & set(only)]

    top_speed = property(lambda self: self.figures.get("top_speed", 0.0) * KMH, doc="m/s.")
    understeer = property(lambda self: self.figures.get("understeer_gradient", math.nan), doc="deg/g, nan if unknown.")

    @property
    def steering(self) -> float:
        """The understeer gradient a driver reckons with, deg/g."""
        return self.understeer if math.isfinite(self.understeer) else 0.0

    def __iter__(self) -> Iterator[Section]:
        for name in self._names:
            _, drive = SECTIONS[name]
            figures, trace = drive(self)
            figures = {key: value for key, value in figures.items() if math.isfinite(value)}
            self.figures.update(figures)
            yield Section(name, figures, trace)


SECTIONS: dict[str, tuple[tuple[str, ...], Callable[[RoadTest], tuple[dict, Trace | None]]]] = {
    # name: (figures it gives; () where later sections need them, the drive)
    "acceleration": ((), lambda test: acceleration(test.track)),
    "braking": (("braking_100_kmh", "braking_60_mph"), lambda test: (braking(test.track, test.top_speed), None)),
    "coast-down": (("coast_down_100_60",), lambda test: (coast_down(test.track, test.top_speed), None)),
    "steady pace": (("engine_speed_70_mph",), lambda test: (cruising(test.track, test.top_speed), None)),
    "skid pad": ((), lambda test: (skid_pad(test.track), None)),
    "steering step": (
        ("yaw_response_time", "yaw_overshoot"),
        lambda test: (steering_step(test.track, test.understeer, test.top_speed), None),
    ),
    "ride": (("ride_frequency_front", "ride_frequency_rear"), lambda test: (ride_frequencies(test.track), None)),
    "slalom 700 ft": (
        ("slalom_700_ft",),
        lambda test: ({"slalom_700_ft": slalom(test.track, 8, test.steering, test.top_speed)}, None),
    ),
    "slalom 600 ft": (
        ("slalom_600_ft",),
        lambda test: ({"slalom_600_ft": slalom(test.track, 7, test.steering, test.top_speed)}, None),
    ),
    "lane change": (
        ("lane_change",),
        lambda test: ({"lane_change": lane_change(test.track, test.steering, test.top_speed)}, None),
    ),
}
