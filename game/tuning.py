"""The panel's view of what the player drives: every change goes through the session, and can be undone."""

from contextlib import contextmanager
from pathlib import Path

from game.panel.model import EditHistory, VehicleModel
from game.setup_slots import Flip, SetupSlots
from physics.swap import Plan


class Tuning(VehicleModel):
    """The panel's view of the player's vehicle, or of one of its trailers; every change goes through the session.

    Attributes:
        chosen: which member of the player's train is shown, 0 for the one that pulls. slots: its SetupSlots.
    """

    def __init__(self, session, folder):
        self._session, self.chosen = session, 0
        super().__init__(session.vehicle, folder, self._change, session.world.parameters)
        self._histories, self._slots = {0: self._history}, {}

    @property
    def _train(self):
        return self._session.world.train_of(self._session.player)

    @property
    def members(self):
        """Names of the player's vehicle and its trailers."""
        return [self._session.world.vehicles[i].name for i in self._train]

    def choose(self, member):
        """Show another member of the train; each keeps its own steps of undo."""
        self.chosen = member
        self._vehicle = self._session.world.vehicles[self._train[member]]
        self._history = self._histories.setdefault(member, EditHistory(self._apply))

    @contextmanager
    def member(self, number):
        """Changes made meanwhile are those of this member of the train, 0 for the one that pulls, whoever is shown."""
        shown = self.chosen
        self.choose(number)
        try:
            yield self
        finally:
            self.choose(shown)

    def memory(self):
        """The steps of undo and the slots of all members, for a later drive of the same vehicle."""
        for history in self._histories.values():
            history.rebind(None)  # nothing may keep this drive alive
        return self._histories, self._slots

    def take_over(self, memory):
        """Go on with the `memory` of an earlier drive of the same vehicle."""
        self._histories, self._slots = memory
        for history in self._histories.values():
            history.rebind(self._apply)
        self.choose(0)

    @property
    def slots(self):
        found = self._slots.get(self.chosen)
        if found is None:
            found = self._slots[self.chosen] = SetupSlots(self._vehicle)
        return found

    def flip(self):
        """Drive the other one of the two slots, as one step of undo; returns how many values differ."""
        before, after = self.slots.flip(self._vehicle)
        self._history.change(before, after)
        return len(after)

    def _change(self, change):
        """Values {path: value}, or the Plan of another component."""
        if isinstance(change, Plan):
            self._session.exchange(change)
            self._vehicle = self._session.vehicle  # the steps of undo go on: each finds the parameters it changed
            return
        if change:
            self._set(change)
        if isinstance(change, Flip):
            self.slots.active = change.slot

    def _set(self, values):
        """Values of the vehicle and of the world, all or none."""
        of_world = self.world.checked({path: value for path, value in values.items() if path in self.world})
        of_vehicle = {path: value for path, value in values.items() if path not in self.world}
        if of_vehicle:
            self._session.apply(of_vehicle, self._train[self.chosen])
        if of_world:
            self._session.apply_world(of_world)

    def fit(self, before, plan):
        """Change a component of the vehicle that pulls, as one step of undo."""
        with self.member(0):
            self._history.change(before, plan)

    def load_setup(self, path):
        super().load_setup(path)
        self._session.put("setup", name=Path(path).name)  # trying a setup moves the centre of mass there and back
