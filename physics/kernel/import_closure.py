"""The import closure of a module: every source file that its code can come from.

Compiled kernels and generated steps are cached under a hash of it, so that an edit anywhere below a kernel recompiles
the kernel and an edit elsewhere does not. A closure follows every import statement, also those inside functions, to
every file outside the standard library and site-packages: this program, and whatever a component file of the user
imports. Modules already loaded are taken from where they were loaded; others are searched on `sys.path` and in the
importing file's folder, without running anything.

Parsing would take 0.4 s at every start, so the imports of a file are cached in `imports.json` under the hash of its
text.
"""

import ast
import contextlib
import hashlib
import json
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from driving_sandbox.physics.base.input_file import MEGABYTE, read_bytes
from driving_sandbox.physics.kernel.cache_folder import write_whole

LARGEST_SOURCE = MEGABYTE  # bytes of a Python file; the largest of the program has 25 kB
LARGEST_COMPILED = 256 * MEGABYTE  # bytes of a compiled module that a user's file imports
MAX_SAVED = 2000  # newest versions of files that imports.json keeps; with more, reading it takes over 10 ms
ROOT = Path(__file__).resolve().parents[2]
_STANDARD_LIBRARY = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib"))
_INSTALLED = ("site-packages", "dist-packages")  # names of the folders that packages are installed into


def is_source(path: Path) -> bool:
    """Whether a file belongs to the program or to the user, not to Python or an installed package."""
    if ROOT in path.parents:
        return not set(_INSTALLED) & set(path.relative_to(ROOT).parts)  # a .venv may lie in the program's folder
    return not set(_INSTALLED) & set(path.parts) and not any(folder in path.parents for folder in _STANDARD_LIBRARY)


def imports_of(text: str | bytes) -> list[tuple[int, str, str | None]]:
    """[(level, module, name)] of a module's import statements; `name` is None for `import module`.

    level: number of dots of a relative import. The result is [] for a text that is not valid Python.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    imports: list[tuple[int, str, str | None]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [(0, alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += [(node.level, node.module or "", alias.name) for alias in node.names]
    return list(dict.fromkeys(imports))


class ImportClosure:
    """Hashes of import closures.

    Args:
        folder: function that gives the folder of `imports.json`; called when the first file is read.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        # {hash of a file's text: its imports}, None before imports.json is read; whether imports.json lacks some
        self._parsed: dict[str, list[Any]] | None = None
        self._new = False
        self.forget()

    def forget(self) -> None:
        """Forget what was read: a file was loaded or changed."""
        self._read = cache(self._read_module)
        self._path = cache(source_path)
        self.hash = cache(self._hash)

    def _hash(self, module_name: str) -> str | None:
        """Hash of a module's closure, 16 hexadecimal digits; None for a module that `source_path` does not find."""
        path = source_path(module_name)
        return None if path is None else self.hash_from(module_name, path)[:16]

    def hash_from(self, module_name: str, path: Path) -> str:
        """Hash of the closure of a module given by its file, which need not be loaded, 32 hexadecimal digits.

        With half as many, the author of two files could find a pair with equal hashes.
        """
        sources: dict[str, str] = {}
        pending = [(module_name, str(path))]
        while pending:
            name, file = pending.pop()
            if name not in sources:
                sources[name], imported = self._read(name, file)
                pending.extend(imported)
        self._save()
        text = "\n".join(f"{name} {digest}" for name, digest in sorted(sources.items()))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _read_module(self, name: str, file: str) -> tuple[str, tuple[tuple[Any, Any], ...]]:
        """(hash of a source file, ((name, path) of each module that it imports and `source_path` finds, ...))."""
        path = Path(file)
        content = read_bytes(path, LARGEST_SOURCE if path.suffix == ".py" else LARGEST_COMPILED)
        digest = hashlib.sha256(content).hexdigest()
        if path.suffix != ".py":  # compiled: its imports are unknown
            return digest, ()
        if self._parsed is None:
            self._parsed = self._saved()
        if digest not in self._parsed:
            self._parsed[digest], self._new = imports_of(content), True
        beside = str(path.parent)
        names = dict.fromkeys(_absolute(name, path, self._parsed[digest]))
        # the importing file's folder matters only for modules not loaded; without it the cached answer serves all files
        loaded = {imported: imported.partition(".")[0] in sys.modules for imported in names}
        imported_sources = (
            (imported, self._path(imported, None if loaded[imported] else beside)) for imported in names
        )
        return digest, tuple((imported, str(source)) for imported, source in imported_sources if source is not None)

    def _saved(self) -> dict[str, list[Any]]:
        """Content of imports.json, {} if it is missing or damaged."""
        try:
            saved = json.loads((self._folder() / "imports.json").read_text(encoding="utf8"))
        except (OSError, ValueError):
            return {}
        return saved if isinstance(saved, dict) else {}

    def _save(self) -> None:
        """Write imports.json if files have been parsed since it was last read or written."""
        if not self._new or self._parsed is None:
            return
        self._new = False
        with contextlib.suppress(OSError):  # a full disk: parsed again next time
            newest = dict(list(self._parsed.items())[-MAX_SAVED:])
            write_whole(self._folder() / "imports.json", json.dumps(newest).encode())


def _absolute(module_name: str, path: Path, imports: Iterable[tuple[int, str, str | None]]) -> Iterator[str]:
    """Full names of the modules that import statements of a module may load."""
    module = sys.modules.get(module_name)
    package = getattr(module, "__package__", None)
    if package is None:
        package = module_name if path.name == "__init__.py" else module_name.rpartition(".")[0]
    for level, base, name in imports:
        if level:
            parents = package.split(".")
            base = ".".join([*parents[: len(parents) - level + 1], *filter(None, [base])])
        if name is None:
            words = base.split(".")
            yield from (".".join(words[:count]) for count in range(1, len(words) + 1))
        else:
            yield base
            yield f"{base}.{name}"


def source_path(module_name: str, beside: str | None = None) -> Path | None:
    """The source file of a module; None if it has none, or if that is not the program's or the user's (`is_source`).

    beside: folder searched after `sys.path`.
    """
    file = _find(module_name, beside)[0]
    return None if file is None else _source(file)


@cache
def _source(file: str) -> Path | None:
    """A file with its links resolved; None if `is_source` rejects it."""
    path = Path(file).resolve()
    return path if is_source(path) else None


def _find(module_name: str, beside: str | None) -> tuple[str | None, list[str] | None]:
    """(file or None, folders of its submodules or None) of a module."""
    module = sys.modules.get(module_name)
    if module is not None:
        return getattr(module, "__file__", None) or None, getattr(module, "__path__", None)
    parent, _, last = module_name.rpartition(".")
    folders = _find(parent, beside)[1] if parent else [*sys.path, *([beside] if beside else [])]
    if folders is None:
        return None, None
    spec = PathFinder.find_spec(module_name if parent else last, list(folders))
    if spec is None:
        return None, None
    return spec.origin if spec.has_location else None, spec.submodule_search_locations
