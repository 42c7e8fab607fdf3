"""The terrain of a world file: an endless plane, or heights and surfaces from arrays or PNG pictures.

Heights: a `.npy` of float32 or float64 in m, or a PNG of 16 bit grey with `low` and `high`, the heights of black and
white. Surfaces of cells: a `.npy` of uint8, or a PNG whose values (grey of up to 8 bits, or palette indices) stand for
the names listed under `surfaces`, 255 for a hole; or a PNG whose colours `surfaces` maps to names. `hole` is a name
too.

Rows of arrays run from the origin towards +y. A picture is a map with +y at its upper edge, so its rows are reversed on
reading. A field of (columns + 1) x (rows + 1) heights has columns x rows cells.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driving_sandbox.physics.base.visible import brief
from driving_sandbox.physics.ground.arrays import HOLE
from driving_sandbox.physics.ground.ground import Heightfield, Plane
from driving_sandbox.physics.ground.surfaces import number
from driving_sandbox.physics.schema.yaml_file import YamlList, YamlMap, check_keys, key_hint

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from driving_sandbox.physics.ground.surfaces import SurfaceTable

FIELD_KEYS = ("heights", "low", "high", "cell_surface", "surface", "surfaces", "origin", "cell")
MAX_CELLS = 8192  # along a side; twice as many would take 3 GB while loading
MAX_HEIGHT = 1e5  # m; the resolution of float32 there is 8 mm
HOLE_NAME = "hole"
SUFFIXES = (".png", ".npy")
UNKNOWN = HOLE - 1  # stands for a colour or number without a surface; no surface has this id
GREY_16 = ("I;16", "I;16B", "I;16L", "I;16N")  # Pillow's modes of 16 bit grey
INDEXED = ("1", "L", "P")  # Pillow's modes whose pixels are single numbers of at most 8 bits


def existing_file(doc: Any, key: int | str) -> Path:
    """Absolute path of a file that a key of a mapping or a list names. Raises ConfigError."""
    value = doc[key]
    if not isinstance(value, str) or min(value, default=" ") < " ":  # control characters are refused
        raise doc.error(key, f"{brief(value)} must be the path of a file")
    file = (Path(doc.path).parent / value).resolve()
    if not file.is_file():
        raise doc.error(key, f"no such file: {file}")
    return file


def _values_file(doc: YamlMap, key: str) -> Path:
    """Absolute path of a picture or an array that a key names."""
    path = existing_file(doc, key)
    if path.suffix.lower() not in SUFFIXES:
        raise doc.error(key, f"{path.name} cannot be read here: save it as {' or '.join(SUFFIXES)}")
    return path


def coordinates(doc: Any, key: int | str, lengths: tuple[int, ...] = (2, 3)) -> tuple[float, ...]:
    """A tuple of coordinates, m, of a list of one of the allowed lengths. Raises ConfigError."""
    value = doc[key]
    if not isinstance(value, YamlList) or len(value) not in lengths:
        raise doc.error(key, f"{brief(value)} must be a list of {' or '.join(map(str, lengths))} numbers")
    return tuple(number(_Elements(value), index, -1e6, 1e6) for index in range(len(value)))


class _Elements(dict):
    """A YAML list as a mapping from index to element, for `number`, which reads from mappings."""

    def __init__(self, values: YamlList) -> None:
        super().__init__(enumerate(values))
        self.error = values.error


def surface_id(doc: Any, key: int | str, surfaces: "SurfaceTable", holes: bool = False) -> int:
    """Id of the surface that a key names; HOLE for `hole` if `holes` are allowed. Raises ConfigError."""
    name = doc[key]
    if holes and name == HOLE_NAME:
        return HOLE
    if name not in surfaces.names:
        known = [*surfaces.names, *([HOLE_NAME] if holes else [])]
        raise doc.error(key, f"there is no surface {brief(name)}{key_hint(name, known)}; known: {', '.join(known)}")
    return surfaces.index(name)


def read_terrain(doc: YamlMap, surfaces: "SurfaceTable") -> Any:
    """The Plane or Heightfield of a world file's mapping. Raises ConfigError."""
    terrain = doc["terrain"]
    if not isinstance(terrain, YamlMap):
        raise doc.error("terrain", "must be {plane: height, surface: name} or a mapping that names a heights file")
    if "plane" in terrain or ("surface" in terrain and "heights" not in terrain):
        check_keys(terrain, ("plane", "surface"), ("plane", "surface"))
        plane = Plane(number(terrain, "plane", -1e4, 1e4), surface_id(terrain, "surface", surfaces))
        _refuse_barriers(terrain, "surface", surfaces, np.array([plane.surface]))
        return plane
    check_keys(terrain, FIELD_KEYS, ("heights", "origin", "cell"))
    heights = read_heights(terrain)
    if min(heights.shape) < 2:
        raise terrain.error("heights", f"a field needs at least 2 x 2 heights, not {heights.shape}")
    cells = read_cells(terrain, surfaces, (heights.shape[0] - 1, heights.shape[1] - 1))
    _refuse_barriers(terrain, "surface" if "surface" in terrain else "surfaces", surfaces, cells)
    x, y = coordinates(terrain, "origin", (2,))
    return Heightfield(heights, cells, (x, y), number(terrain, "cell", 0.01, 1000.0))


