"""YAML reader that keeps line numbers, and the error for invalid files.

It follows YAML 1.2 where YAML 1.1, which PyYAML implements, surprises: `-3e4` and `10e3` are numbers, `off` and `no`
are words. A key given twice, `.inf` and `.nan` are errors. Hexadecimal numbers and timestamps are read as words, and
`<<` is an ordinary key.
"""

import contextlib
import difflib
import math
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import yaml

from driving_sandbox.physics.base.input_file import MEGABYTE, read_text
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.base.visible import MAX_VALUE, shortened

LARGEST = 4 * MEGABYTE  # bytes of a file
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # control characters, except tab and line feed
MAX_DEPTH = 64  # levels of nesting; PyYAML's recursion crashes the process at some 10,000
MAX_VALUES = 1_000_000  # values of a file after expansion of its aliases; nested aliases multiply them


class ConfigError(UserError):
    """An error in a user's file. `str()` is `file:line: key: message`.

    Args:
        path: the file.
        line: number from 1, or None.
        key: dotted path inside the file, or "".
        message: what is wrong and what is allowed.
    """

    def __init__(self, path: Path | str, line: int | None, key: str, message: str) -> None:
        self.path, self.line, self.key, self.message = path, line, key, message
        location = str(path) + (f":{line}" if line else "")
        super().__init__(f"{location}: {key}: {message}" if key else f"{location}: {message}")


class YamlMap(dict[Any, Any]):
    """A mapping that remembers its file (`path`), its own dotted key in that file (`key_path`), and each key's line."""

    path: Any = None  # Path or str
    key_path = ""
    __hash__ = object.__hash__  # type: ignore[assignment]  # hashable, so that `value in names` is False for a mapping

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.lines: dict[Any, int | None] = {}
        self.own_line: int | None = None

    def line(self, key: str | None = None) -> int | None:
        """Line of a key, or of the mapping itself."""
        return self.lines.get(key, self.own_line)

    def error(self, key: str, message: str) -> "ConfigError":
        """The ConfigError for one key of this mapping; `raise doc.error("mass", "must be > 0")`."""
        return ConfigError(self.path, self.line(key), join_key(self.key_path, key), message)


class YamlList(list[Any]):
    """A sequence that remembers its file (`path`), its own dotted key in it (`key_path`), and each element's line."""

    path: Any = None  # Path or str
    key_path = ""
    __hash__ = object.__hash__  # type: ignore[assignment]  # as for a mapping

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.lines: dict[Any, int | None] = {}
        self.own_line: int | None = None

    def line(self, index: int | None = None) -> int | None:
        """Line of an element, or of the sequence itself."""
        return self.lines.get(index, self.own_line)

    def error(self, index: int, message: str) -> "ConfigError":
        """The ConfigError for one element."""
        return ConfigError(self.path, self.line(index), join_key(self.key_path, index), message)


def join_key(key_path: str | None, key: Any) -> str:
    """Dotted path of a key below `key_path`: join_key("a.b", "c") is "a.b.c"; either may be missing ("" and None)."""
    return f"{key_path}.{key}" if key_path and key is not None else str(key_path or ("" if key is None else key))


def key_hint(key: Any, allowed: Any) -> str:
    """` (did you mean "x"?)` with the most similar allowed key, or "" if none is similar."""
    similar = difflib.get_close_matches(str(key), [str(a) for a in allowed], n=1, cutoff=0.5)
    return f' (did you mean "{similar[0]}"?)' if similar else ""


def check_keys(doc: "YamlMap", allowed: Collection[str], required: tuple[str, ...] = ()) -> None:
    """Raise ConfigError for an unknown key, with the nearest known one, or for a missing one."""
    for key in doc:
        if key not in allowed:
            known = ", ".join(map(str, allowed))
            raise doc.error(key, f"unknown key{key_hint(key, allowed)}; known here: {known}")
    for key in required:
        if key not in doc:
            raise ConfigError(doc.path, doc.own_line, join_key(doc.key_path, key), "is missing")


class _PlainLoader(yaml.SafeLoader):
    """SafeLoader with the numbers and booleans of YAML 1.2."""


_PlainLoader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in pairs
        if tag
        not in (
            "tag:yaml.org,2002:bool",
            "tag:yaml.org,2002:int",
            "tag:yaml.org,2002:float",
            "tag:yaml.org,2002:timestamp",
            "tag:yaml.org,2002:merge",
        )
    ]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_PlainLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
