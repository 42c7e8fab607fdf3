"""Components swapped at speed, one random one after another: the vehicle drives on (live_swaps.py)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import live_swaps
import pytest

KEPT = "swaps"
COMPILED = 4  # the seed that is driven with compiled kernels too


def driven(seed, jit=0):
    """What live_swaps.py found of a seed, in a process of its own."""
    script = Path(live_swaps.__file__)
    environment = {**os.environ, "SANDBOX_JIT": str(jit), "PYTHONPATH": str(script.parents[2])}
    words = [sys.executable, script, str(seed), "1"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert not done.returncode, f"seed {seed}: {done.stderr}"
    return json.loads(done.stdout)


def test_kept_swaps(kept_seed):
    found = driven(kept_seed)
    assert not found["fault"], found
    assert len(found["made"]) == live_swaps.SWAPS and found["fastest"] > live_swaps.SPEED[0]


@pytest.mark.nightly
def test_kept_swaps_with_compiled_kernels(report_row):
    """Of one seed: every swap compiles another step."""
    found = driven(COMPILED, jit=1)
    report_row("swaps with compiled kernels", f"{len(found['made'])} swaps", found["fault"] or "no fault")
    assert not found["fault"] and len(found["made"]) == live_swaps.SWAPS, found


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
