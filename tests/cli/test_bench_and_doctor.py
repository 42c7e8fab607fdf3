"""`bench`, `devices` and `doctor`: their reports, as text and as JSON."""

import json
import subprocess
import sys

import pytest
from command_line import ROOT, run

from driving_sandbox.benchmarks import BENCHMARKS
from driving_sandbox.cli import doctor, program
from driving_sandbox.cli.bench import _table
from driving_sandbox.game.platform.system_packages import INSTALL_OPENGL
from driving_sandbox.game.platform.window import WindowSettings, _refusal


def test_an_unknown_benchmark_is_named(home, capsys):
    assert program.main(["bench", "tik"]) == 2
    assert 'did you mean "tick"?' in capsys.readouterr().err


def test_the_table_has_a_line_per_row():
    first = {"what": "a tick", "value": 2.5, "unit": "us", "note": "x"}
    rows = [first, {"what": "b", "value": 1.0, "unit": "1", "note": ""}]
    lines = _table("tick", rows).splitlines()
    assert lines[0].startswith(f"tick: {BENCHMARKS['tick']}")
    assert "a tick" in lines[1] and "2.500 us" in lines[1]
    assert len(lines) == 3


@pytest.mark.serial
def test_driving_tick_by_tick_and_in_one_call_give_the_same_state(home):
    """Drives tick by tick and in one call end in the same bytes, for every vehicle of the benchmark."""
    result = run("bench", "throughput", "--json", timeout=400)
    assert result.returncode == 0, result.stderr
    content = json.loads(result.stdout)
    assert content["machine"]["cores"] >= 1
    rows = content["results"]["throughput"]
    assert all(row["value"] > 0.0 and row["unit"] == "ms" for row in rows)
    in_one_call = [row for row in rows if "one call" in row["what"]]
    assert len(in_one_call) >= 4
    assert all("same state" in row["note"] for row in in_one_call)


@pytest.mark.serial
def test_the_tick_benchmark_drives_sandbox_and_bullet_along_the_same_path(home):
    """The sandbox and Bullet drive at 10 to 14 m/s, within 3 m of a common line."""
    result = run("bench", "tick", "--json", timeout=400)
    assert result.returncode == 0, result.stderr
    rows = {row["what"]: row for row in json.loads(result.stdout)["results"]["tick"]}
    for name in ("World.step", "panda3d.bullet step"):
        speed, _, _, _, distance = rows[name]["note"].split()[:5]  # as in "12.1 m/s, at most 0.5 m beside the line"
        assert 10.0 < float(speed) < 14.0
        assert float(distance) < 3.0  # m from the line
    ratio = rows["World.step"]["value"] / rows["panda3d.bullet step"]["value"]
    assert rows["World.step / bullet"]["value"] == pytest.approx(ratio)


@pytest.mark.serial
def test_doctor_lists_what_is_there_and_misses_no_package(home):
    result = run("doctor", "--json", timeout=180)
    findings = json.loads(result.stdout)
    assert result.returncode == (1 if findings["missing"] else 0)
    assert "OpenGL" in findings["graphics"]["offscreen"]
    assert findings["folders"]["user"] == str(home)
    assert findings["packages"]["numpy"] and "missing" not in findings["packages"].values()
    assert set(findings) == {"system", "packages", "graphics", "tools", "devices", "sound", "folders", "missing"}


def test_doctor_names_what_is_missing_and_how_to_get_it(home, monkeypatch, capsys):
    monkeypatch.setattr(
        "driving_sandbox.cli.doctor._probe", lambda offscreen: ("no OpenGL 3.2 buffer could be opened", False)
    )
    monkeypatch.setattr(
        "driving_sandbox.cli.doctor._required_versions", lambda: {"numpy": "0.0.1", "not-there-at-all": "1.0"}
    )
    monkeypatch.setattr("driving_sandbox.cli.doctor._devices", lambda: ([], []))
    assert program.main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "missing:" in text
    assert "not-there-at-all 1.0: ./drive installs it" in text
    assert "offscreen graphics: no OpenGL 3.2" in text
    assert "(tested with 0.0.1)" in text


