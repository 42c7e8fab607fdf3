"""Full stops of shipped vehicles: straight, no rear wheel locks before a front one, none at all with anti-lock."""

import math

import numpy as np
import pytest
from drive_rig import Drive, slope_ground

from driving_sandbox.physics.kernel.jit import ROOT

SPEED = 100.0 / 3.6  # m/s
DISTURBANCE = 0.02  # rad/s of yaw at the onset of braking, as from a bump
TIME_LIMIT = 15.0  # s
WATCHED_ABOVE = 5.0  # m/s; anti-lock brakes allow locked wheels below
LOCKED_SLIP = 0.5  # a wheel that slips more counts as locked
MAX_HEADING_CHANGE = 3.0  # degrees; not noticed by a driver
SINGLE_VEHICLES = sorted(
    path.stem
    for path in (ROOT / "configs" / "vehicles").glob("*.yaml")
    # left out: no suspension, trailers, only tracks
    if not path.stem.startswith(("planar", "road_train", "truck_trailer", "tank"))
)


def roll(drive, speed):
    """Set a vehicle rolling straight ahead at `speed`, m/s, with a small yaw rate."""
    state, radii = drive.vehicle.state, drive.vehicle.params["wheel"]["radius"][0]
    state["body"]["velocity"][0] = (0.0, speed, 0.0)
    state["body"]["angular_velocity"][0] = (0.0, 0.0, DISTURBANCE)
    state["wheel"]["omega"][0] = np.where(radii > 0.0, speed / np.maximum(radii, 1e-9), 0.0)


def slips(drive):
    """Slip of all wheels, 1 if locked."""
    vehicle, n = drive.vehicle, drive.vehicle.wheel_count
    rims = vehicle.state["wheel"]["omega"][0, :n] * vehicle.params["wheel"]["radius"][0, :n]
    return 1.0 - rims / max(speed_of(drive), 1.0)


def speed_of(drive):
    """Speed of the body, m/s."""
    return float(np.linalg.norm(drive.vehicle.state["body"]["velocity"][0]))


def heading(drive):
    """Heading, degrees, 0 at the start."""
    _, _, z, w = drive.vehicle.state["body"]["orientation"][0]
    return math.degrees(2.0 * math.atan2(z, w))


def stop(name, values=None):
    """(distance, m; heading, degrees; wheel slips above WATCHED_ABOVE, one row per 1/60 s)."""
    drive, rows = Drive(name, values=values).run(1.5), []
    roll(drive, SPEED)
    start = drive.position
    while speed_of(drive) > 0.3:
        drive.run(1.0 / 60.0, brake=1.0)
        if speed_of(drive) > WATCHED_ABOVE:
            rows.append(slips(drive))
        assert len(rows) < TIME_LIMIT * 60.0
    return float(np.linalg.norm(drive.position - start)), heading(drive), np.array(rows)


def rear_wheels(vehicle):
    """Mask of the wheels behind the centre of mass."""
    n = vehicle.wheel_count
    return vehicle.params["suspension"]["arm"][0, :n, 1] < 0.0


@pytest.mark.parametrize("name", SINGLE_VEHICLES)
def test_a_full_stop_is_straight(name):
    """Above 5 m/s anti-lock brakes let no wheel lock; without them the first to lock include a front one.

    On average the front wheels slip at least as much as the rear ones, where any locks.
    """
    _, yaw, rows = stop(name)
    vehicle = Drive(name).vehicle
    behind, locked = rear_wheels(vehicle), rows > LOCKED_SLIP
    assert abs(yaw) < MAX_HEADING_CHANGE
    if "abs" in vehicle.sequence.by_slot:
        assert not locked.any()
    elif locked.any():
        first = locked[np.argmax(locked.any(axis=1))]
        assert first[~behind].any() and rows[:, behind].mean() <= rows[:, ~behind].mean()


@pytest.mark.parametrize("name", ["roadster", "hatchback", "coupe", "offroader", "clubsport", "track_roadster"])
def test_anti_lock_brakes_shorten_a_stop(name):
    """With anti-lock brakes a stop is more than 5 % shorter."""
    (aided, _, _), (unaided, _, _) = stop(name), stop(name, {"abs.enable": False})
    assert aided < 0.95 * unaided


@pytest.mark.parametrize("factor", [0.67, 1.5])
def test_thresholds_fit_the_tires(factor):
    """Slip thresholds of 0.67 or 1.5 times the file's do not shorten a stop by more than 1 %."""
    vehicle = Drive("track_roadster").vehicle
    ratios = {f"abs.{end}_velocity_ratio": float(vehicle.get(f"abs.{end}_velocity_ratio")) for end in ("max", "min")}
    changed = {path: 1.0 + factor * (ratio - 1.0) for path, ratio in ratios.items()}
    (usual, _, _), (other, _, _) = stop("track_roadster"), stop("track_roadster", changed)
    assert usual < 1.01 * other


@pytest.mark.parametrize("heading", [0.0, math.pi], ids=["uphill", "downhill"])
@pytest.mark.parametrize("slope", [10.0, 16.0])
def test_the_handbrake_of_the_patrol_car_holds_on_a_slope(slope, heading):
    """The car moves less than 2 cm in 3 s on slopes of 10 and 16 degrees."""
    drive = Drive("patrol", slope_ground(slope), heading=heading).run(4.0, brake=1.0, handbrake=1.0)
    drive.run(1.0, handbrake=1.0)
    before = drive.position
    drive.run(3.0, handbrake=1.0)
    assert np.linalg.norm(drive.position - before) < 0.02
