"""`main.py doctor`: checks this machine's requirements and says how to install what is missing. Changes nothing."""

import ctypes.util
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys

from driving_sandbox import VERSION
from driving_sandbox.cli.program import FAILED, FINE
from driving_sandbox.physics.kernel.cache_folder import cache_folder
from driving_sandbox.physics.kernel.jit import ROOT

GRAPHICS_SECONDS = 30.0  # a software driver's first context takes one or two
INSTALL_ALL = "pip install 'driving-sandbox[game]'"
_PROBE = """
import sys
sys.path[:0] = {path!r}
from driving_sandbox.game.platform.window import WindowSettings, open_window
base = open_window(WindowSettings(offscreen={offscreen}, size=(64, 64)))
gsg = base.win.getGsg()
print(f"{{gsg.getDriverRenderer()}}, OpenGL {{gsg.getDriverVersion()}}")
"""


def doctor(options):
    """Print the findings; FAILED when something that driving needs is missing."""
    findings = examine()
    if options.json:
        print(json.dumps(findings, indent=2))
    else:
        print(_text(findings))
    return FAILED if findings["missing"] else FINE


def examine():
    """All findings as a plain dict; `missing` lists what to install and how."""
    missing = []
    return {
        "system": _system(),
        "packages": _packages(missing),
        "graphics": _graphics(missing),
        "tools": _tools(),
        "devices": _devices(missing),
        "folders": _folders(missing),
        "missing": missing,
    }


def _system():
    return {
        "program": VERSION,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "display": os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or "none",
    }


def _processor():
    from driving_sandbox.physics.kernel.numba_internals import host_processor

    return f"{platform.machine()} {host_processor()}"


def _pins():
    """{library: the version the tests run with}; None for an installed program, whose versions pip has checked."""
    pinned = ROOT / "requirements.txt"
    if pinned.is_file():
        lines = pinned.read_text(encoding="utf8").split()
        return dict(line.split("==") for line in lines if "==" in line)
    wanted = importlib.metadata.requires("driving-sandbox") or []
    named = (re.match(r"([\w-]+)[^;]*(?:; extra == .game.)?$", text.strip()) for text in wanted)
    return {match[1]: None for match in named if match}


def _packages(missing):
    found = {}
    for name, pinned in _pins().items():
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "missing"
            remedy = "./drive installs it, or pip install -r requirements.txt" if pinned else INSTALL_ALL
            missing.append(f"{name} {pinned or ''}".strip() + f": {remedy}")
            continue
        found[name] = version if pinned in (None, version) else f"{version} (tested with {pinned})"
    if "numba" in found and (lacking := numba_lacks()):
        missing.append(f"numba {found['numba']} lacks {', '.join(lacking)}: install the pinned version")
    return found


def numba_lacks():
    """Names that the core requires and the installed numba lacks."""
    try:
        from driving_sandbox.physics.kernel.numba_internals import missing
    except (ImportError, AttributeError) as error:
        return [str(error)]
    return missing()


def _graphics(missing):
    result = {}
    for name, offscreen in (("offscreen", True), ("window", False)):
        if name == "window" and sys.platform == "linux" and not os.environ.get("DISPLAY"):
            result[name] = "no display: DISPLAY is not set; --offscreen works without one"
            continue
        result[name], works = _probe(offscreen)
        if not works:
            missing.append(f"{name} graphics: {result[name]}")
    if sys.platform == "linux":
        for library in ("GL", "EGL"):
            if ctypes.util.find_library(library) is None:
                package = f"lib{library.lower()}1"
                missing.append(f"lib{library}: on Debian or Ubuntu apt-get install {package} libgl1-mesa-dri")
    return result


def _probe(offscreen):
    """(driver or reason, works) from a separate process, as a broken driver may crash it."""
    code = _PROBE.format(path=sys.path, offscreen=offscreen)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=GRAPHICS_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"the driver did not answer within {GRAPHICS_SECONDS:g} s", False
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    last = lines[-1] if lines else f"the process ended with code {done.returncode}"
    return last.removeprefix("driving_sandbox.game.platform.window.NoDisplay: "), done.returncode == 0


def _tools():
    """Tools that only the tests need."""
    names = ("Xvfb", "xdotool", "umockdev-wrapper")
    return {name: shutil.which(name) or "not installed (tests only)" for name in names}


def _devices(missing):
    try:
        from driving_sandbox.game.controls.device_report import probe_devices
        from driving_sandbox.game.windows.bindings_file import load_bindings, user_bindings_path

        report = probe_devices(load_bindings(user_bindings_path()))
        return [f"{entry['name']}: used as {entry['profile']}" for entry in report]
    except Exception as error:  # a failed check must not stop the diagnosis
        missing.append(f"gamepads and wheels cannot be read: {type(error).__name__}: {error}")
        return []


def _folders(missing):
    from driving_sandbox.game.platform.user_folder import SUBFOLDERS, UserFolderError, user_folder

    folders = {"program": str(ROOT)}
    try:
        folders["user"] = str(user_folder())
        for name in SUBFOLDERS:
            count = sum(1 for _ in (user_folder() / name).iterdir())
            folders[name] = f"{user_folder() / name} ({count} files)"
    except UserFolderError as error:
        missing.append(str(error))
    folders["compiled code"] = f"{cache_folder()} ({_megabytes(cache_folder()):.1f} MB)"
    return folders


def _megabytes(folder):
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 1e6


def _text(findings):
    lines = []
    for heading, content in findings.items():
        if heading == "missing":
            continue
        lines.append(f"{heading}:")
        if isinstance(content, dict):
            lines += [f"  {name:<16} {value}" for name, value in content.items()]
        else:
            lines += [f"  {entry}" for entry in content] or ["  none"]
    lines.append("missing:" if findings["missing"] else "Nothing that driving needs is missing.")
    return "\n".join(lines + [f"  {entry}" for entry in findings["missing"]])
