"""./drive, ./test and the scripts they share: plain sh, installed once, with messages about missing software."""

import os
import shutil
import signal
import stat
import subprocess
import time

import pytest
from command_line import ROOT

from driving_sandbox.game.platform.system_packages import INSTALL_OPENGL

SYSTEMS = ("Debian, Ubuntu", "Fedora", "Arch", "macOS")  # whose packages of Python a message names
SCRIPTS = ("drive", "test", ".ci/docs", ".ci/environment.sh", ".ci/lock", ".ci/lowest", ".ci/run", ".ci/wheel")
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX shell scripts")


def sh(code, cwd, **environment):
    """Result of shell code in a folder."""
    variables = {**os.environ, **environment}
    return subprocess.run(["sh", "-c", code], cwd=cwd, env=variables, capture_output=True, text=True, check=False)


@posix
@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_valid_shell(name):
    shell = "bash" if name == ".ci/run" else "sh"
    result = subprocess.run([shell, "-n", ROOT / name], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    if name != ".ci/environment.sh":
        assert (ROOT / name).stat().st_mode & stat.S_IXUSR


@pytest.mark.parametrize("name", ["drive.bat", "test.bat", ".ci/environment.bat"])
def test_windows_scripts_have_windows_line_ends(name):
    data = (ROOT / name).read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 5


@posix
def test_an_old_python_is_refused_with_a_message(tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "sed", "tr", "cat", "id", "uname"):
        (folder / tool).symlink_to(shutil.which(tool))
    (folder / "python3").write_text("#!/bin/sh\nexit 1\n")  # answers "too old" to the version question
    (folder / "python3").chmod(0o755)
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    result = sh(". ./.ci/environment.sh; make_environment", tmp_path, PATH=str(folder), PYTHON="python3")
    assert result.returncode == 1
    assert "Python 3.11, 3.12 or 3.13 is needed" in result.stderr
    for system in SYSTEMS:
        assert f"{system}:" in result.stderr
    assert not (tmp_path / ".venv").exists()


@posix
@pytest.mark.parametrize("missing", ["", "libGL.so.1", "libEGL.so.1", "libGLX_mesa.so.0", "libEGL_mesa.so.0"])
def test_packages_for_a_missing_opengl_library_are_named(tmp_path, missing):
    """On a system without apt-get, and only where one of the libraries or a driver for them is missing."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    libraries = {"libGL.so.1", "libEGL.so.1", "libGLX_mesa.so.0", "libEGL_mesa.so.0"} - {missing}
    stubs = f"uname() {{ echo Linux; }}; ldconfig() {{ echo {' '.join(libraries)}; }}; is_debian() {{ false; }}"
    result = sh(f". ./.ci/environment.sh; {stubs}; install_opengl", tmp_path)
    assert result.returncode == 0
    named = {line.partition(":")[0].strip(): line.partition(":")[2].strip() for line in result.stderr.splitlines()[1:]}
    assert named == (INSTALL_OPENGL if missing else {})


@posix
def test_requirements_are_installed_only_when_they_changed(tmp_path):
    """A fake Python in place of pip notes its calls."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@" >>calls\n')
    python.chmod(0o755)
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text("a==1\n")
    code = ". ./.ci/environment.sh; install_requirements one.txt two.txt"
    for _ in range(2):
        assert sh(code, tmp_path).returncode == 0
    assert len((tmp_path / "calls").read_text().splitlines()) == 1
    assert "--require-hashes -r one.txt -r two.txt" in (tmp_path / "calls").read_text()
    (tmp_path / "two.txt").write_text("a==2\n")
    assert sh(code, tmp_path).returncode == 0
    assert len((tmp_path / "calls").read_text().splitlines()) == 2


@posix
def test_without_rights_the_missing_packages_are_named(tmp_path):
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    code = """
. ./.ci/environment.sh
is_debian() { true; }
missing_packages() { printf '%s ' "$@"; }
as_root() { return 1; }
install_packages libgl1 libegl1
"""
    result = sh(code, tmp_path)
    assert result.returncode == 1
    assert "apt-get install libgl1 libegl1" in result.stderr


@posix
def test_drive_keeps_the_working_directory(tmp_path):
    """Files named in the arguments are found from the folder in which it is called."""
    program = tmp_path / "program"
    program.mkdir()
    shutil.copytree(ROOT / ".ci", program / ".ci")
    shutil.copy(ROOT / "drive", program / "drive")
    (program / "requirements.lock").write_text("")
    python = program / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\n[ "$1" = -c ] && exit 0\n[ "$1" = -m ] && exit 0\necho "$(pwd) $@"\n')
    python.chmod(0o755)
    folder = tmp_path / "here"
    folder.mkdir()
    words = [program / "drive", "check", "a b.yaml"]
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == f"{folder} {program}/main.py check a b.yaml"


# ---- an environment that was not finished

FAKE_PYTHON = """#!/bin/sh
case "$*" in
    *"-m venv"*)
        rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python; echo made >>calls; sleep ${SLOW:-0}
        [ ${VENV:-0} = 0 ] && touch .venv/pip; exit ${VENV:-0} ;;
    *"pip --version") [ -e .venv/pip ] ;;
    *pip*) echo installed >>calls; exit ${PIP:-0} ;;
esac
"""


@pytest.fixture
def bare(tmp_path):
    """A folder with the scripts and a fake Python that notes its calls."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    (tmp_path / "needed.txt").write_text("a==1\n")
    python = tmp_path / "fake-python"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    return tmp_path


INSTALL = ". ./.ci/environment.sh; install_environment needed.txt"


def install(folder, **environment):
    """Result of an installation by the scripts in a folder."""
    return sh(INSTALL, folder, PYTHON=str(folder / "fake-python"), **environment)


def calls(folder):
    """What the fake Python has noted of its calls: "made" or "installed" for each."""
    return (folder / "calls").read_text().split()


@posix
def test_an_environment_is_made_once(bare):
    for _ in range(2):
        assert install(bare).returncode == 0
    assert calls(bare) == ["made", "installed"]
    assert not (bare / ".venv.installing").exists()


@posix
def test_a_start_killed_while_it_installs_is_repaired_by_the_next(bare):
    environment = {**os.environ, "PYTHON": str(bare / "fake-python"), "SLOW": "30"}
    started = subprocess.Popen(["sh", "-c", INSTALL], cwd=bare, env=environment, start_new_session=True)
    until = time.monotonic() + 20.0
    while not (bare / "calls").exists() and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    assert (bare / ".venv" / "bin" / "python").exists()  # it looks like an environment
    result = install(bare)
    assert result.returncode == 0 and "making a new virtual environment" in result.stderr
    assert calls(bare) == ["made", "made", "installed"]


@posix
def test_an_environment_that_was_left_without_pip_is_made_anew(bare):
    """Python's venv ends so where its module ensurepip is missing, and when it is interrupted."""
    code = INSTALL.replace("; ", "; is_debian() { false; }; ")
    result = sh(code, bare, PYTHON=str(bare / "fake-python"), VENV="1")
    assert result.returncode == 1 and "venv module is missing" in result.stderr
    assert (bare / ".venv" / "bin" / "python").exists() and not (bare / ".venv.installing").exists()
    (bare / "calls").unlink()
    assert install(bare).returncode == 0
    assert calls(bare) == ["made", "installed"]


@posix
def test_a_failed_installation_is_repeated_in_the_same_environment(bare):
    assert install(bare).returncode == 0
    (bare / "needed.txt").write_text("a==2\n")
    assert install(bare, PIP="1").returncode == 1
    assert install(bare).returncode == 0
    assert calls(bare) == ["made", "installed", "installed", "installed"]


@posix
def test_a_second_start_waits_for_the_first(bare):
    environment = {**os.environ, "PYTHON": str(bare / "fake-python"), "SLOW": "2"}
    processes = [
        subprocess.Popen(["sh", "-c", INSTALL], cwd=bare, env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum("Waiting for process" in text for text in outputs) == 1
    assert calls(bare) == ["made", "installed"]


@posix
def test_a_start_that_has_not_written_its_number_yet_is_waited_for(bare):
    """The first pause writes the number of a running process into the empty file, the next one ends that start."""
    (bare / ".venv.installing").touch()
    pause = f'[ -s "$installing" ] && rm -f "$installing" || echo {os.getpid()} >"$installing"'
    result = sh(INSTALL.replace("; ", f"; sleep() {{ {pause}; }}; "), bare, PYTHON=str(bare / "fake-python"))
    assert result.returncode == 0
    assert f"Waiting for process {os.getpid()}" in result.stderr and "a new virtual" not in result.stderr
    assert calls(bare) == ["made", "installed"]


@posix
def test_starts_that_find_the_same_killed_start_make_one_environment(bare):
    """Every start reads its number half a second before it acts on it."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    (bare / ".venv.installing").write_text(f"{ended.pid}\n")
    code = INSTALL.replace("; ", '; kill() { sleep 0.5; command kill "$@"; }; ')
    environment = {**os.environ, "PYTHON": str(bare / "fake-python"), "SLOW": "1"}
    processes = [
        subprocess.Popen(["sh", "-c", code], cwd=bare, env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    outputs = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sum("making a new virtual environment" in text for text in outputs) == 1
    assert calls(bare) == ["made", "installed"]
    assert not list(bare.glob(".venv.installing*"))


@posix
def test_a_start_that_was_killed_while_taking_over_is_no_obstacle(bare):
    ended = subprocess.Popen(["true"])
    ended.wait()
    for name in (".venv.installing", ".venv.installing.claim"):
        (bare / name).write_text(f"{ended.pid}\n")
    assert install(bare).returncode == 0
    assert calls(bare) == ["made", "installed"] and not list(bare.glob(".venv.installing*"))


@posix
def test_a_link_to_the_script_works_from_another_folder(bare):
    """Tried with a link to a link, one of them relative, and an environment that is installed already."""
    shutil.copy(ROOT / "drive", bare / "drive")
    install(bare)
    (bare / "requirements.lock").write_text("a==1\n")
    sh(". ./.ci/environment.sh; install_environment requirements.lock", bare, PYTHON=str(bare / "fake-python"))
    (bare / ".venv" / "bin" / "python").write_text('#!/bin/sh\necho "$@"\n')
    elsewhere = bare / "else" / "where"
    elsewhere.mkdir(parents=True)
    (bare / "else" / "first").symlink_to("../drive")
    (elsewhere / "second").symlink_to(bare / "else" / "first")
    result = sh("./second --version", elsewhere)
    assert result.stdout.splitlines()[-1] == f"{bare}/main.py --version", result.stderr
