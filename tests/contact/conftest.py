"""The rigs of tests/core can be imported."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "core")]
