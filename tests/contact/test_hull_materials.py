"""Friction and restitution of every pair of bodywork material and surface."""

import sys

import numpy as np
import pytest
import trimesh
from contact_rig import GRAVITY, REST_HEIGHT, SIZE, TICK, VY, VZ, YAW_RATE, Box, box_points

from driving_sandbox.physics.contact.reduction import friction_and_restitution
from driving_sandbox.physics.ground.ground import plane_ground
from driving_sandbox.physics.ground.surfaces import DEFAULT_PATH, default_surfaces, hull_materials, load_surfaces
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle, load_vehicle_text

sys.path.append(str(ROOT / "tests" / "core"))
from drive_rig import Drive  # noqa: E402

MATERIALS, SURFACES = ("steel", "plastic", "rubber"), ("asphalt", "ice", "mud")


def edited(tmp_path, *changes, name="surfaces.yaml"):
    """Path of a copy of the standard surfaces file with some text replaced; changes: pairs (old, new)."""
    text = DEFAULT_PATH.read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = tmp_path / name
    path.write_text(text)
    return path


def coefficients(table, material, surface, factor=1.0, restitution=0.0):
    """(friction, restitution) of a material on a surface.

    factor, restitution: the vehicle's friction factor and restitution.
    """
    box = Box(plane_ground())
    box.hull["friction"], box.hull["restitution"] = factor, restitution
    return friction_and_restitution(box.hull[0], table.array(), table.index(surface), hull_materials().index(material))


def slid_and_dropped(table, material, surface):
    """Logs, see contact_rig.fly, of a box of a material on a surface: one slides at 6 m/s, one is dropped from 1 m."""
    logs = []
    for height, speed in ((REST_HEIGHT, 6.0), (REST_HEIGHT + 1.0, 0.0)):
        box = Box(plane_ground(0.0, surface, table), (0, 0, height), velocity=(0, speed, 0))
        box.hull["part_material"] = hull_materials().index(material)
        logs.append(box.run(0.7))
    return logs


CHANGES = {  # {changed property of rubber, or "new" for a new pair: replacements in the surfaces file}
    "friction": [("      ice: {friction: 0.12}", "      ice: {friction: 0.40}")],
    "restitution": [("      ice: {friction: 0.12}", "      ice: {friction: 0.12, restitution: 0.8}")],
    "new": [("    on:\n      asphalt_wet", "    on:\n      asphalt: {friction: 0.2}\n      asphalt_wet")],
}


@pytest.mark.parametrize("change", CHANGES)
def test_changing_a_pair_affects_contacts_of_that_pair_only(tmp_path, change):
    before, after = load_surfaces(edited(tmp_path)), load_surfaces(edited(tmp_path, *CHANGES[change], name="new.yaml"))
    changed_pair = ("rubber", "asphalt" if change == "new" else "ice")
    for material in MATERIALS:
        for surface in SURFACES:
            old, new = (slid_and_dropped(table, material, surface) for table in (before, after))
            same = [a.tobytes() == b.tobytes() for a, b in zip(old, new, strict=True)]  # sliding, dropped
            if (material, surface) == changed_pair:
                # friction acts on the sliding box only, restitution on the dropped one
                assert same == ([True, False] if change == "restitution" else [False, True])
            else:
                assert same == [True, True], (material, surface)


@pytest.mark.parametrize("material,surface", [("rubber", "ice"), ("rubber", "gravel"), ("plastic", "metal")])
def test_sliding_and_bouncing_follow_the_pair(material, surface):
    """Half a second of sliding slows the box by mu g / 2; dropped by h = 1 m, it rebounds at e sqrt(2 g h)."""
    table = default_surfaces()
    mu, e = coefficients(table, material, surface)
    slid, dropped = slid_and_dropped(table, material, surface)
    assert 6.0 - slid[round(0.5 / TICK) - 1, VY] == pytest.approx(mu * GRAVITY * 0.5, rel=5e-3)
    assert dropped[:, VZ].max() == pytest.approx(e * np.sqrt(2.0 * GRAVITY), rel=0.03)


