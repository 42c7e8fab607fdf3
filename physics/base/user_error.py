"""The one base of errors that are told to the person: a file, a value or a wish of theirs cannot be used.

Whoever stands between the program and a person (the command line, the panel, the start of the window) catches
`UserError` and shows its text; every other exception is a mistake of the program's own and keeps its traceback.
"""

from driving_sandbox.physics.base.visible import shortened, visible


class UserError(Exception):
    """`str()` is one line, ready to be shown, that names what is wrong and what to do. Control characters that a
    file has put into it are escaped, and what is longer than a screen is shortened.

    Attributes:
        exit_code: of a command that ends with it; 2: what was given is wrong, 1: it is right, but cannot be done here.
        remedy: an option of the command line that helps, in words; "" for none.
    """

    exit_code = 2
    remedy = ""

    def __init__(self, text: object = "", *others: object) -> None:
        super().__init__(shortened(visible(text)) if isinstance(text, str) else text, *others)


class WrongValue(UserError, ValueError):
    """A value, or a choice that does not fit the others."""


class UnknownName(UserError, KeyError):
    """A name of nothing there is; `str()` says what is near to it."""

    __str__ = Exception.__str__  # KeyError's own is a quotation
