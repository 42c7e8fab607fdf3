"""Used by all generators of pages: write a page, or report that the existing one is out of date."""

import sys
from pathlib import Path


def write_or_check(path: Path, text: str, arguments: list[str]) -> int:
    """Write `text` to `path`, or with `--check` compare them; returns the exit code (2: wrong arguments)."""
    if arguments not in ([], ["--check"]):
        print(f"usage: {sys.argv[0]} [--check]", file=sys.stderr)
        return 2
    if not arguments:
        path.write_text(text, encoding="utf8")
        return 0
    if path.is_file() and path.read_text(encoding="utf8") == text:
        return 0
    print(f"docs/{path.name} is not current: run python -m driving_sandbox.docs.build.{path.stem}", file=sys.stderr)
    return 1
