"""Plots of the telemetry window, and their layouts: the program's own, and those that the user saved by name."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from driving_sandbox.game.platform.user_folder import write_atomic
from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.schema.yaml_file import ConfigError, YamlMap, check_keys, load_yaml

FILE = "plots.yaml"
TIME, CIRCLE, TIRE, ENGINE, HISTOGRAM, SPECTRUM = "time", "circle", "tire", "engine", "histogram", "spectrum"
LAP_DISTANCE, LAP_TIME, LAP_GAP = "lap_distance", "lap_time", "lap_gap"
KINDS = {
    TIME: "Over time",
    CIRCLE: "Second channel over the first",
    TIRE: "Tires: lateral force over slip angle",
    ENGINE: "Engine: torque over speed",
    HISTOGRAM: "Histogram",
    SPECTRUM: "Spectrum of the sound, dB over Hz, with engine orders",
    LAP_DISTANCE: "Over lap distance, with other laps",
    LAP_TIME: "Over the time of a lap, with other laps",
    LAP_GAP: "Time lost to other laps, over lap distance",
}
SPECTRUM_RANGE = (-120.0, 0.0)  # dB relative to an amplitude of 1
LAP_KINDS = (LAP_DISTANCE, LAP_TIME, LAP_GAP)
_log = logging.getLogger(__name__)


@dataclass
class Line:
    """One drawn channel.

    Attributes:
        name: name of the channel.
        label: text above the plot.
        factor: displayed number divided by the channel's SI value.
        axis: 0 for the left, 1 for the right axis.
        spec: implot.Spec with colour and weight.
    """

    name: str
    label: str
    factor: float
    unit: str
    axis: int
    spec: Any


@dataclass
class Plot:
    """One plot.

    Attributes:
        channels: names, or patterns with `*` for every wheel.
        min_range: (low, high) that the left axis always contains, in the displayed unit; called `room` in a file.
        kind: a key of KINDS.
        lines: list of Line, set by PlotWindow.
    """

    title: str
    channels: list
    min_range: tuple = (0.0, 0.0)
    kind: str = TIME
    aspect: float = 1.0  # width / height of the drawing area in the last frame
    lines: list = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """The plot as plain values for a YAML file."""
        return {"title": self.title, "kind": self.kind, "channels": list(self.channels), "room": list(self.min_range)}


def default_plots() -> list[Plot]:
    """Plots shown until the user chooses others."""
    return [
        Plot("Speed and revs", ["car.speed", "car.rpm"], (0.0, 60.0)),
        Plot("Wheel load", ["tire.*.load"], (0.0, 6000.0)),
        Plot("Slip angle", ["tire.*.lateral_slip"], (-4.0, 4.0)),
        Plot("Acceleration (g-g)", ["car.lateral_g", "car.longitudinal_g"], (-1.2, 1.2), CIRCLE),
    ]


def lap_layout() -> list[Plot]:
    """Plots that compare the present lap with other laps."""
    return [
        Plot("Time lost", [], (-0.5, 0.5), LAP_GAP),
        Plot("Speed", ["car.speed"], (0.0, 60.0), LAP_DISTANCE),
        Plot("Pedals", ["input.throttle", "input.brake"], (0.0, 1.0), LAP_DISTANCE),
        Plot("Steering", ["input.steer"], (-1.0, 1.0), LAP_DISTANCE),
    ]


def starting_layouts() -> dict[str, list[Plot]]:
    """{name: plots} of the program's own layouts."""
    return {
        "Overview": default_plots(),
        "Handling": [
            Plot("Balance (+ understeer)", ["car.balance"], (-2.0, 2.0)),
            Plot("Slip angle", ["tire.*.lateral_slip"], (-4.0, 4.0)),
            Plot("Tires", ["tire.*.lateral_slip", "tire.*.lateral_force"], kind=TIRE),
            Plot("Acceleration (g-g)", ["car.lateral_g", "car.longitudinal_g"], (-1.2, 1.2), CIRCLE),
        ],
        "Suspension": [
            Plot("Jounce", ["suspension.*.jounce"], (0.0, 0.1)),
            Plot("Jounce speed, histogram", ["suspension.*.jounce_speed"], kind=HISTOGRAM),
            Plot("Ride height", ["car.ride_height_front", "car.ride_height_rear"]),
            Plot("Wheel load", ["tire.*.load"], (0.0, 6000.0)),
        ],
        "Engine": [
            Plot("Speed and revs", ["car.speed", "car.rpm"], (0.0, 60.0)),
            Plot("Torque over speed", ["car.rpm", "engine.torque"], kind=ENGINE),
            Plot("Slip ratio", ["tire.*.longitudinal_slip"], (-0.1, 0.1)),
            Plot("Wheel speed", ["wheel.*.omega"]),
        ],
        "Sound": [
            Plot("Speed and revs", ["car.speed", "car.rpm"], (0.0, 60.0)),
            Plot("Pedals", ["input.throttle", "input.brake"], (0.0, 1.0)),
            Plot("Spectrum of the sound", [], SPECTRUM_RANGE, SPECTRUM),
        ],
        "Trailers": [
            Plot("Articulation angle", ["trailer1.articulation", "trailer2.articulation"], (-10.0, 10.0)),
            Plot("Hitch force", ["trailer1.hitch_force", "trailer2.hitch_force"], (0.0, 20e3)),
            Plot("Wheel load", ["trailer1.tire.*.load", "trailer2.tire.*.load"], (0.0, 30e3)),
            Plot("Slip angle", ["trailer1.tire.*.lateral_slip", "trailer2.tire.*.lateral_slip"], (-4.0, 4.0)),
        ],
        "Laps": lap_layout(),
    }


