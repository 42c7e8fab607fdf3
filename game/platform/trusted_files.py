"""The Python files that the user has allowed to run, with their content, and the changes in them since then."""

import difflib
import json
import logging
from pathlib import Path

from driving_sandbox.game.platform.user_folder import file_errors, subfolder, write_atomic
from driving_sandbox.physics.base.input_file import MEGABYTE, read_text
from driving_sandbox.physics.base.json_text import parse_json
from driving_sandbox.physics.base.visible import shortened, visible
from driving_sandbox.physics.vehicle.trust import content_hash

MAX_FILE_SIZE = MEGABYTE  # bytes, largest Python file whose text is stored
MAX_LIST_SIZE = 64 * MEGABYTE  # bytes of the list: more files than a user ever allows, yet read within a second
MAX_CHANGE_LENGTH = 4000  # characters of a displayed change
_log = logging.getLogger(__name__)


class TrustedFiles:
    """The files allowed permanently, stored in a JSON file of the user folder as {path: [content_hash, text]}."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = subfolder("settings") / "trusted_files.json" if path is None else Path(path)
        self._allowed = self._read()

    def _read(self) -> dict[str, tuple[str, str]]:
        """{path: (content_hash, text)} of the stored file; {} if it is missing or cannot be read."""
        try:
            entries = parse_json(read_text(self._path, MAX_LIST_SIZE), max_size=MAX_LIST_SIZE)
            return {path: (str(digest), str(text)) for path, (digest, text) in entries.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:  # the user is then asked for each file again
            _log.warning("%s: %s", self._path, error)
            return {}

    def __call__(self, path: str | Path) -> bool:
        """Whether a file was allowed with the present content of itself and of the files that it imports."""
        path = Path(path).resolve()
        return str(path) in self._allowed and self._allowed[str(path)][0] == content_hash(path)

    def allow(self, path: str | Path) -> None:
        """Allow a file with its present content.

        Raises:
            UserFolderError: the file cannot be read, or the list cannot be written.
        """
        path = Path(path).resolve()
        with file_errors(path):
            self._allowed[str(path)] = content_hash(path), _text(path)
        write_atomic(self._path, json.dumps(self._allowed))

    def change(self, path: str | Path) -> str:
        """The changes in a file since it was allowed, as a unified diff; "" if it was never allowed.

        Without a difference in its own text, a sentence says that an imported file was changed.
        """
        path = Path(path).resolve()
        if str(path) not in self._allowed:
            return ""
        before, now = self._allowed[str(path)][1].splitlines(), _text(path).splitlines()
        lines = list(difflib.unified_diff(before, now, "allowed", "now", lineterm="", n=1))
        return shortened(visible("\n".join(lines)), MAX_CHANGE_LENGTH) or "a file that it imports was changed"


def _text(path: Path) -> str:
    """Text of a file, or in parentheses why it cannot be read."""
    try:
        return read_text(path, MAX_FILE_SIZE, errors="replace")
    except OSError as error:
        return f"({error})"
