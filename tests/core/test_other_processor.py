"""Machine code of a vehicle's step: no elementary functions of the C library, no fused multiply-add, and on emulated
aarch64 the state committed for x86-64."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from print_hashes import as_text, started
from test_state_hashes import PINNED, TICKS, VEHICLES

from driving_sandbox.physics.kernel.jit import JIT, ROOT

HERE = ROOT / "tests" / "core"
FOLDER = HERE / "other_processor"
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
# functions of the C library; then instructions that call or load an address, and fused ones, of both processors
NAMES = "sincos|sin|cos|tan|asin|acos|atan2|atan|sinh|cosh|tanh|exp2|expm1|exp|log2|log10|log1p|log|pow|hypot|cbrt|fma"
LIBRARY_FUNCTION = re.compile(rf"(?<![\w.@])_?({NAMES})f?(?![\w.$])")
CALLS = re.compile(r"\b(call|callq|jmp|jmpq|movabs|movabsq|bl|b|adrp)\b")
FUSED = re.compile(r"\b(vfn?m(add|sub)\w*|fn?m(add|sub)|fml[as])\b")

pytestmark = pytest.mark.skipif(not JIT or not sys.platform.startswith("linux"), reason="needs compiled code")

CONTROL = """
import math, numba
from llvmlite import binding as llvm
@numba.njit(fastmath={"contract"})
def fused(x, y, z):
    return x * y + z
@numba.njit
def called(x):
    return math.sin(x) + math.cos(x) + math.exp(x)
fused(1.0, 2.0, 3.0), called(1.0)
print(*fused.inspect_asm().values(), *called.inspect_asm().values())
"""


def python(*arguments, **environment):
    """The output of Python run in a process of its own with these arguments and environment, which must succeed."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{HERE}", **environment}
    result = subprocess.run([sys.executable, "-W", "ignore", *map(str, arguments)], cwd=ROOT, env=environment,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout


def library_calls(assembly):
    """Elementary functions of the C library referenced by assembly code."""
    lines = [line for line in assembly.splitlines() if CALLS.search(line)]
    return sorted({call for line in lines for call in LIBRARY_FUNCTION.findall(line)})


def fused(assembly):
    """Fused multiply-adds in assembly code."""
    return sorted({match[0] for match in FUSED.findall(assembly)})


def emit(folder, vehicle):
    """Write a vehicle's step for this processor and for aarch64 into a folder, see other_processor/emit.py."""
    python(FOLDER / "emit.py", folder, TICKS, "field", vehicle, SANDBOX_CACHE=str(folder / "cache"))


@pytest.fixture(scope="module")
def emitted(tmp_path_factory):
    """Folder with the roadster's step for this processor and for aarch64."""
    folder = tmp_path_factory.mktemp("step")
    emit(folder, "roadster")
    return folder


def test_calls_and_fused_operations_are_detected():
    """CONTROL, compiled with contraction, has both; so have lines of assembly code for aarch64."""
    assembly = python("-c", CONTROL, NUMBA_CPU_NAME="haswell", NUMBA_CPU_FEATURES="+fma,+avx2")
    assert "exp" in library_calls(assembly) and {"sin", "cos", "sincos"} & set(library_calls(assembly))
    assert fused(assembly)
    assert fused("\tfmadd\td0, d1, d2, d3\n\tfmla v0.2d, v1.2d, v2.2d") == ["fmadd", "fmla"]
    assert library_calls("\tbl\tsincos\n\tadrp x0, :got:atan2\n\tbl sinful") == ["atan2", "sincos"]


def unwanted(folder):
    """Library calls and fused operations in the two steps of a folder, each of which must be complete."""
    found = []
    for name in ("native.s", "step.s"):
        assembly = (folder / name).read_text()
        assert len(re.findall(r"\bf?v?(mul|add)(sd|pd)?\b", assembly)) > 300, name
        found += library_calls(assembly) + fused(assembly)
    return found


def state_on_arm(folder, vehicle):
    """Hash of a vehicle's state after the drive with the step of a folder on an emulated aarch64 processor."""
    if not (shutil.which(COMPILER) and shutil.which(EMULATOR)):
        missing = f"needs {COMPILER} and {EMULATOR} (./test installs)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    program, state = folder / "drive", folder / "state.bin"
    name = (folder / "name.txt").read_text()
    # numba's names are no C identifiers
    command = [COMPILER, "-O2", "-static", "-Wall", "-Werror", f'-DSTEP_NAME="{name}"',
             FOLDER / "drive.c", folder / "step.o", "-o", program, "-lm"]  # fmt: skip
    linked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert linked.returncode == 0, linked.stderr
    result = subprocess.run(
        [EMULATOR, program, folder / "start.bin", state], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    world = started("field", [vehicle])
    world.vehicles[0].state_bytes[:] = np.frombuffer(state.read_bytes(), np.uint8)
    world.tick = TICKS
    return as_text(world.state_hash())


def test_the_step_calls_no_elementary_function_and_fuses_nothing(emitted):
    assert unwanted(emitted) == []


def test_a_drive_on_an_emulated_arm_processor_ends_in_the_committed_state(emitted):
    assert state_on_arm(emitted, "roadster") == PINNED["field", "roadster"]


@pytest.mark.nightly
def test_every_vehicle_drives_the_same_on_an_emulated_arm_processor(tmp_path, report_row):
    """Of a train, whose parts drive.c does not join, only the code of the towing vehicle's step is read."""
    other, driven = {}, 0
    for vehicle in VEHICLES:
        folder = tmp_path / vehicle
        folder.mkdir()
        emit(folder, vehicle)
        if found := unwanted(folder):
            other[vehicle] = found
        if len(started("field", [vehicle]).vehicles) == 1:
            driven += 1
            if (state := state_on_arm(folder, vehicle)) != PINNED["field", vehicle]:
                other[vehicle] = state
    report_row(
        "steps for x86-64 and ARM64 read, and driven on an emulated ARM64 processor",
        f"{len(VEHICLES)} vehicles, {driven} of them driven for {TICKS} ticks", f"{len(other)} differ",
    )  # fmt: skip
    assert other == {}
