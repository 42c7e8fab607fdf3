"""`list`: vehicles, worlds, manoeuvres, vehicle types, components, setups and recordings."""

import json
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driving_sandbox.cli.names import RECORDING_SUFFIX
from driving_sandbox.game.platform.user_folder import subfolder
from driving_sandbox.game.session.choice import read_entry
from driving_sandbox.lab.maneuvers import MANEUVERS
from driving_sandbox.physics.vehicle.types import VARIANTS, VEHICLE_TYPES
from driving_sandbox.physics.vehicle.vehicle_file import VEHICLE_FOLDER
from driving_sandbox.physics.world.world_file import WORLD_FOLDER

if TYPE_CHECKING:
    from driving_sandbox.physics.tick.component import Component


def listing() -> dict[str, list[list[Any]]]:
    """{heading: [[name, description], ...]}."""
    return {
        "vehicles": [_config(p) for p in sorted(VEHICLE_FOLDER.glob("*.yaml"))],
        "your vehicles": [_config(p) for p in sorted(subfolder("vehicles").glob("*.yaml"))],
        "worlds": [_config(p) for p in sorted(WORLD_FOLDER.glob("*.yaml"))],
        "maneuvers": [[name, kind.summary] for name, kind in MANEUVERS.items()],
        "vehicle types": [[name, f"{len(_slots(entries))} slots"] for name, entries in VEHICLE_TYPES.items()],
        "components": [
            [f"{slot}: {name}", component.doc or _first_line(component)]
            for slot, variants in VARIANTS.items()
            for name, component in variants.items()
        ],
        "setups": _files("setups", ".yaml"),
        "recordings": _files("recordings", RECORDING_SUFFIX),
    }


def show(options: Namespace) -> None:
    """Print the listing."""
    groups = listing()
    if options.json:
        print(json.dumps(groups, indent=2))
        return
    for heading, rows in groups.items():
        print(f"{heading}:")
        width = max((len(name) for name, _ in rows), default=0)
        for name, text in rows:
            print(f"  {name:<{width}}  {text}".rstrip())
        if not rows:
            print("  none yet")


def _config(path: Path) -> list[str]:
    """Name and description of a vehicle or world file."""
    return [path.stem, read_entry(path).text]


def _slots(entries: tuple[Any, ...]) -> "tuple[Component, ...]":
    """The components in a vehicle type's list, one for each slot."""
    from driving_sandbox.physics.tick.component import components_of

    return components_of(entries)


def _first_line(component: "Component") -> str:
    """First sentence of the docstring of a component's module, for a component without a description of its own."""
    import inspect

    kernel = next(iter(component.phases.values()))
    doc = inspect.getdoc(inspect.getmodule(getattr(kernel, "py_func", kernel))) or ""
    return " ".join(doc.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")


def _files(folder: str, suffix: str) -> list[list[str]]:
    """Names and paths of the files with a suffix in a folder of the user folder."""
    return [[p.stem, str(p)] for p in sorted(subfolder(folder).glob(f"*{suffix}"))]
