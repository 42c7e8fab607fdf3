"""Draws the fixed set of views and compares them with the references.

    python -m driving_sandbox.docs.build.views [GROUP ...]

Writes into a folder, by default out/views: the pictures, a contact sheet, and for each view that differs an image of
its picture, its reference and their difference. The exit code is 1 if one differs. `--update` makes the drawn pictures
the references, and the documentation's contact sheet from all references.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from PIL import Image

from driving_sandbox.docs.build.contact_sheet import contact_sheet, side_by_side
from driving_sandbox.docs.build.picture_difference import difference

ROOT = Path(__file__).resolve().parents[2]
REFERENCES = ROOT / "tests" / "pictures" / "reference"
SHEET = ROOT / "docs" / "pictures" / "contact_sheet.jpg"
OUT = ROOT / "out" / "views"
SHEET_WIDTH = 160  # px of a picture on the documentation's sheet
SHEET_COLUMNS = 8  # pictures in a row of that sheet
QUALITY: dict[str, Any] = {"quality": 88, "subsampling": 0}  # JPEG options of references


def load(path: Path) -> np.ndarray:
    """A picture file as an array of bytes."""
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))


def draw(groups: Iterable[str], say: Callable[..., None] = print) -> dict[str, np.ndarray]:
    """{name: picture} of all views of some groups, in order."""
    from driving_sandbox.docs.build.fixed_views import GROUPS

    drawn: dict[str, np.ndarray] = {}
    for group in groups:
        process_begin, clock_begin, count = process_time(), perf_counter(), len(drawn)
        drawn.update(GROUPS[group]())
        say(f"{group}: {len(drawn) - count} views, {process_time() - process_begin:.1f} s of processor time, "
            f"{perf_counter() - clock_begin:.1f} s")  # fmt: skip
    return drawn


def compare(drawn: dict[str, np.ndarray], out: Path, references: Path = REFERENCES) -> dict[str, str]:
    """{name: why it differs} of pictures that differ from their reference.

    Where a measure exceeds its limit, an image of picture, reference and difference is written into the folder `out`.
    """
    wrong = {}
    for name, picture in drawn.items():
        path = references / f"{name}.jpg"
        if not path.is_file():
            wrong[name] = f"no reference {path.name}"
            continue
        reference = load(path)
        try:
            measured = difference(picture, reference)
        except ValueError as error:
            wrong[name] = str(error)
            continue
        if measured.excess:
            wrong[name] = ", ".join(measured.excess)
            side_by_side(picture, reference, measured.distance).save(out / f"{name}_differs.png")
    return wrong


def update(
    drawn: dict[str, np.ndarray], groups: Iterable[str], all_groups: Iterable[str], references: Path = REFERENCES
) -> None:
    """Make the drawn pictures the references; if all groups were drawn, other references are deleted."""
    references.mkdir(parents=True, exist_ok=True)
    if set(groups) == set(all_groups):
        for path in references.glob("*.jpg"):
            path.unlink()
    for name, picture in drawn.items():
        Image.fromarray(picture).save(references / f"{name}.jpg", **QUALITY)


def write_sheet(path: Path = SHEET, references: Path = REFERENCES) -> None:
    """The documentation's sheet of all references."""
    pictures = {path.stem: load(path) for path in sorted(references.glob("*.jpg"))}
    contact_sheet(pictures, columns=SHEET_COLUMNS, width=SHEET_WIDTH).save(path, quality=80)


def main(arguments: list[str]) -> int:
    """Run `_main` with settings that give the same pictures on every machine."""
    with tempfile.TemporaryDirectory(prefix="views-home-") as home:
        os.environ["SANDBOX_HOME"] = home  # so that the user's own settings do not change the pictures
        # A vector width in bits; otherwise llvmpipe takes the processor's, on which its rounding depends.
        os.environ["LP_NATIVE_VECTOR_WIDTH"] = "128"
        # Mesa's shader cache does not distinguish vector widths: programs of different widths sharing it would crash.
        os.environ["MESA_SHADER_CACHE_DIR"] = home
        return _main(arguments)


def _main(arguments: list[str] | None) -> int:
    """Draw the views, compare them with the references or replace these; returns the exit code."""
    from driving_sandbox.docs.build.fixed_views import GROUPS, leave_out_multisampling

    parser = argparse.ArgumentParser(
        prog="python -m driving_sandbox.docs.build.views", description=__doc__.split("\n")[0]
    )
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"which: {', '.join(GROUPS)} (all)")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of what is written (out/views)")
    parser.add_argument("--update", action="store_true", help="make the drawn pictures the references")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.groups if name not in GROUPS]
    if unknown:
        parser.error(f"no group {unknown[0]!r}; known: {', '.join(GROUPS)}")
    groups, out = options.groups or list(GROUPS), options.out
    out.mkdir(parents=True, exist_ok=True)
    for path in out.glob("*.png"):
        path.unlink()
    leave_out_multisampling()
    drawn = draw(groups)
    for name, picture in drawn.items():
        Image.fromarray(picture).save(out / f"{name}.png")
    if options.update:
        update(drawn, groups, GROUPS)
        write_sheet()
    wrong = compare(drawn, out)
    contact_sheet(drawn, wrong).save(out / "sheet.png")
    for name, why in wrong.items():
        print(f"{name} differs: {why}", file=sys.stderr)
    print(f"{len(drawn)} views, {len(wrong)} differ; all of them: {out / 'sheet.png'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
