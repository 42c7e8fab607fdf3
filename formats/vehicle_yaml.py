"""Parts that the importers share: plain numbers, the text of the YAML, and the origin of a value in the source file."""

from typing import Any

import numpy as np
import yaml

LINE_WIDTH = 110  # characters


def plain(value: Any) -> Any:
    """A value without numpy numbers and negative zeros, with arrays and tuples as lists."""
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float | np.floating):
        return float(value) + 0.0  # makes -0.0 positive
    return value


def vehicle_yaml(head: str, config: dict[str, Any]) -> str:
    """The YAML of a vehicle: comment lines `head`, then the nested dict `config`."""
    return head + yaml.dump(
        config, Dumper=_Dumper, sort_keys=False, default_flow_style=None, width=LINE_WIDTH, allow_unicode=True
    )


class _Dumper(yaml.SafeDumper):
    """YAML dumper without anchors: equal lists are written out."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def nearest_origin(origins: dict[str, Any], key: str, fallback: Any) -> Any:
    """The origin of one of our dotted keys, from {key: origin}, or the best guess.

    The guess is the origin of a parent or child key, of the same key of another wheel, of any key of the same slot, or
    `fallback`.
    """
    if key in origins:
        return origins[key]
    head, _, tail = key.rpartition(".")
    candidates = [p for p in origins if key and (p.startswith(f"{key}.") or key.startswith(f"{p}."))]
    candidates = candidates or [p for p in origins if p.startswith(f"{head}.") and p.endswith(f".{tail}")]
    candidates = candidates or [p for p in origins if head and p.startswith(f"{head.split('.')[0]}.")]
    return origins[candidates[0]] if candidates else fallback
