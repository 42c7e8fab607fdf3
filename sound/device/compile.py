"""Compiles what sound in real time needs, in a worker process; it stays in the cache of kernels.

    python -m driving_sandbox.sound.device.compile

Compiling holds Python's lock for many seconds, in which the program would stand still. `compiled` is printed after
every kernel. A marker in the cache, named by a hash of all that this module imports, tells that nothing is left to do.
"""

import gc

import numpy as np

from driving_sandbox.physics.compile import note_compiled, report_progress
from driving_sandbox.physics.contact.pair_records import CONTACT
from driving_sandbox.physics.ground.ground import Ground
from driving_sandbox.physics.props.placing import PlacedProp
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world
from driving_sandbox.sound.base.block import BLOCK
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.device.stream import CHANNELS, STREAM_CALLBACK, Stream, fill
from driving_sandbox.sound.gather import Gatherer, Shared, fill_many, note_moving, records, rub_vehicles, start_engines
from driving_sandbox.sound.ghost_drive import loads_by_curve
from driving_sandbox.sound.heard_props import HeardProps
from driving_sandbox.sound.interface.kinds import Kind
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.room import Room
from driving_sandbox.sound.state.touch import untouched
from driving_sandbox.sound.state.words import layout_of, words
from driving_sandbox.sound.vehicle_sound import sound_of

MODULE = "driving_sandbox.sound.device.compile"
VEHICLE, WORLD = "roadster", "plane"  # any: the kernels are the same for all


def main() -> None:
    """Compile the kernels that Python calls, and the callback, without which a thread can still play."""
    vehicle, file = load_vehicle(VEHICLE), load_world(WORLD)
    world, sound = World(Ground(file.terrain, file.meshes, file.surfaces), []), sound_of(vehicle)
    world.vehicles.append(vehicle)  # not given to the world, which would compile its step: longer than all else
    stream = Stream(Scene(np.array([sound.parameters]), np.array([sound.emitters])), world.tick_seconds, target=1.0)
    ring = stream.ring
    stream.scene.tune(stream.scene.arrays["parameters"])
    ring.next_row()
    ring.publish()
    stream.interface.post(Kind.PRESS)
    stream.rest_drive(False)
    fill(stream.record, np.zeros((BLOCK, CHANNELS), np.float32))
    gatherer = Gatherer(vehicle, world)
    fill_many(ring.frames[ring.row], np.zeros(1, np.int64), gatherer.record, *Shared(world).arguments(complete=True))
    note_moving(gatherer.record, 0, 0.0, 0, np.zeros(1, np.int64))
    start_engines(gatherer.record)
    rub_vehicles(records(np.zeros(1, CONTACT)), 0, np.zeros(1, np.int64), gatherer.record, records(untouched(1)), 0)
    params = words(vehicle.params, np.float64), words(vehicle.params, np.int64)
    loads_by_curve(records(np.zeros(1, FRAME)), records(layout_of(vehicle)), *params, *np.zeros((6, 0)))
    cone = PlacedProp("cone", (0.0, 0.0), height=None, rise=0.0, heading=0.0, group=0)
    HeardProps(World(world.ground, [], props=[cone]), first=0)
    Room(world.tick_seconds).fill(ring.listeners[:1], world.ground)
    STREAM_CALLBACK.compile()
    note_compiled(MODULE)


if __name__ == "__main__":
    report_progress()
    gc.disable()  # the compiler's memory is freed with the process
    main()
