"""The window of the ghosts: the gap to each, and recordings to add."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.experiments.ghosts import Ghost, Ghosts, ReplayGhosts
from driving_sandbox.game.toolkit.theme import ACCENT, GOOD, TEXT_DIM, WARNING, Icon
from driving_sandbox.game.view.vehicle.ghost import COLOURS

WIDTH = 300.0  # pixels at scale 1
MARGIN = 12.0  # pixels at scale 1
MAX_RECORDINGS = 12  # number of recordings listed, the newest ones
_FLAGS = imgui.WindowFlags_.no_focus_on_appearing.value | imgui.WindowFlags_.always_auto_resize.value


class GhostWindow:
    """The window of the ghosts. Call `draw` once a frame.

    Args:
        ui: ImGuiBackend.
        ghosts: game.experiments.ghosts.Ghosts or ReplayGhosts.
        folder: folder of the recordings that may be added, or None.
    """

    def __init__(self, ui: Any, ghosts: Ghosts | ReplayGhosts, folder: Path | str | None = None) -> None:
        self._ui, self._ghosts, self._folder = ui, ghosts, Path(folder) if folder else None
        self.open = False
        self._files: list[Path] = []  # recordings offered in the open popup

    def toggle(self) -> None:
        """Show the window and the ghosts, or hide both."""
        self.open = self._ghosts.visible = not self.open

    def draw(self, left: float, right: float) -> None:
        """Draw the window if it is open; closing it hides the ghosts.

        `left` and `right` are pixels between which no panel covers the frame.
        """
        if not self.open:
            return
        scale = self._ui.scale
        position = imgui.ImVec2(left + MARGIN * scale, MARGIN * scale)
        imgui.set_next_window_pos(position, imgui.Cond_.appearing.value)
        imgui.set_next_window_size_constraints(imgui.ImVec2(WIDTH * scale, 0.0), imgui.ImVec2(WIDTH * scale, 1e4))
        visible, is_open = imgui.begin("Ghosts###ghosts", True, _FLAGS)
        self.open = bool(is_open)
        if visible:
            self._rows()
            if self._folder:
                self._buttons(self._folder)
        imgui.end()
        if not self.open:
            self._ghosts.visible = False

    def _rows(self) -> None:
        """Draw a row for each ghost: its name in its colour, a button that removes it, and its gap."""
        ghosts = self._ghosts
        if not ghosts.running and not ghosts.loading:
            imgui.push_text_wrap_pos(0.0)
            imgui.text_disabled("None yet. Add a recording; the best lap of this drive comes by itself.")
            imgui.pop_text_wrap_pos()
        for k, ghost in enumerate(list(ghosts.running)):
            imgui.text_colored(imgui.ImVec4(*COLOURS[k % len(COLOURS)], 1.0), ghost.drive.name)
            imgui.same_line(imgui.get_window_width() - 2.2 * imgui.get_font_size())
            if imgui.small_button(f"{Icon.CLOSE}##{k}"):
                ghosts.remove(ghost)
            self._ui.items.note(f"ghost:{k}:remove")
            self._gap(ghost)
            self._ui.items.note(f"ghost:{k}:gap")
        for name in ghosts.loading:
            imgui.text_disabled(f"reading {name}")

    def _gap(self, ghost: Ghost) -> None:
        """Draw the player's gap to a ghost in s and m, or why there is none."""
        if ghost.set_off_at is None:
            imgui.text_disabled("waits for you at the start of the lap")
        elif ghost.gap is None or ghost.ahead is None:
            imgui.text_disabled("you are far from its path")
        else:
            color = WARNING if ghost.gap > 0.0 else GOOD  # positive: the player is behind
            imgui.text_colored(imgui.ImVec4(*color), f"{ghost.gap:+.2f} s")
            imgui.same_line()
            words = "ahead of you" if ghost.ahead >= 0.0 else "behind you"
            imgui.text_colored(imgui.ImVec4(*TEXT_DIM), f"{abs(ghost.ahead):.1f} m {words}")

    def _buttons(self, folder: Path) -> None:
        """Draw the buttons that add a recording and restart the ghosts that are not laps."""
        ghosts: Any = self._ghosts  # Ghosts: only a drive has a folder
        if imgui.button(f"{Icon.PLUS}  Recording"):
            files = folder.glob("*.drive")
            self._files = sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)[:MAX_RECORDINGS]
            imgui.open_popup("ghost-files")
        self._ui.items.note("ghost:add")
        imgui.same_line()
        if imgui.button(f"{Icon.REFRESH}  Set off again"):
            ghosts.restart()
        self._ui.items.note("ghost:restart")
        if imgui.begin_popup("ghost-files"):
            imgui.text_colored(imgui.ImVec4(*ACCENT), "Its best lap in this world, or all of it")
            for path in self._files:
                if imgui.selectable(path.stem, False)[0]:
                    ghosts.load(path)
                self._ui.items.note(f"ghost:file:{path.stem}")
            imgui.end_popup()
