"""FRAMEs of a recorded drive, from its poses and commands, without simulating it again.

Poses are stored 60 times a second (physics/recording/poses.py): position, speeds of engine and wheels, gear, load and
slips of the tires, and the ground. The rest is estimated:

* load of the engine: the throttle of the driver; with the throttle shut OVERRUN, at idle IDLE_LOAD
* boost: its largest times the load and the share of the redline
* speed of the gearbox: that of the engine; in gear below CREEP, less in proportion to the vehicle's speed
* used friction: the root sum square of the slips, divided by PEAK_SLIP

Impacts, scrapes, rams, the horn and turn signals are not known.
"""

import logging
from bisect import bisect_right
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_names, field_of
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.recording import Recording, RecordingError
from driving_sandbox.physics.recording.poses import rotated
from driving_sandbox.physics.tick.commands import NEUTRAL
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text
from driving_sandbox.sound.axles import wheels_ahead
from driving_sandbox.sound.base.curves import angles_of, length_of, sines_of
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.estimate import largest_torque
from driving_sandbox.sound.gather import MIN_AIR_SPEED
from driving_sandbox.sound.state.drive import (
    AT_LIMIT,
    AXLE_RATIO,
    CUT_OFF,
    FADE_OUT,
    LIMITER_PERIOD,
    NEAR_IDLE,
    PASCAL_PER_BAR,
    SHUT,
)
from driving_sandbox.sound.state.words import MISSING, layout_of, words
from driving_sandbox.sound.surroundings import surface_kinds
from driving_sandbox.sound.tires.surfaces import PAVED
from driving_sandbox.sound.vehicle_sound import sound_of

OVERRUN = -0.2  # torque of an engine that is turned with its throttle shut / its largest
IDLE_LOAD = 0.1  # torque that a governor supplies at idle against losses / the engine's largest
CREEP = 2.0  # m/s from which the clutch is closed
PEAK_SLIP = 0.1  # slip ratio, and slip angle in rad, of the largest force of usual tires
_PIECE = 3600  # poses, one minute
_NUMBER, _COUNT = np.float64, np.int64  # kinds of a FRAME's words
_log = logging.getLogger(__name__)


class GhostFrames:
    """What is heard of a stretch of a recorded drive.

    Args:
        vehicle: the recorded Vehicle; its state is not read.
        times: of the poses, s, [n].
        poses: {name: array [n, ...]}, as from Recording.poses.
        commands: COMMAND [n], of the ticks of the poses.
        ground: (kind, wetness) of each surface id, then those of the pavement, from `surface_kinds`; None: pavement.
    Attributes:
        sound: VehicleSound.
    Raises:
        ConfigError: the vehicle's section `sound` is wrong.
    """

    def __init__(self, vehicle: Vehicle, times: Any, poses: Any, commands: Any, ground: Any = None) -> None:
        self.sound, self._times, self._template_pose = sound_of(vehicle), [float(time) for time in times], -1
        self._template = np.zeros(1, FRAME)  # with the events of the pose `_template_pose`
        self._template["wheel_ahead"][0], self._template["wheel_count"] = wheels_ahead(vehicle), vehicle.wheel_count
        drive = _Drive(vehicle, np.asarray(times), poses, commands, self.sound.charge)
        columns = {**_motion(vehicle, poses), **drive.columns(), **_wheels(vehicle, poses)}
        events = {"gear": drive.gear, "burning": drive.burning()}
        events["surface"], columns["wetness"] = _ground(poses, vehicle.wheel_count, len(times), ground)
        self._positions = np.ascontiguousarray(columns.pop("position"))
        self._position_words = _words_of("position", 3)
        self._numbers, self._number_words = _table(columns, np.float32)
        self._events, self._event_words = _table(events, np.int32)

    def fill(self, frame: Any, time: float) -> None:
        """Fill a FRAME.

        Args:
            frame: its words, float64 [FRAME_WORDS].
            time: s from the start of the stretch; before and after it the first and the last pose hold.
        """
        last = len(self._times) - 1
        k = min(max(bisect_right(self._times, time) - 1, 0), last)
        after = min(k + 1, last)
        length = self._times[after] - self._times[k]
        share = min(1.0, max(0.0, (time - self._times[k]) / length)) if length > 0.0 else 0.0
        if k != self._template_pose:
            self._template_pose, self._template.view(_COUNT)[self._event_words] = k, self._events[k]
        frame[:] = self._template.view(_NUMBER)
        frame[self._position_words] = (1.0 - share) * self._positions[k] + share * self._positions[after]
        frame[self._number_words] = (1.0 - share) * self._numbers[k] + share * self._numbers[after]


