"""Placing the player's vehicle on a spawn point while driving, and restarting the drive."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driving_sandbox.game.session.session import Session


class Placement:
    """Places the player's vehicle, its trailers and its twin; a placement is recorded as a jump, which ends a lap.

    Args:
        session: game.session.session.Session.
        spawn: name of the spawn point where the drive began, None for the world's first one.
        put_back: function() that puts props and parked vehicles back.
        twin: index of the twin among the world's vehicles, or None.
    Attributes:
        spawn: the spawn point chosen last, where `restart` places the vehicle.
    """

    def __init__(
        self, session: "Session", spawn: str | None, put_back: Callable[[], object], twin: int | None = None
    ) -> None:
        self._session, self._put_back, self._twin = session, put_back, twin
        self.spawn = spawn

    @property
    def spawns(self) -> list:
        """Names of the world's spawn points."""
        world_file = self._session.world.file
        return [] if world_file is None else list(world_file.spawn_points)

    def restart(self) -> None:
        """Put the vehicle back on its spawn point, and props and parked vehicles back to their initial poses."""
        self._put_back()
        self._put("restart")
        self._session.say("restarted")

    def teleport(self, spawn: str) -> None:
        """Put the player's vehicle on another spawn point, at rest. Raises ConfigError for an unknown name."""
        if self._session.world.file is not None:
            self._session.world.file.spawn(spawn)
        self.spawn = spawn
        self._put("teleport")
        self._session.say(f"at {spawn}")

    def _put(self, reason: str) -> None:
        """Place the player's train and the twin on `spawn`, and record the jump with its reason."""
        session, world = self._session, self._session.world
        vehicles = list(world.train_of(session.player))
        world.spawn(self.spawn, session.player)
        if self._twin is not None:
            world.spawn(self.spawn, self._twin)
            vehicles.append(self._twin)
        session.changes.record_jump(reason, moved=vehicles, vehicle=session.player, spawn=self.spawn)
