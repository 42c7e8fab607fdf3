"""Cars written from data sheets by the rules of docs/adding.md, compared with published tests (docs/realism.md).

Nothing in their files is tuned to a figure. Straight-line figures of one car are tried in every run, all nightly.
"""

from pathlib import Path

import numpy as np
import pytest

from driving_sandbox.lab.road_test import RoadTest
from driving_sandbox.lab.road_test.targets import deviation, read_targets
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world_file import load_world

DATA = Path(__file__).parent / "data"
CARS = ("honda_accord", "subaru_brz", "corvette_c6", "nissan_370z")
TOLERANCE = 0.06  # relative deviation from a target
NARROW = {"trap_speed": 0.03, "engine_speed_70_mph": 0.03}  # tolerances of figures of power and gears alone
MISSES = {("subaru_brz", "top_speed"): 0.12, ("corvette_c6", "braking_60_mph"): 0.11}  # docs/realism.md says why
PAD = ("skidpad_left", "skidpad_right")  # a published figure is the mean of both directions
STRAIGHT = ("zero_to_60_mph", "rollout_60_mph", "quarter_mile", "quarter_mile_rollout", "trap_speed", "top_speed",
            "braking_60_mph")  # fmt: skip


def misses(name, only):
    """{figure: deviation} of the targets among some figures that a car misses by more than its tolerance."""
    vehicle = load_vehicle(DATA / f"{name}.yaml")
    targets = {figure: ends for figure, ends in read_targets(vehicle).items() if figure in only}
    assert len(targets) > 3
    test = RoadTest(vehicle, load_world("plane"), tuple(targets))
    list(test)  # drives all sections
    grip = float(np.mean([test.figures.get(side, np.nan) for side in PAD]))
    measured = {**test.figures, **dict.fromkeys(PAD, grip)}
    deviations = {figure: deviation(measured[figure], ends) for figure, ends in targets.items()}
    limits = {figure: MISSES.get((name, figure), NARROW.get(figure, TOLERANCE)) for figure in targets}
    return {figure: value for figure, value in deviations.items() if abs(value) > limits[figure]}


def test_straight_line_figures_of_the_car_written_last_are_those_published():
    assert misses("nissan_370z", STRAIGHT) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("name", CARS)
def test_all_figures_are_those_published(name):
    assert misses(name, tuple(read_targets(load_vehicle(DATA / f"{name}.yaml")))) == {}


@pytest.mark.parametrize("name", CARS)
def test_grip_is_that_of_the_tire_class(name):
    vehicle = load_vehicle(DATA / f"{name}.yaml")
    for wheel in vehicle.wheel_names:
        assert vehicle.get(f"tire.{wheel}.longitudinal_grip") == vehicle.get(f"tire.{wheel}.lateral_grip") == 1.0
