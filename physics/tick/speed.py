"""Speed of a body, for substep groups whose count depends on it."""

from driving_sandbox.physics.kernel.jit import kernel


@kernel
def slower_than(body, speed):
    """Whether the centre of mass moves slower than `speed` (m/s), in any direction."""
    v = body.velocity
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < speed * speed
