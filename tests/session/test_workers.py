"""Worker processes: one that dies is reported and not waited for, and none outlives the program."""

import subprocess
import sys
import threading
from dataclasses import asdict

import psutil
import pytest

from driving_sandbox.game.laps.traces import Request as LapRequest
from driving_sandbox.game.laps.traces import TraceWorker
from driving_sandbox.lab.sweep import Request as SweepRequest
from driving_sandbox.lab.sweep import SweepWorker
from driving_sandbox.physics.base.worker import Worker
from driving_sandbox.physics.compile import CompileWorker
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, vehicle_text

TIME_LIMIT = 60.0  # s, far longer than any worker needs to end


def long_sweep():
    """Request of a sweep that takes longer than any test."""
    text = vehicle_text(load_vehicle("roadster"))
    points = [(1000.0, {"body.mass": 1000.0})]
    return SweepRequest(text, path="roadster.yaml", world="plane", maneuver="launch", seconds=1e5, points=points)


def endless_worker():
    """A worker that runs until it is cancelled or killed."""
    return Worker("tests.session.echo_worker")


@pytest.mark.parametrize(
    "begin",
    [
        endless_worker,
        lambda: SweepWorker(long_sweep()),
        lambda: TraceWorker(LapRequest("none.drive", start=0.0, end=1.0, name="a", track=None, out="none.npz")),
        lambda: CompileWorker("roadster", "plane"),
    ],
    ids=["any", "sweep", "trace", "compile"],
)
def test_a_worker_that_dies_is_reported_and_not_waited_for(begin):
    worker = begin()
    worker._process.kill()
    assert not worker.wait()
    assert worker.done and not worker.poll()
    assert worker.error.startswith("the worker process ended with code")
    worker.ask("anything")  # is ignored
    worker.cancel()


def test_a_worker_gets_and_sends_lines_and_cancelling_is_no_failure():
    lines = []

    class Echo(Worker):
        def _take(self, line):
            lines.append(line.strip())

    worker = Echo("tests.session.echo_worker", "now", request={"for": "a while"})
    while not lines:
        assert worker.poll()
    worker.cancel()
    assert lines == ['now {"for": "a while"}'] and worker.done and worker.error is None
    assert not worker.wait()


def test_cancelling_ends_a_worker_that_loses_the_exception_of_its_signal():
    lines = []

    class Deaf(Worker):
        def _take(self, line):
            lines.append(line)

    worker = Deaf("tests.session.deaf_worker")
    while not lines:
        assert worker.poll()
    threading.Thread(target=worker.cancel, daemon=True).start()
    worker._listeners[0].join(TIME_LIMIT)
    assert worker.done and worker.error is None


def test_errors_while_reading_a_result_are_reported():
    class Failing(Worker):
        def _take(self, line):
            raise IndexError("no such word")

    worker = Failing("tests.session.echo_worker", request="speak")
    assert not worker.wait()
    assert worker.error == "IndexError: no such word"


PROGRAM = """
import sys
from time import sleep
from driving_sandbox.game.recordings.summary import SummaryReader
from driving_sandbox.lab.sweep import Request, SweepWorker
from driving_sandbox.physics.compile import CompileWorker
from driving_sandbox.physics.base.worker import Worker

{begin}
print("begun", flush=True)
sleep(1e4)
"""


@pytest.mark.parametrize(
    "begin",
    [
        'worker = Worker("tests.session.echo_worker")',
        "worker = SweepWorker(Request(**{sweep!r}))",
        'reader = SummaryReader(); reader.read("none.drive")',
        'worker = CompileWorker("roadster", "plane")\nwhile not worker.count: sleep(0.01)',
    ],
    ids=["any", "sweep", "summary", "compile"],
)
def test_no_worker_outlives_a_program_that_is_killed(begin, tmp_path, monkeypatch):
    """The same holds for processes that a worker starts: the compiling worker has one."""
    monkeypatch.setenv("SANDBOX_CACHE", str(tmp_path / "cache"))
    code = PROGRAM.format(begin=begin.format(sweep=asdict(long_sweep())))
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout.readline() == "begun\n"
        children = psutil.Process(program.pid).children(recursive=True)
        program.kill()
        assert children
        _, alive = psutil.wait_procs(children, timeout=TIME_LIMIT)
        for process in alive:
            process.kill()
        assert not alive
