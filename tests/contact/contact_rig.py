"""Test rig of hull contact: a rigid box of a car's size and mass, by default in ticks of 1/240 s with four substeps."""

from typing import NamedTuple

import numpy as np

from driving_sandbox.physics.body.gyroscopic import gyroscopic_spin
from driving_sandbox.physics.body.rigid_body import pose
from driving_sandbox.physics.contact.energy import note_velocity
from driving_sandbox.physics.contact.generation import generate_hull_contacts
from driving_sandbox.physics.contact.records import CONTACT_STATE, SCRATCH, WHEEL_CAPACITY, WHEEL_ROW
from driving_sandbox.physics.contact.solver import relax, solve_velocities
from driving_sandbox.physics.ground.arrays import FRICTION, HULL_PAIR_SIZE, HULL_PAIRS, PAIR_FRICTION, PAIR_RESTITUTION
from driving_sandbox.physics.ground.ground import Ground, Heightfield, plane_ground
from driving_sandbox.physics.kernel.jit import JIT, kernel
from driving_sandbox.physics.maths import quat
from driving_sandbox.physics.maths.vec3 import dot, load, store
from driving_sandbox.physics.shape.hull import box_inertia, build_hull

MASS = 1500.0  # kg
SIZE = (1.8, 4.5, 1.2)  # m: width, length, height
GRAVITY = 9.81  # m/s^2
TICK = 1.0 / 240.0  # s
SUBSTEPS = 4  # of a tick
REST_HEIGHT = SIZE[2] / 2  # m, of the centre of a box on the ground
# columns of the logs of `fly` and of wheel_rig.drive, see there
HEIGHT, VX, VY, VZ, ENERGY, CONTACTS, YAW_RATE = 2, 3, 4, 5, 6, 7, 10
VELOCITY, SPIN, COLUMN_COUNT = slice(3, 6), slice(8, 11), 11

BODY = np.dtype(
    [("position", float, 3), ("orientation", float, 4), ("velocity", float, 3), ("angular_velocity", float, 3)],
    align=True,
)
BODY_PARAMS = np.dtype([("mass", float), ("inertia", float, 3)], align=True)


def box_points(low, high):
    """[8, 3] corners of a box between two opposite ones, m."""
    return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


@kernel
def gyroscopic_step(body, inertia, dt):
    """Change body.angular_velocity by dt seconds of torque-free rotation; inertia: principal moments, kg m^2."""
    q = quat.load(body.orientation)
    w = quat.rotate_inverse(q, load(body.angular_velocity))
    store(body.angular_velocity, quat.rotate(q, gyroscopic_spin(w, inertia, dt)))


@kernel
def energy(body, body_params, gravity):
    """Kinetic plus potential energy, J."""
    v, w = load(body.velocity), quat.rotate_inverse(quat.load(body.orientation), load(body.angular_velocity))
    inertia = body_params.inertia
    spin = inertia[0] * w[0] * w[0] + inertia[1] * w[1] * w[1] + inertia[2] * w[2] * w[2]
    return 0.5 * (body_params.mass * dot(v, v) + spin) + body_params.mass * gravity * body.position[2]


@kernel
def fly(hull, body, body_params, ground, state, scratch, wheels, gravity, ticks, tick, substeps, log):
    """Step a box without wheels. tick: its length, s.

    log[i], after tick i: position 0..2, m; velocity 3..5, m/s; energy 6, J; contact count 7; angular velocity 8..10,
    rad/s.
    """
    h = tick / substeps
    for i in range(ticks):
        generate_hull_contacts(hull[0], body[0], ground, state[0], scratch[0], tick)
        for _ in range(substeps):
            note_velocity(body[0], scratch[0].free)
            body[0].velocity[2] -= gravity * h
            gyroscopic_step(body[0], body_params[0].inertia, h)
            solve_velocities(body[0], body_params[0], wheels, 0, state[0], scratch[0], h)
            pose(body[0], h)
            relax(body[0], body_params[0], wheels, 0, state[0], scratch[0], h)
        for k in range(3):
            log[i, k] = body[0].position[k]
            log[i, 3 + k] = body[0].velocity[k]
            log[i, 8 + k] = body[0].angular_velocity[k]
        log[i, 6] = energy(body[0], body_params[0], gravity)
        log[i, 7] = state[0].contact_count


def records(array):
    """The array in the form that kernels expect: as it is if compiled, a recarray in plain Python."""
    return array if JIT else array.view(np.recarray)


