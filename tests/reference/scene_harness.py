"""Scenes of the reference, the PhysX 5 vehicle SDK, built from their files and simulated by our components.

The vehicles have none of the reference's behaviour. A scene's `doc` describes the ground, road queries, suspension
limits, initial poses and hitches; unknown values are an error. In the reference only wheels are in contact with the
ground, so hulls and wheel sides have no contacts here.

The kind of comparison (test_scenes.py) follows from the commands, the ground and the recording:

    parked    braked; the recording still moves at the end because its soft sticky tires creep
    release   the same, with the brakes released for some time in between
    exact     no throttle, on ground for which rays are sufficient: drops, kerbs, braking to rest
    edge      no throttle, a cylinder rolling over an edge
    course    all others
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from reference_compat import GIVEN_LEVERS

from driving_sandbox.formats.physx import load_physx
from driving_sandbox.formats.physx_convert import lever_sides
from driving_sandbox.physics.ground.arrays import FRICTION, ROLLING_DRAG, ROUGHNESS_AMPLITUDE, TIRE_TYPES
from driving_sandbox.physics.ground.ground import Ground, Heightfield, Plane
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.road.query import RAY_QUERY
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.component import swapped
from driving_sandbox.physics.tick.sequence import sequence_of
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World

FAR = 500.0  # m, half the side of a tilted plane
LIMITS = ("road_normal", "suspension", "none")  # in the order of the parameter contact.suspension_limit
CONTACT_FREE = "none: every pair is suppressed"  # how the description of collisions starts
QUERIES = "raycast", "sweep"
# columns of a scene's commands
BRAKES, STEER, LEVERS = slice(0, 2), 3, 6  # brake and handbrake; LEVERS: the first of them
COMMAND_COLUMNS = {"brake": 0, "handbrake": 1, "throttle": 2, "clutch": 4, "gear": 5}


class SceneError(Exception):
    """A file has unknown content."""


@dataclass
class Scene:
    """A recorded scene.

    Attributes:
        doc: description in the file.
        recorded: steps after which states were recorded.
        parts: {name: array} of each vehicle. `commands` of every step: brake, handbrake, throttle, steer, clutch, gear,
            levers. The other arrays have a row per recorded step.
    """

    path: Path
    doc: dict
    recorded: np.ndarray
    parts: list

    @classmethod
    def load(cls, path):
        """A scene read from its file, which may contain nothing unknown."""
        with np.load(path) as file:
            arrays = {k: file[k] for k in file.files if k != "doc"}
            doc = json.loads(str(file["doc"]))
        names = ("commands", "body", "wheels", "actor", "actor_wheels")
        count = len(doc["vehicles"])
        known = {"recorded_steps", "substeps"} | {f"vehicle{k}_{n}" for k in range(count) for n in names}
        if set(arrays) != known:
            raise SceneError(f"{path}: arrays {sorted(set(arrays) ^ known)} are not understood, or missing")
        parts = [{n: arrays[f"vehicle{k}_{n}"].astype(float) for n in names} for k in range(count)]
        return cls(path, doc, arrays["recorded_steps"], parts)

    def actor(self, k, *names):
        """Columns of vehicle k's body after every recorded step."""
        return self._columns(self.parts[k]["actor"], "actor_columns", names)

    def body(self, k, *names):
        """Columns of the states of vehicle k's drivetrain and body after every recorded step."""
        return self._columns(self.parts[k]["body"], "body_columns", names)

    def wheels(self, k, *names):
        """Columns of the states of vehicle k's wheels, in the file's order, after every recorded step."""
        return self._columns(self.parts[k]["wheels"], "wheel_columns", names)

    def _columns(self, array, table, names):
        """Named columns of an array, whose column names are in the given table of the doc."""
        missing = [n for n in names if n not in self.doc[table]]
        if missing:
            raise SceneError(f"{self.path}: no column {missing[0]!r} in {table}")
        columns = array[..., [self.doc[table].index(n) for n in names]]
        return columns[..., 0] if len(names) == 1 else columns


def choice(scene, key, options):
    """A value of the scene's description, which must be one of the options."""
    value = scene.doc["scene"].get(key)
    if value not in options:
        raise SceneError(f"{scene.path}: {key} {value!r} is not understood")
    return value


