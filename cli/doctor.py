"""`doctor`: checks this machine's requirements and says how to install what is missing. Installs nothing.

Of the libraries that it looks for it only needs platformdirs itself. Creates the user folder and the folder of compiled
code if they are missing.
"""

import contextlib
import ctypes.util
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from driving_sandbox import VERSION
from driving_sandbox.cli.bytecode import ROOT
from driving_sandbox.cli.program import FAILED, FINE
from driving_sandbox.game.platform.system_packages import how_to_install_opengl

GRAPHICS_SECONDS = 30.0  # time limit of a graphics test; a software driver's first context takes one or two
INSTALL_ALL = "pip install 'driving-sandbox[game]'"
X11_SYSTEMS = ("linux", "freebsd")  # systems where a window needs an X display; others always have one
_PROBE = """
import sys
sys.path[:0] = {path!r}
from driving_sandbox.game.platform.window import WindowSettings, open_window
base = open_window(WindowSettings(offscreen={offscreen}, size=(64, 64)))
gsg = base.win.getGsg()
print(f"{{gsg.getDriverRenderer()}}, OpenGL {{gsg.getDriverVersion()}}")
"""


def doctor(options: Namespace) -> int:
    """Print the findings; returns FAILED if something that driving needs is missing."""
    findings = examine()
    if options.json:
        print(json.dumps(findings, indent=2))
    else:
        print(_text(findings))
    return FAILED if findings["missing"] else FINE


def examine() -> dict[str, Any]:
    """{section: finding} of all checks, as JSON can hold them; `missing` lists the problems and their remedies."""
    findings: dict[str, Any] = {}
    problems: list[str] = []
    for section, check in (("system", _system), ("packages", _packages), ("graphics", _graphics), ("tools", _tools),
                           ("devices", _devices), ("sound", _sound), ("folders", _folders)):  # fmt: skip
        findings[section], lines = check()
        problems += lines
    return {**findings, "missing": problems}


# Each check returns (finding, list of problems).


def _system() -> tuple[dict[str, Any], list[str]]:
    """Versions, processor and display."""
    finding = {
        "program": VERSION,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "display": _display() or "none",
    }
    return finding, []


def _processor() -> str:
    """Architecture and, where numba is installed, LLVM's name of the processor."""
    try:
        from driving_sandbox.physics.kernel.numba_internals import host_processor
    except (ImportError, AttributeError):
        return platform.machine()
    return f"{platform.machine()} {host_processor()}"


def _display() -> str:
    """The display that a window would open on; "" for none. Panda3D knows X11 only: WAYLAND_DISPLAY does not help."""
    return os.environ.get("DISPLAY", "") if sys.platform.startswith(X11_SYSTEMS) else "native"


def _required_versions() -> dict[str, str | None]:
    """{required library: version that the tests run with; None in an installed program, checked by pip}."""
    pinned = ROOT / "requirements.txt"
    if pinned.is_file():
        lines = pinned.read_text(encoding="utf8").split()
        pairs = (line.partition("==") for line in lines if "==" in line)
        return {name: version for name, _, version in pairs}
    requirements = importlib.metadata.requires("driving-sandbox") or []
    # The program's own requirements and those of its extra `game`, not those of other extras.
    named = (re.match(r"([\w-]+)[^;]*(?:; extra == .game.)?$", text.strip()) for text in requirements)
    return {match[1]: None for match in named if match}


def _packages() -> tuple[dict[str, str], list[str]]:
    """Installed versions of the required libraries."""
    versions: dict[str, str] = {}
    problems: list[str] = []
    for name, required in _required_versions().items():
        version = _installed_version(name)
        if version is None:
            versions[name] = "missing"
            remedy = "./drive installs it, or pip install -r requirements.txt" if required else INSTALL_ALL
            problems.append(f"{name} {required or ''}".strip() + f": {remedy}")
        else:
            versions[name] = version if required in (None, version) else f"{version} (tested with {required})"
    if _installed_version("numba") and (names := missing_numba_names()):
        problems.append(f"numba {versions.get('numba', '')} lacks {', '.join(names)}: install the pinned version")
    return versions, problems