class Box:
    """A box-shaped car body above a ground, without wheels.

    Args:
        spin: angular velocity, rad/s.
        parts: {name: points} of the hull in place of the box.
    """

    def __init__(
        self,
        ground,
        position=(0.0, 0.0, 0.0),
        orientation=(0.0, 0.0, 0.0, 1.0),
        velocity=(0.0, 0.0, 0.0),
        spin=(0.0, 0.0, 0.0),
        parts=None,
        gravity=GRAVITY,
    ):
        half = np.array(SIZE) / 2
        self.hull = records(build_hull(parts or {"box": box_points(-half, half)}))
        self.body, self.params = records(np.zeros(1, BODY)), records(np.zeros(1, BODY_PARAMS))
        self.body["position"], self.body["velocity"] = position, velocity
        self.body["orientation"] = np.asarray(orientation) / np.linalg.norm(orientation)
        self.body["angular_velocity"] = spin
        self.params["mass"], self.params["inertia"] = MASS, box_inertia(MASS, SIZE)
        self.state, self.scratch = records(np.zeros(1, CONTACT_STATE)), records(np.zeros(1, SCRATCH))
        self.wheels = records(np.zeros(WHEEL_CAPACITY, WHEEL_ROW))
        self.ground, self.gravity = ground, gravity

    def run(self, seconds, tick=TICK, substeps=SUBSTEPS):
        """Simulate; returns the log of `fly` as an array."""
        ticks = round(seconds / tick)
        log = np.zeros((ticks, COLUMN_COUNT))
        fly(
            self.hull,
            self.body,
            self.params,
            self.ground.arrays,
            self.state,
            self.scratch,
            self.wheels,
            self.gravity,
            ticks,
            tick,
            substeps,
            log,
        )
        return log

    def corners(self):
        """[n, 3] world positions of the hull's vertices, m."""
        q = tuple(self.body["orientation"][0])
        count = int(self.hull["vertex_start"][0][-1])
        return np.array(
            [np.add(quat.rotate(q, tuple(p)), self.body["position"][0]) for p in self.hull["vertices"][0][:count]]
        )


def with_hull_surface(ground, friction, restitution=0.0, surfaces=slice(None)):
    """Set friction and restitution of all materials of bodywork on some surfaces of a ground, and return the ground."""
    pairs = ground.arrays.surfaces[:, HULL_PAIRS:FRICTION]
    pairs[surfaces, PAIR_FRICTION::HULL_PAIR_SIZE] = friction
    pairs[surfaces, PAIR_RESTITUTION::HULL_PAIR_SIZE] = restitution
    return ground


def flat(friction=0.5, restitution=0.0):
    """A level plane at z = 0."""
    return with_hull_surface(plane_ground(), friction, restitution)


def bumpy(amplitude=0.3, friction=0.5, seed=3):
    """Random hills on a grid of 1 m, 128 m wide; amplitude: largest height, m."""
    heights = np.random.default_rng(seed).uniform(-amplitude, amplitude, (129, 129)).astype(np.float32)
    terrain = Heightfield(heights, np.zeros((128, 128), np.uint8), origin=(-64.0, -64.0), cell=1.0)
    return with_hull_surface(Ground(terrain), friction)


def random_orientation(rng):
    """A random unit quaternion (x, y, z, w)."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


class Soup(NamedTuple):
    """A triangle mesh of the ground, of one surface."""

    name: str
    vertices: np.ndarray  # [n, 3], m
    triangles: np.ndarray  # [m, 3] indices of vertices
    triangle_surfaces: np.ndarray  # [m] indices of surfaces


def soup(name, vertices, triangles):
    """A Soup of surface 0."""
    triangles = np.asarray(triangles)
    return Soup(name, np.asarray(vertices, dtype=float), triangles, np.zeros(len(triangles), np.int32))


def sheet(origin, u, v, n=1, m=1, seed=None, jitter=0.3):
    """A parallelogram of n x m cells whose front points along u x v.

    origin: a corner, m.
    u, v: its sides, m.
    seed: makes the inner vertices and the cells' diagonals random.
    jitter: largest shift of an inner vertex along either side, cells.
    """
    rng = np.random.default_rng(seed)
    points = np.zeros((m + 1, n + 1, 3))
    for j in range(m + 1):
        for i in range(n + 1):
            a, b = float(i), float(j)
            if seed is not None and 0 < i < n and 0 < j < m:
                a, b = a + rng.uniform(-jitter, jitter), b + rng.uniform(-jitter, jitter)
            points[j, i] = np.asarray(origin) + np.asarray(u) * a / n + np.asarray(v) * b / m
    faces = []
    for j in range(m):
        for i in range(n):
            a, b, c, d = (j * (n + 1) + i, j * (n + 1) + i + 1, (j + 1) * (n + 1) + i, (j + 1) * (n + 1) + i + 1)
            faces += [(a, b, d), (a, d, c)] if seed is None or rng.random() < 0.5 else [(a, b, c), (b, d, c)]
    return soup("sheet", points.reshape(-1, 3), faces)


def block(low, high):
    """A closed box between two opposite corners, m: twelve triangles, front faces outward."""
    faces = [
        (0, 1, 3),
        (0, 3, 2),
        (4, 6, 7),
        (4, 7, 5),
        (0, 4, 5),
        (0, 5, 1),
        (2, 3, 7),
        (2, 7, 6),
        (0, 2, 6),
        (0, 6, 4),
        (1, 5, 7),
        (1, 7, 3),
    ]
    return soup("block", box_points(low, high), faces)


def mesh_ground(*meshes, friction=0.5, restitution=0.0, terrain=None):
    """Ground of meshes, such as `sheet` and `block` make, and of a terrain if one is given."""
    return with_hull_surface(Ground(terrain, list(meshes)), friction, restitution)
