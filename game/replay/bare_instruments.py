"""The instruments of a replay whose vehicle cannot be rebuilt."""

from typing import Any

from driving_sandbox.game.hud import HudFrame, MessageFeed
from driving_sandbox.game.view.cameras.chase import forward_of

MESSAGE_SECONDS = 12.0  # s for which a message is shown; long, as it says what the replay lacks


class BareInstruments:
    """Speed and messages only, which need no rebuilt vehicle; stands in for game.program.instruments.Instruments."""

    def __init__(self, miles: bool) -> None:
        self.feed, self._count = MessageFeed(), 0  # _count: number of the viewer's messages posted so far
        self.frame = HudFrame(miles=miles, gear="")

    def jumped(self) -> None:
        """Do nothing: speed and messages are also valid after the replay's time was set."""

    def read(self, viewer: Any, frame_dt: float) -> HudFrame:
        """The HudFrame of this moment; the viewer's new messages are added to the feed. frame_dt: frame time, s."""
        values = viewer.source.recording.pose_at(viewer.player.time).vehicles[0]
        forward = forward_of(values["model_orientation"])
        velocity = values.get("velocity", (0.0, 0.0, 0.0))
        self.frame.speed = float(sum(f * v for f, v in zip(forward, velocity, strict=True)))
        for message in viewer.messages[self._count :]:
            self.feed.post(message.text, message.level, MESSAGE_SECONDS)
        self._count = len(viewer.messages)
        self.feed.step(frame_dt)
        self.frame.messages = self.feed.messages
        return self.frame
