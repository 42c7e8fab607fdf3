"""Fills a vehicle's FRAME (sound/base/frame.py), the input of the voices, from its state after a tick.

    gatherer = Gatherer(vehicle, world)
    after every tick: gatherer.gather(frame)

A kernel fills the FRAMEs of many vehicles in one call, as a call from Python takes longer than what is computed in it.

**Load** (sound/state/drive.py) is the engine's torque divided by the largest torque at that speed. With the throttle
shut it is negative, as the engine is turned against its losses; near the idle speed it is what a governor has to
supply, losses and clutch torque.
**Burning** (sound/state/drive.py) is 0 in the overrun cut-off (throttle shut, faster than CUT_OFF times the idle
speed), at the speed limiter and when stalled. An engine whose model only clamps the speed gets a limiter that
interrupts combustion in the second half of every LIMITER_PERIOD.
**Impacts** (sound/state/contact.py) are rises of an impulse from one tick to the next: of the bodywork's contacts with
the world, of pushes by other vehicles and props, of the suspension's stops, each summed over the substeps of the tick;
and the momentum of wheels that come down. The impulses of props are also compared on their own, because those of light
props, such as cones, would be hidden by the other impulses. A resting or scraping car has nearly the same impulse in
every tick and so no impact.

Without JIT a frame must be a record of a numpy record array, as for all kernels.
"""

import ctypes
from typing import Any

import numpy as np
from numba import carray

from driving_sandbox.physics.contact.records import CANDIDATE
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.jit import JIT, entry, inlined, kernel, pointer
from driving_sandbox.physics.maths import quat, vec3
from driving_sandbox.physics.schema.schema import WHEEL_CAPACITY
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.axles import wheels_ahead
from driving_sandbox.sound.state.contact import MEMORY, gather_contact, stop_impulse, words_quat, words_vector
from driving_sandbox.sound.state.dogs import gather_dogs
from driving_sandbox.sound.state.drive import (
    SHUT,
    gather_axle_drive,
    gather_engine,
    gather_no_drive,
    switch_off,
    turn_crank,
)
from driving_sandbox.sound.state.signals import gather_signals
from driving_sandbox.sound.state.touch import add_rub, keep_impact, untouched
from driving_sandbox.sound.state.wheels import gather_tracks, gather_wheels
from driving_sandbox.sound.state.words import LAYOUT, MISSING, layout_of, words
from driving_sandbox.sound.surroundings import STOP_MATERIAL, struck_materials, surface_kinds

MIN_AIR_SPEED = 0.1  # m/s; the direction of slower air is not defined

GATHERER = np.dtype(  # all that the kernels need of a vehicle
    [
        ("state", np.int64),  # address of its state, seen as 8-byte words (sound/state/words.py)
        ("state_words", np.int64),  # number of these words
        ("params", np.int64),  # address of its parameters
        ("params_words", np.int64),
        ("scratch", np.int64),  # address of its working memory
        ("scratch_words", np.int64),
        ("candidates", np.int64),  # address of the array of `candidates_of`
        ("candidate_count", np.int64),
        ("index", np.int64),  # in the world
        ("running", np.int64),  # 0: its engine is off, until it is given throttle
        ("horn", np.int64),  # 1: pressed
        ("indicator", np.int64),  # 1: turn signals are switched on
        ("assumed_boost", np.float64),  # bar, at full power of a turbocharged engine whose model has no boost
        ("usual_torque", np.float64),  # N m, as in VehicleSound
        ("ahead", np.float64, (WHEEL_CAPACITY,)),  # m, `wheels_ahead`
        ("layout", LAYOUT),
        ("memory", MEMORY),
    ],
    align=True,
)


