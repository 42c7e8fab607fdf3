"""Every public function has types and a docstring; kernels have a docstring, and classes too."""

import ast

import pytest
from source_tree import PACKAGES, ROOT, modules_of, tree_of

FOLDERS = (*PACKAGES, "driving_sandbox", "assets", "docs", "examples", ".ci")
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
BLOCKS = (ast.If, ast.Try, ast.With)  # statements that may contain definitions


def definitions(body, in_class=False):
    """(node, whether it is in a class) of public functions and classes, methods and `__init__` included.

    Left out are functions inside functions, and declarations for type checkers, which repeat others.
    """
    for node in body:
        if isinstance(node, BLOCKS):
            is_stub = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            yield from definitions([*([] if is_stub else node.body), *getattr(node, "orelse", [])], in_class)
        elif isinstance(node, DEFINITIONS) and (node.name == "__init__" or not node.name.startswith("_")):
            yield node, in_class
            yield from definitions(node.body, in_class=True) if isinstance(node, ast.ClassDef) else ()


def untyped(function, is_method):
    """Names of the arguments without a type, and "return"."""
    a = function.args
    arguments = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
    own = arguments[1:] if is_method else arguments
    return [x.arg for x in own if x.annotation is None] + (["return"] if function.returns is None else [])


def lacks(source):
    """["line name: what it lacks"] of a module as a syntax tree."""
    for node, in_class in definitions(source.body):
        decorators = [ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list]
        missing = []
        if not isinstance(node, ast.ClassDef):
            missing += untyped(node, in_class and "staticmethod" not in decorators)
        is_described = node.name == "__init__" or any(name.endswith(".setter") for name in decorators)
        if not is_described and "overload" not in decorators and not ast.get_docstring(node):
            missing.append("docstring")
        if missing:
            yield f"{node.lineno} {node.name}: {', '.join(missing)}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_public_functions_have_types_and_docstrings(folder):
    paths = modules_of(folder)
    assert paths
    assert [f"{path.relative_to(ROOT)}:{text}" for path in paths for text in lacks(tree_of(path))] == []


@pytest.mark.parametrize(
    "source, expected",
    [
        ("def f(a, *, b: int = 0, **c) -> None: 'x'", ["1 f: a, c"]),
        ("def f(a: int): 'x'", ["1 f: return"]),
        ("def f() -> None: pass", ["1 f: docstring"]),
        ("def _f(a): pass", []),
        ("@kernel\ndef f(a) -> float: 'x'", ["2 f: a"]),
        ("class A: pass", ["1 A: docstring"]),
        ("class A:\n 'x'\n def f(self, a) -> int: 'x'", ["3 f: a"]),
        ("class A:\n 'x'\n def __init__(self, a: int): pass", ["3 __init__: return"]),
        ("class A:\n 'x'\n @staticmethod\n def f(a) -> int: 'x'", ["4 f: a"]),
        ("class A:\n 'x'\n @speed.setter\n def speed(self, a: int) -> None: pass", []),
        ("if JIT:\n def f(a: int) -> int: 'x'\nelse:\n def f(a: int): 'x'", ["4 f: return"]),
        ("if TYPE_CHECKING:\n def f(a: int) -> int: ...", []),
    ],
)
def test_missing_types_and_docstrings_are_found(source, expected):
    assert list(lacks(ast.parse(source))) == expected
