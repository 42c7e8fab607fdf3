"""The road test: the figures that magazines and test houses publish of cars, measured on a simulated vehicle.

    vehicle = load_vehicle("roadster")
    for section in RoadTest(vehicle, load_world("plane")):
        print(section.name, section.figures)

`FIGURES` names every figure with its unit; a vehicle's file may have `targets`, published values by these names.
"""

from driving_sandbox.lab.road_test.figures import FIGURES as FIGURES
from driving_sandbox.lab.road_test.figures import Figure as Figure
from driving_sandbox.lab.road_test.road_test import RoadTest as RoadTest
from driving_sandbox.lab.road_test.road_test import Section as Section
