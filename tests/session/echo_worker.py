"""A worker that says again what it hears, and otherwise does nothing for as long as it is let."""

import sys

if __name__ == "__main__":
    for line in sys.stdin:
        print(*sys.argv[1:], line.strip(), flush=True)
