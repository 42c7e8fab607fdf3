"""Record a drive, and verify every tick of it by simulating it again."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from driving_sandbox import AUTOMATIC, Recorder, load, neutral_command, verify

path = Path(tempfile.mkdtemp(), "launch.drive")
world = load("roadster", "plane")
command = neutral_command()
command["throttle"], command["gear"] = 1.0, AUTOMATIC
with Recorder(path, world, datetime.now(UTC).isoformat()) as recorder:
    for _ in range(480):  # two seconds
        world.step(command)
        recorder.record(command)
print(f"{path.stat().st_size} bytes; {verify(path).text}")