@kernel
def gather_body(frame: Any, state: Any, layout: Any, wind: Any) -> None:
    """Pose, velocity, speed relative to the air, and angle of the airflow in the body's horizontal plane."""
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
    frame: Any, memory: Any, layout: Any, state: Any, state_int: Any, params: Any, params_int: Any, scratch: Any,
    scratch_int: Any, kinds: Any, wetness: Any, surfaces: Any, struck: Any, candidates: Any, wind: Any, external: Any,
    touch: Any, dt: float, tick: int, complete: int, assumed_boost: float, usual_torque: float, horn: int,
    indicator: int,
) -> None:  # fmt: skip
    """Fill a FRAME from the words of a vehicle, whose MEMORY and LAYOUT are given; other arguments as in `fill_frame`.

    Args:
        candidates: from `candidates_of`.
        wind: m/s, world axes.
        external: EXTERNAL record of the vehicle in the tick.
        touch: its TOUCH.
    """
    time = tick * dt
    gather_signals(frame, memory, state, layout, dt, time, horn, indicator)
    if layout.omega != MISSING:
        gather_engine(frame, state, state_int, params, params_int, layout, time, assumed_boost, usual_torque)
    elif layout.axle_drive == 1:
        gather_axle_drive(frame, state, state_int, params, layout)
    else:
        gather_no_drive(frame)
    frame.gear_step = abs(frame.gear_speed - memory.gear_speed) if memory.known == 1 else 0.0
    memory.gear_speed = frame.gear_speed
    gather_dogs(frame, memory, state, state_int, params, params_int, layout, dt)
    gather_wheels(
        frame, memory, state, state_int, params, scratch_int, layout, kinds, wetness, surfaces, dt, tick, complete
    )  # fmt: skip
    gather_tracks(frame, state, params, params_int, layout)
    gather_body(frame, state, layout, wind)
    stops = stop_impulse(scratch, scratch_int, layout, dt)
    gather_contact(
        frame, memory, state, state_int, params, layout, external, dt, candidates, struck, touch, tick, stops,
        STOP_MATERIAL,
    )  # fmt: skip


if JIT:

    @inlined
    def numbers_at(address: int, count: int) -> Any:
        """The float64 words at an address."""
        return carray(pointer(address), (count,), np.float64)

    @inlined
    def integers_at(address: int, count: int) -> Any:
        """The int64 words at an address."""
        return carray(pointer(address), (count,), np.int64)

    @inlined
    def candidates_at(address: int, count: int) -> Any:
        """The CANDIDATEs at an address."""
        return carray(pointer(address), (count,), CANDIDATE)

else:

    def numbers_at(address: int, count: int) -> Any:
        """The float64 words at an address."""
        memory: Any = (ctypes.c_double * int(count)).from_address(int(address))
        return np.frombuffer(memory, np.float64)

    def integers_at(address: int, count: int) -> Any:
        """The int64 words at an address."""
        memory: Any = (ctypes.c_int64 * int(count)).from_address(int(address))
        return np.frombuffer(memory, np.int64)

    def candidates_at(address: int, count: int) -> Any:
        """The CANDIDATEs at an address."""
        memory: Any = (ctypes.c_char * (int(count) * CANDIDATE.itemsize)).from_address(int(address))
        return np.frombuffer(memory, CANDIDATE).view(np.recarray)


@inlined
def fill_frame(
    frame: Any, gatherer: Any, kinds: Any, wetness: Any, surfaces: Any, struck: Any, context: Any, external: Any,
    touches: Any, dt: float, tick: int, complete: int,
) -> None:  # fmt: skip
    """Fill the FRAME of a vehicle.

    Args:
        gatherer: GATHERER, changed.
        kinds, wetness: from `surface_kinds`.
        surfaces: `ground.arrays.surfaces` of the world.
        struck: from `struck_materials`.
        context: CONTEXT [1] of the world.
        external: EXTERNAL [vehicles of the world] of the tick.
        touches: TOUCH [vehicles of the world]; they count if they are of this tick.
        dt: length of the tick, s.
        tick: number of ticks done.
        complete: 1 for a frame that the voices get. Where several short ticks share a row of the ring
            (sound/device/ring.py), that is only the last; the strongest impact of the others is carried over to it.
    """
    memory, gear_speed, known = gatherer.memory, gatherer.memory.gear_speed, gatherer.memory.known
    for i in range(WHEEL_CAPACITY):
        frame.wheel_ahead[i] = gatherer.ahead[i]
    gather_state(
        frame, memory, gatherer.layout,
        numbers_at(gatherer.state, gatherer.state_words), integers_at(gatherer.state, gatherer.state_words),
        numbers_at(gatherer.params, gatherer.params_words), integers_at(gatherer.params, gatherer.params_words),
        numbers_at(gatherer.scratch, gatherer.scratch_words), integers_at(gatherer.scratch, gatherer.scratch_words),
        kinds, wetness, surfaces, struck, candidates_at(gatherer.candidates, gatherer.candidate_count),
        context[0].wind, external[gatherer.index], touches[gatherer.index], dt, tick, complete,
        gatherer.assumed_boost, gatherer.usual_torque, gatherer.horn, gatherer.indicator,
    )  # fmt: skip
    if complete == 0:  # the next gear_step is measured from the last complete frame
        memory.gear_speed = gear_speed
    keep_impact(frame, memory, complete)
    if gatherer.running == 0:
        gatherer.running = 1 if frame.throttle > SHUT else 0
        if gatherer.running == 0:
            switch_off(frame)
    turn_crank(frame, memory, dt, known)


