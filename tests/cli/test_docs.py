"""The documents: examples run, generated pages are current, keys, links and commands exist."""

import importlib
import re
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest
import yaml
from command_line import ROOT

from driving_sandbox.benchmarks.scenes import drive
from driving_sandbox.cli import program
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.physics.schema.schema import SchemaError
from driving_sandbox.physics.vehicle.vehicle_file import UntrustedCode, load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world

EXAMPLE = ROOT / "docs" / "examples" / "progressive_buggy.yaml"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", ["parameters", "coverage", "components", "variants"])
def test_generated_pages_are_current(name):
    generator = importlib.import_module(f"driving_sandbox.docs.build.{name}")
    written = generator.PAGE.read_text(encoding="utf8")
    assert written == generator.page(), f"run: python -m driving_sandbox.docs.build.{name}"


def test_a_page_that_is_not_current_is_noticed(tmp_path, capsys):
    from driving_sandbox.docs.build.page import write_or_check

    page = tmp_path / "page.md"
    assert write_or_check(page, "one\n", ["--check"]) == 1
    assert write_or_check(page, "one\n", []) == 0
    assert write_or_check(page, "one\n", ["--check"]) == 0
    assert write_or_check(page, "two\n", ["--check"]) == 1
    assert "is not current" in capsys.readouterr().err


def test_parameters_page_has_every_parameter_of_every_vehicle():
    text = (ROOT / "docs" / "parameters.md").read_text(encoding="utf8")
    sections = defaultdict(str)
    for section in text.split("\n## ")[1:]:
        sections[section.split(":")[0]] += section  # one for every component of a slot
    for path in sorted((ROOT / "configs" / "vehicles").glob("*.yaml")):
        for parameter in load_vehicle(path).parameters():
            assert f"| `{parameter.field.name}`" in sections[parameter.slot]


def test_components_page_explains_every_component():
    """Each has a section with text, sources, a curve, and a link to its parameters if it has any."""
    from driving_sandbox.docs.build import components, parameters

    text = (ROOT / "docs" / "components.md").read_text(encoding="utf8")
    sections = {}
    for section in text.split("\n## ")[1:]:
        heading, _, body = section.partition("\n")
        sections.update(dict.fromkeys(heading.split(", "), body))
    anchors = {components.anchor(h) for h in re.findall(r"^## (.*)", parameters.page(), re.MULTILINE)}
    for component in parameters.components():
        body = sections[f"{component.slot}: {component.name}"]
        assert len(body) > 300 and "Sources: " in body and "](pictures/curves/" in body
        assert f"](../{components._path(components.module_of(component))})" in body
        if component.params is not None and component.params.fields:
            target = components.anchor(f"{component.slot}: {component.name}")
            assert f"](parameters.md#{target})" in body and target in anchors
    for label, reason in components.WITHOUT_CURVE.items():
        assert f"No curve of its own: {reason}." in sections[label]


def test_every_curve_is_shown_and_drawn():
    from driving_sandbox.docs.build import concept, variants
    from driving_sandbox.docs.build.curve import CURVES

    pages = {page: page.read_text(encoding="utf8") for page in (variants.PAGE, ROOT / "docs" / "components.md")}
    drawn = {path.stem for path in (ROOT / "docs" / "pictures" / "curves").glob("*.png")}
    assert drawn == set(CURVES), "run: python -m driving_sandbox.docs.build.curves"
    for name, curve in CURVES.items():
        page = variants.PAGE if curve.module == concept.PAGE else ROOT / "docs" / "components.md"
        assert pages[page].count(f"](pictures/curves/{name}.png)") == 1


