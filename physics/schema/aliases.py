"""Aliases of a component's parameters, for vehicle files with the names and units of another program.

    class SteeringRateParams(Schema):
        aliases = {"max_steer": ("max_angle", DEGREE), "brake_vel_threshold": None}

maps an alias to (own name, factor to SI). None: obsolete, ignored with a log message.
"""

import logging

from driving_sandbox.physics.schema.yaml_file import YamlMap

_log = logging.getLogger(__name__)


def with_own_names(section, params):
    """A mapping of a vehicle file with aliases replaced and values in SI units. Raises ConfigError for a value given
    twice.

    Args:
        section: YamlMap of values. params: the Schema they are for.
    """
    known = getattr(params, "aliases", {})
    if not any(key in known for key in section):
        return section
    result = YamlMap()
    result.path, result.key_path, result.own_line = section.path, section.key_path, section.own_line
    given = {}
    for key, value in section.items():
        if key in known and known[key] is None:
            _log.warning("%s:%s: %s is obsolete and has no effect", section.path, section.line(key), key)
            continue
        own, factor = known.get(key, (key, 1.0))
        if own in given:
            raise section.error(key, f"is the same as {given[own]}, which is given too")
        given[own] = key
        number = isinstance(value, int | float) and not isinstance(value, bool)
        result[own] = value * factor if number and factor != 1.0 else value
        result.lines[own] = section.line(key)
    return result
