"""Two complete sets of a vehicle's values, A and B, one of which is driven; a flip is one step of undo."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
NAMES = ("A", "B")


class Flip(dict):
    """Values {path: value} that belong to a slot: setting them makes that slot active."""

    def __init__(self, values, slot):
        super().__init__(values)
        self.slot = slot


class SetupSlots:
    """A is active at first, B is the vehicle as loaded.

    Attributes:
        active: "A" or "B", the driven slot. stored: {slot: {path: value}} as last left or filled.
    """

    def __init__(self, vehicle: "Vehicle") -> None:
        self.active = NAMES[0]
        self.stored = {NAMES[1]: vehicle.base_values()}

    @property
    def other(self):
        return NAMES[1 - NAMES.index(self.active)]

    def copy_to_other(self, vehicle: "Vehicle") -> None:
        """Copy the active slot to the other one, to change it from there."""
        self.stored[self.other] = vehicle.values()

    def differences(self, vehicle):
        """{path: (value now, value of the other slot)} where they differ; paths in only one of them are left out."""
        there = self.stored[self.other]
        return {path: (value, there[path]) for path, value in vehicle.values().items()
                if path in there and there[path] != value}  # fmt: skip

    def flip(self, vehicle):
        """(before, after): Flips that lead from the active slot to the other and back."""
        different = self.differences(vehicle)
        self.stored[self.active] = vehicle.values()
        before = Flip({path: here for path, (here, _) in different.items()}, self.active)
        return before, Flip({path: there for path, (_, there) in different.items()}, self.other)
