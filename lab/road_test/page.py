"""A road test as a table for the terminal, as JSON, and as a page with the speed over time."""

import html

from driving_sandbox.lab.road_test.figures import FIGURES
from driving_sandbox.lab.road_test.targets import deviation
from driving_sandbox.lab.road_test.track import Trace
from driving_sandbox.lab.road_test.units import KMH

WIDTH, HEIGHT, EDGE = 720, 300, 44  # px of the curve and its axes
POINTS = 300  # of the curve

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2.5em auto; max-width: 52em; color: #222; }
table { border-collapse: collapse; width: 100%; } td, th { padding: .3em .7em; text-align: left; }
tr { border-bottom: 1px solid #ddd; } .n { text-align: right; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; font-size: 12px; } .off { color: #b3261e; }
"""


def table(name: str, figures: dict[str, float], targets: dict[str, tuple[float, float]]) -> str:
    """Lines for a terminal, in the order of FIGURES; targets that were not measured are said."""
    lines = [f"{name}: road test", f"  {'figure':<22}{'measured':>10}  {'unit':<6}{'target':>14}  off"]
    for key, value, target, off in _rows(figures, targets):
        lines.append(f"  {key:<22}{value:>10}  {FIGURES[key].unit:<6}{target:>14}  {off}".rstrip())
    return "\n".join(lines)


def page(name: str, figures: dict[str, float], targets: dict[str, tuple[float, float]], trace: Trace | None) -> str:
    """The same as a self-contained HTML page, with the speed of the acceleration run."""
    rows = "".join(
        f"<tr><td>{html.escape(key)}</td><td class=n>{value}</td><td>{FIGURES[key].unit}</td>"
        f"<td class=n>{target}</td><td class='n{' off' if off else ''}'>{off}</td>"
        f"<td>{html.escape(FIGURES[key].doc)}</td></tr>\n"
        for key, value, target, off in _rows(figures, targets)
    )
    title = f"Road test: {html.escape(name)}"
    return (
        f"<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>\n"
        f"<h1>{title}</h1>\n<table><tr><th>Figure<th class=n>Measured<th>Unit<th class=n>Target<th class=n>Off"
        f"<th>Procedure</tr>\n{rows}</table>\n{_curve(trace) if trace is not None else ''}</html>\n"
    )


def _rows(figures, targets):
    """(name, measured, target, deviation) as texts, for each figure that was measured or is aimed at."""
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


def _curve(trace):
    """Speed in km/h over time, as SVG."""
    speed, time = trace.speed() / KMH, trace.time
    step = max(1, len(time) // POINTS)
    top, end = 20.0 * (int(speed.max() / 20.0) + 1), float(time[-1])

    def at(seconds, kmh):
        return EDGE + seconds / end * (WIDTH - 2 * EDGE), HEIGHT - EDGE - kmh / top * (HEIGHT - 2 * EDGE)

    points = " ".join("{:.1f},{:.1f}".format(*at(t, v)) for t, v in zip(time[::step], speed[::step], strict=True))
    lines, tick = [], 40.0 if top > 120.0 else 20.0
    for k in range(int(top / tick) + 1):
        x, y = at(0.0, k * tick)
        lines.append(f"<path d='M{x:.0f} {y:.0f}H{WIDTH - EDGE}' stroke='#ddd'/>")
        lines.append(f"<text x='{x - 8:.0f}' y='{y + 4:.0f}' text-anchor='end'>{k * tick:g}</text>")
    for k in range(6):
        x, y = at(k * end / 5.0, 0.0)
        lines.append(f"<text x='{x:.0f}' y='{y + 18:.0f}' text-anchor='middle'>{k * end / 5.0:.0f}</text>")
    return (
        f"<h2>Full throttle from rest: speed in km/h over s</h2>\n<svg viewBox='0 0 {WIDTH} {HEIGHT}'>{''.join(lines)}"
        f"<polyline points='{points}' fill='none' stroke='#c2410c' stroke-width='2'/></svg>\n"
    )
