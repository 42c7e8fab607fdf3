"""A scene: all that sounds together, and the kernel that renders a block of it.

The real-time stream (sound/device/stream.py) and the soundtrack of a file render with the same kernel: equal frames
give equal samples.
"""

from typing import Any

import numpy as np

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.sound.base.block import BLOCK, BUS_COUNT
from driving_sandbox.sound.base.frame import ABSENT
from driving_sandbox.sound.glide import (
    ENTRIES,
    GLIDE,
    NO_SLOT,
    PARAMETER_WORDS,
    glide,
    motions,
    post,
)
from driving_sandbox.sound.mixer import LEVELS, MIX, mix
from driving_sandbox.sound.space.ears import SPACE, fall_silent
from driving_sandbox.sound.voices import VoiceParameters, Voices, begin, render_voices

SCENE_ARRAYS = ("buses", "parameters", "voices", "spaces", "mix", "levels", "samples")  # in `render_scene`'s order
GLIDE_ARRAYS = ("glide", "motions", "wanted")  # of changes of the parameters (sound/glide.py)


class Scene:
    """The memory of the vehicles' voices, their spaces and the mixer.

    A slot whose FRAMEs say ABSENT costs nothing, and may be given to another vehicle.

    Args:
        parameters: VoiceParameters [vehicles].
        emitters: EMITTERS [vehicles] (sound/space/emitters.py).
    Attributes:
        arrays: {name of SCENE_ARRAYS and GLIDE_ARRAYS: array}.
        tuned: VoiceParameters [vehicles] that are in use or glided to.
        row: row of the ring that is being filled: changes act from there on; 0 where frames do not wait in a ring.
        levels: LEVELS record, 1 at the start; it may be changed at any time.
        samples: float64 [BLOCK, 2], the last block.
    """

    def __init__(self, parameters: Any, emitters: Any) -> None:
        self.vehicle_count = count = len(parameters)
        self.arrays = {
            "buses": np.zeros((count, BUS_COUNT, BLOCK)),
            "parameters": np.ascontiguousarray(parameters),
            "voices": np.zeros(count, Voices),
            "spaces": np.zeros(count, SPACE),
            "mix": np.zeros(1, MIX),
            "levels": np.ones(1, LEVELS),
            "samples": np.zeros((BLOCK, 2)),
            "glide": np.zeros(1, GLIDE),
            "motions": motions(),
            "wanted": np.zeros((ENTRIES, count), VoiceParameters),
        }
        self._posted, self._taken = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._changes = self.arrays["glide"][0]
        self._changes["posted"], self._changes["taken"] = self._posted.ctypes.data, self._taken.ctypes.data
        # changes that wait while the queue is full: (row, slot, parameters)
        self._late: list[tuple[int, int, Any]] = []
        self.tuned, self.row = np.array(parameters), 0
        self.levels, self.samples = self.arrays["levels"], self.arrays["samples"]
        self.arrays["spaces"]["emitters"] = emitters
        for number in range(count):
            begin(self.arrays["voices"][number], number)

    def tune(self, parameters: Any, slot: int = NO_SLOT) -> None:
        """Let the parameters glide to other ones from `row` on. The stream may be playing and gliding.

        Args:
            parameters: VoiceParameters [vehicles].
            slot: that has them at once, or EVERY_SLOT.
        """
        self.tuned = np.array(parameters)
        if self._late and self._late[-1][1] == slot == NO_SLOT:
            self._late.pop()  # of several that wait, the last one counts
        self._late.append((self.row, slot, self.tuned))
        self.post_late()

    def post_late(self) -> None:
        """Post the changes that found the queue full, as the stream stood still, as far as it has free entries now."""
        while self._late and int(self._posted[0] - self._taken[0]) < ENTRIES - 1:  # the reader may still use the last
            entry = int(self._posted[0]) % ENTRIES
            row, slot, parameters = self._late.pop(0)
            self._changes["rows"][entry], self._changes["slots"][entry] = row, slot
            self.arrays["wanted"][entry] = parameters
            post(self._changes)

    def settle(self, number: int, parameters: Any, emitters: Any, seed: int) -> None:
        """Give the slot of an absent vehicle to another one, whose voices begin anew. The stream may be playing.

        Args:
            number: of the slot; the stream must have read a FRAME in which it is ABSENT, and no other one since.
            parameters, emitters: VoiceParameters and EMITTERS records.
            seed: of the voices' noise, 0 .. SEEDS - 1.
        """
        wanted = self.tuned.copy()
        wanted[number] = parameters
        self.tune(wanted, number)
        self.arrays["spaces"]["emitters"][number] = emitters
        self.arrays["voices"][number : number + 1].view(np.uint8)[:] = 0  # field by field it takes a millisecond
        begin(self.arrays["voices"][number], seed)

    def render(self, before: Any, after: Any, listener: Any) -> Any:
        """The next block, which is valid until the following one; float64 [BLOCK, 2].

        Args:
            before, after: FRAME [vehicles] at its start and end.
            listener: LISTENER [1] at its end.
        """
        self._glide()
        arrays = [self.arrays[name] for name in SCENE_ARRAYS]
        render_scene(*arrays, before, after, listener)
        return self.samples

    def _glide(self) -> None:
        """Move the parameters by a block."""
        if self._posted[0] != self._taken[0] or self._changes["left"]:
            words = [
                self.arrays[name].view(kind).reshape(*self.arrays[name].shape, PARAMETER_WORDS)
                for name in ("parameters", "wanted")
                for kind in (np.float64, np.int64)
            ]
            glide(self._changes, self.row, self.arrays["motions"], *words)


@kernel
def render_scene(
    buses: Any,
    parameters: Any,
    voices: Any,
    spaces: Any,
    state: Any,
    levels: Any,
    samples: Any,
    before: Any,
    after: Any,
    listener: Any,
) -> None:
    """Render a block of all vehicles into `samples` [BLOCK, 2]; the other arrays are those of a Scene, in order.

    Args:
        before, after: FRAME [vehicles], at the block's start and end.
        listener: LISTENER, the last entry of the array is the one at the block's end.
    """
    for vehicle in range(len(after)):
        if before[vehicle].attenuation == ABSENT and after[vehicle].attenuation == ABSENT:
            fall_silent(spaces[vehicle])
        else:
            # One that appears has no state before; its FRAME there is an old one.
            start = after[vehicle] if before[vehicle].attenuation == ABSENT else before[vehicle]
            render_voices(buses[vehicle], parameters[vehicle], voices[vehicle], start, after[vehicle])
    cabin = parameters[0].body.cabin if len(after) > 0 else 1.0
    mix(samples, buses, after, listener[len(listener) - 1], spaces, state[0], levels[0], cabin)