_PlainLoader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
_PlainLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^(?:[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"),
    list("-+.0123456789"),
)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # known when it runs
    """_PlainLoader's rules for libyaml's parser, which is ten times faster; PyYAML may be installed without it."""

    yaml_implicit_resolvers = _PlainLoader.yaml_implicit_resolvers


def _whole(text: str) -> int | float:
    """The integer of a text; infinity where no float can be as large. Raises ValueError for another text."""
    value = float(text)
    return int(text) if math.isfinite(value) else value


def _build(node: Any, path: Path | str, key_path: str) -> Any:
    """Value of a composed YAML node as YamlMap, YamlList or scalar; `key_path` is its dotted key in the file."""
    line = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        try:
            is_int = node.tag.endswith(":int")
            value = (
                _whole(node.value) if is_int else yaml.constructor.SafeConstructor().construct_object(node, deep=True)
            )
        except (yaml.YAMLError, ValueError, KeyError) as error:  # KeyError: a word that is not true or false
            problem = getattr(error, "problem", None) or str(error)
            raise ConfigError(path, line, key_path, f"cannot be read: {problem}") from None
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(path, line, key_path, f"{shortened(node.value, MAX_VALUE)} is not a usable number")
        if isinstance(value, str) and (control := CONTROL.search(value)):
            raise ConfigError(path, line, key_path, f"character {control[0]!r} is not allowed")
        return value
    if isinstance(node, yaml.SequenceNode):
        result: Any = YamlList()
        for i, child in enumerate(node.value):
            result.lines[i] = child.start_mark.line + 1
            result.append(_build(child, path, join_key(key_path, i)))
    elif isinstance(node, yaml.MappingNode):
        result = YamlMap()
        for key_node, child in node.value:
            key_line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError(path, key_line, key_path, "a key must be a word or a number")
            key = _build(key_node, path, key_path)
            if key in result:
                first = result.lines[key]
                raise ConfigError(path, key_line, join_key(key_path, key), f"given twice, first in line {first}")
            result.lines[key] = key_line
            result[key] = _build(child, path, join_key(key_path, key))
    else:
        raise ConfigError(path, line, key_path, "this kind of YAML value is not supported")
    result.path, result.key_path, result.own_line = path, key_path, line
    return result


def _check_extent(text: str, path: Path | str) -> None:
    """Raise ConfigError for a text that would exhaust the reader: nested too deep, or expanded too far by aliases."""
    anchors, counts = [], [0]  # anchor and number of values of every open collection
    repeated = {}  # {anchor: number of values of its collection}
    for event in yaml.parse(text, Loader=_Loader):
        problem = None
        if isinstance(event, yaml.CollectionStartEvent):
            anchors.append(event.anchor)
            counts.append(1)
            problem = f"nested deeper than {MAX_DEPTH} levels" if len(anchors) > MAX_DEPTH else None
        elif isinstance(event, yaml.CollectionEndEvent):
            count = counts.pop()
            repeated[anchors.pop()] = count
            counts[-1] += count
        elif isinstance(event, yaml.AliasEvent):
            problem = f"alias *{event.anchor} is inside the value it refers to" if event.anchor in anchors else None
            counts[-1] += repeated.get(event.anchor, 1)
        elif isinstance(event, yaml.ScalarEvent):
            counts[-1] += 1
        if counts[-1] > MAX_VALUES:
            problem = f"more than {MAX_VALUES} values"
        if problem is not None:
            raise ConfigError(path, event.start_mark.line + 1 if event.start_mark else None, "", problem)


def parse_yaml(text: str, path: Path | str) -> "YamlMap":
    """Values of a YAML text as YamlMap, YamlList and scalars. Raises ConfigError, which names `path` as the file."""
    if len(text) > LARGEST:
        size = len(text) / MEGABYTE
        raise ConfigError(path, None, "", f"{size:.1f} MB; at most {LARGEST / MEGABYTE:g} MB are read")
    try:
        try:
            _check_extent(text, path)
            node = yaml.compose(text, Loader=_Loader)
        except yaml.YAMLError as refused:
            with contextlib.suppress(ValueError, OverflowError):  # raised for an escape beyond Unicode, as "\UFFFFFFFF"
                yaml.compose(text, Loader=_PlainLoader)  # its messages are clearer
            raise refused from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        problem = getattr(error, "problem", None) or str(error)
        if isinstance(error, yaml.reader.ReaderError):  # a character not allowed in YAML
            line = text.count("\n", 0, error.position) + 1  # position counts from the start of the text
            problem = f"character {chr(error.character)!r} is not allowed"
        raise ConfigError(path, line, "", f"not valid YAML: {problem}") from None
    if node is None:
        raise ConfigError(path, None, "", "the file is empty")
    document: YamlMap = _build(node, path, "")
    return document


def wrong_bytes(path: Path, error: UnicodeDecodeError) -> "ConfigError":
    """The ConfigError for a file that is no UTF-8 text, from its UnicodeDecodeError."""
    line = error.object.count(b"\n", 0, error.start) + 1
    return ConfigError(path, line, "", f"cannot be read: byte 0x{error.object[error.start]:02x} is not UTF-8 text")


def load_yaml(path: Path) -> "YamlMap":
    """Values of a YAML file, see `parse_yaml`. Raises ConfigError, also when the file cannot be read."""
    path = Path(path)
    try:
        text = read_text(path, LARGEST)
    except FileNotFoundError:
        raise ConfigError(path, None, "", "no such file") from None
    except UnicodeDecodeError as error:
        raise wrong_bytes(path, error) from None
    except OSError as error:
        raise ConfigError(path, None, "", f"cannot be read: {error}") from None
    return parse_yaml(text, path)
