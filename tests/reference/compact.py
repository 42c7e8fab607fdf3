"""Writes this project's compact copy of the reference, data recorded from PhysX, from a complete folder.

`PYTHONPATH=. python tests/reference/compact.py FOLDER` writes tests/reference/data in the layout of FOLDER: some rows
spread over every table; of every drive all commands, but only the first rows and some later pairs; of every scene all
commands, the first rows, and later rows further apart.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np

TARGET = Path(__file__).resolve().parent / "data"
TABLE_ROWS = 60  # rows kept of each table
FIRST_ROWS = 8  # of a drive, in which suspensions settle and jounces are determined
LATER_PAIRS = 8  # pairs of consecutive rows spread over the remaining rows
SCENE_FIRST, SCENE_EVERY = 30, 4  # number of first rows of a scene, and interval of the later ones in rows


def pairs_of(recorded):
    """Indices of the rows of a drive to keep."""
    pairs = np.flatnonzero(np.diff(recorded) == 1)
    later = pairs[pairs >= FIRST_ROWS]
    selected = later[np.linspace(0, len(later) - 1, min(LATER_PAIRS, len(later))).astype(int)]
    return sorted({*range(min(FIRST_ROWS, len(recorded))), *selected.tolist(), *(selected + 1).tolist()})


def scene_rows(recorded):
    """Indices of the rows of a scene to keep."""
    n = len(recorded)
    return sorted({*range(min(SCENE_FIRST, n)), *range(SCENE_FIRST, n, SCENE_EVERY), n - 1})


def write_table(path, target):
    """Write TABLE_ROWS rows that are spread over a table."""
    with np.load(path) as file:
        doc = json.loads(str(file["doc"]))
        rows = np.unique(np.linspace(0, doc["rows"] - 1, TABLE_ROWS).astype(int))
        doc["rows"] = len(rows)
        compact = {key: file[key][rows] for key in file.files if key != "doc"}
    np.savez_compressed(target, doc=np.array(json.dumps(doc)), **compact)


def write_rows(path, target, choose):
    """Write the rows choose(recorded_steps) of the arrays with a row per recorded step, and the other arrays whole."""
    with np.load(path) as file:
        recorded = file["recorded_steps"]
        rows, unthinned = choose(recorded), {k for k in file.files if k.endswith(("commands", "ext", "doc"))}
        compact = {k: file[k] if k in unthinned else file[k][rows] for k in file.files}
    np.savez_compressed(target, **compact)


def write_compact(folder):
    """Write the compact copy of a complete folder."""
    for name in ("trajectories", "vehicles", "tables", "scenes"):
        (TARGET / name).mkdir(parents=True, exist_ok=True)
    for path in sorted((folder / "vehicles").glob("*.json")):
        shutil.copyfile(path, TARGET / "vehicles" / path.name)
    for path in sorted((folder / "tables").glob("*.npz")):
        write_table(path, TARGET / "tables" / path.name)
    for path in sorted((folder / "trajectories").glob("*.npz")):
        write_rows(path, TARGET / "trajectories" / path.name, pairs_of)
    for path in sorted((folder / "scenes").glob("*.npz")):
        write_rows(path, TARGET / "scenes" / path.name, scene_rows)


if __name__ == "__main__":
    write_compact(Path(sys.argv[1]))
