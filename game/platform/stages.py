"""The stages of a start and the usual seconds of each, from which the progress bar is computed."""

from __future__ import annotations

from itertools import accumulate, pairwise

OPENING, READING, TERRAIN = "Opening the window", "Reading the world", "Building the ground"
OBJECTS, COMPILING, REBUILDING = "Building objects", "Compiling the physics", "Rebuilding the drive"
VEHICLE, PRELOADING, INSTRUMENTS = "Reading the vehicle", "Preloading shaders and meshes", "Preparing the instruments"
FILES, PLACING = "Reading vehicle and world", "Placing the vehicles"
COMPILING_SOUND = "Compiling the sound"  # runs beside earlier stages; this one waits for what is left
# Seconds on two cores with software OpenGL. The last stage has 0 s: its name is shown next to the full bar.
DRIVE_STAGES = {OPENING: 0.2, READING: 0.3, TERRAIN: 0.8, OBJECTS: 0.6, COMPILING: 25.0, VEHICLE: 0.3, PRELOADING: 2.5,
                COMPILING_SOUND: 8.0, INSTRUMENTS: 0.0}  # fmt: skip
CHANGE_STAGES = {FILES: 0.5, COMPILING: 25.0, PLACING: 0.3, READING: 0.3, TERRAIN: 0.8, OBJECTS: 0.6, VEHICLE: 0.3,
                 PRELOADING: 2.5, INSTRUMENTS: 0.0}  # fmt: skip
REPLAY_STAGES = {OPENING: 0.2, COMPILING: 25.0, REBUILDING: 1.0, COMPILING_SOUND: 8.0, READING: 0.3, TERRAIN: 0.8,
                 OBJECTS: 0.6, INSTRUMENTS: 0.0}  # fmt: skip


class Progress:
    """The progress of a start.

    Args:
        stages: {name: usual seconds} in order.
        left_out: names of stages that have nothing to do this time.
    Attributes:
        share: finished share of the start, 0..1.
    """

    def __init__(self, stages: dict[str, float], left_out: tuple[str, ...] = ()) -> None:
        seconds = [0.0 if name in left_out else duration for name, duration in stages.items()]
        ends = [end / sum(seconds) for end in accumulate(seconds, initial=0.0)]
        self._spans = dict(zip(stages, pairwise(ends), strict=True))
        self.share = 0.0

    def at(self, stage: str, share: float = 0.0) -> float:
        """The finished share of the start, 0..1, when `share` (0..1) of a stage is done; never less than before."""
        start, end = self._spans[stage]
        self.share = max(self.share, start + (end - start) * min(1.0, max(0.0, share)))
        return self.share
