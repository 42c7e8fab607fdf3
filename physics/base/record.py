"""Layout of numpy records: the types of numpy leave open whether one has fields at all."""

from typing import Any

import numpy as np


def field_names(record: np.dtype[Any]) -> tuple[str, ...]:
    """Names of a record's fields in their order; none for a plain type."""
    return record.names or ()


def field_of(record: np.dtype[Any], name: str) -> tuple[np.dtype[Any], int]:
    """(type, offset in bytes) of a record's field. Raises KeyError if there is none of this name."""
    fields: Any = record.fields or {}
    described = fields[name]
    return described[0], described[1]
