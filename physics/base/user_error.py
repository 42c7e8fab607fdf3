"""Base class of errors that are reported to the user: a file, a value or a request cannot be used.

The user interfaces (command line, panel, window start-up) catch `UserError` and show its text; every other exception is
a bug and keeps its traceback.
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
    """An invalid value, or an inconsistent combination."""


class UnknownName(UserError, KeyError):
    """An unknown name; `str()` suggests the nearest one."""

    __str__ = Exception.__str__  # KeyError's own is a quotation
