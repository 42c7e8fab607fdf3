"""The program under one import name: what lies in the folders beside this one is `driving_sandbox.physics` and so on.

In a clone those folders stay at the top level and are found through this package's path; in an installed package they
lie in this folder.
"""

import os

VERSION = "0.1.0"

_root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isfile(os.path.join(_root, "pyproject.toml")):  # a clone
    __path__.insert(0, _root)
