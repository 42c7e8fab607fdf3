"""Random components swapped one after another at speed: the vehicle drives on (live_swaps.py)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import live_swaps
import pytest

KEPT = "swaps"  # key of the kept seeds in kept_seeds.yaml
COMPILED_SEED = 4  # the seed that is driven with compiled kernels too


def driven(seed, jit=0):
    """Result of a seed from live_swaps.py, run in its own process."""
    script = Path(live_swaps.__file__)
    environment = {**os.environ, "SANDBOX_JIT": str(jit), "PYTHONPATH": str(script.parents[2])}
    arguments = [sys.executable, script, str(seed), "1"]
    result = subprocess.run(arguments, env=environment, capture_output=True, text=True)
    assert not result.returncode, f"seed {seed}: {result.stderr}"
    return json.loads(result.stdout)


def test_a_vehicle_drives_on_after_kept_swaps(kept_seed):
    result = driven(kept_seed)
    assert not result["fault"], result
    assert len(result["made"]) == live_swaps.SWAPS and result["fastest"] > live_swaps.SPEED[0]


@pytest.mark.nightly
def test_a_vehicle_drives_on_after_kept_swaps_with_compiled_kernels(report_row):
    """Only one seed, as every swap compiles another step."""
    result = driven(COMPILED_SEED, jit=1)
    report_row("swaps with compiled kernels", f"{len(result['made'])} swaps", result["fault"] or "no fault")
    assert not result["fault"] and len(result["made"]) == live_swaps.SWAPS, result


@pytest.mark.nightly
def test_a_vehicle_drives_on_after_random_swaps(seeds, report_row):
    swap_count, refused, fastest, faults = 0, 0, 0.0, []
    for seed in seeds(minimum=4):
        try:
            result = driven(seed)
        except AssertionError as error:
            faults.append(str(error))
            continue
        swap_count += len(result["made"])
        refused += result["refused"]
        fastest = max(fastest, result["fastest"])
        if result["fault"]:
            faults.append(str(result))
    tried = f"{swap_count} swaps up to {fastest:.0f} m/s, {refused} more refused"
    report_row("swaps of components at speed", tried, f"{len(faults)} faults")
    assert not faults, faults[:5]
