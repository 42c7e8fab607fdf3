"""The program's one entrance: `python main.py --help`. What each subcommand does is in cli/."""

import faulthandler
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - says so in words where an older Python would only show a syntax error
    sys.exit(f"This program needs Python 3.11 or newer; this is Python {sys.version.split()[0]}.")

from cli.bytecode import keep_bytecode

keep_bytecode()

from cli.program import main  # noqa: E402 - what is imported from here on has its bytecode kept

if __name__ == "__main__":
    faulthandler.enable()  # a crash in a driver or a library says where, instead of nothing
    sys.exit(main(sys.argv[1:]))