def _refuse_barriers(doc: YamlMap, key: str, surfaces: "SurfaceTable", cells: np.ndarray) -> None:
    """Raise ConfigError at a key if the surface of a cell is a barrier: wheels would fall through the terrain there."""
    for index, surface in enumerate(surfaces.surfaces):
        if surface.barrier and (cells == index).any():
            raise doc.error(key, f"no wheel stands on {surface.name}: it is a barrier, for meshes only")


def read_heights(doc: YamlMap) -> np.ndarray:
    """float32[rows + 1, columns + 1] of the key `heights`, m."""
    path = _values_file(doc, "heights")
    if path.suffix.lower() == ".png":
        check_keys(doc, FIELD_KEYS, ("low", "high"))
        low, high = number(doc, "low", -MAX_HEIGHT, MAX_HEIGHT), number(doc, "high", -MAX_HEIGHT, MAX_HEIGHT)
        if not low < high:
            raise doc.error("high", f"{high:g} m for white must be above the {low:g} m of black")
        picture = _picture(doc, "heights", path)
        if picture.mode not in GREY_16:
            raise doc.error("heights", f"{path.name} must have 16 bit grey values, not {_pixel_type(picture)}")
        grey = _pixels(doc, "heights", path, picture)
        return (low + grey.astype(np.float64) * ((high - low) / 65535.0)).astype(np.float32)
    for key in ("low", "high"):
        if key in doc:
            raise doc.error(key, f"belongs to heights from a .png; the heights of {path.name} are in m")
    heights = _array(doc, "heights", path, (np.float32, np.float64))
    usable = np.abs(heights) < MAX_HEIGHT  # False for NaN
    if not usable.all():
        j, i = (int(k) for k in np.argwhere(~usable)[0])
        problem = f"beyond {MAX_HEIGHT:g} m" if np.isfinite(heights[j, i]) else "not a number"
        raise doc.error("heights", f"{path.name}: the height in row {j}, column {i} is {problem}: {heights[j, i]}")
    return heights.astype(np.float32, copy=False)


def read_cells(doc: YamlMap, surfaces: "SurfaceTable", shape: tuple[int, int]) -> np.ndarray:
    """uint8[rows, columns] of surface ids: the key `cell_surface`, or `surface` for all cells."""
    if "cell_surface" not in doc:
        check_keys(doc, FIELD_KEYS, ("surface",))
        if "surfaces" in doc:
            raise doc.error("surfaces", "says what the values of cell_surface mean, but there is no cell_surface")
        return np.full(shape, surface_id(doc, "surface", surfaces), np.uint8)
    if "surface" in doc:
        raise doc.error("surface", "is for all cells, but cell_surface names one for each: leave one of them out")
    check_keys(doc, FIELD_KEYS, ("surfaces",))
    names, path = doc["surfaces"], _values_file(doc, "cell_surface")
    if not isinstance(names, YamlList | YamlMap) or not names:
        colors = 'map colours in quotes to them, as in {"#5d7a3a": grass}'
        raise doc.error("surfaces", f"must list the surfaces that 0, 1 ... stand for, or {colors}")
    picture = None
    if path.suffix.lower() == ".png":
        picture = _picture(doc, "cell_surface", path)
        if picture.mode in GREY_16:
            what = f"{path.name} has {_pixel_type(picture)}: save it with 8 bit grey, a palette or colours"
            raise doc.error("cell_surface", what)
        size = picture.height, picture.width
    else:
        values = _array(doc, "cell_surface", path, (np.uint8,))
        size = values.shape
    if size != shape:
        needed = f"{shape[1]} x {shape[0]}"
        raise doc.error("cell_surface", f"{path.name} has {size[1]} x {size[0]} cells, but the heights need {needed}")
    if isinstance(names, YamlMap):
        if picture is None:
            raise doc.error("surfaces", f"maps colours, but {path.name} has numbers: list the surfaces of 0, 1 ...")
        return _by_colour(doc, names, surfaces, path, picture)
    if picture is not None:
        if picture.mode not in INDEXED:
            what = f"{path.name} has {_pixel_type(picture)}: map its colours to surfaces, as in"
            raise doc.error("surfaces", f'{what} {{"#5d7a3a": grass}}')
        values = _pixels(doc, "cell_surface", path, picture).astype(np.uint8, copy=False)
    return _by_number(doc, names, surfaces, path, values, picture is not None)


def _first_unknown(cells: np.ndarray, from_top: bool) -> tuple[tuple[int, int], str]:
    """((row, column), the same in words) of the first unknown cell.

    from_top: whether the words count rows from the top, as in a picture.
    """
    j, i = (int(k) for k in np.argwhere(cells == UNKNOWN)[0])
    return (j, i), f"column {i}, row {len(cells) - 1 - j} from the top" if from_top else f"row {j}, column {i}"


