"""Terrain files: heights from images and arrays, surfaces by value, palette or colour, and errors."""

import numpy as np
import pytest
from PIL import Image

from driving_sandbox.physics.ground.arrays import HOLE, NO_SURFACE
from driving_sandbox.physics.ground.surfaces import default_surfaces
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.world.world_file import load_world

GRASS, ASPHALT, ICE = (default_surfaces().index(name) for name in ("grass", "asphalt", "ice"))
COLUMNS, ROWS = 5, 3  # of cells


def world(folder, **terrain):
    """A world file with this terrain, loaded."""
    lines = {"origin": "[10, 20]", "cell": "2.0", **terrain}
    path = folder / "world.yaml"
    path.write_text("name: Own\nterrain:\n" + "".join(f"  {key}: {text}\n" for key, text in lines.items())
                    + "spawn_points: {start: {position: [0, 0, 5]}}\n")  # fmt: skip
    return load_world(path)


def message(folder, **terrain):
    """Message of the error in a world file with this terrain; it is one line that starts with the file."""
    with pytest.raises(ConfigError) as caught:
        world(folder, **terrain)
    text = str(caught.value)
    assert "\n" not in text and text.startswith(str(folder / "world.yaml"))
    return text


@pytest.fixture
def folder(tmp_path):
    """heights.png: 16 bit grey, brighter to the right; flat.npy: zero heights in double precision."""
    grey = np.tile(np.linspace(0, 65535, COLUMNS + 1).astype(np.uint16), (ROWS + 1, 1))
    grey[0, 0] = 65535  # the far left corner
    Image.fromarray(grey).save(tmp_path / "heights.png")
    np.save(tmp_path / "flat.npy", np.zeros((ROWS + 1, COLUMNS + 1)))
    return tmp_path


def test_grey_values_are_scaled_to_heights_and_the_top_row_is_at_large_y(folder):
    world_file = world(folder, heights="heights.png", low="-5", high="15", surface="grass")
    heights = world_file.terrain.heights
    assert heights.dtype == np.float32 and heights.shape == (ROWS + 1, COLUMNS + 1)
    np.testing.assert_allclose(heights[0], np.linspace(-5, 15, COLUMNS + 1), atol=20 / 65535)
    assert heights[ROWS, 0] == 15.0 and heights[0, 0] == -5.0
    ground = world_file.ground()
    assert ground.height(10.0, 20.0 + 2.0 * ROWS) == 15.0  # x of the left edge, y of the top
    assert ground.height(10.0 + 2.0 * COLUMNS, 20.0) == pytest.approx(15.0)
    assert (world_file.terrain.cell_surface == GRASS).all()


def paint(folder, mode):
    """Write map.png and return the names of its surfaces.

    Asphalt is in the lower left cell, ice in the upper right one, a hole to the left of the ice, grass elsewhere.
    """
    values = np.zeros((ROWS, COLUMNS), np.uint8)
    values[-1, 0], values[0, -1], values[0, -2] = 1, 2, HOLE
    if mode == "grey":
        Image.fromarray(values).save(folder / "map.png")
        return "[grass, asphalt, ice]"
    colors = {0: (0x10, 0x80, 0x20), 1: (0x40, 0x40, 0x40), 2: (0xF0, 0xF8, 0xFF), HOLE: (255, 0, 255)}
    if mode == "palette":
        image = Image.fromarray(values, "P")
        palette = np.zeros((256, 3), np.uint8)
        for value, color in colors.items():
            palette[value] = color
        image.putpalette(palette.ravel().tolist())
        image.save(folder / "map.png")
        return "[grass, asphalt, ice]"
    rgb = np.array([[colors[v] for v in row] for row in values], np.uint8)
    Image.fromarray(rgb).convert(mode).save(folder / "map.png")
    return '{"#108020": grass, "#404040": asphalt, "#F0f8ff": ice, "#ff00ff": hole}'


