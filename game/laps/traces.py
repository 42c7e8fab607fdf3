"""Reads the trace of a lap from a recording, in a separate process that simulates the lap again.

    python -m driving_sandbox.game.laps.traces

A Request comes as JSON on standard input; the trace is written to the file that it names.

If the lap cannot be simulated again, the trace has only the commands and the channels that follow from the stored
poses, such as speed, engine speed, wheel loads, slip and jounce.
"""

import json
import math
import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.plots.derived_channels import DerivedChannels
from driving_sandbox.game.recordings.source import TOLERANCE, write_poses
from driving_sandbox.lab.laps import LapError, LapTrace
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.base.worker import Worker
from driving_sandbox.physics.recording import Recording, RecordingError, build_world
from driving_sandbox.physics.recording.poses import BODY_COLUMNS, WHEEL_COLUMNS
from driving_sandbox.physics.recording.verification import Resimulation
from driving_sandbox.physics.recording.world import recorded_vehicle
from driving_sandbox.physics.vehicle.swap import carry_state
from driving_sandbox.physics.vehicle.trust import Allowed

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

READ_INTERVAL = 0.1  # s between attempts to read a lap that is still being written
READ_TIMEOUT = 5.0  # s after which the part of the lap written so far is used
NICENESS = 10  # priority of the worker, below that of the program, which draws frames
NEED_GROUND = ("car.ride_height_front", "car.ride_height_rear")  # channels computed with the ground's height
NEED_WIND = ("car.airspeed", "car.aerodynamic_yaw_angle")  # channels computed with the wind
NOT_IN_POSES = NEED_GROUND + NEED_WIND  # channels that stored poses do not determine


@dataclass(frozen=True)
class Request:
    """A stretch of a recording whose trace is asked for.

    Attributes:
        path: path of the recording.
        start: start of the stretch, s.
        end: end of the stretch, s.
        name: name of the trace.
        track: name of the track, or None.
        out: path of the trace's file.
        index: index of the vehicle.
        trust: paths of Python files that may run.
    """

    path: str
    start: float
    end: float
    name: str
    track: str | None
    out: str
    index: int = 0
    trust: tuple = ()


def trace_of(recording: Recording, request: Request) -> LapTrace:
    """The LapTrace of the stretch of a Recording that a Request describes.

    Raises:
        RecordingError: the recording has fewer than two samples there.
    """
    # length of a tick, s; number of ticks between two samples, as between two stored poses
    step, every = recording.tick_seconds, max(1, int(recording.header.get("pose_interval", 1)))
    # 1e-6 of a tick: rounding of times
    first, last = math.ceil(request.start / step - 1e-6), min(recording.ticks, math.floor(request.end / step + 1e-6))
    ticks = np.arange(max(0, first), last + 1, every)
    if len(ticks) < 2:
        raise RecordingError(f"{recording.path}: nothing between {request.start:.3f} s and {request.end:.3f} s")
    exact = True
    try:
        positions, channels = _resimulated(recording, ticks, request)
    except UserError:
        exact, (positions, channels) = False, _from_poses(recording, ticks, request.index)
    header = recording.header
    return LapTrace(request.name, request.track, header["vehicles"][request.index]["name"],
                    str(header["world"].get("name", "")), seconds=request.end - request.start, exact=exact,
                    times=ticks * step - request.start, positions=positions, channels=channels)  # fmt: skip


