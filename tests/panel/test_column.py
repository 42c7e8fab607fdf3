"""The column of windows: the road stays visible, dragging a corner resizes it, each image size has its own layout."""

import pytest
from imgui_bundle import imgui

from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.plots.plots import PlotWindow
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.toolkit.preferences import Arrangement, PanelPreferences, load_preferences
from driving_sandbox.game.toolkit.theme import suggested_scale
from driving_sandbox.game.windows.column import ROAD, Column, Section

SIZES = [(800, 600), (1280, 720), (1920, 1080), (2560, 1440), (2560, 1080)]


class Rig:
    """A panel, plots and two more tabs in a column."""

    def __init__(self, ui, user, model, preferences):
        self.ui, self.user, self.preferences = ui, user, preferences
        self.panel, self.plots = ParameterPanel(ui, model, preferences=preferences), PlotWindow(ui)
        self.open = {"what-if": True, "effect": True}
        sections = [Section(key, key, lambda k=key: self.open[k], lambda k=key: self.open.update({k: False}),
                            lambda k=key: imgui.text(f"content of {k}")) for key in self.open]  # fmt: skip
        self.column = Column(ui, self.panel, self.plots, sections, preferences)
        ui.add(lambda: self.column.draw(model.vehicle))
        user.step()

    def windows(self):
        """{name: (left, top, right, bottom)} of the open windows, pixels."""
        items = self.ui.items
        return {name: items.rectangle(name) for name in items.names() if name.startswith("window:")}

    def road(self):
        """Share of the image's width not covered by windows."""
        width, uncovered, end = self.ui.size[0], 0.0, 0.0
        for left, _, right, _ in sorted(self.windows().values()):
            uncovered += max(0.0, left - end)
            end = max(end, right)
        return (uncovered + max(0.0, width - end)) / width


@pytest.fixture
def rig(ui, user, model, tmp_path):
    return Rig(ui, user, model, PanelPreferences(path=tmp_path / "panel.yaml"))


def resize(monkeypatch, ui, size):
    """Pretend that the image has another size, with the suggested scale of the interface for it."""
    monkeypatch.setattr(ImGuiBackend, "size", property(lambda backend: size))
    ui.set_scale(suggested_scale(size[1]))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_road_is_visible_beside_all_windows(rig, ui, user, monkeypatch, size):
    resize(monkeypatch, ui, size)
    user.step(4)
    windows = rig.windows()
    assert {"window:panel", "window:column"} <= set(windows) and rig.road() >= ROAD
    assert rig.column.width == max(right for name, (_, _, right, _) in windows.items() if name != "window:plots")
    panel, tabs = windows["window:panel"], windows["window:column"]
    assert panel[3] <= tabs[1] and tabs[3] <= size[1] and min(panel[3] - panel[1], tabs[3] - tabs[1]) > 0.4 * size[1]
    assert {"tab:what-if", "tab:effect"} <= set(ui.items.names())


def test_plots_are_on_the_right_in_wide_images(rig, ui, user, monkeypatch):
    assert "window:plots" not in ui.items and "tab:plots" in ui.items and rig.plots.width == 0.0
    resize(monkeypatch, ui, (3440, 1080))  # 21:9 and wider
    user.step(4)
    assert "window:plots" in ui.items and "tab:plots" not in ui.items and rig.road() >= ROAD and rig.plots.width


def test_the_tab_opened_last_is_shown_and_tabs_close(rig, ui, user):
    rig.open["effect"] = False
    user.step()
    assert "tab:effect" not in ui.items
    rig.plots.open = False
    user.step()
    rig.plots.open = True
    user.step()
    assert "plots:add" in ui.items  # shown, not behind what-if
    user.click("tab:what-if")
    assert "plots:add" not in ui.items
    left, top, right, bottom = ui.items.rectangle("tab:what-if")
    ui.feed.move(right - 0.5 * (bottom - top), (top + bottom) / 2.0)  # its close button
    user.step()
    user.press()
    user.release()
    assert not rig.open["what-if"]
    rig.plots.close()
    user.step()
    panel = ui.items.rectangle("window:panel")
    assert "window:column" not in ui.items and panel[3] > 0.95 * ui.size[1]  # full height again