def _by_number(
    doc: YamlMap, names: YamlList, surfaces: "SurfaceTable", path: Path, values: np.ndarray, from_top: bool
) -> np.ndarray:
    """Surface ids of cells whose values are indices into a list of names; HOLE stays HOLE.

    from_top: whether an error counts rows from the top, as in a picture.
    """
    table = np.full(256, UNKNOWN, np.uint8)
    table[HOLE] = HOLE
    if len(names) > HOLE:
        raise doc.error("surfaces", f"{len(names)} names, but values end at {HOLE - 1}; {HOLE} is a hole")
    table[: len(names)] = [surface_id(names, index, surfaces, holes=True) for index in range(len(names))]
    cells = table[values]
    if (cells == UNKNOWN).any():
        at, where = _first_unknown(cells, from_top)
        raise doc.error("surfaces", f"{len(names)} names, but {path.name} has the value {values[at]} in {where}")
    return cells


def _by_colour(doc: YamlMap, names: YamlMap, surfaces: "SurfaceTable", path: Path, picture: "Picture") -> np.ndarray:
    """Surface ids of cells by the colours of a picture."""
    table = np.full(1 << 24, UNKNOWN, np.uint8)
    for key in names:
        if not isinstance(key, str) or len(key) != 7 or key[0] != "#" or not _is_hex(key[1:]):
            raise names.error(key, f'{brief(key)} must be a colour like "#5a6b3c"')
        if table[int(key[1:], 16)] != UNKNOWN:
            raise names.error(key, "given twice, in upper and lower case")
        table[int(key[1:], 16)] = surface_id(names, key, surfaces, holes=True)
    rgb = _pixels(doc, "cell_surface", path, picture, "RGB").astype(np.uint32)
    cells = table[(rgb[..., 0] << 16) | (rgb[..., 1] << 8) | rgb[..., 2]]
    if (cells == UNKNOWN).any():
        at, where = _first_unknown(cells, from_top=True)
        colour = "#" + "".join(f"{v:02x}" for v in rgb[at])
        text = f"{path.name} has the colour {colour} in {where}, which has no surface; known: {', '.join(names)}"
        raise doc.error("surfaces", text)
    return cells


def _is_hex(text: str) -> bool:
    return all(c in "0123456789abcdefABCDEF" for c in text)


def _picture(doc: YamlMap, key: str, path: Path) -> "Picture":
    """A PNG of an allowed size as a Pillow image, its pixels not read yet."""
    from PIL import Image  # importing takes 0.1 s, and few worlds need it

    try:
        picture = Image.open(path, formats=("PNG",))
    except Exception as error:  # any failure of a foreign file's reader is one error for the user
        raise doc.error(key, f"{path.name} cannot be read as a PNG picture: {error}") from None
    _check_size(doc, key, path, (picture.height, picture.width))
    return picture


def _pixels(doc: YamlMap, key: str, path: Path, picture: "Picture", mode: str | None = None) -> np.ndarray:
    """Pixels of a picture, converted to `mode` if given, lowest row first."""
    try:
        return np.asarray(picture.convert(mode) if mode else picture)[::-1]
    except Exception as error:  # damage shows when pixels are unpacked
        raise doc.error(key, f"{path.name} cannot be read as a PNG picture: {error}") from None


def _pixel_type(picture: "Picture") -> str:
    """The type of a picture's values, in words."""
    kinds = {"1": "1 bit", "L": "8 bit grey values", "P": "a palette", "RGB": "colours", "RGBA": "colours",
             "LA": "grey values and transparency"}  # fmt: skip
    return kinds.get(picture.mode, "16 bit grey values" if picture.mode in GREY_16 else f"pixels of {picture.mode}")


def _check_size(doc: YamlMap, key: str, path: Path, shape: tuple[int, int]) -> None:
    if max(shape) > MAX_CELLS + 1:  # one more height than cells
        raise doc.error(key, f"{path.name} is {shape[1]} x {shape[0]}, more than {MAX_CELLS} cells a side")


def _array(doc: YamlMap, key: str, path: Path, dtypes: tuple[type, ...]) -> np.ndarray:
    """A two-dimensional array of a .npy file; never one that would run code."""
    try:
        array = np.load(path, allow_pickle=False, mmap_mode="r")
    except (ValueError, OSError, EOFError):  # numpy's text suggests to allow running code of the file
        raise doc.error(key, f"{path.name} cannot be read as an array of numbers: write it with numpy.save") from None
    if not isinstance(array, np.ndarray) or array.dtype not in dtypes:
        kind = getattr(array, "dtype", "an archive")
        types = " or ".join(str(np.dtype(dtype)) for dtype in dtypes)
        raise doc.error(key, f"{path.name} must hold {types} values, not {kind}")
    if array.ndim != 2:
        raise doc.error(key, f"{path.name} must have rows and columns, not the shape {array.shape}")
    _check_size(doc, key, path, array.shape)
    return np.array(array)