def test_messages_name_the_packages_of_opengl_for_each_linux(monkeypatch):
    monkeypatch.setattr(doctor.sys, "platform", "linux")
    monkeypatch.setattr(doctor, "_probe", lambda offscreen: ("drawn", True))
    monkeypatch.setattr(doctor.ctypes.util, "find_library", lambda name: None if name == "EGL" else f"lib{name}.so")
    problem = [text for text in doctor._graphics()[1] if text.startswith("lib")]
    assert len(problem) == 1 and problem[0].startswith("libEGL:")
    refusal = _refusal(WindowSettings(offscreen=True))
    for system, command in INSTALL_OPENGL.items():
        assert f"{command} ({system})" in problem[0] and f"{command} ({system})" in refusal


WITHOUT_NUMBA = """
import importlib.metadata, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
installed = importlib.metadata.version
def version(name):
    if name == "numba":
        raise importlib.metadata.PackageNotFoundError(name)
    return installed(name)
importlib.metadata.version = version
from driving_sandbox.cli import doctor
doctor._probe = lambda offscreen: ("not tried", True)
from driving_sandbox.cli.program import main
sys.exit(main(["doctor", "--json"]))
"""


def test_doctor_works_without_numba_and_says_that_it_is_missing(home):
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1 and "Traceback" not in result.stderr, result.stderr
    findings = json.loads(result.stdout)
    assert findings["packages"]["numba"] == "missing"
    assert [text for text in findings["missing"] if text.startswith("numba")] == [
        text for text in findings["missing"] if "./drive installs it" in text
    ]
    assert "numba" in findings["folders"]["compiled code"]


def test_doctor_says_that_compiled_code_cannot_be_written(home, monkeypatch, capsys):
    def refused():
        raise PermissionError(13, "Permission denied", "/closed/driving-sandbox")

    monkeypatch.setattr("driving_sandbox.physics.kernel.cache_folder.cache_folder", refused)
    for name in ("_graphics", "_devices", "_sound"):
        monkeypatch.setattr(doctor, name, lambda: ([], []))
    assert program.main(["doctor"]) == 1
    *_, last = capsys.readouterr().out.splitlines()
    assert last.startswith("  compiled code cannot be written: ") and "'/closed/driving-sandbox'" in last
    assert last.endswith("set SANDBOX_CACHE to a folder that can be written")


@pytest.mark.parametrize(("display", "reported"), [("", "none"), (":7", ":7")])
def test_both_parts_of_the_doctors_report_agree_about_the_display(monkeypatch, display, reported):
    """A Wayland display alone does not count as a display: the window needs X11."""
    monkeypatch.setattr(doctor.sys, "platform", "linux")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setattr(doctor, "_probe", lambda offscreen: ("drawn", True))
    assert doctor._system()[0]["display"] == reported
    assert doctor._graphics()[0]["window"].startswith("drawn" if display else "no display")


def test_without_a_device_the_devices_command_says_so(home):
    result = run("devices")
    assert result.returncode == 0
    assert "No gamepad or wheel is plugged in" in result.stdout
    assert json.loads(run("devices", "--json").stdout) == []


def test_a_rebound_key_of_a_window_is_accepted(home):
    """The help window declares its key itself (game/windows/window.py)."""
    file = home / "settings" / "controls.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("keys:\n  help: [numlock]\n", encoding="utf8")
    checked, listed = run("check", file), run("devices", "--json")
    assert (checked.returncode, listed.returncode) == (0, 0), checked.stdout + listed.stderr
    assert "controls, 1 actions with keys" in checked.stdout
    findings = json.loads(run("doctor", "--json", timeout=180).stdout)
    assert not [text for text in findings["missing"] if "gamepads" in text]
