"""Import paths of the fuzzers, and the seeds that every run of the tests tries."""

import sys
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), *(str(HERE.parent / folder) for folder in ("props", "core", "road", "recording"))]


def kept(name):
    """Seeds of a fuzzer that every run tries: each has found a fault, or represents a kind of case."""
    return yaml.safe_load((HERE / "kept_seeds.yaml").read_text(encoding="utf8"))[name]


def pytest_generate_tests(metafunc):
    if "kept_seed" in metafunc.fixturenames:
        metafunc.parametrize("kept_seed", kept(metafunc.module.KEPT))


@pytest.fixture(scope="module")
def shared():
    """Worlds and vehicles by name, shared by the seeds of a module."""
    return {}
