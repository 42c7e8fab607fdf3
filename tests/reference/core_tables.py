"""The reference tables of suspension, tires, wheels and body; read by the loader of the drivetrain's tables.

`PYTHONPATH=.:tests/drivetrain python tests/reference/core_tables.py` writes the first rows into tests/reference/data.
"""

import numpy as np
from drivetrain_tables import COMPACT, COMPACT_ROWS, close, complete_folder, rows

__all__ = ["MARKER", "close", "marked", "rows"]

NAMES = (
    "suspension_state", "suspension_compliance", "suspension_force", "antiroll", "tire_directions", "tire_slip_speeds",
    "tire_slips", "tire_grip", "tire_force", "wheel_rotation_angle", "wheel_pose", "rigid_body", "sprung_masses",
    "frames",
)  # fmt: skip
MARKER = 1e30  # beyond it a number means "not known"; 1e-30 and nearer zero, but not zero, "nothing there"


def marked(value):
    """Whether a number of a table stands for "not known" or "nothing there"."""
    return abs(value) > MARKER or 0.0 < abs(value) < 1.0 / MARKER


def write_compact():
    COMPACT.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        with np.load(complete_folder() / f"{name}.npz") as file:
            few = {key: file[key][:COMPACT_ROWS] for key in file.files if key != "doc"}
        np.savez_compressed(COMPACT / f"{name}.npz", **few)


if __name__ == "__main__":
    write_compact()
