"""The rigid body, wheel poses and rays against the reference tables."""

import math

import numpy as np
import pytest
from core_tables import close, marked, rows
from frame_adapter import Frame, frame_of
from wheel_bench import Bench, lone

from physics import quat
from physics.body.rigid_body import BODY, inverse_inertia_times
from physics.contact.gyroscopic import gyroscopic_step
from physics.road.ground import plane_ground
from physics.road.query import RAY_QUERY
from physics.wheel.wheel import WHEEL


def same_rotation(a, b, tolerance=1e-5):
    """Whether two unit quaternions are one rotation."""
    return 1.0 - abs(float(np.dot(a, b))) <= tolerance**2 + 1e-12 or min(
        np.abs(np.subtract(a, b)).max(), np.abs(np.add(a, b)).max()
    ) <= tolerance


def test_frames_agree_with_the_reference():
    """The adapter takes a pose from two frames of a row to the same place."""
    for row in rows("frames"):
        position, turn = Frame(row["src"]).pose(row["transform"])
        moved, turned = Frame(row["dst"]).pose(row["out_transform"])
        scale = row["dst_scale"] / row["src_scale"]
        assert close(moved, position * scale, np.abs(position).max() * scale)
        assert same_rotation(turn, turned)


def test_rigid_body_velocities():
    """The reference has no gyroscopic term: its spin, put through our gyroscopic step, is ours."""
    frame = Frame()
    for row in rows("rigid_body"):
        bench = Bench(int(sum(row["wheels_per_axle"])))
        bench.place_body(frame, row)
        bench.fill("body_params", mass=row["mass"], inertia=np.abs(frame.vector(row["moi"])))
        forces = row["w_forces"]
        ids = row["wheel_ids"][: bench["wheel_count"]].astype(int)
        torque = frame.vector(row["ext_torque"])
        for slot, wheel in enumerate(ids):
            push, lift, along, across, turn_along, turn_across = (frame.vector(v) for v in forces[wheel])
            size_along, size_across = np.linalg.norm(along), np.linalg.norm(across)
            bench.fill("suspension", slot, force_vector=push)
            bench.fill("tire", slot, longitudinal_force=size_along, lateral_force=-size_across,
                       longitudinal=along / size_along if size_along else along,
                       lateral=-across / size_across if size_across else across)  # fmt: skip
            torque = torque + lift + turn_along + turn_across
        bench.fill("external", force=frame.vector(row["ext_force"]), torque=torque)
        bench.fill("antiroll", torque=frame.vector(row["antiroll_torque"]) * row["has_antiroll"])
        bench.fill("context", gravity=frame.vector(row["gravity"]))
        bench.run(BODY.phase("velocity"), row["dt"])
        speed = np.abs(forces).max() * 8 / row["mass"] * row["dt"] + np.abs(row["out_lin_vel"]).max()
        assert close(bench["body"]["velocity"], frame.vector(row["out_lin_vel"]), speed)
        reference = lone(np.zeros(1, bench["body"].dtype))
        reference["orientation"] = bench["body"]["orientation"]
        reference["angular_velocity"] = frame.vector(row["out_ang_vel"])
        gyroscopic_step(reference, bench["body_params"]["inertia"], row["dt"])
        inertia = np.abs(row["moi"]).min()
        spin = np.abs(forces).max() * 8 / inertia * row["dt"] + np.abs(row["out_ang_vel"]).max()
        assert close(bench["body"]["angular_velocity"], reference["angular_velocity"], 3.0 * spin)


def test_rigid_body_pose_is_the_exact_rotation():
    """The reference's normalised Euler step turns by 2 atan(angle / 2), ours by the angle itself."""
    frame, turning = Frame(), 0
    for row in rows("rigid_body"):
        bench = Bench()
        bench.place_body(frame, row)
        bench.fill("body", velocity=frame.vector(row["out_lin_vel"]), angular_velocity=frame.vector(row["out_ang_vel"]))
        bench.run(BODY.phase("pose"), row["dt"])
        position, turned = frame.pose(row["out_pose"])
        assert close(bench["body"]["position"], position, np.abs(row["out_pose"][:3]).max() + 1.0)
        spin = np.linalg.norm(row["out_ang_vel"])
        turning += spin > 0.5
        angle = spin * row["dt"]
        axis = frame.vector(row["out_ang_vel"]) / spin
        undone = quat.from_axis_angle(tuple(axis.tolist()), 2.0 * math.atan(angle / 2.0) - angle)
        theirs = quat.multiply(undone, tuple(float(c) for c in bench["body"]["orientation"]))
        assert same_rotation(theirs, turned)
    assert turning > 10


