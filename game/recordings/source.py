"""The state of a recording at a given time, by the best method that is still possible.

Frames are always drawn from the stored poses, which any version can read. The values for instruments and plots come
from

1. the repeated simulation, if the recorded world can be rebuilt: every channel, exactly;
2. the poses written into the state of the rebuilt vehicle, if only the world or the program differs;
3. the poses alone, if the vehicle cannot be rebuilt (it needs a Python file, or components that are gone).

Methods 2 and 3 are reported in `notes`. No code that a recording names is run: its texts are YAML without tags, and a
vehicle that names a Python file is not built.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.session.frame import VehicleFrame
from driving_sandbox.game.session.situation import fill_frame, new_frame
from driving_sandbox.physics.base.record import field_names
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.ground.ground import Ground
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.maths.quat import rotate
from driving_sandbox.physics.recording import RecordingError, build_world
from driving_sandbox.physics.recording.poses import BODY_COLUMNS, WHEEL_COLUMNS
from driving_sandbox.physics.recording.signals import RecordedSignals, Signals
from driving_sandbox.physics.recording.verification import Resimulation
from driving_sandbox.physics.recording.world import recorded_path, recorded_vehicle
from driving_sandbox.physics.schema.yaml_file import ConfigError, parse_yaml
from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import ASSET_FOLDER
from driving_sandbox.physics.world.world_file import WorldFile, load_world

if TYPE_CHECKING:
    from driving_sandbox.physics.recording.reader import Recording
    from driving_sandbox.physics.schema.yaml_file import YamlMap
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

MAX_CATCH_UP = 480  # ticks simulated to reach a time; farther ahead, a snapshot is used if there is one between
TOLERANCE = 0.25  # m between the repeated and the stored position; interpolation between poses causes less than 0.1 m
NEAR_JUMP = 8  # ticks around a jump in which the positions are not compared
_POSES = ("model_position", "model_orientation", "wheel_position", "wheel_orientation", "hub_orientation")


class ReplaySource:
    """Vehicles and world of a recording, shown at any time.

    Attributes:
        world_file: WorldFile, or None if the recorded one is gone.
        ground: Ground, or None.
        vehicles: for each recorded vehicle its Vehicle, or None if it cannot be rebuilt.
        looks: for each recorded vehicle (model path, paint).
        notes: [(how the replay differs from the recording, reason)].
        frames: for each recorded vehicle its VehicleFrame at the time shown last.
        on_tick: functions() that are called after each tick that is repeated; not in jumps to another time.
        on_jump: functions() that are called as soon as the state was set otherwise than by a tick: by a recorded jump,
            or a jump to another time.
        signals: Signals of the first vehicle in the tick that was repeated or shown last.
        train_length: number of vehicles of the first train, the first vehicle included.
    """

    def __init__(self, recording: "Recording") -> None:
        self.recording = recording
        self.notes: list[tuple[str, str]] = []
        self.on_tick: list[Callable[[], None]] = []
        self.on_jump: list[Callable[[], None]] = []
        self.world_file: WorldFile | None = None
        self.ground: Ground | None = None
        self._resimulation: Resimulation | None = None  # the repeated simulation, or None for stored poses
        self.signals, self._recorded_signals = Signals(), RecordedSignals(recording.events)
        self.train_length = train_length(recording.header["vehicles"])
        self.vehicles = self._hitched([self._vehicle(v) for v in recording.header["vehicles"]])
        self._neutral_gears = {i: neutral_gear_of(recording.header["vehicles"][i])
                               for i, vehicle in enumerate(self.vehicles) if vehicle is None}  # fmt: skip
        self._load_world()
        self.looks = [self._look(i) for i in range(len(self.vehicles))]
        self.frames = [VehicleFrame() if v is None else new_frame(v) for v in self.vehicles]
        if recording.pose_at(0.0) is None:
            raise RecordingError(f"{recording.path}: holds no poses; there is nothing to show")
        jumps = [e["tick"] for e in recording.events if e["kind"] == "jump"]
        # sorted ticks of all jumps, and of those of the first vehicle
        self._jumps, self._first_jumps = (np.unique(np.array(ticks, dtype=np.int64))
                                          for ticks in (jumps, list(recording.jump_ticks(0))))  # fmt: skip

    def repeat(self) -> None:
        """Repeat the simulation in the rebuilt world from now on, or add a note of why it cannot be repeated.

        Its kernels should have been compiled by then.
        """
        if not self.complete:
            return
        try:
            world = build_world(self.recording)
            resimulation = Resimulation(self.recording, world)
            resimulation.go_to(0)
        except UserError as error:
            self.notes.append(("shown from stored poses", str(error).removeprefix(f"{self.recording.path}: ")))
            return
        self._resimulation, self.vehicles = resimulation, world.vehicles
        self.world_file, self.ground = world.file, world.ground
        self.frames = [new_frame(v) for v in world.vehicles]

    @property
    def complete(self) -> bool:
        """Whether the world and all vehicles could be built; they need not equal the recorded ones."""
        return self.world_file is not None and all(v is not None for v in self.vehicles)

    @property
    def world(self) -> Any:
        """The World in which the simulation is repeated, or None."""
        return None if self._resimulation is None else self._resimulation.world

    @property
    def exact(self) -> bool:
        """Whether the values are those of the repeated simulation."""
        return self._resimulation is not None

    @property
    def repeated_seconds(self) -> float:
        """Time in the recording of the tick that was repeated last, s."""
        return 0.0 if self._resimulation is None else float(self._resimulation.tick * self.recording.tick_seconds)

    def show(self, time: float, tick: int, sought: bool = False) -> list[VehicleFrame]:
        """Bring vehicles and frames to `time`, s; returns the frames.

        At a jump, the state is that of the first tick after it: until then, a vehicle that jumped has no wheel poses,
        no loads and no forces.

        Args:
            tick: the last tick at or before `time`.
            sought: whether the time was set, not reached by playing; then `on_tick` is not called.
        """
        sample = self.recording.pose_at(time)
        if sample is None:  # damage found since it was opened
            raise RecordingError(f"{self.recording.path}: holds no poses to show")
        while tick < self.recording.ticks and self.jumped_between(tick - 1, tick):
            tick += 1
        commands = self.recording.commands(max(0, tick - 1), max(1, tick))
        if self._resimulation is not None:
            self._simulate(self._resimulation, tick, sample, sought)
        self._signal(max(0, tick - 1))
        for i, values in enumerate(sample.vehicles):
            command = commands[0][i] if len(commands) else None
            vehicle = self.vehicles[i]
            if vehicle is None:
                self.frames[i] = _bare_frame(values, command, self._neutral_gears[i])
                continue
            if self._resimulation is None:
                write_poses(vehicle, values, command)
            fill_frame(self.frames[i], vehicle)
            _set_poses(self.frames[i], values)
        return self.frames

    def world_ticks(self, time: float) -> float:
        """`time`, the time shown last, s, in ticks of the repeated world, whose count began before the recording did.

        The world's count goes back in rewinds; that of the recording does not.
        """
        ticks = time / self.recording.tick_seconds
        return ticks if self._resimulation is None else ticks + self._resimulation.world.tick - self._resimulation.tick

    def jumped_between(self, before: int, after: int, first: bool = False) -> bool:
        """Whether the world (with `first`: its first vehicle) jumped after tick `before`, up to tick `after`."""
        low, high = np.searchsorted(self._first_jumps if first else self._jumps, (before, after), side="right")
        return bool(high > low)

    def _simulate(self, resimulation: Resimulation, tick: int, sample: Any, sought: bool) -> None:
        """Repeat the simulation up to a tick; if a vehicle leaves its recorded path, show the stored poses instead."""
        try:
            far = tick > resimulation.tick + MAX_CATCH_UP and resimulation.has_snapshot_ahead(tick)
            if tick < resimulation.tick or far:
                resimulation.go_to(tick)
                sought = True
            else:
                self._repeat_ticks(resimulation, tick, not sought)
            if sought:
                _call(self.on_jump)
        except UserError as error:
            self._give_up(str(error))
            return
        for vehicle, values in zip(self.vehicles, sample.vehicles, strict=True):
            distance = np.linalg.norm(np.subtract(vehicle.model_position(), values["model_position"]))
            allowed = TOLERANCE + np.linalg.norm(values.get("velocity", 0.0)) * self.recording.tick_seconds
            is_off = not distance <= allowed  # also for nan
            if is_off and not self.jumped_between(tick - NEAR_JUMP, tick + NEAR_JUMP):
                self._give_up(f"{vehicle.name} leaves its recorded path")
                return

    def _repeat_ticks(self, resimulation: Resimulation, tick: int, followed: bool) -> None:
        """Repeat the ticks up to a tick. followed: whether to tell those who follow them. Raises UserError."""
        for rows in self.recording.rows(resimulation.tick, tick):
            resimulation.step(rows)
            self._signal(resimulation.tick - 1)
            if followed:
                _call(self.on_tick)
            resimulation.apply_events(resimulation.tick)
            if followed and self.jumped_between(resimulation.tick - 1, resimulation.tick):
                _call(self.on_jump)

    def _signal(self, tick: int) -> None:
        """Set the signals to those of a tick."""
        self.signals.horn, self.signals.turn = self._recorded_signals.at(tick)

    def _give_up(self, why: str) -> None:
        """Show stored poses from now on, and note why."""
        self._resimulation = None
        self.notes.append(("shown from stored poses", f"this version simulates it differently: {why}"))

    # ---- rebuilding

    def _vehicle(self, stored: dict[str, Any]) -> Vehicle | None:
        """The vehicle rebuilt from its recorded text; None if that fails, with a note of the reason."""
        try:
            vehicle = recorded_vehicle(stored)
        except UserError as error:
            self.notes.append((f"{stored['name']} cannot be rebuilt, shown from stored poses", str(error)))
            return None
        if list(vehicle.wheel_names) != stored.get("wheels", list(vehicle.wheel_names)):
            self.notes.append((f"{stored['name']} cannot be rebuilt", "its wheels differ from the recording"))
            return None
        return vehicle

    def _hitched(self, vehicles: Any) -> Any:
        """The vehicles; each one's `trailers` are set to the vehicles that it towed."""
        towing = None
        for vehicle, stored in zip(vehicles, self.recording.header["vehicles"], strict=True):
            if not stored.get("towed"):
                towing = vehicle
                if vehicle is not None:
                    vehicle.trailers = ()
            elif towing is not None and vehicle is not None:
                towing.trailers += (vehicle,)
        return vehicles

    def _load_world(self) -> None:
        """Load this installation's file of the world, for drawing until `repeat` replaces it by the recorded one."""
        path = self.recording.header["world"].get("path")
        try:
            if not isinstance(path, str):
                raise RecordingError("the recording names no world file")
            world_file = load_world(ROOT / path)
            self.world_file, self.ground = world_file, world_file.ground()
        except UserError as error:
            self.world_file = self.ground = None
            self.notes.append(("the world of the recording is missing, an empty plane is drawn", str(error)))

    def _look(self, index: int) -> tuple[Path, tuple[float, float, float]]:
        """(model, paint) to draw a recorded vehicle with; a note is added if the model is another car's."""
        vehicle = self.vehicles[index]
        if vehicle is not None and vehicle.geometry is not None:
            return vehicle.geometry.path, vehicle.paint
        stored = self.recording.header["vehicles"][index]
        model, paint, problem = look_of(stored)
        if problem:
            self.notes.append((f"another car is shown instead of {stored['name']}", problem))
        return model, paint


