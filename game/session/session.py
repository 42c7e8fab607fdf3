"""A drive: the world, its fixed-step clock, the driver, the recording, and rewinding.

    with Session(world, recordings=folder) as session:
        while running:
            session.step(frame_dt, driver)          # runs the ticks that are due in the frame
            draw(session.interpolated())            # between the last two states

`driver(situation)` is called once per tick and returns a COMMAND array of length 1. Every tick goes to the recorder
and to the rewind ring; all changes of the world between ticks (a parameter, a recovery, a rewind) go through
`session.changes`, so that the recording can repeat them. A session needs neither window nor devices, and also runs
unattended drives.
"""

import atexit
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.game.session.changes import Changes
from driving_sandbox.game.session.clock import MAX_FRAME, FixedClock
from driving_sandbox.game.session.component_swap import ComponentSwap
from driving_sandbox.game.session.frame import Frames, carry_wheels, interpolate, interpolate_all
from driving_sandbox.game.session.recording_control import RecordingControl
from driving_sandbox.game.session.situation import AllPoses, Situation
from driving_sandbox.game.session.tuning import Tuning
from driving_sandbox.lab.timing import Stopwatch
from driving_sandbox.physics.recording.signals import SignalLog, Signals
from driving_sandbox.physics.tick.commands import neutral_command

if TYPE_CHECKING:
    from driving_sandbox.game.session.frame import VehicleFrame
    from driving_sandbox.physics.world.fault import Fault
    from driving_sandbox.physics.world.world import World

FAULT_LIMIT = 0.25  # s of faulty ticks in a row, after which a vehicle is recovered; the second time the drive pauses
FAULT_MEMORY = 2.0  # s without a fault after which a vehicle counts as free of faults again
LOST_DEPTH = 30.0  # m below the lowest ground; a vehicle there has left the world and would fall for ever
SLOW_FRAMES = 20  # long frames in a row, about 2 s, after which the driver is told that time runs slowly
MESSAGE_COUNT = 50  # number of messages, and of marks, that a session remembers
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Message:
    """A line of text for the driver.

    Attributes:
        level: "info" or "warning".
        time: real time since the session began, s.
    """

    text: str
    level: str
    time: float


