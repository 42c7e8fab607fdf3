"""Anti-lock brakes that find the slip of the tire's peak force: stops on several tires and roads, and effects of their
parameters."""

import math

import numpy as np
import pytest
from drive_rig import Drive
from plain_tires import on_plain_tires

from driving_sandbox.physics.ground.arrays import FRICTION
from driving_sandbox.physics.ground.surfaces import TIRE_TYPES
from driving_sandbox.physics.vehicle.swap import plan_swap, swapped_vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

SPEED = 100.0 / 3.6  # m/s, at the start of a stop
WALK = 5.0  # m/s; below this speed slips are not recorded


def car(name="hatchback", tire="combined_slip", **components):
    """A shipped car with this tire component and other components: slot=name."""
    vehicle = load_vehicle(name) if tire == "mf_62" else on_plain_tires(name)
    for slot, choice in {"tire": tire, **components}.items():
        if vehicle.sequence.by_slot[slot].name != choice:
            vehicle = swapped_vehicle(vehicle, plan_swap(vehicle, slot, choice))
    return vehicle


def rolling_car(vehicle, friction=1.0, smooth=True, speed=SPEED, **values):
    """The car rolling straight ahead at a speed, m/s.

    friction: factor of the friction of all surfaces.
    smooth: whether the road has no roughness.
    values: parameters of the anti-lock brakes.
    """
    drive = Drive(vehicle, values={f"abs.{name}": value for name, value in values.items()}, smooth=smooth)
    drive.ground.arrays.surfaces[:, FRICTION : FRICTION + 4] *= friction
    drive.run(1.5)
    state, n = drive.vehicle.state, drive.vehicle.wheel_count
    state["body"]["velocity"][0] = (0.0, speed, 0.0)
    state["wheel"]["omega"][0, :n] = speed / drive.vehicle.params["wheel"]["radius"][0, :n]
    return drive.run(drive.dt)


def speed_of(drive):
    """Speed of the body, m/s."""
    return float(np.linalg.norm(drive.body("velocity")))


def stopping_distance(drive, **commands):
    """Distance from the present speed to 0.3 m/s with the full brake pedal, m."""
    start = drive.position
    while speed_of(drive) > 0.3:
        drive.run(1.0 / 30.0, brake=1.0, **commands)
    return float(np.linalg.norm(drive.position - start))


def slips_of(drive, seconds, **commands):
    """Longitudinal slips of all wheels (1: locked), a row every 1/120 s while the car is faster than WALK."""
    rows = []
    for _ in range(round(120 * seconds)):
        drive.run(1.0 / 120.0, **{"brake": 1.0, **commands})
        if speed_of(drive) < WALK:
            break
        rims = drive.wheels("wheel", "omega") * drive.vehicle.params["wheel"]["radius"][0, : drive.vehicle.wheel_count]
        rows.append(1.0 - rims / drive.wheels("tire", "longitudinal_speed"))
    return np.array(rows)


def developed_deceleration(drive, before=lambda: None):
    """Mean fully developed deceleration of a stop, from 80 to 10 % of SPEED (UNECE R 13-H), m/s^2.

    before: called before every tick.
    """
    ends = []
    for speed in (0.8 * SPEED, 0.1 * SPEED):
        while speed_of(drive) > speed:
            before()
            drive.run(drive.dt, brake=1.0)
        ends.append((speed_of(drive) ** 2, drive.position))
    return (ends[0][0] - ends[1][0]) / (2.0 * np.linalg.norm(ends[1][1] - ends[0][1]))


def constant_slip_deceleration(drive, slip):
    """Mean fully developed deceleration with all wheels held at one slip, m/s^2. Brake torques balance the tires."""
    vehicle, n = drive.vehicle, drive.vehicle.wheel_count
    vehicle.set("abs.enable", False)
    radius, tire = vehicle.params["wheel"]["radius"][0, :n], vehicle.state["tire"][0]

    def hold():
        vehicle.state["wheel"]["omega"][0, :n] = (1.0 - slip) * tire["longitudinal_speed"][:n] / radius
        vehicle.params["brakes"]["max_torque"][0, :n] = np.maximum(-tire["longitudinal_force"][:n], 0.0) * radius

    return developed_deceleration(drive, hold)


@pytest.mark.parametrize("friction", [1.0, 0.3])
@pytest.mark.parametrize("tire", ["mf_62", "pacejka_94", "combined_slip"])
def test_it_brakes_nearly_as_hard_as_the_best_constant_slip(tire, friction):
    """It reaches more than 95 % of that deceleration, with three tire models whose best slips differ."""
    slips = (0.04, 0.06, 0.08, 0.1, 0.13, 0.17, 0.2)
    optimum = max(constant_slip_deceleration(rolling_car(car(tire=tire), friction), slip) for slip in slips)
    assert developed_deceleration(rolling_car(car(tire=tire), friction)) > 0.95 * optimum


@pytest.mark.parametrize("friction", [1.0, 0.3])
@pytest.mark.parametrize("name", ["hatchback", "golf_gti_mk7"])
def test_small_changes_hardly_change_the_stop(name, friction):
    """Distances of ten stops from SPEED on a rough road differ by less than 2.5 %; the cars differ by up to 10 kg, and
    the speeds at which braking begins by up to 0.3 m/s."""
    distances, rng = [], np.random.default_rng(7)
    for _ in range(10):
        vehicle = car(name, "mf_62")
        vehicle.set("body.mass", vehicle.get("body.mass") + rng.uniform(-5.0, 5.0))
        drive = rolling_car(vehicle, friction, smooth=False, speed=SPEED + rng.uniform(1.0, 1.3))
        while speed_of(drive) > SPEED:
            drive.run(drive.dt, brake=1.0)
        distances.append(stopping_distance(drive))
    assert max(distances) - min(distances) < 0.025 * np.mean(distances)


