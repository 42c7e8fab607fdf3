"""The window of recordings: a table, and for the selected recording facts, actions, note, thumbnail and route."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui, implot
from panda3d.core import PNMImage, Texture

from driving_sandbox.game.platform.user_folder import subfolder
from driving_sandbox.game.recordings.library import RecordingFile, RecordingLibrary
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, OPAQUE, TEXT_DIM, Icon
from driving_sandbox.game.windows.recordings_table import RecordingsTable, length_text
from driving_sandbox.game.windows.window import FreeArea, Key, Window
from driving_sandbox.lab.timing import clock_text
from driving_sandbox.physics.base.user_error import UserError
from driving_sandbox.physics.kernel.jit import ROOT

if TYPE_CHECKING:
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

WIDTH, HEIGHT, MARGIN = 960.0, 640.0, 12.0  # pixels at scale 1
DETAILS = 262.0  # pixels at scale 1, height of the details of the selected recording
MIN_TABLE = 6  # minimum lines of the table in a low window, where the details scroll
TEXT_SHARE = 0.56  # share of the width for facts, buttons and note; thumbnail and route are to their right
PICTURE_HEIGHT = 116.0  # pixels at scale 1, height of the plotted route and of the thumbnail
NAME_WIDTH = 15.0  # font sizes, width of the field for the name
_PLAIN = (implot.Flags_.no_menus.value | implot.Flags_.no_box_select.value | implot.Flags_.no_mouse_text.value
          | implot.Flags_.no_legend.value | implot.Flags_.equal.value)  # fmt: skip
_BARE = implot.AxisFlags_.no_decorations.value | implot.AxisFlags_.auto_fit.value
_DIM = imgui.ImVec4(*TEXT_DIM)


def watch(path: str | Path) -> None:
    """Open a recording in a separate process, so that the drive goes on."""
    subprocess.Popen([sys.executable, "-m", "driving_sandbox", "replay", str(path)], cwd=ROOT)


class RecordingsWindow(Window):
    """The window of recordings.

    Args:
        ui: ImGuiBackend.
        library: game.recordings.library.RecordingLibrary.
        add_ghost: function(path) that shows a recording as a ghost, or None.
        show: function(path) that opens a recording.
    Attributes:
        chosen: path of the selected recording, or None.
    """

    name = "recordings"
    keys = (Key("recordings", ("f10",), "Recordings", "Recording", after="keep_recording"),)
    order = 40
    menu = "Recordings"

    @classmethod
    def make(cls, screen: Any) -> RecordingsWindow | None:
        """The window of a drive; None in a replay."""
        session = screen.session
        if session is None:
            return None
        library = RecordingLibrary(subfolder("recordings"), lambda: session.recorder and session.recorder.path)
        return cls(screen.ui, library, add_ghost=screen.experiments.add_ghost)

    def __init__(
        self,
        ui: ImGuiBackend,
        library: RecordingLibrary,
        add_ghost: Callable[[Path], object] | None = None,
        show: Callable[[Path], object] = watch,
    ) -> None:
        self._ui, self._library, self._add_ghost, self._show = ui, library, add_ghost, show
        self.chosen: Path | None = None
        self._name = self._note = self._search = self._error = ""
        self._table = RecordingsTable(ui)
        # ((path, modification time of the recording), texture id, (width, height) in pixels), or as here without any
        self._thumbnail: tuple[tuple[Path, float] | None, int, tuple[int, int]] = (None, 0, (0, 0))

    def toggle(self) -> None:
        """Open or close the window; the list is read anew when it opens."""
        self.open = not self.open
        if self.open:
            self._library.refresh()

    def draw(self, free: FreeArea | None = None) -> None:
        """Draw the window, if it is open."""
        if not self.open:
            return
        scale, size = self._ui.scale, self._ui.size
        middle = imgui.ImVec2(size[0] / 2.0, size[1] / 2.0)
        limits = [extent - 2.0 * MARGIN * scale for extent in size]
        imgui.set_next_window_pos(middle, imgui.Cond_.appearing.value, pivot=imgui.ImVec2(0.5, 0.5))
        window_size = imgui.ImVec2(min(WIDTH * scale, limits[0]), min(HEIGHT * scale, limits[1]))
        imgui.set_next_window_size(window_size, imgui.Cond_.appearing.value)
        imgui.set_next_window_bg_alpha(OPAQUE)
        visible, is_open = imgui.begin("Recordings###recordings", True)
        self.open = bool(is_open)
        if visible:
            self._list()
            if imgui.begin_child("details"):
                self._details()
            imgui.end_child()
        imgui.end()

    def _list(self) -> None:
        """Draw the search box and the table of the recordings that match it."""
        imgui.set_next_item_width(-1.0)
        hint = f"{Icon.SEARCH}  Search name, car, world, note"
        _, self._search = imgui.input_text_with_hint("##recording-search", hint, self._search)
        self._ui.items.note("recordings:search")
        terms = self._search.lower().split()
        entries = [entry for entry in self._library.entries if all(term in _search_text(entry) for term in terms)]
        min_height = MIN_TABLE * imgui.get_text_line_height_with_spacing()
        height = max(min_height, imgui.get_content_region_avail().y - DETAILS * self._ui.scale)
        clicked = self._table.draw(entries, self.chosen, height)
        if clicked is not None:
            self._choose(clicked)
        if not entries:
            imgui.text_disabled("Nothing found." if terms else "No recordings yet.")

    def _choose(self, entry: RecordingFile) -> None:
        """Select a RecordingFile, and put its name and note into the fields."""
        self.chosen, self._error = entry.path, ""
        self._name, self._note = ("" if entry.automatic else entry.name), entry.note

    def _details(self) -> None:
        """Draw facts, buttons, name and note of the selected recording, and its thumbnail and route."""
        entry = next((entry for entry in self._library.entries if entry.path == self.chosen), None)
        if entry is None:
            imgui.text_disabled("Choose a recording.")
            return
        width = imgui.get_content_region_avail().x * TEXT_SHARE
        if imgui.begin_child("words", imgui.ImVec2(width, 0.0)):
            imgui.push_font(self._ui.fonts.bold, 0.0)  # 0: in the present size
            imgui.text_unformatted(entry.name)
            imgui.pop_font()
            self._facts(entry)
            self._buttons(entry)
            self._name_and_note(entry)
            if self._error:
                imgui.push_text_wrap_pos(0.0)
                imgui.text_colored(imgui.ImVec4(*ERROR), self._error)
                imgui.pop_text_wrap_pos()
        imgui.end_child()
        imgui.same_line()
        if imgui.begin_child("pictures"):
            self._show_thumbnail(entry)
            self._plot_route(entry)
        imgui.end_child()

    def _facts(self, entry: RecordingFile) -> None:
        """Draw vehicles, world, length, marks, best laps, date and size of a recording."""
        summary = entry.summary
        imgui.push_text_wrap_pos(0.0)
        if summary is None:
            imgui.text_disabled("reading ...")
        elif summary.problem:
            imgui.text_colored(imgui.ImVec4(*ERROR), summary.problem)
        else:
            marks = f", {summary.marks} marks" if summary.marks else ""
            where = f"{', '.join(summary.vehicles)} in {summary.world}"
            imgui.text_colored(_DIM, f"{where}, {length_text(summary.seconds)}{marks}")
            if summary.best:
                best_laps = ", ".join(f"{track} {clock_text(seconds)}" for track, seconds in summary.best.items())
                imgui.text_colored(_DIM, f"Best: {best_laps}")
            imgui.text_colored(_DIM, f"{summary.created.replace('T', ' ')}, {entry.size / 1e6:.1f} MB")
        if entry.automatic:
            imgui.text_colored(_DIM, "Deleted when newer recordings need the space, unless it is renamed.")
        imgui.pop_text_wrap_pos()

    def _show_thumbnail(self, entry: RecordingFile) -> None:
        """Draw the thumbnail of a recording, loaded when another one is selected."""
        path = entry.picture
        if path is None:
            return
        if self._thumbnail[0] != (path, entry.modified):
            self._ui.textures.remove(self._thumbnail[1])
            texture = _texture(path)
            size = (0, 0) if texture is None else (texture.getXSize(), texture.getYSize())
            self._thumbnail = ((path, entry.modified), 0 if texture is None else self._ui.textures.add(texture), size)
        _, texture_id, (width, height) = self._thumbnail
        if width:
            drawn_width = min(PICTURE_HEIGHT * self._ui.scale * width / height, imgui.get_content_region_avail().x)
            imgui.image(imgui.ImTextureRef(texture_id), imgui.ImVec2(drawn_width, drawn_width * height / width))
            self._ui.items.note("recording-picture")

    def _plot_route(self, entry: RecordingFile) -> None:
        """Plot the route of the first vehicle from above."""
        if entry.summary is None or np.size(entry.summary.route) < 4:  # two points
            return
        if implot.begin_plot("##path", imgui.ImVec2(-1.0, PICTURE_HEIGHT * self._ui.scale), _PLAIN):
            implot.setup_axes("", "", _BARE, _BARE)
            spec = implot.Spec()
            spec.line_color = imgui.ImVec4(*ACCENT)
            x, y = map(np.array, entry.summary.route)
            implot.plot_line("##line", x, y, spec)
            implot.end_plot()

    def _buttons(self, entry: RecordingFile) -> None:
        """Draw the buttons that watch, add as a ghost and delete; deleting is confirmed in a popup."""
        if imgui.button(f"{Icon.PLAY}  Watch"):
            self._show(entry.path)
        self._ui.items.note("recording:watch")
        if self._add_ghost:
            imgui.same_line()
            if imgui.button("Add as ghost"):
                self._add_ghost(entry.path)
            self._ui.items.note("recording:ghost")
        imgui.same_line()
        if imgui.button(f"{Icon.TRASH}##delete"):
            imgui.open_popup("delete")
        self._ui.items.note("recording:delete")
        if imgui.begin_popup("delete"):
            imgui.text_unformatted(f"Delete {entry.name} permanently?")
            if imgui.button("Delete"):
                self._try(self._library.delete, entry)
                imgui.close_current_popup()
            self._ui.items.note("recording:really")
            imgui.end_popup()

    def _name_and_note(self, entry: RecordingFile) -> None:
        """Draw the fields of name and note, each with a button that saves it."""
        imgui.set_next_item_width(imgui.get_font_size() * NAME_WIDTH)
        _, self._name = imgui.input_text_with_hint("##recording-name", "name", self._name)
        self._ui.items.note("recording-name")
        imgui.same_line()
        if imgui.button("Rename") and self._try(self._library.rename, entry, self._name):
            self.chosen = entry.path.with_name(f"{self._name.strip()}.drive")
        self._ui.items.note("recording:rename")
        _, self._note = imgui.input_text_multiline(
            "##recording-note", self._note, imgui.ImVec2(-1.0, 3.5 * imgui.get_text_line_height())
        )
        self._ui.items.note("recording-note")
        if imgui.button(f"{Icon.SAVE}  Save the note"):
            self._try(self._library.set_note, entry, self._note)
        self._ui.items.note("recording:note")

    def _try(self, action: Callable[..., object], *arguments: Any) -> bool:
        """Call `action`; returns whether it succeeded, and shows its error otherwise."""
        try:
            action(*arguments)
        except UserError as error:
            self._error = str(error)
            return False
        self._error = ""
        return True


def _texture(path: Path) -> Texture | None:
    """Texture of an image file for ImGui, or None if the file cannot be read."""
    image = PNMImage()
    if not image.read(str(path)) or not image.getXSize():
        return None
    red, blue = PNMImage(image), PNMImage(image)
    image.copyChannel(blue, 2, 0)
    image.copyChannel(red, 0, 2)  # red and blue are swapped, see game/toolkit/painter.py
    # upside down: the first row is the lowest in Panda3D's textures, and the highest in ImGui's
    image.flip(False, True, False)
    texture = Texture(path.stem)
    texture.load(image)
    return texture


def _search_text(entry: RecordingFile) -> str:
    """The text in which the search looks for its terms: name, note, vehicles and world in lower case."""
    summary = entry.summary
    parts = [entry.name, entry.note, *(summary.vehicles if summary else ()), summary.world if summary else ""]
    return " ".join(parts).lower()
