"""The rigid body's exact rotation, impulses, and the rays of the road query, on rows of the reference tables."""

import math

import numpy as np
from frame_adapter import Frame, frame_of
from table_harness import compact_rows
from wheel_bench import Bench

from driving_sandbox.physics.body.rigid_body import BODY, inverse_inertia_times
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.road.query import RAY_QUERY


def same_rotation(a, b, tolerance=1e-5):
    """Whether two unit quaternions are one rotation; a quaternion and its negative are.

    tolerance: largest difference of a component.
    """
    return (
        1.0 - abs(float(np.dot(a, b))) <= tolerance**2 + 1e-12
        or min(np.abs(np.subtract(a, b)).max(), np.abs(np.add(a, b)).max()) <= tolerance
    )


def test_rigid_body_pose_is_the_exact_rotation():
    """The reference's normalised Euler step turns by 2 atan(angle / 2), ours by the angle itself."""
    frame, rotating_rows = Frame(), 0
    for row in compact_rows("rigid_body"):
        bench = Bench()
        bench.place_body(frame, row)
        bench.set_fields(
            "body", velocity=frame.vector(row["out_lin_vel"]), angular_velocity=frame.vector(row["out_ang_vel"])
        )
        bench.run(BODY.phase("pose"), row["dt"])
        position, orientation = frame.pose(row["out_pose"])
        assert np.allclose(bench["body"]["position"], position, rtol=1e-6, atol=1e-6)
        spin = np.linalg.norm(row["out_ang_vel"])
        rotating_rows += spin > 0.5
        angle = spin * row["dt"]
        axis = frame.vector(row["out_ang_vel"]) / spin
        correction = quat.from_axis_angle(tuple(axis.tolist()), 2.0 * math.atan(angle / 2.0) - angle)
        corrected = quat.multiply(correction, tuple(float(c) for c in bench["body"]["orientation"]))
        assert same_rotation(corrected, orientation)
    assert rotating_rows > 10


def test_external_impulses_change_momentum_by_their_amount():
    bench = Bench()
    q = quat.from_axis_angle((0.6, 0.0, 0.8), 0.7)
    inertia = (300.0, 500.0, 700.0)
    bench.set_fields("body_params", mass=800.0, inertia=inertia)
    bench.set_fields("body", orientation=q, velocity=(1.0, 2.0, 3.0), angular_velocity=(0.1, 0.2, 0.3))
    bench.set_fields("external", impulse=(800.0, -1600.0, 400.0), angular_impulse=(50.0, 60.0, -70.0))
    bench.run(BODY.phase("begin"))
    assert np.allclose(bench["body"]["velocity"], (2.0, 0.0, 3.5), rtol=1e-14)
    rate_change = np.array(bench["body"]["angular_velocity"]) - (0.1, 0.2, 0.3)
    local = np.array(quat.rotate_inverse(q, tuple(rate_change.tolist()))) * inertia
    assert np.allclose(quat.rotate(q, tuple(local.tolist())), (50.0, 60.0, -70.0), rtol=1e-12)
    assert np.allclose(inverse_inertia_times(q, inertia, (50.0, 60.0, -70.0)), rate_change, rtol=1e-12)


def test_rays_of_the_road_query_begin_and_end_where_the_references_do():
    """A plane through a point of the reference's ray is hit there, one beyond its end is not."""
    rays = 0
    for row in compact_rows("wheel_pose"):
        frame = frame_of(row)
        start, direction = frame.vector(row["out_ray_start"]), frame.vector(row["out_ray_dir"])
        length = row["out_ray_dist"]
        if direction[2] > -0.3:
            continue  # the plane is level and is seen from above only
        rays += 1
        for fraction, expected in ((0.001, True), (0.5, True), (0.999, True), (1.001, False), (-0.001, False)):
            point = start + direction * length * fraction
            bench = Bench(ground=plane_ground(float(point[2])))
            bench.place_body(frame, row)
            bench.attach(frame, row)
            bench.set_fields("wheel_params", 0, radius=row["radius"])
            bench.set_fields("steering", 0, angle=row["steer"])
            bench.set_fields("road_params", 0, roughness=0.0)
            bench.run(RAY_QUERY)
            road = bench["road"][0]
            assert bool(road["hit"]) == expected, fraction
            if expected:
                assert np.abs(road["point"] - point).max() < 1e-4
                assert np.allclose(road["normal"], (0.0, 0.0, 1.0)) and abs(road["offset"] + point[2]) < 1e-4
    assert rays > 5
