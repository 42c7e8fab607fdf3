"""Parser of Stingray's simplified JSON, into the mappings and lists of our YAML reader, which keep line numbers.

    vehicles = [            // an outer pair of braces may be missing
        { name = "truck", mass: 1500.0  centre = [0 0.5 -0.5] }
    ]

`=` and `:` mean the same, commas are optional, keys may be quoted, `//` and `/* */` comment, triple quotes hold texts
of several lines. Brackets around `key = value` pairs are read as braces, as the format's own documentation confuses
them. A key given twice, an unquoted word as a value, an infinite number and a control character are errors with their
line.
"""

import math
import re
from pathlib import Path
from typing import Any

from driving_sandbox.physics.base.input_file import read_text
from driving_sandbox.physics.schema.yaml_file import (
    CONTROL,
    LARGEST,
    ConfigError,
    YamlList,
    YamlMap,
    join_key,
    wrong_bytes,
)

MAX_DEPTH = 64  # of nested brackets; no hand-written file has more
_TOKEN = re.compile(
    r'(?P<space>\s+)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"""(?P<long>.*?)"""|"(?P<short>(?:[^"\\\n]|\\.)*)")'
    r'|(?P<mark>[{}\[\]=:,])|(?P<word>(?:(?!//|/\*)[^\s{}\[\]=:,"])+)',
    re.DOTALL,
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
Token = tuple[str, str, int | None]  # kind, text, line
END: Token = ("end", "", None)


def load_sjson(path: Path | str) -> YamlMap:
    """The YamlMap of a file. Raises ConfigError, also when the file cannot be read."""
    path = Path(path)
    try:
        return parse_sjson(read_text(path, LARGEST, "utf-8-sig"), path)
    except FileNotFoundError:
        raise ConfigError(path, None, "", "no such file") from None
    except UnicodeDecodeError as error:
        raise wrong_bytes(path, error) from None
    except OSError as error:
        raise ConfigError(path, None, "", f"cannot be read: {error}") from None


def parse_sjson(text: str, path: Path | str) -> YamlMap:
    """The YamlMap of a text; `path` is only named in errors."""
    reader = _Reader(text, path)
    if reader.next_token[1] == "{" and reader.next_token[0] == "mark":
        result = reader.value(key_path="", depth=0)
        reader.skip_commas()
        if reader.next_token is not END:
            raise reader.error(f"{reader.next_token[1]!r} after the end of the outermost braces")
        return result
    return reader.pairs(key_path="", close=None, depth=0, line=1)


def _tokens(text: str, path: Path | str) -> list[Token]:
    """(kind, text, line) of every token but spaces and comments."""
    tokens: list[Token] = []
    line, offset = 1, 0
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:
            raise ConfigError(
                path, line, "", f"cannot read {text[offset : offset + 12].splitlines()[0]!r}: not closed?"
            )
        kind = str(match.lastgroup) if match.lastgroup not in ("long", "short") else "text"
        if kind not in ("space", "comment"):
            content = _content(match) if kind == "text" else match.group()
            if control := CONTROL.search(content):
                raise ConfigError(path, line, "", f"character {control[0]!r} is not allowed")
            tokens.append((kind, content, line))
        line += match.group().count("\n")
        offset = match.end()
    return tokens


def _content(match: re.Match[str]) -> str:
    """Content of a quoted text, without quotes and escapes."""
    if match.group("long") is not None:
        return match.group("long")
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), match.group("short"))


class _Reader:
    """Recursive-descent parser of the tokens of one text."""

    def __init__(self, text: str, path: Path | str) -> None:
        self.path, self.tokens, self.index = path, _tokens(text, path), 0

    @property
    def next_token(self) -> Token:
        """The next token, END after the last one."""
        return self.tokens[self.index] if self.index < len(self.tokens) else END

    def error(self, message: str, line: int | None = None, key: str = "") -> ConfigError:
        """A ConfigError at a key and a line, by default that of the next token."""
        last = self.tokens[-1][2] if self.tokens else None
        return ConfigError(self.path, line or self.next_token[2] or last, key, message)

    def take(self) -> Token:
        """Return the next token and step over it."""
        token = self.next_token
        self.index += 1
        return token

    def skip_commas(self) -> None:
        """Skip commas, which are optional."""
        while self.next_token[:2] == ("mark", ","):
            self.index += 1

    def begins_pair(self) -> bool:
        """True if a key and a separator come next."""
        after = self.tokens[self.index + 1] if self.index + 1 < len(self.tokens) else END
        return self.next_token[0] in ("word", "text") and after[0] == "mark" and after[1] in "=:"

    def ended(self, close: str | None, line: int | None, key_path: str) -> bool:
        """True at the closing bracket `close`, which is consumed, or at the end of the text in the outermost level.

        Raises ConfigError at the end of the text in an inner level; `close` is None in the outermost level.
        """
        self.skip_commas()
        if self.next_token is END:
            if close is not None:
                raise self.error(f"the bracket opened here is never closed: no {close!r}", line, key_path)
            return True
        if self.next_token[0] == "mark" and self.next_token[1] == close:
            self.index += 1
            return True
        return False

    def pairs(self, key_path: str, close: str | None, depth: int, line: int | None) -> YamlMap:
        """A YamlMap up to its closing bracket `close` (None: the end of the text); `line`: of the opening bracket."""
        result = YamlMap()
        result.path, result.key_path, result.own_line = self.path, key_path, line
        while not self.ended(close, line, key_path):
            if not self.begins_pair():
                raise self.error(f"{self.next_token[1]!r}: expected a key and = or :", key=key_path)
            _, key, key_line = self.take()
            self.index += 1
            if key in result:
                text = f"given twice, first in line {result.lines[key]}"
                raise self.error(text, key_line, join_key(key_path, key))
            result.lines[key] = key_line
            result[key] = self.value(join_key(key_path, key), depth)
        return result

    def elements(self, key_path: str, depth: int, line: int | None) -> YamlList:
        """A YamlList up to its closing bracket."""
        result = YamlList()
        result.path, result.key_path, result.own_line = self.path, key_path, line
        while not self.ended("]", line, key_path):
            result.lines[len(result)] = self.next_token[2]
            result.append(self.value(join_key(key_path, len(result)), depth))
        return result

    def value(self, key_path: str, depth: int) -> Any:
        """The value that begins at the next token."""
        kind, text, line = self.take()
        if kind == "text":
            return text
        if kind == "mark" and text in "{[":
            if depth >= MAX_DEPTH:
                raise self.error(f"more than {MAX_DEPTH} nested brackets", line, key_path)
            if text == "{" or self.begins_pair():
                return self.pairs(key_path, "}" if text == "{" else "]", depth + 1, line)
            return self.elements(key_path, depth + 1, line)
        if kind == "word":
            return self.word(text, line, key_path)
        raise self.error("a value is missing" if kind == "end" else f"{text!r} is no value", line, key_path)

    def word(self, text: str, line: int | None, key_path: str) -> Any:
        """The value of an unquoted word: a number, true, false or null."""
        if text in _WORDS:
            return _WORDS[text]
        if not _NUMBER.fullmatch(text):
            raise self.error(f"{text!r} is neither a number nor true or false; strings need quotes", line, key_path)
        number = float(text)
        if not math.isfinite(number):
            raise self.error(f"{text} is not a usable number", line, key_path)
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else number
