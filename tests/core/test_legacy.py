"""The legacy suspension, tire slips and differential."""

import numpy as np
import pytest
import yaml
from drive_rig import ASPHALT, Drive

from driving_sandbox.physics.differential.legacy import check_wheels
from driving_sandbox.physics.ground.ground import Ground, Heightfield
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.kernel.jit import JIT
from driving_sandbox.physics.maths.quat import from_axis_angle
from driving_sandbox.physics.suspension.legacy import legacy_load, legacy_push
from driving_sandbox.physics.tick.commands import FIRST
from driving_sandbox.physics.tick.context import new_context
from driving_sandbox.physics.tire.legacy import legacy_longitudinal_slip
from driving_sandbox.physics.tire.slip import longitudinal_slip
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle_text

BIAS = 1.4  # speed ratio of the rear wheels above which torque is transferred
ICE = default_surfaces().index("ice")


def legacy_roadster():
    """The roadster with legacy components and no other limited-slip differential."""
    config = yaml.safe_load((VEHICLE_FOLDER / "roadster_simple.yaml").read_text(encoding="utf8"))
    config["components"] = {**config["components"], "suspension": "legacy", "tire": "legacy",
                            "differential": "legacy_four_wheel"}  # fmt: skip
    config["differential"] = {"driven": "rear", "rear_bias": BIAS}
    del config["limited_slip"]
    return load_vehicle_text(yaml.safe_dump(config, sort_keys=False), VEHICLE_FOLDER / "legacy.yaml")


def split_ground():
    """Asphalt under the left wheels, ice under the right ones."""
    heights = np.zeros((65, 3), np.float32)
    surfaces = np.zeros((64, 2), np.uint8)
    surfaces[:, 0], surfaces[:, 1] = ASPHALT, ICE
    return Ground(Heightfield(heights, surfaces, (-16.0, -256.0), 16.0))


@pytest.mark.covers("PX-LEG-07")
def test_the_legacy_suspension_has_the_same_ride_height_but_other_forces_in_a_drop():
    """Both stand at the same height; dropped inclined, their forces differ by 0.1 to 10 % of the largest one."""
    legacy, standard = Drive(legacy_roadster()), Drive("roadster_simple")
    assert legacy.vehicle.sequence.by_slot["suspension"].name == "legacy"
    for drive in (legacy, standard):
        drive.run(3.0)
    assert abs(legacy.position[2] - standard.position[2]) < 1e-3
    assert np.allclose(legacy.wheels("suspension", "jounce"), standard.wheels("suspension", "jounce"), atol=1e-3)
    traces = []
    for drive in (legacy, standard):
        body = drive.vehicle.state["body"][0]
        body["position"][2] += 0.4
        body["orientation"] = from_axis_angle((0.0, 1.0, 0.0), 0.2)
        traces.append(drive.log(1.0, lambda d: d.wheels("suspension", "force").sum()))
    difference = np.abs(traces[0] - traces[1]).max() / traces[1].max()
    assert 1e-3 < difference < 0.1


@pytest.mark.covers("PX-LEG-07")
@pytest.mark.parametrize(("jounce", "force"), [(0.25, 0.8 * 3554.4 + 1059.48), (0.05, 0.8 * 200.0 + 1059.48)])
def test_an_inclined_spring_takes_gravity_along_its_axis_and_the_road_the_rest(jounce, force):
    """d = (0.6, 0, -0.8) on flat ground: a = 7.848, m a = 2354.4 N, 300 kg of g - d a = (-4.71, 0, -3.53) m/s^2."""
    p = legacy_roadster().params["suspension"][0][0]
    for name, value in (("supported_mass", 300.0), ("stiffness", 20e3), ("damping", 1e3), ("travel", 0.3),
                        ("used_rest_distance", 0.1)):  # fmt: skip
        p[name] = value
    push = legacy_push(p, jounce, 0.2, 7.848)  # jounce speed, m/s, and a
    load = legacy_load(p, push, (0.0, 0.0, 1.0), (0.6, 0.0, -0.8), (0.0, 0.0, -9.81))
    assert load == pytest.approx(force)


@pytest.mark.covers("PX-LEG-08")
def test_a_spinning_wheel_slips_by_less_than_one():
    """The legacy slip divides by the larger of both speeds, the usual one by the ground speed."""
    context = new_context(min_active_slip_speed=0.1, min_passive_slip_speed=4.0)
    context = context[0] if JIT else context.view(np.recarray)[0]
    # speeds of the ground and of the rim, m/s; whether the wheel is driven or braked
    assert legacy_longitudinal_slip(1.0, 20.0, 1, context) == pytest.approx(19.0 / 20.1)
    assert longitudinal_slip(1.0, 20.0 / 0.3, 0.3, 0.1) == pytest.approx(19.0 / 1.1)
    assert legacy_longitudinal_slip(1.0, 2.0, 0, context) == pytest.approx(1.0 / 4.0)
    assert legacy_longitudinal_slip(30.0, 27.0, 0, context) == pytest.approx(-3.0 / 30.0)


@pytest.mark.parametrize(
    ("wheels", "fields"),
    [((0, 1, 2, 3), []), ((0, 1, 2, 4), ["rear_right"]), ((1, 1, 2, 3), ["front_right"]),
     ((2, 1, 2, 3), ["rear_left"]), ((0, 0, 0, 3), ["front_right", "rear_left"])],
)  # fmt: skip
def test_a_wheel_of_the_differential_that_is_missing_or_repeated_is_named(wheels, fields):
    params = dict(zip(("front_left", "front_right", "rear_left", "rear_right"), wheels, strict=True))
    assert [field for field, _ in check_wheels(params, 4)] == fields


@pytest.mark.covers("PX-LEG-09")
def test_torque_is_transferred_from_the_wheel_on_ice():
    """Driving off with one side on ice, the rear wheels' speed ratio stays near the bias; an open one spins a wheel."""
    ratio = {}
    for name, vehicle in (("legacy", legacy_roadster()), ("open", "roadster_simple")):
        drive = Drive(vehicle, split_ground())
        if name == "open":
            drive.vehicle.set("limited_slip.rear_bias", 0.0)
        drive.run(1.0)
        drive.run(1.0, gear=FIRST, throttle=0.25)
        speeds = drive.log(1.5, lambda d: d.wheels("wheel", "omega")[2:4], gear=FIRST, throttle=0.25)
        ratio[name] = float(np.median(speeds.max(axis=1) / speeds.min(axis=1)))
    assert ratio["legacy"] < 1.7 * BIAS
    assert ratio["open"] > 4.0 * BIAS
