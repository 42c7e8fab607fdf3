"""Writes docs/coverage.md: which rows of docs/systems.yaml a test asserts.

    python -m driving_sandbox.docs.build.coverage [--check]

A test names rows by `@pytest.mark.covers("PX-SUSP-12")`; the marker means that the test asserts the row's `observable`
with its numbers, and fails when the parameter is neutralised.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from driving_sandbox.docs.build.page import write_or_check

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "coverage.md"
ROWS = ROOT / "docs" / "systems.yaml"
INTRODUCTION = """\
# Coverage

<!-- Written by docs/build/coverage.py from the `covers` markers of the tests. -->

[systems.yaml](systems.yaml) lists every part, behaviour and parameter of five public vehicle systems. A row counts as
covered when a test asserts what it says can be observed; rows without a test are not claimed.
"""


def document() -> dict[str, Any]:
    """The content of systems.yaml."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with ROWS.open(encoding="utf8") as file:
        return yaml.load(file, loader)


def claims() -> dict[str, list[str]]:
    """{id: [test, ...]} of every `covers` marker, tests as "tests/x.py::name"."""
    claims_of: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                continue
            for row in _marked(node.decorator_list, path, node):
                claims_of.setdefault(row, []).append(f"{path.relative_to(ROOT).as_posix()}::{node.name}")
    return claims_of


def _marked(decorators: list[ast.expr], path: Path, node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """Yield the row ids of the `covers` markers among a test's decorators."""
    for decorator in decorators:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute):
            if decorator.func.attr != "covers":
                continue
            for argument in decorator.args:
                if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str)):
                    raise SystemExit(f"{path}:{node.lineno}: covers() takes row ids as plain texts")
                yield argument.value


def page() -> str:
    """The text of the page. SystemExit when a marker names a row that does not exist."""
    content = document()
    known, claimed = {row["id"]: row for row in content["rows"]}, claims()
    unknown = sorted(set(claimed) - set(known))
    if unknown:
        raise SystemExit(f"covers markers name rows that docs/systems.yaml does not have: {', '.join(unknown)}")
    lines = [INTRODUCTION, "| System | Covered | Rows |", "|---|---|---|"]
    for source in dict.fromkeys(row["source"] for row in known.values()):
        ids = [i for i, row in known.items() if row["source"] == source]
        name = content["meta"]["seeds"][source].partition(" (")[0]
        lines.append(f"| {name} | {sum(i in claimed for i in ids)} | {len(ids)} |")
    lines += [f"| all | {len(claimed)} | {len(known)} |", "", "| Row | Name | Tests |", "|---|---|---|"]
    for row_id, row in known.items():
        if row_id in claimed:
            name = " ".join(str(row["name"]).split()).replace("|", "\\|")
            lines.append(f"| {row_id} | {name} | {'<br>'.join(sorted(set(claimed[row_id])))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), sys.argv[1:]))
