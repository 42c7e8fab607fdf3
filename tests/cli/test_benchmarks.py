"""Every benchmark runs, with as few ticks, frames and processes as it can: its figures are not checked."""

import functools
import importlib
import json
import subprocess
from types import SimpleNamespace

import pytest

from driving_sandbox.benchmarks import BENCHMARKS, batch
from driving_sandbox.physics.kernel.cache_folder import cache_folder

SHORT = {  # {benchmark: values of its constants that make it short}
    "tick": {"WARM_UP": 2, "TURNS": 1, "TURN": 2},
    "components": {"WARM_UP": 2, "STATES": 1, "TICKS_BETWEEN_STATES": 1, "REPEATS": 1},
    "sweep": {"WARM_UP": 2, "TURNS": 1, "TURN": 2, "SIZES": (256, 300), "QUERIES": 20},
    "belly": {"SETTLING_TICKS": 2, "TURNS": 1, "TURN": 2},
    "throughput": {"SECONDS": 0.1, "REPEATS": 1, "VEHICLES": ("roadster_simple", "road_train")},
    "what_if": {"SPAN": 0.1, "REPEATS": 1},
    "meeting": {"TICKS": 2, "REPEATS": 1, "SETTLE": 0.1},
    "batch": {"CARS": 2, "REPEATS": 1, "WARM_UP": 10, "BULLET_TICKS": 2},
    "frame": {"WARM_UP": 1, "FRAMES": 2, "TURN": 1, "START_RUNS": 1, "DRIVING": ("roadster",) * 2},
    "graphics": {
        "RUNS": (("one", (64, 36)),),
        "SOFTWARE_SECONDS": 0.04,
        "WARM_UP": 1,
        "FREE": 1,
        "TURN": 1,
        "PLAIN_TURN": 1,
    },
    "recording": {"ROUNDS": 1, "FRAMES": 2, "WARM_UP": 2, "SECONDS": 1.0, "MOMENTS": 2},
    "swap": {"SETTLE": 1, "QUIET": 1},
    "start": {},
    "props": {"RESTING": 3, "MOVING": 3, "TICKS": 4},
    "sound": {"BLOCKS": 2, "ROUNDS": 1},
}  # fmt: skip
RENDERING = ("frame", "graphics", "swap", "props")
# made-up output for two of the frame benchmark's four scenes; they run much the same code as the scene "driving"
STANDING_AND_DRAWN = {"standing": {"standing": [1.0] * 3}, "drawn": {"drawn": [1.0] * 3, "renderer": ""}}
# code added to the swap benchmark's process: its _change only requests the swap, without waiting for the compiler
REQUEST_ONLY = """
def change(base, session, slot, choice):
    begun = session.component_swap.request(slot, choice)
    assert begun or "wait" in session.component_swap.status[slot][0]
    return 0.0, 0.0, 0.0
benchmark._change = change
"""


def test_every_benchmark_has_short_constants():
    assert list(SHORT) == list(BENCHMARKS)


def short_process(name):
    """A replacement of `subprocess.run` for a benchmark.

    A process started with `python -m` gets the constants of SHORT, or its output is made up; others run as they are.
    """
    run = subprocess.run

    def run_short(command, **options):
        if command[1] == "-m":
            _, _, module, *arguments = command
            if name == "frame" and arguments[0] in STANDING_AND_DRAWN:
                return subprocess.CompletedProcess(command, 0, json.dumps(STANDING_AND_DRAWN[arguments[0]]), "")
            # the benchmark `props` starts another module, which has an option instead of these constants
            arguments += ["--frames", "2"] if name == "props" else []
            values = SHORT[name] if name != "props" else {}
            code = f"import {module} as benchmark\nvars(benchmark).update({values!r})\n"
            code += REQUEST_ONLY if name == "swap" else ""
            command = [command[0], "-c", code + "benchmark.main()", *arguments]
        result = run(command, **{**options, "check": False, "text": True})
        assert result.returncode == 0, result.stderr
        return result

    return run_short


def check_run(name, monkeypatch):
    """Run a shortened benchmark; its rows must have the fields of a table."""
    module = importlib.import_module(f"driving_sandbox.benchmarks.{name}")
    for key, value in SHORT[name].items():
        assert key in vars(module), f"{name} has no {key}"
        monkeypatch.setattr(module, key, value)
    if hasattr(module, "subprocess"):
        monkeypatch.setattr(module.subprocess, "run", short_process(name))
    if name == "components":  # its functions are generated, but not compiled
        monkeypatch.setattr(module, "_time", lambda *arguments: 1e-6)
    if name == "frame":  # without starting the whole program to measure its start
        monkeypatch.setattr(module, "_start", lambda environment: 1.0)
    if name == "start":  # every process once, with the compiled code of the tests' cache
        run_once = functools.cache(module._run)
        monkeypatch.setattr(module, "_run", lambda code, cache: run_once(code, str(cache_folder().parent)))
    rows = module.measure()
    assert rows
    for row in rows:
        assert set(row) == {"what", "value", "unit", "note"}
        assert isinstance(row["value"], float)


@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name not in RENDERING])
def test_a_benchmark_runs(name, monkeypatch):
    check_run(name, monkeypatch)


@pytest.mark.parametrize("faulty", [0, 2, 5])
def test_the_batch_benchmark_ends_with_the_fault_of_any_call(faulty):
    """faulty: index of the one call of six with a faulty car."""
    fault = SimpleNamespace(text="car 1: its speed is no number")
    calls = iter(range(6))
    stub = SimpleNamespace(count=2, snapshot=lambda: None, restore=lambda state: None,
                           step=lambda commands: [fault] if next(calls) == faulty else [])  # fmt: skip
    with pytest.raises(RuntimeError, match="its speed is no number"):
        batch._steps_per_second(stub, range(batch.TICKS), batch.TICKS)


@pytest.mark.drawn
@pytest.mark.parametrize("name", RENDERING)
def test_a_benchmark_that_renders_runs(name, monkeypatch):
    check_run(name, monkeypatch)
