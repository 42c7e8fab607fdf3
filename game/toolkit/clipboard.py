"""Copy and paste of text by the desktop's commands, because Panda3D has no clipboard.

Without such commands, copy and paste work within the program only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

TIMEOUT = 0.5  # s; a clipboard owner that does not answer must not block the frames


def _commands() -> tuple[list[str], list[str]] | None:
    """(copy command, paste command) of this desktop, or None."""
    if sys.platform == "darwin":
        candidates = [(["pbcopy"], ["pbpaste"])]
    elif sys.platform == "win32":
        candidates = [(["clip"], ["powershell", "-NoProfile", "-Command", "Get-Clipboard -Raw"])]
    else:
        candidates = []
        if os.environ.get("WAYLAND_DISPLAY"):
            candidates.append((["wl-copy"], ["wl-paste", "--no-newline"]))
        if os.environ.get("DISPLAY"):
            candidates.append((["xclip", "-selection", "clipboard"], ["xclip", "-selection", "clipboard", "-o"]))
            candidates.append((["xsel", "--clipboard", "--input"], ["xsel", "--clipboard", "--output"]))
    return next((pair for pair in candidates if shutil.which(pair[0][0]) and shutil.which(pair[1][0])), None)


class Clipboard:
    """Copies and pastes text.

    Args:
        system: whether to use the desktop's clipboard; otherwise texts stay within the program.
    """

    def __init__(self, system: bool = True) -> None:
        self._text = ""
        self._commands = _commands() if system else None  # (copy command, paste command), or None

    def copy(self, text: str) -> None:
        """Put a text into the desktop's clipboard, and keep it for the program."""
        self._text = text
        if self._commands:
            self._run(self._commands[0], text)

    def paste(self) -> str:
        """The text of the desktop's clipboard, or the one copied last in the program."""
        if self._commands:
            text = self._run(self._commands[1], text=None)
            if text is not None:
                return text
        return self._text

    @staticmethod
    def _run(command: list[str], text: str | None) -> str | None:
        """Run a command with `text` as input; without a text, return the command's output. None after an error."""
        try:
            # Copy commands keep running to serve the text, so their output must not be waited for.
            output = subprocess.DEVNULL if text is not None else subprocess.PIPE
            result = subprocess.run(
                command,
                input=None if text is None else text.encode(),
                stdout=output,
                stderr=subprocess.DEVNULL,
                timeout=TIMEOUT,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return result.stdout.decode(errors="replace") if text is None else None
