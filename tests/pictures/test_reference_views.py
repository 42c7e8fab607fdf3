"""The fixed views look like their references, and another process draws the same pixels."""

import os
import subprocess
import sys

import numpy as np
import pytest

from driving_sandbox.docs.build.fixed_views import GROUPS, SIDES, names_of
from driving_sandbox.docs.build.views import OUT, REFERENCES, ROOT, load

pytestmark = pytest.mark.drawn
REDRAWN_GROUPS = ("lamps", "screens")  # a second process draws these: a world without the program, and the program
ORDER = (*REDRAWN_GROUPS, *(name for name in GROUPS if name not in REDRAWN_GROUPS))  # the order changes single pixels
NO_OPENGL = "no OpenGL"


def views(*arguments, **environment):
    """Run the command that draws the views, given groups and options; skips the test without OpenGL."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "driving_sandbox.docs.build.views", *map(str, arguments)], cwd=ROOT,
        capture_output=True, text=True, timeout=1500, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    if NO_OPENGL in result.stderr:
        pytest.skip(result.stderr.strip().splitlines()[-1])
    return result


@pytest.fixture(scope="module")
def drawn():
    """Result of drawing all views into out/views."""
    return views(*ORDER)


def test_every_view_looks_like_its_reference(drawn, capsys):
    with capsys.disabled():
        print(f"\n{drawn.stdout.strip()}")
    assert drawn.returncode == 0, drawn.stderr
    assert (OUT / "sheet.png").is_file()


def test_views_and_references_correspond(drawn):
    references = {path.stem for path in REFERENCES.glob("*.jpg")}
    images = {path.stem for path in OUT.glob("*.png") if not path.stem.endswith("_differs")} - {"sheet"}
    assert references == images
    for vehicle in names_of("vehicles"):
        assert {f"vehicle_{vehicle}_{side}" for side in SIDES} | {f"cockpit_{vehicle}"} <= references
    assert sum(path.stat().st_size for path in REFERENCES.glob("*.jpg")) < 4e6  # bytes


def test_another_process_draws_the_same_pixels_of_two_groups(drawn, tmp_path):
    out, cache = tmp_path / "out", tmp_path / "cache"
    views(*REDRAWN_GROUPS, "--out", out, MESA_SHADER_CACHE_DIR=str(cache))
    names = [path.name for path in out.glob("*.png") if path.stem != "sheet" and "_differs" not in path.stem]
    assert len(names) >= 10
    for name in names:
        assert np.array_equal(load(out / name), load(OUT / name)), name
    assert not cache.exists()  # the shader cache that the environment names is not used


@pytest.mark.nightly
def test_another_process_draws_the_same_pixels_of_all_groups(drawn, tmp_path):
    views(*ORDER, "--out", tmp_path)
    names = {path.stem for path in REFERENCES.glob("*.jpg")}
    assert [name for name in sorted(names) if not np.array_equal(load(tmp_path / f"{name}.png"),
                                                                 load(OUT / f"{name}.png"))] == []  # fmt: skip


def test_an_unknown_group_is_named():
    result = views("vehicels")
    assert result.returncode == 2
    assert "no group 'vehicels'; known: vehicles, " in result.stderr
    assert set(GROUPS) >= {"vehicles", "places", "cameras", "screens", "replay"}
