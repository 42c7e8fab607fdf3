"""Warning about component lists with sticky tires but without a contact solver (PX-CONT-06).

`contact.stick` disables the tire model near standstill, as `contact.solve` replaces it by constraints. In a list
without the latter such a tire has neither force nor braking, and a suspension beyond its travel is not pushed out of
the ground. The list may be intended (with another solver), so it is a warning, not an error.
"""

import logging

from driving_sandbox.physics.tick.component import phases_of

_log = logging.getLogger(__name__)


def lacks_solver(entries):
    """True for a list with sticky tires and without a solver."""
    there = {(phase.component.slot, phase.phase) for phase in phases_of(entries)}
    return ("contact", "stick") in there and ("contact", "solve") not in there


def warn_of_missing_solver(name, entries):
    """Log a warning."""
    if lacks_solver(entries):
        _log.warning(
            "%s: contact.stick is in its list and contact.solve is not: tires that stick will neither grip nor brake, "
            "and wheels may stay below the ground; add contact.solve, or leave contact.stick out", name
        )  # fmt: skip
