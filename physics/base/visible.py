"""Sanitises texts from files for display: no terminal control characters, limited length."""

LONGEST = 2000  # characters of a message; a screen holds about as many
LONGEST_VALUE = 80  # characters of a value in a message


def visible(text: str) -> str:
    r"""The text with non-printable characters, except newlines and tabs, escaped: `\x1b`, `\u202e`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, longest: int = LONGEST) -> str:
    """The text, or its beginning and end with the number of omitted characters."""
    if len(text) <= longest:
        return text
    left_out = len(text) - longest
    return f"{text[: longest * 3 // 4]} ... ({left_out} characters left out) ... {text[-longest // 4 :]}"


def brief(value: object) -> str:
    """`repr` of a value of a file for a message."""
    return shortened(repr(value), LONGEST_VALUE)
