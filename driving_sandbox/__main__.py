"""`python -m driving_sandbox`: the program, from any folder."""

from driving_sandbox.cli.entry import run

if __name__ == "__main__":
    run()
