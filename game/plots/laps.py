"""Plots of the present lap together with other laps, and the choice of other laps (game/laps/reference.py).

Other laps are drawn with thinner lines than the present one: in their own colours if a plot has one channel, otherwise
in the channel's colour, each lap fainter than the one chosen before it. The time lost is positive where the present
lap is later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.plots.axes import X, Y, axis_range, setup_axis
from driving_sandbox.game.plots.cursors import Cursors, at_time
from driving_sandbox.game.plots.drawing import FIXED_AXIS
from driving_sandbox.game.plots.layouts import LAP_GAP, LAP_KINDS, LAP_TIME
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT_DIM, Icon
from driving_sandbox.game.toolkit.units import number_text
from driving_sandbox.game.toolkit.widget_events import checkbox
from driving_sandbox.game.view.vehicle.ghost import COLOURS
from driving_sandbox.lab.laps import time_difference

if TYPE_CHECKING:
    from driving_sandbox.game.plots.layouts import Line, Plot
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

RELATIVE_WEIGHT = 0.7  # line weight of another lap relative to the present lap's
FADING = 0.6  # opacity of a lap relative to that of the one chosen before it
MAX_CACHED_OUTLINES = 64  # outlines of complete laps; beyond, the cache is emptied
MAX_RECORDINGS = 12  # the newest recordings are offered
_DIM = imgui.ImVec4(*TEXT_DIM)
_ZERO = np.zeros(1)
# label, axis, x, y, spec, cache key of a complete lap's curve or None
Curve = tuple[str, int, np.ndarray, np.ndarray, implot.Spec, tuple | None]


class LapPlots:
    """Draws plots of the kinds LAP_KINDS, between `begin_plot` and `end_plot`.

    Attributes:
        cursors: {False: Cursors of plots over lap distance, True: of plots over lap time}.
    """

    def __init__(self, ui: ImGuiBackend) -> None:
        self._ui = ui
        self._outlines: dict[tuple[Any, ...], tuple[Any, Any]] = {}  # cache of `_outline`
        self._files: list[Path] = []  # recordings listed
        self.cursors = {False: Cursors(), True: Cursors()}

    def begin(self) -> None:
        """Begin a frame."""
        for cursors in self.cursors.values():
            cursors.begin()

    def draw(self, plot: Plot, laps: Any, size: tuple[float, float], points: int) -> None:
        """Draw a plot of `laps` (game.laps.reference.Laps).

        Args:
            size: (width, height) of the plot, pixels.
            points: a line is reduced to about so many points.
        """
        over_time = plot.kind == LAP_TIME
        ends = [laps.current.seconds if over_time else np.nanmax(laps.current.distances, initial=0.0)] if (
            laps.current is not None) else []  # fmt: skip
        ends += [overlay.trace.seconds if over_time else overlay.distances[-1] for overlay in laps.overlays]
        curves = self._gaps(laps) if plot.kind == LAP_GAP else self._channels(plot, laps, over_time)
        setup_axis(X, 0.0, max([*ends, 1.0]), size[0], FIXED_AXIS)
        for side, name in enumerate(Y):  # a curve is (label, axis, x, y, spec, cache key)
            axis_values = [curve[3] for curve in curves if curve[1] == side]
            if side and not axis_values:
                break
            setup_axis(name, *axis_range(axis_values, (0.0, 0.0) if side else plot.min_range), size[1], FIXED_AXIS)
        if plot.kind == LAP_GAP:
            implot.plot_inf_lines("##zero", _ZERO, _spec((1.0, 1.0, 1.0, 0.3), weight=1.0, horizontal=True))
        for label, side, x, y, spec, cache_key in curves:
            implot.set_axes(X, Y[side])
            implot.plot_line(label, *self._outline(x, y, points, cache_key), spec)
        implot.set_axes(X, Y[0])
        if laps.current is not None:
            position = laps.current.seconds if over_time else self._current_distance(laps.current)
            implot.plot_inf_lines("##here", np.array([position]), _spec((*ACCENT[:3], 0.5), weight=1.0))
        self.cursors[over_time].in_plot()

    @staticmethod
    def _current_distance(current: Any) -> float:
        """Lap distance of the vehicle in the present lap, m."""
        k = int(np.searchsorted(current.times, current.seconds, side="right")) - 1
        return float(current.distances[k]) if len(current.distances) else 0.0

    def _channels(self, plot: Plot, laps: Any, over_time: bool) -> list[Curve]:
        """Curves of a plot."""
        entries: list[Curve] = []
        is_single = len(plot.lines) == 1
        for line in plot.lines:
            for k, overlay in reversed(list(enumerate(laps.overlays))):
                values = overlay.trace.channels.get(line.name)
                if values is not None:
                    rgba = line.spec.line_color
                    faded = (rgba.x, rgba.y, rgba.z, FADING ** (k + 1))
                    color = (*COLOURS[k % len(COLOURS)], 0.9) if is_single else faded
                    x = overlay.trace.times if over_time else overlay.distances
                    key = (overlay, line.name, over_time)
                    spec = _spec(color, RELATIVE_WEIGHT * line.spec.line_weight)
                    entries.append((f"##{line.name}{k}", line.axis, x, values * line.factor, spec, key))
            values = laps.current.values(line.name) if laps.current is not None else None
            if values is not None:
                x = laps.current.times if over_time else laps.current.distances
                entries.append((f"##{line.name}", line.axis, x, values * line.factor, line.spec, None))
        return entries

    def _gaps(self, laps: Any) -> list[Curve]:
        """Curves of the time lost to each other lap, s."""
        entries: list[Curve] = []
        for k, overlay in enumerate(laps.overlays if laps.current is not None else ()):
            gap = gap_to(laps.current, overlay)
            spec = _spec((*COLOURS[k % len(COLOURS)], 1.0), 1.5 * self._ui.scale)
            entries.append((f"##gap{k}", 0, laps.current.distances, gap, spec, None))
        return entries

    def _outline(
        self, x: np.ndarray, y: np.ndarray, points: int, cache_key: tuple | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The outline of a line in about `points` points, cached for lines of complete laps.

        Args:
            cache_key: (overlay, ...), or None for a line that still grows.
        """
        if cache_key is None:
            return outline(x, y, points)
        overlay, *key_parts = cache_key
        key = (id(overlay), *key_parts, points)
        if self._outlines.get(key, (None, None))[0] is not overlay:
            if len(self._outlines) > MAX_CACHED_OUTLINES:
                self._outlines.clear()
            self._outlines[key] = overlay, outline(x, y, points)
        return self._outlines[key][1]

    # ---- texts above a plot

    def cursor_text(self, plot: Plot, line: Line, laps: Any) -> str:
        """Text after a line's name: the values under the mouse of the present lap and of the first other lap."""
        over_time = plot.kind == LAP_TIME
        at = self.cursors[over_time].at
        if at is None:
            return ""
        texts = []
        for lap in [laps.current, *laps.overlays[:1]]:
            trace = lap if lap is laps.current else lap.trace
            values = None if lap is None else (lap.values(line.name) if lap is laps.current else
                                               trace.channels.get(line.name))  # fmt: skip
            value = None if values is None or not len(values) else at_time(
                trace.times if over_time else lap.distances, values, at)  # fmt: skip
            texts.append("-" if value is None else number_text(value * line.factor, digits=4))
        return " " + " / ".join(texts)

    def gap_texts(self, laps: Any) -> list[tuple[str, tuple[float, ...]]]:
        """[(text, colour)] above a plot of the time lost, one for each other lap: its name, and the time lost at the
        mouse or else at the vehicle's lap distance, s."""
        entries: list[tuple[str, tuple[float, ...]]] = []
        for k, overlay in enumerate(laps.overlays):
            text = overlay.name
            if laps.current is not None and len(laps.current.distances):
                at = self.cursors[False].at
                at = self._current_distance(laps.current) if at is None else at
                value = at_time(laps.current.distances, gap_to(laps.current, overlay), at)
                text += "" if value is None or np.isnan(value) else f" {value:+.2f}"
            entries.append((text, (*COLOURS[k % len(COLOURS)], 1.0)))
        return entries

    # ---- choosing

    def chooser(self, laps: Any) -> None:
        """Draw the list of laps to choose from, inside a popup."""
        sources = laps.sources()
        if not sources:
            imgui.text_disabled("No lap of this world yet: drive one, or take one from a recording.")
        overlay_names = {overlay.name for overlay in laps.overlays}
        for k, source in enumerate(sources):
            is_chosen = source.key in laps.chosen
            text = f"{source.name}   {source.track or ''}"
            changed, ticked = checkbox(f"{text}##{k}", is_chosen)
            self._ui.items.note(f"laps:{source.name}")
            if is_chosen and source.name in overlay_names:
                imgui.same_line()
                imgui.text_colored(_DIM, "shown")
            if changed:
                laps.choose(source.key, ticked)
        if laps.reading:
            imgui.text_disabled("reading ...")
        if laps.problem:
            imgui.text_colored(imgui.ImVec4(*ERROR), laps.problem)
        if laps.folder:
            self._recordings(laps)

    def _recordings(self, laps: Any) -> None:
        """Draw the menu of recordings whose laps can be added."""
        opened = imgui.begin_menu(f"{Icon.PLUS}  Laps of a recording")
        self._ui.items.note("laps:recordings")
        if not opened:
            self._files = []
            return
        if not self._files:
            files = laps.folder.glob("*.drive")
            self._files = sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)[:MAX_RECORDINGS]
        for path in self._files:
            if imgui.menu_item_simple(path.stem):
                laps.open(path)
            self._ui.items.note(f"laps:file:{path.stem}")
        imgui.end_menu()


