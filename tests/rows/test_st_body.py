"""Stingray's format: axes, hull, mass, inertia, vehicle types and disabled vehicles, from the file to the moving
car."""

import numpy as np
import pytest
from drive_rig import GRAVITY, Drive
from stingray_rig import car, drive, falling, read, roll
from stingray_samples import BOX, ORIGIN, TRACK, WHEELBASE, block, changed, written

from driving_sandbox.formats.stingray import load_stingray
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC, FIRST
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.world.world import World

CUBOID = {"cuboid": {"mass_factor": 1.0 / 12.0}}


def inertia(**changes):
    """Moments of inertia (pitch, roll, yaw) of the changed sample, kg m^2."""
    return np.array(car(**changes).get("body.inertia"))


def method_and_inertia(**parts):
    """(name of the method, moments of inertia in kg m^2) of a car whose file has this section on inertia."""
    v = car(chassis__moment_of_inertia=parts)
    return v.get("body.method"), np.array(v.get("body.inertia"))


def yaw_acceleration(d, speed=15.0, steer=-0.1):
    """Yaw acceleration, rad/s^2, in the first tick after a step of the steering; speed: m/s."""
    roll(d, speed).run(0.3)
    before = d.body("angular_velocity")[2]
    d.run(d.dt, steer=steer)
    return (d.body("angular_velocity")[2] - before) / d.dt


@pytest.mark.covers("ST-FRAME-01")
def test_the_nose_points_along_y_and_springs_push_up():
    d = drive()
    assert rotate(d.vehicle.model_orientation(), (0.0, 1.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0), abs=1e-6)
    force = d.wheels("suspension", "force_vector")
    assert np.all(force[:, 2] > 3000.0) and np.abs(force[:, :2]).max() < 1.0
    d.run(3.0, gear=FIRST, throttle=0.5)
    assert d.position[1] > 2.0 and abs(d.position[0]) < 0.01
    assert d.wheels("wheel", "position")[:2, 1].min() > d.wheels("wheel", "position")[2:, 1].max() + 2.0


@pytest.mark.covers("ST-HULL-01")
def test_the_chassis_shape_gives_the_centre_of_mass_and_collides():
    v = car(chassis__center_of_mass_offset=None)
    assert v.get("body.centre_of_mass") == pytest.approx(ORIGIN, abs=1e-6)
    d = Drive(v)
    v.put((0.0, 0.0, 2.2), (0.0, 1.0, 0.0, 0.0))  # on its back, the roof 0.6 m above the ground
    d.run(3.0)
    assert read(d, "contact.hull_contact_count") > 0
    assert read(d, "body.position.z") == pytest.approx(0.5 * BOX[2], abs=0.02)
    assert d.wheels("suspension", "on_ground").sum() == 0


@pytest.mark.covers("ST-MASS-01")
def test_mass_reads_back_and_resists_force():
    d = falling(chassis__mass=1730.0)
    v = d.vehicle
    assert v.get("body.mass") == 1730.0
    assert sum(v.get(f"suspension.{w}.supported_mass") for w in v.wheel_names) == pytest.approx(1730.0, rel=1e-12)
    d.run(1.0, force=(1730.0, 0.0, 0.0))
    assert d.body("velocity")[0] == pytest.approx(1.0, rel=1e-2)  # slightly less because of air


def tipping_threshold(offset):
    """Lateral acceleration at which both wheels of a side leave the ground, m/s^2.

    offset: height of the centre of mass above that of the shape, m.
    """
    d = drive(chassis__center_of_mass_offset=[0.0, 0.0, offset])
    d.vehicle.set_many({f"road.{w}.min_friction": 5.0 for w in d.vehicle.wheel_names})
    mass = d.vehicle.get("body.mass")
    for push in np.arange(2.0, 25.0, 0.25):
        d.run(0.25, force=(mass * push, 0.0, 0.0), brake=1.0)  # push: m/s^2
        if d.wheels("tire", "load")[[0, 2]].max() == 0.0:
            return push
    raise AssertionError("never lifts")


@pytest.mark.covers("ST-MASS-02")
def test_a_car_with_a_lower_centre_of_mass_tips_later_and_one_further_ahead_loads_the_front():
    high, low = tipping_threshold(0.1), tipping_threshold(-0.4)
    assert low > 1.5 * high
    for threshold, height in ((high, ORIGIN[2] + 0.1), (low, ORIGIN[2] - 0.4)):
        assert threshold == pytest.approx(GRAVITY * TRACK / (2.0 * height), rel=0.15)
    ahead = drive(chassis__center_of_mass_offset=[0.0, 0.3, -0.35]).wheels("tire", "load")
    share = 0.5 + 0.3 / WHEELBASE
    assert ahead[:2].sum() / ahead.sum() == pytest.approx(share, abs=0.01)


@pytest.mark.covers("ST-MASS-03")
def test_raw_moments_are_taken_as_they_are():
    raw = [1100.0, 900.0, 1300.0]
    for ignored_parts in ({}, CUBOID, {"mass_factor": 0.055, "responsiveness": 0.2}):
        d = falling(chassis__moment_of_inertia={"raw": raw, **ignored_parts})
        assert d.vehicle.get("body.inertia") == raw
    impulse = np.zeros(1, EXTERNAL)
    impulse["angular_impulse"] = (0.0, 0.0, 650.0)
    d.ticks(d.commands(1), impulse)
    assert read(d, "body.angular_velocity.z") == pytest.approx(0.5, rel=1e-9)


