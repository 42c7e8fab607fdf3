"""Hull parts of whole vehicles: what each blocks, what is left out, and what their masses do on the road."""

import math
import sys

import numpy as np
import pytest
import trimesh
from plain_tires import plain_text

from driving_sandbox.physics.body.pick import cast_at_hull
from driving_sandbox.physics.ground.arrays import FRICTION
from driving_sandbox.physics.ground.ground import Ground, Plane
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text

sys.path[:0] = [str(ROOT / "tests" / "core"), str(ROOT / "tests" / "contact")]
from contact_rig import Box, block  # noqa: E402
from drive_rig import GRAVITY, Drive, slope_ground  # noqa: E402

SECOND = FIRST + 1
TO_GLTF = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]])  # from z up to y up


def box(size, at=(0, 0, 0)):
    """A box mesh of this size with its centre at a point, m."""
    return trimesh.creation.box(size).apply_translation(at)


@pytest.fixture
def car(tmp_path):
    """car({name: mesh}, contact) -> hatchback on plain tires with this model and these contact values."""

    def load(parts, contact="{}"):
        scene = trimesh.Scene()
        for name, mesh in parts.items():
            scene.add_geometry(mesh.copy().apply_transform(TO_GLTF), node_name=name, geom_name=name)
        path = tmp_path / f"model{len(list(tmp_path.iterdir()))}.glb"
        path.write_bytes(scene.export(file_type="glb"))
        lines = [
            line
            for line in plain_text("hatchback").replace("models/hatchback.glb", str(path)).splitlines()
            if not line.startswith("contact:")
        ]
        return load_vehicle_text("\n".join([*lines, f"contact: {contact}", ""]))

    return load


def rests_on(vehicle, x, y):
    """Whether the falling hull, without wheels, touches a narrow post at (x, y), 0.2 m below it."""
    hull = vehicle.params["contact"]["hull"].copy()
    centre = vehicle.params["body"]["centre_of_mass"][0]
    post = block((x - centre[0] - 0.05, y - centre[1] - 0.05, -9), (x - centre[0] + 0.05, y - centre[1] + 0.05, -1.2))
    probe = Box(Ground(Plane(-9.0, 0), [post]), (0, 0, 0))
    probe.hull = hull.view(type(probe.hull)) if isinstance(probe.hull, np.recarray) else hull
    probe.body["position"] = (0.0, 0.0, -1.2 - hull["low"][0][2] + 0.2)
    return probe.run(0.4)[:, 7].max() > 0  # number of contacts


PARTS = {"hull1": box((1.0, 1.0, 0.4), (0, 0, 0.8)), "hull2": box((1.0, 1.0, 0.4), (0, 2, 0.8)),
         "hull3": box((1.0, 1.0, 0.4), (0, -2, 0.8))}  # fmt: skip


@pytest.mark.covers("CE-HULL-01")
def test_three_parts_are_three_shapes_that_each_rest_on_a_post(car):
    vehicle = car(PARTS, "{wheels_touch: false}")
    assert vehicle.params["contact"]["hull"]["part_count"][0] == 3
    for k, y in enumerate((0, 2, -2)):
        assert cast_at_hull(vehicle.geometry, (0, 0, 0), (0, 0, 0, 1), (0, y, -5), (0, 0, 1))[0] == f"hull{k + 1}"
        assert rests_on(vehicle, 0.0, float(y))
    assert not rests_on(vehicle, 0.0, 1.0)  # between two of them


@pytest.mark.covers("CE-HULL-02")
def test_a_post_passes_through_an_excluded_part(car):
    """An excluded part lets the post through, any other part stops it. A ray hits both."""
    for excluded, stopped in ((1, False), (0, True)):
        vehicle = car(PARTS, f"{{wheels_touch: false, part_excluded: [0, {excluded}, 0], part_mass: [1, 1, 1]}}")
        assert rests_on(vehicle, 0.0, 2.0) == stopped
        assert rests_on(vehicle, 0.0, 0.0)
        assert cast_at_hull(vehicle.geometry, (0, 0, 0), (0, 0, 0, 1), (0, 2, -5), (0, 0, 1))[0] == "hull2"


@pytest.mark.covers("CE-MASS-01")
def test_a_far_part_without_mass_leaves_mass_and_inertia_bit_identical(car):
    body = {"hull1": box((1.6, 4.0, 0.8), (0, 0.1, 0.6))}
    contact = "{mass_from: model, part_mass: [1200, 0], part_excluded: [0, 1]}"
    alone = car(body, "{mass_from: model, part_mass: [1200]}")
    both = car({**body, "hull2": box((1, 1, 1), (0, 90, 5))}, contact)
    for path in ("body.mass", "body.centre_of_mass", "body.inertia"):
        assert np.array_equal(alone.get(path), both.get(path))


