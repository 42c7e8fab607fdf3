"""Parked vehicles are put back, unless their parking position is occupied."""

from types import SimpleNamespace

import numpy as np
import pytest

from driving_sandbox.game.props.parked import Parked

BODY = np.dtype([("position", "f8", 3), ("orientation", "f8", 4)])
RADIUS = 2.0  # m, of the hull


def standing(x, has_contact):
    """Stand-in for a vehicle at rest at (x, 0, 0) m, with or without contact."""
    body = np.zeros(1, BODY)
    body["position"][0, 0], body["orientation"][0, 3] = x, 1.0
    slots = {"contact": None} if has_contact else {}
    params = {"contact": [{"hull": {"radius": RADIUS}}]} if has_contact else {}
    return SimpleNamespace(name="car", state={"body": body}, params=params, sequence=SimpleNamespace(by_slot=slots))


@pytest.mark.parametrize(
    ("driven_contact", "parked_contact", "blocked"),
    [(True, True, ["car"]), (True, False, []), (False, True, []), (False, False, [])],
)
def test_only_vehicles_with_contact_occupy_a_parking_position(driven_contact, parked_contact, blocked):
    vehicles, placed = [standing(50.0, driven_contact), standing(0.0, parked_contact)], []
    file = SimpleNamespace(parked=[SimpleNamespace(position=(0.0, 0.0), heading=0.0)])
    world = SimpleNamespace(
        file=file, vehicles=vehicles, trains=[range(1), range(1, 2)], place=lambda *where: placed.append(where)
    )
    parked = Parked(world)
    vehicles[1].state["body"]["position"][0, 0] = 20.0  # the parked vehicle has moved
    vehicles[0].state["body"]["position"][0, 0] = RADIUS  # the driven one stands on its place
    assert parked.put_back() == ([] if blocked else [1], blocked)
    assert len(placed) == 1 - len(blocked)