@entry
def fill_one(
    frame: Any, gatherers: Any, kinds: Any, wetness: Any, surfaces: Any, struck: Any, context: Any, external: Any,
    touches: Any, dt: float, tick: int, complete: int,
) -> None:  # fmt: skip
    """Fill the FRAME of the vehicle of GATHERER [1]; arguments as in `fill_frame`."""
    fill_frame(frame, gatherers[0], kinds, wetness, surfaces, struck, context, external, touches, dt, tick, complete)


@entry
def fill_many(
    frames: Any, vehicles: Any, gatherers: Any, kinds: Any, wetness: Any, surfaces: Any, struck: Any, context: Any,
    external: Any, touches: Any, dt: float, tick: int, complete: int,
) -> None:  # fmt: skip
    """Fill the FRAMEs of many vehicles; further arguments as in `fill_frame`.

    Args:
        frames: FRAME [at least as many as `vehicles`].
        vehicles: int64 [n], frames[k] is filled for gatherers[vehicles[k]]; -1 leaves it unchanged.
        gatherers: GATHERER [vehicles of the world].
    """
    for k in range(len(vehicles)):
        if vehicles[k] >= 0:
            gatherer = gatherers[vehicles[k]]
            fill_frame(
                frames[k], gatherer, kinds, wetness, surfaces, struck, context, external, touches, dt, tick, complete
            )


@inlined
def point_velocity(gatherer: Any, arm: Any) -> tuple[float, float, float]:
    """Velocity of the point of a vehicle that lies at `arm` from its centre of mass, world axes, m/s."""
    state = numbers_at(gatherer.state, gatherer.state_words)
    spin = words_vector(state, gatherer.layout.spin)
    return vec3.add(words_vector(state, gatherer.layout.velocity), vec3.cross(spin, vec3.load(arm)))


@entry
def rub_vehicles(contacts: Any, count: int, vehicle_of: Any, gatherers: Any, touches: Any, tick: int) -> None:
    """Write into the TOUCHes of vehicles how they slide along each other in a tick.

    Args:
        contacts, count, vehicle_of: from `VehicleContact.contacts`.
        gatherers: GATHERER [vehicles of the world].
        touches: TOUCH [vehicles of the world].
        tick: its number.
    """
    for k in range(count):
        c = contacts[k]
        impulse = c.impulse[0]
        if impulse <= 0.0:
            continue
        a, b, normal = vehicle_of[c.a], vehicle_of[c.b], vec3.load(c.directions[0])
        velocity = vec3.sub(point_velocity(gatherers[b], c.arm_b), point_velocity(gatherers[a], c.arm_a))
        speed = vec3.length(vec3.add_scaled(velocity, normal, -vec3.dot(velocity, normal)))
        for index in (a, b):
            add_rub(touches[index], impulse, speed, tick)


@inlined
def throttle_of(gatherer: Any) -> float:
    """Throttle of the vehicle of a GATHERER, 0 without any."""
    word = gatherer.layout.throttle
    return 0.0 if word == MISSING else numbers_at(gatherer.state, gatherer.state_words)[word]


@entry
def start_engines(gatherers: Any) -> None:
    """Start the engines of those vehicles of GATHERER [n] whose throttle is open."""
    for k in range(len(gatherers)):
        if throttle_of(gatherers[k]) > SHUT:
            gatherers[k].running = 1


@entry
def note_moving(gatherers: Any, first: int, limit: float, tick: int, moved: Any) -> int:
    """Mark and count the vehicles from index `first` on that move, or whose throttle is open or engine runs.

    Args:
        limit: m/s, speed above which a vehicle moves.
        tick: written into `moved` for each of these vehicles.
        moved: int64 [vehicles from index `first` on].
    """
    count = 0
    for k in range(first, len(gatherers)):
        gatherer = gatherers[k]
        state = numbers_at(gatherer.state, gatherer.state_words)
        velocity = words_vector(state, gatherer.layout.velocity)
        if gatherer.running == 1 or throttle_of(gatherer) > SHUT or vec3.dot(velocity, velocity) > limit * limit:
            moved[k - first] = tick
            count += 1
    return count