def ghost_frames(recording: Recording, index: int, times: Any, start: float, surfaces: Any = None) -> Any:
    """GhostFrames of a stretch of a recording, or None if the rebuilt vehicle has other wheels.

    Also None, with a warning in the log, if the vehicle cannot be rebuilt, its sound is wrong, or commands are missing.

    Args:
        index: of the vehicle.
        times: of the poses in the stretch, s from the start of the recording, as from Recording.poses.
        start: of the stretch, s.
        surfaces: SurfaceTable of the recorded world, or None: all is pavement.
    """
    stored = recording.header["vehicles"][index]
    path = Path(stored.get("path") or "vehicle.yaml").with_name(f"recorded {stored['name']}")
    try:
        vehicle = load_vehicle_text(stored["config"], path)
        if list(vehicle.wheel_names) != stored.get("wheels", list(vehicle.wheel_names)):
            return None
        poses = recording.poses(float(times[0]), float(times[-1]))[2][index]
        ground = None if surfaces is None else surface_kinds(surfaces)
        return GhostFrames(vehicle, times - start, poses, _commands(recording, index, times), ground)
    except UserError as error:
        _log.warning("the ghost of %s is not heard: %s", recording.path, error)
        return None


def _commands(recording: Recording, index: int, times: Any) -> Any:
    """COMMAND of the ticks that end at these times, [n]; read in pieces, as ticks are more than poses.

    Raises RecordingError: some cannot be read.
    """
    ticks = np.clip(np.rint(times / recording.tick_seconds).astype(int) - 1, 0, max(0, recording.ticks - 1))
    pieces = []
    for k in range(0, len(ticks), _PIECE):
        part = ticks[k : k + _PIECE]
        rows = recording.commands(part[0], part[-1] + 1)
        if len(rows) <= part[-1] - part[0] or not {"throttle", "brake"} <= set(field_names(rows.dtype)):
            raise RecordingError(f"{recording.path}: lacks commands of this stretch")
        pieces.append(rows[part - part[0], index])
    return np.concatenate(pieces)


def _words_of(name: str, count: int) -> np.ndarray:
    """Indices of the first `count` words of a field of a FRAME."""
    return field_of(FRAME, name)[1] // FRAME["gear"].itemsize + np.arange(count)


def _table(columns: dict[str, Any], kind: Any) -> tuple[np.ndarray, np.ndarray]:
    """(columns side by side [n, words], their words in a FRAME)."""
    parts = {name: np.reshape(values, (len(values), -1)) for name, values in columns.items()}
    indices = [_words_of(name, part.shape[1]) for name, part in parts.items()]
    return np.concatenate(list(parts.values()), axis=1).astype(kind), np.concatenate(indices)


def _motion(vehicle: Vehicle, poses: Any) -> dict[str, Any]:
    """Pose and velocity of the body, and the still air against it."""
    orientation, velocity = poses["model_orientation"], _velocity(poses)
    count = len(orientation)
    forward, right = (rotated(orientation, np.broadcast_to(axis, (count, 3))) for axis in ((0, 1, 0.0), (1, 0, 0.0)))
    centre = np.broadcast_to(vehicle.params["body"]["centre_of_mass"][0], (count, 3))
    along, across = np.sum(velocity * forward, axis=1), np.sum(velocity * right, axis=1)
    speed = np.linalg.norm(velocity, axis=1)
    return {
        "position": poses["model_position"] + rotated(orientation, centre),
        "forward": forward,
        "velocity": velocity,
        "air_speed": speed,
        "air_yaw": np.where(speed > MIN_AIR_SPEED, angles_of(-across, along), 0.0),
    }


