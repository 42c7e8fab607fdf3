"""`bench`: runs the benchmarks and prints their figures."""

import importlib
import json
import os
import platform
import sys
from argparse import Namespace
from typing import Any

from driving_sandbox.benchmarks import BENCHMARKS
from driving_sandbox.cli import PROGRAM
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint


def bench(options: Namespace) -> None:
    """Run the requested benchmarks and print their figures as tables, or as JSON."""
    names = options.names or list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            text = f"unknown benchmark{key_hint(name, BENCHMARKS)}; known: {', '.join(BENCHMARKS)}"
            raise ConfigError(f"{PROGRAM} bench", None, name, text)
    results = {}
    for name in names:
        results[name] = importlib.import_module(f"driving_sandbox.benchmarks.{name}").measure()
        if not options.json:
            print(_table(name, results[name]), flush=True)
    if options.json:
        print(json.dumps({"machine": machine(), "results": results}, indent=2))


def machine() -> dict[str, Any]:
    """Description of this machine, plain for JSON."""
    import numba

    from driving_sandbox.physics.kernel.numba_internals import host_processor

    return {
        "processor": host_processor(),
        "cores": os.cpu_count(),
        "load": [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "platform": platform.platform(),
        "python": sys.version.split()[0],
        "numba": numba.__version__,
    }


def _table(name: str, rows: list[dict[str, Any]]) -> str:
    """The rows of a benchmark as a table for the terminal."""
    lines = [f"{name}: {BENCHMARKS[name]}"]
    width = max(len(row["what"]) for row in rows)
    lines += [f"  {row['what']:<{width}} {row['value']:10.3f} {row['unit']:<3} {row['note']}".rstrip() for row in rows]
    return "\n".join(lines)
