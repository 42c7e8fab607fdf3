"""Driving fast over seams of meshes and decks level with the ground, and slowly over kerbs.

A seam has no effect: loads, normals and velocities equal those on one field, to rounding. With suspension forces that
act at the contact (`force_application: contact`) springs store and return energy without gain, so that an error of the
sweep would show as a gain over a kerb; tires and dampers only dissipate.
"""

import math

import numpy as np
import pytest
from naive_ground import box_mesh
from plain_tires import on_plain_tires
from test_query_sweep import all_wheels, rolling_energy, run, wheels, world

from driving_sandbox.physics.ground.arrays import HOLE
from driving_sandbox.physics.ground.ground import Ground, Heightfield
from driving_sandbox.physics.ground.world_mesh import Mesh
from driving_sandbox.physics.maths.quat import rotate

ASPHALT = 0
FAST = 60.0  # m/s
LEFT_WHEELS_X = -0.76  # m, about the x of the roadster's left wheels, so that a seam there is under their tread
MICROMETRE, MILLIMETRE = 1e-6, 1e-3  # m
HOLE_CELLS = (slice(50, 55), slice(40, 60))  # cells: y from 0 to 20 m, x from -40 to 40 m


def field(hole=None):
    """A level heightfield; hole: slices of its cells."""
    cells = np.full((100, 100), ASPHALT, np.uint8)
    if hole is not None:
        cells[hole] = HOLE
    return Heightfield(np.zeros((101, 101), np.float32), cells, (-200.0, -200.0), 4.0)


def across(gap):
    """Two blocks with a seam across the road at y = 0; gap: m, negative: they overlap."""
    return Ground(None, [box_mesh("near", (-90, -90, -1), (90, 0, 0)), box_mesh("far", (-90, gap, -1), (90, 90, 0))])


def along(gap):
    """Two blocks with a seam along the road, under the left wheels; gap: m, negative: they overlap."""
    parts = [box_mesh("left", (-90, -90, -1), (LEFT_WHEELS_X, 90, 0))]
    return Ground(None, [*parts, box_mesh("right", (LEFT_WHEELS_X + gap, -90, -1), (90, 90, 0))])


GROUNDS = {
    "across, 1 um apart": lambda: across(MICROMETRE),
    "across, 1 mm apart": lambda: across(MILLIMETRE),
    "across, overlapping by 1 mm": lambda: across(-MILLIMETRE),
    "along, 1 um apart": lambda: along(MICROMETRE),
    "along, 1 mm apart": lambda: along(MILLIMETRE),
    "along, overlapping by 1 mm": lambda: along(-MILLIMETRE),
    "deck on the ground": lambda: Ground(field(), [box_mesh("deck", (LEFT_WHEELS_X, -5, -1), (5, 5, 0))]),
    "deck over a hole": lambda: Ground(field(HOLE_CELLS), [box_mesh("deck", (-60, 0, -1), (60, 20, 0))]),
}


def crossing_at_speed(ground):
    """(tire loads, N; contact normals; velocities, m/s) in every tick of a car that crosses the origin at FAST."""
    w = world(ground)
    w.place(0, (0.0, -10.0), 0.0)
    run(w, 1.5, brake=1.0)
    v = w.vehicles[0]
    v.state["body"]["velocity"][0] = rotate(v.model_orientation(), (0.0, FAST, 0.0))
    v.state["wheel"]["omega"][0, :4] = FAST / v.params["wheel"]["radius"][0, :4]
    loads, normals, speeds = [], [], []
    for _ in range(120):
        run(w, w.tick_seconds)
        loads.append(wheels(w, "tire", "load"))
        normals.append(w.vehicles[0].state["road"]["normal"][0, :4].copy())
        speeds.append(v.state["body"]["velocity"][0].copy())
    assert v.model_position()[1] > 15.0
    return np.array(loads), np.array(normals), np.array(speeds)


@pytest.fixture(scope="module")
def level():
    """Loads, normals and velocities on one level field."""
    return crossing_at_speed(Ground(field()))


@pytest.mark.parametrize("name", GROUNDS)
def test_a_seam_has_no_effect_at_sixty_metres_a_second(name, level):
    loads, normals, speeds = crossing_at_speed(GROUNDS[name]())
    assert np.abs(loads - level[0]).max() < 1e-6 * level[0].min()
    assert np.abs(normals - level[1]).max() < 1e-9
    assert np.abs(speeds - level[2]).max() < 1e-9


FREE_ROLLING = {"suspension": {"force_application": "contact"}, "wheel": {"damping": 0.0},
        "tire": {"rolling_resistance": 0.0}}  # fmt: skip


def kerb(height, degrees):
    """Level ground with a kerb whose edge passes the origin at this angle to the y axis; the kerb is on its left."""
    angle = math.radians(degrees)
    line = np.array((math.sin(angle), math.cos(angle), 0.0))
    beyond = np.array((-math.cos(angle), math.sin(angle), 0.0))
    corners = np.array([u * line + v * beyond for u, v in ((-150, 0), (150, 0), (150, 150), (-150, 150))])
    vertices = np.concatenate([corners - (0.0, 0.0, 1.0), corners + (0.0, 0.0, height)])
    sides = [t for k in range(4) for t in ((k, (k + 1) % 4, 4 + (k + 1) % 4), (k, 4 + (k + 1) % 4, 4 + k))]
    triangles = np.array([(4, 5, 6), (4, 6, 7), *sides])
    return Ground(field(), [Mesh("kerb", vertices, triangles, np.full(len(triangles), ASPHALT, np.int32))])


@pytest.mark.parametrize("height", [0.05, 0.1, 0.15, 0.2])
@pytest.mark.parametrize("degrees", [5.0, 15.0, 40.0, 85.0])
def test_a_kerb_adds_no_energy(degrees, height):
    """The energy never exceeds an earlier value by 0.1 % of the initial kinetic energy."""
    speed = 4.0
    w = world(kerb(height, degrees), vehicle=on_plain_tires("offroader"), tick=1.0 / 240.0)
    v = w.vehicles[0]
    v.set_many({**all_wheels(v, **FREE_ROLLING), "aero.drag_area": 0.0, "antiroll.stiffness": [0.0, 0.0]})
    w.place(0, (0.0, -min(10.0, 1.2 / math.tan(math.radians(degrees)) + 4.0)), 0.0)
    run(w, 2.0, brake=1.0)
    v.state["body"]["velocity"][0] = rotate(v.model_orientation(), (0.0, speed, 0.0))
    v.state["wheel"]["omega"][0, :4] = speed / v.params["wheel"]["radius"][0, :4]
    initial = lowest = rolling_energy(v)
    max_rise, highest = 0.0, 0.0
    for _ in range(900):
        run(w, w.tick_seconds)
        energy, contact_height = rolling_energy(v), float(wheels(w, "road", "point")[:, 2].max())
        max_rise, lowest, highest = max(max_rise, energy - lowest), min(lowest, energy), max(highest, contact_height)
    kinetic = 0.5 * v.get("body.mass") * speed**2
    assert initial - lowest > 0.01 * kinetic  # dissipated by dampers and tires
    print(f"\ngains {max_rise / kinetic:.1e} of the kinetic energy, loses {(initial - lowest) / kinetic:.3f}")
    assert max_rise < 1e-3 * kinetic
    assert highest > 0.9 * height or degrees < 10.0  # at small angles it may be deflected along the kerb