def _velocity(poses: Any) -> Any:
    """Velocity of the body, m/s [n, 3]; 0 if it is not stored."""
    return poses.get("velocity", np.zeros((len(poses["model_orientation"]), 3)))


def _rims(vehicle: Vehicle, poses: Any) -> Any:
    """Speed of each wheel's rim, m/s [n, wheels]."""
    count = vehicle.wheel_count
    omega = poses.get("wheel_omega", np.zeros((len(poses["model_orientation"]), count)))
    return omega[:, :count] * vehicle.params["wheel"]["radius"][0, :count]


def _wheels(vehicle: Vehicle, poses: Any) -> dict[str, Any]:
    """Numbers of the wheels and tracks."""
    rims, speed = _rims(vehicle, poses), np.linalg.norm(_velocity(poses), axis=1)[:, None]
    still = np.zeros_like(rims)
    load = poses.get("load", still) * (poses.get("hit", still + 1.0) > 0.5)
    ratio, angle = poses.get("longitudinal_slip", still), poses.get("lateral_slip", still)
    sine, cosine = sines_of(angle)
    along = speed * cosine
    spin = np.minimum(np.abs(ratio) * along, np.abs(np.abs(rims) - along))  # the ratio is vast at a crawl
    columns = {
        "wheel_speed": speed + still,
        "slip_speed": length_of(spin, speed * sine),
        "wheel_load": np.maximum(load, 0.0),
        "used_friction": np.minimum(1.0, length_of(ratio, angle) / PEAK_SLIP),
    }
    return columns | _tracks(vehicle, rims, columns["wheel_load"])


def _tracks(vehicle: Vehicle, rims: Any, load: Any) -> dict[str, Any]:
    """Speed and load of the tracks of each side; {} without tracks."""
    layout, counts = layout_of(vehicle)[0], words(vehicle.params, _COUNT)
    if layout["track"] == MISSING:
        return {}
    offsets = np.arange(vehicle.wheel_count) * layout["track_stride"]
    tracked, lever = counts[layout["track"] + offsets] != 0, counts[layout["lever"] + offsets]
    sides = [tracked & (lever == lever.min()), tracked & (lever != lever.min())]
    speed = [np.abs(rims[:, side]).max(axis=1, initial=0.0) for side in sides]
    return {"track_speed": np.stack(speed, 1), "track_load": np.stack([load[:, side].sum(1) for side in sides], 1)}


def _ground(poses: Any, wheels: int, count: int, ground: Any) -> tuple[Any, Any]:
    """(kind of the ground, wetness) under each wheel [n, wheels]; of a wheel in the air, where it was last."""
    if ground is None or "surface" not in poses:
        return np.full((count, wheels), PAVED), np.zeros((count, wheels))
    kinds, wetness = ground
    surface = poses["surface"].astype(int)
    known = (surface >= 0) & (surface < len(kinds))
    last = np.maximum.accumulate(np.where(known, np.arange(count)[:, None], 0), axis=0)
    surface = np.take_along_axis(np.where(known, surface, len(kinds) - 1), last, axis=0)
    return kinds[surface], wetness[surface]


