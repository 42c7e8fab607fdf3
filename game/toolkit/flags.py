"""Flags of windows that the program places: the user cannot move, resize or collapse them, and ImGui saves nothing of
them."""

from imgui_bundle import imgui

FIXED = (
    imgui.WindowFlags_.no_resize.value
    | imgui.WindowFlags_.no_move.value
    | imgui.WindowFlags_.no_collapse.value
    | imgui.WindowFlags_.no_saved_settings.value
)
BARE = FIXED | imgui.WindowFlags_.no_title_bar.value
FITTED = BARE | imgui.WindowFlags_.always_auto_resize.value  # a window as large as its content
