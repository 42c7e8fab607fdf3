"""Kernels that are merged into their callers.

The ground is a tuple of eight arrays, over sixty machine words that a compiled call copies: more time than a ray takes.
A kernel merged into its caller does not pay it. Use it for small functions and for those that take the ground; it costs
code size at every place of call, so leave out what runs long or seldom.
"""

from collections.abc import Callable
from typing import Any

from driving_sandbox.physics.kernel.jit import JIT, kernel, merge


def inline_kernel(function: Callable[..., Any]) -> Any:
    """Like `kernel`, but merged into every caller."""
    compiled = kernel(function)
    if JIT:
        merge(compiled)
    return compiled
