"""Components swapped at speed, one random one after another: the vehicle drives on (live_swaps.py)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import live_swaps
import pytest

KEPT = "swaps"


def driven(seed):
    """What live_swaps.py found of a seed, in a process without JIT."""
    script = Path(live_swaps.__file__)
    done = subprocess.run(
        [sys.executable, script, str(seed), "1"],
        env={**os.environ, "SANDBOX_JIT": "0", "PYTHONPATH": str(script.parents[2])}, capture_output=True, text=True,
    )  # fmt: skip
    assert not done.returncode, f"seed {seed}: {done.stderr}"
    return json.loads(done.stdout)


def test_kept_swaps(kept_seed):
    found = driven(kept_seed)
    assert not found["fault"], found
    assert len(found["made"]) == live_swaps.SWAPS and found["fastest"] > live_swaps.SPEED[0]


@pytest.mark.nightly
def test_random_swaps(seeds, report_row):
    made, refused, fastest, faults = 0, 0, 0.0, []
    for seed in seeds(least=4):
        try:
            found = driven(seed)
        except AssertionError as error:
            faults.append(str(error))
            continue
        made, refused, fastest = made + len(found["made"]), refused + found["refused"], max(fastest, found["fastest"])
        if found["fault"]:
            faults.append(str(found))
    tried = f"{made} swaps up to {fastest:.0f} m/s, {refused} more refused"
    report_row("swaps of components at speed", tried, f"{len(faults)} faults")
    assert not faults, faults[:5]
