"""Hull parts of a model file: which collide, which are drawn, what they weigh, and what a ray meets."""

import math

import numpy as np
import pytest
import trimesh

from driving_sandbox.physics.body.pick import cast_at_hull
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.shape.geometry import GeometryError, PartSettings, load_geometry
from driving_sandbox.physics.shape.hull import box_inertia
from driving_sandbox.physics.shape.mass import mass_of
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle_text, vehicle_text

TO_GLTF = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]])  # from z up to y up


def box(size, at=(0, 0, 0)):
    """A box mesh of this size with its centre at a point, m."""
    return trimesh.creation.box(size).apply_translation(at)


def opened(mesh):
    """A mesh without its last triangle, which therefore is not closed."""
    mesh.update_faces([True] * (len(mesh.faces) - 1) + [False])
    return mesh


@pytest.fixture
def model(tmp_path):
    """write({name: mesh}) -> path of a .glb with these nodes."""

    def write(parts, name="model.glb"):
        scene = trimesh.Scene()
        for part, mesh in parts.items():
            scene.add_geometry(mesh.copy().apply_transform(TO_GLTF), node_name=part, geom_name=part)
        path = tmp_path / name
        path.write_bytes(scene.export(file_type="glb"))
        return path

    return write


def cubes_with_proxy(model, names=("hull1", "hull2", "hullproxy2", "hull3")):
    """Geometry of cubes 1 m apart along x with these node names; by default, the second part has a proxy."""
    return load_geometry(model({name: box((1, 1, 1), (k, 0, 0)) for k, name in enumerate(names)}))


@pytest.mark.covers("CE-HULL-01", "CE-CONT-01", "CE-LOAD-03")
def test_after_a_proxied_part_unproxied_ones_only_take_part_in_ray_tests(model):
    geometry = cubes_with_proxy(model)
    assert list(geometry.parts) == ["hull1", "hullproxy2"]
    assert geometry.parts["hullproxy2"][:, 0].mean() == pytest.approx(2.0)
    for k, name in ((0, "hull1"), (1, "hull2"), (3, "hull3")):
        # position and orientation of the vehicle, then origin and direction of the ray
        part, distance, normal = cast_at_hull(geometry, (0, 0, 0), (0, 0, 0, 1), (k, -5, 0), (0, 1, 0))
        assert part == name and distance == pytest.approx(4.5) and normal == pytest.approx((0, -1, 0))
    assert list(cubes_without_proxy(model).parts) == ["hull1", "hull2", "hull3"]


def cubes_without_proxy(model):
    """Geometry of three cubes 1 m apart along x, named hull1 to hull3."""
    return load_geometry(model({f"hull{k}": box((1, 1, 1), (k, 0, 0)) for k in (1, 2, 3)}, "bare.glb"))


@pytest.mark.covers("CE-CONT-02")
def test_rays_pass_a_gap_that_the_proxy_fills(model):
    frame = trimesh.util.concatenate([box((0.2, 0.1, 2), (-0.9, 0, 0)), box((0.2, 0.1, 2), (0.9, 0, 0))])
    geometry = load_geometry(model({"hull1": frame, "hullproxy1": box((2, 0.1, 2))}))
    ray = ((0, -5, 0), (0, 1, 0))
    assert cast_at_hull(geometry, (0, 0, 0), (0, 0, 0, 1), *ray) is None
    _, distance, _ = cast_at_hull(geometry, (0.9, 0, 0), (0, 0, 0, 1), *ray)
    assert distance == pytest.approx(4.95)
    assert np.abs(geometry.parts["hullproxy1"]).max(axis=0) == pytest.approx((1, 0.05, 1), abs=1e-6)


@pytest.mark.covers("CE-LOAD-01", "CE-LOAD-02")
def test_numbering_starts_at_one_and_stops_at_the_first_gap(model):
    geometry = load_geometry(model({name: box((1, 1, 1)) for name in ("hull1", "hull2", "hull4")}))
    assert [part.name for part in geometry.hulls] == ["hull1", "hull2"]
    assert geometry.unreached == ("hull4",)
    with pytest.raises(GeometryError, match="no hull found.*it has: .*Hull_1"):
        load_geometry(model({"Hull_1": box((1, 1, 1))}, "upper.glb"))


