"""Inputs of a tire's force, each changed alone on a rolling car; no force in the air; a tilted wheel."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from row_rig import call, each_wheel, rolling

from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.tick.commands import FIRST

PLAIN = {  # no camber or toe of the suspension, no rolling resistance, a known camber stiffness
    **each_wheel("compliance", camber=[], toe=[]),
    **each_wheel("tire", rolling_resistance=0.0, camber_stiffness=5e3),
}
SPEED = 15.0  # m/s


@pytest.fixture
def rolling_car():
    """A roadster that rolls on level ground in neutral."""
    return rolling(Drive("roadster_simple", values=PLAIN).run(2.0, brake=1.0), SPEED).run(0.2)


def force_of(drive, **changes):
    """Force of the left front tire, N, (forwards, to the right), after changes that are then undone.

    changes: `suspension__force=f` replaces the value x of that field by f(x).
    """
    vehicle = drive.vehicle
    before = vehicle.snapshot()
    for path, change in changes.items():
        slot, name = path.split("__")
        records = vehicle.state[slot].reshape(-1)  # the body, or wheel by wheel
        records[name][0] = change(records[name][0].copy())
    call(vehicle, "tire", "slip")
    call(vehicle, "tire", "force")
    tire = vehicle.state["tire"][0]
    forces = float(tire["longitudinal_force"][0]), float(tire["lateral_force"][0])
    vehicle.restore(before)
    return forces


@pytest.mark.covers("PX-TIRE-01")
def test_each_input_changes_the_force_in_its_direction(rolling_car):
    """Wheel speed changes the longitudinal force; steering, motion of the body and camber the lateral one; load and
    friction scale the largest force."""
    d = rolling_car
    longitudinal, lateral = force_of(d)
    assert abs(longitudinal) < 20.0 and abs(lateral) < 20.0
    faster, slower = (force_of(d, wheel__omega=lambda w, k=k: w * k)[0] for k in (1.05, 0.95))
    assert faster > 500.0 and slower < -500.0
    left, right = (force_of(d, steering__angle=lambda _, a=a: a)[1] for a in (0.02, -0.02))
    assert left < -500.0 and right > 500.0, "steered to the left it pulls to the left"
    slides = force_of(d, body__velocity=lambda v: v + (0.5, 0.0, 0.0))[1]
    turns = force_of(d, body__angular_velocity=lambda w: w + (0.0, 0.0, 0.3))[1]
    assert slides < -500.0, "against the slide"
    assert turns > 500.0, "a front wheel swept to the left is pushed to the right"
    leans = force_of(d, compliance__camber=lambda _: 0.05)[1]
    assert leans == pytest.approx(5e3 * 0.05, rel=0.1), "to where the wheel's top leans"
    spins = {"wheel__omega": lambda w: 2.0 * w}
    max_force = force_of(d, **spins)[0]
    assert force_of(d, **spins, road__friction=lambda f: 0.5 * f)[0] == pytest.approx(0.5 * max_force, rel=1e-6)
    loaded = force_of(d, **spins, suspension__force=lambda f: 0.5 * f)[0]
    assert loaded == pytest.approx(0.5 * max_force, rel=1e-6)


@pytest.mark.covers("PX-TIRE-16")
def test_no_force_in_the_air_and_a_filtered_load_at_full_droop():
    """In the air the forces of turning and sliding wheels are exactly 0, although the filter gives 40 % of the rest
    load to a touching wheel at full droop."""
    raised = each_wheel("tire", load_filter=[[0.0, 0.4], [3.0, 3.0]])
    drive = rolling(Drive("roadster_simple", values=raised).run(2.0, brake=1.0), SPEED)
    tire = drive.vehicle.state["tire"][0]
    assert np.all(tire["load"][:4] > 0.0)
    body = drive.vehicle.state["body"][0]
    body["position"][2] += 1.0
    body["velocity"] += (3.0, 0.0, 1.0)
    for _ in range(60):
        drive.run(drive.dt, throttle=1.0, steer=0.5, gear=FIRST)
        assert not drive.wheels("suspension", "on_ground").any()
        for name in ("longitudinal_force", "lateral_force", "wheel_torque", "aligning_moment", "load", "friction"):
            assert np.all(drive.wheels("tire", name) == 0.0), name
    touching = drive.run(2.0)  # the car has landed
    touching.vehicle.state["suspension"][0]["force"][0] = 0.0
    call(touching.vehicle, "tire", "slip")
    nominal = touching.vehicle.params["tire"][0]["nominal_load"][0]
    assert touching.wheels("tire", "load")[0] == pytest.approx(0.4 * nominal, rel=1e-9)


@pytest.mark.covers("PX-SUSP-06")
def test_a_tilted_wheel_has_its_tilt_as_drawn_and_as_camber():
    """A rotation of 5 degrees between suspension and wheel changes the angle of this wheel's axle and its camber by 5
    degrees. The other wheels keep theirs."""
    angle = math.radians(5.0)
    offset = {"wheel.fl.offset_rotation": [0.0, math.sin(0.5 * angle), 0.0, math.cos(0.5 * angle)]}
    drive = Drive("roadster_simple", values={**PLAIN, **offset}).run(3.0, brake=1.0)
    orientation = drive.wheels("wheel", "hub_orientation")
    axles = [rotate(tuple(q.tolist()), (1.0, 0.0, 0.0)) for q in orientation]
    tilt = [-math.degrees(math.asin(axle[2])) for axle in axles]  # the axle's right end goes down: its top leans right
    camber = np.degrees(drive.wheels("tire", "camber"))
    body = drive.vehicle.state["body"][0]["orientation"]
    roll = -math.degrees(math.asin(rotate(tuple(body.tolist()), (1.0, 0.0, 0.0))[2]))
    expected = [5.0 + roll, roll, roll, roll]
    assert abs(roll) < 0.2
    assert tilt == pytest.approx(expected, abs=0.05) and camber == pytest.approx(expected, abs=0.05)
