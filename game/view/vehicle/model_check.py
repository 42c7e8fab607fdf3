"""Check of a vehicle's model without a window: its file, suspension parts, bound nodes, tracks and dials."""

from __future__ import annotations

import re
from pathlib import Path

from driving_sandbox.game.view.vehicle.belt import track_of, wheel_radius
from driving_sandbox.game.view.vehicle.bound import check_wheel
from driving_sandbox.game.view.vehicle.dials import QUANTITIES
from driving_sandbox.game.view.vehicle.model import load_model
from driving_sandbox.game.view.vehicle.running_gear import chain_of, links_of, wheel_count
from driving_sandbox.physics.base.user_error import WrongValue


def check_model(path: Path) -> None:
    """Raise WrongValue if the view could not read the model's file or draw those parts."""
    model = load_model(path)
    try:
        links_of(model)
        chain_of(model)
        wheels = wheel_count(model)
        for name, part in model.parts.items():
            check_wheel(name, wheels)
            if re.fullmatch(r"belt\d+", name):
                track_of(part, model.node_position)
            elif re.match(r"belt\d+_turn", name):
                wheel_radius(part)
            elif name in QUANTITIES:
                part.number("per_unit", "0")
    except WrongValue as error:
        raise WrongValue(f"{path}: {error}") from None
