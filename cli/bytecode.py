"""Bytecode of this program's modules in the cache folder, where Python keeps none.

Python keeps bytecode in `__pycache__` beside the sources, but not where it is told to write none, nor in a folder that
it must not write to: there it compiles all four hundred modules at every start, a third of a second. The loader here
keeps a module's bytecode in one file beside the compiled kernels. The file begins with hashes of the source and of the
bytecode: one that does not fit or is damaged is written anew, and where nothing can be written the module is compiled.
"""

import contextlib
import hashlib
import importlib.util
import marshal
import os
import sys
import tempfile
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

import platformdirs

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("physics", "formats", "lab", "game", "cli")
_DIGEST = 32  # bytes of a SHA-256


def keep_bytecode():
    """From now on, where Python does not."""
    if sys.dont_write_bytecode or not os.access(ROOT, os.W_OK):
        install(os.environ.get("SANDBOX_CACHE") or platformdirs.user_cache_dir("driving-sandbox", appauthor=False))


def install(cache):
    """Keep the bytecode of this program's modules in a folder `bytecode` below the one for caches."""
    folder = Path(cache) / "bytecode"
    sys.path_hooks.insert(0, lambda path: _finder(path, folder))
    for path in [path for path in sys.path_importer_cache if _is_ours(path)]:
        del sys.path_importer_cache[path]


def _is_ours(path):
    """Whether a folder of Python's search path is the program's or one of its packages'."""
    try:
        parts = Path(path).resolve().relative_to(ROOT).parts
    except (OSError, ValueError):
        return False
    return not parts or parts[0] in PACKAGES


def _finder(path, folder):
    if not _is_ours(path):
        raise ImportError("not this program's", path=path)
    return FileFinder(path, (lambda name, file: _Loader(name, file, folder), SOURCE_SUFFIXES))


class _Loader(SourceFileLoader):
    def __init__(self, name, path, folder):
        super().__init__(name, path)
        self._folder = folder

    def get_code(self, fullname):
        """The module's code, as Python's own loader gives it."""
        path = self.get_filename(fullname)
        source = self.get_data(path)
        # the path is part of the code: tracebacks name it
        named = hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
        kept, stamp = self._folder / f"{named}.{sys.implementation.cache_tag}", _stamp(source)
        code = _read(kept, stamp)
        if code is None:
            code = self.source_to_code(source, path)
            _write(kept, stamp, marshal.dumps(code))
        return code


def _stamp(source):
    """Hash of a source and of what Python makes bytecode in."""
    return hashlib.sha256(importlib.util.MAGIC_NUMBER + bytes([sys.flags.optimize]) + source).digest()


def _read(kept, stamp):
    """Code from a file, None if it is not there, of another source or damaged."""
    try:
        data = kept.read_bytes()
    except OSError:
        return None
    body = memoryview(data)[2 * _DIGEST :]
    if data[: 2 * _DIGEST] != stamp + hashlib.sha256(body).digest():
        return None
    return marshal.loads(body)


def _write(kept, stamp, body):
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=kept.parent)
        try:
            with open(handle, "wb") as file:
                file.write(stamp + hashlib.sha256(body).digest() + body)
            os.replace(partial, kept)  # atomic: another program starting now sees all of it or nothing
        except OSError:
            os.unlink(partial)
