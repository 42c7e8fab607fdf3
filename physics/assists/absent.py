"""The component `none`, for slots that may be empty, such as those of driving aids: `components: {hill_hold: none}`.

The slot still exists, so that another component can be chosen for it while driving.
"""

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.tick.component import Component


@kernel
def idle() -> None:
    """Do nothing."""


def absent(slot: str, *phases: str) -> Component:
    """The component `none` of a slot. phases: those of the slot's other components."""
    return Component(
        slot=slot, name="none", phases=dict.fromkeys(phases, idle), doc="Nothing; another can be chosen while driving."
    )
