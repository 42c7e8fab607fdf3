"""`tire`: curves of a tire from a property file or a vehicle, as a table, CSV and HTML."""

import csv
import json
import math
from argparse import Namespace
from pathlib import Path

import numpy as np

from driving_sandbox.cli.headless import vehicle_of_options
from driving_sandbox.cli.outputs import check_output
from driving_sandbox.lab.charts import page
from driving_sandbox.lab.tire_curves import COLUMNS, Tire, charts, figures, of_file, of_wheel, sweeps
from driving_sandbox.physics.schema.yaml_file import ConfigError

MILLIMETRES = 1000.0  # per metre
HEAD = {  # {figure of lab.tire_curves.figures: (heading of its column, decimals)}
    "load": ("load [N]", 0), "mu_x": ("mu x", 3), "mu_y": ("mu y", 3), "peak_slip": ("peak slip", 3),
    "peak_angle": ("peak [deg]", 1), "cornering_stiffness": ("Ky/Fz [1/rad]", 2), "slip_stiffness": ("Kx/Fz", 1),
    "fy_20_degrees": ("Fy at 20 deg/peak", 3), "trail": ("trail [mm]", 1), "largest_mz": ("largest Mz [N m]", 1),
    "rolling_radius": ("rolling radius [mm]", 1),
}  # fmt: skip


def tire(options: Namespace) -> None:
    """Sweep the tire, write the requested files and print the table."""
    check_output(options.csv, "--csv", (".csv",))
    check_output(options.html, "--html", (".html",))
    swept = _source(options)
    rows = figures(swept)
    if options.csv or options.html:
        curves = sweeps(swept)
        if options.csv:
            _write(options.csv, curves)
        if options.html:
            text = page(swept.name, [heading for heading, _ in HEAD.values()], _cells(rows), charts(swept, curves))
            Path(options.html).write_text(text, encoding="utf8")
    print(_json(swept.name, rows) if options.json else _table(swept.name, rows))


def _source(options: Namespace) -> Tire:
    """The Tire of a property file or of a vehicle's wheel. Raises ConfigError."""
    if Path(options.source).suffix.lower() != ".tir":
        return of_wheel(vehicle_of_options(options.source, options.setup, options.trust), options.wheel)
    for option in ("setup", "wheel"):
        if getattr(options, option):
            raise ConfigError(
                options.source, None, f"--{option}", "needs a vehicle; a property file describes one tire"
            )
    return of_file(options.source)


def _json(name: str, rows: list[dict[str, float]]) -> str:
    """The table as JSON, with null for a quantity that the tire model lacks, as JSON has no NaN."""
    known = [{key: None if math.isnan(value) else value for key, value in row.items()} for row in rows]
    return json.dumps({"tire": name, "rows": known}, indent=2, allow_nan=False)


def _cells(rows: list[dict[str, float]]) -> list[list[str]]:
    """Table rows of texts in the columns of HEAD, lengths in mm; - for NaN, a quantity that the tire model lacks."""
    in_millimetres = [{**row, **{key: row[key] * MILLIMETRES for key in ("trail", "rolling_radius")}} for row in rows]
    return [["-" if row[key] != row[key] else f"{row[key]:.{digits}f}" for key, (_, digits) in HEAD.items()]
            for row in in_millimetres]  # fmt: skip


def _table(name: str, rows: list[dict[str, float]]) -> str:
    """The table for the terminal."""
    lines = [[heading for heading, _ in HEAD.values()], *_cells(rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEAD))]
    return "\n".join(
        [name, *("  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in lines)]
    )


def _write(path: Path | str, curves: dict[str, dict[str, np.ndarray]]) -> None:
    """Write a row for each point of every sweep."""
    with open(path, "w", encoding="utf8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"{name} [{unit}]" if unit else name for name, unit in COLUMNS.items()])
        for sweep, columns in curves.items():
            for values in zip(*(np.ravel(columns[name]).tolist() for name in COLUMNS if name != "sweep"), strict=True):
                writer.writerow([sweep, *(f"{value:.9g}" for value in values)])
