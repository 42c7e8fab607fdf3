"""Trust in Python files, which depends on their content, not only on their names.

A file is no longer trusted once its content has changed, or the content of anything that it imports, directly or
through others, from the program or from its folder.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from driving_sandbox.physics.kernel.jit import closures

_PIN = re.compile(r"([0-9a-f]{32}):(.+)", re.DOTALL)  # `hash:path` as returned by `pinned`


def content_hash(path: str | Path) -> str:
    """Hash of a Python file and of what it imports from the program and from its folder."""
    closures.forget()  # files are read anew: they may have changed
    return closures.hash_from(Path(path).stem, Path(path).resolve())


def pinned(path: str | Path) -> str:
    """`hash:path` with the hash of a file's present content, to allow another process to run just this content."""
    return f"{content_hash(path)}:{Path(path).resolve()}"


def module_name(path: str | Path) -> str:
    """Name under which a component file with its present content is imported."""
    return f"component_{Path(path).stem}_{content_hash(path)}"


def has_run(path: str | Path) -> bool:
    """Whether a component file ran in this process with the content it has now."""
    return module_name(path) in sys.modules


def hash_that_ran(path: str | Path, component: object) -> str:
    """Hash of the content that a component was imported from; its file may have been edited since.

    For a component that no loaded module has, it is the hash of the file's present content.
    """
    prefix = f"component_{Path(path).stem}_"
    for name, module in list(sys.modules.items()):
        if name.startswith(prefix) and any(value is component for value in vars(module).values()):
            return name.removeprefix(prefix)
    return content_hash(path)


class Allowed:
    """The argument `trust` of `load_vehicle`: a call with a path returns whether that Python file may run.

    Args:
        files: paths, which are allowed with their present content, or texts of `pinned`.
    """

    def __init__(self, files: Iterable[str | Path] = ()) -> None:
        self._hashes: dict[Path, str] = {}
        for file in files:
            pin = _PIN.fullmatch(str(file))
            if pin:
                self._hashes[Path(pin[2])] = pin[1]
            else:
                self.add(file)

    def add(self, path: str | Path) -> None:
        """Allow a file with its present content; a missing file is not allowed."""
        path = Path(path).resolve()
        if path.is_file():
            self._hashes[path] = content_hash(path)

    def __call__(self, path: str | Path) -> bool:
        """Whether a file is allowed and still has the content that was allowed."""
        path = Path(path).resolve()
        return path in self._hashes and self._hashes[path] == content_hash(path)

    def __iter__(self) -> Iterator[str]:
        """`hash:path` of every allowed file, as from `pinned`, but with the hash that was allowed."""
        return (f"{digest}:{path}" for path, digest in self._hashes.items())
