"""A vehicle whose body is moved by another physics engine: the user's own, or Bullet (PX-CONT-01..13).

The outer engine owns pose and contacts of the body; the vehicle computes the effect of springs, tires, air and gravity:

    begin   reads pose and velocity of the outer body, after the engine's own contacts, into the vehicle
    tick    the vehicle's usual tick from that state
    end     passes the velocity after the tick to the outer body, or the acceleration (v_after - v_before) / dt

Then the engine takes a step of the same length, which moves the pose (x <- x + v dt). The engine's step may also
come first: its contacts then reach the vehicle one step later.

    class MyBody(EngineBody): ...                     # the eight methods below, for your engine
    outer = OuterBodies(world, {0: MyBody(...)})
    while driving:
        fault = outer.step(commands)
        my_engine.step(world.tick_seconds)

In the mode `velocity` the outer body gets its new velocity at once, in the mode `acceleration` through the engine's
next step, together with its other forces; the trajectories are the same.

Gravity acts once: the vehicle's tick adds it, so the engine must not; an engine with gravity is rejected.

Sleep: a wake counter (s) runs down. When it is below `wake_threshold`, an active vehicle sets it to `wake_reset` again.
A vehicle is active with throttle, with an external action, or with an energy (v^2 + w I w / m + sum I_i omega_i^2 / m)
/ 2 above SLEEP_ENERGY (w: angular velocity, I, m: inertia and mass of the body, I_i, omega_i: of the wheels). At 0 the
outer body is put to sleep, and its vehicle keeps its state; throttle, an external action or the engine's own contacts
wake both at once.

Limits: suspension limits and sticky tires stay with the vehicle's own solver (physics/contact). So does its hull;
where the engine has the same walls, switch off the program's own contacts with `without_hull`. Vehicles with trailers
are rejected.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.maths.quat import rotate_inverse

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

VELOCITY, ACCELERATION = "velocity", "acceleration"
WAKE_RESET, WAKE_THRESHOLD = 0.4, 0.2  # s, the defaults in the PhysX manual
SLEEP_ENERGY = 5e-5  # J per kg of the body, the kinetic energy at 1 cm/s
MAX_OWN_GRAVITY = 1e-3  # m/s^2; with more gravity of its own an engine is rejected


class EngineBody:
    """Interface of an outer engine's body. World axes, SI; the pose is that of the centre of mass.

    An orientation is (x, y, z, w), from the vehicle's axes (x right, y forward, z up) to the world's.
    """

    def pose(self) -> tuple[Any, Any]:
        """(position (3,) in m, orientation (4,))."""
        raise NotImplementedError

    def velocity(self) -> tuple[Any, Any]:
        """(velocity (3,), angular velocity (3,)) as the engine's last step and contacts left them."""
        raise NotImplementedError

    def set_velocity(self, velocity: np.ndarray, angular_velocity: np.ndarray) -> None:
        """Set velocity and angular velocity."""
        raise NotImplementedError

    def set_acceleration(self, acceleration: np.ndarray, angular_acceleration: np.ndarray) -> None:
        """Apply these accelerations to the body, during the next step of the engine only."""
        raise NotImplementedError

    def own_gravity(self) -> float:
        """Magnitude of the gravity that the engine applies to this body, m/s^2."""
        raise NotImplementedError

    def asleep(self) -> bool:
        """Whether the body sleeps, so that the engine does not move it."""
        raise NotImplementedError

    def sleep(self) -> None:
        """Put the body to sleep until something touches it or `wake` is called."""
        raise NotImplementedError

    def wake(self) -> None:
        """Wake the body."""
        raise NotImplementedError


