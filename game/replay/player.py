"""The time of a replay: playing or paused, speed, loop. Buttons and keys change it; nothing is drawn or read here."""

from typing import Any

from driving_sandbox.game.windows.overlays import SPEEDS

_ROUNDING = 1e-6  # share of a tick; 0.9999999 ticks count as one


class Player:
    """The time of a replay.

    Args:
        ticks: length of the recording, ticks.
        tick_seconds: length of a tick, s.
    Attributes:
        time: s from the start, 0..duration.
        duration: length of the recording, s.
        playing: whether time passes.
        speed: recorded seconds per real second, within SPEEDS.
        loop: (begin, end) of the section that is repeated, s, or None; end is None until the user has chosen it.
    """

    def __init__(self, ticks: int, tick_seconds: float) -> None:
        self.ticks, self.tick_seconds = ticks, tick_seconds
        self.duration = ticks * tick_seconds
        self.time, self.playing, self.speed = 0.0, True, 1.0
        self.loop: tuple[float, float | None] | None = None
        self._jumped = False  # whether the time was set since the last `take_jump`

    @property
    def tick(self) -> int:
        """The last tick reached."""
        return min(self.ticks, int(self.time / self.tick_seconds + _ROUNDING))

    @property
    def at_end(self) -> bool:
        """Whether the end of the recording is reached."""
        return self.time >= self.duration

    def advance(self, real_seconds: float) -> float:
        """Let real time pass, and pause at the end.

        Returns the recorded seconds that passed, 0 if a loop began again.
        """
        if not self.playing:
            return 0.0
        before = self.time
        self.time = min(self.duration, self.time + max(0.0, real_seconds) * self.speed)
        start, end = self.loop or (0.0, None)
        if end is not None and before < end <= self.time:
            self.time = start + (self.time - end) % (end - start)
            self._jumped = True
            return 0.0
        self.playing = not self.at_end
        return self.time - before

    def shorten(self, ticks: int) -> None:
        """Set the length to `ticks`, because the rest of the recording cannot be shown."""
        self.ticks, self.duration = ticks, ticks * self.tick_seconds
        if self.time > self.duration:
            self.seek(self.duration)

    def play(self) -> None:
        """Play; at the end, play from the start."""
        if self.at_end:
            self.seek(0.0)
        self.playing = True

    def pause(self) -> None:
        """Let no time pass."""
        self.playing = False

    def toggle(self) -> None:
        """Pause, or play again."""
        self.pause() if self.playing else self.play()

    def seek(self, time: float) -> None:
        """Go to a time, s, limited to the recording."""
        self.time = min(max(time, 0.0), self.duration)
        self._jumped = True

    def mark_loop(self) -> None:
        """Set the start of a loop; with the second call its end, and go to its start; with the third remove the loop.

        A second call less than a tick away from the first also removes it.
        """
        if self.loop is None:
            self.loop = (self.time, None)
        elif self.loop[1] is None and abs(self.time - self.loop[0]) >= self.tick_seconds:
            self.loop = (min(self.loop[0], self.time), max(self.loop[0], self.time))
            self.seek(self.loop[0])
        else:
            self.loop = None

    def step(self, ticks: float) -> None:
        """Pause and go forward or back by whole ticks."""
        self.pause()
        tick = min(max(self.tick + round(ticks), 0), self.ticks)
        self.time = min(tick * self.tick_seconds, self.duration)

    def set_speed(self, speed: float) -> None:
        """Set the speed, kept within SPEEDS."""
        self.speed = min(max(speed, SPEEDS[0]), SPEEDS[-1])

    def change_speed(self, direction: int) -> None:
        """Set the next higher (direction +1) or lower (-1) of SPEEDS."""
        if direction > 0:  # the factors: a speed of SPEEDS with a rounding error must not lead to itself
            self.speed = next((s for s in SPEEDS if s > self.speed * 1.001), SPEEDS[-1])
        else:
            self.speed = next((s for s in reversed(SPEEDS) if s < self.speed * 0.999), SPEEDS[0])

    def act(self, action: Any) -> None:
        """Carry out a ReplayAction, except for leaving the replay and driving on."""
        if action.kind == "play":
            self.play()
        elif action.kind == "pause":
            self.pause()
        elif action.kind == "seek":
            self.seek(action.value)
        elif action.kind == "step":
            self.step(action.value)
        elif action.kind == "speed":
            self.set_speed(action.value)
        elif action.kind == "loop":
            self.mark_loop()

    def take_jump(self) -> bool:
        """Whether the time was set (not by `step`) since the last call; nothing may be interpolated across it."""
        jumped, self._jumped = self._jumped, False
        return jumped
