"""A section of a vehicle file with settings instead of a component's parameters, such as `ai` and `keyboard`."""

from typing import Any

from driving_sandbox.physics.schema.schema import Schema, SchemaError
from driving_sandbox.physics.schema.yaml_file import YamlMap, check_keys


def read_settings(doc: YamlMap, name: str, schema: type[Schema]) -> dict[str, Any]:
    """{setting: value} given in the section `name` of a vehicle file, checked by `schema`; {} without that section.

    Raises ConfigError.
    """
    if name not in doc:
        return {}
    section = doc[name]
    if not isinstance(section, YamlMap):
        raise doc.error(name, "must be a mapping of keys")
    check_keys(section, schema.fields)
    settings = {}
    for key, value in section.items():
        try:
            settings[key] = schema.fields[key].parse(value)
        except SchemaError as error:
            raise section.error(key, str(error)) from None
    return settings