@pytest.mark.parametrize("mode", ["grey", "palette", "RGB", "RGBA"])
def test_surfaces_are_given_by_value_palette_or_colour(folder, mode):
    names = paint(folder, mode)
    world_file = world(folder, heights="flat.npy", cell_surface="map.png", surfaces=names)
    ground = world_file.ground()

    def surface(column, row):
        _, _, _, surface_id = ground.cast((10.0 + 2.0 * column + 1.1, 20.0 + 2.0 * row + 0.9, 3.0), (0, 0, -1), 9.0)
        return surface_id

    for row in range(ROWS):
        for column in range(COLUMNS):
            expected = {(0, 0): ASPHALT, (4, 2): ICE, (3, 2): NO_SURFACE}.get((column, row), GRASS)
            assert surface(column, row) == expected, (column, row)


def test_a_palette_can_be_mapped_by_colours(folder):
    paint(folder, "palette")
    names = '{"#108020": grass, "#404040": asphalt, "#f0f8ff": ice, "#ff00ff": hole}'
    world_file = world(folder, heights="flat.npy", cell_surface="map.png", surfaces=names)
    assert world_file.terrain.cell_surface[0, 0] == ASPHALT and world_file.terrain.cell_surface[2, 3] == HOLE


def test_arrays_in_double_precision_and_one_surface_for_all_cells_are_read(folder):
    heights = np.random.default_rng(1).normal(0.0, 5.0, (ROWS + 1, COLUMNS + 1))
    np.save(folder / "own.npy", heights)
    world_file = world(folder, heights="own.npy", surface="ice")
    np.testing.assert_array_equal(world_file.terrain.heights, heights.astype(np.float32))
    assert (world_file.terrain.cell_surface == ICE).all()


PAINTED = {"heights": "flat.npy", "cell_surface": "map.png"}