class _Drive:
    """Engine and gears of a recorded drive; arguments as of GhostFrames.

    Attributes:
        gear: as in a FRAME, [n].
    """

    def __init__(self, vehicle: Vehicle, times: Any, poses: Any, commands: Any, charge: float) -> None:
        self._layout, self._params = layout_of(vehicle)[0], words(vehicle.params, _NUMBER)
        self._times, self._torque, self._charge = times, largest_torque(vehicle), charge
        self._throttle, self._brake = (np.clip(commands[name], 0.0, 1.0) for name in ("throttle", "brake"))
        self._speed = np.linalg.norm(_velocity(poses), axis=1)
        omega = poses.get("wheel_omega", np.zeros((len(times), vehicle.wheel_count)))
        self._wheel_omega = np.abs(omega).mean(axis=1)
        self._engine = np.abs(poses.get("engine_omega", np.zeros(len(times))))
        self.gear, self._ratio = np.full(len(times), NEUTRAL), np.zeros(len(times))
        if self._layout["axle_drive"]:  # one gear; as in `gather_axle_drive`
            self.gear, self._ratio = self.gear + 1, self._ratio + AXLE_RATIO
            self._engine, self._torque = self._wheel_omega * AXLE_RATIO, self._torque / AXLE_RATIO
        elif self._layout["omega"] != MISSING and not self._layout["curve_in_shares"]:
            self._engine = np.maximum(self._engine, self._number("idle_omega", 0.0))  # a model without clutch
        counts = words(vehicle.params, _COUNT)
        self._read_gears(counts, poses)

    def _number(self, name: str, otherwise: float) -> float:
        """A number of the vehicle's parameters."""
        word = self._layout[name]
        return otherwise if word == MISSING else float(self._params[word])

    def _read_gears(self, counts: Any, poses: Any) -> None:
        """Gear and ratio of each pose."""
        layout = self._layout
        if layout["gear"] == MISSING or "gear" not in poses:
            return
        engaged, neutral = poses["gear"].astype(int), int(counts[layout["neutral_gear"]])
        ratios = self._params[layout["ratios"] + np.arange(int(counts[layout["ratio_count"]]))]
        in_gear = (engaged != neutral) & (engaged >= 0) & (engaged < len(ratios))
        self.gear = engaged - neutral + NEUTRAL
        self._ratio = np.where(in_gear, np.abs(ratios[np.clip(engaged, 0, len(ratios) - 1)]), 0.0)

    def columns(self) -> dict[str, Any]:
        """Numbers of the drive."""
        load = self._load()
        final, in_gear = self._number("final_ratio", 1.0), self._ratio > 0.0
        closed = np.minimum(1.0, self._speed / CREEP)
        gear_speeds = np.where(in_gear, self._engine * closed, self._engine)
        shaft = np.where(in_gear, gear_speeds / np.maximum(self._ratio, 1e-6), self._wheel_omega * abs(final))
        changed = np.diff(self.gear, prepend=self.gear[:1]) != 0
        share = np.minimum(1.0, self._engine / max(self._number("max_omega", 1.0), 1.0))
        full = self._charge or self._number("wastegate_boost", 0.0) / PASCAL_PER_BAR
        return {
            "engine_speed": self._engine,
            "throttle": self._throttle,
            "load": load,
            "boost": full * np.maximum(load, 0.0) * share,
            "gear_speed": gear_speeds,
            "shaft_speed": shaft,
            "gear_torque": np.where(in_gear, load * self._torque, 0.0),
            "brake": self._brake,
            "gear_step": np.abs(np.diff(gear_speeds, prepend=gear_speeds[:1])) * changed,
        }

    def _load(self) -> Any:
        """Torque of the engine / its largest, -1..1."""
        if self._layout["electric"]:
            return self._throttle
        idle = self._number("idle_omega", 0.0)
        shut = np.maximum(0.0, 1.0 - self._throttle / FADE_OUT)
        idles = (self._engine > 0.0) & (self._engine < idle * (1.0 + NEAR_IDLE))
        return self._throttle + shut * np.where(idles, IDLE_LOAD, OVERRUN)

    def burning(self) -> Any:
        """Whether fuel is injected, [n]."""
        if self._layout["electric"]:
            return np.ones(len(self._times), int)
        idle, top = self._number("idle_omega", 0.0), self._number("max_omega", np.inf)
        cut = (self._throttle < SHUT) & (self._engine > CUT_OFF * idle) & (idle > 0.0)
        limited = (self._engine >= AT_LIMIT * top) & (np.mod(self._times / LIMITER_PERIOD, 1.0) >= 0.5)
        return (~cut & ~limited & (self._engine > 0.0)).astype(int)
