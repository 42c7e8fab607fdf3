"""Traction control and anti-lock brakes: their switching step by step, and their effect on a car."""

import math

import numpy as np
import pytest
import yaml
from drive_rig import Drive
from row_rig import call, rolling

from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.tick.commands import AUTOMATIC
from driving_sandbox.physics.tick.component import phases_of
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle, load_vehicle_text

CAR = "track_roadster"
RADIUS = 0.289  # m, of its wheels
AXLES = {"mode": "axles", "max_velocity_ratio": 1.1, "min_velocity_ratio": 1.0, "min_velocity": 0.0}
NO_TC, NO_ABS = {"traction_control.enable": False}, {"abs.enable": False}


def aided(slot, name=CAR, **values):
    """A car whose aid ("abs" or "traction_control") compares the speeds of the axles, as Racer describes it."""
    vehicle = load_vehicle(name)
    vehicle.set_many({f"{slot}.{key}": value for key, value in {**AXLES, **values}.items()})
    return vehicle


def step(vehicle, slot, front, rear, speed=20.0, throttle=1.0, brake=1.0, dt=1.0 / 240.0):
    """State of an aid after one step.

    front, rear: angular velocities of the wheels, rad/s.
    speed: of the car, m/s.
    """
    omega = vehicle.state["wheel"][0]["omega"]
    ahead = vehicle.params["suspension"][0]["arm"][: vehicle.wheel_count, 1] > 0.0
    omega[: vehicle.wheel_count] = np.where(ahead, front, rear)
    response, tire = vehicle.state["response"][0], vehicle.state["tire"][0]
    response["throttle"], response["brake"], response["speed"] = throttle, brake, speed
    tire["longitudinal_speed"][: vehicle.wheel_count], tire["load"][: vehicle.wheel_count] = speed, 3000.0
    if slot == "abs":
        call(vehicle, "brakes")
    call(vehicle, slot, dt=dt)
    return vehicle.state[slot][0]


def throttle_of(vehicle):
    """Throttle after the traction control."""
    return float(vehicle.state["response"][0]["throttle"])


# ---- switching


@pytest.mark.covers("RC-TC-03", "RC-TC-04")
def test_traction_control_cuts_above_its_maximum_and_returns_at_its_minimum():
    """The throttle stays cut while the ratio falls from 1.2 to 1.001. At 1.0 it returns, and stays open up to 1.1."""
    vehicle = aided("traction_control")
    steps = ((1.0, 0), (1.09, 0), (1.2, 1), (1.05, 1), (1.001, 1), (1.0, 0), (1.05, 0), (1.099, 0), (1.101, 1))
    for ratio, cut in steps:
        state = step(vehicle, "traction_control", 100.0, 100.0 * ratio)
        assert state["ratio"] == pytest.approx(ratio) and state["active"] == cut
        assert throttle_of(vehicle) == (0.0 if cut else 1.0)
    for largest in (1.3, 1.05):
        vehicle = aided("traction_control", max_velocity_ratio=largest)
        assert step(vehicle, "traction_control", 100.0, 120.0)["active"] == (largest < 1.2)


@pytest.mark.covers("RC-TC-02")
def test_the_ratio_is_of_means_and_inverted_for_front_drive():
    """With two wheels in front and four at the rear, all rolling freely, the ratio is 1.0."""
    text = (VEHICLE_FOLDER / "truck.yaml").read_text(encoding="utf8")
    document = yaml.safe_load(text)
    document.setdefault("components", {})["traction_control"] = "velocity_ratio"
    six = load_vehicle_text(yaml.safe_dump(document), VEHICLE_FOLDER / "truck.yaml")
    assert six.wheel_count == 6
    assert step(six, "traction_control", 30.0, 30.0)["ratio"] == pytest.approx(1.0)
    assert step(six, "traction_control", 30.0, 36.0)["ratio"] == pytest.approx(1.2)
    six.set("traction_control.driven_end", "front")
    assert step(six, "traction_control", 36.0, 30.0)["ratio"] == pytest.approx(1.2)
    assert step(six, "traction_control", 30.0, 36.0)["ratio"] == pytest.approx(1.0 / 1.2)


