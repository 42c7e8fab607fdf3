"""Writes docs/variants.md: `python -m docs.build.variants [--check]`.

A section for every concept of curves_*_variants.py: its plot, which curves.py draws, and a table of the components in
it, with the system each comes from and the vehicles that have it.
"""

import sys
from functools import cache

from docs.build.components import ROOT, anchor, explanation, heading, rows_named, sections
from docs.build.concept import CONCEPTS, Concept
from docs.build.curve import CURVES, vehicle
from docs.build.page import write_or_check
from physics.vehicle_file import VEHICLE_FOLDER
from physics.vehicles import VARIANTS

PAGE = ROOT / "docs" / "variants.md"
INTRODUCTION = """\
# Variants side by side

<!-- Written by docs/build/variants.py; the plots by python -m docs.build.curves. -->

Where the program has several ways to compute the same thing, one plot shows them all. Each line is what the component
of that name gives by its own kernels, on a vehicle that comes with the program; lines that lie on each other share one
name. A vehicle's file chooses by `components: {slot: name}`, see [adding](adding.md); not every component fits every
list. *From* says which of the five systems described a component first; what is the program's own comes from none.
"""
ROOMS = ("tire", "engine", "gear", "chassis", "surroundings")  # of curves_*_variants.py, in this order
ELSEWHERE = (  # plots that stand in the section of a component already
    Concept("Query of the ground", "sweep_and_ray", {"road": ("sweep", "ray")}),
    Concept("Integration", "integrators", {"body": ("euler",)}),
    Concept("Directly driven wheels", "locked_wheel", {"drivetrain": ("direct_wheels", "direct_coulomb_brakes")}),
)
SYSTEMS = {"PX": "PhysX", "ST": "Stingray", "CN": "planar racing game", "RC": "Racer", "CE": "CryEngine"}
EXCUSED = {  # (slot, component or None for all of them): why no plot shows it
    ("actuation", None): "Marks which wheels are driven and braked in this tick; it has no figure of its own.",
    ("wheel", None): "Poses and sizes of the wheels as they are drawn; the cylinder of a mesh has a "
    "[picture of its own](components.md#wheel-cylinder_of_mesh).",
    ("suspension", "axle_bodies"): "Only with `body: sprung`; both are compared with a published multi-body car.",
    ("body", "sprung"): "Only with `suspension: axle_bodies`, see there.",
    ("drivetrain", "undriven_wheels"): "Wheels of trailers: brakes and the road turn them, nothing drives.",
}


def page():
    """The text of the page."""
    targets = {id(c): anchor(heading(found)) for found in sections().values() for c in found}
    parts = [INTRODUCTION, _contents()]
    parts += [_section(concept, targets) for concept in concepts()]
    parts.append("## Not in a plot\n\n| Slot | Component | Why |\n|---|---|---|")
    parts += [f"| {slot} | {name or 'all'} | {why} |" for (slot, name), why in EXCUSED.items()]
    return "\n".join(parts) + "\n"


def concepts():
    """Every concept, in the order of the page."""
    own = [c for room in ROOMS for c in CONCEPTS.values() if c.module.endswith(f".curves_{room}_variants")]
    return [*own, *ELSEWHERE]


def missing(variants=VARIANTS):
    """(slot, component) of slots with a choice that are in no plot and not excused."""
    shown = {(slot, name) for c in concepts() for slot, names in c.shows.items() for name in names}
    chosen = [(slot, name) for slot, names in variants.items() if len(names) > 1 for name in names]
    return [(slot, name) for slot, name in chosen
            if (slot, name) not in shown and (slot, name) not in EXCUSED and (slot, None) not in EXCUSED]  # fmt: skip


def _contents():
    return "\n".join(f"* [{c.title}](#{anchor(c.title)})" for c in concepts()) + "\n"


def _section(concept, targets):
    lines = [f"## {concept.title}", ""]
    lines += [f"![{concept.title}](pictures/curves/{concept.picture}.png)", "", CURVES[concept.picture].caption, ""]
    lines += ["| Slot | Component | From | Vehicles |", "|---|---|---|---|"]
    for slot, names in concept.shows.items():
        for name in names:
            component = VARIANTS[slot][name]
            link = f"[{name}](components.md#{targets[id(component)]})"
            lines.append(f"| {slot} | {link} | {system(component)} | {_vehicles(slot, name)} |")
    return "\n".join(lines) + "\n"


@cache
def origins():
    """{id of a component: the text that names its rows}."""
    return {id(c): explanation(module) for module, found in sections().items() for c in found}


def system(component):
    """Systems whose rows a component's module names, or parameters of its own where the module names none."""
    rows = rows_named(origins()[id(component)])
    if not rows and component.params is not None:
        inherited = getattr(component.params.__mro__[1], "fields", {})
        own = [f.source for name, f in component.params.fields.items() if name not in inherited]
        rows = rows_named("\n".join(own))
    prefixes = dict.fromkeys(row.partition("-")[0] for row in rows)
    return ", ".join(SYSTEMS[p] for p in prefixes) or "the program's own"


@cache
def users():
    """{(slot, component): vehicles that have it}, by the names of their files."""
    found = {}
    for path in sorted(VEHICLE_FOLDER.rglob("*.yaml")):
        for slot, component in vehicle(path).sequence.by_slot.items():
            found.setdefault((slot, component.name), []).append(path.stem)
    return found


def _vehicles(slot, name):
    return ", ".join(users().get((slot, name), ())) or "none; by name in a vehicle's file"


if __name__ == "__main__":
    sys.exit(write_or_check(PAGE, page(), sys.argv[1:]))
