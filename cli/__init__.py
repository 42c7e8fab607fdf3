"""The command line: one module per subcommand, imported only when it is used."""

from pathlib import Path

_IN_A_CLONE = Path(__file__).resolve().parents[1].joinpath("main.py").is_file()
PROGRAM = "main.py" if _IN_A_CLONE else "driving-sandbox"  # the command as typed by users, for messages and help
