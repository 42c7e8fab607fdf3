"""The program's entrance in a clone: `python main.py --help`. What each subcommand does is in cli/."""

from driving_sandbox.cli.entry import run

if __name__ == "__main__":
    run()
