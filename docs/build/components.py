"""Writes docs/components.md: `python -m driving_sandbox.docs.build.components [--check]`.

The text comes from the docstrings of the modules in physics/ and from `Component.doc`, the sources from the rows of
docs/systems.yaml that these name. The curves are drawn by curves.py.
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from driving_sandbox.docs.build.all_curves import CURVES
from driving_sandbox.docs.build.coverage import document
from driving_sandbox.docs.build.page import write_or_check
from driving_sandbox.docs.build.parameters import components
from driving_sandbox.physics.tick.component import Component, components_of
from driving_sandbox.physics.vehicle.types import VEHICLE_TYPES

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "components.md"
INTRODUCTION = """\
# Components

<!-- Written by docs/build/components.py from the docstrings in physics/; edit those. -->

What every component of [physics/vehicle/types.py](../physics/vehicle/types.py) computes, in the order of a tick, then
those that are chosen by name in a vehicle's YAML (`components: {slot: name}`). The text is that of the modules
themselves. Units are SI, angles are in radians, the axes are x right, y forward, z up. Curves are computed by the
components' own kernels on the vehicles that come with the program, and drawn by it:
`python -m driving_sandbox.docs.build.curves`. [Variants](variants.md) compares the components that may fill one slot.

*Sources* are the sections of the public documents that the rows named in brackets come from; the rows are in
[systems.yaml](systems.yaml), and [coverage](coverage.md) says which of them a test asserts. Where the program differs
from the PhysX implementation on purpose: [compat](compat.md).
"""
PARTS = {  # {module of a component: other modules that its section explains}
    "driving_sandbox.physics.command.response": ("driving_sandbox.physics.maths.curve",),
    "driving_sandbox.physics.body.rigid_body": ("driving_sandbox.physics.body.gyroscopic",),
    "driving_sandbox.physics.drivetrain.direct": ("driving_sandbox.physics.drivetrain.wheel_speed",),
    "driving_sandbox.physics.road.query": (
        "driving_sandbox.physics.ground.roughness",
        "driving_sandbox.physics.road.bodies",
    ),
    "driving_sandbox.physics.road.sweep_query": ("driving_sandbox.physics.road.sweep",),
    "driving_sandbox.physics.contact.component": (
        "driving_sandbox.physics.contact.generation",
        "driving_sandbox.physics.contact.edges",
        "driving_sandbox.physics.contact.reduction",
        "driving_sandbox.physics.contact.solver",
        "driving_sandbox.physics.contact.sticky",
        "driving_sandbox.physics.contact.hitch",
        "driving_sandbox.physics.contact.chain",
    ),
    "driving_sandbox.physics.planar.tire_laws": ("driving_sandbox.physics.planar.tire",),
    "driving_sandbox.physics.suspension.suspension": ("driving_sandbox.physics.suspension.sprung_mass",),
    "driving_sandbox.physics.tire.combined_slip": ("driving_sandbox.physics.tire.slip",),
    "driving_sandbox.physics.tire.pacejka": (
        "driving_sandbox.physics.tire.pacejka_curves",
        "driving_sandbox.physics.tire.magic_tire",
    ),
    "driving_sandbox.physics.tire.mf62_tire": (
        "driving_sandbox.physics.tire.mf62",
        "driving_sandbox.physics.tire.mf62_family",
        "driving_sandbox.physics.tire.tir_file",
        "driving_sandbox.physics.tire.tire_size",
    ),
    "driving_sandbox.physics.assists.traction_control": ("driving_sandbox.physics.assists.wheel_speeds",),
}
WITHOUT_CURVE = {  # {component: why it has no curve}; others of its module have one
    "input: raw": "commands go through as they are",
    "ackermann_second: ackermann": "the same equations for another pair of wheels",
    "brake_distribution: none": "it does nothing",
    "stability_control: none": "it does nothing",
    "hill_hold: none": "it does nothing",
    "actuation: direct_drive": "flags of torques that other components give",
    "actuation: undriven": "flags of the brakes' torques",
    "actuation: rigid_engine": "flags of torques that the coupling gives",
}
EXAMPLES = ROOT / "docs" / "examples"
# Ids of rows in systems.yaml, see `rows_named`.
_ROW = re.compile(r"\b((?:PX|ST|CN|RC|CE)-[A-Z]+)(?:-(\d+(?:(?:\.\.|, )\d+)*))?\b")


def page() -> str:
    """The text of the page."""
    modules = sections()
    parts = [INTRODUCTION, _contents(modules)]
    parts += [_section(module, group) for module, group in modules.items()]
    parts.append("## Worked examples\n\nComponents in Python files of their own ([adding](adding.md)), which the "
                 "program runs only after asking.\n")  # fmt: skip
    parts += [_example(module, vehicle) for module, vehicle in examples()]
    return "\n".join(parts)


def sections() -> dict[str, list[Component]]:
    """{module: components that it defines}; each module is a section of the page."""
    modules: dict[str, list[Component]] = {}
    for component in components():
        modules.setdefault(module_of(component), []).append(component)
    return modules


def examples() -> Iterator[tuple[str, str]]:
    """Yield (module, name of the vehicle file) for each component file in docs/examples."""
    for path in sorted(EXAMPLES.glob("*.yaml")):
        components_of_file = yaml.safe_load(path.read_text(encoding="utf8")).get("components", {})
        for choice in components_of_file.values():
            if isinstance(choice, dict):
                yield f"driving_sandbox.docs.examples.{choice['file'].removesuffix('.py')}", path.name


@cache
def module_of(component: Component) -> str:
    """Name of the module that defines a component."""
    for name, module in sorted(sys.modules.items()):
        if name.startswith("driving_sandbox.physics."):
            for key, value in vars(module).items():  # assigned there, not imported
                if value is component and re.search(rf"^{key}\b[^=\n]*= ", _source(name), re.MULTILINE):
                    return name
    raise LookupError(f"no module of physics/ makes {component.slot}: {component.name}")


def _path(module: str) -> str:
    return module.removeprefix("driving_sandbox.").replace(".", "/") + ".py"


@cache
def _source(module: str) -> str:
    return (ROOT / _path(module)).read_text(encoding="utf8")


def explanation(module: str) -> str:
    """The docstring of a module, read without running it."""
    return ast.get_docstring(ast.parse(_source(module))) or ""


def anchor(heading: str) -> str:
    """The part of a link after #, for a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _label(component: Component) -> str:
    return f"{component.slot}: {component.name}"