def _call(functions: list[Callable[[], None]]) -> None:
    for function in functions:
        function()


def train_length(vehicles: list[dict[str, Any]]) -> int:
    """Number of vehicles of the first train among those of a recording's header."""
    return next((k for k, stored in enumerate(vehicles) if k and not stored.get("towed")), len(vehicles))


def look_of(stored: dict[str, Any]) -> tuple[Path, tuple[float, float, float], str]:
    """(model path, paint, problem) of a recorded vehicle, without building it.

    problem: why another model is drawn instead of the vehicle's own, or "".
    """
    outline = _outline(stored)
    model = outline.get("model")
    if isinstance(model, str):
        for folder in (recorded_path(stored).parent, ASSET_FOLDER):
            if (folder / model).is_file():
                return folder / model, _paint(outline), ""
    return ASSET_FOLDER / "models" / "roadster.glb", _paint(outline), f"its model {model} is missing"


def neutral_gear_of(stored: dict[str, Any]) -> int:
    """Index of neutral in the gearbox of a recorded vehicle, without building it."""
    gearbox = _outline(stored).get("gearbox")
    neutral = gearbox.get("neutral_gear") if isinstance(gearbox, dict) else None
    return neutral if isinstance(neutral, int) else NEUTRAL


def _outline(stored: dict[str, Any]) -> "YamlMap | dict[str, Any]":
    """The recorded vehicle text as a mapping, without building anything; {} if it is none."""
    try:
        doc = parse_yaml(stored["config"], "recorded vehicle")
    except ConfigError:
        return {}
    return doc if isinstance(doc, dict) else {}


