"""Makes the modules of this folder, tests/core and tests/rows importable by their bare names."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "core"), str(HERE.parent / "rows")]