@pytest.mark.parametrize(
    ("terrain", "parts"),
    [
        ({"heights": "heights.png", "surface": "grass"}, ("terrain.low", "is missing")),
        ({"heights": "heights.png", "low": "5", "high": "5", "surface": "grass"}, ("terrain.high", "must be above")),
        ({"heights": "eight.png", "low": "0", "high": "5", "surface": "grass"},
         ("terrain.heights", "eight.png", "16 bit grey", "8 bit grey")),
        ({"heights": "colour.png", "low": "0", "high": "5", "surface": "grass"}, ("terrain.heights", "not colours")),
        ({"heights": "noise.png", "low": "0", "high": "5", "surface": "grass"},
         ("terrain.heights", "noise.png cannot be read as a PNG picture")),
        ({"heights": "cut.png", "low": "0", "high": "5", "surface": "grass"},
         ("terrain.heights", "cut.png cannot be read as a PNG picture")),
        ({"heights": "wide.png", "low": "0", "high": "5", "surface": "grass"}, ("9001 x 2", "more than 8192 cells")),
        ({"heights": "none.png", "low": "0", "high": "5", "surface": "grass"}, ("terrain.heights", "no such file")),
        ({"heights": "flat.npy", "low": "0", "surface": "grass"}, ("terrain.low", "belongs to heights from a .png")),
        ({"heights": "flat.npy"}, ("terrain.surface", "is missing")),
        ({"heights": "flat.npy", "surface": "gras"}, ("terrain.surface", 'did you mean "grass"')),
        ({"heights": "flat.npy", "surface": "grass", "surfaces": "[ice]"}, ("terrain.surfaces", "is no cell_surface")),
        ({**PAINTED, "surface": "grass"}, ("terrain.surface", "leave one of them out")),
        ({**PAINTED, "surfaces": "[grass, asphalt]"},
         ("terrain.surfaces", "2 names, but map.png has the value 2 in column 4, row 0 from the top")),
        ({**PAINTED, "surfaces": "[grass, asfalt, ice]"}, ("terrain.surfaces.1", 'did you mean "asphalt"')),
        ({**PAINTED, "surfaces": "grass"}, ("terrain.surfaces", "must list the surfaces")),
        ({"heights": "heights.png", "low": "0", "high": "1", "cell_surface": "eight.png", "surfaces": "[grass]"},
         ("terrain.cell_surface", "eight.png has 6 x 4 cells, but the heights need 5 x 3")),
        ({"heights": "flat.npy", "cell_surface": "colour.png", "surfaces": "[grass]"},
         ("terrain.surfaces", "colour.png has colours", "map its colours")),
        ({"heights": "flat.npy", "cell_surface": "colour.png", "surfaces": '{"#000000": grass}'},
         ("terrain.surfaces", "colour #0a1420 in column 0, row 2 from the top", "known: #000000")),
        ({"heights": "flat.npy", "cell_surface": "colour.png", "surfaces": "{green: grass}"},
         ("terrain.surfaces.green", "must be a colour")),
        ({"heights": "flat.npy", "cell_surface": "cells.npy", "surfaces": '{"#000000": grass}'},
         ("terrain.surfaces", "cells.npy has numbers")),
        ({"heights": "land.tif", "low": "0", "high": "1", "surface": "grass"},
         ("terrain.heights", "land.tif cannot be read here: save it as .png or .npy")),
        ({"heights": "flat.npy", "cell_surface": "map.jpg", "surfaces": "[grass]"},
         ("terrain.cell_surface", "map.jpg cannot be read here")),
        ({"heights": "objects.npy", "surface": "grass"},
         ("terrain.heights", "objects.npy cannot be read as an array of numbers: write it with numpy.save")),
        ({"heights": "flat.npy", "cell_surface": "deep.png", "surfaces": '{"#ffffff": ice}'},
         ("terrain.cell_surface", "deep.png has 16 bit grey values: save it with 8 bit grey, a palette or colours")),
        ({"heights": "flat.npy", "surface": "steel"}, ("terrain.surface: no wheel stands on steel",)),
        ({**PAINTED, "surfaces": "[grass, asphalt, steel]"}, ("terrain.surfaces: no wheel stands on steel",)),
        ({**PAINTED, "surfaces": '{"#0000fa": grass, "#0000FA": ice}'},
         ("terrain.surfaces.#0000FA", "given twice, in upper and lower case")),
    ],
)  # fmt: skip
def test_errors_in_terrain_name_key_and_fault(folder, terrain, parts):
    paint(folder, "grey")
    Image.fromarray(np.zeros((ROWS + 1, COLUMNS + 1), np.uint8)).save(folder / "eight.png")
    Image.fromarray(np.full((ROWS, COLUMNS, 3), (10, 20, 32), np.uint8)).save(folder / "colour.png")
    Image.fromarray(np.zeros((2, 9001), np.uint16)).save(folder / "wide.png")
    np.save(folder / "cells.npy", np.zeros((ROWS, COLUMNS), np.uint8))
    np.save(folder / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    Image.fromarray(np.full((ROWS, COLUMNS), 700, np.uint16)).save(folder / "deep.png")
    for name in ("land.tif", "map.jpg"):
        (folder / name).write_bytes(b"of another kind")
    (folder / "noise.png").write_bytes(b"\x89PNG\r\n\x1a\n nonsense")
    noise = np.random.default_rng(1).integers(0, 65535, (64, 64)).astype(np.uint16)
    Image.fromarray(noise).save(folder / "cut.png")
    (folder / "cut.png").write_bytes((folder / "cut.png").read_bytes()[:3000])
    text = message(folder, **terrain)
    for part in parts:
        assert part in text, text


def test_a_barrier_may_be_listed_if_no_cell_is_of_it(folder):
    paint(folder, "grey")
    assert GRASS in world(folder, **{**PAINTED, "surfaces": "[grass, asphalt, ice, steel]"}).terrain.cell_surface
