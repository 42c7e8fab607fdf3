"""Kernels that are merged into their callers.

The ground is a tuple of eight arrays, over sixty machine words that a compiled call copies and whose reference counts
it changes with locked instructions: 40 ns, more than a ray takes. A kernel merged into its caller pays neither. Use it
for small functions and for those that take the ground; it costs code size at every place of call, so leave out what
runs long or seldom. Such a kernel must not allocate, because it compiles without reference counting.
"""

from physics.jit import JIT, kernel


def inline_kernel(function):
    """Like `kernel`, but merged into every caller."""
    compiled = kernel(function)
    if JIT:
        compiled.targetoptions.update(forceinline=True, _nrt=False)
    return compiled


def bare_kernel(function):
    """Like `kernel`, but without reference counting of its arguments."""
    compiled = kernel(function)
    if JIT:
        compiled.targetoptions.update(_nrt=False)
    return compiled