def gap_to(current: Any, overlay: Any) -> np.ndarray:
    """Time by which the present lap is later than another lap at each distance of the present lap, s."""
    # `accumulate`: distances must not fall, as they do while the vehicle rolls back
    distances = np.fmax.accumulate(np.asarray(current.distances, float)) if len(current.distances) else np.zeros(0)
    return time_difference(distances, current.times, overlay.distances, overlay.trace.times)


def outline(
    x: np.ndarray | Sequence[float], y: np.ndarray | Sequence[float], points: int
) -> tuple[np.ndarray, np.ndarray]:
    """(x, y) reduced to about `points` points: minimum and maximum of groups of samples, which keeps the peaks."""
    size = -(-2 * len(x) // max(2, points))  # samples per group, rounded up
    if size <= 2:
        return np.ascontiguousarray(x, float), np.ascontiguousarray(y, float)
    groups = len(x) // size
    grouped, remainder = groups * size, slice(groups * size, None)
    blocks = np.asarray(y[:grouped], float).reshape(groups, size)
    low, high = blocks.min(axis=1), blocks.max(axis=1)
    falling = blocks[:, 0] > blocks[:, -1]
    out_x, out_y = np.empty(2 * groups), np.empty(2 * groups)
    out_x[::2], out_x[1::2] = x[:grouped:size], x[size - 1 : grouped : size]
    out_y[::2], out_y[1::2] = np.where(falling, high, low), np.where(falling, low, high)
    return np.concatenate([out_x, x[remainder]]), np.concatenate([out_y, y[remainder]])


def has_laps(plots: Iterable[Plot]) -> bool:
    """Whether any of these plots shows laps."""
    return any(plot.kind in LAP_KINDS for plot in plots)


def _spec(color: Sequence[float], weight: float, horizontal: bool = False) -> implot.Spec:
    spec = implot.Spec()
    spec.line_color, spec.line_weight = imgui.ImVec4(*color), weight
    if horizontal:
        spec.flags = implot.InfLinesFlags_.horizontal.value
    return spec
