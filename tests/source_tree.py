"""The project's modules as syntax trees, for tests of its architecture."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("physics", "game", "lab", "sound", "cli", "formats", "benchmarks")


def modules_of(package):
    return sorted(p for p in (ROOT / package).rglob("*.py") if "__pycache__" not in p.parts)


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf8"))


def imported_modules(path):
    """Modules of the project imported by a file, also inside functions, as paths without suffix."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        else:
            continue
        dotted = [name.removeprefix("driving_sandbox.").replace(".", "/") for name in names]
        modules = [name for name in dotted if (ROOT / f"{name}.py").is_file()]
        yield from modules or [f"{name}/__init__" for name in dotted if (ROOT / name / "__init__.py").is_file()]
