"""Messages for errors of work beside the drive, in threads whose end the user waits for."""

import logging

from driving_sandbox.physics.base.user_error import UserError

_log = logging.getLogger(__name__)


def message_of(error: Exception) -> str:
    """Text for the user: a UserError's own; another error, which is being handled, is logged with its traceback."""
    if isinstance(error, UserError):
        return str(error)
    _log.exception("unexpected error")
    return f"unexpected {type(error).__name__}; details are in the log"