def substep_rule(scene):
    """A function from forward speed to number of substeps, as the file's policy says in words."""
    policy = scene.doc["substeps_policy"]
    if match := re.fullmatch(r"fixed (\d+)", policy):
        return lambda speed: int(match[1])
    if match := re.search(r"(\d+) substeps when forward speed .*< ([\d.]+) m/s, else (\d+)", policy):
        return lambda speed: int(match[1]) if speed < float(match[2]) else int(match[3])
    raise SceneError(f"{scene.path}: substeps_policy {policy!r} is not understood")


CREEP = 0.005, 0.3  # m/s; speed range of a creeping braked vehicle


def kind_of(scene):
    """Kind of comparison, see the start of this file."""
    commands = scene.parts[0]["commands"]
    if commands[:, COMMAND_COLUMNS["throttle"]].any():
        return "course"
    speed = float(np.linalg.norm(scene.actor(0, "vx", "vy", "vz")[-1]))
    if commands[-1, BRAKES].any() and CREEP[0] < speed < CREEP[1]:
        return "release" if len(released_steps(scene)) else "parked"
    if scene.doc["scene"]["ground"] == "plane" or choice(scene, "road_query", QUERIES) == "raycast":
        return "parked" if tilted(scene) else "exact"
    return "edge"


def released_steps(scene):
    """Steps without brakes after a step with brakes."""
    braked = scene.parts[0]["commands"][:, BRAKES].any(axis=1)
    return np.flatnonzero(~braked & np.maximum.accumulate(braked))


def tilted(scene):
    """Whether the ground is an inclined plane."""
    normal = scene.doc["scene"]["ground_parameters"].get("normal")
    return normal is not None and max(np.abs(normal)) < 1.0 - 1e-6


# ---- ground


def mesh_of(name, corners):
    """A mesh of quadrilaterals with these corners."""
    points = np.concatenate(corners)
    triangles = [t + 4 * k for k in range(len(corners)) for t in (np.array([0, 1, 2]), np.array([0, 2, 3]))]
    return Mesh(name, points, np.array(triangles), np.zeros(len(triangles), np.int64))


