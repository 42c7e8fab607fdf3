"""Initial state of a vehicle in a simulation, from a YAML file.

spawn: slope_10            # a spawn point of the world, or
position: [10, -20]        # m, x and y, placed on the ground; with z, the position of the model's origin
heading_deg: 90            # 0 faces +y, positive to the left
speed: 20                  # m/s forward; the wheels roll with it
yaw_rate: 0.0              # rad/s, positive to the left
channels: {engine.omega: 300, gearbox.current_gear: 4}     # any state of the vehicle, by channel name
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlList, YamlMap, check_keys, key_hint, load_yaml

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
    from driving_sandbox.physics.world.world import World

KEYS = ("spawn", "position", "heading_deg", "speed", "yaw_rate", "channels")


def start(world: "World", path: Path | str | None = None, index: int = 0) -> None:
    """Place a vehicle and its trailers as the file says, or (path None) on the first spawn point. Raises ConfigError.

    index: of the vehicle in the world.
    """
    if path is None:
        world.spawn(index=index)
        return
    doc = load_yaml(Path(path))
    if not isinstance(doc, YamlMap):
        raise ConfigError(path, 1, "", "must be a mapping of keys to values")
    check_keys(doc, KEYS)
    if "spawn" in doc and "position" in doc:
        raise doc.error("spawn", "cannot be combined with position")
    _place(world, index, doc)
    for member in world.train_of(index):
        _set_moving(world.vehicles[member], _number(doc, "speed", 0.0), _number(doc, "yaw_rate", 0.0))
    _set_channels(world.vehicles[index], doc)


def _place(world: "World", index: int, doc: YamlMap) -> None:
    """Place a vehicle as the file says; what it leaves out is taken from the spawn point it names, or the first one."""
    coordinates, spawn_heading = _spawn_pose(world, doc)
    if "position" not in doc and "heading_deg" not in doc:
        world.spawn(doc.get("spawn"), index)
        return
    position = doc.get("position", YamlList(coordinates))
    if not isinstance(position, YamlList) or len(position) not in (2, 3):
        raise doc.error("position", f"{position!r} must be [x, y] or [x, y, z]")
    heading = np.radians(_number(doc, "heading_deg", np.degrees(spawn_heading)))
    try:
        world.place(index, tuple(_checked(doc, "position", value) for value in position), heading)
    except ValueError as error:
        raise doc.error("position", str(error)) from None


def _spawn_pose(world: "World", doc: YamlMap) -> tuple[tuple[float, ...], float]:
    """((x, y) or (x, y, z) in m, heading in rad) of the spawn point that the file names, or the first one.

    The origin in a world without any. Raises ConfigError for an unknown name.
    """
    name = doc.get("spawn")
    if isinstance(name, YamlList | YamlMap):
        raise doc.error("spawn", f"{name!r} must be the name of a spawn point")
    if world.file is None or not world.file.spawn_points:
        if name is not None:
            raise doc.error("spawn", "this world has no spawn points")
        return (0.0, 0.0), 0.0
    point = world.file.spawn(name)
    return point.coordinates, point.heading


def _set_moving(vehicle: "Vehicle", speed: float, yaw_rate: float) -> None:
    """Set the forward speed, m/s, with the wheels rolling, and the yaw rate, rad/s."""
    body = vehicle.state["body"][0]
    q = tuple(body["orientation"].tolist())
    body["velocity"] = rotate(q, (0.0, speed, 0.0))
    body["angular_velocity"] = rotate(q, (0.0, 0.0, yaw_rate))
    for i in range(vehicle.wheel_count):
        vehicle.state["wheel"][0][i]["omega"] = speed / vehicle.params["wheel"][0][i]["radius"]


def _set_channels(vehicle: "Vehicle", doc: YamlMap) -> None:
    """Set the channels that the file names."""
    channels = doc.get("channels", YamlMap())
    if not isinstance(channels, YamlMap):
        raise doc.error("channels", "must map names of channels to numbers")
    known = {c.name for c in vehicle.channels()}
    for name in channels:
        if name not in known:
            raise channels.error(name, f"{vehicle.name} has no such channel{key_hint(name, known)}")
        vehicle.channel_view(name)[0] = _number(channels, name, 0.0)


def _number(doc: YamlMap, key: str, default: float) -> float:
    """A number of the file, or the default. Raises ConfigError."""
    return _checked(doc, key, doc.get(key, default))


def _checked(doc: YamlMap, key: str, value: float | str) -> float:
    """The value of a key if it is a number. Raises ConfigError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise doc.error(key, f"{value!r} must be a number")
    return float(value)
