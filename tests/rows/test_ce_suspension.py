"""Rules of CryEngine's documentation: axes, wheels, springs, dampers and stabilizer of the patrol car."""

import math

import numpy as np
import pytest
from drive_rig import Drive, field_ground
from patrol_rig import (
    FIRST,
    NO_LOSSES,
    TICK,
    WHEELS,
    drive,
    each_wheel,
    falling,
    from_text,
    go,
    grip,
    in_gear,
    record,
    roll,
)
from plain_tires import plain_text
from stingray_rig import pitch_and_roll, wheel_in_body

from driving_sandbox.physics.maths.quat import rotate, rotate_inverse
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY, SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.suspension.stabilizer import StabilizerParams, derive
from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text
from driving_sandbox.physics.wheel.rim import edge_compression

G = 9.81  # m/s^2
CENTRED = {"body.centre_of_mass": [0.0, 0.0, 0.62]}  # m, midway between the wheels
PIVOTS = {"fl": [-0.82, 1.475, 0.8], "fr": [0.82, 1.475, 0.8], "rl": [-0.82, -1.475, 0.8], "rr": [0.82, -1.475, 0.8]}


def placed(initial=0.4, **pivots):
    """Values for placing the wheels by pivots and initial spring lengths, m, instead of by the model."""
    values = each_wheel("suspension", place_from="values", len_initial=initial)
    return values | {f"suspension.{w}.pivot": p for w, p in {**PIVOTS, **pivots}.items()}


def spring_lengths(d):
    """Lengths of the springs, m."""
    return d.vehicle.params["suspension"]["len_max"][0, :4] - d.wheels("suspension", "jounce")


@pytest.mark.covers("CE-FRAME-01")
@pytest.mark.parametrize("heading", [0.0, 0.7, -2.5])
def test_the_car_drives_along_its_own_y_axis(heading):
    d = drive(seconds=0.5, heading=heading)
    q, start = d.vehicle.model_orientation(), d.position
    go(d, 3.0, throttle=1.0)
    displacement = np.array(rotate_inverse(q, tuple((d.position - start).tolist())))
    assert displacement[1] > 10.0 and displacement[1] > 0.99 * np.linalg.norm(displacement)
    assert rotate(q, (0.0, 0.0, 1.0)) == pytest.approx((0.0, 0.0, 1.0), abs=1e-3)
    d = falling().run(0.5)
    assert d.body("velocity") == pytest.approx((0.0, 0.0, -0.5 * G), abs=1e-6)


@pytest.mark.covers("CE-WHEEL-02")
def test_wheels_with_the_flag_are_driven_the_others_roll():
    for driven in (("fl", "fr"), ("rl",), WHEELS):
        vehicle = load_vehicle("patrol")
        vehicle.set_many(
            {**each_wheel("differential", driving=False), **each_wheel("differential", driven, driving=True)}
        )
        assert len(vehicle.geometry.hulls) == 1 and vehicle.wheel_count == 4
        d = in_gear(falling({p: vehicle.get(p) for p in vehicle.changed_values()}), FIRST)
        go(d, 0.1, throttle=1.0)
        assert tuple(np.array(WHEELS)[d.wheels("actuation", "drive_torque") > 0.0]) == driven


@pytest.mark.covers("CE-WHEEL-03")
def test_with_front_wheel_drive_the_slippery_front_wheel_spins_up_and_the_rear_wheels_roll():
    sides = {**grip(0.1, ("fl", "rl")), **grip(1.0, ("fr", "rr"))}
    d = drive({**each_wheel("differential", ("rl", "rr"), driving=False), **sides})
    go(d, 1.2, throttle=1.0)
    rim_speeds = d.wheels("wheel", "omega") * d.vehicle.params["wheel"]["radius"][0, :4]
    assert rim_speeds[0] > d.speed + 3.0
    assert rim_speeds[2:] == pytest.approx(d.speed, abs=0.3) and d.speed > 0.5


@pytest.mark.covers("CE-WHEEL-04")
def test_nearly_mirrored_wheels_of_an_axle_are_made_mirror_images():
    vehicle = load_vehicle("patrol")
    vehicle.set_many(placed(fl=[-0.80, 1.480, 0.81], fr=[0.84, 1.470, 0.79]))
    attachments = vehicle.params["suspension"]["attachment"][0]
    assert attachments[0].tolist() == pytest.approx([-0.82, 1.475, 0.80]) and attachments[0, 0] == -attachments[1, 0]
    assert attachments[0, 1:].tolist() == attachments[1, 1:].tolist()
    vehicle.set("suspension.fr.axle", 5)
    assert vehicle.params["suspension"]["attachment"][0, 0].tolist() == [-0.80, 1.480, 0.81]
    vehicle.set_many({"suspension.fr.axle": 0, **placed(fr=[0.82, 1.30, 0.80])})  # too far from mirror images
    assert vehicle.params["suspension"]["attachment"][0, 1].tolist() == [0.82, 1.30, 0.80]


