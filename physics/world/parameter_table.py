"""Access by path to the parameters of a world and of a vehicle's sound; a Vehicle has its own such methods."""

from collections.abc import Mapping
from typing import Any

from driving_sandbox.physics.base.user_error import UnknownName
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.schema.yaml_file import key_hint
from driving_sandbox.physics.vehicle.vehicle import Parameter


class ParameterTable:
    """Access to declared parameters by path, with the same methods as Vehicle has for its own.

    Attributes:
        owner: what the parameters belong to, as messages name it.
    """

    owner = "it"

    def __init__(self) -> None:
        self._parameters: dict[str, Parameter] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._parameters

    def parameters(self) -> list[Parameter]:
        """Every Parameter."""
        return list(self._parameters.values())

    def parameter(self, path: str) -> Parameter:
        """The Parameter of a path. Raises UnknownName with the nearest known path."""
        if path not in self._parameters:
            raise UnknownName(f"{path}: no such parameter of {self.owner}{key_hint(path, self._parameters)}")
        return self._parameters[path]

    def get(self, path: str) -> Any:
        """Present value, SI: a number, a list of numbers or a word."""
        raise NotImplementedError

    def values(self) -> dict[str, Any]:
        """{path: present value} of all parameters."""
        return {path: self.get(path) for path in self._parameters}

    def checked(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """{path: value} with values parsed by their declarations.

        Raises UnknownName for an unknown path, SchemaError for an invalid value.
        """
        parsed = {}
        for path, value in values.items():
            try:
                parsed[path] = self.parameter(path).field.parse(value)
            except SchemaError as error:
                raise SchemaError(f"{path}: {error}") from None
        return parsed
