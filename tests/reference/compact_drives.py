"""Writes the few rows of every drive that are kept with the project, from the complete data.

`PYTHONPATH=. python tests/reference/compact_drives.py FOLDER` reads FOLDER/trajectories and FOLDER/vehicles and writes
tests/reference/data/drives in the same layout: all commands, but only the first rows and some later pairs.
"""

import shutil
import sys
from pathlib import Path

import numpy as np

TARGET = Path(__file__).resolve().parent / "data" / "drives"
FIRST_ROWS = 8  # of the start, where suspensions settle and jounces become known
LATER_PAIRS = 8  # spread over the rest
TABLE_ROWS = 40  # of the one table that is read from here


def chosen_rows(recorded):
    """Indices of the rows to keep."""
    pairs = np.flatnonzero(np.diff(recorded) == 1)
    later = pairs[pairs >= FIRST_ROWS]
    picked = later[np.linspace(0, len(later) - 1, min(LATER_PAIRS, len(later))).astype(int)]
    return sorted({*range(min(FIRST_ROWS, len(recorded))), *picked.tolist(), *(picked + 1).tolist()})


def write_compact(folder):
    for name in ("trajectories", "vehicles", "tables"):
        (TARGET / name).mkdir(parents=True, exist_ok=True)
    for path in sorted((folder / "vehicles").glob("*.json")):
        shutil.copyfile(path, TARGET / "vehicles" / path.name)
    for path in sorted((folder / "trajectories").glob("*.npz")):
        with np.load(path) as file:
            rows = chosen_rows(file["recorded_steps"])
            few = {k: file[k][rows] if k in ("recorded_steps", "body", "wheels") else file[k] for k in file.files}
        np.savez_compressed(TARGET / "trajectories" / path.name, **few)
    with np.load(folder / "tables" / "diff_tank.npz") as file:
        few = {k: file[k][:TABLE_ROWS] for k in file.files if k != "doc"}
    np.savez_compressed(TARGET / "tables" / "diff_tank.npz", **few)


if __name__ == "__main__":
    write_compact(Path(sys.argv[1]))