@pytest.mark.covers("RC-TC-05")
def test_below_its_minimal_speed_traction_control_does_nothing():
    vehicle = aided("traction_control", min_velocity=2.0)
    assert step(vehicle, "traction_control", 3.0, 9.0, speed=1.0)["active"] == 0 and throttle_of(vehicle) == 1.0
    assert step(vehicle, "traction_control", 3.0, 9.0, speed=2.5)["active"] == 1 and throttle_of(vehicle) == 0.0
    vehicle.set("traction_control.min_velocity", 0.0)
    assert step(vehicle, "traction_control", 3.0, 9.0, speed=1.0)["active"] == 1


@pytest.mark.covers("RC-TC-01")
def test_traction_control_switched_off_never_cuts():
    for mode in ("axles", "wheels"):
        vehicle = aided("traction_control", enable=False, mode=mode)
        for ratio in (1.0, 1.2, 3.0, 1.05):
            assert step(vehicle, "traction_control", 100.0, 100.0 * ratio)["active"] == 0
            assert throttle_of(vehicle) == 1.0
        vehicle.set("traction_control.enable", True)
        step(vehicle, "traction_control", 100.0, 300.0)
        assert throttle_of(vehicle) < 1.0


@pytest.mark.covers("RC-ABS-02", "RC-ABS-03")
@pytest.mark.parametrize("slow", ["front", "rear"])
def test_abs_acts_whichever_way_the_ratio_leaves_its_range(slow):
    """ABS is switched on above a ratio of 1.1 and off at 1.0 or below; in between it keeps its state.

    The ratio is the speed of the other axle divided by that of the slower one.
    slow: the axle that turns more slowly at a ratio above 1.
    """
    vehicle = aided("abs")
    for ratio, on in ((1.05, 0), (1.11, 1), (1.05, 1), (1.001, 1), (0.99, 0), (1.05, 0), (1.09, 0), (1.2, 1), (1.0, 0)):
        front, rear = (100.0 / ratio, 100.0) if slow == "front" else (100.0, 100.0 / ratio)
        assert step(vehicle, "abs", front, rear)["active"] == on, ratio
    assert step(aided("abs", max_velocity_ratio=1.3), "abs", 80.0, 100.0)["active"] == 0


@pytest.mark.covers("RC-ABS-05")
@pytest.mark.parametrize("factor", [0.5, 0.2])
def test_active_abs_brakes_with_a_share_of_the_pedal(factor):
    """The pedal is multiplied by the factor on every wheel; the handbrake's torque is not reduced."""
    vehicle = aided("abs", braking_factor=factor)
    assert step(vehicle, "abs", 100.0, 100.0)["pedal"] == pytest.approx(1.0)
    full = vehicle.state["brakes"][0]["torque"][:4].copy()
    assert step(vehicle, "abs", 50.0, 100.0)["pedal"] == pytest.approx(factor)
    assert vehicle.state["brakes"][0]["torque"][:4] == pytest.approx(factor * full)
    assert step(vehicle, "abs", 50.0, 100.0, brake=0.6)["pedal"] == pytest.approx(0.6 * factor)
    vehicle.state["response"][0]["handbrake"] = 1.0
    step(vehicle, "abs", 50.0, 100.0)
    assert vehicle.state["brakes"][0]["torque"][2] == pytest.approx(factor * full[2] + 1300.0)  # of the handbrake


def test_in_wheel_mode_each_brake_is_released_separately():
    """Brakes of slipping wheels are eased at the release rate, held between the ratios, then applied again."""
    vehicle = aided("abs", mode="wheels", min_velocity_ratio=1.05, release_rate=20.0, apply_rate=5.0)
    rate, share = 20.0 / RADIUS, 1.0
    for ratio, change in ((1.2, -20.0), (1.2, -20.0), (1.07, 0.0), (1.04, 5.0), (1.07, 0.0)):
        step(vehicle, "abs", rate, rate / ratio, dt=0.01)
        share += change * 0.01
        shares = vehicle.state["brakes"][0]["torque"][:4] / [1800.0, 1800.0, 800.0, 800.0]  # of the max_torque
        assert shares == pytest.approx([1.0, 1.0, share, share])
    assert step(aided("abs"), "abs", 5.0, 5.0)["active"] == 0  # the ratio of axles does not detect four locking wheels
    assert step(aided("abs", mode="wheels"), "abs", 5.0, 5.0)["active"] == 1


@pytest.mark.parametrize("mode", ["axles", "wheels"])
def test_aids_work_in_reverse_as_they_do_forward(mode):
    """The minimum speed counts in both directions."""
    for speed, acts in ((-20.0, 1), (-2.9, 0), (2.9, 0), (20.0, 1)):
        rate = speed / RADIUS
        vehicle = aided("traction_control", mode=mode, min_velocity=3.0)
        step(vehicle, "traction_control", rate, 1.5 * rate, speed=speed)
        assert (throttle_of(vehicle) < 1.0) == acts, speed
        assert step(aided("abs", mode=mode, min_velocity=3.0), "abs", 0.5 * rate, rate, speed=speed)["active"] == acts