def _installed_version(name: str) -> str | None:
    """Version of an installed package, None for one that is not."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def missing_numba_names() -> list[str]:
    """Names that the core requires and the installed numba lacks."""
    try:
        from driving_sandbox.physics.kernel.numba_internals import missing
    except (ImportError, AttributeError) as error:
        return [str(error)]
    return missing()


def _graphics() -> Any:
    """Whether an offscreen buffer and a window can be opened and, on Linux, whether libGL and libEGL are found."""
    result, problems = {}, []
    for name, offscreen in (("offscreen", True), ("window", False)):
        if name == "window" and not _display():
            result[name] = "no display: DISPLAY is not set; --offscreen works without one"
            continue
        result[name], works = _probe(offscreen)
        if not works:
            problems.append(f"{name} graphics: {result[name]}")
    if sys.platform == "linux":
        for library in ("GL", "EGL"):
            if ctypes.util.find_library(library) is None:
                problems.append(f"lib{library}: {how_to_install_opengl()}")
    return result, problems


def _probe(offscreen: bool) -> tuple[str, bool]:
    """(driver or reason, works) from a separate process, as a broken driver may crash it."""
    code = _PROBE.format(path=sys.path, offscreen=offscreen)
    try:
        process = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=GRAPHICS_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"the driver did not answer within {GRAPHICS_SECONDS:g} s", False
    lines = (process.stdout if process.returncode == 0 else process.stderr).strip().splitlines()
    last = lines[-1] if lines else f"the process ended with code {process.returncode}"
    return last.removeprefix("driving_sandbox.game.platform.window.NoDisplay: "), process.returncode == 0


def _tools() -> Any:
    """Paths of the tools that only the tests need."""
    names = ("Xvfb", "xdotool", "umockdev-wrapper")
    return {name: shutil.which(name) or "not installed (tests only)" for name in names}, []


def _devices() -> Any:
    """Name and profile of each connected gamepad or wheel; driving works without any."""
    try:
        from driving_sandbox.game.controls.device_report import DeviceError, probe_devices
        from driving_sandbox.game.windows.bindings_file import load_bindings, user_bindings_path

        try:
            report = probe_devices(load_bindings(user_bindings_path()))
        except DeviceError as error:
            return [str(error)], []
    except Exception as error:  # a failed check must not stop the diagnosis
        return [], [f"gamepads and wheels cannot be read: {type(error).__name__}: {error}"]
    return [f"{entry['name']}: used as {entry['profile']}" for entry in report], []


def _sound() -> Any:
    """SDL's audio driver, its devices, and how samples get to them; driving works without an audio device."""
    try:
        from driving_sandbox.game.audio.sdl import NoSound, describe_audio

        try:
            driver, names = describe_audio()
        except NoSound as error:
            return [str(error)], []
    except Exception as error:  # a failed check must not stop the diagnosis
        return [f"no sound: {type(error).__name__}: {error}"], []
    return [*(f"{name} ({driver})" for name in names or ["no device"]), f"samples by {_audio_path()}"], []


def _audio_path() -> str:
    """Whether samples come by a callback or a thread, and why."""
    try:
        from driving_sandbox.game.audio.player import audio_path

        return audio_path()
    except Exception as error:  # such as a missing numba, or another version of it
        return f"unknown: {type(error).__name__}: {error}"


def _folders() -> Any:
    """The program's folder, the user folder with its content, and the folder of compiled code."""
    from driving_sandbox.game.platform.user_folder import SUBFOLDERS, UserFolderError, user_folder

    folders, problems = {"program": str(ROOT)}, []
    try:
        folders["user"] = str(user_folder())
        for name in SUBFOLDERS:
            count = sum(1 for _ in (user_folder() / name).iterdir())
            folders[name] = f"{user_folder() / name} ({count} files)"
    except (UserFolderError, OSError) as error:
        problems.append(str(error))
    folders["compiled code"], lines = _kernel_folder()
    return folders, problems + lines


def _kernel_folder() -> tuple[str, list[str]]:
    """(folder of the compiled kernels and its size, problems); its name depends on the version of numba."""
    try:
        from driving_sandbox.physics.kernel.cache_folder import cache_folder

        folder = cache_folder()
    except ImportError as error:
        return f"unknown: {error}", []
    except OSError as error:
        remedy = "set SANDBOX_CACHE to a folder that can be written"
        return f"none: {error}", [f"compiled code cannot be written: {error}; {remedy}"]
    return f"{folder} ({_megabytes(folder):.1f} MB)", []


def _megabytes(folder: Path) -> float:
    """Size of all files in a folder, MB."""
    size = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # another process has just removed it
            size += path.stat().st_size if path.is_file() else 0
    return size / 1e6


def _text(findings: dict[str, Any]) -> str:
    """The findings as text for the terminal."""
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
