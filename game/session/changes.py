"""Changes of a world between ticks: parameters, components, placements, and rewinding.

Each change acts between two ticks and is recorded, so that replaying the drive repeats it. A *jump* is a change of
state by other means than a tick: a placement, a recovery, a rewind. A change on the panel comes through `Tuning`, which
checks it and can undo it.
"""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from driving_sandbox.physics.batch.state_log import StateLog
from driving_sandbox.physics.batch.trajectory import Trajectory
from driving_sandbox.physics.recording.rewind import RewindRing
from driving_sandbox.physics.recording.writer import record_swap
from driving_sandbox.physics.vehicle.swap import swapped_vehicle

if TYPE_CHECKING:
    from driving_sandbox.game.session.recording_control import RecordingControl
    from driving_sandbox.lab.timing import Stopwatch
    from driving_sandbox.physics.batch.trajectory import Segment
    from driving_sandbox.physics.vehicle.swap import Swap
    from driving_sandbox.physics.world.world import World


class Changes:
    """Changes a world, and keeps its last seconds for rewinding.

    Args:
        world: physics.world.world.World.
        recording_control: RecordingControl.
        player: index of the player's vehicle.
        stopwatch: Stopwatch of the player's laps.
    Attributes:
        world, player, stopwatch: as in Args.
        on_change: list of functions called after parameters were set.
        on_section: list of functions called after a section that the physics does not read was changed.
        on_swap: list of functions called after a vehicle was replaced by a new object.
        on_jump: list of functions called after a jump.
        trajectory: physics.batch.trajectory.Trajectory of the player's vehicle.
        log: physics.batch.state_log.StateLog of the player's vehicle.
    """

    def __init__(
        self, world: "World", recording_control: "RecordingControl", player: int, stopwatch: "Stopwatch"
    ) -> None:
        self.world, self.player, self._recording_control, self.stopwatch = world, player, recording_control, stopwatch
        self.on_change: list[Callable[[], object]] = []
        self.on_section: list[Callable[[], object]] = []
        self.on_swap: list[Callable[[], object]] = []
        self.on_jump: list[Callable[[], object]] = []
        self._rewound = 0.0  # s rewound since the last tick
        self._start_ring()

    def _start_ring(self) -> None:
        """Restart the rewind ring, trajectory and log."""
        self._ring = RewindRing(self.world)
        self.trajectory = Trajectory(self.vehicle, self._ring.capacity, self.world.tick_seconds)
        self.log = StateLog(self.vehicle, self.world.tick_seconds)

    vehicle = property(lambda self: self.world.vehicles[self.player], doc="The player's vehicle.")
    rewind_seconds = property(lambda self: self._ring.seconds, doc="Time that `rewind` can go back, s.")

    def begin_tick(self) -> None:
        """Record the rewinds since the last tick as one."""
        if self._rewound > 0.0:
            self._note_jump("rewind", seconds=self._rewound)
            self._rewound = 0.0

    def end_tick(self, commands: Any, external: Any) -> None:
        """Store the tick that was run with these commands and external impulses in ring, trajectory and log."""
        self._ring.record(commands, external)
        self.trajectory.record(self._ring.tick)
        self.log.record(self.world.tick, self.world.time)

    # ---- parameters and components

    def apply(self, values: dict[str, float], index: int | None = None) -> None:
        """Set parameters {path: value} of a vehicle (the player's by default) or of the world, from the next tick on.

        Raises SchemaError or KeyError if one is wrong; then nothing is changed.
        """
        world_parameters = self.world.parameters
        of_world = world_parameters.checked({p: value for p, value in values.items() if p in world_parameters})
        of_vehicle = {p: value for p, value in values.items() if p not in world_parameters}
        index = self.player if index is None else index
        vehicle, recorder = self.world.vehicles[index], self._recording_control.recorder
        self.begin_tick()  # the change happens at the rewound position
        if of_vehicle:
            vehicle.set_many(of_vehicle)
            if recorder:
                recorder.setup(index, {path: vehicle.get(path) for path in of_vehicle})
        if of_world:
            world_parameters.set_many(of_world)
            if recorder:
                recorder.world_setup({path: world_parameters.get(path) for path in of_world})
        self._ring.mark()
        for listener in self.on_change:
            listener()

    def apply_to_section(self, name: str, apply: Callable[[], None], index: int) -> None:
        """Change a section of a vehicle that the physics does not read (OTHERS_SECTIONS), from the next tick on.

        apply: function that puts another mapping into the vehicle's `info`; it raises if a value is wrong.
        """
        self.begin_tick()
        apply()
        if self._recording_control.recorder:
            content = dict(self.world.vehicles[index].info.get(name) or {})
            self._recording_control.recorder.event("section", vehicle=index, name=name, values=content)
        for listener in self.on_section:
            listener()

    def swap(self, swap: "Swap", index: int | None = None) -> None:
        """Swap a component of a vehicle (physics/vehicle/swap.py) from the next tick on.

        Rewinding cannot go back beyond the swap. Raises SchemaError, and changes nothing, if the component refuses a
        value.
        """
        index = self.player if index is None else index
        vehicle, recorder = swapped_vehicle(self.world.vehicles[index], swap), self._recording_control.recorder
        self.begin_tick()
        if recorder:
            record_swap(recorder, index, swap, lambda: self.world.swap(index, vehicle))
        else:
            self.world.swap(index, vehicle)
        self._start_ring()
        for listener in self.on_swap:
            listener()

    # ---- jumps

    def recover(self, index: int | None = None) -> None:
        """Put a vehicle and its trailers back on their wheels at their present position, at rest."""
        index = self.player if index is None else index
        self.world.recover(index)
        self.record_jump("recover", moved=self.world.train_of(index), vehicle=index)

    def rewind(self, seconds: float) -> float:
        """Go back in time, at most as far as the ring reaches; returns the time gone back, s.

        The recording gets it with the next tick or change (`begin_tick`).
        """
        rewound = self._ring.rewind(seconds)
        if rewound > 0.0:
            self._rewound += rewound
            self._jumped(None)
        return rewound

    def record_jump(self, reason: str, moved: Collection[int] | None = None, **data: Any) -> None:
        """Record a jump and call `on_jump`; to be called after the jump.

        Args:
            reason: text in the recording.
            moved: indices of the vehicles that jumped, None for all.
            data: further values of the recorded event.
        """
        self._ring.mark(exact=True)
        if moved is None or self.player in moved:
            self.log.jumped()
        self._rewound = 0.0  # the recorded jump holds the state, so that rewinds before it need no event
        if moved is not None:
            data["moved"] = [int(index) for index in moved]
        self._note_jump(reason, **data)
        self._jumped(moved)

    def _note_jump(self, reason: str, **data: Any) -> None:
        """Record a jump, if anything is recorded."""
        if self._recording_control.recorder:
            self._recording_control.recorder.jump(reason, **data)

    def _jumped(self, moved: Collection[int] | None) -> None:
        """Tell the stopwatch, if the player jumped, and all listeners."""
        if moved is None or self.player in moved:
            self.stopwatch.jumped()
        for listener in self.on_jump:
            listener()

    def segment(self, seconds: float) -> "Segment | None":
        """The last `seconds` of the player's train as a physics.batch.trajectory.Segment to repeat, or None."""
        return self._ring.segment(seconds, self.player)
