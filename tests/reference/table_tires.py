"""Computes our results for the tire tables of the reference, PhysX, on a test bench for wheels (wheel_bench.py).

The reference's lateral direction is to the left, ours to the right: hence the minus signs.

A function gets a row of its table and yields (channel, our value, the table's, scale of its error) for every channel,
see table_harness.py.
"""

import numpy as np
from frame_adapter import Frame, frame_of
from table_harness import function
from wheel_bench import Bench

from driving_sandbox.physics.ground.arrays import NO_SURFACE
from driving_sandbox.physics.tire.combined_slip import COMBINED_SLIP, TireParams
from driving_sandbox.physics.tire.legacy import LEGACY_TIRE

SLIP, FORCE = COMBINED_SLIP.phase("slip"), COMBINED_SLIP.phase("force")
LEGACY_SLIP = LEGACY_TIRE.phase("slip")
UP = (0.0, 0.0, 1.0)
LEVER = 3.0  # m, about the largest distance of a contact point from the centre of mass


def tire_bench():
    """A bench of one wheel with simple tire parameters."""
    bench = Bench()
    bench.set_curves("tire_params", 0, TireParams, friction_versus_slip=[[0, 1], [1, 1], [2, 1]],
                     load_filter=[[0, 0], [3, 3]])  # fmt: skip
    bench.set_fields("tire_params", 0, nominal_load=1000.0, lateral_stiffness=1.0, longitudinal_stiffness=1.0)
    bench.set_fields("wheel_params", 0, radius=0.3)
    bench.set_fields("suspension_params", 0, travel=0.3, direction=(0.0, 0.0, -1.0))
    return bench


@function("tire_directions")
def directions(row):
    """Directions of the tire's forces, and camber, by the standard and the legacy tire."""
    bench, frame = tire_bench(), frame_of(row)
    bench.place_body(frame, row)
    bench.attach(frame, row)
    bench.lay_road(frame, row)
    bench.set_fields("steering", 0, angle=row["steer"])
    bench.set_fields("compliance", 0, toe=row["toe"], camber=row["camber"])
    bench.set_fields("suspension", 0, on_ground=int(row["on_ground"]))
    for prefix, entry in (("", SLIP), ("legacy_", LEGACY_SLIP)):
        bench.run(entry)
        t = bench["tire"][0]
        yield f"{prefix}longitudinal", np.array(t["longitudinal"]), frame.vector(row[f"out_{prefix}lng"]), 1.0
        yield f"{prefix}lateral", np.array(t["lateral"]), -frame.vector(row[f"out_{prefix}lat"]), 1.0
        yield f"{prefix}camber", t["camber"], row["out_camber_angle"], 1.0


@function("tire_slip_speeds")
def slip_speeds(row):
    """Longitudinal and lateral slip speed.

    The row gives the tire's forward and left directions; the road is the plane through both, and our slip velocity is
    projected onto them. Where they are zero the wheel is off the ground.
    """
    bench, frame = tire_bench(), frame_of(row)
    bench.place_body(frame, row)
    bench.attach(frame, row)
    forward, left = frame.vector(row["lng"]), frame.vector(row["lat"])
    normal = np.cross(forward, left)
    length = np.linalg.norm(normal)
    if length == 0.0:
        normal, length = np.array(UP), 1.0
    bench.set_fields("suspension", 0, on_ground=int(np.any(forward)), jounce=row["jounce"])
    bench.set_fields("steering", 0, angle=row["steer"])
    bench.set_fields("wheel_params", 0, radius=row["radius"])
    bench.set_fields("road", 0, normal=normal / length, velocity=frame.vector(row["road_vel"]))
    bench.run(SLIP)
    t = bench["tire"][0]
    velocity = t["longitudinal"] * t["longitudinal_speed"] + t["lateral"] * t["lateral_speed"]
    size = np.linalg.norm(row["lin_vel"]) + np.linalg.norm(row["road_vel"]) + np.linalg.norm(row["ang_vel"]) * LEVER
    yield "longitudinal_speed", velocity @ forward, row["out_lng_speed"], size
    yield "lateral_speed", velocity @ left, row["out_lat_speed"], size


