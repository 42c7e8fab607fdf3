"""Reference tables of the public vehicle SDK, and the adapter between their conventions and ours.

A table is `NAME.npz` with float32 arrays `in__*` and `out__*`, one row per case. The complete tables are read from the
folder named by SANDBOX_REFERENCE, or from shared/reference/physx beside the repository; without them the first rows
committed under tests/reference/data serve; `PYTHONPATH=. python tests/drivetrain/drivetrain_tables.py` writes them.

Adapter: the tables' lateral axis points left and a positive steer command turns that way; our steer command is
positive to the right. Angles are positive to the left in both. Their timers are float32, and whole multiples of the
step make strict comparisons depend on it, so timers are tested on records with float32 numbers.
"""

import os
from pathlib import Path

import numpy as np

from physics.jit import JIT

ROOT = Path(__file__).resolve().parents[2]
COMPACT = ROOT / "tests" / "reference" / "data"
COMPACT_ROWS = 40
NAMES = (
    "command_response", "steer_response", "ackermann", "brake_response", "direct_throttle_response",
    "direct_actuation", "direct_drive_update", "engine_torque_damping", "clutch_gear", "gearbox_sequence",
    "autobox_step", "autobox_sequence", "diff_multiwheel", "diff_fourwheel", "engine_actuation", "engine_drivetrain",
)  # fmt: skip
TOLERANCE = 1e-5  # of the scale of what is compared: float32 rounding of a handful of operations


def complete_folder():
    """Folder of the complete tables, or None."""
    named = os.environ.get("SANDBOX_REFERENCE")
    folder = (Path(named) if named else ROOT.parent / "shared" / "reference" / "physx") / "tables"
    return folder if folder.is_dir() else None


def rows(name):
    """The rows of a table as dictionaries without the `in__`/`out__` prefixes (outputs as `out_*`)."""
    with np.load((complete_folder() or COMPACT) / f"{name}.npz") as file:
        columns = {
            key.replace("in__", "").replace("out__", "out_"): file[key].astype(np.float64)
            for key in file.files
            if key != "doc"
        }
    count = len(next(iter(columns.values())))
    assert count >= COMPACT_ROWS, f"{name}: {count} rows"
    return [{key: column[i] for key, column in columns.items()} for i in range(count)]


def close(value, expected, scale=None):
    """Whether a value agrees with a float32 result to rounding; scale: size of the numbers that went into it."""
    value, expected = np.asarray(value, float), np.asarray(expected, float)
    scale = np.abs(expected).max(initial=0.0) if scale is None else scale
    return bool(np.all(np.abs(value - expected) <= TOLERANCE * max(float(scale), 1e-6)))


def single(dtype):
    """The same record with float32 in place of float64."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((single(base), shape))
    if dtype.names is None:
        return np.dtype(np.float32) if dtype == np.float64 else dtype
    return np.dtype([(name, single(dtype.fields[name][0])) for name in dtype.names], align=True)


def new(dtype, **values):
    """A kernel's record with some fields set."""
    array = np.zeros(1, dtype)
    for name, value in values.items():
        array[name] = value
    return array[0] if JIT else array.view(np.recarray)[0]


def write_table(block, row, prefix=""):
    """Fill a ResponseTable record from a row's columns."""
    block["count"] = int(row[f"{prefix}nb_commands"])
    block["command"] = row[f"{prefix}command_values"]
    block["point_count"] = row[f"{prefix}nb_speeds"]
    block["speed"] = row[f"{prefix}speeds"]
    block["response"] = row[f"{prefix}responses"]


def write_curve(block, row):
    """Fill a Curve record from a row's columns."""
    n = int(row["curve_n"])
    block["count"] = n
    block["x"][:n] = row["curve_x"][:n]
    block["y"][:n] = row["curve_y"][:n]


def write_floats(block, values, count):
    """Fill a Floats record."""
    block["count"] = count
    block["values"][:count] = values[:count]


def write_compact():
    """Write the first rows of every table used here."""
    COMPACT.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        with np.load(complete_folder() / f"{name}.npz") as file:
            few = {key: file[key][:COMPACT_ROWS] for key in file.files if key != "doc"}
        np.savez_compressed(COMPACT / f"{name}.npz", **few)


if __name__ == "__main__":
    write_compact()
