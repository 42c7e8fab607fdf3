"""Compiler errors in kernels of component files as one line for their author: component, kernel, file, line, reason.

Unknown names are found before compilation (record_fields.py); this is for all other compiler errors, such as a string
in a formula. Errors in kernels of the program itself keep their traceback.
"""

import ast
import contextlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from driving_sandbox.physics.base.user_error import WrongValue
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.kernel.numba_internals import NumbaError
from driving_sandbox.physics.tick.component import Component

# Forms in which numba's messages name a location
_PLACES = (re.compile(r"\bat (?P<file>[^\n(]+\.py) \((?P<line>\d+)\)"),  # the innermost call comes first
           re.compile(r'File "(?P<file>[^"\n]+\.py)", line (?P<line>\d+)'))  # fmt: skip
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # escape sequences for coloured text
_HEADINGS = ("Failed in", "During:", "There are", "- Of which")  # lines of numba's text without the reason


class KernelError(WrongValue):
    """A kernel of a component file cannot be compiled; `str()` names component, file, line, kernel and reason."""


@contextlib.contextmanager
def readable_kernel_errors() -> Iterator[None]:
    """Context that raises KernelError in place of numba's error in a kernel of a component file."""
    try:
        yield
    except NumbaError as error:
        text = kernel_error(_COLOURS.sub("", str(error)))
        if text is None:
            raise
        raise KernelError(text) from error


def kernel_error(message: str) -> str | None:
    """One line for the author of a kernel, from the text of numba's error; None if it names no file of a user's."""
    location = next((match for place in _PLACES for match in place.finditer(message)), None)
    if location is None:
        return None
    path, line_number = Path(location["file"]), int(location["line"])
    if not path.is_file() or path.resolve().is_relative_to(ROOT / "physics"):
        return None
    lines = [text for line in message.splitlines() if (text := line.strip(" >")) and not text.startswith(_HEADINGS)]
    # if the first line ends with a colon, the reason is in the second
    reason = " ".join(lines[: 2 if lines and lines[0].endswith(":") else 1])
    kernel = _function_at(path, line_number)
    return f"{_component_of(path, kernel)}{path}:{line_number}: kernel {kernel} cannot be compiled: {reason}"


def _function_at(path: Path, line: int) -> str:
    """Name of the innermost function that a line of a file lies in; "?" outside of functions."""
    tree = ast.parse(path.read_text(encoding="utf8", errors="replace"))
    enclosing = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
             and node.lineno <= line <= (node.end_lineno or node.lineno)]  # fmt: skip
    return max(enclosing, key=lambda node: node.lineno).name if enclosing else "?"


def _component_of(path: Path, kernel: str) -> str:
    """`slot.component: ` for the component of a loaded file that runs a kernel; "" if it is not the only candidate."""
    modules = [m for m in list(sys.modules.values()) if (file := getattr(m, "__file__", None)) and Path(file) == path]
    components = {v for module in modules for v in vars(module).values() if isinstance(v, Component)}
    codes = {c: [getattr(f, "py_func", f).__code__ for f in c.phases.values()] for c in components}
    kernel_names = {
        c: [code.co_name for code in kernels if Path(code.co_filename) == path] for c, kernels in codes.items()
    }
    candidates = [c for c in kernel_names if kernel in kernel_names[c]] or [c for c in kernel_names if kernel_names[c]]
    return f"{candidates[0].slot}.{candidates[0].name}: " if len(candidates) == 1 else ""
