"""Empty slots of driving aids: a vehicle with `components: {hill_hold: none}` lacks that aid, which can be fitted while
driving.
"""

from driving_sandbox.physics.kernel.jit import kernel
from driving_sandbox.physics.tick.component import Component


@kernel
def idle() -> None:
    """Do nothing."""


def absent(slot: str, *phases: str) -> Component:
    """The component `none` of a slot whose other components have these phases."""
    return Component(
        slot=slot, name="none", phases=dict.fromkeys(phases, idle), doc="Nothing; another can be chosen while driving."
    )
