"""A vehicle's state became invalid."""

from dataclasses import dataclass

from driving_sandbox.physics.base.user_error import UserError


@dataclass(frozen=True)
class Fault:
    """A vehicle's state became invalid in a tick, and its train was reset.

    Attributes:
        vehicle: its index. component: slot whose numbers became invalid first. wheel: its name, or None. tick: number
        of the tick. text: message for the user.
    """

    vehicle: int
    component: str
    wheel: str | None
    tick: int
    text: str


class FaultError(UserError):
    """`World.run` ended early. Attribute fault: the Fault."""

    exit_code = 1

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault
