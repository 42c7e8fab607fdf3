"""Header of a `.drive` file: what a world is, for a program that repeats its drive or shows it."""

import platform
import zlib
from typing import Any

import numba
import numpy as np

from driving_sandbox import VERSION
from driving_sandbox.physics.kernel.elementary import ARITHMETIC
from driving_sandbox.physics.kernel.jit import closure_hash
from driving_sandbox.physics.recording.format import RecordingError, layout_of
from driving_sandbox.physics.recording.poses import pose_layout
from driving_sandbox.physics.recording.world import world_source
from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.world.world import World

POSE_RATE = 60.0  # frames per second of simulated time


def source_hash() -> str:
    """Hash of the sources that decide what a tick does."""
    return closure_hash("driving_sandbox.physics.world.world") or ""


def _vehicle_text(vehicle: Vehicle) -> str:
    if hasattr(vehicle, "config_text"):
        return str(vehicle.config_text)
    from driving_sandbox.physics.vehicle.vehicle_file import vehicle_text

    return vehicle_text(vehicle)


def _towed(world: World) -> list[bool]:
    """Whether each vehicle is a trailer, whose text is also part of the towing vehicle's."""
    towing = {train.start for train in getattr(world, "trains", ())}
    return [bool(towing) and i not in towing for i in range(len(world.vehicles))]


def _has_props(world: World) -> bool:
    """Whether a world has props. Raises RecordingError if they are not those of its file, as only that is recorded."""
    props = getattr(world, "props", None)
    if props is not None and (world.file is None or list(props.placed) != list(world.file.props)):
        raise RecordingError("props that are not in a world file cannot be recorded: write them into one")
    return props is not None


def header_of(world: World, created: str, program: str = VERSION) -> dict[str, Any]:
    """Header of a recording, JSON values. Raises RecordingError for a world with other props than those of its file.

    Args:
        created: time of creation, ISO 8601.
        program: version of the program.
    """
    return {
        "program": program,
        "source": source_hash(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "arithmetic": ARITHMETIC,
        "platform": f"{platform.system()} {platform.machine()}",
        "created": created,
        "tick_seconds": float(world.tick_seconds),
        "substeps": int(world.context[0]["substep_count"]),
        "vehicle_contact": bool(getattr(world, "vehicle_contact", False)),
        "wheels_on_vehicles": bool(getattr(world, "wheels_on_vehicles", False)),
        "props": _has_props(world),
        "world": world_source(world),
        "vehicles": [
            {
                "name": vehicle.name,
                "path": str(getattr(vehicle, "info", {}).get("path", "")),
                "config": _vehicle_text(vehicle),
                "wheels": list(vehicle.wheel_names),
                "state_bytes": int(vehicle.state.nbytes),
                "params_check": zlib.crc32(vehicle.params.data),
                "poses": pose_layout(vehicle),
                "towed": towed,
            }
            for vehicle, towed in zip(world.vehicles, _towed(world), strict=True)
        ],
        "command_layout": layout_of(COMMAND),
        "external_layout": layout_of(EXTERNAL),
        "pose_interval": max(1, round(1.0 / (POSE_RATE * world.tick_seconds))),
    }
