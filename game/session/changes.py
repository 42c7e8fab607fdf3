"""Changes of a world between ticks: parameters, components, placements, and rewinding.

Each acts between two ticks and is recorded, so that replaying the drive repeats it. A *jump* is a change of state by
other means than a tick: a placement, a recovery, a rewind. A slider's change comes from the panel through `Tuning`,
which checks it and can undo it, and ends in the vehicle's parameters.
"""

from typing import Any

from driving_sandbox.physics.batch.state_log import StateLog
from driving_sandbox.physics.batch.trajectory import Trajectory
from driving_sandbox.physics.recording.rewind import RewindRing
from driving_sandbox.physics.vehicle.swap import swapped_vehicle


class Changes:
    """Changes a world, and keeps the last seconds of it.

    Args:
        world: physics.world.world.World. recording_control: RecordingControl. player: index of the player's vehicle.
        stopwatch: of its laps.
    Attributes:
        world, player, stopwatch: as given. on_change: functions called after parameters were set. on_swap: after
        a vehicle became another object. on_jump: after a jump. trajectory:
        physics.batch.trajectory.Trajectory of the player's vehicle. log: physics.batch.state_log.StateLog of the
        player's vehicle.
    """

    def __init__(self, world, recording_control, player, stopwatch):
        self.world, self.player, self._recording_control, self.stopwatch = world, player, recording_control, stopwatch
        self.on_change, self.on_swap, self.on_jump = [], [], []
        self._rewound = 0.0
        self._start_ring()

    def _start_ring(self) -> None:
        """Restart the rewind ring, trajectory and log."""
        self._ring = RewindRing(self.world)
        self.trajectory = Trajectory(self.vehicle, self._ring.capacity, self.world.tick_seconds)
        self.log = StateLog(self.vehicle, self.world.tick_seconds)

    vehicle = property(lambda self: self.world.vehicles[self.player], doc="The player's vehicle.")
    rewind_seconds = property(lambda self: self._ring.seconds, doc="s that `rewind` can go back.")

    def begin_tick(self) -> None:
        """Record the rewinds since the last tick as one."""
        if self._rewound > 0.0:
            self._note_jump("rewind", seconds=self._rewound)
            self._rewound = 0.0

    def end_tick(self, commands, external):
        """Store the tick that these led to."""
        self._ring.record(commands, external)
        self.trajectory.record(self._ring.tick)
        self.log.record(self.world.tick, self.world.time)

    # ---- parameters and components

    def apply(self, values: dict[str, float], index: int | None = None) -> None:
        """Set parameters {path: value} of a vehicle (the player's by default) or of the world, all or none.

        They act from the next tick on. Raises SchemaError or KeyError and changes nothing when one is wrong.
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

    def swap(self, swap, index=None):
        """Swap a component of a vehicle (physics/vehicle/swap.py) from the next tick on.

        Rewinding ends there. Raises SchemaError and changes nothing when the component refuses a value.
        """
        index = self.player if index is None else index
        vehicle, recorder = swapped_vehicle(self.world.vehicles[index], swap), self._recording_control.recorder
        self.begin_tick()
        if recorder:
            recorder.swap(index, swap, lambda: self.world.swap(index, vehicle))
        else:
            self.world.swap(index, vehicle)
        self._start_ring()
        for listener in self.on_swap:
            listener()

    # ---- jumps

    def recover(self, index: int | None = None) -> None:
        """Put a vehicle back on its wheels where it is, at rest."""
        index = self.player if index is None else index
        self.world.recover(index)
        self.put("recover", moved=self.world.train_of(index), vehicle=index)

    def rewind(self, seconds):
        """Go back in time, at most as far as the ring reaches; returns the seconds gone back."""
        gone = self._ring.rewind(seconds)
        if gone > 0.0:
            self._rewound += gone
            self._jumped(None)
        return gone

    def put(self, reason, moved=None, **data):
        """Record and draw a jump; to be called after it.

        moved: indices of the vehicles that jumped, None for all.
        """
        self._ring.mark(exact=True)
        if moved is None or self.player in moved:
            self.log.jumped()
        self._rewound = 0.0
        if moved is not None:
            data["moved"] = [int(index) for index in moved]
        self._note_jump(reason, **data)
        self._jumped(moved)

    def _note_jump(self, reason: str, **data: Any) -> None:
        if self._recording_control.recorder:
            self._recording_control.recorder.jump(reason, **data)

    def _jumped(self, moved):
        if moved is None or self.player in moved:
            self.stopwatch.jumped()
        for listener in self.on_jump:
            listener()

    def segment(self, seconds):
        """The last seconds of the player's train as a physics.batch.trajectory.Segment, to be repeated, or None."""
        return self._ring.segment(seconds, self.player)