def _paint(outline: Mapping[str, Any]) -> tuple[float, float, float]:
    """The paint (r, g, b) of a vehicle's text, dark grey if there is none."""
    paint = outline.get("paint")
    if isinstance(paint, list) and len(paint) == 3 and all(isinstance(c, (int, float)) for c in paint):
        red, green, blue = (float(c) for c in paint)
        return red, green, blue
    return 0.3, 0.3, 0.3


def _set_poses(frame: VehicleFrame, values: dict[str, Any]) -> None:
    """Overwrite the poses of a frame with stored poses, which are interpolated to the time shown."""
    frame.body_position, frame.body_orientation = values["model_position"], values["model_orientation"]
    for name in _POSES[2:]:  # the first two are set above
        if name in values:
            setattr(frame, name, values[name])


def _bare_frame(values: dict[str, Any], command: Any, neutral_gear: int) -> VehicleFrame:
    """VehicleFrame of a vehicle that cannot be rebuilt, from its stored poses and command.

    neutral_gear: index of neutral; the gears below it are reverse gears.
    """
    frame = VehicleFrame()
    _set_poses(frame, values)
    frame.wheel_count = len(frame.wheel_position)
    if command is not None and {"steer", "brake"} <= set(field_names(command.dtype)):
        frame.steer_command, frame.brake = float(command["steer"]), float(command["brake"])
    frame.reverse = round(float(values.get("gear", neutral_gear))) < neutral_gear
    return frame


def write_poses(vehicle: "Vehicle", values: Mapping[str, Any], command: np.ndarray | np.void | None) -> None:
    """Write stored poses and a command (or None) into a vehicle's state, for instruments and plots."""
    state = vehicle.state[0]
    for name, slot, key, _, _ in BODY_COLUMNS + WHEEL_COLUMNS:
        if slot in field_names(state.dtype) and name in values:
            target = state[slot]
            if key not in field_names(target.dtype):
                continue
            if target.shape:
                count = min(vehicle.wheel_count, len(values[name]))
                target[key][:count] = values[name][:count]
            else:
                target[key] = values[name]
    q = tuple(float(n) for n in values["model_orientation"])
    centre = tuple(vehicle.params["body"]["centre_of_mass"][0].tolist())
    state["body"]["orientation"] = q
    state["body"]["position"] = values["model_position"] + np.array(rotate(q, centre))
    if "gearbox" in field_names(state.dtype) and "gear" in values:
        state["gearbox"]["target_gear"] = values["gear"]
    if command is not None:
        for name in set(field_names(state["input"].dtype)) & set(field_names(command.dtype)):
            state["input"][name] = command[name]
