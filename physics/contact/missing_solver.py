"""A list of components that marks tires as held while nothing holds them (PX-CONT-06).

`contact.stick` takes tires near standstill out of the tire model, because `contact.solve` holds them by constraints
instead. In a list that has the one and not the other such a tire gives neither force nor braking, and a suspension
beyond its travel is not lifted out of the ground. That is a list one may want (another solver may follow), so it is
told and not refused.
"""

import logging

from driving_sandbox.physics.tick.component import phases_of

_log = logging.getLogger(__name__)


def lacks_solver(entries):
    """True for a list that marks tires as held and has no solver to hold them."""
    there = {(phase.component.slot, phase.phase) for phase in phases_of(entries)}
    return ("contact", "stick") in there and ("contact", "solve") not in there


def warn_of_missing_solver(name, entries):
    """Say so in the log."""
    if lacks_solver(entries):
        _log.warning(
            "%s: contact.stick is in its list and contact.solve is not: tires that stick will neither grip nor brake, "
            "and wheels may stay below the ground; add contact.solve, or leave contact.stick out", name
        )  # fmt: skip
