"""Texts of files as they may be shown: without what a terminal obeys, and short."""

LONGEST = 2000  # characters of a message; a screen holds about as many
LONGEST_VALUE = 80  # characters of a value in a message


def visible(text: str) -> str:
    r"""The text with all that is neither printed nor a line's end or a tab as an escape: `\x1b`, `\u202e`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, longest: int = LONGEST) -> str:
    """The text, or its beginning and end and how much is left out between them."""
    if len(text) <= longest:
        return text
    left_out = len(text) - longest
    return f"{text[: longest * 3 // 4]} ... ({left_out} characters left out) ... {text[-longest // 4 :]}"


def brief(value: object) -> str:
    """`repr` of a value of a file for a message."""
    return shortened(repr(value), LONGEST_VALUE)
