"""`pytest tests/reference --reference DIR` reads another folder of the reference's layout; the table of errors."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
BESIDE = HERE.parents[2] / "shared" / "reference" / "physx"  # the complete data, where a machine has it


def pytest_addoption(parser):
    parser.addoption("--reference", default=None, help="folder with trajectories/ and vehicles/ of the reference")


def reference_folder(config):
    """Folder named by --reference or SANDBOX_REFERENCE, else the complete data if there is any, else our few rows."""
    named = config.getoption("--reference", default=None) or os.environ.get("SANDBOX_REFERENCE")
    if named:
        return Path(named)
    return BESIDE if BESIDE.is_dir() else HERE / "data" / "drives"


def pytest_configure(config):
    named = config.getoption("--reference", default=None)
    if named:
        os.environ["SANDBOX_REFERENCE"] = str(Path(named).resolve())  # the tables' loader looks here


def pytest_generate_tests(metafunc):
    if "drive_path" not in metafunc.fixturenames:
        return
    paths = sorted((reference_folder(metafunc.config) / "trajectories").glob("*.npz"))
    metafunc.parametrize("drive_path", paths, ids=[p.stem for p in paths])


@pytest.fixture(scope="session")
def reference(request):
    return reference_folder(request.config)


def pytest_terminal_summary(terminalreporter):
    table = getattr(sys.modules.get("drive_harness"), "TABLE", {})
    if not table:
        return
    terminalreporter.section("one-step errors, in units of each channel's scale")
    for name, (worst, drive, own) in sorted(table.items(), key=lambda item: -item[1][0]):
        note = f", {own} pairs beyond 1e-4 within bounds of their own" if own else ""
        terminalreporter.line(f"{name:22s} {worst:8.1e}  {drive}{note}")
