"""Inlined kernels.

The ground is a tuple of eight arrays, over sixty machine words that a compiled call copies, which takes longer than a
ray cast. Inlining avoids the copy. Use it for small functions and for those that take the ground; it costs code size at
every call site, so not for long or rarely called kernels.
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
