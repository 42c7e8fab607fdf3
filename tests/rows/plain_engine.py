"""A small outer physics engine: free bodies, walls, sleep. Semi-implicit Euler, without gyroscopic terms."""

import threading

import numpy as np

from driving_sandbox.physics.maths.quat import from_rotation_vector, multiply, normalize
from driving_sandbox.physics.vehicle.outer_body import EngineBody


class PlainBody(EngineBody):
    """A body of the outer engine. A wall at y = `wall` stops it without rebound.

    v, w: velocity, m/s, and angular velocity, rad/s, in world axes.
    gravity: downward acceleration that the engine adds by itself, m/s^2.
    reports_gravity: whether `own_gravity` returns it (otherwise it returns 0).
    """

    def __init__(self, vehicle, gravity=0.0, reports_gravity=True, scene=None):
        state = vehicle["body"][0] if isinstance(vehicle, np.ndarray) else vehicle.state["body"][0]
        self.position, self.orientation = state["position"].copy(), state["orientation"].copy()
        self.v, self.w = state["velocity"].copy(), state["angular_velocity"].copy()
        self.gravity, self.reports_gravity = gravity, reports_gravity
        self.acceleration = np.zeros(3), np.zeros(3)
        self.sleeping, self.wall = False, np.inf
        self.scene = scene or PlainEngine()
        self.scene.bodies.append(self)

    def pose(self):
        with self.scene.access():
            return self.position.copy(), self.orientation.copy()

    def velocity(self):
        with self.scene.access():
            return self.v.copy(), self.w.copy()

    def set_velocity(self, velocity, angular_velocity):
        with self.scene.access():
            self.v, self.w = np.array(velocity), np.array(angular_velocity)

    def set_acceleration(self, acceleration, angular_acceleration):
        with self.scene.access():
            self.acceleration = np.array(acceleration), np.array(angular_acceleration)

    def own_gravity(self):
        return self.gravity if self.reports_gravity else 0.0

    def asleep(self):
        return self.sleeping

    def sleep(self):
        self.sleeping = True

    def wake(self):
        self.sleeping = False

    def step(self, dt):
        """Advance by dt, s, unless the body sleeps."""
        if self.sleeping:
            return
        a, alpha = self.acceleration
        self.v = self.v + dt * (a - [0.0, 0.0, self.gravity])
        self.w = self.w + dt * alpha
        self.acceleration = np.zeros(3), np.zeros(3)
        self.position = self.position + dt * self.v
        orientation = multiply(from_rotation_vector(tuple((dt * self.w).tolist())), tuple(self.orientation.tolist()))
        self.orientation = np.array(normalize(orientation))
        if self.position[1] > self.wall:
            self.position[1] = self.wall
            self.v[1] = min(0.0, self.v[1])


class PlainEngine:
    """The bodies of the outer engine, and the guard of access to them.

    The guard locks nothing. It collects the threads that enter it, and counts entries while another one is inside.
    """

    def __init__(self):
        self.bodies, self.threads, self.overlaps, self.inside = [], set(), 0, 0

    def access(self):
        return self

    def __enter__(self):
        self.threads.add(threading.get_ident())
        self.inside += 1
        self.overlaps += self.inside > 1

    def __exit__(self, *problem):
        self.inside -= 1

    def step(self, dt):
        for body in self.bodies:
            body.step(dt)