def _resimulated(recording: Recording, ticks: np.ndarray, request: Request) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(positions, channels) of a vehicle at the given ticks, simulated again.

    Raises:
        RecordingError: the simulated drive ends at another position than the recorded one.
        UserError: the world cannot be built from the recording.
    """
    trust = Allowed(request.trust)
    world = build_world(recording, trust)
    resimulation, index = Resimulation(recording, world, trust), request.index
    resimulation.go_to(int(ticks[0]))
    vehicle = first = world.vehicles[index]
    jumped = _jumped(recording, ticks, index)
    states, positions, derived = (
        np.zeros(len(ticks), first.state.dtype),
        np.zeros((len(ticks), 2)),
        _DerivedSeries(first, len(ticks)),
    )
    for k, tick in enumerate(ticks.tolist()):
        for rows in recording.rows(resimulation.tick, tick):
            resimulation.step(rows)
            resimulation.apply_events(resimulation.tick)
        if world.vehicles[index] is not vehicle:  # a component was swapped
            vehicle = world.vehicles[index]
            derived.follow(vehicle)
        if vehicle.state.dtype == states.dtype:
            states[k : k + 1].view(np.uint8)[:] = vehicle.state_bytes
        else:  # the channels are those of the first vehicle
            carry_state(vehicle.state, states[k : k + 1])
        positions[k] = vehicle.model_position()[:2]
        derived.sample(k, tick * recording.tick_seconds, jumped[k])
    stored = _pose(recording, ticks[-1], index)
    allowed = TOLERANCE + float(np.linalg.norm(stored.get("velocity", 0.0))) * recording.tick_seconds
    if not np.linalg.norm(positions[-1] - stored["model_position"][:2]) <= allowed:
        raise RecordingError(f"{recording.path}: this version simulates it differently")
    channels = {c.name: first.channel_view(c.name, states).astype(float) for c in first.channels()}
    return positions, {**derived.values, **channels}


def _pose(recording: Recording, tick: int, index: int) -> dict[str, Any]:
    """The stored pose of a vehicle at a tick. Raises RecordingError without one."""
    sample = recording.pose_at(tick * recording.tick_seconds)
    if sample is None:
        raise RecordingError(f"{recording.path}: holds no poses")
    return sample.vehicles[index]


def _from_poses(recording: Recording, ticks: np.ndarray, index: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """(positions, channels) of a vehicle at the given ticks, as far as they follow from the stored poses."""
    samples = [_pose(recording, tick, index) for tick in ticks]
    positions = np.array([sample["model_position"][:2] for sample in samples])
    stored = recording.header["vehicles"][index]
    try:
        vehicle = recorded_vehicle(stored)
    except UserError:
        return positions, {}
    stored_fields = {(slot, key) for name, slot, key, _, _ in BODY_COLUMNS + WHEEL_COLUMNS if name in samples[0]}
    names = [c.name for c in vehicle.channels() if (c.slot, c.key) in stored_fields or c.slot == "input"]
    jumped = _jumped(recording, ticks, index)
    derived, values = _DerivedSeries(vehicle, len(ticks)), np.zeros((len(names), len(ticks)))
    for k, (tick, sample) in enumerate(zip(ticks.tolist(), samples, strict=True)):
        commands = recording.commands(max(0, tick - 1), max(1, tick))
        write_poses(vehicle, sample, commands[0][index] if len(commands) else None)
        values[:, k] = [vehicle.read(name) for name in names]
        derived.sample(k, tick * recording.tick_seconds, jumped[k])
    derived_values = {name: series for name, series in derived.values.items() if name not in NOT_IN_POSES}
    return positions, {**derived_values, **dict(zip(names, values, strict=True))}


def _jumped(recording: Recording, ticks: np.ndarray, index: int) -> np.ndarray:
    """For each of `ticks`, whether the vehicle jumped since the tick before it in `ticks`, [n]."""
    jumps = np.sort(np.array(list(recording.jump_ticks(index)), np.int64))
    return np.diff(np.searchsorted(jumps, ticks, side="right"), prepend=0) > 0


class _DerivedSeries:
    """Series of the DerivedChannels of a vehicle, filled sample after sample."""

    def __init__(self, vehicle: "Vehicle", count: int) -> None:
        self.follow(vehicle)
        self.values = {name: np.full(count, math.nan) for name in self._derived.names}

    def follow(self, vehicle: "Vehicle") -> None:
        """Read another object of the vehicle from now on."""
        self._derived = DerivedChannels(vehicle)
        self._last: float | None = None  # time of the last sample, s

    def sample(self, k: int, time: float, jumped: bool) -> None:
        """Store sample k at a time in s; `jumped` says whether the vehicle jumped since the last sample."""
        if jumped:
            self._derived.jumped()
        self._derived.step(None if self._last is None else time - self._last)
        self._last = time
        for name in set(self._derived.names) & set(self.values):
            self.values[name][k] = self._derived.read(name)


class TraceWorker(Worker):
    """A worker process for one Request, whose trace is loaded when the process ends.

    Attributes:
        request: Request.
        trace: LapTrace once the process has ended without error, else None.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.trace: LapTrace | None = None
        super().__init__("driving_sandbox.game.laps.traces", request=asdict(request), niceness=NICENESS)

    def _ended(self) -> None:
        """Load the trace after the process has ended, or note the error."""
        if self.error is None and not self._cancelled:
            try:
                self.trace = LapTrace.load(self.request.out)
            except LapError as error:
                self.error = str(error)


def main() -> int:
    """Run the worker process; returns the exit code."""
    request = Request(**json.loads(sys.stdin.readline()))
    try:
        recording, deadline = Recording.open(request.path), monotonic() + READ_TIMEOUT
        # a truncated recording is still being written
        while recording.seconds < request.end and recording.truncated and monotonic() < deadline:
            sleep(READ_INTERVAL)
            recording = Recording.open(request.path)
        trace = trace_of(recording, request)
        trace_path = Path(request.out)
        trace_path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=trace_path.parent, prefix=f".{trace_path.name}.", delete=False) as file:
            trace.save(file)
        os.replace(file.name, trace_path)
    except (UserError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
