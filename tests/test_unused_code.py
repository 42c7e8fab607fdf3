"""No function, class or method of the program is used by tests only, judged by its name."""

import ast
import re

from source_tree import PACKAGES, ROOT, modules_of, tree_of

import driving_sandbox

CALLED_BY_LIBRARIES = {"set_env"}  # called by numba on its code library


def own_names():
    """(name, file) of functions and classes of the program, and of methods of classes without bases.

    Left out are subclasses of Window, which register themselves.
    """
    for path in (path for package in PACKAGES for path in modules_of(package)):
        for node in tree_of(path).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                registers_itself = isinstance(node, ast.ClassDef) and "Window" in map(ast.unparse, node.bases)
                yield from [] if registers_itself else [(node.name, str(path.relative_to(ROOT)))]
            if isinstance(node, ast.ClassDef) and not node.bases:
                methods = [item.name for item in node.body if isinstance(item, ast.FunctionDef)]
                yield from ((name, str(path.relative_to(ROOT))) for name in methods if not name.startswith("__"))


def words_of(path):
    """Names used in a module, also in strings (source may be generated from them), but not in docstrings."""
    tree = tree_of(path)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {id(node.body[0].value) for node in ast.walk(tree)
                  if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from re.findall(r"\w+", node.value)


def documented_words():
    """Words in code of the documents, and the names of the public interface."""
    for page in (ROOT / "docs").glob("*.md"):
        if page.name != "coverage.md":  # which names tests
            text = page.read_text(encoding="utf8")
            for code in re.findall(r"```.*?```|`[^`\n]+`|^    .+$", text, re.DOTALL | re.MULTILINE):
                yield from re.findall(r"\w+", code)
    yield from driving_sandbox.__all__


def test_no_code_is_used_by_tests_only():
    folders = [ROOT / name for name in (*PACKAGES, "driving_sandbox", "assets", "docs", "examples")]
    used = {word for folder in folders for path in modules_of(folder) for word in words_of(path)}
    used |= set(documented_words())
    names = list(own_names())
    assert len(names) > 3000
    assert [f"{file}: {name}" for name, file in names if name not in used | CALLED_BY_LIBRARIES] == []