@pytest.mark.covers("CE-LOAD-07")
def test_both_spellings_load_the_same_parts(model):
    plain = cubes_with_proxy(model)
    other = load_geometry(
        model(
            {name: box((1, 1, 1), (k, 0, 0)) for k, name in enumerate(("hull_1", "hull_2", "hullproxy_2", "hull_3"))},
            "other.glb",
        )
    )
    assert [np.array_equal(a, b) for a, b in zip(plain.parts.values(), other.parts.values(), strict=True)] == [True] * 2
    with pytest.raises(GeometryError, match="two spellings of one part"):
        load_geometry(model({"hull1": box((1, 1, 1)), "hull_1": box((1, 1, 1))}, "both.glb"))


@pytest.mark.covers("CE-HULL-02", "CE-HULL-03")
def test_flags_say_what_is_drawn_and_what_is_physical(model):
    geometry = cubes_without_proxy(model)
    flags = PartSettings(flags=(0, 1, 2), masses=(1, 1, 1))
    assert list(geometry.colliding(flags)) == ["hull1", "hull2"] == list(geometry.massive(flags))
    assert geometry.drawn_names(flags) == ["hull2", "hull3"]
    excluded = PartSettings(excluded=(0, 1), masses=(1, 1, 1))
    assert list(geometry.colliding(excluded)) == ["hull1", "hull3"]
    assert list(geometry.massive(excluded)) == geometry.drawn_names(excluded) == ["hull1", "hull2", "hull3"]


@pytest.mark.covers("CE-MASS-01", "CE-MASS-02", "CE-MASS-03", "CE-HULL-04")
def test_masses_are_integrated_from_closed_parts(model):
    parts = {"hull1": box((1.8, 4.5, 1.2), (0, 0, 0.6)), "hull2": box((1, 1, 1), (0, 90, 0))}
    geometry = load_geometry(model(parts))
    first = mass_of(geometry, PartSettings(masses=(1500.0,)))
    assert first.mass == 1500.0 and first.centre_of_mass == pytest.approx((0, 0, 0.6), abs=1e-6)
    assert np.diag(first.inertia) == pytest.approx(box_inertia(1500.0, (1.8, 4.5, 1.2)), rel=1e-6)
    massless = mass_of(geometry, PartSettings(masses=(1500.0, 0.0)))
    assert np.array_equal(massless.inertia, first.inertia)
    lowered = mass_of(geometry, PartSettings(masses=(1500.0,), z_offsets=(-0.3,)))
    assert lowered.centre_of_mass[2] == pytest.approx(first.centre_of_mass[2] - 0.3, abs=1e-12)
    combined = mass_of(geometry, PartSettings(masses=(1500.0, 500.0)))
    assert combined.mass == 2000.0 and combined.centre_of_mass[1] == pytest.approx(22.5, abs=1e-5)


@pytest.mark.covers("CE-HULL-05")
def test_only_a_part_with_mass_must_be_closed(model):
    geometry = load_geometry(model({"hull1": box((1, 1, 1)), "hull2": opened(box((1, 1, 1)))}))
    assert mass_of(geometry, PartSettings(masses=(5.0, 0.0))).mass == 5.0
    with pytest.raises(ValueError, match="hull2: 3 open edges"):
        mass_of(geometry, PartSettings(masses=(5.0, 1.0)))


def car_text(path, contact):
    """Text of the hatchback with another model and other contact values."""
    text = (ROOT / "configs" / "vehicles" / "hatchback.yaml").read_text(encoding="utf8")
    lines = [
        line for line in text.replace("models/hatchback.glb", str(path)).splitlines() if not line.startswith("contact:")
    ]
    return "\n".join([*lines, f"contact: {contact}", ""])


