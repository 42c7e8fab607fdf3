"""Line charts on a self-contained HTML page: SVG, no script, no external resources."""

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from driving_sandbox.lab.ticks import round_ticks

WIDTH, HEIGHT = 620, 330  # px, size of a chart
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 16, 44  # px, margins around its axes
COLORS = ("#1d4ed8", "#c2410c", "#15803d", "#7e22ce", "#b45309", "#0f766e")
MAX_TICKS = 7  # of an axis
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 82em; padding: 0 1em; color: #222; }
section { display: inline-block; width: 40em; max-width: 100%; vertical-align: top; }
table { border-collapse: collapse; } td, th { padding: .2em .8em; text-align: left; border-bottom: 1px solid #ddd; }
.n { text-align: right; font-variant-numeric: tabular-nums; } svg { width: 100%; height: auto; font-size: 12px; }
"""


@dataclass(frozen=True)
class Line:
    """One line of a chart through the points x, y, [n] each; NaN in y leaves a gap."""

    label: str
    x: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Chart:
    """Lines in one pair of axes; axis labels include the unit."""

    title: str
    x_label: str
    y_label: str
    lines: list[Line]


def page(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], charts: Sequence[Chart], texts: int = 1
) -> str:
    """An HTML page with a table and charts.

    Args:
        head: texts of the table's headings.
        rows: texts of its cells, row by row.
        texts: number of leading columns with words, aligned to the left; the others are aligned to the right.
    """
    cells = _cells("th", head, texts)
    body = "".join(f"<tr>{_cells('td', row, texts)}</tr>\n" for row in rows)
    parts = "".join(f"<section><h2>{html.escape(c.title)}</h2>\n{_svg(c)}</section>\n" for c in charts)
    name = html.escape(title)
    return (
        f"<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>{name}</title><style>{_STYLE}</style>\n"
        f"<h1>{name}</h1>\n<table><tr>{cells}</tr>\n{body}</table>\n{parts}</html>\n"
    )


def _cells(tag: str, values: Sequence[str], texts: int) -> str:
    """HTML of a table row's cells; all but the first `texts` are aligned to the right."""
    sides = ["" if k < texts else " class=n" for k in range(len(values))]
    return "".join(f"<{tag}{side}>{html.escape(value)}</{tag}>" for side, value in zip(sides, values, strict=True))


def _range(values: Sequence[np.ndarray]) -> tuple[float, float]:
    """(low, high) of an axis for arrays of values, with a margin of 4 % on each side, or of 1 if all are equal."""
    numbers = np.concatenate([np.asarray(v, float) for v in values])
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def _svg(chart: Chart) -> str:
    """The chart as an SVG element."""
    x_low, x_high = _range([line.x for line in chart.lines])
    y_low, y_high = _range([line.y for line in chart.lines])

    def px(x: float) -> float:
        return LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)

    def py(y: float) -> float:
        return HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)

    parts = [_axes(chart, px, py, (x_low, x_high), (y_low, y_high))]
    for line, color in zip(chart.lines, COLORS * (1 + len(chart.lines) // len(COLORS)), strict=False):
        pieces = _pieces(line)
        path = "".join(f"M{' L'.join(f'{px(x):.1f} {py(y):.1f}' for x, y in piece)}" for piece in pieces)
        parts.append(f"<path d='{path}' fill='none' stroke='{color}' stroke-width='2'/>")
    for k, line in enumerate(chart.lines):
        y = TOP + 14 + 16 * k  # of the legend's text, in the upper right corner
        parts.append(f"<text x='{WIDTH - RIGHT - 6}' y='{y}' text-anchor='end' fill='{COLORS[k % len(COLORS)]}'>"
                     f"{html.escape(line.label)}</text>")  # fmt: skip
    return f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' role=img>{''.join(parts)}</svg>\n"


def _pieces(line: Line) -> list[list[tuple[float, float]]]:
    """Runs of consecutive points (x, y) with a finite y."""
    runs, run = [], []
    for x, y in zip(line.x, line.y, strict=True):
        if math.isfinite(y):
            run.append((x, y))
        elif run:
            runs.append(run)
            run = []
    return [*runs, run] if run else runs


def _axes(
    chart: Chart, px: Callable[[float], float], py: Callable[[float], float], x_range: tuple[float, float],
    y_range: tuple[float, float],
) -> str:  # fmt: skip
    """SVG of grid lines, tick labels and axis labels; `px` and `py` are functions from values to pixels."""
    parts = []
    for x in round_ticks(*x_range, MAX_TICKS):
        parts.append(f"<path d='M{px(x):.1f} {TOP}V{HEIGHT - BOTTOM}' stroke='#ddd'/>")
        parts.append(f"<text x='{px(x):.1f}' y='{HEIGHT - BOTTOM + 16}' text-anchor='middle'>{x:.6g}</text>")
    for y in round_ticks(*y_range, MAX_TICKS):
        parts.append(f"<path d='M{LEFT} {py(y):.1f}H{WIDTH - RIGHT}' stroke='#ddd'/>")
        parts.append(f"<text x='{LEFT - 6}' y='{py(y) + 4:.1f}' text-anchor='end'>{y:.6g}</text>")
    middle = 0.5 * (TOP + HEIGHT - BOTTOM)
    parts.append(f"<text x='{0.5 * (LEFT + WIDTH - RIGHT):.0f}' y='{HEIGHT - 8}' text-anchor='middle'>"
                 f"{html.escape(chart.x_label)}</text>")  # fmt: skip
    parts.append(f"<text x='14' y='{middle:.0f}' text-anchor='middle' transform='rotate(-90 14 {middle:.0f})'>"
                 f"{html.escape(chart.y_label)}</text>")  # fmt: skip
    return "".join(parts)