class OuterBody:
    """One vehicle and its outer body: `begin`, the vehicle's tick, `end`.

    Args:
        vehicle: Vehicle with the parameters.
        body: EngineBody.
        mode: VELOCITY or ACCELERATION.
        wake_reset, wake_threshold: s, see the module's docstring.
    Attributes:
        counter: s left until the body falls asleep.
    Raises:
        ValueError: invalid settings, a vehicle with trailers, or an engine that applies gravity to the body.
    """

    def __init__(
        self,
        vehicle: "Vehicle",
        body: EngineBody,
        mode: str = VELOCITY,
        wake_reset: float = WAKE_RESET,
        wake_threshold: float = WAKE_THRESHOLD,
    ) -> None:
        if mode not in (VELOCITY, ACCELERATION):
            raise ValueError(f"mode must be {VELOCITY!r} or {ACCELERATION!r}, not {mode!r}")
        if not 0.0 <= wake_threshold <= wake_reset:
            raise ValueError(f"wake_threshold {wake_threshold} s must lie between 0 and wake_reset {wake_reset} s")
        if vehicle.trailers:
            raise ValueError(f"{vehicle.name} pulls trailers, which an outer engine cannot move")
        gravity = body.own_gravity()
        if gravity > MAX_OWN_GRAVITY:
            text = (
                f"the outer engine pulls {vehicle.name} down with {gravity:.4g} m/s^2, and the vehicle's tick does so"
            )
            raise ValueError(f"{text} already: turn the engine's gravity off for this body")
        self.vehicle, self.body, self.mode = vehicle, body, mode
        self.wake_reset, self.wake_threshold = wake_reset, wake_threshold
        self.counter = wake_reset
        self._before = (np.zeros(3), np.zeros(3))  # velocity and angular velocity at `begin`

    def begin(self, state: np.ndarray, command: Any, external: Any = None) -> bool:
        """Copy the outer body's pose and velocity into the state; returns False if the vehicle sleeps.

        Throttle or an external action wakes it first. The state of a sleeping vehicle must not change in this tick, and
        `end` must not be called.

        Args:
            state: record array of the vehicle, of length 1.
            command, external: the vehicle's COMMAND and EXTERNAL records of this tick; external may be None.
        """
        if self.body.asleep():
            if not self._is_driven(command, external):
                return False
            self.body.wake()
            self.counter = self.wake_reset
        body = state["body"][0]
        body["position"], body["orientation"] = self.body.pose()
        velocity, angular_velocity = self.body.velocity()
        self._before = np.array(velocity, float), np.array(angular_velocity, float)
        body["velocity"], body["angular_velocity"] = self._before
        self._driven = self._is_driven(command, external)
        return True

    def end(self, state: np.ndarray, dt: float) -> None:
        """Pass the motion after the tick to the outer body, which falls asleep when the wake counter has run down."""
        body = state["body"][0]
        motion_after = body["velocity"].copy(), body["angular_velocity"].copy()
        if self.mode == VELOCITY:
            self.body.set_velocity(*motion_after)
        else:
            self.body.set_acceleration(*((a - b) / dt for a, b in zip(motion_after, self._before, strict=True)))
        self.counter -= dt
        if (self._driven or self._energy(state) > SLEEP_ENERGY) and self.counter < self.wake_threshold:
            self.counter = self.wake_reset
        if self.counter <= 0.0:
            self.body.set_velocity(np.zeros(3), np.zeros(3))
            body["velocity"] = body["angular_velocity"] = 0.0
            self.body.sleep()

    @staticmethod
    def _is_driven(command: Any, external: Any) -> bool:
        """Whether throttle or an external action should move the vehicle."""
        pushed = external is not None and any(
            np.any(external[name]) for name in ("force", "torque", "impulse", "angular_impulse")
        )
        return bool(command["throttle"] > 0.0) or pushed

    def _energy(self, state: np.ndarray) -> float:
        """Kinetic energy of the body and of the wheels' spin, divided by the body's mass, J/kg."""
        body, params = state["body"][0], self.vehicle.params
        body_params, wheel_count = params["body"][0], self.vehicle.wheel_count
        orientation = tuple(body["orientation"].tolist())
        rate = np.array(rotate_inverse(orientation, tuple(body["angular_velocity"].tolist())))
        spin = params["wheel"][0]["inertia"][:wheel_count] @ state["wheel"][0]["omega"][:wheel_count] ** 2
        return 0.5 * (
            body["velocity"] @ body["velocity"] + (body_params["inertia"] @ rate**2 + spin) / body_params["mass"]
        )


class OuterBodies:
    """The vehicles of a World or Batch, some of them with outer bodies, stepped together.

    The engine is only called from one thread and one body at a time, before and after the vehicles' ticks; the ticks
    may run in the threads of a Batch.

    Args:
        world: World or Batch.
        bodies: {index of a vehicle: EngineBody}.
        settings: further arguments of every OuterBody.
    """

    def __init__(self, world: Any, bodies: Mapping[int, EngineBody], **settings: Any) -> None:
        self.world = world
        batch_vehicle = getattr(world, "vehicle", None)  # a Batch has one for all
        self.bodies = {
            i: OuterBody(batch_vehicle or world.vehicles[i], body, **settings) for i, body in sorted(bodies.items())
        }

    def state(self, i: int) -> np.ndarray:
        """State of the i-th vehicle as a record array of length 1."""
        states = getattr(self.world, "states", None)
        return self.world.vehicles[i].state if states is None else states[i : i + 1]

    def step(self, commands: np.ndarray, external: np.ndarray | None = None) -> Any:
        """Step all vehicles by a tick; returns the result of World or Batch. commands: a record per vehicle."""
        states_asleep = {}  # {index of a sleeping vehicle: its state, restored after the tick}
        for i, outer in self.bodies.items():
            action = None if external is None else external[i]
            if not outer.begin(self.state(i), commands[i], action):
                states_asleep[i] = self.state(i).copy()
        result = self.world.step(commands, external)
        for i, outer in self.bodies.items():
            if i in states_asleep:
                self.state(i)[:] = states_asleep[i]
            else:
                outer.end(self.state(i), self.world.tick_seconds)
        return result


def without_hull(vehicle: "Vehicle") -> dict[str, Any]:
    """{path: value} for `Vehicle.set_many` that switches off the contacts of the hull (bodywork and wheels) here.

    Tires still act on the ground; other contacts are left to the outer engine.
    """
    parts = 0 if vehicle.geometry is None else len(vehicle.geometry.hulls)
    return {"contact.part_excluded": [1] * parts, "contact.wheels_touch": False}