class Session:
    """Owns a world and runs it.

    Args:
        world: physics.world.world.World.
        recordings: folder for automatic recordings, or None for none.
        record: path of a recording to write instead of automatic ones, or None.
        setups: folder of setups.
        player: index of the vehicle that the driver passed to `step` drives.
        max_frame: a longer frame counts as this long, s.
        now: function() -> datetime, for names and headers.
        trust: function(path) -> whether a component's Python file may run.
    Attributes:
        previous, current: VehicleFrame of each vehicle before and after the last tick.
        changes: Changes, through which the world is changed between ticks.
        tuning: Tuning, parameters with undo for the panel.
        component_swap: ComponentSwap.
        drivers: {vehicle index: driver} of the other vehicles.
        external_impulses: None, or function(world) -> EXTERNAL array for the vehicles in the coming tick, or None.
        on_tick: functions() that are called after each tick.
        signals: Signals of the player in the coming tick, which are recorded.
        messages: the newest Messages.
        stopwatch: the player's laps and splits.
        marks: (simulated time in s, text) of the newest marks.
    Raises:
        RecordingError: `record` cannot be written.
    """

    def __init__(
        self,
        world: "World",
        recordings: str | Path | None = None,
        record: str | Path | None = None,
        setups: str | Path | None = None,
        player: int = 0,
        max_frame: float = MAX_FRAME,
        now: Callable[[], datetime] = datetime.now,
        trust: Callable[[Path], bool] | None = None,
    ) -> None:
        self.world, self.player = world, player
        self.clock = FixedClock(world.tick_seconds, max_frame)
        self.real_time = 0.0
        self.messages: deque[Message] = deque(maxlen=MESSAGE_COUNT)
        self.marks: deque[tuple[float, str]] = deque(maxlen=MESSAGE_COUNT)
        self.drivers: dict[int, Callable[[Situation], np.ndarray]] = {}
        self.external_impulses: Callable[[World], np.ndarray | None] | None = None
        self.on_tick: list[Callable[[], object]] = []
        self.signals, self._signal_log = Signals(), SignalLog()
        self._paused = self._closed = self._said_slow = False
        self._commands = np.concatenate([neutral_command() for _ in world.vehicles])
        self._commands["handbrake"] = 1.0  # a vehicle without a driver stays at rest
        self._situations = [Situation(v, world.tick_seconds) for v in world.vehicles]
        self._poses = AllPoses(s.poses for s in self._situations)
        self._pulling = [train for train in world.trains if len(train) > 1]  # trains with trailers
        self._gears = [s.target_gear for s in self._situations]  # target gears recorded last
        self.previous, self.current = (Frames([v.wheel_count for v in world.vehicles]) for _ in range(2))
        self._lost_below = world.ground.bounds[0][2] - LOST_DEPTH  # m, height below which a vehicle has left the world
        self._faults: dict[int, tuple[int, int, int]] = {}  # {vehicle: (faults in a row, tick of the last, recoveries)}
        self.recording_control = RecordingControl(world, recordings, record, now, self.say)
        timing = world.file.timing if world.file is not None else []
        self.changes = Changes(world, self.recording_control, player, Stopwatch(timing))
        self.changes.on_change.append(self._read_current)
        self.changes.on_swap.append(self._vehicle_swapped)
        self.changes.on_jump.append(self._jumped)
        self.tuning = Tuning(self.changes, Path(setups) if setups else Path("setups"))
        self.component_swap = ComponentSwap(self.changes, self.tuning, self.say, trust)
        self._restart_frames()
        atexit.register(self.close)

    vehicle = property(lambda self: self.world.vehicles[self.player])
    situation = property(lambda self: self._situations[self.player])
    stopwatch = property(lambda self: self.changes.stopwatch)
    command = property(lambda self: self._commands[self.player : self.player + 1], doc="The player's last command.")
    recorder = property(lambda self: self.recording_control.recorder, doc="The Recorder, or None.")
    speed = property(lambda self: self.clock.speed, lambda self, value: setattr(self.clock, "speed", value))

    # ---- time

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    @paused.setter
    def paused(self, value: bool) -> None:
        self._paused = bool(value)
        if self._paused and self.recorder:
            self.recorder.flush()

    def step(self, frame_dt: float, driver: Callable[..., Any]) -> int:
        """Run the ticks that are due after a frame of `frame_dt` real seconds, none while paused.

        Returns the number of ticks due; fewer are run if a fault pauses the drive.
        """
        due = 0 if self._paused else self.clock.advance(frame_dt)
        self.real_time += frame_dt
        if self.clock.long_frames == SLOW_FRAMES and not self._said_slow:
            self._said_slow = True
            self.say(f"{1.0 / frame_dt:.0f} frames/s: the simulation runs slower than real time", "warning")
        for k in range(due):
            if k == due - 1:
                self._swap_frames(due)
            self._tick(driver)
            if self._paused:
                break
        if due:
            self._read_current()
        self.component_swap.poll()
        self.recording_control.poll()
        return due

    def _tick(self, driver: Callable[..., Any]) -> None:
        """Run one tick: read all drivers' commands, step the world, time laps, record, and handle faults and vehicles
        that have left the world."""
        self.changes.begin_tick()
        commands = self._commands
        for i, situation in enumerate(self._situations):
            vehicle_driver = driver if i == self.player else self.drivers.get(i)
            if vehicle_driver is not None:
                situation.tick = self.world.tick
                commands[i] = vehicle_driver(situation)[0]  # slices would be copied field by field: ten times as long
                situation.commanded_gear = int(commands["gear"][i])
        for train in self._pulling:
            commands[train.start + 1 : train.stop] = commands[train.start]  # trailers get the same command
        external = self.external_impulses(self.world) if self.external_impulses else None
        fault = self.world.step(commands, external)
        self.stopwatch.step(self.vehicle.model_position(), self.world.time)
        self.changes.end_tick(commands, external)
        for listener in self.on_tick:
            listener()
        if self.recorder:
            self._signal_log.note(self.recorder, self.signals)
            self.recorder.record(commands, external, fault is not None)
            self._note_gears()
        if fault:
            self._faulted(fault)
        for train in self.world.trains:
            if self._situations[train.start].height < self._lost_below:
                self.say(f"{self.world.vehicles[train.start].name} left the world and was reset")
                self.changes.recover(train.start)

    def _note_gears(self) -> None:
        """Record every change of a vehicle's target gear as an event."""
        for i, situation in enumerate(self._situations):
            gear = situation.target_gear
            if gear != self._gears[i]:
                self._gears[i] = gear
                self.recorder.event("gear", vehicle=i, gear=gear)

    def _faulted(self, fault: "Fault") -> None:
        """Report and record a fault; recover a vehicle after FAULT_LIMIT of faults, the second time also pause."""
        tick = self.world.tick
        in_a_row, last, recoveries = self._faults.get(fault.vehicle, (0, -(10**9), 0))  # no fault: long ago
        elapsed = (tick - last) * self.world.tick_seconds
        in_a_row = in_a_row + 1 if tick - last == 1 else 1
        recoveries = 0 if elapsed > FAULT_MEMORY else recoveries
        if in_a_row == 1:
            _log.warning("%s", fault.text)
            self.say(fault.text, "warning")
            if self.recorder:
                self.recorder.event("fault", vehicle=fault.vehicle, component=fault.component, text=fault.text)
        if in_a_row * self.world.tick_seconds >= FAULT_LIMIT:
            in_a_row, recoveries = 0, recoveries + 1
            self.changes.recover(fault.vehicle)
            if recoveries > 1:
                self.paused = True
                name = self.world.vehicles[fault.vehicle].name
                self.say(f"{name} cannot be simulated like this; paused. Undo the last change or reset it", "warning")
        self._faults[fault.vehicle] = (in_a_row, tick, recoveries)

    # ---- frames

    def _swap_frames(self, due: int) -> None:
        """Make `previous` the state before the last of the `due` ticks of a frame."""
        if due == 1:
            self.previous, self.current = self.current, self.previous
        else:
            self._poses.fill(self.previous)

    def _restart_frames(self) -> None:
        """Set `previous` and `current` to the present state, so that nothing is interpolated across a jump."""
        self.previous, self.current = self.current, self.previous  # `_read_current` needs the last poses in `previous`
        self._read_current()
        self.previous = Frames.of(self.current)

    def _read_current(self) -> None:
        """Write the present state into `current`, with the wheel poses of `previous` for a vehicle without any."""
        self._poses.fill(self.current)
        for frame, before in zip(self.current, self.previous, strict=True):
            carry_wheels(frame, before)
        if "input" not in self.vehicle.state.dtype.names:
            for i, frame in enumerate(self.current):
                frame.steer_command, frame.brake = float(self._commands["steer"][i]), float(self._commands["brake"][i])

    def interpolated(self, index: int | None = None) -> "VehicleFrame":
        """VehicleFrame to draw a vehicle with (by default the player's), interpolated between the last two ticks."""
        index = self.player if index is None else index
        return interpolate(self.previous[index], self.current[index], self.clock.fraction)

    def interpolated_all(self) -> Frames:
        """Frames to draw all vehicles with, interpolated between the last two ticks."""
        return interpolate_all(self.previous, self.current, self.clock.fraction)

    # ---- consequences of changes

    def _jumped(self) -> None:
        self.clock.restart()
        self._restart_frames()

    def _vehicle_swapped(self) -> None:
        """Read the new vehicle objects from now on."""
        for index, (vehicle, before) in enumerate(zip(self.world.vehicles, self._situations, strict=True)):
            if before.vehicle is not vehicle:
                self._situations[index] = Situation(vehicle, self.world.tick_seconds)
                self._situations[index].commanded_gear = before.commanded_gear
        self._poses = AllPoses(s.poses for s in self._situations)

    # ---- messages and recording

    def say(self, text: str, level: str = "info") -> None:
        """Show a line of text to the driver."""
        self.messages.append(Message(text, level, self.real_time))

    def mark(self, text: str = "", moment: tuple[Any, float, int] | None = None) -> None:
        """Put a mark into the recording, now or at a moment that `moment` returned; it is on disk within a second."""
        recorder, time, tick = moment or self.moment()
        self.marks.append((time, text))
        if self.recorder:  # a moment of an earlier recording is marked at the start of this one
            self.recorder.event("mark", text=text, tick=tick if recorder is self.recorder else 0)

    def moment(self) -> tuple[Any, float, int]:
        """The present moment (recorder, time in s, recorded tick), for a mark that is made later."""
        return self.recorder, self.world.time, self.recorder.tick if self.recorder else 0

    def keep_recording(self) -> Path | None:
        """Keep the recording permanently (RecordingControl.keep); returns its path, or None."""
        return self.recording_control.keep()

    def close(self, reason: str = "closed") -> None:
        """End the drive; the end mark with this reason is written to the recording. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        self.component_swap.close()
        self.recording_control.close(reason)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        self.close("closed" if kind is None else f"ended by {kind.__name__}")
