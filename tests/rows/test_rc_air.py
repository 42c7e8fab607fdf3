"""Air forces: the body's default resistance, and wings."""

import numpy as np
import pytest
from drive_rig import Drive
from row_rig import call, car_with_equal_corners, rolling

from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.tick.context import new_context
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

CAR = "track_roadster"


def loads_at(speed, **values):
    """([load of the front axle, of the rear axle], drag), all in N, at a speed, m/s."""
    drive = Drive(CAR, values=values).run(2.0)
    rolling(drive, speed).run(0.6)
    drive.vehicle.state["body"][0]["velocity"][1] = speed
    force = drive.run(0.1).wheels("suspension", "force")
    return np.array([force[:2].sum(), force[2:].sum()]), -float(drive.vehicle.state["aero"][0]["force"][1])


NO_WINGS = {f"aero.{name}": [] for name in ("span", "chord", "angle", "down", "drag", "forward", "up")}


@pytest.mark.covers("RC-AERO-01")
def test_default_body_and_wings():
    """Without parameters the body's drag is 1/2 rho v^2 times 0.3 times 2 m^2. The downforce of wings grows with the
    square of speed and is larger at the rear axle; wings add drag."""
    vehicle = car_with_equal_corners()
    bare = swapped_vehicle(vehicle, plan_swap(vehicle, "aero", "body_and_wings"))
    density = float(new_context()[0]["air_density"])
    bare.state["body"][0]["velocity"] = (0.0, 30.0, 0.0)
    call(bare, "aero")
    assert bare.state["aero"][0]["force"] == pytest.approx([0.0, -0.5 * density * (0.3 * 2.0) * 30.0**2, 0.0])
    slow, fast = (loads_at(v)[0] - loads_at(v, **NO_WINGS)[0] for v in (20.0, 40.0))
    assert fast.sum() == pytest.approx(4.0 * slow.sum(), rel=0.05) and fast.sum() > 300.0
    assert fast[1] > 1.2 * fast[0] > 0.0
    _, drag = loads_at(40.0)
    assert drag > 1.05 * loads_at(40.0, **NO_WINGS)[1]


def test_a_wing_is_area_times_angle_times_coefficient():
    vehicle = load_vehicle(CAR)
    wing = {"span": [1.2], "chord": [0.3], "angle": [0.2], "angle_offset": [0.05], "down": [5.0], "drag": [0.5],
           "forward": [-1.7], "up": [1.0], "right": [0.4]}  # fmt: skip
    vehicle.set_many({**{f"aero.{k}": v for k, v in wing.items()}, "aero.drag_coefficient": 0.0,
                      "aero.down_coefficient": 0.0})  # fmt: skip
    vehicle.state["body"][0]["velocity"] = (0.0, 30.0, 0.0)
    call(vehicle, "aero")
    pressure_area = 0.5 * float(new_context()[0]["air_density"]) * 900.0 * 1.2 * 0.3  # N
    # 0.25 rad: angle and offset; then the coefficients of drag and downforce
    force = np.array([0.0, -pressure_area * 0.25 * 0.5, -pressure_area * 0.25 * 5.0])
    assert vehicle.state["aero"][0]["force"] == pytest.approx(force)
    arm = np.array([0.4, -1.7, 1.0]) - vehicle.params["body"][0]["centre_of_mass"]
    assert vehicle.state["aero"][0]["torque"] == pytest.approx(np.cross(arm, force))


@pytest.mark.parametrize("velocity", [(3.0, 30.0, 0.0), (-4.0, -20.0, 1.0)])
def test_forces_of_body_and_lifting_wing_act_at_their_points_in_both_directions(velocity):
    """Drag opposes the motion; a wing with a negative angle lifts and still has drag."""
    vehicle = load_vehicle(CAR)
    vehicle.set_many({f"aero.{name}": value for name, value in {
        "span": [1.2], "chord": [0.3], "angle": [-0.2], "angle_offset": [], "down": [5.0], "drag": [0.5],
        "forward": [-1.7], "up": [1.0], "right": [], "frontal_area": 2.0, "drag_coefficient": 0.3,
        "down_coefficient": 0.1, "side_area": 3.0, "side_coefficient": 0.9, "body_centre": [0.0, 0.2, 0.6],
    }.items()})  # fmt: skip
    vehicle.state["body"][0]["velocity"] = velocity
    call(vehicle, "aero")
    half_density, (vx, vy, _) = 0.5 * float(new_context()[0]["air_density"]), velocity
    # areas times coefficients, m^2: side 3 * 0.9, drag 2 * 0.3, downforce 2 * 0.1; wing 1.2 * 0.3
    body = half_density * np.array([-2.7 * vx * abs(vx), -0.6 * vy * abs(vy), -0.2 * vy * vy])
    wing = half_density * 0.36 * 0.2 * vy * np.array([0.0, -0.5 * abs(vy), 5.0 * vy])
    centre = vehicle.params["body"][0]["centre_of_mass"]
    torque = np.cross(np.array([0.0, 0.2, 0.6]) - centre, body) + np.cross(np.array([0.0, -1.7, 1.0]) - centre, wing)
    assert vehicle.state["aero"][0]["force"] == pytest.approx(body + wing)
    assert vehicle.state["aero"][0]["torque"] == pytest.approx(torque)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("aero.span", [1.4, 1.3, 1.0], "aero.chord: has 2 numbers, but span has 3"),
        ("aero.chord", [1.4, -1.3], "greater than or equal to 0"),
    ],
)
def test_bad_values_are_refused(path, value, message):
    with pytest.raises(SchemaError, match=message):
        load_vehicle(CAR).set(path, value)
