"""Compiling in a worker process: progress, the marker of compiled code, cancelling, and messages about failures."""

import os
import shutil
import subprocess
import sys
import time

import pytest
from command_line import ROOT

from driving_sandbox.physics.compile import CompileWorker, is_warm
from driving_sandbox.physics.kernel.cache_folder import cache_folder
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TINY = '''
"""Two kernels, one calling the other, to have something small to compile."""

from driving_sandbox.physics.kernel.jit import kernel


@kernel
def add_one(x):
    return x + 1.0


@kernel
def add_two(x):
    return add_one(add_one(x))
'''


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """An empty folder that is the cache of this test."""
    monkeypatch.setenv("SANDBOX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def run_python(code, **environment):
    """What code prints in a new process."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **environment},
                          capture_output=True, text=True, check=True).stdout  # fmt: skip


def test_progress_counts_compiled_kernels_and_is_silent_when_they_are_cached(tmp_path, empty_cache):
    (tmp_path / "tiny_kernels.py").write_text(TINY, encoding="utf8")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from driving_sandbox.physics.compile import report_progress
report_progress()
import tiny_kernels
print(tiny_kernels.add_two(1.0))
"""
    assert run_python(code).split("\n")[:3] == ["compiled", "compiled", "3.0"]
    assert run_python(code).strip() == "3.0"


def test_files_of_two_processes_that_began_with_empty_caches_do_not_mix(tmp_path, empty_cache):
    """As of two processes that compile at the same moment; afterwards each uses the files of both."""
    (tmp_path / "tiny_kernels.py").write_text(TINY.replace("1.0", "x"), encoding="utf8")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from driving_sandbox.physics.compile import report_progress
report_progress()
import tiny_kernels
print(tiny_kernels.add_two(ARGUMENT))
"""
    results = {"3": "12", "0.25": "1.0"}  # 4 x, compiled for an integer and for a float
    for argument, result in results.items():
        written = run_python(code.replace("ARGUMENT", argument), SANDBOX_CACHE=str(tmp_path / argument)).split()
        assert written == ["compiled", "compiled", result]
        shutil.copytree(tmp_path / argument, empty_cache, dirs_exist_ok=True)
    for argument, result in results.items():
        assert run_python(code.replace("ARGUMENT", argument)).split() == [result]


def test_a_cache_file_cut_off_by_a_crash_is_made_again(tmp_path, empty_cache):
    (tmp_path / "tiny_kernels.py").write_text(TINY, encoding="utf8")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import physics.kernel.jit; import tiny_kernels; "
    code += "print(tiny_kernels.add_two(1.0))"
    assert run_python(code).strip() == "3.0"
    files = list(empty_cache.rglob("*.nbc"))
    assert len(files) == 2
    sizes = [file.stat().st_size for file in files]
    for file, fraction in zip(files, (0.5, 0.0), strict=True):
        os.truncate(file, int(file.stat().st_size * fraction))
    assert run_python(code).strip() == "3.0"
    assert [file.stat().st_size for file in files] == sizes


def test_a_kernel_runs_for_the_record_type_it_is_given(empty_cache):
    """What was compiled before, here or in other processes, does not matter, nor that types begin with equal fields."""
    program = [sys.executable, "-W", "error", "-m", "tests.core.kernel_versions"]
    outputs = []
    for kinds in (["long"], ["swapped"], ["long", "swapped"], ["short", "long"]):
        run = subprocess.run([*program, *kinds], cwd=ROOT, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        outputs.append(run.stdout.split())
    assert outputs[2] == ["long", "1.0", "swapped", "2.0", "both", "21.0"]
    assert outputs[3] == ["short", "1.0", "long", "2.0", "both", "21.0"]


def test_machine_code_of_two_record_types_has_different_names(empty_cache):
    """Two processes may number their record types alike: one that loads the code of both would mix them up."""
    code = """
import numpy, numba
from driving_sandbox.physics.kernel.jit import inner, kernel

@kernel
def second(record):
    return record.b

record = numba.from_dtype(numpy.dtype(FIELDS))
print(inner(second).get_call_template((record,), {}) and inner(second).overloads[(record,)].fndesc.mangled_name)
"""
    fields = ("[('a', float), ('b', float)]", "[('b', float), ('a', float)]")
    names = [run_python(code.replace("FIELDS", f)).strip() for f in fields]
    assert all(name.startswith("_Z") for name in names)
    assert names[0] != names[1]


def test_a_worker_fills_the_cache_and_leaves_the_marker():
    """The worker fills the cache of all tests, so that later tests need not compile the same kernels."""
    vehicle = load_vehicle("buggy")
    counts = []
    worker = CompileWorker("buggy", "plane")
    deadline = time.monotonic() + 300.0
    while worker.poll():
        counts.append(worker.count)
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert worker.done and worker.error is None
    assert is_warm(vehicle)
    assert [*counts, worker.count] == sorted([*counts, worker.count])
    again = [sys.executable, "-m", "driving_sandbox.physics.compile", "buggy", "plane"]
    result = subprocess.run(again, cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == ""  # nothing left to compile


def test_an_empty_cache_is_not_warm(empty_cache):
    code = """
from driving_sandbox.physics.compile import is_warm
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
print(is_warm(load_vehicle("roadster")))
"""
    assert run_python(code).strip() == "False"
    assert run_python(code, SANDBOX_JIT="0").strip() == "True"


def test_a_worker_can_be_cancelled(empty_cache):
    worker = CompileWorker("roadster", "plane")
    assert worker.poll()
    worker.cancel()
    assert worker.done and worker.error is None
    assert not worker.poll()
    worker.cancel()  # twice does no harm


def test_a_worker_that_fails_says_why_in_one_line():
    worker = CompileWorker("roadstr", "plane")
    assert not worker.wait()
    assert worker.error.endswith("or give a .yaml file") and 'did you mean "roadster"?' in worker.error


def test_code_is_run_only_when_trusted():
    example = ROOT / "docs" / "examples" / "progressive_buggy.yaml"
    worker = CompileWorker(example, "plane")
    assert not worker.wait()
    assert "which was not allowed" in worker.error
    assert CompileWorker(example, "plane", trusted=[example.with_name("progressive_suspension.py")]).wait()


def test_the_cache_folder_is_outside_the_program():
    assert ROOT not in cache_folder().parents


@pytest.mark.parametrize("prepared", [True, False])
def test_the_first_contact_between_vehicles_needs_no_kernel_once_prepared(prepared):
    """Loading or compiling kernels would stop the frames when a driver first touches another vehicle."""
    code = f"""
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world import vehicle_contact as module
from driving_sandbox.physics.world.world import World

def loaded():
    kernels = [module.find_near_pairs, module.pose_shape, module.pair_contacts,
               module.begin_contacts, module.end_contacts, module.clear_memory]
    return sum(len(kernel.overloads) for kernel in kernels)

world = World(plane_ground(), [load_vehicle("roadster") for _ in range(2)])
if {prepared}:
    world.between.prepare()
before, touching = loaded(), []
for offset in (3.85, 8.0):  # 5 cm into each other, then apart
    world.vehicles[1].state["body"]["position"][0] = (0.3, offset, 0.0)
    if world.between.begin(None, world.tick_seconds, 4) is not None:
        touching = world.between.touching
        world.between.end()
print(touching, loaded() - before)
"""
    assert run_python(code) == f"[0, 1] {0 if prepared else 6}\n"


def test_driving_among_other_vehicles_waits_for_the_kernels_of_contact(empty_cache):
    code = """
from driving_sandbox.physics import compile
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

compile.parts_ready = lambda sequence: True
vehicle, planar = load_vehicle("roadster"), load_vehicle("planar_roadster")  # the planar one has no bodywork
print(compile.is_warm(vehicle), compile.is_warm(vehicle, contact=True), compile.is_warm(planar, contact=True))
compile.note_compiled(compile.CONTACT)
print(compile.is_warm(vehicle, contact=True))
"""
    assert run_python(code).split() == ["True", "False", "True", "True"]
