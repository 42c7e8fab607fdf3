"""Makes texts from files safe to display: non-printable characters escaped, length limited."""

MAX_MESSAGE = 2000  # characters, about a screenful
MAX_VALUE = 80  # characters of a value in a message


def visible(text: str) -> str:
    r"""The text with non-printable characters, except newlines and tabs, escaped: `\x1b`, `\u202e`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, longest: int = MAX_MESSAGE) -> str:
    """The text; if longer than `longest` characters, its beginning and end, and how many characters are left out."""
    if len(text) <= longest:
        return text
    left_out = len(text) - longest
    return f"{text[: longest * 3 // 4]} ... ({left_out} characters left out) ... {text[-longest // 4 :]}"


def brief(value: object) -> str:
    """`repr` of a value, shortened for a message."""
    return shortened(repr(value), MAX_VALUE)
