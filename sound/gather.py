"""From a vehicle's state after a tick to its FRAME.

    gatherer = Gatherer(vehicle, world)
    after every tick: gatherer.gather(frame)

**Load** (sound/state/drive.py) is the engine's torque divided by its largest at that speed. With the throttle shut it
is negative, as the engine is turned against its losses; near the idle speed it is what a governor has to supply, losses
and clutch torque.
**Burning** (sound/state/drive.py) is 0 in the overrun cut-off (throttle shut, faster than CUT_OFF times the idle
speed), at the speed limiter and when stalled. An engine whose model only clamps the speed gets a limiter that cuts in
half of every LIMITER_PERIOD.
**Impacts** (sound/state/contact.py) are rises of an impulse from one tick to the next: of the bodywork's contacts with
the world, of pushes by other vehicles and props, of the suspension's stops; and the momentum of wheels that come down.
A resting or scraping car has nearly the same impulse in every tick and so no impact.

Without JIT a frame must be a record of a numpy record array, as for all kernels.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.axles import wheels_ahead
from driving_sandbox.sound.state.contact import MEMORY, gather_contact, words_quat, words_vector
from driving_sandbox.sound.state.dogs import gather_dogs
from driving_sandbox.sound.state.drive import gather_axle_drive, gather_engine, gather_no_drive
from driving_sandbox.sound.state.signals import gather_signals
from driving_sandbox.sound.state.wheels import gather_tracks, gather_wheels
from driving_sandbox.sound.state.words import MISSING, layout_of, words
from driving_sandbox.sound.surroundings import STOP_MATERIAL, struck_materials, surface_kinds

MIN_AIR_SPEED = 0.1  # m/s; the direction of slower air is not defined


@kernel
def gather_body(frame: Any, state: Any, layout: Any, wind: Any) -> None:
    """Pose, velocity, and the air's speed and angle in the plane of the body's longitudinal and lateral axes."""
    q = words_quat(state, layout.orientation)
    velocity = words_vector(state, layout.velocity)
    vec3.store(frame.position, words_vector(state, layout.position))
    vec3.store(frame.forward, quat.rotate(q, (0.0, 1.0, 0.0)))
    vec3.store(frame.velocity, velocity)
    x, y, z = quat.rotate_inverse(q, vec3.sub(velocity, vec3.load(wind)))
    frame.air_speed = vec3.length((x, y, z))
    frame.air_yaw = elementary.atan2(-x, y) if frame.air_speed > MIN_AIR_SPEED else 0.0


@kernel
def gather_state(
    frame: Any, memory: Any, layouts: Any, state: Any, state_int: Any, params: Any, params_int: Any, kinds: Any,
    wetness: Any, struck: Any, context: Any, external: Any, index: int, dt: float, time: float, charge: float,
    horn: int, indicator: int,
) -> None:  # fmt: skip
    """Fill a FRAME from the words of a vehicle; arguments as in `Gatherer`."""
    layout = layouts[0]
    gather_signals(frame, memory[0], state, layout, dt, time, horn, indicator)
    if layout.omega != MISSING:
        gather_engine(frame, state, state_int, params, params_int, layout, time, charge)
    elif layout.axle_drive == 1:
        gather_axle_drive(frame, state, state_int, params, layout)
    else:
        gather_no_drive(frame)
    frame.gear_step = abs(frame.gear_speed - memory[0].gear_speed) if memory[0].known == 1 else 0.0
    memory[0].gear_speed = frame.gear_speed
    gather_dogs(frame, memory[0], state, state_int, params, params_int, layout, dt)
    gather_wheels(frame, memory[0], state, state_int, params, layout, kinds, wetness)
    gather_tracks(frame, state, params, params_int, layout)
    gather_body(frame, state, layout, context[0].wind)
    gather_contact(frame, memory[0], state, state_int, params, layout, external[index], dt, struck, STOP_MATERIAL)


class Gatherer:
    """Fills the FRAME of one vehicle of a world.

    Args:
        vehicle: one of `world.vehicles`; after a swap the new vehicle needs a new Gatherer.
        world: its World.
        charge: boost at full power of a turbocharged engine whose model has no boost, bar.
    Attributes:
        horn: whether the horn is pressed; the program sets it.
        indicator: whether turn signals are switched on; the program sets it.
    """

    def __init__(self, vehicle: Vehicle, world: World, charge: float = 0.0) -> None:
        self.vehicle, self.horn, self.indicator = vehicle, False, False
        self._world, self._charge = world, float(charge)
        self._index = next(i for i, other in enumerate(world.vehicles) if other is vehicle)
        self._not_acted = _records(np.zeros(len(world.vehicles), EXTERNAL))  # as long as the world has none
        self._ahead = wheels_ahead(vehicle)
        kinds, wetness = surface_kinds(world.ground.surfaces)
        self._memory = _records(np.zeros(1, MEMORY))
        self._kept = 0.0, 0  # strongest impact, N s, and its material in ticks since the last complete frame
        self._arguments = (
            self._memory,
            _records(layout_of(vehicle)),
            words(vehicle.state, np.float64),
            words(vehicle.state, np.int64),
            words(vehicle.params, np.float64),
            words(vehicle.params, np.int64),
            kinds,
            wetness,
            struck_materials(vehicle, world.ground.surfaces),
            _records(world.context),
        )

    def gather(self, frame: Any, complete: bool = True) -> None:
        """Fill a FRAME record with the state after the last tick; every tick, as impacts are rises between ticks.

        complete: whether the frame goes to the voices. If ticks share a row, only that of the last one does; the others
            are overwritten, and their strongest impact is carried over to it.
        """
        world = self._world
        external = self._not_acted if world.acted is None else _records(world.acted)
        dt = world.tick_seconds
        frame["wheel_ahead"] = self._ahead
        gear_speed = float(self._memory["gear_speed"][0])
        gather_state(
            frame, *self._arguments, external, self._index, dt, world.tick * dt, self._charge, int(self.horn),
            int(self.indicator),
        )  # fmt: skip
        if not complete:  # the next step of the gears is that since the last complete frame
            self._memory["gear_speed"] = gear_speed
        if not complete or self._kept[0] > 0.0:
            self._keep_impact(frame, complete)

    def _keep_impact(self, frame: Any, complete: bool) -> None:
        """Give a complete frame the strongest impact since the one before."""
        if frame["impact"] > self._kept[0]:
            self._kept = float(frame["impact"]), int(frame["impact_material"])
        if complete and self._kept[0] > 0.0:
            frame["impact"], frame["impact_material"] = self._kept
            self._kept = 0.0, 0

    def forget(self) -> None:
        """Call after a jump (reset, rewind): the next tick is compared with none before it, and has no impact."""
        self._memory["known"] = 0
        self._kept = 0.0, 0


def _records(array: np.ndarray) -> np.ndarray:
    """The array; without JIT as a record array, whose records kernels can read by attribute."""
    return array if JIT else array.view(np.recarray)
