"""Safe reading of untrusted models by trimesh, with size limits checked beforehand.

A glTF file may state larger counts than it has data for, which would make trimesh allocate as much memory. Files that a
glTF or .obj file refers to are only read from the model's own folder, with the same limit of size.
"""

from pathlib import Path
from typing import Any

from driving_sandbox.physics.base.input_file import MEGABYTE, check_file, read_bytes
from driving_sandbox.physics.base.json_text import parse_json

MAX_FILE_SIZE = 64 * MEGABYTE  # bytes of a file; enough for half a million triangles with all attributes of glTF
MAX_ELEMENTS = 10_000_000  # sum of the counts that the accessors of a file state


class FilesBeside:
    """trimesh's resolver: reads the files that a model refers to, such as buffers, materials and images."""

    def __init__(self, path: str | Path) -> None:
        self._folder = Path(path).resolve().parent

    def path_of(self, name: str) -> Path:
        """Path of a file, which may be missing. Raises OSError for one outside the model's folder."""
        try:
            path = (self._folder / str(name)).resolve()
        except ValueError as error:  # a zero character
            raise OSError(str(error)) from None
        if not path.is_relative_to(self._folder):
            raise OSError(f"{name}: not in the model's folder")
        return path

    def get(self, name: str) -> bytes:
        """Content of a file in the model's folder. Raises OSError, also for a path outside that folder."""
        return read_bytes(self.path_of(name), MAX_FILE_SIZE)

    __getitem__ = get

    def keys(self) -> list[str]:
        """Names of the files in the model's folder."""
        return [path.name for path in self._folder.iterdir()]


def gltf_chunks(path: str | Path) -> tuple[dict[str, Any], bytes | None]:
    """(JSON, content of the binary chunk or None) of a .glb or .gltf file. Raises OSError and ValueError."""
    data = read_bytes(path, MAX_FILE_SIZE)
    binary = None
    if data[:4] == b"glTF":  # 12 bytes of header; then chunks with their length and type: the JSON, a buffer
        end = 20 + int.from_bytes(data[12:16], "little")
        if data[end + 4 : end + 8] == b"BIN\0":
            binary = data[end + 8 : end + 8 + int.from_bytes(data[end : end + 4], "little")]
        data = data[20:end]
    header = parse_json(data)
    if not isinstance(header, dict):
        raise ValueError("its JSON is not an object")
    return header, binary


def gltf_header(path: str | Path) -> dict[str, Any]:
    """The JSON of a .glb or .gltf file. Raises OSError and ValueError."""
    return gltf_chunks(path)[0]


def load_model(path: str | Path, **options: Any) -> Any:
    """The trimesh scene of a file. Raises OSError or ValueError for a rejected file, and any exception of trimesh."""
    import trimesh  # takes 0.2 s, and plain files do not need it (physics/schema/glb.py)

    check_file(path, MAX_FILE_SIZE)
    if Path(path).suffix.lower() in (".glb", ".gltf"):
        stated = sum(int(accessor["count"]) for accessor in gltf_header(path).get("accessors", ()))
        if stated > MAX_ELEMENTS:
            raise ValueError(f"{stated} elements in its accessors; at most {MAX_ELEMENTS} are allowed")
    resolver: Any = FilesBeside(path)  # has the methods of trimesh's base class
    return trimesh.load(path, resolver=resolver, **options)
