"""Flags of windows that the program places: a person can neither move nor resize them, and nothing of them is kept."""

from imgui_bundle import imgui

STILL = (
    imgui.WindowFlags_.no_resize.value
    | imgui.WindowFlags_.no_move.value
    | imgui.WindowFlags_.no_collapse.value
    | imgui.WindowFlags_.no_saved_settings.value
)
BARE = STILL | imgui.WindowFlags_.no_title_bar.value
FITTED = BARE | imgui.WindowFlags_.always_auto_resize.value  # as large as what it holds
