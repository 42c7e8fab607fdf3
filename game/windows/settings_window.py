"""The window of controls and settings: pages of the keys, of each plugged-in device, of the program, of the sound."""

from __future__ import annotations

import importlib.metadata
import logging
import logging.handlers
import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox import VERSION
from driving_sandbox.game.platform.user_folder import SUBFOLDERS, user_folder
from driving_sandbox.game.toolkit.flow import button_width, checkbox_width, same_line_if_fits
from driving_sandbox.game.toolkit.labels import draw_label, draw_status, hover, icon_button
from driving_sandbox.game.toolkit.navigation import FLAT
from driving_sandbox.game.toolkit.theme import ACCENT, OPAQUE, SCALE_RANGE, TEXT_DIM, Icon
from driving_sandbox.game.toolkit.widget_events import checkbox
from driving_sandbox.game.view.gl.quality import DAYTIMES
from driving_sandbox.game.windows.aids_section import AidsSection
from driving_sandbox.game.windows.controls import Controls, KeysPage
from driving_sandbox.game.windows.device_binder import DeviceBinder
from driving_sandbox.game.windows.device_page import DevicePage
from driving_sandbox.game.windows.window import FreeArea, Key, Window

if TYPE_CHECKING:
    from driving_sandbox.game.controls.presets import DrivingAids
    from driving_sandbox.game.toolkit.backend import ImGuiBackend
    from driving_sandbox.game.windows.forces_page import ForcesPage
    from driving_sandbox.game.windows.sound_page import SoundPage

WIDTH, HEIGHT, MARGIN = 1120.0, 680.0, 12.0  # pixels at scale 1; wide enough for two actions side by side
UNITS = ("km/h", "mph")
QUALITIES = {"auto": "Automatic", "low": "Low", "medium": "Medium", "high": "High", "ultra": "Ultra"}
LIBRARIES = ("panda3d", "numpy", "numba", "imgui-bundle", "pygame")
NEXT_START = "from the next start"
NO_VSYNC = "saved, but this graphics driver overrides it"
NO_DEVICE = "No gamepad or wheel is plugged in. A device plugged in now appears here."
_DIM = imgui.ImVec4(*TEXT_DIM)
_COLORS = {  # colours of the tabs, in this window only
    imgui.Col_.tab.value: imgui.ImVec4(1.0, 1.0, 1.0, 0.06),
    imgui.Col_.tab_hovered.value: imgui.ImVec4(*ACCENT[:3], 0.45),
    imgui.Col_.tab_selected.value: imgui.ImVec4(*ACCENT[:3], 0.75),
    imgui.Col_.tab_selected_overline.value: imgui.ImVec4(*ACCENT),
    imgui.Col_.tab_dimmed.value: imgui.ImVec4(1.0, 1.0, 1.0, 0.06),
    imgui.Col_.tab_dimmed_selected.value: imgui.ImVec4(*ACCENT[:3], 0.55),
}
_TABS = imgui.TabBarFlags_.fitting_policy_scroll.value  # scroll the tabs instead of cutting the names of devices
_FIXED = imgui.TableColumnFlags_.width_fixed.value
_STRETCH = imgui.TableColumnFlags_.width_stretch.value


