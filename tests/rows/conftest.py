"""Tests of rows of docs/systems.yaml: test_px_* of PhysX, test_ce_* CryEngine, test_rc_* Racer, test_st_* Stingray.

The other files test components that no row describes, such as suspensions whose hubs have mass.
Modules of this folder, tests/core and tests/road are importable by their bare names.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "core"), str(HERE.parent / "road")]