def test_a_wheel_that_spins_in_the_air_costs_no_throttle():
    vehicle, rate = aided("traction_control", mode="wheels"), 20.0 / RADIUS
    step(vehicle, "traction_control", rate, rate)
    vehicle.state["tire"][0]["load"][3] = 0.0
    vehicle.state["wheel"][0]["omega"][3] = 3.0 * rate
    call(vehicle, "traction_control", dt=0.01)
    assert throttle_of(vehicle) == 1.0
    vehicle.state["tire"][0]["load"][3] = 1.0
    call(vehicle, "traction_control", dt=0.01)
    assert throttle_of(vehicle) < 1.0


def test_per_wheel_traction_control_cuts_and_returns_throttle_at_its_rates():
    vehicle = aided("traction_control", mode="wheels", min_velocity_ratio=1.05, cut_rate=10.0, return_rate=2.0)
    rate = 20.0 / RADIUS
    for ratio, change in ((1.2, -10.0), (1.2, -10.0), (1.07, 0.0), (1.04, 2.0)):
        before = float(vehicle.state["traction_control"][0]["share"])
        after = step(vehicle, "traction_control", rate, rate * ratio, dt=0.01)["share"]
        assert after - before == pytest.approx(change * 0.01)
        assert throttle_of(vehicle) == pytest.approx(after)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("abs.min_velocity_ratio", 1.2, "must be below max_velocity_ratio"),
        ("abs.max_velocity_ratio", 1.0, "greater than 1"),
        ("abs.braking_factor", 1.2, "less than or equal to 1"),
        ("abs.mode", "wheel", "axles, wheels"),
        ("traction_control.min_velocity_ratio", 1.12, "must be below max_velocity_ratio"),
        ("traction_control.min_velocity", -1.0, "greater than or equal to 0"),
        ("traction_control.enable", 1, "boolean"),
    ],
)
def test_bad_values_are_refused(path, value, message):
    with pytest.raises(SchemaError, match=message):
        load_vehicle(CAR).set(path, value)


def test_a_vehicle_whose_sequence_lacks_the_slot_of_an_aid_is_refused():
    document = yaml.safe_load((VEHICLE_FOLDER / "planar_roadster.yaml").read_text(encoding="utf8"))
    document["components"] = {**document.get("components", {}), "abs": "velocity_ratio"}
    with pytest.raises(ConfigError, match="abs"):
        load_vehicle_text(yaml.safe_dump(document), VEHICLE_FOLDER / "planar_roadster.yaml")


def test_brakes_that_cannot_be_eased_are_refused():
    document = yaml.safe_load((VEHICLE_FOLDER / "patrol.yaml").read_text(encoding="utf8"))
    document["components"] = {**document.get("components", {}), "abs": "velocity_ratio"}
    with pytest.raises(ConfigError, match="needs brakes with a max_torque"):
        load_vehicle_text(yaml.safe_dump(document), VEHICLE_FOLDER / "patrol.yaml")


@pytest.mark.parametrize("name", ["clubsport", "buggy", "hatchback"])
def test_aids_are_inserted_into_sequences_without_them(name):
    """Anti-lock brakes run after the brakes, traction control after the pedals; one step of each works."""
    document = yaml.safe_load((VEHICLE_FOLDER / f"{name}.yaml").read_text(encoding="utf8"))
    document.setdefault("components", {}).update(abs="velocity_ratio", traction_control="velocity_ratio")
    document.pop("traction_control", None)  # the car's own settings
    vehicle = load_vehicle_text(yaml.safe_dump(document), VEHICLE_FOLDER / f"{name}.yaml")
    slots = [phase.component.slot for phase in phases_of(vehicle.sequence.entries)]
    between = {"brake_distribution", "stability_control"}  # empty slots of the clubsport
    order = [slot for slot in slots if slot not in between]
    assert order.index("traction_control") == order.index("response") + 1
    assert order.index("abs") == order.index("brakes") + 1
    assert step(vehicle, "abs", 50.0, 100.0)["active"] == 1
    assert step(vehicle, "traction_control", 50.0, 100.0)["active"] == 1 and throttle_of(vehicle) == 0.0


