"""A car with four equal corners whose wheels have mass, and the frequency of its oscillations."""

import math

import numpy as np
from drive_rig import Drive
from row_rig import car_with_equal_corners, each_wheel

from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

# values of the car that `car` makes
MASS = 1500.0  # kg, of the whole car, wheels included
HUB = 45.0  # kg, unsprung mass of a wheel
SPRING = 35e3  # N/m
TIRE = 200e3  # N/m, vertical stiffness
TICKS = (1.0 / 240.0, 1.0 / 60.0)  # s


def unsprung(vehicle, **values):
    """A vehicle, given by itself or by its name, with the component `unsprung` and suspension values."""
    vehicle = load_vehicle(vehicle) if isinstance(vehicle, str) else vehicle
    vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, "suspension", "unsprung"))
    vehicle.set_many(each_wheel("suspension", vehicle.wheel_names, **values))
    return vehicle


def car(**values):
    """The car with four equal corners, without dampers unless `values` say otherwise."""
    suspension = {"unsprung_mass": HUB, "tire_stiffness": TIRE, "tire_damping": 0.0, "damping": 0.0, **values}
    return unsprung(car_with_equal_corners(MASS, SPRING), **suspension)


def settled(tick=TICKS[0], **values):
    """A Drive of a car that has come to rest with dampers; then these are removed, and `values` set."""
    vehicle = car(damping=5000.0)
    drive = Drive(vehicle, tick=tick).run(5.0)
    vehicle.set_many(each_wheel("suspension", **{"damping": 0.0, **values}))
    return drive


def rate_of(values, every_s):
    """Angular frequency of an oscillation, rad/s, from its upward crossings of the mean.

    every_s: time between the values, s.
    """
    y = values - values.mean()
    up = np.flatnonzero((y[:-1] < 0.0) & (y[1:] >= 0.0))
    crossings = up + y[up] / (y[up] - y[up + 1])
    return math.tau * (len(crossings) - 1) / ((crossings[-1] - crossings[0]) * every_s)
