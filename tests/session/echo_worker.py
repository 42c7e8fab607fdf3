"""A worker that prints its arguments and each line of its input, until its input ends."""

import sys

if __name__ == "__main__":
    for line in sys.stdin:
        print(*sys.argv[1:], line.strip(), flush=True)
