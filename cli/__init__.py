"""The command line: one module per subcommand, imported only when it is used."""

VERSION = "0.1.0"  # as in pyproject.toml
