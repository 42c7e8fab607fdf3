"""Rows of buttons that wrap if the window is narrow or the interface scale large."""

from imgui_bundle import imgui


def same_line_if_fits(width: float, gap: float = -1.0) -> None:
    """Put the next item, `width` pixels wide, on the line of the last one if it fits.

    Args:
        gap: space between the items, pixels; negative for the style's spacing, as in `imgui.same_line`.
    """
    end = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    space = imgui.get_style().item_spacing.x if gap < 0.0 else gap
    if imgui.get_item_rect_max().x + space + width <= end:
        imgui.same_line(0.0, gap)


def button_width(text: str) -> float:
    """Width of a button with this text, pixels."""
    return imgui.calc_text_size(text, True).x + 2.0 * imgui.get_style().frame_padding.x


def checkbox_width(text: str) -> float:
    """Width of a checkbox or radio button with this text, pixels."""
    return imgui.get_frame_height() + imgui.get_style().item_inner_spacing.x + imgui.calc_text_size(text, True).x
