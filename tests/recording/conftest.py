"""Makes the modules of this folder importable by their bare names; an undamaged recording."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from drives import drive  # noqa: E402


@pytest.fixture(scope="module")
def original(request, tmp_path_factory):
    """The bytes of an undamaged recording of the module's TICKS ticks."""
    path = tmp_path_factory.mktemp("original") / "a.drive"
    drive(path, request.module.TICKS)
    return path.read_bytes()
