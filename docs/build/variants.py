"""Writes docs/variants.md.

    python -m driving_sandbox.docs.build.variants [--check]

With and without --check, it prints what `faults` finds.

A section for every concept of curves_*_variants.py: its plot, which curves.py draws, and a table of the components in
it, with the system each comes from and the vehicles that have it.
"""

import re
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from driving_sandbox.docs.build.components import ROOT, anchor, explanation, heading, rows_named, sections
from driving_sandbox.docs.build.concept import CONCEPTS, Concept
from driving_sandbox.docs.build.curve import CURVES, vehicle
from driving_sandbox.docs.build.page import write_or_check
from driving_sandbox.physics.tick.component import Component
from driving_sandbox.physics.vehicle.types import VARIANTS
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER

PAGE = ROOT / "docs" / "variants.md"
INTRODUCTION = """\
# Variants side by side

<!-- Written by docs/build/variants.py; the plots by python -m driving_sandbox.docs.build.curves. -->

Where the program has several ways to compute the same quantity, one plot shows them all. Each line is computed by the
kernels of the component of that name, on a vehicle that comes with the program; lines that coincide share one label. A
vehicle's file chooses by `components: {slot: name}`, see [adding](adding.md); not every component fits every list.
*From* names which of the five systems a component comes from.
"""
GROUPS = ("tire", "engine", "gear", "chassis", "surroundings")  # modules curves_*_variants.py, in the order of the page
ELSEWHERE = (  # plots that are also in the section of a component on docs/components.md
    Concept("Query of the ground", "sweep_and_ray", {"road": ("sweep", "ray")}),
    Concept("Integration", "integrators", {"body": ("euler",)}),
    Concept("Reaction of wheels and engine", "throttle_in_the_air", {"body": ("gyrostat",)}),
    Concept("Anti-lock brakes", "peak_seeking_abs", {"abs": ("velocity_ratio", "peak_seeking")}),
    Concept("Brakeforce distribution", "brake_distribution", {"brake_distribution": ("rear_follows_front", "none")}),
    Concept("Stability control", "stability_control", {"stability_control": ("yaw_rate_reference", "none")}),
    Concept("Hill hold", "hill_hold", {"hill_hold": ("until_drive_suffices", "none")}),
    Concept("Steering column", "rim_let_go", {"steering_column": ("kingpin_torque", "none")}),
    Concept("Directly driven wheels", "locked_wheel", {"drivetrain": ("direct_wheels", "direct_coulomb_brakes")}),
)
SYSTEMS = {"PX": "PhysX", "ST": "Stingray", "CN": "planar racing game", "RC": "Racer", "CE": "CryEngine"}
EXCUSED = {  # {(slot, component or None for all): why no plot shows it}
    ("actuation", None): "Marks which wheels are driven and braked in this tick; it computes no quantity of its own.",
    ("wheel", None): "Poses and sizes of the wheels as they are drawn; the cylinder of a mesh has a "
    "[picture of its own](components.md#wheel-cylinder_of_mesh).",
    ("suspension", "axle_bodies"): "Only with `body: sprung`; both are compared with a published multi-body car.",
    ("body", "sprung"): "Only with `suspension: axle_bodies`, see above.",
    ("body", "assembled_gyrostat"): "As `gyrostat`, on the body of `assembled`.",
    ("drivetrain", "undriven_wheels"): "Wheels of trailers: only brakes and the road act on them.",
}


def page() -> str:
    """The text of the page."""
    targets = {id(c): anchor(heading(components)) for components in sections().values() for c in components}
    parts = [INTRODUCTION, _contents()]
    parts += [_section(concept, targets) for concept in concepts()]
    parts.append("## Not in a plot\n\n| Slot | Component | Why |\n|---|---|---|")
    parts += [f"| {slot} | {name or 'all'} | {why} |" for (slot, name), why in EXCUSED.items()]
    return "\n".join(parts) + "\n"


def concepts() -> list[Concept]:
    """Every concept, in the order of the page."""
    own = [c for group in GROUPS for c in CONCEPTS.values() if c.module.endswith(f".curves_{group}_variants")]
    return [*own, *ELSEWHERE]