@pytest.mark.covers("ST-MASS-04")
def test_moments_of_inertia_are_those_of_a_cuboid_of_the_shapes_size():
    """The shape is that of the chassis; the cuboid is solid and has the car's mass."""
    width, length, height = BOX
    moments = inertia()
    assert moments == pytest.approx([2665.0, 650.0, 2825.0], abs=0.01)  # kg m^2
    squares = np.array([length**2 + height**2, width**2 + height**2, width**2 + length**2])
    assert moments == pytest.approx(1500.0 / 12.0 * squares, rel=1e-6)


@pytest.mark.covers("ST-MASS-05")
def test_scales_of_the_cuboid_act_by_axis():
    scaled = {"cuboid": {"mass_factor": 1.0 / 12.0, "scale": [1.0, 1.0, 0.5]}}
    assert inertia(chassis__moment_of_inertia=scaled) == pytest.approx([2665.0, 650.0, 1412.5], abs=0.01)
    quick, plain = drive(chassis__moment_of_inertia=scaled), drive()
    for d in (quick, plain):
        roll(d, 15.0).run(0.3)
        d.run(0.1, steer=-0.1)
    assert read(quick, "body.angular_velocity.z") > 1.3 * read(plain, "body.angular_velocity.z") > 0.0


@pytest.mark.covers("ST-MASS-06")
def test_the_mass_factor_scales_cuboid_and_default_but_not_raw():
    for wrap in (lambda f: {"cuboid": {"mass_factor": f}}, lambda f: {"mass_factor": f}):
        light, heavy = (inertia(chassis__moment_of_inertia=wrap(f)) for f in (0.04, 0.08))
        assert light == pytest.approx(0.5 * heavy, rel=1e-12)
    raw = {"raw": [1000.0, 1000.0, 1000.0], "mass_factor": 0.04}
    assert inertia(chassis__moment_of_inertia=raw).tolist() == [1000.0] * 3


@pytest.mark.covers("ST-MASS-07")
def test_half_the_responsiveness_turns_in_twice_as_hard():
    yaw_accelerations = [yaw_acceleration(drive(chassis__moment_of_inertia={"responsiveness": r})) for r in (0.45, 0.9)]
    assert yaw_accelerations[1] > 0.5 and yaw_accelerations[0] / yaw_accelerations[1] == pytest.approx(2.0, rel=0.03)
    slow, quick = (inertia(chassis__moment_of_inertia={"responsiveness": r}) for r in (0.9, 0.45))
    assert slow[:2].tolist() == quick[:2].tolist()


@pytest.mark.covers("ST-MASS-08")
def test_raw_comes_before_cuboid_before_default():
    raw, cuboid = {"raw": [1100.0, 900.0, 1300.0]}, {"cuboid": {"mass_factor": 0.08, "scale": [1.0, 1.0, 0.5]}}
    default = {"mass_factor": 0.055, "responsiveness": 0.9}
    full = 12.0 * np.array([2665.0, 650.0, 2825.0])  # kg m^2, for a mass factor of 1
    for parts, name, moments in (({**raw, **cuboid, **default}, "raw", raw["raw"]),
                                 ({**cuboid, **default}, "cuboid", full * 0.08 * (1.0, 1.0, 0.5)),
                                 (default, "default", full * 0.055 * (1.0, 1.0, 0.9))):  # fmt: skip
        assert method_and_inertia(**parts) == (name, pytest.approx(moments, abs=0.01))


@pytest.mark.covers("ST-FORM-02")
def test_a_vehicle_that_is_not_enabled_is_drawn_and_not_simulated(tmp_path):
    unit = load_stingray(written(tmp_path, block(), changed(block(), name="parked", enabled=False)), folder=tmp_path)
    world = World(plane_ground(), [imported.vehicle for imported in unit.values() if imported.enabled])
    assert [v.name for v in world.vehicles] == ["sample"]
    assert not unit["parked"].enabled
    drawn = unit["parked"].vehicle.geometry  # a model with hull and wheels is all that drawing needs
    assert drawn.path == tmp_path / "parked.glb" and {"j_body@body.full", "wheel1", "wheel4"} <= set(drawn.nodes)


@pytest.mark.covers("ST-ARCH-01")
def test_numbers_of_wheels_out_of_range_are_refused_and_six_wheels_drive():
    for count in (2, 3):
        with pytest.raises(ConfigError, match=f"a car has 4 to 20 wheels in pairs, not {count}"):
            car(wheels=changed(block())["wheels"][:count])
    with pytest.raises(ConfigError, match="a tank has 4 to 20 wheels in pairs, not 22"):
        car(axles=11, model="tank")
    six = Drive(car(axles=3)).run(2.0, brake=1.0).run(4.0, gear=AUTOMATIC, throttle=0.5)
    assert six.speed > 3.0


@pytest.mark.covers("ST-ARCH-01")
def test_a_tank_of_twenty_wheels_turns_those_of_a_side_together():
    d = Drive(car(axles=10, model="tank")).run(1.0, brake=1.0)
    d.run(3.0, gear=FIRST, throttle=0.7)
    assert d.speed > 1.0
    d.run(0.5, gear=FIRST, throttle=0.7, steer=1.0)
    omega = d.wheels("wheel", "omega")
    assert np.ptp(omega[0::2]) < 1e-9 and np.ptp(omega[1::2]) < 1e-9
    assert omega[0] > omega[1] + 1.0
