"""A sample vehicle in Stingray's format, as nested data and as text, and meshes for its nodes."""

import copy

import numpy as np
import trimesh

from driving_sandbox.formats.stingray import load_stingray

TRACK, WHEELBASE, RADIUS, HALF_WIDTH = 1.5, 2.7, 0.33, 0.11  # m
BOX = (1.8, 4.4, 1.4)  # m, width, length and height of the chassis shape
ORIGIN = (0.0, 0.0, 0.9)  # m, of the chassis' node
CONSTANT_FRICTION = [0.0, 1.0, 0.5, 1.0, 1.0, 1.0]  # pairs of slip and friction


def wheel(name, front):
    """A wheel whose shape is the node `name`; front: whether the wheel is steered and has no handbrake."""
    return {
        "scene_graph_shape_node": name, "mass": 25.0, "damping_rate": 0.25, "max_brake_torque": 1600.0,
        "max_handbrake_torque": 0.0 if front else 3000.0, "max_steer": 0.6 if front else 0.0,
        "tire": {
            "type": "normal", "lateral_stiffness_x": 2.0, "lateral_stiffness_y": 18.0, "longitudal_stiffness": 6000.0,
            "friction_versus_slip": list(CONSTANT_FRICTION), "force_application_offset": [0.0, 0.0, -0.3],
        },
        "suspension": {
            "sprung_mass": 0.0, "max_compression": 0.15, "max_droop": 0.12, "spring_strength": 35000.0,
            "spring_damper_rate": 3500.0, "camber_rest": 0.0, "camber_max_compression": 0.0, "camber_max_droop": 0.0,
            "travel_direction": [0.0, 0.0, -1.0], "force_application_offset": [0.0, 0.0, -0.3],
        },
    }  # fmt: skip


def block(axles=2, model="car"):
    """A vehicle as nested data."""
    names = [f"w_{side}{k}" for k in range(axles) for side in "lr"]
    data = {
        "enabled": True, "name": "sample", "actor_name": "car_actor", "vehicle_physics_model": model,
        "chassis": {
            "mass": 1500.0, "scene_graph_shape_node": "c_body", "center_of_mass_offset": [0.0, 0.0, -0.35],
            "scene_graph_render_nodes": [{"node": "j_body", "transform_type": "full"}],
            "moment_of_inertia": {"cuboid": {"mass_factor": 1.0 / 12.0}},
        },
        "engine": {
            "peak_torque": 400.0, "max_omega": 600.0,
            "damping_rates": {"full_throttle": 0.3, "zero_throttle_clutch_engaged": 1.5,
                              "zero_throttle_clutch_disengaged": 0.5},
        },
        "differential": {"type": "open_rearwd"},
        "gears": {"use_auto_gears": True, "final_ratio": 4.0, "switch_time": 0.5,
                  "ratios": [-4.0, 0.0, 4.0, 2.0, 1.5, 1.1, 1.0]},
        "clutch": {"strength": 10.0},
        "ackermann_correction": {"accuracy": 1.0},
        "steer_vs_forward_speed": [0.0, 1.0, 5.0, 0.75, 30.0, 0.22, 120.0, 0.19],
        "wheels": [wheel(name, k < 2) for k, name in enumerate(names)],
    }  # fmt: skip
    if model == "tank":
        del data["differential"]
        data["tank_drive_model"] = "special"
    return data


def changed(data, **changes):
    """The block with changed values: `chassis__mass=2`, `wheels__max_steer=0` for every wheel.

    None removes a key; a tuple has a value for each wheel.
    """
    data = copy.deepcopy(data)
    for path, value in changes.items():
        *sections, key = path.split("__")
        targets = [data]
        for name in sections:
            targets = [t for target in targets
                       for t in (target[name] if isinstance(target[name], list) else [target[name]])]  # fmt: skip
        for i, target in enumerate(targets):
            new_value = value[i] if isinstance(value, tuple) else copy.deepcopy(value)
            target.pop(key, None)
            if new_value is not None:
                target[key] = new_value
    return data


def sjson(value, depth=0):
    """Text of nested data, without commas."""
    indent = "    " * depth
    if isinstance(value, dict):
        lines = [f"{indent}    {key} = {sjson(v, depth + 1)}" for key, v in value.items()]
        return "{\n" + "\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list):
        return "[\n" + "\n".join(f"{indent}    {sjson(v, depth + 1)}" for v in value) + f"\n{indent}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def unit_text(*blocks, actors=("car_actor",)):
    """Text of a file with these vehicles."""
    listed = "actors = [" + " ".join(f'{{ name = "{a}" }}' for a in actors) + "]\n" if actors is not None else ""
    return listed + "vehicles = " + sjson(list(blocks)) + "\n"


def wheel_centres(axles=2):
    """Wheel centres axle by axle, left first, m; four or more axles are 0.8 m apart."""
    y = np.linspace(WHEELBASE / 2.0, -WHEELBASE / 2.0, axles) if axles < 4 else 0.8 * (axles / 2.0 - np.arange(axles))
    return [np.array([x, yk, RADIUS]) for yk in y for x in (-TRACK / 2.0, TRACK / 2.0)]


def write_meshes(path, axles=2, at=None, extra=(), moved=()):
    """Write a `.glb` with the nodes of a block: the chassis as a box, wheels as cylinders about their axles.

    Args:
        at: centres of the wheels, m; by default those of `wheel_centres`.
        extra: {node: position} of further small boxes.
        moved: {node: offset of its mesh}; other meshes are centred at their node.
    """
    # from axes x right, y ahead, z up to those of glTF, of which y is up
    y_up = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]])
    scene = trimesh.Scene()

    def add(name, mesh, position):
        mesh.apply_translation(dict(moved).get(name, (0.0, 0.0, 0.0)))
        mesh.apply_transform(y_up)
        matrix = np.eye(4)
        matrix[:3, 3] = y_up[:3, :3] @ position
        scene.add_geometry(mesh, node_name=name, geom_name=name, transform=matrix)

    add("c_body", trimesh.creation.box(BOX), ORIGIN)
    for k, centre in enumerate(wheel_centres(axles) if at is None else at):
        rim = trimesh.creation.cylinder(RADIUS, 2.0 * HALF_WIDTH, sections=32)
        rim.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2.0, [0, 1, 0]))
        add(f"w_{'lr'[k % 2]}{k // 2}", rim, centre)
    for name, position in {"j_body": (0.0, 0.0, 0.9), **dict(extra)}.items():
        add(name, trimesh.creation.box((0.2, 0.2, 0.2)), np.array(position))
    path.write_bytes(scene.export(file_type="glb"))
    return path


def written(folder, *blocks, axles=2, at=None, actors=("car_actor",), meshes=True, extra=()):
    """Path of a unit's file, with its model in the same folder."""
    path = folder / "unit.physics"
    path.write_text(unit_text(*blocks, actors=actors), encoding="utf8")
    if meshes:
        write_meshes(path.with_suffix(".glb"), axles, at, extra)
    return path


def load(tmp_path, axles=2, data=None, **changes):
    """The vehicle of a changed sample."""
    data = changed(block(axles) if data is None else data, **changes)
    return load_stingray(written(tmp_path, data, axles=axles))["sample"].vehicle


def warnings_about(tmp_path, **changes):
    """Warnings about a changed sample."""
    return load_stingray(written(tmp_path, changed(block(), **changes))).warnings


def line_of(path, text):
    """Number of the first line of a file that contains the text."""
    return next(n for n, line in enumerate(path.read_text().splitlines(), start=1) if text in line)