def heading(group: Sequence[Component]) -> str:
    """Heading of the section of some components."""
    return ", ".join(dict.fromkeys(_label(component) for component in group))


def _contents(modules: dict[str, list[Component]]) -> str:
    """A table of all components with links to their sections."""
    lines = ["| Slot | Component | What it does |", "|---|---|---|"]
    for group in modules.values():
        target = anchor(heading(group))
        lines += [f"| {c.slot} | [{c.name}](#{target}) | {_one_line(c.doc)} |" for c in group]
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _section(module: str, group: list[Component]) -> str:
    """The section of a module with its group of components."""
    lines = [f"## {heading(group)}", ""]
    lines += [f"* `{_label(c)}`: {_one_line(c.doc)} {_where(c)}" for c in group]
    lines += ["", markdown(explanation(module)), _module_link(module), ""]
    lines += _pictures(module)
    for part in PARTS.get(module, ()):
        lines += [f"### {part.rpartition('.')[2]}", "", markdown(explanation(part)), _module_link(part), ""]
        lines += _pictures(part)
    lines += [_sources(group, (module, *PARTS.get(module, ()))), ""]
    return "\n".join(lines)


def _where(component: Component) -> str:
    """Where a component is used, with links to its parameters and a note if it has no curve."""
    types = [kind for kind, entries in VEHICLE_TYPES.items() if component in components_of(entries)]
    where = f"In the lists {', '.join(types)}." if types else "Chosen by name."
    if component.params is not None and component.params.fields:
        where += f" [Parameters](parameters.md#{anchor(_label(component))})."
    if _label(component) in WITHOUT_CURVE:
        where += f" No curve of its own: {WITHOUT_CURVE[_label(component)]}."
    return where


def _module_link(module: str) -> str:
    return f"[{_path(module)}](../{_path(module)})"


def _pictures(module: str) -> list[str]:
    """Lines with the curves of a module and their captions."""
    lines: list[str] = []
    for c in CURVES.values():
        if c.module == module:
            lines += [f"![{c.name.replace('_', ' ')}](pictures/curves/{c.name}.png)", "", c.caption, ""]
    return lines


def _example(module: str, vehicle: str) -> str:
    """Section on an example component and the vehicle that uses it."""
    name = module.rpartition(".")[2]
    lines = [f"### {name.replace('_', ' ')}", "", markdown(explanation(module))]
    lines += [f"[{name}.py](examples/{name}.py), driven by [{vehicle}](examples/{vehicle})", ""]
    return "\n".join(lines + _pictures(module))


def markdown(text: str) -> str:
    """A docstring as Markdown: formulas and columns as preformatted text, the rest as paragraphs."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = paragraph.splitlines()
        if all(line.startswith("    ") for line in lines):
            parts.append("\n".join(["```text", *(line[4:] for line in lines), "```"]))
        elif any(re.search(r"^ |\S {3,}\S", line) for line in lines):
            parts.append("\n".join(["```text", *lines, "```"]))
        else:
            parts.append("\n".join(lines).replace("<", "&lt;"))
    return "\n\n".join(parts) + "\n"


def rows_named(text: str) -> list[str]:
    """Ids of rows, or prefixes of ids, in a text.

    `PX-A-01..04` and `PX-A-01, 03` stand for several rows, a prefix such as `PX-A` for all rows that begin with it.
    """
    prefixes = []
    for prefix, numbers in _ROW.findall(text):
        if not numbers:
            prefixes.append(prefix)
        for piece in filter(None, numbers.split(", ")):
            first, _, last = piece.partition("..")
            prefixes += [f"{prefix}-{i:02}" for i in range(int(first), int(last or first) + 1)]
    return prefixes


@cache
def _documents() -> tuple[dict[str, str], list[dict[str, Any]]]:
    """({key: title}, rows) of systems.yaml."""
    content = document()
    return {key: re.sub(r" \(ids .*", "", title) for key, title in content["meta"]["seeds"].items()}, content["rows"]


def _sources(group: Sequence[Component], modules: Sequence[str]) -> str:
    """A line that names the documents, their sections, and the rows that come from each."""
    text = "\n".join(explanation(module) for module in modules)
    for component in group:
        if component.params is not None:
            text += "\n" + "\n".join(f.source for f in component.params.fields.values())
    row_names = rows_named(text)
    titles, rows = _documents()
    documents: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        if any(row["id"] == name or row["id"].startswith(f"{name}-") for name in row_names):
            ids_by_section = documents.setdefault(titles[row["source"]], {})
            ids_by_section.setdefault(row["section"], []).append(row["id"])
    if not documents:
        return "Sources: none, the program's own."
    named = [
        f"{title}: " + "; ".join(f"*{section}* ({', '.join(ids)})" for section, ids in ids_by_section.items())
        for title, ids_by_section in documents.items()
    ]
    return "Sources: " + ". ".join(named) + "."


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), sys.argv[1:]))
