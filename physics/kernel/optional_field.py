"""Reading a field that only some of the possible records have.

    torque_ratio = optional_field("torque_ratio")

    @kernel
    def update(clutch):
        factor = torque_ratio(clutch, 1.0)      # clutch.torque_ratio, or 1.0 for a clutch without such a field

The choice is made when the caller is compiled, so a record without the field costs nothing.
"""

from typing import Any

from numba import extending, types

from driving_sandbox.physics.kernel.jit import JIT


def optional_field(name: str) -> Any:
    """A function (record, otherwise) for kernels that returns the float64 field of this name.

    For a record without the field it returns `otherwise`.
    """
    if not JIT:
        return lambda record, otherwise: getattr(record, name, otherwise)

    @extending.intrinsic
    def read(typing_context: Any, record: Any, otherwise: Any) -> Any:
        present = name in record.fields

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if not present:
                return arguments[1]
            return context.get_getattr(record, name)(context, builder, record, arguments[0], name)

        return types.float64(record, types.float64), generate

    return read
