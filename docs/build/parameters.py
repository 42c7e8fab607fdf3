"""Writes docs/parameters.md from the declarations of the components, the world and the voices.

python -m driving_sandbox.docs.build.parameters [--check]
"""

import inspect
import sys
from pathlib import Path
from typing import Any

from driving_sandbox.docs.build.page import write_or_check
from driving_sandbox.physics.schema.schema import (
    Block,
    Bool,
    Choice,
    Curve,
    Floats,
    Int,
    Named,
    ResponseTable,
    Schema,
    Vec3,
    VecCurve,
    WheelRef,
    Words,
)
from driving_sandbox.physics.tick.component import Component, components_of
from driving_sandbox.physics.vehicle.types import VARIANTS, VEHICLE_TYPES
from driving_sandbox.physics.world.parameters import SurfaceParams, WorldParams
from driving_sandbox.sound.voices import VOICES

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "parameters.md"
INTRODUCTION = """\
# Parameters

<!-- Written by docs/build/parameters.py from the declarations in physics/ and sound/; edit those. -->

Every value a vehicle's YAML may set, in SI units; angles in radians. A parameter's path is `slot.name`, or
`slot.wheel.name` where it belongs to a wheel; in the YAML a per-wheel value is set under `all`, an axle or a wheel.
*Usual* is the range of the slider; values outside it are allowed within *Limits*. *Computed* values follow from others
and are shown only. IDs in the last column name rows of [systems.yaml](systems.yaml).

`sound.engine` and the other sections of that kind are the voices of [sound](sound.md), set in the vehicle's section
`sound`, as in `sound: {tires: {squeal: 0.8}}`. What is omitted there is estimated from the vehicle or has its default;
an engine's defaults are those of its `preset`.
"""
WORLD = (  # path, declaration, text: parameters that belong to no component
    (
        "world",
        WorldParams,
        "Shared by all vehicles of a world, from its file; like all parameters, changeable in a drive.",
    ),
    ("surface.NAME", SurfaceParams, "Friction of each surface that bears tires, from the world's file of surfaces."),
)
TYPE_NAMES = {Vec3: "[x, y, z]", Int: "whole number", Bool: "true or false", WheelRef: "wheel"}


def components() -> list[Component]:
    """Every component that is in a vehicle list or can be chosen in YAML, in the order of the lists."""
    listed = [c for entries in VEHICLE_TYPES.values() for c in components_of(entries)]
    offered = [c for variants in VARIANTS.values() for c in variants.values()]
    return list(dict.fromkeys(listed + offered))


def page() -> str:
    """The text of the page."""
    parts = [INTRODUCTION]
    for component in components():
        if component.params is not None and component.params.fields:
            parts.append(_section(component, component.params))
    for path, schema, about in WORLD:
        parts.append("\n".join([f"## {path}", "", about, "", *_table("type", schema)]) + "\n")
    for name, voice in VOICES.items():
        about = " ".join((inspect.getdoc(voice.declaration) or "").split())
        parts.append("\n".join([f"## sound.{name}", "", about, "", *_table("type", voice.declaration)]) + "\n")
    return "\n".join(parts)


def _section(component: Component, params: type[Schema]) -> str:
    """Section of the page on a component."""
    types = [kind for kind, entries in VEHICLE_TYPES.items() if component in components_of(entries)]
    choice = component.name in VARIANTS.get(component.slot, {})
    about = " ".join((component.doc or inspect.getdoc(params) or "").split())
    lines = [f"## {component.slot}: {component.name}", "", about, ""]
    where = f"In the lists {', '.join(types)}." if types else "Not in a list of its own."
    if choice:
        where += f" Chosen by `components: {{{component.slot}: {component.name}}}`."
    wheel = "wheel, " if params.per_wheel else ""
    lines += [where, "", *_table(f"{wheel}type", params)]
    return "\n".join(lines) + "\n"


def _table(kind: str, schema: type[Schema]) -> list[str]:
    """Lines with the fields of a declaration."""
    head = f"| Name ({kind}) | Unit | Limits | Usual | Default | Meaning | Source |"
    documented = [f for f in schema.fields.values() if f.doc or not f.derived]  # others are of kernels only
    return [head, "|---|---|---|---|---|---|---|", *map(_row, documented)]


def _row(f: Any) -> str:
    """Table row of a field."""
    cells = (
        f"`{f.name}`{_type(f.kind)}", f.unit, _limits(f), _usual(f), _default(f),
        f.doc + (" *Changes only what is drawn.*" if f.visual else ""), f.source,
    )  # fmt: skip
    return "| " + " | ".join(" ".join(str(cell).split()).replace("|", "\\|") for cell in cells) + " |"


def _type(kind: Any) -> str:
    """Words for the type of a field, with a space before them."""
    if isinstance(kind, Choice):
        return " " + " or ".join(kind.options)
    if isinstance(kind, Floats):
        return f" up to {kind.capacity} numbers"
    if isinstance(kind, Named):
        return f" any of {', '.join(name.upper() for name in kind.names)}"
    if isinstance(kind, Words):
        return f" up to {kind.capacity} of {', '.join(kind.options)}"
    if isinstance(kind, Curve):
        return f" curve over {kind.x_label} [{kind.x_unit}], {kind.capacity} points"
    if isinstance(kind, VecCurve):
        return f" curve of vectors over {kind.x_label} [{kind.x_unit}], {kind.capacity} points"
    if isinstance(kind, ResponseTable):
        return f" table of {kind.rows} commands x {kind.points} speeds"
    if isinstance(kind, Block):
        return " record"
    return f" {TYPE_NAMES[type(kind)]}" if type(kind) in TYPE_NAMES else ""


def _limits(f: Any) -> str:
    """Hard limits of a field."""
    signs = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
    if f.ge is not None:  # a field with both: `ge` is the stricter one
        del signs["gt"]
    return ", ".join(f"{sign} {getattr(f, name):g}" for name, sign in signs.items() if getattr(f, name) is not None)


def _usual(f: Any) -> str:
    """Usual range of a field."""
    return "" if f.suggest is None else f"{f.suggest[0]:g} to {f.suggest[1]:g}"


def _default(f: Any) -> str:
    """Default of a field."""
    if f.derived:
        return "computed"
    return "required" if f.required else f"`{f.default}`"


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), sys.argv[1:]))