def test_curves_agree_with_their_captions():
    """Values are finite, axes have units; statements of some captions are checked."""
    from driving_sandbox.docs.build import (
        curves_contact,
        curves_drive,
        curves_driven,
        curves_plain_parts,
        curves_road,
        curves_tire,
    )
    from driving_sandbox.docs.build.curve import CURVES

    explained = (curves_contact, curves_drive, curves_driven, curves_plain_parts, curves_road, curves_tire)
    modules = [module.__name__ for module in explained]
    figures = {c.name: c.figure() for c in CURVES.values() if c.figure.__module__ in modules}
    for name, figure in figures.items():
        assert re.search(r"\[.+\]", figure.x_label) and re.search(r"\[.+\]", figure.y_label), name
        assert len({line.label for line in figure.lines}) == len(figure.lines)
        for line in figure.lines:
            assert len(line.x) == len(line.y) > 100 and np.isfinite(line.y).all(), name
            assert np.ptp(line.y) > 0.0 or line.faint, f"{name}: {line.label} is flat"
    torque = {line.label: line.y for line in figures["engine_torque"].lines}
    assert torque["full throttle, without damping"].max() == pytest.approx(149.0, rel=1e-3)
    assert (torque["no throttle, in gear"] < torque["no throttle, clutch open"]).all()
    light, rest, heavy = (np.abs(line.y).max() for line in figures["lateral_force"].lines)
    assert light < rest < heavy and heavy / light == pytest.approx(3.0, rel=0.01)  # the ratio of the loads
    rims = {line.label: line.y for line in figures["trailer_wheel"].lines}
    assert rims["rim, anti-lock"][40] > 0.5 * rims["trailer"][40] and rims["rim, without"][40] == 0.0
    cylinder, ray = figures["sweep_and_ray"].lines
    alone = {line.label: line.y for line in figures["wheel_alone"].lines}
    assert alone["braked"][-1] == 0.0 < alone["not braked"][-1]
    locked, again = (line.y for line in figures["locked_wheel"].lines)
    assert locked[480] == again[480] == locked[-1] == 0.0 < again[-1]
    *folding, limit = figures["folding_hitch"].lines
    assert all(line.y[-1] == pytest.approx(limit.y[-1], abs=1.0) for line in folding)  # deg
    low, _, high = (line.y.max() for line in figures["dropped_hull"].lines)
    assert low == pytest.approx(high)  # the height of release
    middle = np.searchsorted(ray.x, 0.7)
    assert cylinder.y[middle] > 100.0 and ray.y[middle] == pytest.approx(100.0)  # of the kerb's top at 200 mm


def test_rows_named_in_a_text_are_found_and_ranges_expanded():
    from driving_sandbox.docs.build.components import rows_named

    assert rows_named("(PX-A-01..03, ST-B-07)") == ["PX-A-01", "PX-A-02", "PX-A-03", "ST-B-07"]
    assert rows_named("(PX-A-01, 02) and CN-AERO, RC-AERO") == ["PX-A-01", "PX-A-02", "CN-AERO", "RC-AERO"]
    assert rows_named("UTF-8, ISO 8608") == []


def test_a_docstring_keeps_its_formulas():
    from driving_sandbox.docs.build.components import markdown

    text = "Words of a_b < c.\n\n    F = k x\n      + c v\n\nONE    first\n       of two\n"
    expected = "Words of a_b &lt; c.\n\n```text\nF = k x\n  + c v\n```\n\n```text\nONE    first\n       of two\n```\n"
    assert markdown(text) == expected


def test_the_readme_example_runs():
    text = (ROOT / "README.md").read_text(encoding="utf8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    speed, load = re.fullmatch(r"([\d.]+) m/s, (\d+) N on the rear left wheel\n", result.stdout).groups()
    assert 8.0 < float(speed) < 20.0  # four seconds of full throttle
    assert 2300 < int(load) < 4500  # a quarter of 11 kN, more with acceleration, less while gears change


def test_a_restored_world_repeats_its_drive():
    world = World(load_world("plane"), [load_vehicle("roadster")])
    world.spawn()
    start = world.snapshot()
    hashes = []
    for _ in range(2):
        world.restore(start)
        drive(world, 240, throttle=1.0)
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def test_the_guides_key_table_has_every_default_key():
    """Whether a key stands beside its own action is not checked."""
    text = (ROOT / "docs" / "driving_and_tuning.md").read_text(encoding="utf8")
    table = text.split("### Keys\n")[1].split("## ")[0]
    named = " ".join(row.split("|")[1] for row in table.splitlines() if row.startswith("| ")).lower()
    words = {"control+": "ctrl+", "arrow_": "", "page_": "page ", "lshift": "left shift", "grave": "`"}
    for action, keys in load_bindings().keys.items():
        for key in keys:
            label = key
            for name, word in words.items():
                label = label.replace(name, word)
            assert re.search(rf"(?<![a-z0-9]){re.escape(label)}(?![a-z0-9])", named), f"{action}: {key}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_to_files_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf8")):
        assert (page.parent / target).resolve().exists(), target