def faults() -> list[str]:
    """Lines that say what is wrong with the page's plots and excuses."""
    return component_faults() + [fault for name in CONCEPTS for fault in plot_faults(name)]


def component_faults(variants: Mapping[str, Any] = VARIANTS) -> list[str]:
    """Components of slots with a choice that the page leaves out or excuses wrongly, a line each."""
    shown = {(slot, name) for c in concepts() for slot, names in c.shows.items() for name in names}
    excused = {(slot, each) for slot, name in EXCUSED for each in ([name] if name else variants.get(slot, ["all"]))}
    choices = {(slot, name) for slot, names in variants.items() if len(names) > 1 for name in names}
    on_page = {concept.picture for concept in concepts()}
    problems = [f"{slot}: {name} is in no plot and not excused" for slot, name in sorted(choices - shown - excused)]
    problems += [f"{slot}: {name} is excused and in a plot" for slot, name in sorted(excused & shown)]
    problems += [f"{slot}: {name} is excused and no choice" for slot, name in sorted(excused - choices)]
    return problems + [f"{name}: no section of the page has this plot" for name in CONCEPTS if name not in on_page]


def plot_faults(name: str) -> list[str]:
    """Lines that say what is wrong with the plot of a concept.

    In a right plot, the label of every line that is not faint has the name of a component that the concept declares,
    every such component has a line, labels are different, axes have units, and values are finite and not all constant.
    """
    figure = CURVES[name].figure()
    shown = {component for names in CONCEPTS[name].shows.values() for component in names}
    labels = [line.label for line in figure.lines]
    words = [set(re.split(r"[ ,]+", line.label)) for line in figure.lines if not line.faint]
    rules = {
        "shows other components than it says": shown == set().union(*words) & shown and all(w & shown for w in words),
        "has two lines of one name": len(set(labels)) == len(labels),
        "has an axis without a unit": all(re.search(r"\[.+\]", text) for text in (figure.x_label, figure.y_label)),
        "has a line that is not finite": all(
            len(line.x) == len(line.y) and np.isfinite(line.y).all() for line in figure.lines
        ),
        "shows nothing that changes": any(np.ptp(line.y) > 0.0 for line in figure.lines),
    }
    return [f"{name}: {text}" for text, holds in rules.items() if not holds]


def main(arguments: list[str]) -> int:
    """Write the page or compare it; returns the exit code."""
    problems = faults()
    for fault in problems:
        print(fault, file=sys.stderr)
    return write_or_check(PAGE, page(), arguments) or (1 if problems else 0)


def _contents() -> str:
    """List of links to the sections."""
    return "\n".join(f"* [{c.title}](#{anchor(c.title)})" for c in concepts()) + "\n"


def _section(concept: Concept, targets: Mapping[int, str]) -> str:
    """Section of the page on a concept; `targets`: {id of a component: anchor of its section in components.md}."""
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
def origins() -> dict[int, str]:
    """{id of a component: docstring of its module, which names rows of systems.yaml}."""
    return {id(c): explanation(module) for module, components in sections().items() for c in components}


def system(component: Component) -> str:
    """Names of the systems whose rows a component's module names, or else its own parameters' sources."""
    rows = rows_named(origins()[id(component)])
    if not rows and component.params is not None:
        inherited = getattr(component.params.__mro__[1], "fields", {})
        own = [f.source for name, f in component.params.fields.items() if name not in inherited]
        rows = rows_named("\n".join(own))
    prefixes = dict.fromkeys(row.partition("-")[0] for row in rows)
    return ", ".join(SYSTEMS[p] for p in prefixes) or "the program's own"


@cache
def users() -> dict[tuple[str, str], list[str]]:
    """{(slot, component): names of the vehicle files that use it}."""
    users_of: dict[tuple[str, str], list[str]] = {}
    for path in sorted(VEHICLE_FOLDER.rglob("*.yaml")):
        for slot, component in vehicle(path).sequence.by_slot.items():
            users_of.setdefault((slot, component.name), []).append(path.stem)
    return users_of


def _vehicles(slot: str, name: str) -> str:
    return ", ".join(users().get((slot, name), ())) or "none; by name in a vehicle's file"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
