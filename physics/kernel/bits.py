"""Conversions between a float64 and its bits, and a choice without a branch.

Compiled, each is one machine instruction or none. `SANDBOX_JIT=0` replaces the three by the Python functions at the
end, with bit-identical results.
"""

import struct
from typing import TYPE_CHECKING, Any

from numba import extending, types

from driving_sandbox.physics.kernel.jit import JIT

if TYPE_CHECKING:

    def bits(x: float) -> int: ...
    def from_bits(number: int) -> float: ...
    def pick(condition: bool, a: float, b: float) -> float: ...

elif JIT:

    @extending.intrinsic
    def bits(typing_context: Any, x: Any) -> Any:
        """The int64 with the bits of a float64."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(types.int64))

        return types.int64(types.float64), generate

    @extending.intrinsic
    def from_bits(typing_context: Any, number: Any) -> Any:
        """The float64 with the bits of an int64."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(types.float64))

        return types.float64(types.int64), generate

    @extending.intrinsic
    def pick(typing_context: Any, condition: Any, a: Any, b: Any) -> Any:
        """`a` where the condition holds, else `b`; both are computed, so that a loop over it can be vectorised."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.select(*arguments)

        return types.float64(types.boolean, types.float64, types.float64), generate

else:

    def bits(x: float) -> int:
        """The int64 with the bits of a float64."""
        return struct.unpack("<q", struct.pack("<d", x))[0]

    def from_bits(number: int) -> float:
        """The float64 with the lowest 64 bits of an integer; Python's integers may have more, unlike a register."""
        return struct.unpack("<d", struct.pack("<Q", number & (2**64 - 1)))[0]

    def pick(condition: bool, a: float, b: float) -> float:
        """`a` where the condition holds, else `b`."""
        return a if condition else b
