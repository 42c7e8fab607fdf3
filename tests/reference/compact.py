"""Thins the complete PhysX recordings in FOLDER to the compact copy in tests/reference/data.

    python tests/reference/compact.py FOLDER

The copy has the layout of FOLDER, and all vehicles. It keeps

    table   some rows spread over it
    drive   all commands; the first rows, and some later pairs of consecutive rows, as the tests simulate one step from
            a row to the next (drive_harness.py)
    scene   all commands; the first rows, later rows further apart, and the last row
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np

TARGET = Path(__file__).resolve().parent / "data"
TABLE_ROWS = 60  # rows kept of each table
FIRST_ROWS = 8  # first rows kept of a drive, while the suspension settles
LATER_PAIRS = 8  # pairs of consecutive rows spread over the remaining rows
SCENE_FIRST, SCENE_EVERY = 30, 4  # first rows kept of a scene; then one row in every 4


def drive_rows(recorded):
    """Indices of the rows of a drive to keep; recorded: number of the step of each row."""
    pairs = np.flatnonzero(np.diff(recorded) == 1)
    later = pairs[pairs >= FIRST_ROWS]
    selected = later[np.linspace(0, len(later) - 1, min(LATER_PAIRS, len(later))).astype(int)]
    return sorted({*range(min(FIRST_ROWS, len(recorded))), *selected.tolist(), *(selected + 1).tolist()})


def scene_rows(recorded):
    """Indices of the rows of a scene to keep; recorded: number of the step of each row."""
    n = len(recorded)
    return sorted({*range(min(SCENE_FIRST, n)), *range(SCENE_FIRST, n, SCENE_EVERY), n - 1})


def write_table(path, target):
    """Write up to TABLE_ROWS rows that are spread over a table."""
    with np.load(path) as file:
        doc = json.loads(str(file["doc"]))
        rows = np.unique(np.linspace(0, doc["rows"] - 1, TABLE_ROWS).astype(int))
        doc["rows"] = len(rows)
        compact = {key: file[key][rows] for key in file.files if key != "doc"}
    np.savez_compressed(target, doc=np.array(json.dumps(doc)), **compact)


def write_rows(path, target, choose):
    """Write a thinned copy of a drive or scene.

    Arrays with a row per recorded step keep the rows choose(recorded_steps); commands, external forces and description
    are whole.
    """
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
        write_rows(path, TARGET / "trajectories" / path.name, drive_rows)
    for path in sorted((folder / "scenes").glob("*.npz")):
        write_rows(path, TARGET / "scenes" / path.name, scene_rows)


if __name__ == "__main__":
    write_compact(Path(sys.argv[1]))
