"""Stepping a world compiles nothing after the first tick and does not let memory grow, in seconds or in an hour."""

import gc
import subprocess
import sys
import tracemalloc

import pytest
from numba.core import event

from driving_sandbox.benchmarks.scenes import VEHICLES, command, hill_world
from driving_sandbox.physics.kernel.jit import JIT, ROOT

SLACK = 4096  # bytes that tracing itself and cached small objects may take


def resident_bytes():
    """Resident memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096  # bytes of a page


def stepper(vehicle):
    """A function that drives a number of ticks in a circle over the hills."""
    world = hill_world(vehicle, tick_rate=240.0, substeps=4)
    commands = command(world.vehicles[0], throttle=0.35, steer=-0.35)

    def step(ticks):
        for _ in range(ticks):
            assert world.step(commands) is None

    return step


@pytest.mark.skipif(not JIT, reason="without JIT nothing is compiled")
@pytest.mark.parametrize("vehicle", VEHICLES)
def test_nothing_is_compiled_after_the_first_tick(vehicle):
    step = stepper(vehicle)
    step(1)
    compiled = []

    class Listener(event.Listener):
        def on_start(self, event):
            compiled.append(event)

        def on_end(self, event):
            pass

    listener = Listener()
    event.register("numba:compile", listener)
    try:
        step(2000)
    finally:
        event.unregister("numba:compile", listener)
    assert not compiled


@pytest.mark.parametrize("vehicle", VEHICLES)
def test_ticks_keep_no_memory(vehicle):
    step = stepper(vehicle)
    step(240)
    gc.collect()
    tracemalloc.start()
    try:
        step(240)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        step(1200)
        gc.collect()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < SLACK
    assert peak - before < 8 * SLACK  # `peak` is since `start`: what ticks hold temporarily


def growth_in_an_hour():
    """Growth of this process in an hour of driving after its first minute, bytes."""
    step = stepper("roadster")
    step(240 * 60)
    gc.collect()
    before = resident_bytes()
    for _ in range(59):
        step(240 * 60)
    gc.collect()
    return resident_bytes() - before


@pytest.mark.nightly
def test_an_hour_of_driving_keeps_no_memory():
    """In a process of its own: in one of many tests, the memory of earlier ones is released and taken again."""
    code = "import sys; sys.path.insert(0, 'tests/cli'); import test_steady_loop as t; print(t.growth_in_an_hour())"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) < 1_000_000
