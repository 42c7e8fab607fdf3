"""Options of pytest that name references, and tables of the worst errors at the end of a run.

`pytest tests/reference --reference DIR` reads another folder of the same layout; the default is the compact copy in
this project. Worst errors are attached to the reports of the tests, so that parallel runs print them too.
"""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
COMPACT = HERE / "data"
sys.path.append(str(HERE.parent / "core"))  # for drive_rig.py
# Content of references with a folder of their own, named by an option (--pacejka) or environment variable
# (SANDBOX_PACEJKA)
SEPARATE_FOLDERS = {
    "pacejka": "coefficients.json and values.csv",
    "tires": "sets of Magic Formula 6.2: NAME.json and NAME.csv, family_classes.json and table12.csv",
    "commonroad": "drives of the multi-body car, *.npz",
}


def pytest_addoption(parser):
    parser.addoption("--reference", default=None, help="folder with tables/, trajectories/, scenes/ and vehicles/")
    for name, content in SEPARATE_FOLDERS.items():
        parser.addoption(f"--{name}", default=None, help=f"folder with {content}")


def reference_folder(config):
    """Folder named by --reference or SANDBOX_REFERENCE, by default the project's."""
    folder = config.getoption("--reference", default=None) or os.environ.get("SANDBOX_REFERENCE")
    return Path(folder) if folder else COMPACT


def other_folder(config, name):
    """Folder of one of SEPARATE_FOLDERS: as named, or inside the folder of --reference, or the project's."""
    folder = config.getoption(f"--{name}", default=None) or os.environ.get(f"SANDBOX_{name.upper()}")
    if folder:
        return Path(folder)
    inside = reference_folder(config) / name
    return inside if inside.is_dir() else COMPACT / name


def pytest_generate_tests(metafunc):
    """Run tests of a drive, table, scene or CommonRoad file once for each such file."""
    if "commonroad_path" in metafunc.fixturenames:
        paths = sorted(other_folder(metafunc.config, "commonroad").glob("*.npz"))
        metafunc.parametrize("commonroad_path", paths, ids=[p.stem for p in paths])
    for fixture, folder in (("drive_path", "trajectories"), ("table_path", "tables"), ("scene_path", "scenes")):
        if fixture in metafunc.fixturenames:
            paths = sorted((reference_folder(metafunc.config) / folder).glob("*.npz"))
            metafunc.parametrize(fixture, paths, ids=[p.stem for p in paths], scope="module")


@pytest.fixture(scope="session")
def reference(request):
    return reference_folder(request.config)


@pytest.fixture(scope="session")
def pacejka_folder(request):
    return other_folder(request.config, "pacejka")


@pytest.fixture(scope="session")
def tires_folder(request):
    return other_folder(request.config, "tires")


@pytest.fixture
def report(record_property):
    """A function report(kind, value) that adds a value to the summary at the end."""
    return lambda kind, value: record_property(f"reference {kind}", value)


def values_of(terminalreporter, kind):
    """All values of a kind, of every test of the run."""
    reports = (r for group in terminalreporter.stats.values() for r in group if getattr(r, "when", "") == "call")
    return [value for r in reports for key, value in r.user_properties if key == f"reference {kind}"]


def pytest_terminal_summary(terminalreporter):
    """Print the largest errors measured by the tests.

    The scale of a table's channel is the size of the terms that it is computed from (table_harness.py), that of a
    drive's channel its largest value in the drive (drive_harness.py). A pair is two successive recorded states: a step
    from the first is compared with the second.

    Errors of the Magic Formula: test_pacejka.py divides them by the value, or by 1 N or 1 N m where that is larger;
    test_tires.py divides those of fx and fy by the load, of mx and mz by 10 % of it, and others by the value.
    """
    tables = values_of(terminalreporter, "table")
    if tables:
        terminalreporter.section("function tables: worst error of each channel, in units of its scale")
        for name, channel, error, row in tables:
            terminalreporter.line(f"{name:24s} {channel:24s} {error:8.1e}  row {row}")
    bounded_rows = values_of(terminalreporter, "row")
    if bounded_rows:
        terminalreporter.section("rows beyond 1e-5, each within its own bound")
        for line in bounded_rows:
            terminalreporter.line(line)
    worst = {}  # {channel: (largest error, its drive, number of pairs within their own bounds)}
    for name, error, drive, bounded_pairs in values_of(terminalreporter, "step"):
        before = worst.get(name, (-1.0, "", 0))
        worst[name] = (*max(before[:2], (error, drive)), before[2] + bounded_pairs)
    if worst:
        terminalreporter.section("one-step errors, in units of each channel's scale")
        for name, (error, drive, bounded_pairs) in sorted(worst.items(), key=lambda item: -item[1][0]):
            note = f", {bounded_pairs} pairs beyond 1e-4 within their own bounds" if bounded_pairs else ""
            terminalreporter.line(f"{name:22s} {error:8.1e}  {drive}{note}")
    curves = values_of(terminalreporter, "tire curve")
    if curves:
        terminalreporter.section("Magic Formula: worst error of each set, relative or of 1 N")
        for name, quantity, error, condition in curves:
            terminalreporter.line(f"{name:28s} {quantity:3s} {error:8.1e}  {condition}")
    drives = values_of(terminalreporter, "commonroad")
    if drives:
        terminalreporter.section("multi-body car: root mean square differences, and as a share of the reference's")
        for name, signal, difference, share in drives:
            terminalreporter.line(f"{name:32s} {signal:22s} {difference:9.2e}  {100.0 * share:6.2f} %")
    scenes = values_of(terminalreporter, "scene")
    if scenes:
        terminalreporter.section("scenes: largest difference, and the limit")
        for scene, quantity, value, limit in scenes:
            terminalreporter.line(f"{scene:44s} {quantity:28s} {value:10.4g}  of {limit:.4g}")
