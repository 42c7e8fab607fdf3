"""The driver's switches for headlamps and turn signals; they act on the driven vehicle and its trailers."""

from collections.abc import Callable, Sequence
from typing import Any

from driving_sandbox.game.view.vehicle.lamps import LEFT, RIGHT


class LampSwitch:
    """Switches the lamps of the driven vehicle and its trailers.

    Args:
        views: VehicleViews of the driven vehicle and its trailers.
        say: function(text), called with the new state of the lamps.
    """

    def __init__(self, views: Sequence[Any], say: Callable[[str], object]) -> None:
        self._views, self._say = views, say

    def head(self) -> None:
        """Switch the headlamps on or off; at dusk they are on from the start."""
        on = not self._views[0].lamps.head
        for view in self._views:
            view.lamps.head = on
        self._say(f"headlamps {'on' if on else 'off'}")

    def turn(self, side: int) -> None:
        """Switch the turn signal of a side, LEFT or RIGHT, on or off; both sides together are the hazard lights."""
        turn = self._views[0].lamps.turn ^ side  # LEFT and RIGHT are one bit each
        for view in self._views:
            view.lamps.turn = turn
        texts = {0: "turn signals off", LEFT: "left turn signal on", RIGHT: "right turn signal on"}
        self._say(texts.get(turn, "hazard lights on"))

    def actions(self) -> dict[str, Callable[[], None]]:
        """{action: function}; empty if none of the vehicles is drawn."""
        if not self._views:
            return {}
        return {"head_lamps": self.head, "turn_left": lambda: self.turn(LEFT), "turn_right": lambda: self.turn(RIGHT)}
