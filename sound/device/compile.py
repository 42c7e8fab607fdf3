"""Compiles what sound in real time needs, in a helper process; it stays in the cache of kernels.

    python -m driving_sandbox.sound.device.compile

Compiling holds Python's lock for many seconds, in which the program would stand still.
"""

from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.device.ring import Ring
from driving_sandbox.sound.device.stream import STREAM_CALLBACK
from driving_sandbox.sound.gather import Gatherer
from driving_sandbox.sound.space.room import Room

VEHICLE, WORLD = "roadster", "plane"  # any: the kernels are the same for all


def main() -> None:
    """Compile the callback, and the kernels that Python calls every tick or frame."""
    STREAM_CALLBACK.compile()
    vehicle = load_vehicle(VEHICLE)
    ring = Ring(1, 1.0, 1.0)
    world = World(load_world(WORLD), [vehicle])
    Gatherer(vehicle, world).gather(ring.frames[ring.next_row()][0])
    Room(world.tick_seconds).fill(ring.listeners[:1], world.ground)
    ring.publish()


if __name__ == "__main__":
    main()
