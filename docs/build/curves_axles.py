"""Curves of solid axles as separate bodies, of the body above them, and of bushes."""

import math
from functools import cache

import numpy as np

from driving_sandbox.docs.build.curve import DEGREES, MM, POINTS, Figure, Line, call, curve, line, span, vehicle
from driving_sandbox.physics.body.gyroscopic import gyroscopic_spin
from driving_sandbox.physics.body.sprung import spin_on_road
from driving_sandbox.physics.suspension.hub import exact_step
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle

AXLE = 64.0  # kg, mass of an axle
JOINT = 175e3  # N/m, lateral stiffness of the joint between axle and body
INERTIA = (1566.0, 207.0, 1792.0)  # kg m^2 about the pitch, roll and yaw axis of a compact car
BUSHES = {  # of a front axle: 0.15 degrees per kN, 1 degree per 100 N m, 0.2 degrees per kN
    "lateral_force_steer": -2.6e-6, "aligning_moment_steer": 1.75e-4, "lateral_force_camber": 3.5e-6,
}  # fmt: skip
TOE = [[0.0, 0.012], [1.0, -0.012]]  # bump steer, rows of [jounce / travel, toe in rad]
ROLL = 0.1  # rad, roll of a car that is braked in a bend
MOMENT = -3000.0  # N m, pitching moment on that car


@curve(
    "driving_sandbox.physics.suspension.axle_bodies",
    "An axle of 64 kg, released 10 mm beside its rest position under a fixed body, on a joint of 175 kN/m: with "
    "damping of 10 kN s/m it creeps back, with 1 kN s/m it swings at 8 Hz.",
)
def axle_in_its_joint() -> Figure:
    """Lateral displacement of an axle released beside its rest position, for two dampings."""
    # Arguments of exact_step: displacement, speed, time, road, tire (both zero), spring and damper, mass.
    lines = [
        line(label, span(0.0, 0.4),
             lambda t, c=c: exact_step(0.01, 0.0, t, (0.0, 0.0), (0.0, 0.0), (0.0, JOINT, c), AXLE)[0], in_y=MM)
        for label, c in (("10 kN s/m", 10e3), ("1 kN s/m", 1e3))
    ]  # fmt: skip
    return Figure("time [s]", "lateral displacement of the axle [mm]", lines)


@curve(
    "driving_sandbox.physics.body.sprung",
    "Yaw rate of a body that leans by 0.1 rad and is pitched by 3 kN m: pitching about the road's lateral axis does "
    "not turn the car; pitching about the lateral axis of a rigid body, which leans with it, does.",
)
def yaw_of_pitching() -> Figure:
    """Yaw rate of a leaning body under a pitching moment, about the road's axes and about its own."""
    time = span(0.0, 0.2)
    nose = (0.0, 1.0, 0.0)
    c, s, dt = math.cos(ROLL), math.sin(ROLL), float(time[-1]) / (POINTS - 1)
    samples, spin, rigid_spin = [], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)  # angular velocities, rad/s
    for _ in time:
        samples.append((spin[2], -s * rigid_spin[0] + c * rigid_spin[2]))
        spin = spin_on_road(spin, nose, (1.0, 0.0, 0.0), nose, (0.0, 0.0, 1.0), (MOMENT, 0.0, 0.0), INERTIA, dt)
        rigid_spin = gyroscopic_spin((rigid_spin[0] + MOMENT / INERTIA[0] * dt, *rigid_spin[1:]), INERTIA, dt)
    about_road, rigid = np.array(samples).T
    lines = [Line("about the road's axes", time, about_road), Line("about its own", time, rigid, faint=True)]
    return Figure("time [s]", "yaw rate [rad/s], + left", lines)


@cache
def on_bushes() -> Vehicle:
    """The plain roadster with bushes and bump steer at its right front wheel."""
    plain = vehicle("roadster_simple")
    car = swapped_vehicle(plain, plan_swap(plain, "compliance", "graphs_and_bushes"))
    car.set_many({f"compliance.fr.{name}": value for name, value in {**BUSHES, "toe": TOE}.items()})
    return car


def toe_after(car: Vehicle, dt: float, time: float, force: float, jounce: float) -> float:
    """Toe of the right front wheel, rad, at a time (s) after the onset of a side force to the left (N).

    Args:
        dt: length of a substep, s.
        jounce: jounce divided by travel.
    """
    state, tire, suspension = (car.state[slot][0].copy() for slot in ("compliance", "tire", "suspension"))
    tire["lateral_force"][:2], tire["load"][:2] = -force, 3e3  # N; the force is positive to the right
    suspension["jounce"][:2] = jounce * car.params["suspension"][0]["travel"][1]
    for _ in range(round(time / dt)):
        call(car, "compliance", "update", state, tire=tire, suspension=suspension, wheel_count=2, dt=dt)
    return float(state["toe"][1])


@curve(
    "driving_sandbox.physics.suspension.compliance_steer",
    "Toe of a right front wheel versus jounce: links that turn it out in jounce, and bushes of 0.15 degrees per kN "
    "that turn it out of the bend, which is outside when the force is to the left.",
)
def compliance_toe() -> Figure:
    """Toe of a wheel with bushes versus jounce, for three side forces."""
    lines = [line(label, span(0.0, 1.0, 61), lambda x, f=f: toe_after(on_bushes(), 0.1, 0.5, f, x), in_y=DEGREES)
             for label, f in (("3 kN to the left", 3e3), ("no force", 0.0), ("3 kN to the right", -3e3))]  # fmt: skip
    return Figure("jounce / travel [1]", "toe [deg], + left", lines)


@curve(
    "driving_sandbox.physics.suspension.compliance_steer",
    "Steer angle of that wheel after 3 kN to the left began, at two lengths of substep: it ends at the same angle.",
)
def compliance_in_time() -> Figure:
    """Toe of that wheel after the onset of a side force, for two lengths of substep."""
    lines = []
    for label, dt in (("240 ticks of 4 substeps", 1.0 / 960.0), ("60 ticks of 3 substeps", 1.0 / 180.0)):
        time = dt * np.arange(round(0.06 / dt) + 1)
        lines.append(line(label, time, lambda t, dt=dt: toe_after(on_bushes(), dt, t, 3e3, 0.5), 1e3, DEGREES))
    return Figure("time [ms]", "steer by compliance [deg], + left", lines)
