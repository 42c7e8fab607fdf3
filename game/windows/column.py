"""The column along the left edge: the parameter panel, and below it tabs with plots, what-if and parameter sweep.

The column leaves most of the frame free, so that the effect of a change is visible on the road. The plots are along the
right edge instead if a share ROAD of the width then stays free, or if the user moves them there. Dragging a corner of
the panel or of the tabs resizes the column; the arrangement is saved for each size of the frame
(game/toolkit/preferences.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.panel.parameters import MARGIN, MAX_SHARE, WIDTH
from driving_sandbox.game.toolkit.preferences import Arrangement

if TYPE_CHECKING:
    from driving_sandbox.game.toolkit.backend import ImGuiBackend
    from driving_sandbox.game.toolkit.preferences import PanelPreferences
    from driving_sandbox.physics.vehicle.vehicle import Vehicle

ROAD = 0.6  # share of the frame's width that stays free between column and plots
GAP = 6.0  # pixels at scale 1 between the panel and the tabs below
MIN_WIDTH, MAX_WIDTH = 0.2, 0.5  # limits of a resized column's width, shares of the frame's width
MIN_PANEL, MAX_PANEL = 0.25, 0.8  # limits of a resized panel's height, shares of the column's height
PANEL = 0.57  # default height of the panel, share of the column's height: twelve parameters above three plots
MIN_CHANGE = 1.0  # pixels; a smaller change of size is rounding
_ALWAYS = imgui.Cond_.always.value
_FLAGS = (imgui.WindowFlags_.no_move.value | imgui.WindowFlags_.no_title_bar.value
          | imgui.WindowFlags_.no_focus_on_appearing.value | imgui.WindowFlags_.no_collapse.value)  # fmt: skip


@dataclass(frozen=True)
class Section:
    """A tab.

    Attributes:
        shown: function() -> whether the tab is shown.
        close: function() that is called when the tab is closed.
        draw: function() that draws its content.
    """

    key: str
    title: str
    shown: Callable
    close: Callable
    draw: Callable


class Column:
    """The column; call `draw(vehicle)` once a frame, instead of the panel's and the plots' own `draw`.

    Args:
        ui: ImGuiBackend.
        panel: ParameterPanel.
        plots: PlotWindow.
        sections: further Sections, in the order of the tabs.
        preferences: PanelPreferences, which stores the Arrangements.
    Attributes:
        width: pixels covered from the left edge, 0 while everything is closed.
    """

    def __init__(
        self, ui: ImGuiBackend, panel: Any, plots: Any, sections: Iterable[Section], preferences: PanelPreferences
    ) -> None:
        self._ui, self._panel, self._plots, self._preferences = ui, panel, plots, preferences
        telemetry = Section("plots", "Telemetry", lambda: plots.open and not self.plots_aside, plots.close,
                            lambda: plots.content(self._vehicle))  # fmt: skip
        self._sections = (telemetry, *sections)
        self._before: set[str] = set()  # keys of the tabs of the last frame
        self._vehicle: Vehicle | None = None
        self.width = 0.0
        # (key, Arrangement) that was changed and is not saved yet, or None
        self._unsaved: tuple[str, Arrangement] | None = None
        panel.area, plots.column = self._panel_area, self

    # ---- layout, in pixels

    @property
    def _key(self) -> str:
        """Key of the present frame size among the Arrangements."""
        return "{}x{}".format(*self._ui.size)

    @property
    def _arrangement(self) -> Arrangement:
        """The Arrangement for the present frame size."""
        if self._unsaved is not None and self._unsaved[0] == self._key:
            return self._unsaved[1]
        return self._preferences.windows.get(self._key, Arrangement())

    def _arrange(self, **changes: Any) -> None:
        """Change attributes of the present frame size's Arrangement; `_save` stores it."""
        self._unsaved = (self._key, replace(self._arrangement, **changes))

    @property
    def _margin(self) -> float:
        return MARGIN * self._ui.scale

    @property
    def _breadth(self) -> float:
        """Width of the column, pixels."""
        frame_width = self._ui.size[0]
        share = self._arrangement.width
        return min(WIDTH * self._ui.scale, MAX_SHARE * frame_width) if share is None else share * frame_width

    @property
    def _height(self) -> float:
        """Height of the column, pixels."""
        return self._ui.size[1] - 2.0 * self._margin

    @property
    def plots_aside(self) -> bool:
        """Whether the plots are along the right edge."""
        if self._arrangement.plots is not None:
            return self._arrangement.plots == "right"
        frame_width = self._ui.size[0]
        return frame_width - self._breadth - self._plots.breadth - 2.0 * self._margin >= ROAD * frame_width

    def move_plots(self) -> None:
        """Move the plots into the column, or to the right edge."""
        self._arrange(plots="column" if self.plots_aside else "right")

    def _panel_height(self) -> float:
        """Height of the panel, pixels: all of the column if no tab is shown."""
        share = self._arrangement.panel or PANEL
        return share * self._height if any(section.shown() for section in self._sections) else self._height

    def _panel_area(self) -> tuple[float, float, float, float]:
        """(x, y, width, height) of the panel, pixels."""
        return self._margin, self._margin, self._breadth, self._panel_height()

    # ---- drawing

    def draw(self, vehicle: Vehicle) -> None:
        """Draw the panel, the tabs and the plots, as far as they are open."""
        self._vehicle, self.width = vehicle, 0.0
        open_tabs = [section for section in self._sections if section.shown()]
        self._panel.draw()
        if self._panel.open:
            self.width = self._panel.width
            self._resized(self._panel.size, self._panel_area(), panel=bool(open_tabs))
        if self._plots.open and self.plots_aside:
            self._plots.draw(vehicle)
        else:
            self._plots.width = 0.0
        if open_tabs:
            self._tabs(open_tabs)
        self._before = {section.key for section in open_tabs}
        self._save()

    def _tabs(self, sections: list[Section]) -> None:
        """Draw the window of tabs below the panel."""
        x, y, width, height = self._panel_area()
        y += height + GAP * self._ui.scale
        area = (x, y, width, self._ui.size[1] - self._margin - y)
        imgui.set_next_window_pos(imgui.ImVec2(x, y), _ALWAYS)
        imgui.set_next_window_size(imgui.ImVec2(*area[2:]), _ALWAYS)
        visible, _ = imgui.begin("###column", None, _FLAGS)
        if visible and imgui.begin_tab_bar("tabs"):
            for section in sections:
                self._tab(section)
            imgui.end_tab_bar()
        size = imgui.get_window_size()
        self._ui.items.put("window:column", (x, y, x + size.x, y + size.y))
        self._resized((size.x, size.y), area, panel=False)
        self.width = x + size.x
        imgui.end()

    def _tab(self, section: Section) -> None:
        """Draw a tab, selected if it has just opened, and its content while it is selected."""
        new = section.key not in self._before
        flags = imgui.TabItemFlags_.set_selected.value if new else 0
        selected, is_open = imgui.begin_tab_item(f"{section.title}###{section.key}", True, flags)
        self._ui.items.note(f"tab:{section.key}")
        if selected:
            if imgui.begin_child(f"{section.key}-content"):
                section.draw()
            imgui.end_child()
            imgui.end_tab_item()
        if not is_open:
            section.close()

    def _resized(self, size: tuple[float, float], area: tuple[float, float, float, float], panel: bool) -> None:
        """Apply the size of a window whose corner was dragged.

        Args:
            size: its present size, pixels.
            area: (x, y, width, height) where it was placed.
            panel: whether it is the panel with tabs below, so that its height is its share of the column.
        """
        if abs(size[0] - area[2]) > MIN_CHANGE:
            self._arrange(width=min(MAX_WIDTH, max(MIN_WIDTH, size[0] / self._ui.size[0])))
        if panel and abs(size[1] - area[3]) > MIN_CHANGE:
            self._arrange(panel=min(MAX_PANEL, max(MIN_PANEL, size[1] / self._height)))

    def _save(self) -> None:
        """Save the changed arrangement once the mouse button is released."""
        if self._unsaved is not None and not imgui.is_mouse_down(imgui.MouseButton_.left):
            self._preferences.arrange(*self._unsaved)
            self._unsaved = None
