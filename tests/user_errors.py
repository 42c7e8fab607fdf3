"""The exception classes of the program, found in its source, and which of them users never see."""

import ast
import importlib

from source_tree import PACKAGES, ROOT

BASE = "driving_sandbox.physics.base.user_error"
INTERNAL = {  # exceptions that are always caught internally, so never shown: when each is raised
    "driving_sandbox.game.controls.sdl_library.NoSdl": "sound and force feedback report it in their own words",
    "driving_sandbox.game.force_feedback.haptic.NoForce": "a device has no force feedback: its page says so",
    "driving_sandbox.game.platform.shutdown.EndRequested": "a signal requested the end",
    "driving_sandbox.game.program.program.WindowClosed": "the window was closed while a drive was prepared",
    "driving_sandbox.physics.recording.format.ChunkError": "damage: a Recording reports it or ends before it",
    "driving_sandbox.physics.recording.chunks._Truncated": "damage found late: the rest is read again",
    "driving_sandbox.physics.schema.glb._NotPlain": "the fast reader leaves the file to the general one",
}


def exception_classes():
    """{dotted name: class} of every exception class defined in the program."""
    classes = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            module = ".".join(("driving_sandbox", *path.relative_to(ROOT).with_suffix("").parts))
            for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
                if isinstance(node, ast.ClassDef) and any(map(_is_exception, node.bases)):
                    classes[f"{module}.{node.name}"] = getattr(importlib.import_module(module), node.name)
    return classes


def _is_exception(base):
    """Whether a base class, by its name, is one of exceptions."""
    name = ast.unparse(base).rpartition(".")[2]
    return name in ("UserError", "WrongValue", "UnknownName", "NoDisplay", "Difference") or name.endswith(
        ("Error", "Exception", "Interrupt", "Exit", "Warning")
    )
