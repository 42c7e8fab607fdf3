"""Curves of solid axles as bodies of their own, and of the body over them."""

import math

import numpy as np

from driving_sandbox.docs.build.curve import MM, POINTS, Figure, Line, curve, line, span
from driving_sandbox.physics.body.gyroscopic import gyroscopic_spin
from driving_sandbox.physics.body.sprung import spin_on_road
from driving_sandbox.physics.suspension.hub import exact_step

AXLE = 64.0  # kg
JOINT = 175e3  # N/m
INERTIA = (1566.0, 207.0, 1792.0)  # kg m^2, pitch, roll and yaw
LEAN, MOMENT = 0.1, -3000.0  # rad and N m: of a car that is braked in a bend


@curve(
    "driving_sandbox.physics.suspension.axle_bodies",
    "An axle of 64 kg, 10 mm beside its place under a body that is held, on a joint of 175 kN/m: with 10 kN s/m it "
    "creeps back, with 1 kN s/m it swings at 8 Hz.",
)
def axle_in_its_joint():
    lines = [
        line(label, span(0.0, 0.4),
             lambda t, c=c: exact_step(0.01, 0.0, t, (0.0, 0.0), (0.0, 0.0), (0.0, JOINT, c), AXLE)[0], 1.0, MM)
        for label, c in (("10 kN s/m", 10e3), ("1 kN s/m", 1e3))
    ]  # fmt: skip
    return Figure("time [s]", "axle beside its place [mm]", lines)


@curve(
    "driving_sandbox.physics.body.sprung",
    "Yaw rate of a body that leans by 0.1 rad when 3 kN m pitch it: about the road's axis to the right pitching does "
    "not turn the car; as a rigid body about its own, which leans with it, it does.",
)
def yaw_of_pitching():
    time = span(0.0, 0.2)
    nose = (0.0, 1.0, 0.0)
    c, s, dt = math.cos(LEAN), math.sin(LEAN), float(time[-1]) / (POINTS - 1)
    found, road, own = [], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for _ in time:
        found.append((road[2], -s * own[0] + c * own[2]))
        road = spin_on_road(road, nose, (1.0, 0.0, 0.0), nose, (0.0, 0.0, 1.0), (MOMENT, 0.0, 0.0), INERTIA, dt)
        own = gyroscopic_spin((own[0] + MOMENT / INERTIA[0] * dt, own[1], own[2]), INERTIA, dt)
    about_road, rigid = np.array(found).T
    lines = [Line("about the road's axes", time, about_road), Line("about its own", time, rigid, faint=True)]
    return Figure("time [s]", "yaw rate [rad/s], + left", lines)