def test_a_vehicle_takes_its_mass_from_its_model_and_says_so(model, capsys):
    path = model({"hull1": box((1.8, 4.2, 1.2), (0, 0.1, 0.8)), "hull2": box((1.5, 3, 0.2), (0, 0.2, 0.5))})
    text = car_text(
        path,
        "{mass_from: model, part_flags: [1, 0], part_excluded: [0, 1], part_mass: [0, 1400], part_zoffset: [0, -0.1]}",
    )
    vehicle = load_vehicle_text(text)
    assert vehicle.get("body.mass") == 1400.0
    assert vehicle.get("body.centre_of_mass") == pytest.approx([0, 0.2, 0.4], abs=1e-6)
    assert vehicle.get("body.inertia") == pytest.approx(box_inertia(1400.0, (1.5, 3, 0.2)), rel=1e-5)
    assert "mass 1400 kg, centre of mass [0.0000, 0.2000, 0.4000] m" in capsys.readouterr().out
    hull = vehicle.params["contact"]["hull"][0]
    assert hull["part_count"] == 5  # hull1 and the wheels
    assert load_vehicle_text(vehicle_text(vehicle)).get("body.inertia") == vehicle.get("body.inertia")
    vehicle.set("contact.part_mass", [0.0, 2800.0])
    assert vehicle.get("body.mass") == 2800.0


@pytest.mark.parametrize(
    "contact,message",
    [
        ("{part_flags: [1, 1, 1]}", "contact.part_flags: lists 3 parts, the model has 2"),
        ("{part_flags: [0.5]}", "takes whole numbers only"),
        ("{mass_from: model}", "contact.part_mass: no part has a mass"),
        ("{mass_from: model, part_mass: [0, 10]}", "contact.part_mass: a part with mass must be closed: hull2: 3 open"),
    ],
)
def test_wrong_settings_of_parts_are_refused(model, contact, message):
    path = model({"hull1": box((1.8, 4.2, 1.2), (0, 0.1, 0.8)), "hull2": opened(box((1.5, 3, 0.2)))})
    with pytest.raises(ConfigError, match=message.replace("[", r"\[")):
        load_vehicle_text(car_text(path, contact))


def nearest_by_solving(mesh, origin, direction):
    """Distance of the nearest hit from the linear system of every triangle, or None."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    matrices = np.stack([b - a, c - a, np.broadcast_to(-direction, a.shape)], axis=2)
    matrices = np.where((np.abs(np.linalg.det(matrices)) < 1e-15)[:, None, None], np.eye(3) * 1e-30, matrices)
    u, v, t = np.linalg.solve(matrices, (origin - a)[..., None])[..., 0].T
    hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)
    return t[hit].min() * np.linalg.norm(direction) if hit.any() else None


def test_picking_agrees_with_every_triangles_equations_also_for_a_turned_body():
    geometry = load_geometry(ROOT / "assets" / "models" / "roadster.glb")
    mesh = geometry.hulls[0].drawn
    rng = np.random.default_rng(5)
    orientation = (0.0, 0.0, math.sin(0.4), math.cos(0.4))
    hits = 0
    for _ in range(30):
        origin = rng.uniform(-1, 1, 3) * (3, 5, 1) + (0, 0, 2.5)
        direction = rng.uniform(-1, 1, 3) * (0.6, 1.2, 0.4) + (0, 0, 0.6) - origin
        target = cast_at_hull(geometry, (0, 0, 0), (0, 0, 0, 1), origin, direction)
        nearest = nearest_by_solving(mesh, origin, direction)
        assert (target is None) == (nearest is None)
        if target is None:
            continue
        hits += 1
        assert target[1] == pytest.approx(nearest, abs=1e-6)
        matrix = np.array([[math.cos(0.8), -math.sin(0.8), 0], [math.sin(0.8), math.cos(0.8), 0], [0, 0, 1]])
        posed = cast_at_hull(geometry, (1, 2, 3), orientation, matrix @ origin + (1, 2, 3), matrix @ direction)
        assert posed[:2] == (target[0], pytest.approx(target[1], abs=1e-9))
        assert posed[2] == pytest.approx(tuple(matrix @ target[2]), abs=1e-9)
    assert hits > 15
    with pytest.raises(ValueError, match="direction"):
        cast_at_hull(geometry, (0, 0, 0), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
