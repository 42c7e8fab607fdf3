"""The cache of compiled code: damaged files, and files that another user may have written, are not run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from driving_sandbox.physics.kernel.cache_folder import sealed, unsealed, write_whole
from driving_sandbox.physics.kernel.jit import JIT, ROOT

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX permissions")
compiled = pytest.mark.skipif(not JIT, reason="needs compiled code")

# Prints a sine, the number of cache hits, and the folder.
SINE = """
from driving_sandbox.physics.kernel import elementary
from driving_sandbox.physics.kernel.cache_folder import cache_folder
print(elementary.sin(2.0), sum(elementary.sin.stats.cache_hits.values()), cache_folder())
"""
# lets os.access report that nothing can be written
READ_ONLY = "import os; access = os.access; os.access = lambda path, mode: mode != os.W_OK and access(path, mode)"


def run(code, **environment):
    """Words printed by a new Python process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_every_flipped_bit_breaks_a_seal():
    whole = sealed(b"machine code")
    assert unsealed(whole) == b"machine code"
    for k in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[k // 8] ^= 1 << k % 8
        assert unsealed(bytes(damaged)) is None
    assert all(unsealed(whole[:length]) is None for length in range(len(whole)))


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, b"old")
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@compiled
def test_loading_machine_code_leaves_the_compiler_alone(tmp_path):
    """numba's implementations of Python's functions, which compiling needs, take 0.1 s to load."""
    code = SINE + "import sys; print('numba.cpython.listobj' in sys.modules)"
    runs = [run(code, SANDBOX_CACHE=str(tmp_path)) for _ in range(2)]
    assert [(hits, compiler_loaded) for _, hits, _, compiler_loaded in runs] == [("0", "True"), ("1", "False")]


@compiled
@pytest.mark.parametrize("damage", ["flipped", "emptied", "cut"])
def test_damaged_machine_code_is_compiled_again(tmp_path, damage):
    """Unnoticed, eight flipped bits would crash the process at every start."""
    cache = str(tmp_path / "cache")
    sine, hits, _ = run(SINE, SANDBOX_CACHE=cache)
    assert hits == "0"
    assert run(SINE, SANDBOX_CACHE=cache)[:2] == [sine, "1"]
    files = list(Path(cache).glob("kernels-*/elementary-*/*.sin-*.nbc"))
    assert files
    for file in files:
        data = bytearray(file.read_bytes())
        for k in range(8):
            data[len(data) * (k + 1) // 10] ^= 0x10
        file.write_bytes({"flipped": bytes(data), "emptied": b"", "cut": bytes(data[: len(data) // 2])}[damage])
    assert run(SINE, SANDBOX_CACHE=cache)[:2] == [sine, "0"]
    assert run(SINE, SANDBOX_CACHE=cache)[:2] == [sine, "1"]


def test_an_emptied_generated_step_is_rewritten(tmp_path):
    code = (
        "from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle\n"
        "print(load_vehicle('planar_roadster').sequence._module.__file__)"
    )
    [module] = run(code, SANDBOX_CACHE=str(tmp_path))
    path = Path(module)
    text = path.read_text()
    for damage in ("", text[: len(text) // 2]):
        path.write_text(damage)
        assert run(code, SANDBOX_CACHE=str(tmp_path)) == [str(path)]
        assert path.read_text() == text
    assert not (path.parent / "__pycache__").exists()  # bytecode would be run unchecked


NOWHERE = "/proc/nowhere"  # no folder can be created there


@posix
def test_without_a_writable_folder_a_private_one_is_reused(tmp_path):
    (_, _, folder), (_, _, again) = (run(SINE, SANDBOX_CACHE=NOWHERE, TMPDIR=str(tmp_path)) for _ in range(2))
    private = tmp_path / f"driving-sandbox-{os.getuid()}"
    assert folder == again and Path(folder).parent == private
    assert private.stat().st_mode & 0o777 == 0o700


@posix
@pytest.mark.parametrize("made_by_another", ["readable", "link", "owner"])
def test_a_folder_that_is_not_private_is_not_used(tmp_path, made_by_another):
    """A folder that other users can read, a link and a folder of another owner are left empty; a new one is used."""
    folder = tmp_path / f"driving-sandbox-{os.getuid()}"
    if made_by_another == "link":
        (tmp_path / "theirs").mkdir(0o700)
        folder.symlink_to("theirs")
    else:
        folder.mkdir(0o755 if made_by_another == "readable" else 0o700)
    if made_by_another == "owner":
        if os.getuid() != 0:
            pytest.skip("only root can change the owner of a folder")
        os.chown(folder, 12345, 12345)
    _, _, used = run(SINE, SANDBOX_CACHE=NOWHERE, TMPDIR=str(tmp_path))
    cache = Path(used)
    assert tmp_path in cache.parents and folder not in cache.parents
    assert cache.parent.stat().st_mode & 0o777 == 0o700
    assert not list(folder.rglob("*"))


@posix
@compiled
def test_a_read_only_cache_is_used(tmp_path):
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    elsewhere.mkdir()
    sine, _, _ = run(SINE, SANDBOX_CACHE=str(cache))
    again, hits, used = run(READ_ONLY + SINE, SANDBOX_CACHE=str(cache), TMPDIR=str(elsewhere))
    assert (again, hits) == (sine, "1") and elsewhere in Path(used).parents
    assert not list(elsewhere.rglob("*.nbc"))
    next(cache.glob("kernels-*")).chmod(0o777)  # writable by everybody
    assert run(READ_ONLY + SINE, SANDBOX_CACHE=str(cache), TMPDIR=str(elsewhere))[:2] == [sine, "0"]
