"""Flags of windows that the program places: the user can neither move nor resize them, and nothing is saved."""

from imgui_bundle import imgui

STILL = (
    imgui.WindowFlags_.no_resize.value
    | imgui.WindowFlags_.no_move.value
    | imgui.WindowFlags_.no_collapse.value
    | imgui.WindowFlags_.no_saved_settings.value
)
BARE = STILL | imgui.WindowFlags_.no_title_bar.value
FITTED = BARE | imgui.WindowFlags_.always_auto_resize.value  # as large as its content
