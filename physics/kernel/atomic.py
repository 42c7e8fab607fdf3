"""Loads and stores of a number that two threads share without a lock.

The writer fills memory and then stores a counter with `store_release`; a reader that sees the new value by
`load_acquire` also sees that memory. A plain store gives no such order on ARM, and the compiler may move it anywhere.
`exchange` does both at once, so that two threads may swap what each owns.
Addresses are those of an aligned int64. `SANDBOX_JIT=0` replaces the three by the Python functions at the end, for one
thread.
"""

import ctypes
from typing import TYPE_CHECKING, Any

from numba import extending, types

from driving_sandbox.physics.kernel.jit import JIT

_ALIGNMENT = 8  # bytes

if TYPE_CHECKING:

    def load_acquire(address: int) -> int: ...
    def store_release(address: int, value: int) -> None: ...
    def exchange(address: int, value: int) -> int: ...

elif JIT:

    @extending.intrinsic
    def load_acquire(typing_context: Any, address: Any) -> Any:
        """The int64 at an address; what its writer did before storing it is visible afterwards."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            target = builder.inttoptr(arguments[0], context.get_value_type(types.int64).as_pointer())
            return builder.load_atomic(target, "acquire", _ALIGNMENT)

        return types.int64(types.int64), generate

    @extending.intrinsic
    def store_release(typing_context: Any, address: Any, value: Any) -> Any:
        """Store an int64 at an address, after everything written before."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            target = builder.inttoptr(arguments[0], context.get_value_type(types.int64).as_pointer())
            builder.store_atomic(arguments[1], target, "release", _ALIGNMENT)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), generate

    @extending.intrinsic
    def exchange(typing_context: Any, address: Any, value: Any) -> Any:
        """Store an int64 at an address and return the one before it: load_acquire and store_release in one step."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            target = builder.inttoptr(arguments[0], context.get_value_type(types.int64).as_pointer())
            return builder.atomic_rmw("xchg", target, arguments[1], "acq_rel")

        return types.int64(types.int64, types.int64), generate

else:

    def load_acquire(address: int) -> int:
        """The int64 at an address."""
        return ctypes.c_int64.from_address(int(address)).value

    def store_release(address: int, value: int) -> None:
        """Store an int64 at an address."""
        ctypes.c_int64.from_address(int(address)).value = int(value)

    def exchange(address: int, value: int) -> int:
        """Store an int64 at an address and return the one before it."""
        before = load_acquire(address)
        store_release(address, value)
        return before
