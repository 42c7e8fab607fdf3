"""Where Python's bytecode goes when it may not lie beside the sources.

Python told to write none, or started from a folder that it must not write to, compiles four hundred modules at every
start, a third of a second. It then keeps them in the cache folder, beside the compiled kernels.
"""

import os
import sys
from importlib.util import cache_from_source
from pathlib import Path

import platformdirs

ROOT = Path(__file__).resolve().parent.parent


def keep_bytecode() -> None:
    """From now on, in the cache folder where Python would keep none. An installed program has its own beside it."""
    if os.path.isfile(cache_from_source(__file__)):
        return
    if sys.dont_write_bytecode or not os.access(ROOT, os.W_OK):
        cache = os.environ.get("SANDBOX_CACHE") or platformdirs.user_cache_dir("driving-sandbox", appauthor=False)
        sys.pycache_prefix = str(Path(cache, "bytecode"))
        sys.dont_write_bytecode = False
