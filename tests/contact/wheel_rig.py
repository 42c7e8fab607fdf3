"""Test rig of sticky tires: the box of contact_rig on four springs, with Coulomb brakes and a crude tire model.

Outside the sticky range wheels always roll: the longitudinal force is min(brake force, mu N), the lateral one is
proportional to lateral speed up to mu N. Only sticky wheels can be locked.
"""

import numpy as np
from contact_rig import (
    COLUMN_COUNT,
    GRAVITY,
    MASS,
    SUBSTEPS,
    TICK,
    Box,
    energy,
    gyroscopic_step,
    mesh_ground,
    records,
    sheet,
)

from driving_sandbox.physics.body.rigid_body import pose
from driving_sandbox.physics.contact.component import ContactParams
from driving_sandbox.physics.contact.energy import note_velocity
from driving_sandbox.physics.contact.generation import generate_hull_contacts
from driving_sandbox.physics.contact.rows import inverse_inertia
from driving_sandbox.physics.contact.solver import relax, solve_velocities
from driving_sandbox.physics.contact.sticky import (
    any_braking,
    any_driving,
    contact_speeds,
    sticky_wheel_rate,
    update_sticky,
)
from driving_sandbox.physics.ground.ground import cast_ray
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import add, add_scaled, cross, dot, load, normalize, scale, store, sub

RADIUS = 0.32  # m
TRAVEL = 0.2  # m
STIFFNESS = 40e3  # N/m
DAMPING = 4e3  # N s/m
HUB_HEIGHT = -0.45  # m, height of the hubs at full jounce relative to the centre of mass
LIMIT_MARGIN = 0.01  # m; the suspension limit is active in this last part of the travel
STOPPING_SPEED = 0.01  # m/s; below it the brake force is proportional to speed, instead of a step at rest
HUBS = np.array([[x, y, HUB_HEIGHT] for y in (1.35, -1.35) for x in (-0.75, 0.75)])  # m, fl, fr, rl, rr
LATERAL_SPEED = 0.5  # m/s; at this speed the lateral force of the crude tire reaches mu N


@kernel
def update_sticky_wheels(params, wheels, wheel_count, body, state, dt):
    """`update_sticky` of every wheel row.

    Call once per substep after the road query has filled contact point, directions and normal force, and before the
    tire forces; the tire then gives no force along a sticky direction.
    """
    driving, braking = any_driving(wheels, wheel_count), any_braking(wheels, wheel_count)
    for i in range(wheel_count):
        longitudinal_speed, lateral_speed = contact_speeds(wheels[i], body)
        update_sticky(params, wheels[i], state.wheels[i], longitudinal_speed, lateral_speed, driving, braking, dt)


@kernel
def push_body(body, body_params, m, force, point, h):
    """Add the impulse of a force at a world point over the time h, s, to the velocities."""
    store(body.velocity, add_scaled(load(body.velocity), force, h / body_params.mass))
    torque = cross(sub(point, load(body.position)), force)
    spin_change = inverse_inertia(m, body_params.inertia, torque)
    store(body.angular_velocity, add_scaled(load(body.angular_velocity), spin_change, h))


@kernel
def query_road(wheel, offset, body, m, ground):
    """Set contact, directions, spring and damper force, and suspension limit of a wheel.

    offset: position of the hub at full jounce in the body, m.
    m: rotation matrix of the body.
    """
    down = (-m[0][2], -m[1][2], -m[2][2])
    hub = add(load(body.position), (dot(m[0], load(offset)), dot(m[1], load(offset)), dot(m[2], load(offset))))
    reach = TRAVEL + RADIUS
    hit, distance, n, surface = cast_ray(ground, hub, down, reach)
    wheel.on_ground = 1 if hit else 0
    wheel.limit_active = 0
    wheel.normal_force = 0.0
    if not hit:
        return
    point = add_scaled(hub, down, distance)
    store(wheel.contact_point, point)
    forward = normalize(cross(n, (m[0][0], m[1][0], m[2][0])))
    store(wheel.longitudinal, forward)
    store(wheel.lateral, cross(forward, n))
    speed = dot(n, add(load(body.velocity), cross(load(body.angular_velocity), sub(point, load(body.position)))))
    jounce = reach - distance
    wheel.normal_force = max(0.0, STIFFNESS * jounce - DAMPING * speed)
    wheel.limit_active = 1 if jounce > TRAVEL - LIMIT_MARGIN else 0
    wheel.limit_separation = TRAVEL - jounce
    store(wheel.limit_direction, n)
    store(wheel.limit_point, point)


