"""`Callback`: a function that a C library calls in a thread of its own, without Python and its lock.

It is compiled on request only, as compiling can take many seconds, and cached like kernels, by import closure (jit.py).
`carray` and `types` are numba's, for the functions.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba import carray as carray
from numba import types as types

from driving_sandbox.physics.kernel.jit import JIT, cache_of
from driving_sandbox.physics.kernel.jit_compiler import KernelCompiler
from driving_sandbox.physics.kernel.numba_internals import CFunc, global_compiler_lock

_OPTIONS = {"error_model": "numpy", "nogil": True}  # as for kernels, but with the reference counts of `numba.carray`


@global_compiler_lock
def load_compiled(entry: Any, *arguments: Any) -> bool:
    """Load the version of an `entry` (jit.py) for such arguments from the cache; whether it needs no compiling."""
    if not JIT:
        return False
    types = tuple(numba.typeof(argument) for argument in arguments)
    if types not in entry.overloads:
        version = entry._cache.load_overload(types, entry.targetctx)
        if version is not None:
            entry.add_overload(version)
    return types in entry.overloads


class Callback:
    """A function with a C interface.

    Args:
        function: the function; it makes records and arrays from pointers.
        signature: numba's signature, such as `types.void(types.voidptr, types.int32)`.
    """

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        pipeline: Any = KernelCompiler
        self._function: Any = CFunc(function, (signature.args, signature.return_type), {}, _OPTIONS, pipeline)
        self._cache = cache_of(function)
        self._address = 0
        self._code: Any = None  # keeps the machine code in memory

    @global_compiler_lock
    def load(self) -> int:
        """Address of the machine code, 0 if it has not been compiled yet."""
        if not self._address and self._cache is not None:
            self._take(self._cache.load_overload(self._function._sig, self._function._targetdescr.target_context))
        return self._address

    @global_compiler_lock
    def compile(self) -> int:
        """Address of the machine code, compiled now unless it is in the cache."""
        if not self.load():
            result = self._function._compile_uncached()
            self._take(result)
            if self._cache is not None:
                self._cache.save_overload(self._function._sig, result)
        return self._address

    def _take(self, result: Any) -> None:
        """Store machine code and address of a compile result; None, of an empty cache, changes nothing."""
        if result is not None:
            self._code = result.library
            self._address = self._code.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)
