"""Raycast filters of surface files: hidden surfaces, and errors."""

import pytest

from driving_sandbox.physics.ground.arrays import RAYCAST_HIDDEN
from driving_sandbox.physics.ground.surfaces import DEFAULT_PATH, load_surfaces, raycast_filters
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle


def with_filters(tmp_path, text):
    """Path of the standard surfaces with other filters."""
    path = tmp_path / "surfaces.yaml"
    good = DEFAULT_PATH.read_text()
    path.write_text(good[: good.index("filters:")] + text)
    return path


def test_each_surface_has_the_mask_of_filters_that_hide_it(tmp_path):
    path = with_filters(tmp_path, "filters: {all: [], no_kerbs: [kerb, ice], no_objects: [ice]}\n")
    table = load_surfaces(path)
    hidden = {name: int(row[RAYCAST_HIDDEN]) for name, row in zip(table.names, table.array(), strict=True)}
    bits = {name: 1 << n for n, name in enumerate(raycast_filters())}
    assert hidden["kerb"] == bits["no_kerbs"]
    assert hidden["ice"] == bits["no_kerbs"] | bits["no_objects"]
    assert hidden["asphalt"] == 0
    unfiltered = load_surfaces(with_filters(tmp_path, ""))
    for surface, row in zip(unfiltered, unfiltered.array(), strict=True):
        all_filters = (1 << 32) - 1  # barriers are hidden from wheels for every filter
        assert row[RAYCAST_HIDDEN] == (all_filters if surface.barrier else 0), surface.name
    assert unfiltered[unfiltered.index("steel")].barrier and not unfiltered[unfiltered.index("metal")].barrier


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("filters: [kerb]\n", ("filters", "must map")),
        ("filters: {no_kerbs: kerb}\n", ("filters.no_kerbs", "must be a list")),
        ("filters: {all: [kerb]}\n", ("filters.all", "hides nothing")),
        ("filters: {no_kerbs: [kreb]}\n", ("filters.no_kerbs", "'kreb' is not among the surfaces", "kerb")),
        ("filters: {no_kerb: [kerb]}\n", ("filters.no_kerb", "no filter of default.yaml", "no_kerbs")),
    ],
)
def test_errors_in_filters_name_file_key_and_fault(tmp_path, text, parts):
    path = with_filters(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_surfaces(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:") and "\n" not in message
    for part in parts:
        assert part in message


def test_a_vehicle_names_a_filter():
    vehicle = load_vehicle("roadster_simple")
    assert vehicle.get("road.fl.raycast_filter") == "all"
    vehicle.set("road.fl.raycast_filter", "no_kerbs")
    assert vehicle.changed_values() == {"road.fl.raycast_filter": "no_kerbs"}
    with pytest.raises(ValueError, match="one of all, "):
        vehicle.set("road.fl.raycast_filter", "no_roads")
