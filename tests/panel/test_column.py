"""The column of windows: the road stays in sight, a corner resizes it, and each size of the picture keeps its own."""

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

    def __init__(self, ui, hand, model, preferences):
        self.ui, self.hand, self.preferences = ui, hand, preferences
        self.panel, self.plots = ParameterPanel(ui, model, preferences=preferences), PlotWindow(ui)
        self.open = {"what-if": True, "effect": True}
        sections = [Section(key, key, lambda k=key: self.open[k], lambda k=key: self.open.update({k: False}),
                            lambda k=key: imgui.text(f"content of {k}")) for key in self.open]  # fmt: skip
        self.column = Column(ui, self.panel, self.plots, sections, preferences)
        ui.add(lambda: self.column.draw(model.vehicle))
        hand.step()

    def windows(self):
        items = self.ui.items
        return {name: items.rectangle(name) for name in items.names() if name.startswith("window:")}

    def road(self):
        """Share of the picture's width with no window before it."""
        across, free, end = self.ui.size[0], 0.0, 0.0
        for left, _, right, _ in sorted(self.windows().values()):
            free += max(0.0, left - end)
            end = max(end, right)
        return (free + max(0.0, across - end)) / across


@pytest.fixture
def rig(ui, hand, model, tmp_path):
    return Rig(ui, hand, model, PanelPreferences(path=tmp_path / "panel.yaml"))


def resized(monkeypatch, ui, size):
    monkeypatch.setattr(ImGuiBackend, "size", property(lambda backend: size))
    ui.set_scale(suggested_scale(size[1]))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_road_shows_beside_all_windows(rig, ui, hand, monkeypatch, size):
    resized(monkeypatch, ui, size)
    hand.step(4)
    windows = rig.windows()
    assert {"window:panel", "window:column"} <= set(windows) and rig.road() >= ROAD
    assert rig.column.width == max(right for name, (_, _, right, _) in windows.items() if name != "window:plots")
    panel, tabs = windows["window:panel"], windows["window:column"]
    assert panel[3] <= tabs[1] and tabs[3] <= size[1] and min(panel[3] - panel[1], tabs[3] - tabs[1]) > 0.4 * size[1]
    assert {"tab:what-if", "tab:effect"} <= set(ui.items.names())


def test_plots_stand_at_the_right_where_the_road_has_room(rig, ui, hand, monkeypatch):
    assert "window:plots" not in ui.items and "tab:plots" in ui.items and rig.plots.width == 0.0
    resized(monkeypatch, ui, (3440, 1080))  # 21:9 and wider
    hand.step(4)
    assert "window:plots" in ui.items and "tab:plots" not in ui.items and rig.road() >= ROAD and rig.plots.width


def test_the_tab_opened_last_is_shown_and_tabs_close(rig, ui, hand):
    rig.open["effect"] = False
    hand.step()
    assert "tab:effect" not in ui.items
    rig.plots.open = False
    hand.step()
    rig.plots.open = True
    hand.step()
    assert "plots:add" in ui.items  # shown, not behind what-if
    hand.click("tab:what-if")
    assert "plots:add" not in ui.items
    left, top, right, bottom = ui.items.rectangle("tab:what-if")
    ui.feed.move(right - 0.5 * (bottom - top), (top + bottom) / 2.0)  # its cross
    hand.step()
    hand.press()
    hand.release()
    assert not rig.open["what-if"]
    rig.plots.close()
    hand.step()
    panel = ui.items.rectangle("window:panel")
    assert "window:column" not in ui.items and panel[3] > 0.95 * ui.size[1]  # all of the height again


def test_without_the_panel_the_tabs_stay_where_they_are(rig, ui, hand):
    before = ui.items.rectangle("window:column")
    rig.panel.open = False
    hand.step()
    assert ui.items.rectangle("window:column") == before and rig.column.width == before[2]
    rig.plots.open, rig.open = False, dict.fromkeys(rig.open, False)
    hand.step()
    assert rig.column.width == 0.0


def drag_corner(rig, window, to):
    right, bottom = rig.ui.items.rectangle(window)[2:]
    rig.ui.feed.move(right - 3.0, bottom - 3.0)
    rig.hand.step()
    rig.hand.press()
    rig.ui.feed.move(*to)
    rig.hand.step()
    rig.hand.release()
    rig.hand.step()


def test_corners_resize_it_and_every_size_keeps_its_own(rig, ui, hand, monkeypatch):
    first = ui.items.rectangle("window:panel")
    drag_corner(rig, "window:panel", (400.0, 500.0))
    panel, tabs = rig.windows()["window:panel"], rig.windows()["window:column"]
    assert abs(panel[2] - 403.0) < 3.0 and abs(panel[3] - 503.0) < 3.0 and tabs[2] == panel[2] and tabs[1] > panel[3]
    drag_corner(rig, "window:column", (430.0, 640.0))
    assert abs(ui.items.rectangle("window:panel")[2] - 433.0) < 3.0
    assert abs(ui.items.rectangle("window:column")[3] - 708.0) < 1.0  # it ends where the picture does
    kept = rig.windows()
    resized(monkeypatch, ui, (1600, 900))
    hand.step(4)
    assert rig.windows() != kept and ui.items.rectangle("window:panel")[2] > first[2]
    monkeypatch.undo()
    ui.set_scale(1.0)
    hand.step(4)
    assert rig.windows() == kept
    drag_corner(rig, "window:panel", (1270.0, 715.0))
    panel = ui.items.rectangle("window:panel")
    assert panel[2] <= 0.52 * ui.size[0] and ui.items.rectangle("window:column")[3] <= ui.size[1]


def test_a_button_moves_the_plots_out_and_back(rig, ui, hand):
    hand.click("tab:plots")
    hand.click("plots:move")
    hand.step(4)
    assert "window:plots" in ui.items and rig.plots.width
    hand.click("plots:move")
    hand.step(4)
    assert "tab:plots" in ui.items and not rig.plots.width


def test_it_is_kept_in_the_users_folder(rig, ui, hand, tmp_path, monkeypatch):
    drag_corner(rig, "window:panel", (400.0, 500.0))
    monkeypatch.setattr("driving_sandbox.game.toolkit.preferences.subfolder", lambda name: tmp_path)
    again, message = load_preferences()
    assert message is None and again.windows == rig.preferences.windows
    assert again.windows["1280x720"].width == pytest.approx(391 / 1280, abs=0.01)
    assert again.windows["1280x720"].plots is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("windows: 3", "windows: must map sizes like 1280x720"),
        ("windows: {1280x720: [1]}", "must be like {width: 0.36"),
        ("windows: {1280x720: {widht: 0.4}}", 'did you mean "width"'),
        ("windows: {1280x720: {width: 7}}", "must be between 0.1 and 0.9"),
        ("windows: {1280x720: {plots: left}}", "must be one of column, right"),
    ],
)
def test_a_wrong_file_is_told(tmp_path, monkeypatch, text, said):
    monkeypatch.setattr("driving_sandbox.game.toolkit.preferences.subfolder", lambda name: tmp_path)
    (tmp_path / "panel.yaml").write_text(f"units: Workshop\n{text}\n", encoding="utf8")
    preferences, message = load_preferences()
    assert "panel.yaml:2: " in message and said in message, message
    assert preferences == PanelPreferences()


def test_the_sizes_kept_are_the_newest():
    preferences = PanelPreferences()
    for k in range(40):
        preferences.arrange(f"{k}x1", Arrangement(width=0.3))
    assert list(preferences.windows)[-1] == "39x1" and len(preferences.windows) == 20
