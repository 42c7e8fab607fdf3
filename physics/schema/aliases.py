"""Aliases of parameters, for files with former names, or with the names and units of another program.

    class RigidSinePowerParams(Schema):
        aliases = {"engine_maxRPM": ("max_omega", RAD_S_PER_RPM), "engine_power_back": None}

`aliases` maps an alias to (own name, factor to SI), or to None if it is obsolete: ignored with a warning in the log.
Only single numbers are multiplied by the factor; an alias of a list, curve or table needs the factor 1.
"""

import logging
from typing import Any

from driving_sandbox.physics.schema.yaml_file import YamlMap

_log = logging.getLogger(__name__)


def with_own_names(section: YamlMap, declaration: type) -> YamlMap:
    """A mapping of a file with aliases replaced by the parameters' own names and values converted to SI.

    Obsolete aliases are left out, with a warning in the log.

    Args:
        section: YamlMap of values.
        declaration: class of the parameters, a Schema or a dataclass; without an attribute `aliases` it has none.

    Raises:
        ConfigError: a parameter is given under two names.
    """
    known: dict[str, Any] = getattr(declaration, "aliases", {})
    if not any(key in known for key in section):
        return section
    result = YamlMap()
    result.path, result.key_path, result.own_line = section.path, section.key_path, section.own_line
    key_of: dict[str, str] = {}
    for key, value in section.items():
        if key in known and known[key] is None:
            _log.warning("%s:%s: %s is obsolete and has no effect", section.path, section.line(key), key)
            continue
        own_name, factor = known.get(key, (key, 1.0))
        if own_name in key_of:
            raise section.error(key, f"is the same as {key_of[own_name]}, which is given too")
        key_of[own_name] = key
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        result[own_name] = value * factor if is_number and factor != 1.0 else value
        result.lines[own_name] = section.line(key)
    return result
