"""Speed of a body, for substep groups whose count depends on it."""

from typing import Any

from driving_sandbox.physics.kernel.jit import kernel


@kernel
def slower_than(body: Any, speed: float) -> bool:
    """Whether the centre of mass moves slower than `speed` (m/s), in any direction."""
    v = body.velocity
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < speed * speed
