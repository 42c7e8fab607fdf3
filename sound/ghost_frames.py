"""FRAMEs of a recorded drive, from its poses and commands, without simulating it again.

Poses are stored 60 times a second (physics/recording/poses.py): position, speeds of engine and wheels, torques of
engine and clutch, boost, throttle, gear, load and slips of the tires, the ground, and the impulses on the bodywork
since the pose before (physics/recording/impulses.py). From these follow

* load and filling of the engine: as in a drive, by the torque curve (sound/state/drive.py)
* impacts: the largest rise of an impulse in the ticks before a pose, once, at that pose, which is at most 1/60 s later
* impacts of wheels that come down: as in a drive, where no load becomes one from pose to pose
* scrapes: the sum of the impulses, at the speed of the body

The rest is estimated, and in recordings that lack torques and impulses, these as well:

* load of the engine: the throttle of the driver; with the throttle shut OVERRUN, at idle IDLE_LOAD
* boost: its largest times the load and the share of the redline
* speed of the gearbox: that of the engine; in gear below CREEP, less in proportion to the vehicle's speed
* torque of the gearbox: the load times the engine's largest
* used friction: the root sum square of the slips, divided by PEAK_SLIP

What was struck, rams, the ends of the suspension, the horn and turn signals are not known.
"""

import logging
from bisect import bisect_right
from typing import Any

import numpy as np

from driving_sandbox.physics.base.record import field_names, field_of
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.recording import Recording, RecordingError
from driving_sandbox.physics.recording.poses import rotated
from driving_sandbox.physics.recording.world import recorded_vehicle
from driving_sandbox.physics.vehicle.vehicle import Vehicle
from driving_sandbox.sound.axles import wheels_ahead
from driving_sandbox.sound.base.curves import angles_of, length_of, sines_of
from driving_sandbox.sound.base.frame import FRAME
from driving_sandbox.sound.body.materials import NOTHING, OWN
from driving_sandbox.sound.gather import MIN_AIR_SPEED
from driving_sandbox.sound.ghost_drive import GhostDriveline
from driving_sandbox.sound.state.contact import LEAST_CHANGE
from driving_sandbox.sound.state.words import MISSING, layout_of, words
from driving_sandbox.sound.surroundings import STOP_MATERIAL, surface_kinds
from driving_sandbox.sound.tires.surfaces import PAVED
from driving_sandbox.sound.vehicle_sound import sound_of

PEAK_SLIP = 0.1  # slip ratio, and slip angle in rad, of the largest force of usual tires
MOST_POSES = 4  # between two calls of `fill` whose impacts are heard; more are a jump
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
        self._template["struck_material"] = self._template["scraped_material"] = NOTHING
        drive = GhostDriveline(vehicle, np.asarray(times), poses, commands, self.sound)
        columns = {**_motion(vehicle, poses), **drive.columns(), **_wheels(vehicle, poses), **_scrapes(times, poses)}
        events = {"gear": drive.gear, "burning": drive.burning()}
        events["surface"], columns["wetness"] = _ground(poses, vehicle.wheel_count, len(times), ground)
        self._impacts, self._soft = _impacts(vehicle, poses)
        # those that grow with distance and time need more digits than the others
        exact = {name: columns.pop(name) for name in ("position", "crank_angle")}
        self._exact, self._exact_words = _table(exact, np.float64)
        self._numbers, self._number_words = _table(columns, np.float32)
        self._events, self._event_words = _table(events, np.int32)

    def fill(self, frame: Any, time: float, before: float | None = None) -> None:
        """Fill a FRAME.

        Args:
            frame: its words, float64 [FRAME_WORDS].
            time: s from the start of the stretch; before and after it the first and the last pose hold.
            before: time of the last FRAME, since when impacts are looked for; None: there was none.
        """
        k = self._pose_at(time)
        after = min(k + 1, len(self._times) - 1)
        length = self._times[after] - self._times[k]
        share = min(1.0, max(0.0, (time - self._times[k]) / length)) if length > 0.0 else 0.0
        if k != self._template_pose:
            self._template_pose, self._template.view(_COUNT)[self._event_words] = k, self._events[k]
        self._hit(k if before is None else self._pose_at(before), k)
        frame[:] = self._template.view(_NUMBER)
        frame[self._exact_words] = (1.0 - share) * self._exact[k] + share * self._exact[after]
        frame[self._number_words] = (1.0 - share) * self._numbers[k] + share * self._numbers[after]

    def _pose_at(self, time: float) -> int:
        """Index of the last pose up to a time, or of the first one."""
        return min(max(bisect_right(self._times, time) - 1, 0), len(self._times) - 1)

    def _hit(self, before: int, pose: int) -> None:
        """Set the impact of the template to the strongest one after the pose `before`; after a jump to none."""
        self._template["impact"] = 0.0
        if before < pose <= before + MOST_POSES:
            strongest = before + 1 + int(np.argmax(self._impacts[before + 1 : pose + 1]))
            self._template["impact"] = self._impacts[strongest]
            self._template["impact_material"] = STOP_MATERIAL if self._soft[strongest] else OWN


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
    try:
        vehicle = recorded_vehicle(stored)
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


def _impacts(vehicle: Vehicle, poses: Any) -> tuple[Any, Any]:
    """(strongest impact since the pose before, N s, 0 if it is not heard; whether it is that of wheels), both [n]."""
    count, wheels = len(poses["model_orientation"]), vehicle.wheel_count
    landing = np.zeros(count)
    if "mass" in field_names(vehicle.params["wheel"].dtype) and "load" in poses:
        down = (poses["load"][1:] > 0.0) & (poses["load"][:-1] <= 0.0)
        fall = np.maximum(0.0, -_velocity(poses)[:-1, 2])
        landing[1:] = fall * (down * vehicle.params["wheel"]["mass"][0, :wheels]).sum(axis=1)
    rise = poses.get("contact_rise", np.zeros(count))
    impacts = np.maximum(rise, landing)
    impacts[impacts < LEAST_CHANGE * vehicle.params["body"]["mass"][0]] = 0.0
    return impacts, landing > rise


def _scrapes(times: Any, poses: Any) -> dict[str, Any]:
    """Force and speed of scraping."""
    impulse = poses.get("contact_impulse", np.zeros(len(times)))
    seconds = np.diff(times, prepend=2.0 * times[:1] - times[1:2])  # from the pose before; there are at least two
    force = np.where(seconds > 0.0, impulse / np.maximum(seconds, 1e-9), 0.0)
    speed = np.linalg.norm(_velocity(poses), axis=1)
    return {"scrape_force": force, "scrape_speed": np.where(force > 0.0, speed, 0.0)}


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
