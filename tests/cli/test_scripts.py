"""./drive, ./test and what they share: understood by a plain sh, quick the second time, clear without a Python."""

import os
import shutil
import stat
import subprocess

import pytest
from command_line import ROOT

SCRIPTS = ("drive", "test", ".ci/environment.sh", ".ci/run")
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX shell scripts")


def sh(code, cwd, **environment):
    variables = {**os.environ, **environment}
    return subprocess.run(["sh", "-c", code], cwd=cwd, env=variables, capture_output=True, text=True, check=False)


@posix
@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_valid_shell(name):
    shell = "bash" if name == ".ci/run" else "sh"
    done = subprocess.run([shell, "-n", ROOT / name], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if name != ".ci/environment.sh":
        assert (ROOT / name).stat().st_mode & stat.S_IXUSR


@pytest.mark.parametrize("name", ["drive.bat", "test.bat", ".ci/environment.bat"])
def test_windows_scripts_have_windows_line_ends(name):
    data = (ROOT / name).read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 5


@posix
def test_an_old_python_is_refused_in_words(tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "sed", "tr", "cat", "id", "uname"):
        (folder / tool).symlink_to(shutil.which(tool))
    (folder / "python3").write_text("#!/bin/sh\nexit 1\n")  # answers "too old" to the version question
    (folder / "python3").chmod(0o755)
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    done = sh(". ./.ci/environment.sh; make_environment", tmp_path, PATH=str(folder), PYTHON="python3")
    assert done.returncode == 1
    assert "Python 3.11, 3.12 or 3.13 is needed" in done.stderr
    assert not (tmp_path / ".venv").exists()


@posix
def test_requirements_are_installed_only_when_they_changed(tmp_path):
    """With a pip that writes down its calls."""
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
    assert "-r one.txt -r two.txt" in (tmp_path / "calls").read_text()
    (tmp_path / "two.txt").write_text("a==2\n")
    assert sh(code, tmp_path).returncode == 0
    assert len((tmp_path / "calls").read_text().splitlines()) == 2


@posix
def test_without_rights_the_missing_packages_are_named(tmp_path):
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    code = """
. ./.ci/environment.sh
is_debian() { true; }
dpkg-query() { return 1; }
as_root() { return 1; }
install_packages libgl1 libegl1
"""
    done = sh(code.replace("dpkg-query()", "missing_packages() { printf '%s ' \"$@\"; }\nunused()"), tmp_path)
    assert done.returncode == 1
    assert "apt-get install libgl1 libegl1" in done.stderr


@posix
def test_drive_keeps_the_folder_one_stands_in(tmp_path):
    """Files named in the arguments are found from there."""
    program = tmp_path / "program"
    program.mkdir()
    shutil.copytree(ROOT / ".ci", program / ".ci")
    shutil.copy(ROOT / "drive", program / "drive")
    (program / "requirements.txt").write_text("")
    python = program / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\n[ "$1" = -c ] && exit 0\n[ "$1" = -m ] && exit 0\necho "$(pwd) $@"\n')
    python.chmod(0o755)
    here = tmp_path / "here"
    here.mkdir()
    words = [program / "drive", "check", "a b.yaml"]
    done = subprocess.run(words, cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{here} {program}/main.py check a b.yaml"