def test_impulses_from_outside_change_momentum_by_themselves():
    bench = Bench()
    q = quat.from_axis_angle((0.6, 0.0, 0.8), 0.7)
    inertia = (300.0, 500.0, 700.0)
    bench.fill("body_params", mass=800.0, inertia=inertia)
    bench.fill("body", orientation=q, velocity=(1.0, 2.0, 3.0), angular_velocity=(0.1, 0.2, 0.3))
    bench.fill("external", impulse=(800.0, -1600.0, 400.0), angular_impulse=(50.0, 60.0, -70.0))
    bench.run(BODY.phase("begin"))
    assert np.allclose(bench["body"]["velocity"], (2.0, 0.0, 3.5), rtol=1e-14)
    turn = np.array(bench["body"]["angular_velocity"]) - (0.1, 0.2, 0.3)
    local = np.array(quat.rotate_inverse(q, tuple(turn.tolist()))) * inertia
    assert np.allclose(quat.rotate(q, tuple(local.tolist())), (50.0, 60.0, -70.0), rtol=1e-12)
    assert np.allclose(inverse_inertia_times(q, inertia, (50.0, 60.0, -70.0)), turn, rtol=1e-12)


@pytest.mark.covers("PX-WHEEL-01")
def test_drawn_angle_of_slow_free_wheels_follows_the_ground():
    bench, blended = Bench(), 0
    for row in rows("wheel_rotation_angle"):
        braked, driven = int(row["is_brake_applied"]), int(row["is_drive_applied"])
        bench.fill("wheel_params", 0, radius=row["radius"])
        bench.fill("actuation", 0, brake_applied=braked, drive_applied=driven)
        bench.fill("suspension", 0, jounce=row["jounce"])
        bench.fill("tire", 0, longitudinal_speed=row["lng_speed"])
        bench.fill("context", wheel_angle_speed=row["threshold"])
        bench.fill("wheel", 0, omega=row["omega"], rotation_angle=row["angle"])
        bench.run(WHEEL, row["dt"])
        w = bench["wheel"][0]
        rim = abs(row["omega"]) + abs(row["lng_speed"]) / row["radius"]
        assert w["omega"] == row["omega"]  # only the picture changes
        blended += row["out_corrected_omega"] != row["out_omega"]
        assert close(w["corrected_omega"], row["out_corrected_omega"], rim)
        apart = w["rotation_angle"] - row["out_angle"]
        apart -= round(apart / (2 * math.pi)) * 2 * math.pi  # a whole turn may be taken off a step later
        assert close(apart, 0.0, 10.0 + abs(row["angle"]) + rim * row["dt"])
        assert abs(w["rotation_angle"]) <= 2 * math.pi
    assert blended > 3


@pytest.mark.covers("PX-SUSP-06")
def test_wheel_poses():
    bench = Bench()
    for row in rows("wheel_pose"):
        frame = frame_of(row)
        bench.place_body(frame, row)
        bench.attach(frame, row)
        bench.fill("wheel_params", 0, radius=row["radius"])
        jounce = row["susp_travel"] if marked(row["jounce"]) else row["jounce"]
        bench.fill("suspension", 0, jounce=jounce)
        bench.fill("compliance", 0, toe=row["toe"], camber=row["camber"])
        bench.fill("steering", 0, angle=row["steer"])
        bench.fill("wheel", 0, rotation_angle=row["rotation"])
        bench.run(WHEEL, 0.0)
        position, turn = frame.pose(row["out_world_pose"])
        w = bench["wheel"][0]
        assert close(w["position"], position, np.abs(position).max() + 1.0)
        assert same_rotation(w["orientation"], turn, 3e-5)


def test_rays_of_the_road_query():
    """A plane through a point of the reference's ray is hit there, one beyond its end is not."""
    used = 0
    for row in rows("wheel_pose"):
        frame = frame_of(row)
        start, direction = frame.vector(row["out_ray_start"]), frame.vector(row["out_ray_dir"])
        length = row["out_ray_dist"]
        if direction[2] > -0.3:
            continue  # the plane is level and is seen from above only
        used += 1
        for share, expected in ((0.001, True), (0.5, True), (0.999, True), (1.001, False), (-0.001, False)):
            point = start + direction * length * share
            bench = Bench(ground=plane_ground(float(point[2])))
            bench.place_body(frame, row)
            bench.attach(frame, row)
            bench.fill("wheel_params", 0, radius=row["radius"])
            bench.fill("steering", 0, angle=row["steer"])
            bench.fill("road_params", 0, roughness=0.0)
            bench.run(RAY_QUERY)
            road = bench["road"][0]
            assert bool(road["hit"]) == expected, share
            if expected:
                assert np.abs(road["point"] - point).max() < 1e-4
                assert np.allclose(road["normal"], (0.0, 0.0, 1.0)) and abs(road["offset"] + point[2]) < 1e-4
    assert used > 5
