"""Bytecode cache for installations where Python cannot write it beside the sources.

If Python is set not to write bytecode, or the sources are read-only, every start would compile all imported modules,
which takes a third of a second. Bytecode is then written to the cache folder, next to the compiled kernels.
"""

import os
import sys
from importlib.util import cache_from_source
from pathlib import Path

import platformdirs

ROOT = Path(__file__).resolve().parent.parent


def keep_bytecode() -> None:
    """Redirect bytecode to the cache folder if Python would write none beside the sources.

    Nothing changes where bytecode is there already, as in an installed program.
    """
    if os.path.isfile(cache_from_source(__file__)):
        return
    if sys.dont_write_bytecode or not os.access(ROOT, os.W_OK):
        cache = os.environ.get("SANDBOX_CACHE") or platformdirs.user_cache_dir("driving-sandbox", appauthor=False)
        sys.pycache_prefix = str(Path(cache, "bytecode"))
        sys.dont_write_bytecode = False
