"""Equal samples on every machine and C library: committed hashes of 2 s of four vehicles that sound differently."""

import os
import subprocess
import sys

import pytest
from print_sound_hashes import hash_of

from driving_sandbox.physics.kernel.jit import JIT, ROOT

FOLDER = ROOT / "tests" / "sound"
PINNED = dict(
    line.split() for line in (FOLDER / "sound_hashes.txt").read_text().splitlines() if not line.startswith("#")
)
# Environments in which a library uses its code for an older processor: the C library without fused multiply-add,
# numpy's loops and BLAS as for one of 2004.
OTHER_PROCESSORS = {
    "glibc": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"},
    "numpy": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Prescott"},
}

pytestmark = pytest.mark.skipif(not JIT, reason="the soundtrack needs compiled kernels")


def hashes_of(vehicles, **environment):
    """{vehicle: hash} from a new process."""
    command = [sys.executable, "-W", "ignore", str(FOLDER / "print_sound_hashes.py"), *vehicles]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return dict(line.split() for line in result.stdout.splitlines())


def test_the_vehicles_sound_differently():
    assert len(set(PINNED.values())) == len(PINNED) == 4


@pytest.mark.parametrize("vehicle", sorted(PINNED))
def test_a_drive_has_the_committed_samples(vehicle):
    assert hash_of(vehicle) == PINNED[vehicle]


@pytest.mark.parametrize("library", sorted(OTHER_PROCESSORS))
def test_libraries_for_another_processor_change_no_sample(library):
    assert hashes_of(PINNED, **OTHER_PROCESSORS[library]) == PINNED


def test_kernels_compiled_for_any_processor_change_no_sample():
    """Tried with a car; all are tried nightly."""
    assert hashes_of(["roadster"], NUMBA_CPU_NAME="generic") == {"roadster": PINNED["roadster"]}


@pytest.mark.nightly
def test_kernels_compiled_for_any_processor_change_no_sample_of_any(report_row):
    hashes = hashes_of(PINNED, NUMBA_CPU_NAME="generic")
    other = [vehicle for vehicle in PINNED if hashes[vehicle] != PINNED[vehicle]]
    report_row("sound with kernels for any x86-64", f"{len(PINNED)} vehicles, 2 s", f"{len(other)} differ")
    assert other == []