class Shared:
    """What the frames of all vehicles of a world need.

    touches: TOUCH [vehicles], contacts of each with props and other vehicles; None: untouched.
    """

    def __init__(self, world: World, touches: Any = None) -> None:
        self._world = world
        self._kinds, self._wetness = surface_kinds(world.ground.surfaces)
        self._struck = struck_materials(world.ground.surfaces)
        self._touches = records(untouched(len(world.vehicles)) if touches is None else touches)
        self._no_external = records(np.zeros(len(world.vehicles), EXTERNAL))  # used while `world.acted` is None
        self._context = records(world.context)

    def arguments(self, complete: bool) -> tuple[Any, ...]:
        """The arguments of `fill_frame` after the gatherer, for the last tick."""
        world = self._world
        external = self._no_external if world.acted is None else records(world.acted)
        own = self._kinds, self._wetness, world.ground.arrays.surfaces, self._struck, self._context
        return *own, external, self._touches, world.tick_seconds, world.tick, int(complete)


class Gatherer:
    """Fills the FRAME of one vehicle of a world.

    Args:
        vehicle: one of `world.vehicles`; after a swap the new vehicle needs a new Gatherer.
        world: its World.
        assumed_boost: boost at full power of a turbocharged engine whose model has no boost, bar.
        usual_torque: usual full-load torque, naturally aspirated, of an engine of this displacement, N m
            (vehicle_sound.usual_torque_of); 0: unknown, the vehicle's engine is taken for a usual one.
        record: GATHERER [1], zeroed, to be used by this Gatherer; None: it makes its own.
    """

    def __init__(
        self, vehicle: Vehicle, world: World, assumed_boost: float = 0.0, usual_torque: float = 0.0, record: Any = None
    ) -> None:
        self.vehicle, self._world, self._shared = vehicle, world, Shared(world)
        self.record = records(np.zeros(1, GATHERER)) if record is None else record
        own, state, params = self.record[0], words(vehicle.state, np.float64), words(vehicle.params, np.float64)
        own["state"], own["state_words"] = state.ctypes.data, len(state)
        own["params"], own["params_words"] = params.ctypes.data, len(params)
        scratch = words(vehicle.scratch, np.float64)
        own["scratch"], own["scratch_words"] = scratch.ctypes.data, len(scratch)
        own["index"] = next(i for i, other in enumerate(world.vehicles) if other is vehicle)
        own["layout"], own["running"] = layout_of(vehicle)[0], 1
        candidates = candidates_of(vehicle)
        own["candidates"], own["candidate_count"] = candidates.ctypes.data, candidates.size
        self.update_parameters(assumed_boost, usual_torque)

    def update_parameters(self, assumed_boost: float, usual_torque: float) -> None:
        """Call after parameters of the vehicle have changed; arguments as for the class."""
        self.record["assumed_boost"], self.record["usual_torque"] = assumed_boost, usual_torque
        self.record["ahead"][0] = wheels_ahead(self.vehicle)

    def switch(self, horn: bool, indicator: bool) -> None:
        """Note whether the horn is pressed and whether turn signals are switched on."""
        self.record["horn"], self.record["indicator"] = horn, indicator

    def gather(self, frame: Any, complete: bool = True) -> None:
        """Fill a FRAME record with the state after the last tick. Call in every tick: impacts are rises between ticks.

        complete: as in `fill_frame`.
        """
        fill_one(frame, self.record, *self._shared.arguments(complete))

    def forget(self) -> None:
        """Call after a jump (reset, rewind): the next tick is not compared with the one before, so it has no impact."""
        self.record["memory"]["known"] = 0
        self.record["memory"]["kept_impact"] = 0.0


def candidates_of(vehicle: Vehicle) -> np.ndarray:
    """CANDIDATEs of the last tick, of which the contacts with the world are chosen (physics/contact/reduction.py).

    It is a view of the vehicle's own memory: its address is valid as long as the vehicle exists. Empty without the slot
    `contact`.
    """
    if "contact" not in vehicle.sequence.by_slot:
        return vehicle.scratch[:0]
    return vehicle.scratch["contact"]["solver"]["candidates"]


def records(array: np.ndarray) -> np.ndarray:
    """The array; without JIT as a record array, whose records kernels can read by attribute."""
    return array if JIT else array.view(np.recarray)
