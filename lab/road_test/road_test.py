"""A whole road test, section by section."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from driving_sandbox.lab.road_test.circle import skid_pad, steering_step
from driving_sandbox.lab.road_test.courses import lane_change, slalom
from driving_sandbox.lab.road_test.figures import FIGURES
from driving_sandbox.lab.road_test.ride import ride_frequencies
from driving_sandbox.lab.road_test.straight import acceleration, braking, coast_down, cruising
from driving_sandbox.lab.road_test.track import TestTrack, Trace
from driving_sandbox.lab.units import KMH

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world_file import WorldFile


@dataclass(frozen=True)
class Section:
    """A finished part of a road test.

    Attributes:
        name: in words.
        figures: {name of FIGURES: value}, without those that could not be measured.
        trace: of the main run, or None.
    """

    name: str
    figures: dict
    trace: Trace | None = None


class RoadTest:
    """A road test; iterating over it drives it and yields a Section at a time.

    Args:
        vehicle: a Vehicle.
        world_file: a WorldFile of level ground.
        only: names of FIGURES; only sections that measure them, and sections that these need, are driven; () for all.
        announce: called with a section's name before it is driven, or None.
    Attributes:
        figures: {name: value} of the sections so far.
    """

    def __init__(
        self,
        vehicle: "Vehicle",
        world_file: "WorldFile",
        only: Iterable[str] = (),
        announce: Callable[[str], Any] | None = None,
    ) -> None:
        self.track = TestTrack(vehicle, world_file)
        self.figures: dict = {}
        self._names, self._announce = sections_for(only or FIGURES), announce

    top_speed = property(lambda self: self.figures.get("top_speed", 0.0) * KMH, doc="m/s.")
    understeer = property(lambda self: self.figures.get("understeer_gradient", math.nan), doc="deg/g, nan if unknown.")

    @property
    def steering(self) -> float:
        """The understeer gradient that drivers assume, deg/g."""
        return self.understeer if math.isfinite(self.understeer) else 0.0

    def __iter__(self) -> Iterator[Section]:
        for name in self._names:
            if self._announce is not None:
                self._announce(name)
            figures, trace = SECTIONS[name].drive(self)
            figures = {key: value for key, value in figures.items() if math.isfinite(value)}
            self.figures.update(figures)
            yield Section(name, figures, trace)


@dataclass(frozen=True)
class _Plan:
    """A section to drive.

    Attributes:
        figures: names of the figures that it measures.
        drive: returns {figure: value} and a Trace or None.
        needs: figures of earlier sections that it uses.
    """

    figures: tuple[str, ...]
    drive: Callable[[RoadTest], tuple[dict, Trace | None]]
    needs: tuple[str, ...] = ()


_TOP_SPEED, _SPEED_AND_UNDERSTEER = ("top_speed",), ("top_speed", "understeer_gradient")
SECTIONS: dict[str, _Plan] = {
    "acceleration": _Plan(
        (
            *(
                f"{kind}_{goal}"
                for kind in ("zero_to", "rollout")
                for goal in ("30_mph", "60_mph", "100_kmh", "160_kmh")
            ),
            *("quarter_mile", "quarter_mile_rollout", "trap_speed", "top_speed"),
        ),
        lambda test: acceleration(test.track),
    ),
    "braking": _Plan(
        ("braking_100_kmh", "braking_60_mph"), lambda test: (braking(test.track, test.top_speed), None), _TOP_SPEED
    ),
    "coast-down": _Plan(
        ("coast_down_100_60",), lambda test: (coast_down(test.track, test.top_speed), None), _TOP_SPEED
    ),
    "steady pace": _Plan(
        ("engine_speed_70_mph",), lambda test: (cruising(test.track, test.top_speed), None), _TOP_SPEED
    ),
    "skid pad": _Plan(
        ("skidpad_left", "skidpad_right", "understeer_gradient", "roll_gradient"),
        lambda test: (skid_pad(test.track), None),
    ),
    "steering step": _Plan(
        ("yaw_response_time", "yaw_overshoot"),
        lambda test: (steering_step(test.track, test.understeer, test.top_speed), None),
        _SPEED_AND_UNDERSTEER,
    ),
    "ride": _Plan(("ride_frequency_front", "ride_frequency_rear"), lambda test: (ride_frequencies(test.track), None)),
    "slalom 700 ft": _Plan(
        ("slalom_700_ft",),
        lambda test: ({"slalom_700_ft": slalom(test.track, 8, test.steering, test.top_speed)}, None),
        _SPEED_AND_UNDERSTEER,
    ),
    "slalom 600 ft": _Plan(
        ("slalom_600_ft",),
        lambda test: ({"slalom_600_ft": slalom(test.track, 7, test.steering, test.top_speed)}, None),
        _SPEED_AND_UNDERSTEER,
    ),
    "lane change": _Plan(
        ("lane_change",),
        lambda test: ({"lane_change": lane_change(test.track, test.steering, test.top_speed)}, None),
        _SPEED_AND_UNDERSTEER,
    ),
}


def sections_for(figures: Iterable[str]) -> list[str]:
    """Names of the sections that measure the figures, and of the sections these need, in the order of SECTIONS."""
    wanted, names = set(figures), []
    for name, plan in reversed(SECTIONS.items()):
        if wanted & set(plan.figures):
            wanted |= set(plan.needs)
            names.append(name)
    return names[::-1]
