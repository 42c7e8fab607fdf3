"""Random integers in saved states are refused, or stepped without a crash (state_integers.py)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import state_integers

COUNT = 2000  # seeds of each process, whose start takes as long as some thousands of them
FOLDERS = [Path(state_integers.__file__).parents[k] / folder for k, folder in ((2, "."), (1, "core"), (1, "props"))]


def tried(name, first, count):
    """{"refused": number of states, "stepped": number} of seeds tried in a process; AssertionError if it crashes."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, FOLDERS))}
    command = [sys.executable, state_integers.__file__, name, str(first), str(count)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    *_, last = result.stdout.splitlines() or [""]
    assert result.returncode == 0, f"{name}, seed {last}: ended with {result.returncode}: {result.stderr[-500:]}"
    return json.loads(last)


@pytest.mark.parametrize("name", ["tank", state_integers.SCENE])
def test_random_integers_are_refused_or_stepped(name):
    counts = tried(name, 0, 300)
    assert counts["refused"] > 100 and counts["stepped"] > 10


def test_every_integer_of_a_saved_scene_is_changed():
    """The scene has contacts between vehicles, moved props and wheels on a prop; none on a vehicle."""
    world, _ = state_integers.scene()
    views = [values for values, _, _ in state_integers.parts_of(world, bytearray(world.snapshot()))]
    # of contacts, of wheels on vehicles, the number of props, of props and of wheels on them
    assert len(views) == 2 + 4 + 1 + 3 + 5
    assert all(np.size(values) for values in views)


@pytest.mark.nightly
def test_random_integers_in_every_type_of_state_crash_nothing(seeds, report_row):
    counts, crashes = {"refused": 0, "stepped": 0}, []
    for k in seeds(minimum=len(state_integers.NAMES)):
        turn, which = divmod(k, len(state_integers.NAMES))
        try:
            result = tried(state_integers.NAMES[which], turn * COUNT, COUNT)
        except AssertionError as error:
            crashes.append(str(error))
            continue
        counts = {key: counts[key] + result[key] for key in counts}
    report_row(
        "random integers in states of every type of vehicle, of props and of contacts",
        f"{sum(counts.values()):,} states, {counts['refused']:,} of them refused", f"{len(crashes)} crashes",
    )  # fmt: skip
    assert not crashes, crashes[:5]
