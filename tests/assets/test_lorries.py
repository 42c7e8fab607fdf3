"""Models of lorries and trailers: wheels where their vehicle files have them, hull proxies, room to articulate."""

import numpy as np
import pytest
import trimesh

from driving_sandbox.physics.shape.geometry import load_geometry
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.placing import ride_height

TRAINS = ("truck", "truck_trailer", "road_train")


@pytest.fixture(scope="module")
def members():
    """[(vehicle, its geometry)] of the front vehicles and trailers of TRAINS."""
    return [(v, load_geometry(v.geometry.path)) for name in TRAINS for w in [load_vehicle(name)]
            for v in (w, *w.trailers)]  # fmt: skip


def test_wheels_are_where_the_vehicle_has_them_at_rest(members):
    for vehicle, geometry in members:
        suspension, wheel = vehicle.params["suspension"][0], vehicle.params["wheel"][0]
        assert ride_height(vehicle, 9.81) == pytest.approx(0.0, abs=0.01), vehicle.name
        for i in range(vehicle.wheel_count):
            drawn = geometry.nodes[f"wheel{i + 1}"]
            assert drawn[:2] == pytest.approx(suspension[i]["attachment"][:2], abs=2e-3)
            assert drawn[2] == pytest.approx(wheel[i]["radius"], abs=2e-3)
        assert f"wheel{vehicle.wheel_count + 1}" not in geometry.nodes


def test_left_is_the_mirror_of_right_and_links_have_their_end_nodes(members):
    for vehicle, geometry in members:
        for left in range(1, vehicle.wheel_count, 2):
            a, b = (np.array(geometry.nodes[f"wheel{n}"]) for n in (left, left + 1))
            assert a * [-1, 1, 1] == pytest.approx(b)
        for n in range(1, vehicle.wheel_count + 1):
            for kind in ("susp", "arm"):
                ends = [np.array(geometry.nodes[f"{kind}{n}_{end}"]) for end in ("hull", "wheel")]
                assert 0.2 < np.linalg.norm(ends[1] - ends[0]) < 1.2


def test_proxies_are_small_closed_and_clear_of_the_road(members):
    for vehicle, geometry in members:
        (part,) = geometry.hulls
        proxy = trimesh.Trimesh(part.proxy.vertices, part.proxy.faces, process=False)
        assert len(part.proxy.vertices) <= 32 and proxy.is_watertight and proxy.volume > 5.0, vehicle.name
        assert 0.35 < part.proxy.vertices[:, 2].min() < 0.7
        size = np.ptp(part.drawn.vertices, axis=0)
        assert size[0] < 3.2 and size[2] < 4.1  # mirrors stand out; a road vehicle is 2.55 m wide and 4 m high


def test_the_truck_and_its_trailer_have_room_to_articulate():
    """The trailer's front corner stays behind the truck's tail up to an articulation of 0.85 rad."""
    truck = load_vehicle("truck_trailer")
    trailer = truck.trailers[0]
    hitch = np.array(truck.get("contact.hitch_rear"))
    # m, x and y of the trailer's front corner relative to its hitch
    corner = np.array([1.25, 3.35]) - np.array(trailer.get("contact.hitch_front"))[:2]
    rear = load_geometry(truck.geometry.path).hulls[0].drawn.vertices[:, 1].min()
    for articulation in np.linspace(0.0, 0.85, 18):
        c, s = np.cos(articulation), np.sin(articulation)
        y = hitch[1] + s * corner[0] + c * corner[1]
        assert y < rear, f"the corner meets the tail at {articulation:.2f} rad"