BALLAST = {"hull1": box((1.5, 3.8, 0.8), (0, 0, 1.0)), "hull2": box((1.3, 3.0, 0.3), (0, 0, 1.0))}


def with_ballast(car, mass=1500.0, rise=0.0):
    """A hatchback whose mass, kg, is in a part that is not drawn; rise: m by which this part is raised."""
    return car(
        BALLAST,
        f"{{mass_from: model, part_flags: [1, 0], part_excluded: [0, 1], part_mass: [0, {mass}], "
        f"part_zoffset: [0, {rise}]}}",
    )


def stands_on_a_tilt_table(vehicle, degrees):
    """Whether the wheels of both sides still carry a car that stands forces a slope with plenty of friction."""
    ground = slope_ground(degrees)
    ground.arrays.surfaces[:, FRICTION : FRICTION + 4] = 3.0
    drive = Drive(vehicle, ground, heading=math.pi / 2)
    drive.run(4.0, brake=1.0, handbrake=1.0)
    forces = drive.wheels("suspension", "force")
    return min(forces[[0, 2]].sum(), forces[[1, 3]].sum()) > 0.0


@pytest.mark.covers("CE-MASS-02", "CE-HULL-04")
def test_lowering_the_massive_part_lowers_the_centre_of_mass_and_tips_later(car):
    high, low = with_ballast(car), with_ballast(car, rise=-0.4)
    assert high.get("body.centre_of_mass")[2] == pytest.approx(1.0, abs=1e-6)
    assert high.get("body.centre_of_mass")[2] - low.get("body.centre_of_mass")[2] == pytest.approx(0.4, abs=1e-12)
    third = with_ballast(car, rise=-0.3)
    assert high.get("body.centre_of_mass")[2] - third.get("body.centre_of_mass")[2] == pytest.approx(0.3, abs=1e-12)
    track = abs(high.get("suspension.fl.attachment")[0]) * 2.0
    limits = [math.degrees(math.atan(track / 2.0 / v.get("body.centre_of_mass")[2])) for v in (high, low)]
    assert limits[1] > limits[0] + 5.0
    between = 0.5 * sum(limits)
    assert not stands_on_a_tilt_table(high, between) and stands_on_a_tilt_table(low, between - 5.0)


@pytest.mark.covers("CE-MASS-03")
def test_masses_add_up_and_twice_the_mass_accelerates_half_as_fast(car):
    loaded = car(BALLAST, "{mass_from: model, part_excluded: [0, 1], part_mass: [317.25, 982.5]}")
    assert loaded.get("body.mass") == pytest.approx(317.25 + 982.5, abs=1e-9)
    speed_changes = []
    for mass in (700.0, 1400.0):
        vehicle = with_ballast(car, mass, -0.6)
        names = vehicle.wheel_names
        vehicle.set_many({"engine.torque_curve": [[0, 1], [1, 1]], "engine.peak_torque": 30.0, "engine.inertia": 0.01,
                          "engine.damping_full_throttle": 0.0, "engine.natural_share": 1.0, "aero.drag_area": 0.0,
                          "clutch.strength": 100.0, "traction_control.enable": False,
                          **{f"wheel.{w}.mass": 1.0 for w in names}, **{f"wheel.{w}.damping": 0.0 for w in names},
                          **{f"tire.{w}.rolling_resistance": 0.0 for w in names}})  # fmt: skip
        drive = Drive(vehicle).run(3.0)
        ratio = vehicle.get("gearbox.ratios")[SECOND] * vehicle.get("gearbox.final_ratio")
        drive.vehicle.state["body"][0]["velocity"] = (0.0, 12.0, 0.0)
        rolling = 12.0 / vehicle.params["wheel"][0]["radius"][:4]
        drive.vehicle.state["wheel"][0]["omega"][:4] = rolling
        drive.vehicle.state["engine"][0]["omega"] = rolling[0] * ratio
        drive.run(1.5, gear=SECOND, throttle=1.0)
        before = drive.speed
        drive.run(1.0, gear=SECOND, throttle=1.0)
        speed_changes.append(drive.speed - before)
    print(f"{speed_changes} m/s in a second")
    assert 0.1 < speed_changes[0] < GRAVITY * 0.5
    assert speed_changes[1] / speed_changes[0] == pytest.approx(0.5, rel=0.05)
