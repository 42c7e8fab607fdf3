"""Fault: the report that a vehicle's state became invalid, and the exception for it."""

from dataclasses import dataclass

from driving_sandbox.physics.base.user_error import UserError


@dataclass(frozen=True)
class Fault:
    """A vehicle's state became invalid in a tick, and its train was reset."""

    vehicle: int  # index
    component: str  # slot whose numbers became invalid first
    wheel: str | None  # name of the wheel whose numbers they are
    tick: int  # number of the tick
    text: str  # message for the user


class FaultError(UserError):
    """`World.run` ended early.

    Attributes:
        fault: the Fault that ended it.
    """

    exit_code = 1

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault
