"""Calls of compiled code by address.

Code that calls a function by name inlines and optimizes it again, which takes six seconds for the step of a vehicle.
Code that calls it by address is compiled once for all vehicles. The address comes from numba's library, and the call
follows numba's calling convention (physics/kernel/numba_internals.py).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numba
from numba import extending, types

from driving_sandbox.physics.tick.commands import COMMAND
from driving_sandbox.physics.tick.context import EXTERNAL
from driving_sandbox.physics.tick.kernel_errors import readable_kernel_errors

# Types of the arguments
PART_TYPES = (types.int64, types.float64)  # of a part: address of the table of its arguments, dt
TICK_TYPES = (  # of a whole tick: addresses of records and ground, external, command, dt
    types.int64[::1], numba.from_dtype(EXTERNAL)[::1], numba.from_dtype(COMMAND)[::1], types.float64,
)  # fmt: skip


def address_of(function: Any, signature: tuple[Any, ...]) -> int:
    """Address of a function's machine code for argument types, compiled first if needed. Raises KernelError."""
    if signature not in function.overloads:
        with readable_kernel_errors():
            function.compile(signature)
    result = function.overloads[signature]
    return result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


def _call(argument_types: tuple[Any, ...]) -> tuple[Any, Callable[..., Any]]:
    """numba's (signature, code generator) of a call by address with arguments of these types and result int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function_type = context.call_conv.get_function_type(types.int64, argument_types)
        function = builder.inttoptr(arguments[0], function_type.as_pointer())
        _, result = context.call_conv.call_function(builder, function, types.int64, argument_types, arguments[1:])
        return result

    return types.int64(types.int64, *argument_types), generate


if TYPE_CHECKING:

    def call_part(code: int, table: int, dt: float) -> int: ...

    def call_tick(code: int, at: Any, external: Any, command: Any, dt: float) -> int: ...

else:

    @extending.intrinsic
    def call_part(typing_context: Any, code: Any, table: Any, dt: Any) -> Any:
        """Call a part (physics/tick/parts.py) at an address; returns its result."""
        return _call(PART_TYPES)

    @extending.intrinsic
    def call_tick(typing_context: Any, code: Any, at: Any, external: Any, command: Any, dt: Any) -> Any:
        """Call the `bound` of a generated step (physics/tick/sequence.py) at an address; returns its fault code."""
        return _call(TICK_TYPES)