@kernel
def apply_wheel(wheel, body, body_params, m, h):
    """Apply the force of spring and damper, and tire forces in the directions that are not sticky."""
    n = cross(load(wheel.lateral), load(wheel.longitudinal))
    point = load(wheel.contact_point)
    longitudinal_speed, lateral_speed = contact_speeds(wheel, body)
    grip = wheel.friction * wheel.normal_force
    force = scale(n, wheel.normal_force)
    if wheel.sticky_longitudinal == 0:
        brake = min(grip, wheel.brake_torque / wheel.radius) * min(1.0, max(-1.0, longitudinal_speed / STOPPING_SPEED))
        force = add_scaled(force, load(wheel.longitudinal), -brake)
        wheel.rate = longitudinal_speed / wheel.radius
    if wheel.sticky_lateral == 0:
        side = grip * min(1.0, max(-1.0, lateral_speed / LATERAL_SPEED))
        force = add_scaled(force, load(wheel.lateral), -side)
    push_body(body, body_params, m, force, point, h)


@kernel
def drive(hull, body, body_params, ground, state, scratch, wheels, hubs, sticky, gravity, ticks, tick, substeps, log):
    """Step the car. tick: its length, s.

    log[i], after tick i: position 0..2, m; velocity 3..5, m/s; energy of the body 6, J; contact count 7; angular
    velocity 8..10, rad/s.
    """
    h = tick / substeps
    for i in range(ticks):
        generate_hull_contacts(hull[0], body[0], ground, state[0], scratch[0], tick)
        for _ in range(substeps):
            m = quat.to_matrix(quat.load(body[0].orientation))
            for k in range(4):
                query_road(wheels[k], hubs[k], body[0], m, ground)
            update_sticky_wheels(sticky[0], wheels, 4, body[0], state[0], h)
            note_velocity(body[0], scratch[0].free)
            body[0].velocity[2] -= gravity * h
            gyroscopic_step(body[0], body_params[0].inertia, h)
            for k in range(4):
                if wheels[k].on_ground == 1:
                    apply_wheel(wheels[k], body[0], body_params[0], m, h)
            solve_velocities(body[0], body_params[0], wheels, 4, state[0], scratch[0], h)
            pose(body[0], h)
            relax(body[0], body_params[0], wheels, 4, state[0], scratch[0], h)
            for k in range(4):
                if wheels[k].sticky_longitudinal == 1:
                    wheels[k].rate = sticky_wheel_rate(wheels[k], state[0].wheels[k], body[0], wheels[k].rate)
        for k in range(3):
            log[i, k] = body[0].position[k]
            log[i, 3 + k] = body[0].velocity[k]
            log[i, 8 + k] = body[0].angular_velocity[k]
        log[i, 6] = energy(body[0], body_params[0], gravity)
        log[i, 7] = state[0].contact_count


def default_contact_params():
    """Length-1 array of the contact solver's default parameters."""
    params = np.zeros(1, ContactParams.dtype)
    ContactParams.defaults(params[0])
    return params


class Car(Box):
    """The box on four wheels."""

    def __init__(self, ground, friction=1.0, **box):
        super().__init__(ground, **box)
        self.hubs = HUBS.copy()
        self.sticky = records(default_contact_params())
        self.wheels["friction"], self.wheels["radius"], self.wheels["inertia"] = friction, RADIUS, 1.0

    def brake(self, front, rear):
        """Set the brake torques of each front and of each rear wheel, N m."""
        self.wheels["brake_torque"][:2], self.wheels["brake_torque"][2:4] = front, rear

    def run(self, seconds, tick=TICK, substeps=SUBSTEPS):
        """Simulate; returns the log of `drive` as an array."""
        ticks = round(seconds / tick)
        log = np.zeros((ticks, COLUMN_COUNT))
        drive(
            self.hull,
            self.body,
            self.params,
            self.ground.arrays,
            self.state,
            self.scratch,
            self.wheels,
            self.hubs,
            self.sticky,
            self.gravity,
            ticks,
            tick,
            substeps,
            log,
        )
        return log


def parked(ground, up, yaw=0.0, friction=1.0, front=3000.0, rear=3000.0):
    """A car on a plane with normal `up` through the origin, 1 cm above the height where its springs carry it at rest.

    yaw: heading, rad; 0: +y on level ground.
    front, rear: brake torque of each front and rear wheel, N m.
    """
    up = np.asarray(up, dtype=float)
    axis = np.cross((0.0, 0.0, 1.0), up)
    tilt = quat.from_rotation_vector(tuple(axis / max(np.linalg.norm(axis), 1e-12) * np.arccos(up[2])))
    q = quat.multiply(tilt, quat.from_axis_angle((0.0, 0.0, 1.0), yaw))
    height = TRAVEL + RADIUS - HUB_HEIGHT - MASS * GRAVITY * up[2] / (4.0 * STIFFNESS) + 0.01
    car = Car(ground, friction, position=up * height, orientation=q)
    car.brake(front, rear)
    return car


def slope(degrees):
    """(ground, normal) of a plane that rises along +y."""
    a = np.radians(degrees)
    ground = mesh_ground(
        sheet((-99, -99 * np.cos(a), -99 * np.sin(a)), (198, 0, 0), (0, 198 * np.cos(a), 198 * np.sin(a)))
    )
    return ground, (0.0, -np.sin(a), np.cos(a))
