"""Ending because the system asks: SIGTERM, and SIGHUP where there is one (the terminal is gone).

While frames are drawn the request is only noted, and the loop ends as if the window had been closed, so that no file is
left half written. At other times, and when asked a second time, it raises `Ended`, as Ctrl+C raises KeyboardInterrupt.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
EXIT_BASE = 128  # a shell's exit code of a program that a signal ended: this plus the signal's number


class Ended(BaseException):
    """The system asked the program to end; like KeyboardInterrupt it is no Exception."""


class Request:
    """Whether the program has been asked to end.

    Attributes:
        number: of the signal, None without a request.
    """

    def __init__(self) -> None:
        self.number = None
        self._noted_only = False

    @contextmanager
    def listening(self) -> Iterator[Any]:
        """Take the signals inside, except those that whoever started the program ignores (nohup)."""
        self.number = None
        before = {number: signal.getsignal(number) for number in SIGNALS}
        taken = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
        for number in taken:
            signal.signal(number, self._asked)
        try:
            yield self
        finally:
            for number, handler in taken.items():
                signal.signal(number, handler)

    @contextmanager
    def noted(self):
        """Within this context the first request is only noted: its user checks for it between two pieces of work."""
        before, self._noted_only = self._noted_only, True
        try:
            yield self
        finally:
            self._noted_only = before

    exit_code = property(lambda self: EXIT_BASE + self.number, doc="Once asked.")

    def _asked(self, number, frame):
        again = self.number is not None
        self.number = number
        if again or not self._noted_only:
            raise Ended


REQUEST = Request()  # of this process
