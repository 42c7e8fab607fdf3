"""Setups A and B: two complete sets of a vehicle's values. One is driven; a flip to the other is one step of undo."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driving_sandbox.physics.vehicle.vehicle import Vehicle
NAMES = ("A", "B")


class Flip(dict):
    """Values {path: value} of setup A or B; setting them makes that setup the active one.

    Attributes:
        setup: "A" or "B".
    """

    def __init__(self, values: Mapping[str, Any], setup: str) -> None:
        super().__init__(values)
        self.setup = setup


class SetupPair:
    """Setups A and B of a vehicle. At first A is active, and B has the values of the vehicle as loaded.

    Attributes:
        active: "A" or "B", the setup that is driven.
        stored: {"A" or "B": {path: value}}, as when the setup was last left or copied to.
    """

    def __init__(self, vehicle: "Vehicle") -> None:
        self.active = NAMES[0]
        self.stored = {NAMES[1]: vehicle.base_values()}

    @property
    def other(self) -> str:
        """The setup that is not active."""
        return NAMES[1 - NAMES.index(self.active)]

    def copy_to_other(self, vehicle: "Vehicle") -> None:
        """Copy the active setup to the other one."""
        self.stored[self.other] = vehicle.values()

    def differences(self, vehicle: "Vehicle") -> dict[str, tuple[Any, Any]]:
        """{path: (present value, value in the other setup)} of values that differ, for paths that both setups have."""
        other = self.stored[self.other]
        return {path: (value, other[path]) for path, value in vehicle.values().items()
                if path in other and other[path] != value}  # fmt: skip

    def flip(self, vehicle: "Vehicle") -> tuple[Flip, Flip]:
        """(before, after): the Flips that undo and make the change to the other setup; stores the active one."""
        different = self.differences(vehicle)
        self.stored[self.active] = vehicle.values()
        before = Flip({path: value for path, (value, _) in different.items()}, self.active)
        return before, Flip({path: value for path, (_, value) in different.items()}, self.other)
