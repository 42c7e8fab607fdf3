"""The ghosts beside a drive or a replay, in the spare slots of its Scene.

A ghost is heard while it is drawn and under way, from where it is, GHOST_GAIN as loud as a vehicle that is driven. It
gets a slot that is silent, with its own voices, and fades when it ends, is removed, hidden or muted; then nothing of
the slot is computed. A ghost that sets off again sounds as a vehicle that was moved to the start.
"""

from collections.abc import Callable
from typing import Any

from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.base.frame import ABSENT, ATTENUATION_WORD
from driving_sandbox.sound.base.gain import nearer
from driving_sandbox.sound.heard import FADE_SECONDS, GHOST_GAIN, LONG_AGO, REUSE_SECONDS
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.voices import SEEDS


class _Slot:
    """A slot of the scene, and the ghost that is heard there, or was last."""

    def __init__(self, number: int) -> None:
        # `attenuation`: 1 less the gain; `silent_rows`: rows for which the slot has been silent
        self.number, self.attenuation, self.silent_rows = number, ABSENT, -LONG_AGO
        self.ghost: Any = None
        self.time: float | None = None  # of the ghost in the last row


class GhostSounds:
    """Fills the FRAMEs of ghosts.

    Args:
        ghosts: Ghosts or ReplayGhosts (game/experiments/ghosts.py).
        now: function() that gives the time of the ghosts at the present tick, s.
        count: largest number of ghosts.
        shows_twin: function() -> whether the twin, a vehicle of the world that is drawn as a ghost, is shown.
    """

    def __init__(
        self, ghosts: Any, now: Callable[[], float], count: int, shows_twin: Callable[[], bool] = lambda: True
    ) -> None:
        self._ghosts, self._now, self.count, self.shows_twin = ghosts, now, count, shows_twin
        self._slots: list[_Slot] = []
        self._scene: Any = None

    def join(self, scene: Scene, row_seconds: float) -> None:
        """Use the last `count` slots of a Scene, which gets a row of FRAMEs each `row_seconds`."""
        self._scene, first = scene, scene.vehicle_count - self.count
        self._slots = [_Slot(first + k) for k in range(self.count)]
        # change of attenuation per row; silent rows after which a slot may be given to another ghost
        self._change, self._reuse = row_seconds / FADE_SECONDS, REUSE_SECONDS / row_seconds

    def fill(self, words: Any, gain: float) -> None:
        """Fill the FRAMEs of a row.

        Args:
            words: the row's FRAMEs as float64 [slots of the scene, FRAME_WORDS].
            gain: gain of the ghosts, 0..1, by which GHOST_GAIN is multiplied.
        """
        now = self._now()
        heard = [ghost for ghost in self._ghosts.running if self._is_heard(ghost, now)] if gain > 0.0 else []
        taken = [slot.ghost for slot in self._slots]
        for ghost in heard:
            if ghost not in taken:
                self._settle(ghost)
        for slot in self._slots:
            frame, wanted = words[slot.number], ABSENT
            if slot.ghost in heard:
                wanted = 1.0 - GHOST_GAIN * gain
            before, slot.attenuation = slot.attenuation, nearer(slot.attenuation, wanted, self._change)
            slot.silent_rows = slot.silent_rows + 1 if slot.attenuation == ABSENT else 0
            if before != ABSENT or slot.attenuation != ABSENT:  # also the row in which its fade ends
                time = slot.ghost.time(now)
                slot.ghost.drive.sound.fill(frame, time, slot.time)
                slot.time = time
            frame[ATTENUATION_WORD] = slot.attenuation

    def _is_heard(self, ghost: Any, now: float) -> bool:
        """Whether a ghost is drawn, is under way and has a sound."""
        under_way = ghost.set_off_at is not None and ghost.shown(now)
        return self._ghosts.visible and under_way and ghost.drive.sound is not None

    def _settle(self, ghost: Any) -> None:
        """Give a ghost a slot that has been silent for REUSE_SECONDS, if there is one."""
        for slot in self._slots:
            if slot.silent_rows > self._reuse:
                sound = ghost.drive.sound.sound
                slot.ghost, slot.silent_rows, slot.time = ghost, 0, None
                self._scene.settle(slot.number, sound.parameters, sound.emitters, SEEDS - 1 - slot.number)
                return


class NoGhosts(GhostSounds):
    """For worlds that never have ghosts; with `running` and `visible` it is its own, empty Ghosts as well."""

    def __init__(self, world: World) -> None:
        super().__init__(self, lambda: world.time, 0)
        self.running: list[Any] = []
        self.visible = False
