"""Directions, speeds, slips, grip and forces of a tire against the reference tables."""

import numpy as np
import pytest
from core_tables import close, rows
from frame_adapter import Frame, frame_of
from wheel_bench import Bench

from physics.road.layout import NO_SURFACE
from physics.tire.combined_slip import COMBINED_SLIP, TireParams

SLIP, FORCE = COMBINED_SLIP.phase("slip"), COMBINED_SLIP.phase("force")


def tire_bench():
    bench = Bench()
    bench.put("tire_params", 0, TireParams, friction_versus_slip=[[0, 1], [1, 1], [2, 1]],
              load_filter=[[0, 0], [3, 3]])  # fmt: skip
    bench.fill("tire_params", 0, nominal_load=1000.0, lateral_stiffness=1.0, longitudinal_stiffness=1.0)
    bench.fill("wheel_params", 0, radius=0.3)
    bench.fill("suspension_params", 0, travel=0.3, direction=(0.0, 0.0, -1.0))
    return bench


def test_directions_and_camber():
    bench, in_air = tire_bench(), 0
    for row in rows("tire_directions"):
        frame = frame_of(row)
        bench.place_body(frame, row)
        bench.attach(frame, row)
        bench.lay_road(frame, row)
        bench.fill("steering", 0, angle=row["steer"])
        bench.fill("compliance", 0, toe=row["toe"], camber=row["camber"])
        bench.fill("suspension", 0, on_ground=int(row["on_ground"]))
        bench.run(SLIP)
        t = bench["tire"][0]
        in_air += not row["on_ground"]
        assert close(t["longitudinal"], frame.vector(row["out_lng"]), 1.0)
        assert close(t["lateral"], -frame.vector(row["out_lat"]), 1.0)
        assert close(t["camber"], row["out_camber_angle"], 1.0)
    assert in_air > 0


def test_contact_speeds():
    """The row gives its own directions: their plane is used as the road, and our speeds are resolved along them."""
    bench, in_air = tire_bench(), 0
    for row in rows("tire_slip_speeds"):
        frame = frame_of(row)
        bench.place_body(frame, row)
        bench.attach(frame, row)
        along, left = frame.vector(row["lng"]), frame.vector(row["lat"])
        normal = np.cross(along, left)
        length = np.linalg.norm(normal)
        in_air += length == 0.0
        if length == 0.0:
            normal, length = np.array([0.0, 0.0, 1.0]), 1.0
        bench.fill("suspension", 0, on_ground=int(np.any(along)), jounce=row["jounce"])
        bench.fill("steering", 0, angle=row["steer"])
        bench.fill("wheel_params", 0, radius=row["radius"])
        bench.fill("road", 0, normal=normal / length, velocity=frame.vector(row["road_vel"]))
        bench.run(SLIP)
        t = bench["tire"][0]
        velocity = t["longitudinal"] * t["longitudinal_speed"] + t["lateral"] * t["lateral_speed"]
        size = (np.linalg.norm(row["lin_vel"]) + np.linalg.norm(row["road_vel"])
                + np.linalg.norm(row["ang_vel"]) * (3.0 + 1e-2 * np.linalg.norm(row["pose"][:3])))  # fmt: skip
        assert close(velocity @ along, row["out_lng_speed"], size)
        assert close(velocity @ left, row["out_lat_speed"], size)
    assert in_air < 0.5 * len(rows("tire_slip_speeds"))


def test_slips_of_free_driven_and_braked_wheels():
    bench, seen = tire_bench(), set()
    for row in rows("tire_slips"):
        bench.fill("body", velocity=(-row["lat_speed"], row["lng_speed"], 0.0))
        bench.fill("road", 0, normal=(0.0, 0.0, 1.0))
        bench.fill("suspension", 0, on_ground=1)
        bench.fill("wheel_params", 0, radius=row["radius"])
        bench.fill("wheel", 0, omega=row["omega"])
        braked, driven = int(row["is_brake_applied"]), int(row["is_drive_applied"])
        seen.add((braked, driven))
        bench.fill("actuation", 0, brake_applied=braked, drive_applied=driven)
        bench.fill("context", min_lateral_slip_speed=row["min_lat_denom"],
                   min_passive_slip_speed=row["min_passive_lng_denom"],
                   min_active_slip_speed=row["min_active_lng_denom"])  # fmt: skip
        bench.run(SLIP)
        t = bench["tire"][0]
        # numerator's rounding over the denominator
        least = row["min_active_lng_denom"] if braked or driven else row["min_passive_lng_denom"]
        size = (abs(row["omega"]) * row["radius"] + abs(row["lng_speed"])) / (abs(row["lng_speed"]) + least)
        assert close(t["longitudinal_slip"], row["out_lng_slip"], size)
        assert close(t["lateral_slip"], -row["out_lat_slip"], 1.0)
    assert len(seen) >= 3


