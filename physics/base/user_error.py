"""Base class of errors that are reported to the user: a file, a value or a request cannot be used.

The user interfaces (command line, panel, window start-up) catch `UserError` and show its text. Apart from errors of the
system (files, memory, missing libraries), which the command line explains as well, any other exception is a bug.
"""

from driving_sandbox.physics.base.visible import shortened, visible


class UserError(Exception):
    """An error whose text, `str()`, is shown to the user: what is wrong and what to do.

    Control characters, which may come from a file, are escaped, and long texts are shortened.

    Attributes:
        exit_code: exit code of a command that ends with this error; 2: the input is wrong, 1: it is right but
            the request cannot be carried out here.
        remedy: hint that only the command line appends to the text, or "".
    """

    exit_code = 2
    remedy = ""

    def __init__(self, text: object = "", *others: object) -> None:
        super().__init__(shortened(visible(text)) if isinstance(text, str) else text, *others)


class WrongValue(UserError, ValueError):
    """An invalid value, or an inconsistent combination."""


class UnknownName(UserError, KeyError):
    """An unknown name; whoever raises it may suggest the nearest one."""

    __str__ = Exception.__str__  # KeyError's own puts the text in quotation marks
