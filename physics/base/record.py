"""Fields of structured numpy dtypes.

By numpy's type annotations, `names` and `fields` of a dtype may be None; these functions never return None.
"""

from typing import Any

import numpy as np


def field_names(dtype: np.dtype[Any]) -> tuple[str, ...]:
    """Names of a structured dtype's fields, in order; empty for a dtype without fields."""
    return dtype.names or ()


def field_of(dtype: np.dtype[Any], name: str) -> tuple[np.dtype[Any], int]:
    """(type, offset in bytes) of a structured dtype's field. Raises KeyError if there is none of this name."""
    fields: Any = dtype.fields or {}
    field = fields[name]
    return field[0], field[1]
