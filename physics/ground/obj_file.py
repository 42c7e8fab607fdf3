"""Meshes from `.obj` files, read by trimesh, with corrections of its deviations from the format.

Objects stay separate meshes. Only the names of materials are used: the material library may be missing. Negative vertex
indices count back from the current line, but trimesh counts from the end of the file; it also takes the invalid index 0
for the last vertex.
"""

import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from driving_sandbox.physics.base.input_file import read_text
from driving_sandbox.physics.schema.model_file import MAX_FILE_SIZE
from driving_sandbox.physics.schema.yaml_file import ConfigError

# For trimesh.load: leave geometry unchanged
OPTIONS: dict[str, Any] = {"process": False, "force": "scene", "group_material": True}
_ZERO_INDEX = re.compile(r"^[ \t]*f\b.*[ \t]0+(?:[/ \t]|$)", re.MULTILINE)  # a face with the vertex 0
# A vertex with fewer than three numbers
_SHORT_VERTEX = re.compile(r"^[ \t]*v(?:[ \t]+[^ \t\r\n]+){0,2}[ \t\r]*$", re.MULTILINE)
_NEGATIVE_INDEX = re.compile(r"^[ \t]*f\b.*[ \t/]-\d", re.MULTILINE)  # a face that counts vertices back


def obj_triangles(path: Path) -> list[tuple[str, np.ndarray]]:
    """[(name of the material, corners float64[n, 3, 3])] of every part of a file. Raises like `obj_scene`."""
    parts = obj_scene(path).geometry.values()
    return [(part.visual.material.name, np.asarray(part.vertices, np.float64)[part.faces]) for part in parts]


def obj_scene(path: Path) -> Any:
    """The trimesh scene of a file.

    Raises ConfigError with the line of an invalid vertex or face, OSError for a file that cannot be read, or what
    trimesh raises.
    """
    import trimesh  # takes 0.2 s, and only worlds with meshes need it

    source = source_of(path)
    text = source.replace("\\\n", " ")
    check_vertices(path, source)
    if _NEGATIVE_INDEX.search(text):
        text = _counted_from_the_start(text)
    if _ZERO_INDEX.search(text) or _NEGATIVE_INDEX.search(text):  # still 0 or negative after conversion: out of range
        check_obj(path, source)
    try:
        text, library = _with_materials(text)
        return trimesh.load(io.StringIO(text), file_type="obj", resolver=library, split_objects=True, **OPTIONS)
    except Exception:
        check_obj(path, source)
        raise


def source_of(path: Path) -> str:
    """The text of an .obj file. Raises OSError."""
    return read_text(path, MAX_FILE_SIZE, "utf-8-sig", "replace")


def check_vertices(path: Path, source: str) -> None:
    """Raise ConfigError for a vertex with fewer than three numbers, from which trimesh would make another mesh."""
    if _SHORT_VERTEX.search(source):
        check_obj(path, source)


def _with_materials(text: str) -> tuple[str, dict[str, str]]:
    """(text of an .obj file that names a substitute library, {"names": text of that library}).

    The substitute declares the materials that the file uses, as its .mtl may be missing.
    """
    names = dict.fromkeys(re.findall(r"^[ \t]*usemtl[ \t]+(.*?)[ \t\r]*$", text, re.MULTILINE))
    text = re.sub(r"^[ \t]*mtllib\b.*$", "", text, flags=re.MULTILINE)
    return "mtllib names\n" + text, {"names": "".join(f"newmtl {name}\nKd 1 1 1\n\n" for name in names)}


def check_obj(path: Path, source: str) -> None:
    """Raise ConfigError for the first invalid vertex or face, if any. Slow, so only called for suspicious files."""
    lines = [(number, line.split()) for number, line in enumerate(source.splitlines(), start=1)]
    count, so_far = sum(words[:1] == ["v"] for _, words in lines), 0
    for number, words in lines:
        if words[:1] == ["v"]:
            so_far += 1
            try:
                [float(word) for word in words[1:4]][2]
            except (ValueError, IndexError):
                raise ConfigError(
                    path, number, "", "a vertex must be at least three numbers; the decimal separator is a point"
                ) from None
        for word in words[1:] if words[:1] == ["f"] else ():
            vertex = re.match(r"-?\d+(?=/|$)", word)
            if word != "\\" and (vertex is None or not (-so_far <= int(vertex[0]) <= count) or int(vertex[0]) == 0):
                what = f"{word!r} is none of the {count} vertices, which are counted from 1"
                raise ConfigError(path, number, "", what)


def _counted_from_the_start(text: str) -> str:
    """The text of an .obj file with all indices of faces counted from the first vertex, texture vertex and normal."""
    counts, lines = {"v": 0, "vt": 0, "vn": 0}, []
    for line in text.splitlines():
        key, *words = line.split() or [""]
        if key in counts:
            counts[key] += 1
        elif key == "f":
            line = " ".join(["f", *(_corner(word, counts.values()) for word in words)])
        lines.append(line)
    return "\n".join(lines)


def _corner(word: str, counts: Iterable[int]) -> str:
    """A face's corner "vertex/texture vertex/normal" with indices counted from the first.

    counts: numbers of vertices, texture vertices and normals so far.
    """
    numbers = zip(word.split("/"), counts, strict=False)
    return "/".join(str(count + 1 + int(n)) if n.startswith("-") else n for n, count in numbers)
