"""A recording as arrays of numpy, or as a table of pandas where that is installed."""

import tempfile
from pathlib import Path

from driving_sandbox import AUTOMATIC, Recorder, load, neutral_command, recording_table

path = Path(tempfile.mkdtemp(), "launch.drive")
world = load("roadster", "plane")
command = neutral_command()
command["throttle"], command["gear"] = 1.0, AUTOMATIC
with Recorder(path, world, "2026-01-01") as recorder:
    for _ in range(480):  # two seconds
        world.step(command)
        recorder.record(command)

table = recording_table(path, ["body.velocity.y", "tire.rl.load"], span=(0.5, 2.0))
for name, column in table.columns.items():
    print(f"{name:18} {len(column)} values from {column[0]:.3f} to {column[-1]:.3f} {table.unit(name)}")
try:
    import pandas
except ImportError:
    print("pandas is not installed; with it: pandas.DataFrame(table.columns)")
else:
    print(pandas.DataFrame(table.columns).describe())