@function("tire_slips")
def slips(row):
    """Slips of a wheel on level ground, by the standard and the legacy tire."""
    bench = tire_bench()
    bench.set_fields("body", velocity=(-row["lat_speed"], row["lng_speed"], 0.0))
    bench.set_fields("road", 0, normal=UP, hit=1)
    bench.set_fields("suspension", 0, on_ground=1)
    bench.set_fields("wheel_params", 0, radius=row["radius"])
    bench.set_fields("wheel", 0, omega=row["omega"])
    braked, driven = int(row["is_brake_applied"]), int(row["is_drive_applied"])
    bench.set_fields("actuation", 0, brake_applied=braked, drive_applied=driven)
    bench.set_fields("context", min_lateral_slip_speed=row["min_lat_denom"],
                     min_passive_slip_speed=row["min_passive_lng_denom"],
                     min_active_slip_speed=row["min_active_lng_denom"])  # fmt: skip
    min_speed = row["min_active_lng_denom"] if braked or driven else row["min_passive_lng_denom"]
    terms = abs(row["omega"]) * row["radius"] + abs(row["lng_speed"])
    for prefix, entry in (("", SLIP), ("legacy_", LEGACY_SLIP)):
        bench.run(entry)
        t = bench["tire"][0]
        size = terms / (abs(row["lng_speed"]) + min_speed) if not prefix else 1.0  # the legacy slip is at most about 1
        yield f"{prefix}longitudinal", t["longitudinal_slip"], row[f"out_{prefix}lng_slip"], size
        yield f"{prefix}lateral", t["lateral_slip"], -row[f"out_{prefix}lat_slip"], 1.0


@function("tire_grip")
def grip(row):
    """Filtered load, and friction at the row's slip."""
    bench = tire_bench()
    bench.set_curves("tire_params", 0, TireParams, friction_versus_slip=row["friction_vs_slip"].tolist(),
                     load_filter=row["load_filter"].tolist())  # fmt: skip
    bench.set_fields("tire_params", 0, nominal_load=row["rest_load"])
    bench.set_fields("suspension", 0, on_ground=int(row["on_ground"]), force=row["normal_force"])
    bench.set_fields("road", 0, normal=UP, friction=row["road_friction"])
    # with a radius of 1 m and a denominator of 1 m/s, the slip of a wheel that turns on a body at rest is its omega
    bench.set_fields("wheel_params", 0, radius=1.0)
    bench.set_fields("wheel", 0, omega=row["lng_slip"])
    bench.set_fields("context", min_passive_slip_speed=1.0)
    bench.run(SLIP)
    t = bench["tire"][0]
    yield "load", t["load"], row["out_load"], row["rest_load"] * np.abs(row["load_filter"]).max()
    size = row["road_friction"] * np.abs(row["friction_vs_slip"][:, 1]).max()
    yield "friction", t["friction"], row["out_friction"], size


@function("tire_force")
def tire_force(row):
    """Forces, their torques on the body, and moments of a tire whose slips and load are given."""
    bench, frame = tire_bench(), Frame()
    bench.place_body(frame, row)
    bench.attach(frame, row)
    bench.set_fields("suspension", 0, on_ground=0)
    bench.set_fields("compliance", 0, tire_force_point=frame.vector(row["tire_app"]))
    bench.run(SLIP)  # computes the lever arm of the forces; the row's slips follow below
    bench.set_fields("wheel_params", 0, radius=row["radius"])
    bench.set_fields("tire_params", 0, lateral_stiffness=row["lat_stiff_y"], lateral_stiffness_load=row["lat_stiff_x"],
                     longitudinal_stiffness=row["lng_stiff"], camber_stiffness=row["camber_stiff"],
                     nominal_load=row["rest_load"], rolling_resistance=0.0)  # fmt: skip
    bench.set_fields("tire", 0, load=row["load"], friction=row["friction"], longitudinal_slip=row["lng_slip"],
                     lateral_slip=-row["lat_slip"], camber=row["camber_angle"],
                     longitudinal=frame.vector(row["lng"]), lateral=-frame.vector(row["lat"]))  # fmt: skip
    bench.set_fields("road", 0, surface=NO_SURFACE, rolling_drag=0.0)
    bench.run(FORCE)
    t = bench["tire"][0]
    size, arm = row["load"] * row["friction"], np.array(t["arm"])
    longitudinal_force, lateral_force = t["longitudinal"] * t["longitudinal_force"], t["lateral"] * t["lateral_force"]
    yield "longitudinal_force", longitudinal_force, frame.vector(row["out_lng_force"]), size
    yield "lateral_force", lateral_force, frame.vector(row["out_lat_force"]), size
    lever = size * np.linalg.norm(arm)
    yield "longitudinal_torque", np.cross(arm, longitudinal_force), frame.vector(row["out_lng_torque"]), lever
    yield "lateral_torque", np.cross(arm, lateral_force), frame.vector(row["out_lat_torque"]), lever
    yield "wheel_torque", t["wheel_torque"], row["out_wheel_torque"], size * row["radius"]
    yield "aligning_moment", -t["aligning_moment"], row["out_aligning_moment"], size
