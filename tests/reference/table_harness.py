"""Function tables of the reference, the PhysX 5 vehicle SDK: our results for each row's inputs against its outputs.

A table is an `.npz` with arrays `in__*` and `out__*`, one row per case, and a `doc` that names the function, its
columns and their shapes. `FUNCTIONS` maps the name of a function to the code that calls our components for a row
(table_commands.py, table_drivetrain.py, table_tires.py, table_wheels.py, table_solvers.py). For every channel it
yields our number, the table's, and the scale of the error, such as the size of the terms; where the table's number is
larger, that is the scale, so 0 stands for it. A channel without a scale (None) is discrete and must be equal.
A table with unknown function, columns or shapes, or with an output that is not compared, is an error.

Every finite row must be within TOLERANCE of its scale. The tables are single precision: a row beyond it is repeated
with its inputs changed at random by one unit of float32's last place, and SAFETY times the change of the channel is the
row's bound. Such rows are listed with their bound; their share is limited (MAX_SHARE), and no bound may exceed
LARGEST.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

TOLERANCE = 1e-5  # of a channel's scale
SAFETY = 8.0  # a row's function rounds a hundred times, its inputs once; errors add up as a random walk
REPEATS = 12  # random perturbations of a row
MAX_SHARE = 0.15  # largest share of a table's rows beyond TOLERANCE; in tables far from the origin it is 6 %
MAX_ROWS = 5  # beyond TOLERANCE in a short table
LARGEST = 0.05  # of the scale, upper limit of bounds by rounding
SMALLEST_SCALE = 1e-6  # of a channel, in its unit
EPSILON = float(np.finfo(np.float32).eps)
FUNCTIONS = {}
COMPACT = Path(__file__).resolve().parent / "data"  # the project's copy of a part of the reference
COMPACT_TABLES = COMPACT / "tables"  # some rows of every table
# why rows may exceed TOLERANCE, for the report: of any table, and of some by name
REASON = "float32 cancels in the data itself"
REASONS = {
    "engine_drivetrain": "the data's least squares use float32 normal equations",
    "suspension_state": "the data's positions are float32, far from the origin or at grazing lines",
    "tire_force": "the moment is a difference of large powers in float32",
}


class TableError(Exception):
    """A file has unknown content."""


def function(name):
    """Decorator that registers the code for tables of a function."""

    def register(code):
        FUNCTIONS[name] = code
        return code

    return register


class Row(dict):
    """Columns of a row by name without `in__`; outputs start with `out_`.

    Attributes:
        read: outputs that were read.
        rng: None, or in repeats with perturbed inputs the generator for functions that round internally.
    """

    def __init__(self, columns, rng=None):
        super().__init__(columns)
        self.read = set()
        self.rng = rng

    def __getitem__(self, key):
        if key.startswith("out_"):
            self.read.add(key)
        return super().__getitem__(key)


@dataclass
class Table:
    """A table as described by its file.

    Attributes:
        name: of the function.
        columns: {name as in `Row`: array with one row per case}.
        count: number of rows.
    """

    path: object
    name: str
    columns: dict
    count: int

    @classmethod
    def load(cls, path):
        """A table read from its file, whose arrays must be as its doc describes them."""
        with np.load(path) as file:
            if "doc" not in file.files:
                raise TableError(f"{path}: no doc entry")
            doc = json.loads(str(file["doc"]))
            arrays = {key: file[key] for key in file.files if key != "doc"}
        if doc.get("table") not in FUNCTIONS:
            raise TableError(f"{path}: function {doc.get('table')!r} is not understood")
        described = {column["name"]: column["shape_per_row"] for column in (*doc["inputs"], *doc["outputs"])}
        if set(described) != set(arrays):
            raise TableError(f"{path}: arrays and doc differ in {sorted(set(described) ^ set(arrays))}")
        for key, shape in described.items():
            if arrays[key].shape[1:] != tuple(shape) or len(arrays[key]) != doc["rows"]:
                raise TableError(f"{path}: {key} is {arrays[key].shape}, described as {doc['rows']} rows of {shape}")
        columns = {
            key.replace("in__", "").replace("out__", "out_"): array.astype(np.float64) for key, array in arrays.items()
        }
        return cls(path, doc["table"], columns, int(doc["rows"]))

    def row(self, i, rng=None):
        """Row i; with rng, its inputs changed by up to one unit of float32's last place."""
        row = Row({key: column[i] for key, column in self.columns.items()}, rng)
        if rng is not None:
            for key in self.measured:
                row[key] = perturbed(row[key], rng)
        return row

    @property
    def measured(self):
        """Inputs that are quantities, not flags, counts or markers."""
        return [
            key for key, column in self.columns.items()
            if not key.startswith("out_") and not np.all(column == np.round(column))
        ]  # fmt: skip


