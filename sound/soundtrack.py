"""The soundtrack of a simulation, computed without an audio device: blocks of samples for a file.

    track = Soundtrack(world)
    every tick: world.step(...), track.add(), then use the blocks of track.blocks()

Block k ends at the time (k + 1) BLOCK / SAMPLE_RATE. Its frames are interpolated between those of the two ticks around
that time, so ticks may have any length; a block is finished with the first tick that is not before its end. Before the
first tick the state is not complete (tires have no load yet), so the first tick's frame holds from the start. An impact
is in the first block that ends after the beginning of its tick.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.world.world import World
from driving_sandbox.sound.base.block import BLOCK_SECONDS
from driving_sandbox.sound.base.frame import ABSENT, ATTENUATION_WORD, FRAME, IMPACT, NUMBER_WORDS
from driving_sandbox.sound.base.heights import bend_heights
from driving_sandbox.sound.base.moment import on_grid
from driving_sandbox.sound.follower import Follower
from driving_sandbox.sound.heard import HeardVehicles
from driving_sandbox.sound.mixer import LOUDEST
from driving_sandbox.sound.scene import Scene
from driving_sandbox.sound.space.listener import LISTENER, LISTENER_WORDS
from driving_sandbox.sound.space.room import Room


class Listener(Protocol):
    """Where the samples are heard."""

    def listen(self) -> np.ndarray:
        """LISTENER [1] after a tick; called once for each."""

    def restart(self) -> None:
        """The world has jumped."""


class Ghosts(Protocol):
    """What else is heard, in the last `count` slots of a Scene (game/audio/ghost_sounds.py)."""

    count: int

    def join(self, scene: Scene, row_seconds: float) -> None:
        """Use the last slots of a Scene, whose FRAMEs are filled each `row_seconds`."""

    def fill(self, words: np.ndarray, gain: float) -> None:
        """Fill the FRAMEs after a tick.

        Args:
            words: float64 [slots of the scene, FRAME_WORDS].
            gain: of all ghosts.
        """


class Soundtrack:
    """Samples of what the vehicles of a world do, tick by tick, as they are heard in a drive.

    Args:
        world: World; vehicles may be swapped, and their parameters set.
        camera: one of `follower.CAMERAS`, where the listener is, or an object whose `listen()` gives the LISTENER [1]
            after each tick.
        ghosts: Ghosts, or None without any.
    Attributes:
        scene: Scene, with the levels of its groups.
        vehicles: HeardVehicles.
        horn, indicator: whether horn and turn signals of the first vehicle are on in the next tick to be added.
    Raises:
        ConfigError: a vehicle's section `sound` is wrong.
        WrongValue: there is no such camera.
    """

    def __init__(self, world: World, camera: "str | Listener" = "chase", ghosts: Ghosts | None = None) -> None:
        self._world, self._ghosts = world, ghosts
        self._follower = Follower(world, camera) if isinstance(camera, str) else camera
        self._room, self.horn, self.indicator = Room(world.tick_seconds), False, False
        self.vehicles = HeardVehicles(world, ghosts.count if ghosts else 0)
        self.scene = self.vehicles.scene
        count = self.scene.vehicle_count
        if ghosts is not None:
            ghosts.join(self.scene, world.tick_seconds)
        self.scene.levels["master"] = LOUDEST
        self._rows, self._heard = np.zeros((2, count), FRAME), np.zeros((2, 1), LISTENER)  # of the last two ticks
        self._ends, self._listener = np.zeros((2, count), FRAME), np.zeros(1, LISTENER)  # both ends of a block; its end
        # the same memory as words: numpy copies records field by field, which takes ten times as long
        self._row_words, self._heard_words = _words(self._rows), _words(self._heard)
        self._end_words, self._listener_words = _words(self._ends), _words(self._listener)
        self._impacts = np.zeros(count, FRAME)  # strongest ones that no block has had yet
        self._ticks, self._blocks = 0, 0  # added so far, rendered so far

    def add(self) -> None:
        """Take the state after a tick; the blocks of the tick before must have been used."""
        self._follow_changes()
        self._row_words[0], self._heard_words[0] = self._row_words[1], self._heard_words[1]
        self.vehicles.gatherers[0].switch(self.horn, self.indicator)
        self.vehicles.gather(self._rows[1])
        if self._ghosts is not None:
            self._ghosts.fill(self._row_words[1], gain=1.0)
        for frame, strongest in zip(self._rows[1], self._impacts, strict=True):
            if frame["attenuation"] != ABSENT and frame["impact"] > strongest["impact"]:
                for name in IMPACT:
                    strongest[name] = frame[name]
        self._heard[1] = self._follower.listen()
        self._room.fill(self._heard[1], self._world.ground)
        self._ticks += 1
        if self._ticks == 1:
            self._row_words[0], self._heard_words[0] = self._row_words[1], self._heard_words[1]
            self._end_words[1] = self._row_words[1]

    def jump(self) -> None:
        """Call after the state was set otherwise than by a tick: what rises then is no impact."""
        self.vehicles.forget()
        self._follower.restart()

    def blocks(self) -> Iterator[np.ndarray]:
        """The blocks that the last tick finished: float64 [BLOCK, 2] each, valid until the next one."""
        in_ticks = BLOCK_SECONDS / self._world.tick_seconds
        while (end := on_grid((self._blocks + 1) * in_ticks)) <= self._ticks:
            self._blocks += 1
            share = end - (self._ticks - 1)
            self._end_words[0] = self._end_words[1]
            interpolate(self._row_words, self._end_words[1], share, NUMBER_WORDS)
            bend_paths(self._rows[0], self._ends[1], share)
            interpolate(self._heard_words, self._listener_words, share, LISTENER_WORDS)
            for name in IMPACT:
                self._ends[1][name] = self._impacts[name]
            self._impacts["impact"] = 0.0
            yield self.scene.render(self._ends[0], self._ends[1], self._listener)

    def _follow_changes(self) -> None:
        """Follow swaps and parameters; a section `sound` that has become wrong changes nothing, as in a drive."""
        if self.vehicles.has_changed():
            with contextlib.suppress(UserError):
                self.vehicles.apply_changes()


def _words(records: np.ndarray) -> np.ndarray:
    """Records of 8-byte fields as float64 [..., words]."""
    return records.view(np.float64).reshape(*records.shape, -1)


@kernel
def interpolate(rows: Any, result: Any, share: float, count: int) -> None:
    """Write what lies between two ticks.

    Args:
        rows: float64 [2, vehicles, words], records of the earlier and the later tick.
        result: float64 [vehicles, words], written: the first `count` words interpolated, the others of the later tick;
            all of the later tick for a vehicle that was ABSENT in the earlier one.
        share: of the way from the earlier tick to the later one, 0..1.
        count: number of words that are interpolated.
    """
    for k in range(result.shape[0]):
        # a + (b - a) is not b to the last bit where numbers jump: the end of an interval is the later tick
        evenly = 0 if rows[0, k, ATTENUATION_WORD] == ABSENT or share == 1.0 else count
        for i in range(result.shape[1]):
            later = rows[1, k, i]
            result[k, i] = rows[0, k, i] + share * (later - rows[0, k, i]) if i < evenly else later


@kernel
def bend_paths(earlier: Any, frames: Any, share: float) -> None:
    """Bend the paths of the wheels of FRAMEs that `interpolate` has set.

    Args:
        earlier: FRAME [vehicles] of the earlier tick.
        frames: FRAME [vehicles] between the ticks, changed.
        share: as in `interpolate`.
    """
    for k in range(len(frames)):
        if earlier[k].attenuation != ABSENT:
            bend_heights(frames[k], share)
