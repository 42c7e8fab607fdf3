"""Texts of YAML files."""

from collections.abc import Mapping
from typing import Any

import yaml


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """{path: value} as nested mappings: "body.mass" becomes {"body": {"mass": ...}}."""
    tree: dict[str, Any] = {}
    for path, value in values.items():
        *sections, key = path.split(".")
        branch = tree
        for section in sections:
            branch = branch.setdefault(section, {})
        branch[key] = value
    return tree


def yaml_text(tree: dict[str, Any]) -> str:
    """YAML text with the keys in their order: that of the axles is the order of the wheels."""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # libyaml's, where PyYAML was built with it
    return yaml.dump(
        _plain(tree), Dumper=dumper, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True
    )


def _plain(value: Any) -> Any:
    """A value with plain dicts and lists in place of YamlMap, which the dumper does not know, and of tuples."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value
