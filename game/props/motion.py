"""The motion of a world's props as drawn and recorded: their poses, read while any prop moves.

The props themselves are bodies of the physics (physics/props).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from driving_sandbox.physics.world.world import World

POSE_RATE = 60.0  # poses/s, the rate of recordings
MIN_CHANGE = 5e-5  # m and quaternion components; half the resolution of a recording


class PropMotion:
    """Poses of the props of a world.

    Args:
        world: physics.world.world.World.
        recorder: function() -> Recorder or None.
    Attributes:
        kinds: Kind of each prop.
        groups: index of each prop's entry in the world file.
        poses: float64[n, 7], as last read: centre of mass, m, and orientation x, y, z, w.
        start: the initial poses, likewise.
        awake: indices of the props that move.
    """

    def __init__(self, world: "World", recorder: Callable[[], Any] = lambda: None) -> None:
        self.world, self._recorder = world, recorder
        props = world.props
        self.kinds, self.groups = ([], []) if props is None else (props.kinds, props.groups)
        self.start = np.zeros((0, 7)) if props is None else props.start_poses
        self.poses = self.start.copy() if props is None else props.poses()
        self._recorded = self.poses.copy()
        self.awake: list[int] = []
        self._changed = np.zeros(len(self.kinds), bool)  # moved since `take_changed`
        self._read_every = max(1, round(1.0 / (POSE_RATE * world.tick_seconds)))
        self.read()

    def tick(self) -> None:
        """To be called once per tick: read and record the poses of the props that move, POSE_RATE times a second."""
        if self.world.tick % self._read_every == 0 and (self.awake or self.world.props and self.world.props.moving):
            self.read()
            self._record()

    def read(self) -> None:
        """Find the props that move; read their poses and those of props that came to rest since the last call."""
        if self.world.props is None:
            return
        before = self.awake
        self.awake = np.flatnonzero(self.world.props.state["awake"]).tolist()
        moved = list(dict.fromkeys((*before, *self.awake)))
        if moved:
            self.poses[moved] = self.world.props.poses(moved)
            self._changed[moved] = True

    def take_changed(self) -> np.ndarray:
        """Indices of the props moved since the last call."""
        indices = np.flatnonzero(self._changed)
        self._changed[:] = False
        return indices

    def jumped(self) -> None:
        """To be called after the world's state was set, by a rewind or because props were put back: read and record."""
        if self.world.props is None:
            return
        poses = self.world.props.poses()
        self._changed |= np.abs(poses - self.poses).max(axis=1, initial=0.0) > 0.0
        self.poses = poses
        self.awake = np.flatnonzero(self.world.props.state["awake"]).tolist()
        self._record()

    def _record(self) -> None:
        """Record the poses of the props that moved since they were last recorded."""
        recorder = self._recorder()
        if recorder is None:
            return
        moved = np.flatnonzero(np.abs(self.poses - self._recorded).max(axis=1, initial=0.0) > MIN_CHANGE)
        recorder.prop_poses(moved, self.poses[moved])
        self._recorded[moved] = self.poses[moved]

    def record_all(self) -> None:
        """Record the kinds and poses of all props, at the start of a recording."""
        recorder = self._recorder()
        if recorder is not None and self.kinds:
            recorder.props([kind.key for kind in self.kinds], self.poses)
            self._recorded = self.poses.copy()
