"""Electronic brakeforce distribution: straight stops with brakes that are too strong at the rear."""

import numpy as np
import pytest
from assist_rig import KMH, coasting, equipped, sideslip, slips, state_of
from row_rig import call, each_wheel

FRONT, REAR = ("fl", "fr"), ("rl", "rr")
STRONG_REAR = {  # {car: values that make its rear brakes too strong}
    "roadster_simple": {**each_wheel("brakes", FRONT, max_torque=700.0),
                        **each_wheel("brakes", REAR, max_torque=1500.0)},
    "coupe": {"abs.enable": False, **each_wheel("brakes", FRONT, max_torque=1500.0),
              **each_wheel("brakes", REAR, max_torque=2400.0)},
}  # fmt: skip
DISTURBANCE = 0.02  # rad/s of yaw at the start, which a car with locked rear wheels amplifies
SETTLING = 36  # samples, 0.3 s, in which the rear brakes' share falls from 1 to what the rear wheels can take


def stop(name, pedal=1.0, **values):
    """(slips of all wheels after SETTLING, magnitudes of sideslip, rad) 120 times a second in a stop from 100 km/h."""
    vehicle = equipped(name, STRONG_REAR[name], brake_distribution="rear_follows_front", stability_control="none")
    vehicle.set_many({f"brake_distribution.{key}": value for key, value in values.items()})
    drive, rows, angles = coasting(vehicle, 100.0 * KMH), [], []
    drive.vehicle.state["body"]["angular_velocity"][0, 2] = DISTURBANCE
    while np.linalg.norm(drive.body("velocity")) > 10.0 * KMH:
        drive.run(1.0 / 120.0, brake=pedal)
        rows.append(slips(drive))
        angles.append(abs(sideslip(drive)))
    return np.array(rows)[SETTLING:], np.array(angles)


@pytest.mark.parametrize("name", sorted(STRONG_REAR))
def test_a_car_with_strong_rear_brakes_stops_straight_and_spins_without_brake_distribution(name):
    wheel_slips, angles = stop(name)
    assert angles.max() < 0.01
    assert wheel_slips.max() < 0.3
    wheel_slips, angles = stop(name, enable=False)
    assert angles.max() > 1.0
    assert wheel_slips[:, 2:].max() > 0.95


@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("pedal", [0.5, 1.0])
def test_the_rear_wheels_follow_the_slip_of_the_front_ones_by_the_margin(margin, pedal):
    """The mean over the first half of the stop is the margin within 0.002, the largest value at most 0.03 more."""
    wheel_slips, _ = stop("coupe", pedal, margin=margin)
    beyond = wheel_slips[:, 2:].max(axis=1) - wheel_slips[:, :2].mean(axis=1)
    assert beyond[: len(beyond) // 2].mean() == pytest.approx(margin, abs=0.002)
    assert beyond.max() < margin + 0.03


def test_brake_distribution_does_not_act_while_the_front_wheels_slip_more():
    drive = coasting(equipped("coupe", brake_distribution="rear_follows_front"), 100.0 * KMH)
    for _ in range(60):
        drive.run(1.0 / 120.0, brake=0.4)
        assert state_of(drive, "brake_distribution")["active"] == 0


def limited(rear_rate, speed=20.0, **values):
    """A fully braked car whose rear wheels turn at `rear_rate` times the speed of rolling, after a step of 10 ms."""
    vehicle = equipped("roadster_simple", brake_distribution="rear_follows_front")
    values = {f"brake_distribution.{key}": value for key, value in values.items()}
    vehicle.set_many({**each_wheel("brakes", FRONT + REAR, max_torque=1000.0), **values})
    tire, wheel = vehicle.state["tire"][0], vehicle.state["wheel"][0]
    tire["longitudinal_speed"][:4], tire["load"][:4] = speed, 3000.0
    wheel["omega"][:4] = speed / vehicle.params["wheel"]["radius"][0, :4] * [1.0, 1.0, rear_rate, rear_rate]
    vehicle.state["response"][0]["brake"], vehicle.state["response"][0]["speed"] = 1.0, speed
    call(vehicle, "brakes")
    call(vehicle, "brake_distribution", dt=0.01)
    return vehicle


@pytest.mark.parametrize("gain", [100.0, 300.0])
@pytest.mark.parametrize("speed", [20.0, -20.0])
def test_the_share_falls_at_the_gain_times_the_slip(gain, speed):
    vehicle = limited(0.98, speed, gain=gain)
    share = 1.0 - gain * 0.02 * 0.01  # a slip of 2 % for 10 ms
    assert vehicle.state["brakes"]["torque"][0, :4] == pytest.approx([1000.0, 1000.0, 1000.0 * share, 1000.0 * share])
    state = vehicle.state["brake_distribution"][0]
    assert state["active"] == 1 and state["share"] == pytest.approx(share) and state["rear_slip"] == pytest.approx(0.02)
    vehicle.state["wheel"]["omega"][0, 2:4] *= 1.03  # they slip less than the front: the share returns
    call(vehicle, "brakes")
    call(vehicle, "brake_distribution", dt=1.0)
    assert state["active"] == 0 and vehicle.state["brakes"]["torque"][0, 2] == pytest.approx(1000.0)


def test_brake_distribution_is_off_when_disabled_below_its_speed_and_with_the_handbrake():
    assert limited(0.9).state["brakes"]["torque"][0, 2] < 1000.0
    assert limited(0.9, enable=False).state["brakes"]["torque"][0, 2] == 1000.0
    for min_velocity, acts in ((4.0, True), (6.0, False)):
        assert (limited(0.9, speed=5.0, min_velocity=min_velocity).state["brakes"]["torque"][0, 2] < 1000.0) == acts
    vehicle = limited(0.9)
    vehicle.state["response"][0]["handbrake"] = 1.0
    call(vehicle, "brake_distribution", dt=0.01)
    assert vehicle.state["brake_distribution"][0]["active"] == 0


def test_a_wheel_in_the_air_does_not_count():
    vehicle = limited(1.0)
    vehicle.state["wheel"]["omega"][0, 3], vehicle.state["tire"]["load"][0, 3] = 0.0, 0.0
    call(vehicle, "brake_distribution", dt=0.01)
    assert vehicle.state["brake_distribution"][0]["active"] == 0
