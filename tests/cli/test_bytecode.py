"""Bytecode goes to the cache folder if Python would write none; `list` works without a usable cache folder."""

import pytest
from command_line import run


def output_of_list(tmp_path, **environment):
    """What `list` prints, with folders of its own."""
    result = run("list", SANDBOX_CACHE=str(tmp_path / "cache"), SANDBOX_HOME=str(tmp_path / "home"), **environment)
    assert result.returncode == 0
    return result.stdout


def bytecode_of(folder):
    """{file: time of its last change, ns} of the bytecode of modules named `program` below a folder.

    Of these `list` loads only cli/program.py.
    """
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("program.*.pyc")}


def test_bytecode_that_python_would_not_write_goes_to_the_cache_folder(tmp_path):
    """PYTHONPYCACHEPREFIX hides bytecode that another start may have left beside the sources."""
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(tmp_path / "none")}
    first = output_of_list(tmp_path, **environment)
    files = bytecode_of(tmp_path / "cache" / "bytecode")
    assert len(files) == 1
    assert output_of_list(tmp_path, **environment) == first
    assert bytecode_of(tmp_path / "cache" / "bytecode") == files


def test_where_python_writes_bytecode_the_cache_folder_has_none(tmp_path):
    output_of_list(tmp_path, PYTHONDONTWRITEBYTECODE="")
    assert not (tmp_path / "cache" / "bytecode").exists()


@pytest.mark.parametrize("value", ["", "1"])
def test_a_cache_that_is_no_folder_does_not_stop_the_listing(tmp_path, value):
    (tmp_path / "cache").write_text("in the way")
    assert "roadster" in output_of_list(tmp_path, PYTHONDONTWRITEBYTECODE=value)
