"""Fixtures and hooks of all tests: import path, temporary user folder, X displays, fuzzing time, nightly table.

Marks such as `covers("PX-ENG-01")`, which names a row of docs/systems.yaml, are explained in pyproject.toml.
"""

import atexit
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame opens no window of its own
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit the folder of the process that started them
    os.environ["SANDBOX_HOME"] = tempfile.mkdtemp(prefix="sandbox-home-")
    atexit.register(shutil.rmtree, os.environ["SANDBOX_HOME"], ignore_errors=True)

settings.register_profile("same", derandomize=True, deadline=None)  # the same examples in every run
settings.register_profile("search", deadline=None)  # --hypothesis-profile=search looks for new ones
settings.load_profile("same")

SLOWEST_MODULE = "test_reference_views.py"  # takes three minutes on one core
ROW = "reliability"  # name under which a test's report carries its row of the nightly table
START_TIME = time.monotonic()  # s, of this test run


def pytest_addoption(parser):
    parser.addoption("--fuzz-seconds", type=float, default=60.0, help="time of each fuzzer (tests marked nightly)")
    parser.addoption("--night-hours", type=float, default=8.0, help="no nightly test starts later than this")


def pytest_runtest_setup(item):
    if item.get_closest_marker("nightly") and time.monotonic() - START_TIME > 3600.0 * item.config.option.night_hours:
        pytest.fail("left out: the night is over", pytrace=False)


@pytest.fixture
def seeds(request):
    """`seeds(minimum)`: 0, 1, 2 ... for a fuzzer: at least `minimum` of them, then more until its time is over."""

    def numbers(minimum=1):
        until = time.monotonic() + request.config.option.fuzz_seconds
        for seed in itertools.count():
            if seed >= minimum and time.monotonic() > until:
                return
            yield seed

    return numbers


@pytest.fixture
def report_row(record_property):
    """`report_row(name, tried, found)` sets this test's row of the table at the end of `./test --nightly`.

    Call it before the assertions, so that failures are listed as well.

    name: what was fuzzed.
    tried: how much, with its unit ("12,000 drops").
    found: number of faults, or the worst case.
    """
    return lambda name, tried, found: record_property(ROW, (str(name), str(tried), str(found)))


def pytest_terminal_summary(terminalreporter):
    """The table of nightly tests: the rows they reported, and the tests that failed or did not run."""
    reports = [
        report for kind in ("passed", "failed", "skipped", "error") for report in terminalreporter.getreports(kind)
    ]
    rows = []
    for report in reports:
        reported = [value for name, value in getattr(report, "user_properties", ()) if name == ROW]
        if "nightly" in getattr(report, "keywords", ()) and not reported and report.outcome != "passed":
            reported = [(report.nodeid, "", "")]
        rows += [(*row, report.outcome) for row in reported]
    if rows:
        terminalreporter.section("reliability")
        for row in [("what", "tried", "found", "test"), ("---",) * 4, *sorted(rows)]:
            terminalreporter.write_line(f"| {' | '.join(row)} |")


def pytest_collection_modifyitems(items):
    """Start the slowest file first, so that no worker is left alone with it at the end."""
    items.sort(key=lambda item: item.path.name != SLOWEST_MODULE)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty user folder for one test and the processes it starts."""
    folder = tmp_path / "home"
    monkeypatch.setenv("SANDBOX_HOME", str(folder))
    return folder


@contextmanager
def x_server(size):
    """(Name, process) of an X display of this size ("800x600"), without a window manager."""
    read, write = os.pipe()
    with open(os.devnull, "wb") as nothing:
        server = subprocess.Popen(
            # without -noreset, Xvfb restarts when its last client ends, and refuses connections meanwhile
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=(write,), stdout=nothing, stderr=nothing,
        )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    assert number, "Xvfb did not start"
    try:
        yield f":{number}", server
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="session")
def display():
    """Name of a private small X display."""
    with x_server("800x600") as (name, _):
        yield name


@pytest.fixture
def display_to_kill():
    """(Name, process) of an X display that the test may kill."""
    with x_server("640x480") as display:
        yield display


@pytest.fixture
def large_display():
    """Name of an X display larger than every window size under test."""
    with x_server("2560x1440") as (name, _):
        yield name
