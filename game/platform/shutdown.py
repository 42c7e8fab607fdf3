"""Ends the program when the system asks: on SIGTERM, and on SIGHUP (a closed terminal) where it exists.

While frames are drawn the request is only noted, and the loop ends as if the window had been closed, so that no file is
left half written. At other times, and at a second request, `EndRequested` is raised, as Ctrl+C raises
KeyboardInterrupt.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
EXIT_BASE = 128  # a shell's exit code for a program ended by a signal is this plus the signal's number


class EndRequested(BaseException):
    """Raised when the system asks the program to end; like KeyboardInterrupt it is not an Exception."""


class EndRequest:
    """Whether the program has been asked to end.

    Attributes:
        number: number of the signal, None without a request.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._noted_only = False  # whether the first request is only noted, see `noted`

    @contextmanager
    def listening(self) -> Iterator[Any]:
        """Handle the signals within this context, except those that the parent process had ignored (nohup).

        An earlier request is forgotten.
        """
        self.number = None
        previous = {number: signal.getsignal(number) for number in SIGNALS}
        replaced = {number: handler for number, handler in previous.items() if handler is not signal.SIG_IGN}
        for number in replaced:
            signal.signal(number, self._asked)
        try:
            yield self
        finally:
            for number, handler in replaced.items():
                signal.signal(number, handler)

    @contextmanager
    def noted(self) -> Iterator[Any]:
        """Within this context only note the first request; the caller checks `number` between pieces of work."""
        previous, self._noted_only = self._noted_only, True
        try:
            yield self
        finally:
            self._noted_only = previous

    @property
    def exit_code(self) -> int:
        """Exit code of the program after a request."""
        assert self.number is not None
        return EXIT_BASE + self.number

    def _asked(self, number: int, frame: Any) -> None:
        """Handler of the signals: note the request, and raise EndRequested unless it is the first and only noted."""
        again = self.number is not None
        self.number = number
        if again or not self._noted_only:
            raise EndRequested


END_REQUEST = EndRequest()  # the request to this process
