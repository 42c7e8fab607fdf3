"""A road test as a table for the terminal, and as an HTML page with the speed over time."""

from collections.abc import Iterator

from driving_sandbox.lab import charts
from driving_sandbox.lab.road_test.figures import FIGURES
from driving_sandbox.lab.road_test.targets import deviation
from driving_sandbox.lab.road_test.track import Trace
from driving_sandbox.lab.units import KMH

MIN_POINTS = 300  # of the curve, which is thinned to at most twice as many
HEAD = ("Figure", "Procedure", "Measured", "Unit", "Target", "Off")
TEXTS = 2  # number of leading text columns


def table(name: str, figures: dict[str, float], targets: dict[str, tuple[float, float]]) -> str:
    """Text for a terminal, in the order of FIGURES; a target that was not measured has a row as well."""
    lines = [f"{name}: road test", f"  {'figure':<22}{'measured':>10}  {'unit':<6}{'target':>14}  off"]
    for key, value, target, off in _rows(figures, targets):
        lines.append(f"  {key:<22}{value:>10}  {FIGURES[key].unit:<6}{target:>14}  {off}".rstrip())
    return "\n".join(lines)


def page(name: str, figures: dict[str, float], targets: dict[str, tuple[float, float]], trace: Trace | None) -> str:
    """The table as a self-contained HTML page, with the speed of `trace` (the acceleration run) unless it is None."""
    rows = [[key, FIGURES[key].doc, value, FIGURES[key].unit, target, off]
            for key, value, target, off in _rows(figures, targets)]  # fmt: skip
    curves = [] if trace is None else [_curve(trace)]
    return charts.page(f"Road test: {name}", HEAD, rows, curves, TEXTS)


def _rows(figures: dict[str, float], targets: dict[str, tuple[float, float]]) -> Iterator[tuple[str, str, str, str]]:
    """(name, measured, target, deviation) as texts, for each figure that was measured or has a target."""
    for key, figure in FIGURES.items():
        if key not in figures and key not in targets:
            continue
        value, target, off = "-", "", ""
        if key in targets:
            low, high = targets[key]
            target = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        if key in figures:
            value = f"{figures[key]:.{figure.digits}f}"
            if key in targets:
                off = f"{100.0 * deviation(figures[key], targets[key]):+.1f} %"
        yield key, value, target, off


def _curve(trace: Trace) -> charts.Chart:
    """Chart of the speed, km/h, over time."""
    step = max(1, len(trace.time) // MIN_POINTS)
    line = charts.Line("full throttle", trace.time[::step], trace.speed()[::step] / KMH)
    return charts.Chart("Acceleration from rest", "time, s", "speed, km/h", [line])
