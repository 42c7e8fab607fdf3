"""The driver's switches for head lamps and turn signals, of all vehicles of a train at once."""

from driving_sandbox.game.view.vehicle.lamps import LEFT, RIGHT


class LampSwitch:
    """Switches of the lamps of some VehicleViews. `say` gets what is on."""

    def __init__(self, views, say):
        self._views, self._say = views, say

    def head(self) -> None:
        """Head lamps on or off; at dusk they begin on."""
        on = not self._views[0].lamps.head
        for view in self._views:
            view.lamps.head = on
        self._say(f"head lamps {'on' if on else 'off'}")

    def turn(self, side):
        """Signal to a side or no more; both sides together are the hazard lights."""
        turn = self._views[0].lamps.turn ^ side
        for view in self._views:
            view.lamps.turn = turn
        self._say({0: "turn signals off", LEFT: "turning left", RIGHT: "turning right"}.get(turn, "hazard lights on"))

    def actions(self):
        """{name of game/controls/bindings.py: what to call}; nothing where no vehicle is drawn."""
        if not self._views:
            return {}
        return {"head_lamps": self.head, "turn_left": lambda: self.turn(LEFT), "turn_right": lambda: self.turn(RIGHT)}
