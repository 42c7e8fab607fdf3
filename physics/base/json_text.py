"""Safe parsing of untrusted JSON: finite numbers only, limited size and nesting, visible control characters."""

import json
import math
import re
from collections.abc import Callable
from typing import Any

from driving_sandbox.physics.base.input_file import MEGABYTE

MAX_DEPTH = 64  # levels of nested lists and objects
MAX_LENGTH = 16 * MEGABYTE  # bytes of text; the parsed values may take twenty times as much memory
# A backslash and an escape: of a control character except tab, LF, CR (group 1 has 5 characters), or any other (1)
_CONTROL = re.compile(r"\\(u00(?:0[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF]|[89][0-9a-fA-F])|.)", re.DOTALL)
_SHORT = {"b": "u0008", "f": "u000c"}  # escapes of one letter that stand for such a control character
_RAW = re.compile(r"[\x7f-\x9f]")  # control characters that JSON allows without an escape


def parse_json(
    data: bytes | str, max_size: int = MAX_LENGTH, pairs: Callable[[list[Any]], Any] | None = None, finite: bool = True
) -> Any:
    r"""Value of a JSON text; control characters but tab, LF and CR become six visible ones, such as \u001b.

    Args:
        data: str, or bytes in UTF-8, 16 or 32.
        max_size: largest length, in bytes or characters.
        pairs: `object_pairs_hook` of `json.loads`.
        finite: raise ValueError for NaN and infinity; False if the caller checks for them and can say where they are.
    Raises:
        ValueError: the text is not JSON, too long, nested too deeply, or has NaN, infinity or a number beyond floats.
    """
    if len(data) > max_size:
        raise ValueError(f"a text of {len(data) / MEGABYTE:.1f} MB, at most {max_size / MEGABYTE:g} MB are read")
    text = data if isinstance(data, str) else bytes(data).decode(json.detect_encoding(bytes(data[:4])))
    text = _RAW.sub(lambda match: f"\\\\u00{ord(match[0]):02x}", _CONTROL.sub(_visible_escape, text))
    try:
        numbers: dict[str, Any] = (
            {"parse_constant": _no_constant, "parse_float": _finite, "parse_int": _whole} if finite else {}
        )
        value = json.loads(text, object_pairs_hook=pairs, **numbers)
    except RecursionError:
        raise ValueError(f"more than {MAX_DEPTH} lists and objects inside each other") from None
    _check_depth(value)
    return value


def _visible_escape(match: re.Match[str]) -> str:
    r"""An escape like \u001b as six visible characters: a terminal would obey the control character it stands for."""
    escape = _SHORT.get(match[1], match[1])
    return match[0] if len(escape) == 1 else f"\\\\{escape}"


def _no_constant(word: str) -> None:
    raise ValueError(f"{word}: numbers must be finite")


def _finite(digits: str) -> float:
    """The number that the digits stand for. Raises ValueError for one beyond the range of floats."""
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]}: numbers must be finite")
    return value


def _whole(digits: str) -> int:
    """The whole number that the digits stand for. Raises ValueError for one that no float can be."""
    _finite(digits)
    return int(digits)


def _check_depth(root: Any) -> None:
    """Raise ValueError for a value with more than MAX_DEPTH levels of lists and objects."""
    level, depth = [root], 0
    while level := [value for value in level if isinstance(value, list | dict)]:
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"more than {MAX_DEPTH} lists and objects inside each other")
        level = [item for value in level for item in (value.values() if isinstance(value, dict) else value)]
