"""Warning about component lists with sticky tires but without a contact solver (PX-CONT-06).

`contact.stick` switches the tire model off near standstill, because `contact.solve` replaces it by constraints. Without
`contact.solve` such a tire neither grips nor brakes, and nothing stops a wheel at the end of its suspension travel from
sinking into the ground. As the list may be meant for another solver, this is a warning, not an error.
"""

import logging
from typing import Any

from driving_sandbox.physics.tick.component import phases_of

_log = logging.getLogger(__name__)


def lacks_solver(entries: Any) -> bool:
    """Whether a component list has sticky tires, but no solver."""
    phases = {(phase.component.slot, phase.phase) for phase in phases_of(entries)}
    return ("contact", "stick") in phases and ("contact", "solve") not in phases


def warn_of_missing_solver(name: str, entries: Any) -> None:
    """Log a warning if the component list of vehicle `name` has sticky tires, but no solver."""
    if lacks_solver(entries):
        _log.warning(
            "%s: contact.stick is in its list and contact.solve is not: near standstill tires will neither grip nor "
            "brake, and wheels may sink into the ground; add contact.solve, or leave contact.stick out", name
        )  # fmt: skip