@pytest.mark.parametrize("before, after", [(1.0, 0.3), (0.3, 1.0)])
def test_after_a_change_of_friction_it_brakes_as_on_the_new_road(before, after):
    """0.8 s after the change, it decelerates as a car that was on the new road all the time, within 12 %."""
    drive = rolling_car(car(), before)
    drive.run(0.7, brake=1.0)
    drive.ground.arrays.surfaces[:, FRICTION : FRICTION + 4] *= after / before
    drive.run(0.8, brake=1.0)
    speed = speed_of(drive)
    drive.run(0.5, brake=1.0)
    reference = rolling_car(car(), after)
    reference.run(0.5, brake=1.0)
    reference_speed = speed_of(reference)
    reference.run(0.5, brake=1.0)
    assert (speed - speed_of(drive)) == pytest.approx(reference_speed - speed_of(reference), rel=0.12)


def test_no_wheel_locks_unless_the_anti_lock_brakes_are_off():
    assert slips_of(rolling_car(car()), 3.0).max() < 0.5
    assert slips_of(rolling_car(car(), enable=False), 3.0).max() > 0.9


@pytest.mark.parametrize("largest", [0.05, 0.2])
def test_the_largest_slip_limits_most_slips(largest):
    """95 % of the slips are below 1.6 times the largest slip, which a wheel exceeds while its brake is being eased."""
    slips = slips_of(rolling_car(car(), 0.3, largest_slip=largest), 2.0)[60:]  # from 0.5 s on
    assert 0.5 * largest < np.quantile(slips, 0.95) < 1.6 * largest


@pytest.mark.parametrize("probe", [0.1, 0.3])
def test_the_slip_swings_about_the_best_one_by_the_probe(probe):
    drive, deviations = rolling_car(car(), 0.3, probe=probe, select_low=False), []
    drive.run(0.5, brake=1.0)
    for _ in range(240):
        drive.run(drive.dt, brake=1.0)
        wheel_states = drive.vehicle.state["abs"][0]["wheels"]
        deviations.append(wheel_states["slip"][0] / wheel_states["best"][0] - 1.0)
    assert np.mean(deviations) == pytest.approx(0.0, abs=0.1)
    assert np.ptp(deviations) == pytest.approx(2.0 * probe, rel=0.5)


def test_with_select_low_both_rear_brakes_are_eased_equally_where_one_side_is_slippery():
    """With select_low the car turns less towards the side with grip."""
    yaw_rates = []
    for select_low in (False, True):
        vehicle = car()
        vehicle.set_many({f"tire.{wheel}.tire_type": "offroad" for wheel in ("fl", "rl")})
        drive = rolling_car(vehicle, select_low=select_low)
        drive.ground.arrays.surfaces[:, FRICTION + TIRE_TYPES.index("offroad")] *= 0.3
        drive.run(0.6, brake=1.0)
        eased = drive.vehicle.state["abs"][0]["wheels"]["eased"]
        assert (eased[2] == eased[3]) == select_low
        yaw_rates.append(-float(drive.body("angular_velocity")[2]))
    assert yaw_rates[0] > 1.2 * yaw_rates[1] > 0.0


@pytest.mark.parametrize("memory", [0.05, 0.2])
def test_the_variance_of_the_estimate_falls_with_the_memory_time(memory):
    """At nearly constant slip and friction the variance falls exponentially."""
    drive = rolling_car(car(), 0.3, memory=memory, probe=0.01).run(0.7, brake=1.0)
    wheel_states = drive.vehicle.state["abs"][0]["wheels"]
    wheel_states["variance"][0] = initial = 1.0
    drive.run(0.1, brake=1.0)
    assert wheel_states["variance"][0] == pytest.approx(initial * math.exp(-0.1 / memory), rel=0.1)


@pytest.mark.parametrize("rate", [10.0, 30.0])
def test_brakes_are_eased_at_the_release_rate_and_applied_at_the_apply_rate(rate):
    drive = rolling_car(car(), 0.3, release_rate=rate, apply_rate=0.1 * rate, select_low=False)
    eased = []
    for _ in range(240):
        drive.run(drive.dt, brake=1.0)
        eased.append(drive.vehicle.state["abs"][0]["wheels"]["eased"][0])
    changes = np.diff(eased) / drive.dt
    assert changes.max() == pytest.approx(rate) and changes.min() == pytest.approx(-0.1 * rate)


@pytest.mark.parametrize("slowest", [2.0, 8.0])
def test_below_its_minimum_speed_it_is_off(slowest):
    drive, active = rolling_car(car(), min_velocity=slowest), []
    while speed_of(drive) > 0.5:
        drive.run(1.0 / 60.0, brake=1.0)
        active.append((speed_of(drive), int(drive.vehicle.state["abs"]["active"][0])))
    assert not any(on for speed, on in active if speed < slowest - 0.2)
    assert any(on for speed, on in active if slowest + 0.2 < speed < slowest + 6.0)


def test_the_handbrake_still_locks_its_wheels():
    slips = slips_of(rolling_car(car()), 1.0, brake=0.3, handbrake=1.0)
    assert slips[-1, 2:].min() > 0.9 and slips[-1, :2].max() < 0.5


def test_it_works_in_reverse():
    drive = rolling_car(car())
    state, n = drive.vehicle.state, drive.vehicle.wheel_count
    state["body"]["velocity"][0] = (0.0, -12.0, 0.0)
    state["wheel"]["omega"][0, :n] = -12.0 / drive.vehicle.params["wheel"]["radius"][0, :n]
    drive.run(0.6, brake=1.0)
    assert 0.05 < float(drive.vehicle.state["abs"]["slip"][0]) < 0.5