def test_commands_in_the_documents_are_understood():
    """Every `./drive ...` line parses."""
    from driving_sandbox.cli.arguments import build_parser, with_default_command

    lines = []
    for page in PAGES:
        joined = re.sub(r"\\\n\s*", "", page.read_text(encoding="utf8"))
        lines += re.findall(r"(?:^    |`)\./drive([^`\n#]*)", joined, re.MULTILINE)
    assert len(lines) > 10
    for line in lines:
        words = re.split(r"\s{3,}", line.strip())[0].replace("FILE...", "FILE").split()
        if words == ["--help"]:
            continue
        assert build_parser().parse_args(with_default_command(words)).run


# ---- the example component


def example(**changes):
    """World with the vehicle of the example; changes: {parameter path: value}."""
    vehicle = load_vehicle(EXAMPLE, trust=lambda path: path.name == "progressive_suspension.py")
    vehicle.set_many(changes)
    world = World(load_world("plane"), [vehicle])
    world.spawn()
    return world


def settled_jounce(world):
    """Jounces after 2 s, m, one per wheel."""
    assert drive(world, 480) is None
    return [world.vehicles[0].read(f"suspension.{wheel}.jounce") for wheel in world.vehicles[0].wheel_names]


def test_the_example_is_not_run_unless_trusted():
    with pytest.raises(UntrustedCode, match="wants to run"):
        load_vehicle(EXAMPLE)


def test_the_example_spring_stiffens():
    """At rest (k + r j) j carries the same weight as k j without progression."""
    stiff = settled_jounce(example())
    wheels = ("fl", "fr", "rl", "rr")
    soft_world = example(**{f"suspension.{wheel}.progression": 0.0 for wheel in wheels})
    soft = settled_jounce(soft_world)
    vehicle = soft_world.vehicles[0]
    for wheel, with_progression, without in zip(wheels, stiff, soft, strict=True):
        k = vehicle.get(f"suspension.{wheel}.stiffness")
        assert 0.05 < with_progression < without < 0.34
        assert k * with_progression + 20000 * with_progression**2 == pytest.approx(k * without, rel=0.01)


def test_the_example_parameter_is_listed_can_be_set_and_is_checked():
    world = example()
    vehicle = world.vehicles[0]
    paths = {p.path for p in vehicle.parameters()}
    assert {f"suspension.{wheel}.progression" for wheel in vehicle.wheel_names} <= paths
    vehicle.set("suspension.fl.progression", 5e4)
    assert vehicle.changed_values() == {"suspension.fl.progression": 5e4}
    with pytest.raises(SchemaError, match="greater than or equal to 0"):
        vehicle.set("suspension.fl.progression", -1.0)


def test_the_example_runs_from_the_command_line_once_trusted(tmp_path, home, capsys):
    out = str(tmp_path / "o.npz")
    words = ["simulate", "--vehicle", str(EXAMPLE), "--world", "plane", "--seconds", "1", "--out", out]
    assert program.main(words) == 2
    code = str(EXAMPLE.with_name("progressive_suspension.py"))
    assert f"was not allowed; --trust {code} allows it\n" in capsys.readouterr().err
    assert program.main([*words, "--trust", code]) == 0


def test_example_yaml_is_short():
    """The documentation shows this file as the shortest vehicle that drives."""
    content = yaml.safe_load(EXAMPLE.read_text(encoding="utf8"))
    assert len(content) <= 16
