"""Turn signals and reversing lamps cut out of a body's lamps."""

import numpy as np
import pytest

from driving_sandbox.assets.build.mesh import join
from driving_sandbox.assets.build.parts import box
from driving_sandbox.assets.build.signals import REVERSE_SHARE, TURN_SHARE, repeater, signals

TAIL = -2.0  # m, y of the tail lamps


def lamps(*parts):
    """A body of one mesh, made of boxes; parts: (centre (x, y, z), m; size along x, y and z, m; material) of each."""
    return [join([box(position, size, chamfer=0.0, material=material) for position, size, material in parts])]


def extent(body, material):
    """(smallest, largest) x, y, z of a material's vertices, m."""
    points = np.concatenate([mesh.v[mesh.t[mesh.m == material]].reshape(-1, 3) for mesh in body])
    return points.min(axis=0), points.max(axis=0)


def test_a_tail_lamp_is_divided_from_the_middle_outward():
    body = signals(lamps(((0.6, TAIL, 0.7), (0.4, 0.001, 0.1), "lamp_rear")))
    (clear_in, clear_out), (red_in, red_out), (amber_in, amber_out) = (
        (low[0], high[0]) for low, high in (extent(body, m) for m in ("lamp_reverse", "lamp_rear", "lamp_turn"))
    )
    assert clear_in == pytest.approx(0.4) and clear_out == pytest.approx(0.4 + REVERSE_SHARE * 0.4, abs=2e-3)
    assert red_in == pytest.approx(clear_out, abs=2e-3) and red_out == pytest.approx(amber_in, abs=2e-3)
    assert amber_in == pytest.approx(0.8 - TURN_SHARE * 0.4, abs=2e-3) and amber_out == pytest.approx(0.8)


def test_a_lamp_round_the_corner_is_divided_along_its_length():
    """Half of it faces rearward, half sideways: the amber share lies entirely on the side."""
    body = signals(lamps(((0.7, TAIL, 0.7), (0.4, 0.001, 0.1), "lamp_rear"),
                         ((0.9, TAIL + 0.2, 0.7), (0.001, 0.4, 0.1), "lamp_rear")))  # fmt: skip
    low, high = extent(body, "lamp_turn")
    assert low[0] == pytest.approx(0.9, abs=2e-3)
    assert high[1] - low[1] == pytest.approx(TURN_SHARE * 0.8, abs=3e-3)


def test_the_third_brake_lamp_stays_red():
    outer = ((0.6, TAIL, 0.7), (0.4, 0.001, 0.1), "lamp_rear")
    body = signals(lamps(outer, ((0.0, TAIL, 1.3), (0.24, 0.001, 0.02), "lamp_rear")))
    middle = {m for mesh in body for m in mesh.m[np.abs(mesh.v[mesh.t][:, :, 0]).max(axis=1) < 0.2]}
    assert middle == {"lamp_rear"}
    low, _ = extent(body, "lamp_reverse")
    assert low[0] == pytest.approx(0.4)  # the third brake lamp does not count towards the width that is divided


def test_where_an_end_has_signals_of_its_own_its_lamps_stay_whole():
    tail = ((0.6, TAIL, 0.7), (0.4, 0.001, 0.1), "lamp_rear")
    nose = ((0.6, 2.0, 0.7), (0.4, 0.001, 0.1), "lamp_front")
    body = signals([*lamps(tail, nose), *repeater((0.8, TAIL, 0.5), (0.02, 0.03, 0.04))])
    materials = {m for mesh in body for m in mesh.m}
    (_, rear_high), (_, front_high) = extent(body, "lamp_rear"), extent(body, "lamp_front")
    assert "lamp_reverse" not in materials and rear_high[0] == pytest.approx(0.8)
    assert front_high[0] < 0.8  # the nose has none, and is divided