def test_pairs_that_are_not_listed_follow_the_rule():
    """Friction: the material's times the surface's; restitution: the largest of material, surface and vehicle."""
    table = default_surfaces()
    for name, material in table.hull_materials.items():
        for surface in table:
            listed = material.pairs.get(surface.name, {})
            mu, e = coefficients(table, name, surface.name, factor=0.5, restitution=0.2)
            assert mu == pytest.approx(0.5 * listed.get("friction", material.friction * surface.hull_friction))
            assert e == listed.get("restitution", max(material.restitution, surface.restitution, 0.2))
    assert coefficients(table, "steel", "asphalt") == (0.5, 0.1), "hull_friction is that of steel"
    assert coefficients(table, "rubber", "mud", restitution=0.9)[1] == 0.0, (
        "a listed pair ignores the vehicle's restitution"
    )


def test_a_file_without_materials_has_the_standard_ones(tmp_path):
    text = DEFAULT_PATH.read_text()
    path = tmp_path / "surfaces.yaml"
    path.write_text(text[: text.index("hull_materials:")].replace("hull_friction: 0.05", "hull_friction: 0.2"))
    assert coefficients(load_surfaces(path), "rubber", "ice") == pytest.approx((1.5 * 0.2, 0.35))  # rubber has 1.5
    only = tmp_path / "only.yaml"  # rubber is replaced, the other materials remain
    only.write_text(path.read_text() + "hull_materials:\n  rubber: {friction: 2.0, restitution: 0.1}\n")
    assert coefficients(load_surfaces(only), "rubber", "ice") == pytest.approx((0.4, 0.1))
    assert coefficients(load_surfaces(only), "wood", "ice") == pytest.approx((0.18, 0.1))


@pytest.mark.parametrize(
    "line,key,fragments",
    [
        ("hull_materials: [steel]", "hull_materials", ("must map",)),
        ("hull_materials: {stel: {friction: 1, restitution: 0}}", "hull_materials.stel", ('did you mean "steel"',)),
        ("hull_materials: {steel: 1}", "hull_materials.steel", ("must be a name and a mapping",)),
        ("hull_materials: {steel: {friction: 1}}", "hull_materials.steel.restitution", ("is missing",)),
        (
            "hull_materials: {steel: {friction: -1, restitution: 0}}",
            "hull_materials.steel.friction",
            ("-1 must be betw",),
        ),
        ("hull_materials: {steel: {frction: 1, restitution: 0}}", "hull_materials.steel.frction", ('"friction"',)),
        ("hull_materials: {steel: {friction: 1, restitution: 0, on: ice}}", "hull_materials.steel.on", ("must map",)),
        (
            "hull_materials: {steel: {friction: 1, restitution: 0, on: {iec: {friction: 1}}}}",
            "hull_materials.steel.on.iec",
            ("not among the surfaces of this file", '"ice"'),
        ),
        (
            "hull_materials: {steel: {friction: 1, restitution: 0, on: {ice: 0.1}}}",
            "hull_materials.steel.on.ice",
            ("must be a mapping",),
        ),
        (
            "hull_materials: {steel: {friction: 1, restitution: 0, on: {ice: {restitution: 1.5}}}}",
            "hull_materials.steel.on.ice.restitution",
            ("1.5 must be between 0 and 1",),
        ),
    ],
)
def test_errors_are_reported_with_file_line_and_nearest_name(tmp_path, line, key, fragments):
    """Each message starts with file, line and key; misspelt names get the nearest known one."""
    text = DEFAULT_PATH.read_text()
    path = tmp_path / "surfaces.yaml"
    path.write_text(text[: text.index("hull_materials:")] + line + "\n")
    with pytest.raises(ConfigError) as caught:
        load_surfaces(path)
    line_number = path.read_text().count("\n")  # the last one
    assert str(caught.value).startswith(f"{path}:{line_number}: {key}: ") and "\n" not in str(caught.value)
    for fragment in fragments:
        assert fragment in str(caught.value)


def materials_of(vehicle, count):
    """Materials of the first `count` parts of a vehicle's hull, which has room for more than its model has."""
    hull = vehicle.params["contact"][0]["hull"]
    return [hull_materials()[k] for k in hull["part_material"][:count]]


