"""The window to choose vehicle, world, spawn point and time of day; Enter on the selected entry starts the drive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.session.choice import Entry, read_entry, vehicle_entries, world_entries
from driving_sandbox.game.toolkit.flags import FIXED
from driving_sandbox.game.toolkit.navigation import FLAT
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, OPAQUE, TEXT_DIM, WARNING, Icon
from driving_sandbox.game.view.gl.quality import DAYTIMES

if TYPE_CHECKING:
    from driving_sandbox.game.session.choice import Choice
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

WIDTH, HEIGHT, MARGIN = 900.0, 600.0, 12.0  # pixels at scale 1
VEHICLE_SHARE = 0.52  # share of the width for the vehicles
WORLD_SHARE = 0.55  # share of the right half's height for the worlds; spawn points are below
TEXT_LINES = 3  # lines of a message below the lists
RIGHT = (imgui.Key.right_arrow, imgui.Key.gamepad_dpad_right)
LEFT = (imgui.Key.left_arrow, imgui.Key.gamepad_dpad_left)
CHANGED_LINES = 8  # lines shown of a file's changes
CHANGED = "This Python file was changed since you allowed it, and runs with all your permissions: {}"
TRUST = "This vehicle includes a Python file, which runs with all your permissions: {}"
SECTIONS = ("vehicle", "world", "spawn", "daytime")  # in the order of the right arrow key
_CHOSEN = imgui.ImVec4(*ACCENT[:3], 0.45)
_DIM = imgui.ImVec4(*TEXT_DIM)
_TWICE = imgui.SelectableFlags_.allow_double_click.value


class Chooser:
    """The chooser; call `refresh` when it is opened, and `draw` in each frame while it is open.

    Args:
        ui: ImGuiBackend.
        present: the Choice that is driven.
        drive: function(Choice) that starts a drive.
        allow: function(path) that lets a Python file run from now on.
        back: function() that closes the chooser.
    Attributes:
        present: the Choice that is driven.
        wanted: the selected Choice; its `spawn` is None until a spawn point is selected.
    """

    def __init__(
        self,
        ui: ImGuiBackend,
        present: Choice,
        drive: Callable[[Choice], object],
        allow: Callable[[Path], object],
        back: Callable[[], object],
    ) -> None:
        self._ui, self.present, self._drive, self._allow, self._back = ui, present, drive, allow, back
        self.wanted = present
        self._vehicles: list[Entry] = []  # listed
        self._worlds: list[Entry] = []
        self._search = self._problem = ""
        self._spawn: str | None = None  # the spawn point of the present drive
        self._untrusted: Path | None = None  # the Python file awaiting permission
        self._change = ""  # its changes
        self._appearing = False  # whether this is the first frame that shows the chooser
        self._section: str | None = None  # which of SECTIONS has the focus
        self._goal: str | None = None  # and which gets it next

    def refresh(self, spawn: str | None, daytime: str) -> None:
        """Reload the lists, and select the present drive, which started at `spawn`, and the time of day."""
        self._vehicles = _with(vehicle_entries(), self.present.vehicle)
        self._worlds = _with(world_entries(), self.present.world)
        self.wanted, self._spawn = replace(self.present, spawn=None, daytime=daytime), spawn
        self._search = self._problem = ""
        self._untrusted = None

    def refuse(self, wanted: Choice, problem: str, untrusted: Path | None = None, change: str = "") -> None:
        """Show why a choice could not be driven.

        Args:
            wanted: the Choice.
            problem: the reason.
            untrusted: the Python file that has to be allowed first, or None.
            change: the changes in that file since it was allowed.
        """
        self.wanted, self._problem, self._untrusted, self._change = wanted, problem, untrusted, change

    def draw(self) -> None:
        """Draw the window; its close button goes back."""
        scale, size = self._ui.scale, self._ui.size
        limits = [extent - 2.0 * MARGIN * scale for extent in size]
        middle = imgui.ImVec2(size[0] / 2.0, size[1] / 2.0)
        imgui.set_next_window_pos(middle, imgui.Cond_.always.value, pivot=imgui.ImVec2(0.5, 0.5))
        imgui.set_next_window_size(imgui.ImVec2(min(WIDTH * scale, limits[0]), min(HEIGHT * scale, limits[1])))
        imgui.set_next_window_bg_alpha(OPAQUE)
        visible, is_open = imgui.begin("Choose###choose", True, FIXED)
        self._appearing = imgui.is_window_appearing()
        if self._appearing:
            imgui.set_window_focus()
            imgui.set_nav_cursor_visible(True)
        if visible:
            imgui.push_style_color(imgui.Col_.header.value, _CHOSEN)
            self._lists_and_foot()
            imgui.pop_style_color()
        imgui.end()
        if not is_open:
            self._back()

    def _cross(self) -> None:
        """Move the focus between sections by the left and right keys, because ImGui moves it to nearby rows only."""
        self._goal = None
        for step, keys in ((1, RIGHT), (-1, LEFT)):
            if self._section is not None and any(imgui.is_key_pressed(key) for key in keys):
                index = SECTIONS.index(self._section) + step
                self._goal = SECTIONS[index] if 0 <= index < len(SECTIONS) else None
        self._section = None

    def _go_to(self, section: str, chosen: bool) -> None:
        """Give the focus to the item drawn last, if it is the chosen item of the section that gets the focus.

        set_keyboard_focus_here does not work here: its request is dropped if the item with the focus is drawn later.
        """
        if chosen and self._goal == section:
            imgui.internal.set_focus_id(imgui.get_item_id(), imgui.internal.get_current_window())
            if not imgui.is_item_visible():
                imgui.set_scroll_here_y()

    def _lists_and_foot(self) -> None:
        """Draw the list of vehicles at the left, worlds and spawn points at the right, the rest below."""
        self._cross()
        below = self._foot_height()
        width = imgui.get_content_region_avail().x * VEHICLE_SHARE
        if imgui.begin_child("vehicles", imgui.ImVec2(width, -below), FLAT):
            self._vehicle_list()
        imgui.end_child()
        imgui.same_line()
        if imgui.begin_child("worlds", imgui.ImVec2(0.0, -below), FLAT):
            self._world_lists()
        imgui.end_child()
        self._foot()

    # ---- lists

    def _vehicle_list(self) -> None:
        """Draw the search box and the vehicles that match it, with their masses."""
        imgui.separator_text("Vehicle")
        imgui.set_next_item_width(-1.0)
        _, self._search = imgui.input_text_with_hint("##vehicle-search", f"{Icon.SEARCH}  Search", self._search)
        self._ui.items.note("choose:search")
        if imgui.begin_child("vehicle list", imgui.ImVec2(0.0, 0.0), FLAT):
            terms = self._search.lower().split()
            matches = [e for e in self._vehicles if all(t in f"{e.name} {e.text}".lower() for t in terms)]
            if not matches:
                imgui.text_disabled("Nothing found.")
            for entry in matches:
                mass = f"   {entry.mass:,.0f} kg".replace(",", " ") if entry.mass else ""
                self._row(entry, "vehicle", mass)
        imgui.end_child()

    def _world_lists(self) -> None:
        """Draw the list of worlds, and below it the spawn points of the selected world."""
        imgui.separator_text("World")
        height = imgui.get_content_region_avail().y
        if imgui.begin_child("world list", imgui.ImVec2(0.0, height * WORLD_SHARE), FLAT):
            for entry in self._worlds:
                self._row(entry, "world", "", described=entry.path == self.wanted.world)
        imgui.end_child()
        imgui.separator_text("Spawn point")
        if imgui.begin_child("spawn list", imgui.ImVec2(0.0, 0.0), FLAT):
            self._spawn_list()
        imgui.end_child()

    def _row(self, entry: Entry, kind: str, figures: str, described: bool = True) -> None:
        """Draw a vehicle or world: its name with `figures`, and below it its description if `described`."""
        is_chosen = getattr(self.wanted, kind) == entry.path
        if imgui.selectable(f"{entry.name}{figures}##{entry.path}", is_chosen, _TWICE)[0]:
            self._pick(is_chosen, **{kind: entry.path})
        self._go_to(kind, is_chosen)
        if self._appearing and is_chosen and kind == "vehicle":
            imgui.set_item_default_focus()
            imgui.set_scroll_here_y()
        if imgui.is_item_focused():
            self._section = kind
        self._ui.items.note(f"choose:{kind}:{entry.path.stem}")
        if entry.problem or (described and entry.description):
            imgui.indent()
            imgui.push_text_wrap_pos(0.0)
            color = imgui.ImVec4(*ERROR) if entry.problem else _DIM
            imgui.text_colored(color, entry.problem or entry.description)
            imgui.pop_text_wrap_pos()
            imgui.unindent()

    def _spawn_list(self) -> None:
        """Draw the spawn points of the selected world, that of the drive highlighted."""
        world = next((entry for entry in self._worlds if entry.path == self.wanted.world), None)
        spawns = world.spawns if world else ()
        start = self.wanted.spawn or (self._spawn if self._same_world else None) or (spawns[0] if spawns else None)
        for spawn in spawns:
            if imgui.selectable(spawn.replace("_", " "), spawn == start, _TWICE)[0]:
                self._pick(spawn == self.wanted.spawn, spawn=spawn)
            self._go_to("spawn", spawn == start)
            if imgui.is_item_focused():
                self._section = "spawn"
            self._ui.items.note(f"choose:spawn:{spawn}")

    @property
    def _same_world(self) -> bool:
        """Whether the selected world is that of the present drive."""
        return self.wanted.world == self.present.world

    def _pick(self, chosen: bool, **what: Any) -> None:
        """Select an entry that was clicked, or start the drive if it was chosen before (double click or Enter).

        what: {attribute of the Choice: value}.
        """
        clicked = imgui.is_mouse_released(0) or imgui.is_mouse_clicked(0)  # 0: the left button
        if chosen and (imgui.is_mouse_double_clicked(0) or not clicked):
            self._drive(self.wanted)
            return
        spawn: dict[str, Any] = {"spawn": None} if what.get("world", self.wanted.world) != self.wanted.world else {}
        self.wanted, self._problem, self._untrusted = replace(self.wanted, **spawn, **what), "", None

    # ---- below the lists

    def _foot_height(self) -> float:
        lines = TEXT_LINES + (CHANGED_LINES if self._untrusted and self._change else 0)
        text = lines * imgui.get_text_line_height_with_spacing() if self._problem or self._untrusted else 0.0
        return text + 2.0 * imgui.get_frame_height_with_spacing() + 4.0 * self._ui.scale

    def _foot(self) -> None:
        """Draw the times of day, the buttons, and the reason why a choice was refused."""
        imgui.align_text_to_frame_padding()
        imgui.text_unformatted("Time of day")
        for daytime in DAYTIMES:
            imgui.same_line()
            if imgui.radio_button(daytime.capitalize(), self.wanted.daytime == daytime):
                self._pick(self.wanted.daytime == daytime, daytime=daytime)
            self._go_to("daytime", self.wanted.daytime == daytime)
            # From any button but the first, the left key moves to the next button on the left.
            if imgui.is_item_focused() and daytime == DAYTIMES[0]:
                self._section = "daytime"
            self._ui.items.note(f"choose:daytime:{daytime}")
        imgui.push_style_color(imgui.Col_.button.value, imgui.ImVec4(*ACCENT[:3], 0.85))
        untrusted = self._untrusted
        allowing = untrusted is not None
        size = imgui.ImVec2(imgui.get_font_size() * 9.0, 0.0)
        if imgui.button("Allow and drive" if allowing else f"{Icon.DRIVE}  Drive", size):
            if untrusted is not None:
                self._allow(untrusted)
            self._drive(self.wanted)
        imgui.pop_style_color()
        self._ui.items.note("choose:allow" if allowing else "choose:drive")
        imgui.same_line()
        if imgui.button("Back"):
            self._back()
        self._ui.items.note("choose:back")
        if self._problem or allowing:
            imgui.push_text_wrap_pos(0.0)
            color = WARNING if allowing else ERROR
            imgui.text_colored(imgui.ImVec4(*color), self._question() if allowing else self._problem)
            imgui.pop_text_wrap_pos()

    def _question(self) -> str:
        """Text of the warning before a Python file is allowed to run."""
        if not self._change:
            return TRUST.format(self._untrusted)
        lines = self._change.splitlines()
        omitted_text = f"\n... and {len(lines) - CHANGED_LINES} lines more" if len(lines) > CHANGED_LINES else ""
        return CHANGED.format(self._untrusted) + "\n" + "\n".join(lines[:CHANGED_LINES]) + omitted_text


def _with(entries: list[Entry], path: Path) -> list[Entry]:
    """The entries, preceded by the Entry of `path` if it is not among them."""
    return entries if any(entry.path == path for entry in entries) else [read_entry(path), *entries]