class Layouts:
    """Layouts by name; the user's layouts are stored in the file `path`, or only in memory if `path` is None.

    Attributes:
        problem: what is wrong with the file, or None; a faulty file is not overwritten.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self._path, self._own, self.problem = path and Path(path), {}, None  # _own: {name: rows} of the user's layouts
        if self._path and self._path.is_file():
            try:
                self._own = _read(load_yaml(self._path), self._path)
            except ConfigError as error:
                _log.warning("%s", error)
                self.problem = str(error)

    @property
    def names(self) -> list[str]:
        """Names of the program's layouts, then the user's."""
        return list({**starting_layouts(), **self._own})

    def plots(self, name: str) -> list[Plot]:
        """A new list of the Plots of a layout."""
        rows = self._own.get(name)
        return starting_layouts()[name] if rows is None else [_plot(row) for row in rows]

    def save(self, name: str, plots: Iterable[Plot]) -> None:
        """Save plots as a layout; it hides a layout of the program with the same name. Raises UserError."""
        name = name.strip()
        if not name:
            raise WrongValue("a layout needs a name")
        if self.problem:
            raise WrongValue(f"not saved: overwriting an unreadable file would lose its layouts: {self.problem}")
        self._own[name] = [plot.plain() for plot in plots]
        if self._path:
            write_atomic(self._path, yaml.safe_dump({"layouts": self._own}, sort_keys=False, allow_unicode=True))


def _plot(row: dict[str, Any]) -> Plot:
    return Plot(row["title"], list(row["channels"]), tuple(row["room"]), row["kind"])


def _read(doc: Any, path: Path) -> dict[str, list[dict[str, Any]]]:
    """{name: rows, one for each plot, as from `Plot.plain`} of a layouts file. Raises ConfigError."""
    if not isinstance(doc, YamlMap):
        raise ConfigError(path, None, "", "plot layouts are a mapping of keys")
    check_keys(doc, ("layouts",))
    layouts = doc.get("layouts")
    if not isinstance(layouts, YamlMap):
        raise doc.error("layouts", "must map names to lists of plots")
    for name, rows in layouts.items():
        if not isinstance(rows, list):
            raise layouts.error(name, "must be a list of plots")
        for row in rows:
            _check(layouts, name, row)
    return {str(name): [dict(row) for row in rows] for name, rows in layouts.items()}


def _check(layouts: YamlMap, name: str, row: Any) -> None:
    """Raise ConfigError unless a row describes a plot."""
    if not isinstance(row, YamlMap):
        raise layouts.error(name, "must be a list of plots with title, kind, channels and room")
    check_keys(row, ("title", "kind", "channels", "room"))
    for key, fits, rule in (
        ("title", lambda v: isinstance(v, str), "must be text"),
        ("kind", lambda v: v in tuple(KINDS), f"must be one of {', '.join(KINDS)}"),
        ("channels", lambda v: isinstance(v, list) and all(isinstance(c, str) for c in v), "must be a list of names"),
        ("room", lambda v: isinstance(v, list) and len(v) == 2 and all(isinstance(c, int | float) for c in v),
         "must be two numbers"),
    ):  # fmt: skip
        if key not in row or not fits(row[key]):
            raise row.error(key, rule) if key in row else layouts.error(name, f"a plot has no {key}")