def test_tabs_keep_their_position_without_the_panel(rig, ui, user):
    before = ui.items.rectangle("window:column")
    rig.panel.open = False
    user.step()
    assert ui.items.rectangle("window:column") == before and rig.column.width == before[2]
    rig.plots.open, rig.open = False, dict.fromkeys(rig.open, False)
    user.step()
    assert rig.column.width == 0.0


def drag_corner(rig, window, to):
    """Drag the lower right corner of a window, gripped 3 pixels inside it, to a point of the image."""
    right, bottom = rig.ui.items.rectangle(window)[2:]
    rig.ui.feed.move(right - 3.0, bottom - 3.0)
    rig.user.step()
    rig.user.press()
    rig.ui.feed.move(*to)
    rig.user.step()
    rig.user.release()
    rig.user.step()


def test_corners_resize_the_column_separately_for_every_image_size(rig, ui, user, monkeypatch):
    first = ui.items.rectangle("window:panel")
    drag_corner(rig, "window:panel", (400.0, 500.0))
    panel, tabs = rig.windows()["window:panel"], rig.windows()["window:column"]
    assert abs(panel[2] - 403.0) < 3.0 and abs(panel[3] - 503.0) < 3.0 and tabs[2] == panel[2] and tabs[1] > panel[3]
    drag_corner(rig, "window:column", (430.0, 640.0))
    assert abs(ui.items.rectangle("window:panel")[2] - 433.0) < 3.0
    assert abs(ui.items.rectangle("window:column")[3] - 708.0) < 1.0  # down to the margin of the image
    before = rig.windows()
    resize(monkeypatch, ui, (1600, 900))
    user.step(4)
    assert ui.items.rectangle("window:panel")[2] == pytest.approx(1.25 * first[2], abs=2.0)  # not dragged at this size
    monkeypatch.undo()
    ui.set_scale(1.0)
    user.step(4)
    assert rig.windows() == before
    drag_corner(rig, "window:panel", (1270.0, 715.0))
    panel = ui.items.rectangle("window:panel")
    assert panel[2] <= 0.52 * ui.size[0] and ui.items.rectangle("window:column")[3] <= ui.size[1]


def test_a_button_moves_the_plots_out_of_the_column_and_back(rig, ui, user):
    user.click("tab:plots")
    user.click("plots:move")
    user.step(4)
    assert "window:plots" in ui.items and rig.plots.width
    user.click("plots:move")
    user.step(4)
    assert "tab:plots" in ui.items and not rig.plots.width


def test_a_layout_is_saved_and_loaded(rig, ui, user, tmp_path, monkeypatch):
    drag_corner(rig, "window:panel", (400.0, 500.0))
    monkeypatch.setattr("driving_sandbox.game.toolkit.preferences.subfolder", lambda name: tmp_path)
    loaded, message = load_preferences()
    assert message is None and loaded.windows == rig.preferences.windows
    assert loaded.windows["1280x720"].width == pytest.approx(391 / 1280, abs=0.01)  # 403 px less the left margin
    assert loaded.windows["1280x720"].plots is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("windows: 3", "windows: must map sizes like 1280x720"),
        ("windows: {1280x720: [1]}", "must be like {width: 0.36"),
        ("windows: {1280x720: {widht: 0.4}}", 'did you mean "width"'),
        ("windows: {1280x720: {width: 7}}", "must be between 0.1 and 0.9"),
        ("windows: {1280x720: {plots: left}}", "must be one of column, right"),
        ("units: [Workshop]", "must be one of"),
    ],
)
def test_a_wrong_file_is_reported(tmp_path, monkeypatch, text, expected):
    monkeypatch.setattr("driving_sandbox.game.toolkit.preferences.subfolder", lambda name: tmp_path)
    (tmp_path / "panel.yaml").write_text(f"favourites: []\n{text}\n", encoding="utf8")
    preferences, message = load_preferences()
    assert "panel.yaml:2: " in message and expected in message, message
    assert preferences == PanelPreferences()


def test_only_the_latest_twenty_layouts_are_stored():
    preferences = PanelPreferences()
    for k in range(40):
        preferences.arrange(f"{k}x1", Arrangement(width=0.3))
    assert list(preferences.windows)[-1] == "39x1" and len(preferences.windows) == 20