@pytest.mark.covers("CE-SUSP-01")
def test_a_raised_wheel_moves_the_others_only_with_the_body():
    step = field_ground(lambda x, y: np.where((abs(x + 0.82) < 0.6) & (abs(y - 1.475) < 0.6), 0.05, 0.0), 32.0, 0.5)
    flat = drive(seconds=3.0, ground=field_ground(lambda x, y: 0.0 * x, 32.0, 0.5))
    d = drive(seconds=3.0, ground=step)
    assert spring_lengths(flat)[0] - spring_lengths(d)[0] > 0.01
    # sine of the roll angle; cosine of the total tilt
    tilt, up = (rotate(d.vehicle.model_orientation(), axis)[2] for axis in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    # 0.115 m: half width of the wheels; 0.4 m: their radius
    # m, by which the edge of a leaning tread lies below its middle, less the yielding of the tread
    edge_drop = 0.115 * abs(tilt) - edge_compression(tilt, 0.115, d.vehicle.params["road"]["edge_lean"][0, 0])
    centre_height = 0.4 * math.sqrt(1.0 - tilt * tilt) + edge_drop  # m, of a leaning wheel above the road
    for k, wheel in enumerate(WHEELS):
        centre = wheel_in_body(d, k)
        pivot = d.vehicle.params["suspension"]["attachment"][0, k]
        assert centre[:2] == pytest.approx(pivot[:2], abs=1e-9)
        assert centre[2] == pytest.approx(pivot[2] - spring_lengths(d)[k])
        if wheel != "fl":
            height = d.position[2] + rotate(d.vehicle.model_orientation(), tuple(pivot.tolist()))[2]
            assert spring_lengths(d)[k] == pytest.approx((height - centre_height) / up, abs=2e-4)


def in_modelled_pose(**values):
    """The car before the first tick, with the model's origin on flat ground."""
    d = Drive(load_vehicle("patrol"), values=values)
    d.world.place(0, (0.0, 0.0, 0.0), 0.0)
    return d


@pytest.mark.covers("CE-SUSP-02")
def test_the_wheel_hangs_its_initial_length_below_the_pivot():
    d = in_modelled_pose(**placed(0.4)).run(TICK)
    for k, wheel in enumerate(WHEELS):
        x, y, z = PIVOTS[wheel]
        assert wheel_in_body(d, k) == pytest.approx((x, y, z - 0.4), abs=2e-5)


@pytest.mark.covers("CE-SUSP-03")
def test_the_modelled_pose_is_the_one_at_rest():
    d = in_modelled_pose()
    samples = d.log(5.0, lambda d: [*spring_lengths(d), *d.body("velocity")], every=TICK, gear=NEUTRAL)
    assert np.abs(samples[:, :4] - 0.4).max() < 1e-3 and np.abs(samples[:, 4:]).max() < 5e-3
    other = in_modelled_pose(**each_wheel("suspension", len_max=0.6))
    assert np.abs(other.log(3.0, spring_lengths, every=0.1) - 0.4).max() < 1e-3
    raised = in_modelled_pose(**placed(0.45))  # longer springs at rest lift the car
    assert raised.log(5.0, spring_lengths)[-1] == pytest.approx(0.45, abs=1e-3)


@pytest.mark.covers("CE-SUSP-04")
@pytest.mark.parametrize("longest", [0.54, 0.62])
def test_every_spring_of_a_lifted_car_is_relaxed(longest):
    d = falling(each_wheel("suspension", len_max=longest)).run(0.3)
    assert (d.wheels("suspension", "jounce") == 0.0).all() and not d.wheels("suspension", "force").any()
    for k, wheel in enumerate(WHEELS):
        assert wheel_in_body(d, k)[2] == pytest.approx(0.8 - longest, abs=1e-6), wheel
    d = drive({**each_wheel("suspension", len_max=longest), **CENTRED}, seconds=4.0)
    k = d.vehicle.params["suspension"]["stiffness"][0, :4]
    assert d.wheels("suspension", "force") == pytest.approx(k * (longest - spring_lengths(d)), rel=1e-3)


@pytest.mark.covers("CE-SUSP-05")
def test_stiffness_is_that_of_the_load_in_the_modelled_pose():
    vehicle = load_vehicle("patrol")
    vehicle.set_many({"body.mass": 3000.0, **CENTRED, **placed(0.4), **each_wheel("suspension", len_max=0.5)})
    k = vehicle.params["suspension"]["stiffness"][0]
    assert k[:4] == pytest.approx(73575.0, rel=1e-9)  # N/m: a quarter of the weight over 0.1 m of compression
    vehicle.set("body.centre_of_mass", [0.0, 0.3, 0.62])
    assert (k[:2] > 73575.0).all() and (k[2:4] < 73575.0).all()
    assert (k[:4].sum(), k[0] * 2.95 * 2) == pytest.approx((4 * 73575.0, 3000 * G * (1.475 + 0.3) / 0.1), rel=1e-9)


@pytest.mark.covers("CE-SUSP-06")
@pytest.mark.parametrize(("stiffness", "compression"), [(30000.0, 0.131), (45000.0, 0.0872)])  # N/m, m
def test_a_given_stiffness_is_that_of_the_spring(stiffness, compression):
    values = {"body.mass": 1600.0, **CENTRED, **each_wheel("suspension", given_stiffness=stiffness)}
    d = drive(values, seconds=6.0)
    assert d.wheels("suspension", "jounce") == pytest.approx(compression, rel=0.01)


def released(push=0.02, seconds=2.0, **values):
    """(height of the body above its rest position, m, in every tick after its release `push` m below it; drive)."""
    car = {**NO_LOSSES, **CENTRED, "body.mass": 3000.0, **placed(0.4), **each_wheel("suspension", len_max=0.5),
           "driving_state.sleep_speed_vehicle": 0.0}  # fmt: skip
    d = drive({**car, **each_wheel("suspension", given_damping=-1.0)}, seconds=4.0)
    rest = d.body("position")[2]
    d.run(3.0, force=(0.0, 0.0, -push * 4 * 73575.0))
    assert rest - d.body("position")[2] == pytest.approx(push, rel=0.02)
    d.vehicle.set_many(each_wheel("suspension", **values))
    return d.log(seconds, lambda d: d.body("position")[2] - rest, every=TICK), d


@pytest.mark.covers("CE-SUSP-07")
@pytest.mark.parametrize("damping", [1200.0, 2400.0])
def test_a_given_damping_is_that_of_the_damper(damping):
    z, _ = released(given_damping=damping)
    peaks = [i for i in range(1, len(z) - 1) if z[i] > z[i - 1] and z[i] >= z[i + 1] and z[i] > 5e-4]
    decrement = math.log(z[peaks[0]] / z[peaks[1]])
    ratio = decrement / math.hypot(2.0 * math.pi, decrement)
    assert ratio == pytest.approx(damping / (2.0 * math.sqrt(73575.0 * 750.0)), rel=0.05)  # N/m; kg on a wheel


@pytest.mark.covers("CE-SUSP-08")
def test_a_damping_that_is_not_positive_is_a_multiple_of_the_critical():
    z, d = released(given_damping=-1.0)
    # N s/m, critical: 2 sqrt(k m) with 73575 N/m and 750 kg
    assert d.vehicle.params["suspension"]["damping"][0, :4] == pytest.approx(14857.0, abs=0.5)
    assert z.max() < 2e-4  # 1 % of the push
    z, d = released(given_damping=-0.3)
    assert d.vehicle.params["suspension"]["damping"][0, :4] == pytest.approx(0.3 * 14857.0, rel=1e-4)
    assert z.max() == pytest.approx(0.02 * math.exp(-math.pi * 0.3 / math.sqrt(1 - 0.09)), rel=0.1)
    z, d = released(given_damping=0.0, seconds=4.0)
    assert not d.vehicle.params["suspension"]["damping"][0, :4].any() and z[-240:].max() > 0.018


def cornering_roll(stabilizer):
    """(roll angle, rad; lateral acceleration, m/s^2), both positive, in a steady bend of about 0.5 g."""
    bend = each_wheel("steering", limit_at_rest=0.0, limit_per_speed=0.0, max_angle=math.atan(2.95 * 0.5 * G / 12.0**2))
    d = roll(drive({**NO_LOSSES, **grip(1.0), **bend, "antiroll.stabilizer": stabilizer}), 12.0)
    d.run(2.0, gear=NEUTRAL, steer=-1.0)
    rows = d.log(1.0, lambda d: [pitch_and_roll(d)[1], d.body("acceleration")[0]], gear=NEUTRAL, steer=-1.0)
    return np.abs(rows.mean(axis=0))


@pytest.mark.covers("CE-ARB-01")
def test_a_stabilizer_reduces_roll_in_bends():
    rolls = [cornering_roll(s) for s in (0.0, 0.5, 1.0, 2.5)]
    assert [a for _, a in rolls] == pytest.approx([0.5 * G] * 4, rel=0.12)
    angles = [r for r, _ in rolls]
    assert angles[0] > 1.15 * angles[1] and angles[1] > 1.1 * angles[2] and angles[2] > 1.2 * angles[3] > 0.0
    # the roll stiffness of a bar adds to the springs': k (1 + 2 s)
    assert angles[2] / angles[0] == pytest.approx(1.0 / 3.0, rel=0.2)


def test_every_axle_has_a_bar_up_to_the_largest_number_of_axles():
    """Ten axles of two wheels each, 1 m apart, with springs of 1000 N/m."""
    wheels = np.zeros(WHEEL_CAPACITY, [("attachment", float, 3), ("stiffness", float), ("axle", np.int64)])
    axles = np.arange(WHEEL_CAPACITY) // 2
    wheels["attachment"][:, 0], wheels["attachment"][:, 1] = np.tile((-0.8, 0.8), len(axles) // 2), axles
    wheels["stiffness"], wheels["axle"] = 1000.0, axles
    params = np.zeros(1, StabilizerParams.dtype)[0]
    params["stabilizer"] = 0.5
    derive(params, wheels, WHEEL_CAPACITY)
    lists = {name: params[name]["values"][: params[name]["count"]].tolist() for name in ("wheel_a", "wheel_b")}
    assert lists == {"wheel_a": list(range(0, WHEEL_CAPACITY, 2)), "wheel_b": list(range(1, WHEEL_CAPACITY, 2))}
    assert params["stiffness"]["values"].tolist() == [500.0] * (WHEEL_CAPACITY // 2)


@pytest.mark.covers("CE-ARB-01")
def test_a_stabilizer_does_nothing_on_bumps_that_both_wheels_meet():
    bumps = field_ground(lambda x, y: 0.05 * np.sin(y / 2.0), 64.0, 0.5)
    heights = []
    for stabilizer in (0.0, 2.5):
        d = roll(drive({"antiroll.stabilizer": stabilizer}, ground=bumps), 8.0)
        heights.append(record(d, 2.0, "body.position.z", "antiroll.torque.y", gear=NEUTRAL))
    assert heights[0][:, 0] == pytest.approx(heights[1][:, 0], abs=1e-6) and np.ptp(heights[0][:, 0]) > 0.02
    vehicle = load_vehicle("patrol")
    vehicle.set("antiroll.stabilizer", 0.5)
    k = vehicle.params["suspension"]["stiffness"][0]
    assert vehicle.get("antiroll.stiffness") == pytest.approx([0.5 * k[0], 0.5 * k[2]])
    assert (vehicle.get("antiroll.wheel_a"), vehicle.get("antiroll.wheel_b")) == ([0, 2], [1, 3])
    vehicle.set_many({"suspension.fl.given_stiffness": 20e3, "suspension.fr.given_stiffness": 50e3})
    # from the mean stiffness of the two springs
    assert vehicle.get("antiroll.stiffness") == pytest.approx([0.5 * 35e3, 0.5 * k[2]])


def test_a_stabilizer_pairs_the_wheels_of_other_suspensions_by_their_positions():
    lines = plain_text("buggy").splitlines()
    lines = [line for line in lines if not line.startswith(("antiroll:", "components:"))]
    lines += ["components: {antiroll: stabilizer, tire: combined_slip}", "antiroll: {stabilizer: 0.8}"]
    vehicle = load_vehicle_text("\n".join(lines), str(VEHICLE_FOLDER / "other.yaml"))
    k = vehicle.params["suspension"]["stiffness"][0]
    assert vehicle.get("antiroll.stiffness") == pytest.approx([0.8 * k[0], 0.8 * k[2]])


def test_wrong_suspension_values_are_refused():
    with pytest.raises(ConfigError, match=r"suspension.len_max: of wheel fl must be above len_initial \(0.4 m\)"):
        from_text(("len_max: 0.54", "len_max: 0.4"))
    with pytest.raises(ConfigError, match="suspension.len_initial: of wheel fl must be given"):
        from_text(("place_from: model", "place_from: values"))
    with pytest.raises(SchemaError, match="the centre of mass lies outside the wheels"):
        load_vehicle("patrol").set("body.centre_of_mass", [0.0, 1.6, 0.62])
    with pytest.raises(SchemaError, match=r"suspension.fl.given_damping: -11.*must be greater than or equal to -10"):
        load_vehicle("patrol").set("suspension.fl.given_damping", -11)
