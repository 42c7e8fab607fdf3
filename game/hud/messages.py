"""Messages that the display shows for some seconds."""

from __future__ import annotations

from dataclasses import dataclass

FADE_IN, FADE_OUT = 0.15, 0.6  # s, times of a message's fading


@dataclass
class ShownMessage:
    """A line of text shown for `duration` seconds, of which `age` have passed.

    Attributes:
        level: "info", "good", "warning" or "error".
    """

    text: str
    level: str = "info"
    duration: float = 4.0
    age: float = 0.0

    @property
    def opacity(self) -> float:
        """Opacity 0..1: the text fades in at first and out at the end of its time."""
        return max(0.0, min(1.0, self.age / FADE_IN, (self.duration - self.age) / FADE_OUT))


class MessageFeed:
    """The latest messages, at most `capacity`; a text that is already shown gets a new time instead of a new line.

    Attributes:
        new: levels of the lines added since the last `take_new`, the oldest first, at most `capacity`.
    """

    def __init__(self, capacity: int = 4) -> None:
        self.capacity = capacity
        self.messages: list[ShownMessage] = []
        self.new: list[str] = []

    def post(self, text: str, level: str = "info", seconds: float = 4.0) -> None:
        """Show a message for some seconds; one with the same text gets this time and level instead."""
        for message in self.messages:
            if message.text == text:
                message.age, message.duration, message.level = min(message.age, FADE_IN), seconds, level
                return
        self.messages.append(ShownMessage(text, level, seconds))
        del self.messages[: -self.capacity]
        self.new = [*self.new, level][-self.capacity :]

    def take_new(self) -> list[str]:
        """Return the levels in `new`, and empty it."""
        new, self.new = self.new, []
        return new

    def step(self, elapsed: float) -> None:
        """Let `elapsed` seconds of real time pass."""
        for message in self.messages:
            message.age += elapsed
        self.messages = [message for message in self.messages if message.age < message.duration]
