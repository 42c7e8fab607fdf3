"""Equal bytes on every machine and C library: committed hashes of a drive of each vehicle."""

import os
import subprocess
import sys

import numpy as np
import pytest
from print_hashes import as_text, drive

from driving_sandbox.physics.kernel.jit import JIT, ROOT

FOLDER = ROOT / "tests" / "core"
TICKS = 720  # of each drive
LINES = [line.split() for line in (FOLDER / "state_hashes.txt").read_text().splitlines() if not line.startswith("#")]
PINNED = {(ground, vehicle): state for ground, vehicle, state in LINES}
VEHICLES = sorted(path.stem for path in (ROOT / "configs" / "vehicles").glob("*.yaml"))

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python is compared with compiled kernels elsewhere")


def hashes_of(ground, vehicles, **environment):
    """{vehicle: hash} from a new process."""
    command = [sys.executable, "-W", "ignore", str(FOLDER / "print_hashes.py"), "each", str(TICKS), ground, *vehicles]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return dict(line.split() for line in result.stdout.splitlines())


def test_every_shipped_vehicle_has_a_hash():
    assert sorted(vehicle for ground, vehicle in PINNED if ground == "field") == VEHICLES
    assert len(set(PINNED.values())) == len(PINNED)


@pytest.mark.parametrize(("ground", "vehicle"), sorted(PINNED))
def test_a_drive_ends_in_the_committed_state(ground, vehicle):
    assert as_text(drive(TICKS, ground, vehicle.split("+")).state_hash()) == PINNED[ground, vehicle]


@pytest.mark.parametrize(("scene", "left_out"), [("meeting", {"vehicle_contact": False}), ("props", {"props": ()})])
def test_the_vehicle_of_a_scene_is_pushed(scene, left_out):
    """Otherwise the hash of the scene would not cover contact."""
    (names,) = (vehicle.split("+") for ground, vehicle in PINNED if ground == scene)
    pushed, alone = (drive(240, scene, names, **options).vehicles[0] for options in ({}, left_out))
    moved = pushed.state["body"]["position"][0] - alone.state["body"]["position"][0]
    assert np.abs(moved).max() > 0.01


# Environments in which a library uses its code for an older processor: the C library without fused multiply-add,
# numpy's loops and BLAS as for one of 2004.
OTHER_PROCESSORS = {
    "glibc": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"},
    "numpy": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Prescott"},
}


@pytest.mark.parametrize("library", sorted(OTHER_PROCESSORS))
@pytest.mark.parametrize("ground", sorted({ground for ground, _ in PINNED}))
def test_libraries_for_another_processor_change_nothing(library, ground):
    vehicles = sorted(vehicle for where, vehicle in PINNED if where == ground)
    hashes = hashes_of(ground, vehicles, **OTHER_PROCESSORS[library])
    assert hashes == {vehicle: PINNED[ground, vehicle] for vehicle in vehicles}


def generic(vehicles):
    """{vehicle: hash} with kernels compiled for any x86-64 processor."""
    return hashes_of("field", vehicles, NUMBA_CPU_NAME="generic")


def test_kernels_compiled_for_any_processor_change_nothing():
    """Tried with one vehicle of each type; all vehicles are tried nightly."""
    types = ["roadster", "planar_roadster", "buggy", "clubsport", "tank", "patrol", "truck_trailer"]
    for vehicle, state in generic(types).items():
        assert state == PINNED["field", vehicle]


@pytest.mark.nightly
def test_kernels_compiled_for_any_processor_change_no_vehicle(report_row):
    hashes = generic(VEHICLES)
    other = [vehicle for vehicle in VEHICLES if hashes[vehicle] != PINNED["field", vehicle]]
    report_row("drives with kernels for any x86-64", f"{len(VEHICLES)} vehicles, {TICKS} ticks", f"{len(other)} differ")
    assert other == []
