"""`test`: a road test without a window, for the performance figures published in car magazines.

Not to be confused with `./test`, the test suite.
"""

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from driving_sandbox.cli import PROGRAM
from driving_sandbox.cli.headless import compile_uncached, vehicle_of_options
from driving_sandbox.cli.outputs import check_output
from driving_sandbox.cli.program import FAILED, FINE
from driving_sandbox.lab.road_test.figures import FIGURES
from driving_sandbox.lab.road_test.page import page, table
from driving_sandbox.lab.road_test.road_test import RoadTest
from driving_sandbox.lab.road_test.targets import deviation, read_targets
from driving_sandbox.physics.schema.yaml_file import ConfigError, key_hint
from driving_sandbox.physics.world.world_file import load_world

WORLD = "plane"  # an endless plane of asphalt


def road_test(options: Namespace) -> int:
    """Run the road test and print its figures; progress goes to stderr if it is a terminal.

    Returns FAILED if, with `--within`, a figure misses its target by more than that, or could not be measured.
    """
    check_output(options.html, "--html", (".html",))
    vehicle = vehicle_of_options(options.vehicle, options.setup, options.trust)
    only = _only(options)
    targets = _requested(read_targets(vehicle), only)
    world = load_world(WORLD)
    compile_uncached(vehicle, world)
    test, trace = RoadTest(vehicle, world, only, _announce if sys.stderr.isatty() else None), None
    for section in test:
        trace = section.trace or trace
    figures = _requested(test.figures, only)
    if options.html:
        Path(options.html).write_text(page(vehicle.name, figures, targets, trace), encoding="utf8")
    if options.json:
        units = {name: FIGURES[name].unit for name in figures}
        print(json.dumps({"vehicle": vehicle.name, "figures": figures, "units": units, "targets": targets}, indent=2))
    else:
        print(table(vehicle.name, figures, targets))
    missed = _missed(figures, targets, options.within)
    for name in missed:
        print(f"{PROGRAM} test: {name}: {_how_missed(figures, targets, name)}", file=sys.stderr)
    return FAILED if missed else FINE


def _announce(section_name: str) -> None:
    print(f"\r{section_name:<20}", end="\r", file=sys.stderr, flush=True)


def _only(options: Namespace) -> tuple[str, ...]:
    """Names of the requested figures, () for all."""
    for name in options.only:
        if name not in FIGURES:
            text = f"unknown figure {name!r}{key_hint(name, FIGURES)}; known: {', '.join(FIGURES)}"
            raise ConfigError(f"{PROGRAM} test", None, "--only", text)
    return tuple(options.only)


def _requested(values: dict[str, Any], only: Sequence[str]) -> dict[str, Any]:
    """The requested entries of {figure: value}."""
    return {name: value for name, value in values.items() if not only or name in only}


def _missed(figures: dict[str, float], targets: dict[str, tuple[float, float]], within: float | None) -> list[str]:
    """Names of figures that miss their targets by more than `within` percent, or could not be measured."""
    if within is None:
        return []
    return [name for name, target in targets.items()
            if name not in figures or abs(deviation(figures[name], target)) > within / 100.0]  # fmt: skip


def _how_missed(figures: dict[str, float], targets: dict[str, tuple[float, float]], name: str) -> str:
    """Text that says how a figure misses its target."""
    if name not in figures:
        return "has a target but could not be measured"
    return f"{100.0 * deviation(figures[name], targets[name]):+.1f} % off its target"