def perturbed(values, rng):
    """Numbers changed at random by up to one unit in the last place of the largest; markers are not changed."""
    values = np.asarray(values, float)
    plain = np.abs(values) < 1e30
    size = np.abs(values[plain]).max(initial=0.0)
    return np.where(plain, values + EPSILON * size * rng.uniform(-1.0, 1.0, values.shape), values)[()]


def outcome(table, row):
    """{channel: (our numbers, error, scale or None)} of a row, without channels that are not finite in the table."""
    results = {}
    for channel, ours, theirs, size in FUNCTIONS[table.name](row):
        ours, theirs = np.atleast_1d(np.asarray(ours, float)), np.atleast_1d(np.asarray(theirs, float))
        if ours.shape != theirs.shape:
            raise TableError(f"{table.path}: {channel} is {theirs.shape}, not {ours.shape}")
        if not np.all(np.isfinite(theirs)):
            continue
        if size is None:
            results[channel] = ours, 0.0 if np.array_equal(ours, theirs) else np.inf, None
            continue
        scale = max(float(size), float(np.abs(theirs).max()), SMALLEST_SCALE)
        error = float(np.abs(ours - theirs).max()) / scale
        results[channel] = ours, np.inf if np.isnan(error) else error, scale
    return results


def rounding_changes(table, i, base):
    """{channel: largest change when row i's inputs are changed like by rounding}, in units of the channel's scale."""
    rng = np.random.default_rng([20261120, i])
    spread = dict.fromkeys(base, 0.0)
    for _ in range(REPEATS):
        for channel, (ours, _, _) in outcome(table, table.row(i, rng)).items():
            if channel in base and base[channel][2] is not None:
                difference = float(np.abs(ours - base[channel][0]).max()) / base[channel][2]
                spread[channel] = max(spread[channel], difference)
    return spread


@dataclass
class TableResult:
    """Result of a table.

    Attributes:
        worst: {channel: (error, row)}.
        exceptions: {row: {channel: (error, bound)}}, beyond TOLERANCE but within the bound.
        failures: [(row, channel, error, bound)], beyond the bound.
        compared: number of compared values.
    """

    worst: dict = field(default_factory=dict)
    exceptions: dict = field(default_factory=dict)
    failures: list = field(default_factory=list)
    compared: int = 0


def compare(table):
    """Compare all rows of a table."""
    result = TableResult()
    outputs = {key for key in table.columns if key.startswith("out_")}
    read = set()
    for i in range(table.count):
        row = table.row(i)
        results = outcome(table, row)
        read |= row.read
        result.compared += len(results)
        for channel, (_, error, _) in results.items():
            result.worst[channel] = max(result.worst.get(channel, (-1.0, 0)), (error, i))
        beyond = [channel for channel, (_, error, _) in results.items() if error > TOLERANCE]
        if not beyond:
            continue
        spread = rounding_changes(table, i, results)
        for channel in beyond:
            error, bound = results[channel][1], min(TOLERANCE + SAFETY * spread[channel], LARGEST)
            if results[channel][2] is None or error > bound:
                result.failures.append((i, channel, error, bound))
            else:
                result.exceptions.setdefault(i, {})[channel] = (error, bound)
    if outputs - read:
        raise TableError(f"{table.path}: outputs {sorted(outputs - read)} were not compared")
    return result


def summary_lines(table, result):
    """(worst errors by channel, listed rows) of a table as text."""
    worst = [[table.name, channel, error, i] for channel, (error, i) in result.worst.items()]
    listed_rows = []
    for i, channels in sorted(result.exceptions.items()):
        text = ", ".join(f"{channel} {error:.1e} (bound {bound:.1e})" for channel, (error, bound) in channels.items())
        listed_rows.append(f"{table.name} row {i}: {text}: {REASONS.get(table.name, REASON)}")
    return worst, listed_rows


def compact_rows(name):
    """The project's rows of a table, for other tests."""
    with np.load(COMPACT_TABLES / f"{name}.npz") as file:
        columns = {k.replace("in__", "").replace("out__", "out_"): file[k] for k in file.files if k != "doc"}
    count = len(next(iter(columns.values())))
    return [{key: column[i].astype(float) for key, column in columns.items()} for i in range(count)]
