"""Data of the HUD's map while driving: the vehicle, the others, and the lines of the world."""

import math

import numpy as np
import pytest

from driving_sandbox.game.hud import HudFrame
from driving_sandbox.game.laps.navigation import Navigation
from driving_sandbox.game.laps.world_map import map_lines
from driving_sandbox.game.session.session import Session
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle
from driving_sandbox.physics.world.world import World
from driving_sandbox.physics.world.world_file import load_world


class Ghost:
    """A ghost that stands still."""

    body_position = np.array((3.0, 4.0, 0.0))  # m
    is_shown = True

    def shown(self, now):
        return self.is_shown

    def frame(self, now):
        return self


class Ghosts:
    """The part of Ghosts that Navigation reads, with one ghost."""

    visible = True

    def __init__(self):
        self.running = [Ghost()]


@pytest.fixture
def session():
    """A session of two cars on the plane; the first faces west."""
    world = World(load_world("plane"), [load_vehicle("roadster"), load_vehicle("hatchback")])
    world.spawn()
    world.place(0, (10.0, 20.0), math.radians(90.0))
    with Session(world) as session:
        yield session


def test_the_frame_says_where_the_vehicle_and_the_others_are(session):
    ghosts, frame = Ghosts(), HudFrame()
    navigation = Navigation(session, ghosts, lambda track: None)
    navigation.fill(frame)
    assert frame.position == pytest.approx((10.0, 20.0), abs=0.1)
    assert frame.heading == pytest.approx(math.radians(90.0), abs=0.01)  # to the left of +y
    other, ghost = frame.others
    assert other[:2] == pytest.approx(session.world.vehicles[1].model_position()[:2])
    assert ghost[:2] == (3.0, 4.0)
    ghosts.running[0].is_shown = False
    navigation.fill(frame)
    assert len(frame.others) == 1
    assert frame.delta is None and not navigation.map.empty


def test_maps_hold_the_lines_of_their_worlds():
    kinds = {}
    for name in ("plane", "yard", "mountain_road"):
        lines = map_lines(load_world(name))
        kinds[name] = [line.kind for line in lines]
        assert all(len(line.points) >= 2 for line in lines)
    assert kinds == {"plane": ["line"], "yard": [], "mountain_road": ["road", "line", *["gate"] * 4]}
    assert map_lines(None) == []
