"""Sticky tires: at rest on a slope, thresholds of speed and time, release by the throttle."""

import numpy as np
import pytest
from drive_rig import Drive, slope_ground
from plain_tires import on_plain_tires
from row_rig import NO_AIR, each_wheel, rolling

from driving_sandbox.physics.ground.arrays import ROLLING_DRAG
from driving_sandbox.physics.tick.commands import FIRST

TICK = 1.0 / 240.0  # s
NEVER_STICKS = {
    "contact.longitudinal_speed": 0.0,
    "contact.lateral_speed": 0.0,
}  # thresholds at which no tire ever sticks


def sticks(drive):
    """(longitudinal, lateral) sticky flags of the wheels."""
    return drive.wheels("tire", "sticky_longitudinal"), drive.wheels("tire", "sticky_lateral")


@pytest.mark.covers("PX-STICK-01")
@pytest.mark.parametrize("heading", [0.0, 0.8, np.pi / 2])
def test_a_braked_car_rests_on_a_slope(heading):
    """On 5 degrees it stays below 1 mm/s and within 0.1 mm for 60 s. Without sticky tires it creeps by more than 1 mm
    in 20 s."""
    drive = Drive("roadster_simple", slope_ground(5.0), heading=heading).run(3.0, brake=1.0)
    log = drive.log(60.0, lambda d: [*d.body("velocity"), *d.body("position")], every=TICK, brake=1.0)
    assert np.linalg.norm(log[:, :3], axis=1).max() < 1e-3
    assert np.ptp(log[:, 3:], axis=0).max() < 1e-4
    drive = Drive("roadster_simple", slope_ground(5.0), heading=heading, values=NEVER_STICKS).run(3.0, brake=1.0)
    before = drive.position
    assert np.linalg.norm(drive.run(20.0, brake=1.0).position - before) > 1e-3


@pytest.mark.covers("PX-STICK-01")
def test_tires_stick_longitudinally_and_laterally_by_separate_thresholds():
    """A braked car on a slope sticks longitudinally only, if the lateral speed threshold is 0."""
    drive = Drive("roadster_simple", slope_ground(5.0), values={"contact.lateral_speed": 0.0}).run(4.0, brake=1.0)
    longitudinal, lateral = sticks(drive)
    assert longitudinal.all() and not lateral.any()
    longitudinal, lateral = sticks(Drive("roadster_simple", slope_ground(5.0)).run(4.0, brake=1.0))
    assert longitudinal.all() and lateral.all()


@pytest.mark.covers("PX-STICK-02")
def test_a_tire_sticks_below_its_threshold_speed():
    for values in (NEVER_STICKS, {"contact.longitudinal_speed": 0.0}, {"contact.lateral_speed": 0.0}):
        drive = Drive("roadster_simple", slope_ground(5.0), values=values)
        log = drive.log(3.0, lambda d: [s.any() for s in sticks(d)], every=TICK, brake=1.0)
        if "contact.longitudinal_speed" in values:
            assert not log[:, 0].any()
        if "contact.lateral_speed" in values:
            assert not log[:, 1].any()
    for threshold in (0.2, 0.6):  # m/s
        values = {**NO_AIR, "contact.longitudinal_speed": threshold, **{f"brakes.{w}.max_torque": 900.0 for w in
                                                                       ("fl", "fr", "rl", "rr")}}  # fmt: skip
        drive = rolling(Drive("roadster_simple", values=values).run(2.0), 6.0)
        log = drive.log(3.0, lambda d: (abs(d.speed), sticks(d)[0].max()), every=TICK, brake=1.0)
        first = int(np.argmax(log[:, 1] > 0))
        assert log[first, 1] > 0 and log[first, 0] < threshold
        assert log[first - 2, 0] > threshold  # it sticks within two ticks


@pytest.mark.covers("PX-STICK-03")
@pytest.mark.parametrize("seconds", [0.05, 0.3, 1.0])
def test_a_tire_sticks_after_its_threshold_time(seconds):
    """A free car at rest without rolling resistance sticks laterally after the longer of its two threshold times."""
    for lateral_time, longitudinal_time in ((seconds, 0.01), (0.01, seconds)):
        values = {"contact.lateral_time": lateral_time, "contact.longitudinal_time": longitudinal_time}
        drive = Drive("roadster_simple", values={**values, **each_wheel("tire", rolling_resistance=0.0)})
        drive.ground.arrays.surfaces[:, ROLLING_DRAG] = 0.0
        drive.run(3.0)
        assert sticks(drive)[1].all()
        # restart both timers
        drive.vehicle.state["contact"][0]["solver"]["wheels"]["lateral_time"] = 0.0
        drive.vehicle.state["contact"][0]["solver"]["wheels"]["longitudinal_time"] = 0.0
        log = drive.log(seconds + 0.5, lambda d: sticks(d)[1].all(), every=TICK)
        assert np.argmax(log) * TICK == pytest.approx(seconds, abs=1.5 * TICK)
        assert log[np.argmax(log) :].all()


@pytest.mark.covers("PX-STICK-04")
def test_throttle_releases_in_the_first_step():
    """Drive torque releases all wheels, even if only the rear ones have it: a standing car moves in the first tick."""
    drive = Drive(on_plain_tires("buggy"), values=NO_AIR).run(3.0, brake=1.0)
    longitudinal, lateral = sticks(drive)
    assert longitudinal.all() and lateral.all() and abs(drive.speed) < 1e-6
    drive.run(TICK, throttle=0.5, gear=FIRST)
    longitudinal, lateral = sticks(drive)
    assert not longitudinal.any() and not lateral.any()
    assert drive.speed > 2e-3
    rear = Drive(
        on_plain_tires("buggy"), values={**NO_AIR, "direct_drive.fl.max_torque": 0.0, "direct_drive.fr.max_torque": 0.0}
    )
    rear.run(3.0).run(TICK, throttle=0.5, gear=FIRST)
    assert rear.speed > 1e-3  # wheels without drive do not hold the car
