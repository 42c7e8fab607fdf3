"""Inlined kernels.

The ground is a tuple of eight arrays, over sixty machine words; copying them in a call takes longer than a ray cast.
Inlining avoids the copy. Use it for small functions and for those that take the ground, but not for long or rarely
called ones, as it adds code at every call site.
"""

from collections.abc import Callable
from typing import Any

from driving_sandbox.physics.kernel.jit import JIT, kernel, merge


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, but inlined into every caller."""
    compiled = kernel(function)
    if JIT:
        merge(compiled)
    return compiled
