"""Bytecode goes to the cache folder where Python would write none; an unusable cache folder stops nothing."""

import pytest
from command_line import run


def listed(tmp_path, **environment):
    result = run("list", SANDBOX_CACHE=str(tmp_path / "cache"), SANDBOX_HOME=str(tmp_path / "home"), **environment)
    assert result.returncode == 0
    return result.stdout


def kept_in(folder):
    return {path.relative_to(folder): path.stat().st_mtime_ns for path in folder.rglob("program.*.pyc")}


def test_with_bytecode_disabled_it_goes_to_the_cache_folder(tmp_path):
    """Without bytecode beside the sources from another start."""
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(tmp_path / "none")}
    first = listed(tmp_path, **environment)
    files = kept_in(tmp_path / "cache" / "bytecode")
    assert len(files) == 1
    assert listed(tmp_path, **environment) == first
    assert kept_in(tmp_path / "cache" / "bytecode") == files


def test_it_stays_beside_the_sources_where_it_may(tmp_path):
    listed(tmp_path, PYTHONDONTWRITEBYTECODE="")
    assert not (tmp_path / "cache" / "bytecode").exists()


@pytest.mark.parametrize("value", ["", "1"])
def test_a_cache_that_is_no_folder(tmp_path, value):
    (tmp_path / "cache").write_text("in the way")
    assert "roadster" in listed(tmp_path, PYTHONDONTWRITEBYTECODE=value)
