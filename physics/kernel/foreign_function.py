"""Calls of C functions by address from compiled code, without Python and its lock.

With SANDBOX_JIT=0 the same names are Python functions.
"""

import ctypes
from typing import TYPE_CHECKING, Any

from numba import extending, types

from driving_sandbox.physics.kernel.jit import JIT

if TYPE_CHECKING:

    def update_effect(function: int, device: int, number: int, effect: int) -> int: ...
    def read_counter(function: int) -> int: ...

elif JIT:
    from driving_sandbox.physics.kernel.numba_internals import llvm_ir as ir

    _WORD, _INT = ir.IntType(64), ir.IntType(32)

    @extending.intrinsic
    def update_effect(typing_context: Any, function: Any, device: Any, number: Any, effect: Any) -> Any:
        """int SDL_HapticUpdateEffect(SDL_Haptic *device, int number, SDL_HapticEffect *effect) at an address."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address, device, number, effect = arguments
            pointer = ir.IntType(8).as_pointer()
            kind = ir.FunctionType(_INT, [pointer, _INT, pointer])
            target = builder.inttoptr(address, kind.as_pointer())
            values = builder.inttoptr(device, pointer), builder.trunc(number, _INT), builder.inttoptr(effect, pointer)
            return builder.sext(builder.call(target, values), _WORD)

        return types.int64(types.int64, types.int64, types.int64, types.int64), generate

    @extending.intrinsic
    def read_counter(typing_context: Any, function: Any) -> Any:
        """Uint64 SDL_GetPerformanceCounter(void) at an address."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            target = builder.inttoptr(arguments[0], ir.FunctionType(_WORD, []).as_pointer())
            return builder.call(target, [])

        return types.int64(types.int64), generate

else:
    _UPDATE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    _COUNTER = ctypes.CFUNCTYPE(ctypes.c_uint64)

    def update_effect(function: int, device: int, number: int, effect: int) -> int:
        """int SDL_HapticUpdateEffect(SDL_Haptic *device, int number, SDL_HapticEffect *effect) at an address."""
        return _UPDATE(int(function))(int(device), int(number), int(effect))

    def read_counter(function: int) -> int:
        """Uint64 SDL_GetPerformanceCounter(void) at an address."""
        return _COUNTER(int(function))()
