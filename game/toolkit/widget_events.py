"""What the user does with the widgets of a frame, for the sounds of the interface: read once from Dear ImGui's context.

ImGui tells a widget of a press in the call that draws it, and keeps no list. But it keeps which widget is active and
which one the mouse is over, so that a press shows at the frame's end: the mouse button was released over the widget on
which it went down, or a key activated it. A slider is told from a button by the arrow keys, which it uses while it is
active. Only the new state of a checkbox is not kept; `checkbox` notes it.
"""

from __future__ import annotations

from imgui_bundle import imgui

from driving_sandbox.sound.interface.kinds import Kind

_toggled: list[bool] = []  # new states of the frame's checkboxes; of one context, as ImGui has only one at a time


def checkbox(label: str, ticked: bool) -> tuple[bool, bool]:
    """`imgui.checkbox`: (whether it was pressed, whether it is ticked now)."""
    changed, ticked = imgui.checkbox(label, ticked)
    if changed:
        _toggled.append(ticked)
    return changed, ticked


class WidgetEvents:
    """Reads the events; call `read` once a frame, after all widgets."""

    def __init__(self) -> None:
        self._has_value = False  # whether the widget activated last is a slider or a field

    def read(self) -> Kind | None:
        """The sound that belongs to what the user did in this frame, or None."""
        toggled, context = _toggled[-1:], imgui.get_current_context()
        _toggled.clear()
        if context.active_id and context.active_id_is_just_activated:
            self._has_value = bool(context.active_id_using_nav_dir_mask)
        if toggled:
            return Kind.ON if toggled[0] else Kind.OFF
        if context.nav_activate_pressed_id or self._is_clicked(context):
            return Kind.PRESS
        if self._has_value and context.active_id and context.active_id_has_been_edited_this_frame:
            return None if imgui.get_io().want_text_input else Kind.STEP
        moved = context.nav_just_moved_to_id and not context.nav_just_moved_to_is_init
        return Kind.FOCUS if moved else None

    def _is_clicked(self, context: imgui.internal.Context) -> bool:
        """Whether the mouse has clicked a widget without a value; dragging a window, a scroll bar or a plot is none."""
        released = context.deactivated_item_data.id_
        if not released or released != context.hovered_id or self._has_value:
            return False
        left = imgui.MouseButton_.left.value
        io = imgui.get_io()
        return imgui.is_mouse_released(left) and io.mouse_drag_max_distance_sqr[left] < io.mouse_drag_threshold**2