@pytest.mark.covers("PX-TIRE-14", "PX-TIRE-15", "PX-TIRE-16")
def test_load_and_friction():
    bench, in_air, outside = tire_bench(), 0, 0
    for row in rows("tire_grip"):
        bench.put("tire_params", 0, TireParams, friction_versus_slip=row["friction_vs_slip"].tolist(),
                  load_filter=row["load_filter"].tolist())  # fmt: skip
        bench.fill("tire_params", 0, nominal_load=row["rest_load"])
        bench.fill("suspension", 0, on_ground=int(row["on_ground"]), force=row["normal_force"])
        bench.fill("road", 0, normal=(0.0, 0.0, 1.0), friction=row["road_friction"])
        # a slip of the wanted size: a wheel that turns under a body at rest, over a denominator of 1
        bench.fill("wheel_params", 0, radius=1.0)
        bench.fill("wheel", 0, omega=row["lng_slip"])
        bench.fill("context", min_passive_slip_speed=1.0)
        bench.run(SLIP)
        t = bench["tire"][0]
        in_air += not row["on_ground"]
        share = row["normal_force"] / row["rest_load"]
        outside += not row["load_filter"][0, 0] < share < row["load_filter"][1, 0]
        assert close(t["load"], row["out_load"], row["rest_load"] * (np.abs(row["load_filter"]).max() + abs(share)))
        assert close(t["friction"], row["out_friction"], 10.0 * row["road_friction"])
    assert in_air > 0 and outside > 0


@pytest.mark.covers("PX-TIRE-01")
def test_forces_of_combined_slip():
    bench, frame, gripping = tire_bench(), Frame(), 0
    for row in rows("tire_force"):
        bench.place_body(frame, row)
        bench.attach(frame, row)
        bench.fill("suspension", 0, on_ground=0)
        bench.fill("compliance", 0, tire_force_point=frame.vector(row["tire_app"]))
        bench.run(SLIP)  # only for the lever of the forces
        bench.fill("wheel_params", 0, radius=row["radius"])
        bench.fill("tire_params", 0, lateral_stiffness=row["lat_stiff_y"], lateral_stiffness_load=row["lat_stiff_x"],
                   longitudinal_stiffness=row["lng_stiff"], camber_stiffness=row["camber_stiff"],
                   nominal_load=row["rest_load"], rolling_resistance=0.0)  # fmt: skip
        bench.fill("tire", 0, load=row["load"], friction=row["friction"], longitudinal_slip=row["lng_slip"],
                   lateral_slip=-row["lat_slip"], camber=row["camber_angle"],
                   longitudinal=frame.vector(row["lng"]), lateral=-frame.vector(row["lat"]))  # fmt: skip
        bench.fill("road", 0, surface=NO_SURFACE, rolling_drag=0.0)
        bench.run(FORCE)
        t = bench["tire"][0]
        size = row["load"] * row["friction"]
        gripping += size > 0.0
        along, across = t["longitudinal"] * t["longitudinal_force"], t["lateral"] * t["lateral_force"]
        assert close(along, frame.vector(row["out_lng_force"]), size)
        assert close(across, frame.vector(row["out_lat_force"]), size)
        assert close(np.cross(t["arm"], along), frame.vector(row["out_lng_torque"]), size)
        assert close(np.cross(t["arm"], across), frame.vector(row["out_lat_torque"]), size)
        assert close(t["wheel_torque"], row["out_wheel_torque"], size)
        # grows like K^4 in a large difference of terms of that size
        moment = row["out_aligning_moment"]
        assert close(-t["aligning_moment"], moment, 10.0 * size + abs(moment))
    assert gripping > 20
