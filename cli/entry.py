"""Entry point of `main.py`, `python -m driving_sandbox` and `driving-sandbox`."""

import faulthandler
import sys


def run() -> None:
    """Run the command line of this process and end it with the exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036 - says so in words where an older Python would only show a syntax error
        sys.exit(f"This program needs Python 3.11 or newer; this is Python {sys.version.split()[0]}.")
    from driving_sandbox.cli.bytecode import keep_bytecode

    keep_bytecode()  # for all imports after it
    from driving_sandbox.cli.program import main

    faulthandler.enable()  # a crash in a driver or library prints a traceback
    sys.exit(main(sys.argv[1:]))
