"""The ghosts beside a drive or a replay, at the spare places of its Scene.

A ghost is heard while it is drawn and under way, from where it is, GHOST_GAIN as loud as a vehicle that is driven. It
gets a place that is silent, with its own voices, and fades when it ends, is removed, hidden or muted; then nothing of
the place is computed. When it sets off again, it goes on at its start, as a vehicle that was put there.
"""

from collections.abc import Callable
from typing import Any

from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.base.frame import ABSENT, ATTENUATION_WORD
from driving_sandbox.sound.base.gain import nearer
from driving_sandbox.sound.heard import FADE_SECONDS, GHOST_GAIN, LONG_AGO, REUSE_SECONDS
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.voices import SEEDS


class _Place:
    """A place of the scene, and the ghost that is heard there, or was last."""

    def __init__(self, number: int) -> None:
        self.number, self.attenuation, self.silent_rows = number, ABSENT, -LONG_AGO
        self.ghost: Any = None


class GhostSounds:
    """Fills the FRAMEs of ghosts.

    Args:
        ghosts: Ghosts or ReplayGhosts (game/experiments/ghosts.py).
        now: function() that gives the time of the ghosts at the present tick, s.
        count: largest number of ghosts.
        shows_twin: function() that tells whether vehicles that are drawn as ghosts are shown.
    """

    def __init__(
        self, ghosts: Any, now: Callable[[], float], count: int, shows_twin: Callable[[], bool] = lambda: True
    ) -> None:
        self._ghosts, self._now, self.count, self.shows_twin = ghosts, now, count, shows_twin
        self._places: list[_Place] = []
        self._scene: Any = None

    def join(self, scene: Scene, row_seconds: float) -> None:
        """Use the last `count` places of a Scene, which gets a row of FRAMEs each `row_seconds`."""
        self._scene, first = scene, scene.vehicle_count - self.count
        self._places = [_Place(first + k) for k in range(self.count)]
        # change of attenuation per row; silent rows after which a place may be given to another ghost
        self._change, self._reuse = row_seconds / FADE_SECONDS, REUSE_SECONDS / row_seconds

    def fill(self, words: Any, gain: float) -> None:
        """Fill the FRAMEs of a row.

        Args:
            words: of the row, float64 [places of the scene, FRAME_WORDS].
            gain: of the ghosts, in addition to GHOST_GAIN, 0..1.
        """
        now = self._now()
        heard = [ghost for ghost in self._ghosts.running if self._is_heard(ghost, now)] if gain > 0.0 else []
        taken = [place.ghost for place in self._places]
        for ghost in heard:
            if ghost not in taken:
                self._settle(ghost)
        for place in self._places:
            frame, wanted = words[place.number], ABSENT
            if place.ghost in heard:
                wanted = 1.0 - GHOST_GAIN * gain
            before, place.attenuation = place.attenuation, nearer(place.attenuation, wanted, self._change)
            place.silent_rows = place.silent_rows + 1 if place.attenuation == ABSENT else 0
            if before != ABSENT or place.attenuation != ABSENT:  # also the row in which its fade ends
                place.ghost.drive.sound.fill(frame, place.ghost.time(now))
            frame[ATTENUATION_WORD] = place.attenuation

    def _is_heard(self, ghost: Any, now: float) -> bool:
        """Whether a ghost is drawn and under way."""
        under_way = ghost.set_off_at is not None and ghost.shown(now)
        return self._ghosts.visible and under_way and ghost.drive.sound is not None

    def _settle(self, ghost: Any) -> None:
        """Give a ghost a place that has been silent for REUSE_SECONDS, if there is one."""
        for place in self._places:
            if place.silent_rows > self._reuse:
                sound = ghost.drive.sound.sound
                place.ghost, place.silent_rows = ghost, 0
                self._scene.settle(place.number, sound.parameters, sound.places, SEEDS - 1 - place.number)
                return


class NoGhosts(GhostSounds):
    """For worlds that never have ghosts; stands in for Ghosts itself, by `running` and `visible`."""

    def __init__(self, world: World) -> None:
        super().__init__(self, lambda: world.time, 0)
        self.running, self.visible = [], False
