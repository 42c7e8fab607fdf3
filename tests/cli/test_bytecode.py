"""Bytecode kept by the program itself: only what fits the source is used, and nothing that is wrong there stops it."""

import os
import shutil
import subprocess
import sys

import pytest
from command_line import ROOT, run

CODE = """
import sys
sys.path.insert(0, {root!r})
from cli import bytecode
bytecode.install({cache!r})
import lab.sample
print(lab.sample.VALUE, lab.sample.where())
"""
SAMPLE = "VALUE = {}\ndef where():\n    return where.__code__.co_filename\n"


@pytest.fixture
def program(tmp_path):
    """A folder like the program's, with one module."""
    root = tmp_path / "program"
    (root / "cli").mkdir(parents=True)
    (root / "lab").mkdir()
    for package in ("cli", "lab"):
        (root / package / "__init__.py").touch()
    shutil.copy(ROOT / "cli" / "bytecode.py", root / "cli" / "bytecode.py")
    (root / "lab" / "sample.py").write_text(SAMPLE.format(1))
    return root


def value_in(root, cache):
    """What a fresh process finds in the module."""
    code = CODE.format(root=str(root), cache=str(cache))
    command = [sys.executable, "-B", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root.parent)
    value, path = done.stdout.split(maxsplit=1)
    assert path.strip() == str(root / "lab" / "sample.py")
    return int(value)


def kept_in(cache):
    return sorted((cache / "bytecode").iterdir())


def sample_in(cache):
    """The file of the module: the only one with its name in it."""
    (found,) = (path for path in kept_in(cache) if b"where" in path.read_bytes())
    return found


def test_it_is_kept_and_used(program, tmp_path):
    cache = tmp_path / "cache"
    assert value_in(program, cache) == 1
    kept = sample_in(cache)
    before = kept.stat().st_mtime_ns, kept.read_bytes()
    assert value_in(program, cache) == 1
    assert (kept.stat().st_mtime_ns, kept.read_bytes()) == before
    assert not list(program.rglob("__pycache__"))


def test_an_edit_is_seen_whatever_the_files_time(program, tmp_path):
    cache, source = tmp_path / "cache", program / "lab" / "sample.py"
    value_in(program, cache)
    times = source.stat()
    source.write_text(SAMPLE.format(2))
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert value_in(program, cache) == 2
    assert value_in(program, cache) == 2


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[:40], lambda b: b[:-1], lambda b: b[:-9] + b"?" + b[-8:],
                                    lambda b: b"?" + b[1:]])  # fmt: skip
def test_a_damaged_file_is_written_anew(program, tmp_path, damage):
    cache = tmp_path / "cache"
    value_in(program, cache)
    whole = sample_in(cache)
    good = whole.read_bytes()
    whole.write_bytes(damage(good))
    assert value_in(program, cache) == 1
    assert whole.read_bytes() == good


def test_another_clone_has_its_own(program, tmp_path):
    cache, other = tmp_path / "cache", tmp_path / "other"
    shutil.copytree(program, other)
    assert value_in(program, cache) == value_in(other, cache) == 1
    count = len(kept_in(cache))
    assert value_in(program, cache) == 1
    assert len(kept_in(cache)) == count


def test_a_cache_that_is_no_folder(program, tmp_path):
    cache = tmp_path / "cache"
    cache.write_text("in the way")
    assert value_in(program, cache) == 1


def test_what_is_in_the_way_of_one_file(program, tmp_path):
    cache = tmp_path / "cache"
    value_in(program, cache)
    path = sample_in(cache)
    path.unlink()
    path.mkdir()
    assert value_in(program, cache) == 1
    assert path.is_dir() and len({p.suffix for p in kept_in(cache)}) == 1  # no half of a file is left


def test_the_program_keeps_it_where_python_does_not(tmp_path):
    cache = tmp_path / "cache"
    first = run("list", SANDBOX_CACHE=str(cache), PYTHONDONTWRITEBYTECODE="1", SANDBOX_HOME=str(tmp_path / "home"))
    assert first.returncode == 0 and len(kept_in(cache)) > 3
    second = run("list", SANDBOX_CACHE=str(cache), PYTHONDONTWRITEBYTECODE="1", SANDBOX_HOME=str(tmp_path / "home"))
    assert (second.returncode, second.stdout) == (0, first.stdout)
