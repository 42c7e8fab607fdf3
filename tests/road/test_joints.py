"""Joints of slabs: their mean over the contact patch, and what wheels and suspension get of them."""

from dataclasses import replace

import numpy as np
import pytest
from test_query_sweep import run, set_rolling, wheels, world

from driving_sandbox.benchmarks.sweep import with_query
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.ground.roughness import joint_height
from driving_sandbox.physics.ground.surfaces import SurfaceTable, default_surfaces, load_surfaces
from driving_sandbox.physics.kernel.jit import ROOT, kernel
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

SECONDS, RATE = 2.0, 240  # of a drive; ticks per second


@kernel
def heights(spacing, width, depth, points, length, out):
    for k in range(len(points)):
        out[k] = joint_height(spacing, width, depth, points[k, 0], points[k, 1], length)


def gaps(points, spacing, width, depth):
    """Heights at points, not averaged."""
    away = np.abs(points - spacing * np.round(points / spacing))
    return np.where((away < 0.5 * width).any(axis=1), -depth, 0.0)


@pytest.mark.parametrize("length", [0.03, 0.15, 3.0, 12.0])
def test_a_height_is_the_mean_over_a_square(length):
    """Also where that is smaller than a gap or longer than several slabs."""
    spacing, width, depth = 5.0, 0.05, 0.01
    points = np.random.default_rng(4).uniform(-12.0, 12.0, (6, 2))
    points[:4, 1] = [5.02, -4.99, 0.03, -10.0]  # at joints
    points[0, 0] = 0.01
    found = np.zeros(len(points))
    heights(spacing, width, depth, points, length, found)
    grid = (np.arange(1500) + 0.5) / 1500 - 0.5
    square = length * np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    expected = [gaps(point + square, spacing, width, depth).mean() for point in points]
    assert found == pytest.approx(expected, abs=1e-3 * depth)
    assert min(expected) < 0.0


def slabs(**joints):
    """A table whose concrete is smooth and has these joints; without any: none."""
    smooth = {"roughness_amplitude": 0.0, "joint_spacing": 5.0, "joint_width": 0.02, "joint_depth": 0.0, **joints}
    surfaces = default_surfaces().surfaces
    return SurfaceTable(tuple(replace(s, **smooth) if s.name == "concrete" else s for s in surfaces))


def drive(speed, query="sweep", **joints):
    """Unevenness, m, and suspension force, N, of the wheels [ticks, 4] of a car that rolls along y over slabs, its
    speeds, m/s, and its wheelbase, m.
    """
    ground = plane_ground(surface="concrete", surfaces=slabs(**joints))
    w = world(ground, vehicle=with_query(load_vehicle("roadster_simple"), query), smooth=False)
    w.place(0, (2.5, 1.0), 0.0)
    run(w, 1.0, brake=1.0)
    set_rolling(w.vehicles[0], speed)
    rows = []
    for _ in range(round(SECONDS * RATE)):
        run(w, w.tick_seconds)
        velocity = w.vehicles[0].state["body"]["velocity"][0, 1]
        rows.append([*wheels(w, "road", "unevenness"), *wheels(w, "suspension", "force"), velocity])
    unevenness, force, speeds = np.split(np.array(rows), (4, 8), axis=1)
    points = wheels(w, "road", "point")[:, 1]
    return unevenness, force, speeds[:, 0], points[0] - points[2]


def dips(unevenness):
    """Times, in ticks, at which a wheel is in the middle of each joint."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], unevenness < 0.0, [False]])))
    weights, ticks = -unevenness, np.arange(len(unevenness))
    return np.array([np.average(ticks[a:b], weights=weights[a:b]) for a, b in edges.reshape(-1, 2)])


@pytest.mark.parametrize("query", ["sweep", "ray"])
@pytest.mark.parametrize("speed", [10.0, 20.0])
@pytest.mark.parametrize("spacing", [2.5, 4.0])
def test_wheels_dip_into_joints_at_the_speed_by_their_spacing(speed, spacing, query):
    """Within 1 %; rear wheels a wheelbase after those in front."""
    unevenness, _, speeds, wheelbase = drive(speed, query, joint_spacing=spacing, joint_depth=0.005)
    distance = np.cumsum(speeds) / RATE
    for wheel in range(4):
        times = dips(unevenness[:, wheel])
        assert len(times) >= 4
        mean_speed = speeds[int(times[0]) : int(times[-1])].mean()
        assert RATE * (len(times) - 1) / np.ptp(times) == pytest.approx(mean_speed / spacing, rel=0.01)
    front, rear = (np.interp(dips(unevenness[:, wheel]), np.arange(len(distance)), distance) for wheel in (0, 2))
    late = (rear[:3] - front[0] - wheelbase) / spacing  # in slabs
    assert late == pytest.approx(np.round(late), abs=0.02)


def test_suspensions_feel_joints_in_proportion_to_their_depth():
    level, shallow, deep = (drive(15.0, joint_depth=depth)[1] for depth in (0.0, 0.005, 0.01))
    felt = [abs(force - level).max(axis=0) for force in (shallow, deep)]
    print("\nforce of joints of 5 and 10 mm at 15 m/s, N:", np.round(felt, 1).tolist())
    assert (felt[0] > 5.0).all()
    assert felt[1] == pytest.approx(2.0 * felt[0], rel=0.2)


def test_the_roughness_of_a_wheel_is_a_factor_on_joints():
    """Half of it halves the dips, none leaves slabs level."""
    lowest = []
    for factor in (1.0, 0.5, 0.0):
        w = world(plane_ground(surface="concrete", surfaces=slabs(joint_depth=0.01)), smooth=False,
                  values={f"road.{wheel}.roughness": factor for wheel in ("fl", "fr", "rl", "rr")})  # fmt: skip
        w.place(0, (2.5, 2.5), 0.0)
        set_rolling(w.vehicles[0], 10.0)
        heights = []
        for _ in range(RATE // 2):
            run(w, w.tick_seconds)
            heights.append(wheels(w, "road", "unevenness"))
        lowest.append(np.min(heights))
    assert lowest == pytest.approx([lowest[0], 0.5 * lowest[0], 0.0], rel=0.02)
    assert lowest[0] < -0.0005


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("joint_width: 0.02", "joint_width: 6"), ("concrete.joint_width", "between 0.001 and 1")),
        (("spacing: 5.0\n    joint_width: 0.02", "spacing: 0.2\n    joint_width: 0.2"), ("less than joint_spacing",)),
        (("    joint_depth: 0.01\n", ""), ("concrete.joint_spacing", "joint_depth")),
        (("joint_depth", "joint_deep"), ("concrete.joint_deep", 'did you mean "joint_depth"')),
    ],
)
def test_wrong_joints_are_named(change, parts, tmp_path):
    path = tmp_path / "surfaces.yaml"
    good = (ROOT / "configs" / "surfaces" / "default.yaml").read_text()
    assert change[0] in good
    path.write_text(good.replace(*change))
    with pytest.raises(ConfigError) as error:
        load_surfaces(path)
    assert all(part in str(error.value) for part in parts), error.value


def test_surfaces_without_joints_load_and_have_none(tmp_path):
    lines = (ROOT / "configs" / "surfaces" / "default.yaml").read_text().splitlines()
    path = tmp_path / "surfaces.yaml"
    path.write_text("\n".join(line for line in lines if not line.strip().startswith("joint_")))
    table = load_surfaces(path)
    assert table[table.index("concrete")].joint_depth == 0.0
    assert default_surfaces()[default_surfaces().index("concrete")].joint_depth > 0.0
