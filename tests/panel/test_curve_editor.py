"""Curves and tables in the parameter panel: points entered, added, removed and dragged."""

import pytest
from panel_rows import show

from driving_sandbox.game.panel import tables
from driving_sandbox.game.toolkit.units import DEFAULT, choose


def test_curve_points_are_edited_added_and_removed(panel, user, vehicle):
    path = "engine.torque_curve"
    show(panel, user, path)
    user.enter(f"{path}[1].y", "0.5")
    assert vehicle.get(path)[1] == [0.4, 0.5]
    user.click(f"{path}[+]")
    assert len(vehicle.get(path)) == 5
    user.click(f"{path}[0].remove")
    assert [x for x, _ in vehicle.get(path)] == pytest.approx([0.4, 0.7, 1.0, 1.3])
    user.enter(f"{path}[0].x", "0.9")
    assert vehicle.get(path)[0][0] == 0.4
    assert "must rise" in panel.errors[path]


def test_points_of_response_tables_and_vector_curves_are_edited(panel, user, vehicle):
    show(panel, user, "steering.response")
    user.enter("steering.response[1][2].y", "0.3")
    assert vehicle.get("steering.response")[1] == [1.0, [[0.0, 1.0], [20.0, 0.6], [50.0, 0.3]]]
    show(panel, user, "suspension.fr.path")
    user.enter("suspension.fr.path[1].y0", "0.02")
    assert vehicle.get("suspension.fr.path")[1][1] == [0.02, 0.0, 0.2]
    assert vehicle.get("suspension.fl.path")[1][1] == [-0.02, 0.0, 0.2]


@pytest.mark.parametrize(
    ("system", "heading", "entered"), [(DEFAULT, "speed  m/s", 36.0), ("Workshop", "speed  km/h", 10.0)]
)
def test_response_tables_head_speeds_with_the_chosen_unit(panel, user, vehicle, monkeypatch, system, heading, entered):
    """entered: the speed, m/s, that the typed number 36 stands for."""
    drawn = []
    monkeypatch.setattr(tables, "headings", lambda texts, step: drawn.append(texts))
    choose(system)
    try:
        show(panel, user, "steering.response")
        user.enter("steering.response[1][1].x", "36")
    finally:
        choose(DEFAULT)
    assert {texts[1] for texts in drawn} == {heading}
    assert vehicle.get("steering.response")[1][1][1] == [pytest.approx(entered), 0.6]


def centre(rectangle):
    left, top, right, bottom = rectangle
    return (left + right) / 2.0, (top + bottom) / 2.0


def drag_point(user, name, by):
    """Drag a point of a curve by (right, down) pixels."""
    x, y = centre(user.ui.items.rectangle(name))
    user.ui.feed.move(x, y)
    user.step()
    user.press()
    for step in range(1, 7):
        user.ui.feed.move(x + by[0] * step / 6, y + by[1] * step / 6)
        user.step()
    user.release()


def test_a_drag_of_a_point_ends_at_its_neighbour_and_is_one_step_of_undo(panel, user, vehicle, model):
    path = "engine.torque_curve"
    show(panel, user, path)
    before = vehicle.get(path)
    points = [centre(user.ui.items.rectangle(f"{path}[0][{i}]@plot")) for i in range(2)]
    drag_point(user, f"{path}[0][1]@plot", (0.0, 20.0))
    after = vehicle.get(path)
    assert after[0] == before[0] and after[2:] == before[2:] and after[1][0] == pytest.approx(before[1][0], abs=0.01)
    assert after[1][1] < before[1][1]
    drag_point(user, f"{path}[0][1]@plot", (-3.0 * (points[1][0] - points[0][0]), 0.0))  # beyond the first one
    assert before[0][0] < vehicle.get(path)[1][0] < before[0][0] + 0.01
    user.click("undo")
    assert vehicle.get(path) == after
    user.click("undo")
    assert vehicle.get(path) == before and not model.can_undo


def test_a_double_click_adds_a_point(panel, user, vehicle):
    path = "engine.torque_curve"
    show(panel, user, path)
    points = [centre(user.ui.items.rectangle(f"{path}[0][{i}]@plot")) for i in range(2)]
    user.ui.feed.move((points[0][0] + points[1][0]) / 2, (points[0][1] + points[1][1]) / 2)
    user.step()
    before = vehicle.get(path)
    for _ in range(2):
        user.ui.feed.button(True, "mouse1")
        user.step(1)
        user.ui.feed.button(False, "mouse1")
        user.step(1)
    after = vehicle.get(path)
    assert len(after) == len(before) + 1 and [after[0], *after[2:]] == before
    assert after[1] == pytest.approx([(a + b) / 2 for a, b in zip(*before[:2], strict=True)], rel=0.03)


def test_points_of_response_tables_and_vector_curves_are_dragged(panel, user, vehicle):
    show(panel, user, "steering.response")
    drag_point(user, "steering.response[1][2]@plot", (0.0, 8.0))
    command, points = vehicle.get("steering.response")[1]
    assert command == 1.0 and points[:2] == [[0.0, 1.0], [20.0, 0.6]] and points[2][1] < 0.35
    show(panel, user, "suspension.fr.path")
    before = vehicle.get("suspension.fr.path")
    drag_point(user, "suspension.fr.path[0][1]@plot", (0.0, -15.0))
    x, (right, forward, up) = vehicle.get("suspension.fr.path")[1]
    assert right > before[1][1][0] and [forward, up] == before[1][1][1:]
    assert x == pytest.approx(before[1][0], abs=0.01)
    assert vehicle.get("suspension.fl.path")[1][1][0] == -right
