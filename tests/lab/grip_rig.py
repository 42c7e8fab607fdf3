"""A test track for a car with other grip."""

from driving_sandbox.lab.road_test.track import TestTrack
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world_file import load_world


def with_grip(factor):
    """A track with a roadster whose asphalt has its friction times `factor` for every tire type."""
    track = TestTrack(load_vehicle("roadster"), load_world("plane"))
    parameters = track.world.parameters
    names = [f"surface.asphalt.friction_{tire}" for tire in ("street", "sport", "offroad")]
    parameters.set_many({name: factor * parameters.get(name) for name in names})
    return track