class SettingsWindow(Window):
    """The window; call `draw` once a frame, after `Devices.poll()`.

    Args:
        ui: ImGuiBackend.
        controls: Controls.
        program: ProgramPage.
        sound, forces: SoundPage and ForcesPage, or None.
        clock: function() -> time, s, or None for the system's.
    Attributes:
        open: whether the window is shown; closing it ends waiting for a key or an axis.
    """

    name = "settings"
    keys = (Key("controls", ("f3",), "Controls and settings", after="panel"),)
    order = 50
    menu = "Settings"

    @classmethod
    def make(cls, screen: Any) -> SettingsWindow | None:
        """The window of a drive; None in a replay."""
        return cls(screen.ui, *screen.settings_pages()) if screen.session else None

    def __init__(
        self,
        ui: ImGuiBackend,
        controls: Controls,
        program: ProgramPage,
        sound: SoundPage | None = None,
        forces: ForcesPage | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.keys_page = KeysPage(ui, controls)
        self.binder = DeviceBinder(controls, clock) if clock else DeviceBinder(controls)
        self.program, self.sound, self.forces = program, sound, forces
        self._device_page = DevicePage(ui, controls, self.binder)
        self._ui, self._controls = ui, controls
        self._current_page: str | None = None  # key of the page shown, as for `_page`
        self._arranged_for: tuple[float, Any] | None = None  # (scale, frame size) that the window was placed for

    def toggle(self) -> None:
        """Open or close the window; closing it ends waiting for a key or an axis."""
        self.open = not self.open
        if not self.open:
            self.cancel()

    def cancel(self) -> None:
        """Stop waiting for a key or an axis."""
        self.keys_page.cancel()
        self.binder.cancel()

    def draw(self, free: FreeArea | None = None) -> None:
        """Draw the window, if it is open."""
        if not self.open:
            return
        self.binder.update()
        self._set_window()
        for part, color in _COLORS.items():
            imgui.push_style_color(part, color)
        imgui.set_next_window_bg_alpha(OPAQUE)
        visible, is_open = imgui.begin("Controls and settings###settings", True)
        self.open = bool(is_open)
        if visible and imgui.begin_tab_bar("pages", _TABS):
            self._pages()
            imgui.end_tab_bar()
        imgui.end()
        imgui.pop_style_color(len(_COLORS))
        if not self.open:
            self.cancel()

    def _set_window(self) -> None:
        """Centre the window at first, and whenever the frame's size or the scale change; else leave it to the user."""
        scale, size = self._ui.scale, self._ui.size
        condition = imgui.Cond_.always.value if self._arranged_for != (scale, size) else imgui.Cond_.once.value
        self._arranged_for = (scale, size)
        limits = [max(200.0, extent - 2.0 * MARGIN * scale) for extent in size]
        middle = imgui.ImVec2(size[0] / 2.0, size[1] / 2.0)
        imgui.set_next_window_pos(middle, condition, pivot=imgui.ImVec2(0.5, 0.5))
        imgui.set_next_window_size(
            imgui.ImVec2(min(WIDTH * scale, limits[0]), min(HEIGHT * scale, limits[1])), condition
        )

    def _pages(self) -> None:
        """Draw the tabs: keys, each plugged-in device, the program, the sound."""
        devices = list(self._controls.devices.devices.values())
        if self._page("Keyboard###keys", "keys"):
            self.keys_page.draw()
            imgui.end_tab_item()
        for device in devices:
            if self._page(f"{device.name}###device{device.instance_id}", f"device:{device.instance_id}"):
                self._device_page.draw(device)
                imgui.end_tab_item()
        if self.forces is not None and self._page("Force feedback###forces", "forces"):
            self.forces.draw(self._controls.devices.devices)
            imgui.end_tab_item()
        if self._page("Program###program", "program"):
            self.program.draw(NO_DEVICE if not devices else "")
            imgui.end_tab_item()
        if self.sound is not None and self._page("Sound###sound", "sound"):
            self.sound.draw()
            imgui.end_tab_item()

    def _page(self, label: str, key: str) -> bool:
        """Draw a tab; returns whether its page is shown. A change of page cancels a prompt that waits for a key."""
        is_shown = imgui.begin_tab_item(label)[0]
        self._ui.items.note(f"tab:{key}")
        if is_shown and self._current_page != key:
            self.cancel()
            self._current_page = key
        return is_shown


class ProgramPage:
    """The page of the program: interface, graphics, folders and versions.

    Args:
        ui: ImGuiBackend.
        settings: Settings.
        graphics: name of the graphics driver.
        set_units: function("km/h" or "mph").
        show_map: function(shown) for the small map.
        set_aids: function(DrivingAids) for the aids for keys.
        toggle_fullscreen: function() that switches the window and saves, or None without a window.
        set_vsync: function(on, report) as game.platform.vsync.set_vsync, or None without a window.
        set_quality: function(level), or None if the level cannot change while the program runs.
        drawn_quality: function() -> level in use, or None if it is unknown.
        set_daytime: function(time of day), or None if it cannot change while the program runs.
    Attributes:
        vsync_obeyed: whether the graphics driver obeyed the last change of vertical sync.
        folders, versions: [(name, text)] of the tables.
    """

    def __init__(
        self,
        ui: ImGuiBackend,
        settings: Any,
        set_units: Callable[[str], object] = lambda units: None,
        toggle_fullscreen: Callable[[], object] | None = None,
        set_vsync: Callable[..., object] | None = None,
        graphics: str = "",
        set_quality: Callable[[str], object] | None = None,
        drawn_quality: Callable[[], str] | None = None,
        show_map: Callable[[bool], object] = lambda shown: None,
        set_daytime: Callable[[str], object] | None = None,
        set_aids: Callable[[DrivingAids], object] = lambda aids: None,
    ) -> None:
        self._ui, self._settings = ui, settings
        self._aids = AidsSection(ui, settings, set_aids)
        self._set_units, self._toggle_fullscreen = set_units, toggle_fullscreen
        self._set_vsync, self.vsync_obeyed = set_vsync, True
        self._set_quality, self._drawn_quality, self._show_map = set_quality, drawn_quality, show_map
        self._set_daytime = set_daytime
        self._dragged: float | None = None  # scale in percent while the slider of the size is dragged
        self.folders = _folders()
        self.versions = _versions(graphics)

    def draw(self, note: str = "") -> None:
        """Draw the page, with the text `note` below it."""
        if imgui.begin_child("program", imgui.ImVec2(0.0, 0.0), FLAT):
            self._interface()
            self._aids.draw(self._row)
            self._picture()
            self._table("Folders and files", "folder", self.folders)
            self._table("Versions", "version", self.versions)
            if note:
                imgui.spacing()
                draw_status((note, TEXT_DIM))
        imgui.end_child()

    def _row(self, label: str) -> None:
        """Draw the label of a setting and leave the cursor where its widget begins."""
        imgui.align_text_to_frame_padding()
        imgui.text_unformatted(label)
        imgui.same_line(imgui.get_font_size() * 10.0)

    def _interface(self) -> None:
        """Draw the settings of the interface. A new size acts when the slider is released, because otherwise the slider
        would move under the mouse."""
        imgui.separator_text("Interface")
        self._row("Size")
        percent = self._dragged if self._dragged is not None else self._ui.scale * 100.0
        imgui.set_next_item_width(imgui.get_font_size() * 16.0)
        low, high = SCALE_RANGE
        changed, value = imgui.slider_float("##scale", percent, low * 100.0, high * 100.0, "%.0f %%")
        self._ui.items.note("program:scale")
        if changed:
            self._dragged = value
        if self._dragged is not None and not imgui.is_item_active():
            self._rescale(self._dragged / 100.0)
            self._dragged = None
        same_line_if_fits(button_width("Fit to the window"))
        if imgui.button("Fit to the window"):
            self._rescale(0.0)
        self._ui.items.note("program:fit")
        self._row("Speed in")
        chosen = self._choice("program", {units: units for units in UNITS}, self._settings.units)
        if chosen:
            self._settings.units = chosen
            self._settings.save()
            self._set_units(chosen)
        self._row("Small map")
        changed, ticked = checkbox("##map", self._settings.map)
        self._ui.items.note("program:map")
        if changed:
            self._settings.map = ticked
            self._settings.save()
            self._show_map(ticked)

    def _rescale(self, scale: float) -> None:
        """Set the interface scale; 0 follows the window's height."""
        self._ui.set_scale(scale)
        self._settings.scale = round(self._ui.scale, 3) if scale else 0.0
        self._settings.save()

    def _picture(self) -> None:
        """Draw the settings of the graphics."""
        settings = self._settings
        imgui.separator_text("Picture")
        self._row("Full screen")
        changed, ticked = checkbox("##fullscreen", settings.fullscreen)
        self._ui.items.note("program:fullscreen")
        if changed and self._toggle_fullscreen:
            self._toggle_fullscreen()
        elif changed:
            settings.fullscreen = ticked
            settings.save()
        self._later(not self._toggle_fullscreen)
        self._row("Vertical sync")
        changed, ticked = checkbox("##vsync", settings.vsync)
        self._ui.items.note("program:vsync")
        hover("Frames wait for the display: no tearing, and no more frames than it can show")
        if changed:
            settings.vsync = ticked
            settings.save()
            if self._set_vsync:
                self._set_vsync(ticked, lambda obeyed: setattr(self, "vsync_obeyed", obeyed))
        if not self.vsync_obeyed:
            same_line_if_fits(imgui.calc_text_size(NO_VSYNC).x)
            imgui.text_colored(_DIM, NO_VSYNC)
        self._later(not self._set_vsync)
        self._row("Quality")
        chosen = self._choice("program:quality", self.qualities(), settings.quality)
        if chosen:
            settings.quality = chosen
            settings.save()
            if self._set_quality:
                self._set_quality(chosen)
        self._later(not self._set_quality)
        self._row("Time of day")
        chosen = self._choice("program:daytime", {name: name.capitalize() for name in DAYTIMES}, settings.daytime)
        if chosen:
            settings.daytime = chosen
            settings.save()
            if self._set_daytime:
                self._set_daytime(chosen)
        self._later(not self._set_daytime)

    def qualities(self) -> dict[str, str]:
        """{level: text} of the quality levels; the text of the automatic choice names the level in use."""
        if self._settings.quality != "auto" or self._drawn_quality is None:
            return QUALITIES
        return QUALITIES | {"auto": f"{QUALITIES['auto']}: {self._drawn_quality()}"}

    def _choice(self, key: str, options: dict[str, str], value: str) -> str | None:
        """Draw radio buttons of {value: text}, wrapped in a narrow window; returns the value just clicked, or None."""
        clicked = None
        for k, (option, text) in enumerate(options.items()):
            if k:
                same_line_if_fits(checkbox_width(text))
            if imgui.radio_button(text, option == value):
                clicked = option
            self._ui.items.note(f"{key}:{option}")
        return clicked

    def _later(self, applies: bool = True) -> None:
        """Write after a setting that it acts from the next start on, if that applies."""
        if applies:
            same_line_if_fits(imgui.calc_text_size(NEXT_START).x)
            imgui.text_colored(_DIM, NEXT_START)
            self._ui.items.note("program:later")

    def _table(self, title: str, key: str, rows: list[tuple[str, str]]) -> None:
        """Draw rows (name, text), each with a button that copies the text."""
        imgui.separator_text(title)
        if not imgui.begin_table(key, 3):
            return
        imgui.table_setup_column("name", _FIXED, imgui.get_font_size() * 9.6)
        imgui.table_setup_column("text", _STRETCH, 1.0)
        imgui.table_setup_column("copy", _FIXED, imgui.get_frame_height() * 1.4)
        for name, text in rows:
            imgui.push_id(name)
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.align_text_to_frame_padding()
            imgui.text_unformatted(name)
            imgui.table_next_column()
            draw_label(text)
            self._ui.items.note(f"{key}:{name}")
            imgui.table_next_column()
            if icon_button(Icon.COPY, "Copy"):
                self._ui.clipboard.copy(text)
            self._ui.items.note(f"{key}:{name}:copy")
            imgui.pop_id()
        imgui.end_table()


def _folders() -> list[tuple[str, str]]:
    """[(name, path)] of the user's folders, and of the log file if there is one."""
    folder = user_folder()
    rows = [("Your folder", str(folder)), *((name.capitalize(), str(folder / name)) for name in SUBFOLDERS)]
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.handlers.RotatingFileHandler):
            rows.append(("Log file", handler.baseFilename))
    return rows


def _versions(graphics: str) -> list[tuple[str, str]]:
    """[(name, version)] of program, Python, libraries and graphics driver."""
    rows = [("Program", VERSION), ("Python", f"{platform.python_version()} on {platform.platform()}")]
    rows.append(("Libraries", ", ".join(f"{name} {_version(name)}" for name in LIBRARIES)))
    return [*rows, ("Graphics", graphics)] if graphics else rows


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "missing"
