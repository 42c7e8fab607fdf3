"""The driver's switches for head lamps and turn signals, of all vehicles of a train at once."""

from driving_sandbox.game.view.vehicle.lamps import LEFT, RIGHT


class LampSwitch:
    """Switches the lamps of some VehicleViews. say: function(text), called with what is on."""

    def __init__(self, views, say):
        self._views, self._say = views, say

    def head(self) -> None:
        """Switch the head lamps; at dusk they begin on."""
        on = not self._views[0].lamps.head
        for view in self._views:
            view.lamps.head = on
        self._say(f"head lamps {'on' if on else 'off'}")

    def turn(self, side):
        """Switch the turn signal of a side, LEFT or RIGHT; both together are the hazard lights."""
        turn = self._views[0].lamps.turn ^ side
        for view in self._views:
            view.lamps.turn = turn
        self._say({0: "turn signals off", LEFT: "turning left", RIGHT: "turning right"}.get(turn, "hazard lights on"))

    def actions(self):
        """{action: function}; {} where no vehicle is drawn."""
        if not self._views:
            return {}
        return {"head_lamps": self.head, "turn_left": lambda: self.turn(LEFT), "turn_right": lambda: self.turn(RIGHT)}
