"""Attributes with an array whose address the compiled step keeps: its content may change, the array may not."""

from typing import Any, Never, overload

import numpy as np


class FixedArray:
    """An attribute without assignment; the object keeps the array under the same name with an underscore.

    Args:
        doc: docstring of the attribute.
        instead: what to do instead of assigning, for the error message.
    """

    def __init__(self, doc: str, instead: str) -> None:
        self.__doc__, self._instead = doc, instead

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, vehicle: None, owner: type) -> "FixedArray": ...

    @overload
    def __get__(self, vehicle: object, owner: type) -> np.ndarray: ...

    def __get__(self, vehicle: object, owner: type) -> Any:
        return self if vehicle is None else getattr(vehicle, "_" + self._name)

    def __set__(self, vehicle: object, value: Never) -> None:
        text = f"vehicle.{self._name} cannot be replaced, as the compiled step keeps its address. {self._instead}"
        raise AttributeError(text, name=self._name, obj=vehicle)
