"""Preset keys of a vehicle file, each of which sets several parameters.

    class TireParams(PerWheel):
        presets = {"size": from_size}

`from_size(section, key)` returns {parameter: value}, or raises section.error(key, ...) for an invalid value.

Explicit parameters of the section override a preset. Two presets of a section that set the same parameter are an error.
"""

from typing import Any

from driving_sandbox.physics.schema.yaml_file import YamlMap


def expanded(section: YamlMap, params: Any) -> YamlMap:
    """A mapping of a vehicle file with presets replaced by the parameters that they set. Raises ConfigError."""
    known = [key for key in section if key in getattr(params, "presets", {})]
    if not known:
        return section
    result = YamlMap()
    result.path, result.key_path, result.own_line = section.path, section.key_path, section.own_line
    for key in known:
        for name, value in params.presets[key](section, key).items():
            if name in result:
                other = next(k for k in known if section.line(k) == result.lines[name])
                raise section.error(key, f"gives {name}, as {other} does: leave one of them out")
            result[name] = value
            result.lines[name] = section.line(key)
    for key, value in section.items():
        if key not in known:
            result[key] = value
            result.lines[key] = section.line(key)
    return result
