"""The command line: one module per subcommand, imported only when it is used."""

import os
from pathlib import Path

_IN_A_CLONE = Path(__file__).resolve().parents[1].joinpath("main.py").is_file()
_SCRIPT = "drive" if os.name == "nt" else "./drive"
PROGRAM = _SCRIPT if _IN_A_CLONE else "driving-sandbox"  # the command that users type, for messages and help
