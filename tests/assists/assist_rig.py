"""Cars with driving aids fitted to them, and what the tests of these aids read."""

import numpy as np
import yaml
from drive_rig import Drive
from row_rig import rolling

from driving_sandbox.physics.ground.arrays import FRICTION
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER, load_vehicle_text

KMH = 1.0 / 3.6  # m/s


def equipped(name, values=None, **components):
    """A shipped car with other components, {slot: name, "none" for an empty slot}, and other values."""
    path = VEHICLE_FOLDER / f"{name}.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf8"))
    document["components"] = {**document.get("components", {}), **components}
    document = {key: value for key, value in document.items() if document["components"].get(key) != "none"}
    vehicle = load_vehicle_text(yaml.safe_dump(document), path)
    vehicle.set_many(values or {})
    return vehicle


def coasting(vehicle, speed, friction=1.0):
    """The Drive of a car that rolls out of gear at `speed`, m/s, with its road's friction times `friction`."""
    drive = Drive(vehicle)
    drive.ground.arrays.surfaces[:, FRICTION:] *= friction  # for all types of tires
    return rolling(drive.run(1.5), speed)


def slips(drive):
    """Slip of each wheel, 1 when locked."""
    radius = drive.vehicle.params["wheel"]["radius"][0, : drive.vehicle.wheel_count]
    return 1.0 - drive.wheels("wheel", "omega") * radius / np.maximum(drive.wheels("tire", "longitudinal_speed"), 0.5)


def sideslip(drive):
    """Sideslip angle of the centre of mass, rad, positive to the left."""
    right, ahead, _ = drive.local_velocity
    return float(np.arctan2(-right, ahead))


def state_of(drive, slot):
    """The state of an aid."""
    return drive.vehicle.state[slot][0]
