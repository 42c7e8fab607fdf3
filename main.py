"""Entry point of the program in a clone, called by `./drive`; the subcommands are in cli/."""

from driving_sandbox.cli.entry import run

if __name__ == "__main__":
    run()