# ---- on the road


def stop(surface, steer=0.0, values=None, speed=28.0):
    """(stopping distance, displacement to the right), m, with the full brake pedal.

    steer: steering command in the first 1.5 s.
    speed: initial speed, m/s.
    """
    drive = Drive(CAR, plane_ground(surface=surface), values=values).run(2.0)
    rolling(drive, speed)
    start, time = drive.position, 0.0
    while drive.speed > 0.3 and time < 12.0:
        drive.run(0.02, brake=1.0, steer=steer if time < 1.5 else 0.0)
        time += 0.02
    displacement = drive.position - start
    return math.hypot(displacement[0], displacement[1]), float(displacement[0])


@pytest.mark.parametrize("surface", ["asphalt", "asphalt_wet"])
def test_per_wheel_abs_shortens_a_stop_and_keeps_the_steering(surface):
    """The stop is shorter by more than 10 %; locked front wheels hardly turn the car."""
    assert stop(surface)[0] < 0.9 * stop(surface, values=NO_ABS)[0]
    with_abs, without_abs = stop(surface, steer=0.5)[1], stop(surface, steer=0.5, values=NO_ABS)[1]
    assert with_abs > 3.0 * abs(without_abs) and with_abs > 5.0


@pytest.mark.covers("RC-ABS-01")
def test_without_abs_wheels_lock_on_ice():
    locked = {}
    for name, values in (("off", NO_ABS), ("on", {})):
        drive = Drive(CAR, plane_ground(surface="ice"), values=values).run(2.0)
        rolling(drive, 15.0)
        omega = drive.log(1.5, lambda d: d.wheels("wheel", "omega"), brake=1.0)[50:]
        locked[name] = float((np.abs(omega) < 1.0).mean())
    assert locked["off"] > 0.95 and locked["on"] < 0.2


@pytest.mark.covers("RC-ABS-04")
def test_abs_leaves_slow_wheels_alone():
    """Below the minimum speed of 3 m/s it is off and a locked wheel stays locked."""
    values = {"abs.min_velocity": 3.0, "abs.mode": "wheels"}
    drive = Drive(CAR, plane_ground(surface="ice"), values=values).run(2.0)
    rolling(drive, 5.0)
    samples = drive.log(5.0, lambda d: (d.speed, float(d.vehicle.state["abs"][0]["active"]),
                                     float(np.abs(d.wheels("wheel", "omega")).max())), brake=1.0)  # fmt: skip
    slow = samples[(samples[:, 0] < 2.9) & (samples[:, 0] > 0.5)]
    assert samples[samples[:, 0] > 3.5][:, 1].any() and len(slow) > 20
    assert not slow[:, 1].any() and np.abs(slow[5:, 2]).max() < 1e-6


def launch(surface, values=None, length=60.0):
    """(time in s for the first `length` metres at full throttle, rows of throttle share, ratio and activity)."""
    drive = Drive(CAR, plane_ground(surface=surface), values=values).run(2.0, brake=1.0)
    start, time, samples = drive.position[1], 0.0, []
    while drive.position[1] - start < length and time < 20.0:
        drive.run(0.02, throttle=1.0, gear=AUTOMATIC)
        aid = drive.vehicle.state["traction_control"][0]
        samples.append((float(aid["share"]), float(aid["ratio"]), int(aid["active"])))
        time += 0.02
    return time, np.array(samples)


@pytest.mark.parametrize("surface", ["asphalt", "asphalt_wet"])
def test_per_wheel_traction_control_shortens_a_launch(surface):
    hasty = {"clutch.launch_omega": 450.0}  # rad/s, at which the tires cannot hold the engine's torque on dry asphalt
    (aided_time, aided_rows), (unaided_time, unaided_rows) = launch(surface, hasty), launch(surface, hasty | NO_TC)
    assert aided_time < 0.93 * unaided_time
    assert aided_rows[:, 0].min() < 0.8 and np.all(unaided_rows[:, 0] == 1.0)


def test_in_axle_mode_the_throttle_is_shut_whenever_the_ratio_is_above_its_maximum():
    """This is tried in a launch on wet asphalt with a largest ratio of 1.1."""
    values = {f"traction_control.{key}": value for key, value in AXLES.items()}
    _, samples = launch("asphalt_wet", values, length=25.0)
    above = samples[:, 1] > 1.1
    assert above.any() and np.all(samples[above, 0] == 0.0) and (samples[:, 0] == 1.0).any()
