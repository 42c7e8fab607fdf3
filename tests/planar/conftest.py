"""Tests of the planar car; test_cn_* test the rows CN of docs/systems.yaml, from an article on a 2D car.

Modules of this folder and of tests/core are importable by their bare names.
"""

import sys
from pathlib import Path

for folder in (Path(__file__).parent, Path(__file__).parents[1] / "core"):
    sys.path.insert(0, str(folder))
