"""Files of props: kinds, lists in world files, models; mistakes are reported with their line."""

import re
import subprocess
import sys

import numpy as np
import pytest

from driving_sandbox.assets.build import props as models
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.props.kinds import load_kind
from driving_sandbox.physics.schema.yaml_file import ConfigError
from driving_sandbox.physics.world.props import prop_kinds
from driving_sandbox.physics.world.world_file import load_world

WORLD = """\
name: Test
terrain: {plane: 0.0, surface: asphalt}
spawn_points: {start: {position: [0, 0]}}
"""


def world(tmp_path, text):
    """The WorldFile of WORLD with further lines."""
    path = tmp_path / "world.yaml"
    path.write_text(WORLD + text)
    return load_world(path)


def test_rows_run_along_the_heading(tmp_path):
    world_file = world(
        tmp_path, "props: [{kind: cone, position: [10, 5], heading_deg: 90, repeat: [2, 3, 2], spacing: [1, 4, 0.5]}]\n"
    )
    assert len(world_file.props) == 12
    positions = {(round(p.position[0], 6), round(p.position[1], 6), p.rise) for p in world_file.props}
    assert (10.0, 5.0, 0.0) in positions
    assert (2.0, 6.0, 0.5) in positions  # heading to the left: two forward is -8 m in x, one to the right is +1 m in y
    assert world(tmp_path, "").props == [] and world(tmp_path, "").parked == []


@pytest.mark.parametrize(("text", "message"), [
    ("props: [{kind: cones, position: [0, 0]}]\n", r"world.yaml:4: props.0.kind: no prop 'cones'.*\"cone\""),
    ("props: {kind: cone}\n", r"world.yaml:4: props: must be a list"),
    ("props: [cone]\n", r"world.yaml:4: props.0: must be"),
    ("props: [{kind: cone}]\n", r"props.0.position: is missing"),
    ("props: [{kind: cone, position: [0, 0], heading: 5}]\n", r"unknown key.*heading_deg"),
    ("props: [{kind: cone, position: [0]}]\n", r"props.0.position: must be a list of 2 or 3 numbers"),
    ("props: [{kind: cone, position: [0, a]}]\n", r"'a' must be a number"),
    ("props: [{kind: cone, position: [0, 0], repeat: [2, 1, 1]}]\n", r"props.0.spacing: must not be 0 in a direction"),
    ("props: [{kind: cone, position: [0, 0], repeat: [0, 1, 1]}]\n", r"props.0.repeat: must be three whole numbers"),
    ("props: [{kind: cone, position: [0, 0], repeat: [900, 900, 1], spacing: [1, 1, 0]}]\n", r"at most 20000"),
    ("props: [{kind: cone, position: [0, 0], heading_deg: 1000}]\n", r"from -360 to 360"),
    ("parked: [{vehicle: 3, position: [0, 0]}]\n", r"parked.0.vehicle: 3 must be the name"),
])  # fmt: skip
def test_mistakes_in_a_world_file_are_named(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        world(tmp_path, text)


def test_every_kind_has_a_model_of_the_size_of_its_shapes():
    import trimesh

    assert {"cone", "barrel", "crate", "plank", "tire", "gate", "seesaw", "ramp"} <= set(prop_kinds())
    for name in prop_kinds():
        kind = load_kind(name)
        scene = trimesh.load(kind.model, force="scene")
        drawn = scene.bounds[:, [0, 2, 1]] * (1, -1, 1)  # glTF is y up
        low, high = drawn.min(axis=0), drawn.max(axis=0)
        corners = np.concatenate([shape.corners() for shape in kind.shapes])
        tolerance = 0.06 if kind.hinge is None else 0.5  # posts and logs of hinged props are only drawn
        assert np.abs(corners.min(axis=0) - low).max() < tolerance, name
        assert np.abs(corners.max(axis=0) - high).max() < tolerance, name


@pytest.mark.parametrize(("change", "message"), [
    (("mass: 3.0", "mass: -3"), r"cone.yaml:\d+: mass: -3 must be a number from 0.01"),
    (("mass: 3.0", "mass: 3.0\ncolour: red"), r"colour: unknown key"),
    (("centre_of_mass: [0, 0, 0.11]", "centre_of_mass: [0, 0]"), r"centre_of_mass: .* must be a list of 3 numbers"),
    (("cone.glb", "cone2.glb"), r"model: no such file"),
    (("{cone: {radius: 0.15, height: 0.56, at: [0, 0, 0.25]}}", "{ball: {radius: 1}}"), r"ball: unknown key"),
    (("friction: 0.75", "surface: velvet"), r"surface: there is no surface 'velvet'.*known: asphalt"),
    (("sound: plastic", "sound: plastik"), r"cone.yaml:\d+: sound: there is no sound .plastik.*plastic.*known: wood, "),
    (("friction: 0.75", "drivable: true"), r"cone.yaml:\d+: shapes.1: wheels drive on boxes"),
    (("friction: 0.75", "hinge: {axis: [1, 1, 0], at: [0, 0, 0], limits_deg: [-9, 9]}"), r"axis: must be along x, y"),
    (("radius: 0.15", "radius: 0"), r"radius: 0 must be a number from 0.005"),
])  # fmt: skip
def test_mistakes_in_a_kind_are_named(tmp_path, change, message):
    """change: (text of the cone's file, its replacement)."""
    text = (ROOT / "configs" / "props" / "cone.yaml").read_text(encoding="utf8")
    text = text.replace("../../assets", str(ROOT / "assets"))
    assert change[0] in text
    (tmp_path / "cone.yaml").write_text(text.replace(*change))
    with pytest.raises(ConfigError, match=message):
        load_kind("cone", tmp_path)


def test_a_kind_without_a_sound_in_its_file_sounds_of_wood(tmp_path):
    text = (ROOT / "configs" / "props" / "barrel.yaml").read_text(encoding="utf8").replace("sound: drum\n", "")
    (tmp_path / "barrel.yaml").write_text(text.replace("../../assets", str(ROOT / "assets")))
    assert (load_kind("barrel").sound, load_kind("barrel", tmp_path).sound) == ("drum", "wood")
    assert load_kind("barrel").rolls and not load_kind("crate").rolls and not load_kind("gate").rolls


@pytest.mark.parametrize("name", models.MODELS)
def test_model_files_are_those_of_the_generator(name):
    assert models.model_bytes(name) == (models.PROPS / f"{name}.glb").read_bytes()


def test_cones_are_orange():
    linear = next(m.base_color for m in models.MATERIALS if m.name == "orange")
    # by the transfer function of sRGB
    srgb = [round(255 * (1.055 * c ** (1 / 2.4) - 0.055)) for c in linear]
    assert srgb == pytest.approx([0xE7, 0x6E, 0x24], abs=1)


def test_the_default_world_has_these_kinds_of_props():
    kinds = {prop.kind for prop in load_world("proving_ground").props}
    assert kinds == {"cone", "barrel", "crate", "tire", "plank", "ramp", "seesaw", "gate"}


def test_a_run_without_a_window_reports_omitted_parked_vehicles(tmp_path):
    process = subprocess.run(
        [sys.executable, "main.py", "simulate", "--vehicle", "roadster_simple", "--world", "yard", "--seconds", "0.1",
         "--out", str(tmp_path / "a.csv")], cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert re.search(r"left out: 1 parked vehicle of this world, simulated only with a window", process.stdout)