def plane_of(scene, frame, normal, d):
    """Terrain and meshes of a plane n.x + d = 0."""
    n = frame.direction(normal)
    if n[2] > 1.0 - 1e-9:
        return Plane(-d / frame.scale), []
    u = np.cross((0.0, 1.0, 0.0), n)
    u /= np.linalg.norm(u)
    v = np.cross(n, u)
    corners = [-n * d / frame.scale + FAR * (a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return None, [mesh_of("slope", [np.array(corners)])]


def kerb_of(scene, frame, parameters):
    """A plane and a box on it with vertical faces."""
    terrain, meshes = plane_of(scene, frame, parameters["plane_normal"], parameters["plane_d"])
    front, length = parameters["kerb_front_z"], parameters["kerb_length_z"]
    half, top = 0.5 * parameters["kerb_width_x"], parameters["kerb_top_height"]
    ends = [frame.vector((s * half, h, z)) for s in (-1, 1) for h in (0.0, top) for z in (front, front + length)]
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    (x0, y0, z0), (x1, y1, z1) = low, high
    faces = [  # top, rear, front, left, right
        [(x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)],
        [(x0, y0, z0), (x1, y0, z0), (x1, y0, z1), (x0, y0, z1)],
        [(x0, y1, z0), (x0, y1, z1), (x1, y1, z1), (x1, y1, z0)],
        [(x0, y0, z0), (x0, y0, z1), (x0, y1, z1), (x0, y1, z0)],
        [(x1, y0, z0), (x1, y1, z0), (x1, y1, z1), (x1, y0, z1)],
    ]
    return terrain, [*meshes, mesh_of("kerb", [np.array(face) for face in faces])]


def waves_of(scene, frame, parameters):
    """The file's heights A (sin 2 pi x / L + sin 2 pi z / L), rounded to its quantum."""
    n, cell, step = int(parameters["N"]), parameters["cell"], parameters["height_quantum"]
    offsets = (np.arange(n) - n // 2) * cell
    forward, left = frame.direction((0.0, 0.0, 1.0)), frame.direction((1.0, 0.0, 0.0))
    if not (np.allclose(forward, (0, 1, 0)) and np.allclose(left, (-1, 0, 0))):
        raise SceneError(f"{scene.path}: heights in other axes than the samples'")
    wave = parameters["amplitude"] * np.sin(6.2831853 * offsets / parameters["wavelength"])
    heights = np.round((wave[:, None] + wave[None, :]) / step) * step  # [z, x]
    heights = heights[:, ::-1].astype(np.float32)  # our x has the opposite direction
    return Heightfield(heights, np.zeros((n - 1, n - 1), np.uint8), (-offsets[-1], offsets[0]), cell), []


def ground_of(scene, frame):
    """The ground of a scene: smooth and without rolling resistance."""
    parameters = scene.doc["scene"]["ground_parameters"]
    kind = choice(scene, "ground", ("plane", "kerb", "heightfield"))
    if kind == "plane":
        terrain, meshes = plane_of(scene, frame, parameters["normal"], parameters["d"])
    else:
        terrain, meshes = (kerb_of if kind == "kerb" else waves_of)(scene, frame, parameters)
    ground = Ground(terrain, meshes)
    ground.arrays.surfaces[:, [ROUGHNESS_AMPLITUDE, ROLLING_DRAG]] = 0.0
    return ground


# ---- vehicles


def vehicle_of(scene, k, compat=()):
    """The imported vehicle k of a scene; `compat`: components that replace some of its list."""
    description = scene.doc["vehicles"][k]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{description['name']}.json"
        path.write_text(json.dumps(description))
        imported = load_physx(path)
    ours = imported.vehicle
    entries = ours.sequence.entries
    swaps = list(compat)
    if imported.config["type"] == "tank":
        swaps.append(GIVEN_LEVERS)
    if choice(scene, "road_query", QUERIES) == "raycast" and (compat or scene.doc["scene"]["ground"] != "plane"):
        swaps.append(RAY_QUERY)  # on a plane ray and sweep are equal
    for component in swaps:
        entries = swapped(entries, component)
    vehicle = ours
    if swaps:
        vehicle = Vehicle(sequence_of(entries), ours.wheel_names, ours.axles, None, dict(ours.info))
        for slot in vehicle.params.dtype.names:
            if slot in ours.params.dtype.names and vehicle.params.dtype[slot] == ours.params.dtype[slot]:
                vehicle.params[slot] = ours.params[slot]
    prepare(scene, vehicle, description)
    imported.vehicle = vehicle
    return imported


def prepare(scene, vehicle, description):
    """Set the parameters that the scene determines, not the vehicle's file."""
    s, params = scene.doc["scene"], vehicle.params
    if not str(s.get("collisions", "")).startswith(CONTACT_FREE):
        raise SceneError(f"{scene.path}: collisions {s.get('collisions')!r} are not understood")
    params["contact"]["wheels_touch"] = 0
    params["contact"]["suspension_limit"] = LIMITS.index(choice(scene, "suspension_limit_direction", LIMITS))
    params["contact"]["limit_restitution"] = s["suspension_limit_restitution"]
    params["suspension"]["jounce_query"] = int(description["jounce_type"])
    params["road"]["edge_lean"] = 0.0  # the reference's wheels are rigid cylinders


def hitch(scene, frame, pair):
    """Set the hitch points of two vehicles as the scene's joint has them."""
    joint = scene.doc["scene"]["joint"]
    if not str(joint.get("type", "")).startswith("D6: all linear axes"):
        raise SceneError(f"{scene.path}: joint {joint!r} is not understood")
    for vehicle, k, name in ((pair[0], 0, "hitch_rear"), (pair[1], 1, "hitch_front")):
        vehicle.params["contact"][name][0] = frame.vector(joint[f"anchor_in_vehicle{k}_body_frame"])


def follow_commands(scene, trailer):
    """Remove drive and steering of a trailer: ours obeys the towing vehicle's commands, the scene's only brakes."""
    towing, towed = scene.parts[0]["commands"], scene.parts[1]["commands"]
    if not np.array_equal(towing[:, BRAKES], towed[:, BRAKES]) or towed[:, 2:5].any():  # throttle, steering, clutch
        raise SceneError(f"{scene.path}: the trailer has its own commands")
    trailer.params["direct_drive"]["max_torque"] = 0.0
    trailer.params["steering"]["max_angle"] = 0.0


def set_initial_state(scene, k, imported):
    """Set the initial state of a vehicle."""
    start, frame, state = scene.doc["initial_states"][k], imported.frame, imported.vehicle.state
    n = imported.vehicle.wheel_count
    body = state["body"]
    body["position"][0] = frame.vector(start["position"])
    body["orientation"][0] = frame.quaternion(start["quaternion_xyzw"])
    body["velocity"][0] = frame.vector(start["lin_vel"])
    body["angular_velocity"][0] = frame.direction(start["ang_vel"])
    state["wheel"]["omega"][0, :n] = np.array(start["wheel_omega"])[imported.wheels.ids]
    if "engine" in state.dtype.names:
        state["engine"]["omega"] = start["engine_omega"]
        state["gearbox"]["current_gear"] = start["current_gear"]
        state["gearbox"]["target_gear"] = start["target_gear"]


class Stage:
    """A scene with its vehicles in our world."""

    def __init__(self, scene, compat=()):
        self.scene = scene
        self.imported = [vehicle_of(scene, k, compat) for k in range(len(scene.parts))]
        self.frame = self.imported[0].frame
        vehicles = [i.vehicle for i in self.imported]
        if len(vehicles) == 2:
            hitch(scene, self.frame, vehicles)
            vehicles[0].trailers = (vehicles[1],)
            follow_commands(scene, vehicles[1])
        elif len(vehicles) > 2 or scene.doc["scene"]["joint"]:
            raise SceneError(f"{scene.path}: {len(vehicles)} vehicles and joint {scene.doc['scene']['joint']!r}")
        ground = ground_of(scene, self.frame)
        self.world = World(ground, vehicles[:1], float(np.float32(scene.doc["dt"])))
        self.set_friction(ground)
        context = scene.doc["vehicles"][0]["context"]
        self.world.context["gravity"][0] = self.frame.vector(context["gravity"])
        for k, imported in enumerate(self.imported):
            set_initial_state(scene, k, imported)
        self.levers = {}
        if self.imported[0].config["type"] == "tank":
            self.levers = lever_sides(self.imported[0].source, self.frame)

    def set_friction(self, ground):
        """Set the scene's uniform friction for every tire on every surface."""
        types = slice(FRICTION, FRICTION + len(TIRE_TYPES))
        ground.arrays.surfaces[:, types] = self.scene.doc["scene"]["friction"]

    def run(self, extra=0):
        """Simulate all steps of the scene, and `extra` more with its last commands.

        Returns per vehicle arrays of the recorded and the extra rows: position, orientation, velocity, load[wheel],
        jounce[wheel], gear.
        """
        scene, rule = self.scene, substep_rule(self.scene)
        recorded = scene.parts[0]["commands"]
        command, log = np.zeros(1, COMMAND), []
        steps_to_read = set(scene.recorded.tolist())
        body = self.imported[0].vehicle.state["body"]
        for step in range(len(recorded) + extra):
            values = recorded[min(step, len(recorded) - 1)]
            for key, column in COMMAND_COLUMNS.items():
                command[key] = values[column]
            command["steer"] = -values[STEER]
            for lever, side in self.levers.items():
                self.imported[0].vehicle.state["levers"][f"thrust_{side}"] = values[LEVERS + lever]
            q = body["orientation"][0]
            self.world.context["substep_count"] = rule(float(forward_of(q) @ body["velocity"][0]))
            if fault := self.world.step(command):
                raise SceneError(f"{scene.path}: {fault.text}")
            if step in steps_to_read or step >= len(recorded):
                log.append([self.row(k) for k in range(len(self.imported))])
        return [collect([entry[k] for entry in log]) for k in range(len(self.imported))]

    def row(self, k):
        """(position, orientation, velocity, loads and jounces of wheels, gear) of vehicle k now."""
        v = self.imported[k].vehicle
        s, n = v.state[0], v.wheel_count
        gear = int(s["gearbox"]["current_gear"]) if "gearbox" in v.state.dtype.names else 0
        return (
            *(s["body"][name].copy() for name in ("position", "orientation", "velocity")),
            s["suspension"]["force"][:n].copy(),
            s["suspension"]["jounce"][:n].copy(),
            gear,
        )


def collect(rows):
    """{name: values of all rows}."""
    names = ("position", "orientation", "velocity", "load", "jounce", "gear")
    return {name: np.array([row[i] for row in rows]) for i, name in enumerate(names)}


def forward_of(q):
    """Forward direction of an orientation."""
    x, y, z, w = q
    return np.array([2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)])
