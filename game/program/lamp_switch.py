"""The driver's switches for headlamps and turn signals, which act on all vehicles of a train."""

from driving_sandbox.game.view.vehicle.lamps import LEFT, RIGHT


class LampSwitch:
    """Switches the lamps of VehicleViews.

    Args:
        views: VehicleViews of a train.
        say: function(text), called with the new state of the lamps.
    """

    def __init__(self, views, say):
        self._views, self._say = views, say

    def head(self) -> None:
        """Switch the headlamps on or off; at dusk they are on from the start."""
        on = not self._views[0].lamps.head
        for view in self._views:
            view.lamps.head = on
        self._say(f"head lamps {'on' if on else 'off'}")

    def turn(self, side):
        """Switch the turn signal of a side, LEFT or RIGHT, on or off; both sides together are the hazard lights."""
        turn = self._views[0].lamps.turn ^ side
        for view in self._views:
            view.lamps.turn = turn
        self._say({0: "turn signals off", LEFT: "turning left", RIGHT: "turning right"}.get(turn, "hazard lights on"))

    def actions(self):
        """{action: function}; empty if no vehicle is drawn."""
        if not self._views:
            return {}
        return {"head_lamps": self.head, "turn_left": lambda: self.turn(LEFT), "turn_right": lambda: self.turn(RIGHT)}
