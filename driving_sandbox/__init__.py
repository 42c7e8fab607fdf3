"""A vehicle-dynamics sandbox: the core for scripts, and the program with the window.

    from driving_sandbox import AUTOMATIC, load, neutral_command

    world = load("roadster", "plane")
    commands = neutral_command(960)  # four seconds in ticks of 1/240 s
    commands["throttle"], commands["gear"] = 1.0, AUTOMATIC
    speed = world.run(commands, ["body.velocity.y"])["body.velocity.y"]  # m/s, one value a tick

The names of `__all__` are the public interface; what lies below may move. They are imported when they are first used,
so that `import driving_sandbox` costs nothing. None of them needs Panda3D or pygame.

In a clone the program's folders stay at the top level and are found through this package's path as
`driving_sandbox.physics` and so on; in an installed package they lie in this folder.
"""

import importlib
import os
from typing import TYPE_CHECKING

VERSION = "0.1.0"

_root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isfile(os.path.join(_root, "pyproject.toml")):  # a clone
    __path__.insert(0, _root)

if TYPE_CHECKING:
    from driving_sandbox.lab.drivers.motion import Driver as Driver
    from driving_sandbox.lab.drivers.motion import Motion as Motion
    from driving_sandbox.lab.maneuvers import MANEUVERS as MANEUVERS
    from driving_sandbox.lab.simulate import Run as Run
    from driving_sandbox.lab.simulate import simulate as simulate
    from driving_sandbox.lab.telemetry import Telemetry as Telemetry
    from driving_sandbox.physics.base.user_error import UnknownName as UnknownName
    from driving_sandbox.physics.base.user_error import UserError as UserError
    from driving_sandbox.physics.batch.batch import Batch as Batch
    from driving_sandbox.physics.estimate.estimate import Estimate as Estimate
    from driving_sandbox.physics.ground.ground import Ground as Ground
    from driving_sandbox.physics.ground.ground import Heightfield as Heightfield
    from driving_sandbox.physics.ground.ground import Plane as Plane
    from driving_sandbox.physics.ground.surfaces import SurfaceTable as SurfaceTable
    from driving_sandbox.physics.kernel.jit import kernel as kernel
    from driving_sandbox.physics.props.placing import PlacedProp as PlacedProp
    from driving_sandbox.physics.recording import PoseSample as PoseSample
    from driving_sandbox.physics.recording import PropTrack as PropTrack
    from driving_sandbox.physics.recording import Recorder as Recorder
    from driving_sandbox.physics.recording import Recording as Recording
    from driving_sandbox.physics.recording import RecordingError as RecordingError
    from driving_sandbox.physics.recording import RecordingTable as RecordingTable
    from driving_sandbox.physics.recording import VerifyReport as VerifyReport
    from driving_sandbox.physics.recording import recording_table as recording_table
    from driving_sandbox.physics.recording import verify as verify
    from driving_sandbox.physics.schema.schema import Bool as Bool
    from driving_sandbox.physics.schema.schema import Choice as Choice
    from driving_sandbox.physics.schema.schema import Curve as Curve
    from driving_sandbox.physics.schema.schema import Declaration as Declaration
    from driving_sandbox.physics.schema.schema import Field as Field
    from driving_sandbox.physics.schema.schema import Float as Float
    from driving_sandbox.physics.schema.schema import Floats as Floats
    from driving_sandbox.physics.schema.schema import Int as Int
    from driving_sandbox.physics.schema.schema import PerWheel as PerWheel
    from driving_sandbox.physics.schema.schema import Quat as Quat
    from driving_sandbox.physics.schema.schema import ResponseTable as ResponseTable
    from driving_sandbox.physics.schema.schema import Schema as Schema
    from driving_sandbox.physics.schema.schema import SchemaError as SchemaError
    from driving_sandbox.physics.schema.schema import Vec3 as Vec3
    from driving_sandbox.physics.schema.schema import VecCurve as VecCurve
    from driving_sandbox.physics.schema.schema import WheelRef as WheelRef
    from driving_sandbox.physics.schema.schema import WheelRefs as WheelRefs
    from driving_sandbox.physics.schema.schema import Words as Words
    from driving_sandbox.physics.schema.schema import field as field
    from driving_sandbox.physics.schema.yaml_file import ConfigError as ConfigError
    from driving_sandbox.physics.tick.commands import AUTOMATIC as AUTOMATIC
    from driving_sandbox.physics.tick.commands import COMMAND as COMMAND
    from driving_sandbox.physics.tick.commands import FIRST as FIRST
    from driving_sandbox.physics.tick.commands import NEUTRAL as NEUTRAL
    from driving_sandbox.physics.tick.commands import REVERSE as REVERSE
    from driving_sandbox.physics.tick.commands import neutral_command as neutral_command
    from driving_sandbox.physics.tick.component import Component as Component
    from driving_sandbox.physics.tick.context import EXTERNAL as EXTERNAL
    from driving_sandbox.physics.vehicle.columns import Columns as Columns
    from driving_sandbox.physics.vehicle.lever_command import lever_command as lever_command
    from driving_sandbox.physics.vehicle.vehicle import Channel as Channel
    from driving_sandbox.physics.vehicle.vehicle import Parameter as Parameter
    from driving_sandbox.physics.vehicle.vehicle import Vehicle as Vehicle
    from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle as load_vehicle
    from driving_sandbox.physics.world.fault import Fault as Fault
    from driving_sandbox.physics.world.fault import FaultError as FaultError
    from driving_sandbox.physics.world.load import load as load
    from driving_sandbox.physics.world.world import World as World
    from driving_sandbox.physics.world.world_file import SpawnPoint as SpawnPoint
    from driving_sandbox.physics.world.world_file import WorldFile as WorldFile
    from driving_sandbox.physics.world.world_file import load_world as load_world