@pytest.fixture
def three_parts(tmp_path):
    """load(contact): a roadster with a model of three parts: rubber, a paint, no material.

    contact: text inserted at the end of the mapping `contact` in its file.
    """
    scene = trimesh.Scene()
    for k, material in enumerate(("rubber", "red_paint", None)):
        mesh = trimesh.creation.box((1, 1, 1)).apply_translation((0.0, 2.0, float(k)))
        if material:
            mesh.visual = trimesh.visual.TextureVisuals(material=trimesh.visual.material.PBRMaterial(name=material))
        scene.add_geometry(mesh, node_name=f"hull{k + 1}", geom_name=f"hull{k + 1}")
    model = tmp_path / "parts.glb"
    model.write_bytes(scene.export(file_type="glb"))
    base = (ROOT / "configs" / "vehicles" / "roadster.yaml").read_text()

    def load(contact=""):
        text = base.replace("restitution: 0.05}", f"restitution: 0.05{contact}}}")
        lines = [f"model: {model}" if line.startswith("model:") else line for line in text.splitlines()]
        return load_vehicle_text("\n".join(lines), tmp_path / "parts.yaml")

    return load


def test_the_material_of_a_part_is_given_by_vehicle_mesh_or_list(three_parts):
    assert materials_of(load_vehicle("roadster_simple"), 1) == ["steel"]
    assert materials_of(three_parts(), 4) == ["rubber", "steel", "steel", "steel"]
    assert materials_of(three_parts(", material: plastic"), 4) == ["rubber", "plastic", "plastic", "plastic"]
    listed = three_parts(", part_material: [wood, aluminium]")
    assert materials_of(listed, 4) == ["wood", "aluminium", "steel", "steel"]
    listed.set("contact.material", "rubber")
    assert materials_of(listed, 4) == ["wood", "aluminium", "rubber", "rubber"]
    assert listed.get("contact.part_material") == ["wood", "aluminium"]


@pytest.mark.parametrize(
    "contact,key,fragments",
    [
        (", material: stell", "contact.material", ("must be one of steel", 'did you mean "steel"')),
        (", part_material: [wood, rubbr]", "contact.part_material", ("[1]", 'did you mean "rubber"')),
        (", part_material: [wood, wood, wood, wood]", "contact.part_material", ("lists 4 parts, the model has 3",)),
    ],
)
def test_errors_in_a_vehicle_are_reported(three_parts, contact, key, fragments):
    with pytest.raises(ConfigError) as caught:
        three_parts(contact)
    assert f": {key}: " in str(caught.value) and "\n" not in str(caught.value)
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.parametrize("material", ["steel", "plastic", "rubber"])
def test_a_car_slides_on_its_roof_by_the_friction_of_its_material(material):
    """Sliding straight ahead on its roof from 12 m/s, it loses mu g in a second."""
    drive = Drive("hatchback", plane_ground(0.0, "asphalt_wet"), values={"contact.material": material})
    drive.vehicle.put((0.0, 0.0, 1.6), (0.0, 1.0, 0.0, 0.0))  # upside down
    drive.run(3.0)
    drive.vehicle.state["body"][0]["velocity"] = (0.0, 12.0, 0.0)
    drive.run(0.2)
    before = drive.body("velocity")[1]
    drive.run(1.0)
    mu, _ = coefficients(default_surfaces(), material, "asphalt_wet")
    assert before - drive.body("velocity")[1] == pytest.approx(mu * GRAVITY, rel=0.05)


def test_a_hull_of_two_materials_has_the_friction_of_both():
    """A box half of steel, half of rubber has an intermediate friction on wet asphalt and yaws to the rubber side."""
    half = np.array(SIZE) / 2
    parts = {
        "left": box_points((-half[0], -half[1], -half[2]), (0.0, half[1], half[2])),
        "right": box_points((0.0, -half[1], -half[2]), half),
    }
    box = Box(plane_ground(0.0, "asphalt_wet"), (0, 0, REST_HEIGHT), velocity=(0, 8, 0), parts=parts)
    box.hull["part_material"][0, :2] = [hull_materials().index(name) for name in ("steel", "rubber")]
    log = box.run(0.5)
    low, high = (coefficients(default_surfaces(), name, "asphalt_wet")[0] for name in ("steel", "rubber"))
    friction = (8.0 - log[-1, VY]) / (0.5 * GRAVITY)
    assert low < friction < high
    assert log[-1, YAW_RATE] < -0.05, "more friction on the right, so it yaws right"
