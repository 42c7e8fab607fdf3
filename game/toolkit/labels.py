"""Labels, small buttons and tables of actions for the pages of the settings."""

from __future__ import annotations

from collections.abc import Iterator

from imgui_bundle import imgui

from driving_sandbox.game.controls.bindings import ACTIONS
from driving_sandbox.game.toolkit.flow import button_width
from driving_sandbox.game.toolkit.theme import TEXT_DIM

_FIXED = imgui.TableColumnFlags_.width_fixed.value
_STRETCH = imgui.TableColumnFlags_.width_stretch.value
_TABLE = imgui.TableFlags_.row_bg.value | imgui.TableFlags_.pad_outer_x.value
_DELAY = imgui.HoveredFlags_.delay_short.value | imgui.HoveredFlags_.allow_when_disabled.value


def action_rows(name: str, source: float, change: float) -> Iterator[str]:
    """Draw a table with three cells per action (label, source, change), and yield each action to draw its cells.

    Two actions are put side by side if their labels fit; otherwise a label may take two lines.

    Args:
        name: ImGui's name of the table.
        source, change: widths of these cells, pixels.
    """
    label_width = max(imgui.calc_text_size(text).x for text in ACTIONS.values())
    padding = 2.0 * imgui.get_style().cell_padding.x
    sides = 2 if imgui.get_content_region_avail().x >= 2.0 * (label_width + source + change + 3.0 * padding) else 1
    if not imgui.begin_table(name, 3 * sides, _TABLE):
        return
    for _ in range(sides):
        imgui.table_setup_column("action", _STRETCH, 1.0)
        imgui.table_setup_column("source", _FIXED, source)
        imgui.table_setup_column("change", _FIXED, change)
    actions = list(ACTIONS)
    row_count = -(-len(actions) // sides)  # rounded up
    for row in range(row_count):
        imgui.table_next_row()
        yield from actions[row::row_count]
    imgui.end_table()


def draw_status(status: tuple[str, tuple[float, ...]], otherwise: str = "") -> None:
    """Draw a status (text, colour) or, if its text is "", the text `otherwise`."""
    text, color = status
    imgui.push_text_wrap_pos(0.0)
    imgui.text_colored(imgui.ImVec4(*(color if text else TEXT_DIM)), text or otherwise)
    imgui.pop_text_wrap_pos()


def draw_label(text: str) -> None:
    """Draw text in line with buttons, wrapped in a narrow column."""
    imgui.align_text_to_frame_padding()
    imgui.push_text_wrap_pos(0.0)
    imgui.text_unformatted(text)
    imgui.pop_text_wrap_pos()


def icons_width(*icons: str) -> float:
    """Width of a row of buttons with these icons, spacing before each included, pixels."""
    return sum(imgui.get_style().item_spacing.x + button_width(icon) for icon in icons)


def icon_button(icon: str, tooltip: str) -> bool:
    """Draw a button with an icon and a tooltip; returns whether it was pressed."""
    pressed = imgui.button(icon)
    hover(tooltip)
    return pressed


def hover(text: str) -> None:
    """Show a tooltip for the widget drawn last."""
    if imgui.is_item_hovered(_DELAY):
        imgui.set_tooltip(text)