_MODULES = {  # public name: the module it comes from
    "AUTOMATIC": "physics.tick.commands",
    "Batch": "physics.batch.batch",
    "Bool": "physics.schema.schema",
    "COMMAND": "physics.tick.commands",
    "Channel": "physics.vehicle.vehicle",
    "Choice": "physics.schema.schema",
    "Columns": "physics.vehicle.columns",
    "Component": "physics.tick.component",
    "ConfigError": "physics.schema.yaml_file",
    "Curve": "physics.schema.schema",
    "Declaration": "physics.schema.schema",
    "Driver": "lab.drivers.motion",
    "EXTERNAL": "physics.tick.context",
    "Estimate": "physics.estimate.estimate",
    "FIRST": "physics.tick.commands",
    "Fault": "physics.world.fault",
    "FaultError": "physics.world.fault",
    "Field": "physics.schema.schema",
    "Float": "physics.schema.schema",
    "Floats": "physics.schema.schema",
    "Ground": "physics.ground.ground",
    "Heightfield": "physics.ground.ground",
    "Int": "physics.schema.schema",
    "MANEUVERS": "lab.maneuvers",
    "Motion": "lab.drivers.motion",
    "NEUTRAL": "physics.tick.commands",
    "Parameter": "physics.vehicle.vehicle",
    "PerWheel": "physics.schema.schema",
    "PlacedProp": "physics.props.placing",
    "Plane": "physics.ground.ground",
    "PoseSample": "physics.recording",
    "PropTrack": "physics.recording",
    "Quat": "physics.schema.schema",
    "REVERSE": "physics.tick.commands",
    "Recorder": "physics.recording",
    "Recording": "physics.recording",
    "RecordingError": "physics.recording",
    "RecordingTable": "physics.recording",
    "ResponseTable": "physics.schema.schema",
    "Run": "lab.simulate",
    "Schema": "physics.schema.schema",
    "SchemaError": "physics.schema.schema",
    "SpawnPoint": "physics.world.world_file",
    "SurfaceTable": "physics.ground.surfaces",
    "Telemetry": "lab.telemetry",
    "UnknownName": "physics.base.user_error",
    "UserError": "physics.base.user_error",
    "Vec3": "physics.schema.schema",
    "VecCurve": "physics.schema.schema",
    "Vehicle": "physics.vehicle.vehicle",
    "VerifyReport": "physics.recording",
    "WheelRef": "physics.schema.schema",
    "WheelRefs": "physics.schema.schema",
    "Words": "physics.schema.schema",
    "World": "physics.world.world",
    "WorldFile": "physics.world.world_file",
    "field": "physics.schema.schema",
    "kernel": "physics.kernel.jit",
    "lever_command": "physics.vehicle.lever_command",
    "load": "physics.world.load",
    "load_vehicle": "physics.vehicle.vehicle_file",
    "load_world": "physics.world.world_file",
    "neutral_command": "physics.tick.commands",
    "recording_table": "physics.recording",
    "simulate": "lab.simulate",
    "verify": "physics.recording",
}
__all__ = ["VERSION", *_MODULES]  # noqa: PLE0604 - plain names


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'driving_sandbox' has no attribute {name!r}", name=name)
    value = getattr(importlib.import_module(f"driving_sandbox.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
