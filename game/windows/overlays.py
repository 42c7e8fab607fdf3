"""Temporary overlays: messages, the welcome text, the replay controls."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from driving_sandbox.game.toolkit.flags import BARE, FITTED
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, GOOD, TEXT, TEXT_DIM, WARNING, Icon, color_u32
from driving_sandbox.game.windows.help import draw_keys

if TYPE_CHECKING:
    from driving_sandbox.game.toolkit.backend import ImGuiBackend
    from driving_sandbox.game.toolkit.pen import Color, Pen

CHIP = (0.035, 0.042, 0.050, 0.78)  # RGBA of a message's background
SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # speeds of a replay, recorded seconds per real second
WELCOME_FONT = 16.0  # pixels at scale 1
SKIP = 5.0  # s that a press of the skip button, or of a key for skipping, goes on or back
_ALWAYS = imgui.Cond_.always.value
CHIP_BORDER = 34.0  # units (game/hud/__init__.py), sum of the borders left and right of the text


def draw_chip(
    pen: Pen, x: float, y: float, text: str, size: float, color: Color, unit: float, max_width: float = math.inf
) -> float:
    """Draw a text on a dark rounded background with a coloured edge, its first line centred on (x, y).

    A text wider than `max_width` pixels is broken into lines. Returns the height of the background, pixels.

    Args:
        size: font size, pixels.
        color: of the edge.
        unit: pixels per unit of the HUD.
    """
    lines = broken(pen, text, size, max_width - CHIP_BORDER * unit)
    width = max(pen.width(line, size) for line in lines) + CHIP_BORDER * unit
    step = 1.3 * size
    top, height = y - size / 2.0 - 7.0 * unit, size + 14.0 * unit + step * (len(lines) - 1)
    pen.rect(x - width / 2.0, top, width, height, CHIP, 6.0 * unit)
    pen.rect(x - width / 2.0, top, 4.0 * unit, height, color, 2.0 * unit)
    for k, line in enumerate(lines):
        pen.text(x, y + step * k, line, size, TEXT, align=0.5)
    return height


def broken(pen: Pen, text: str, size: float, max_width: float) -> list[str]:
    """[line] of a text, broken between words into lines of at most `max_width` pixels; a longer word gets a line."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and pen.width(longer, size) > max_width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _centred(size: tuple[float, float], share: float = 0.5) -> None:
    """Put the next window in the middle of the frame, at `share` of its height."""
    imgui.set_next_window_pos(imgui.ImVec2(size[0] * 0.5, size[1] * share), _ALWAYS, pivot=imgui.ImVec2(0.5, share))


def _card_padding(ui: ImGuiBackend) -> None:
    """Push the padding of a window of text; the caller pops it."""
    imgui.push_style_var(imgui.StyleVar_.window_padding.value, imgui.ImVec2(22.0 * ui.scale, 18.0 * ui.scale))


class Welcome:
    """The window with the welcome text: a description, the main keys, and a button."""

    def __init__(self, ui: ImGuiBackend, title: str, text: str, keys: Iterable[tuple[str, str]]) -> None:
        self.open = True
        self._ui = ui
        self._title, self._text, self._keys = title, text, list(keys)

    def draw(self) -> bool:
        """Draw the window, if it is open; returns whether the button closed it."""
        if not self.open:
            return False
        _centred(self._ui.size, share=0.42)
        _card_padding(self._ui)
        imgui.begin("Welcome###welcome", None, FITTED)
        imgui.push_font(self._ui.fonts.bold, 24.0)
        imgui.text_unformatted(self._title)
        imgui.pop_font()
        imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + imgui.get_font_size() * 30.0)
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), self._text)
        imgui.pop_text_wrap_pos()
        imgui.spacing()
        imgui.push_font(self._ui.fonts.text, WELCOME_FONT)
        draw_keys([self._keys], self._ui)
        imgui.pop_font()
        imgui.spacing()
        imgui.push_style_color(imgui.Col_.button.value, imgui.ImVec4(*ACCENT[:3], 0.85))
        closed = imgui.button("Drive", imgui.ImVec2(imgui.get_font_size() * 8.0, imgui.get_frame_height() * 1.3))
        imgui.pop_style_color()
        self._ui.items.note("welcome:drive")
        imgui.same_line()
        imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() + 0.5 * (imgui.get_item_rect_size().y - imgui.get_font_size()))
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), "or just drive off")
        imgui.end()
        imgui.pop_style_var()
        if closed:
            self.open = False
        return closed


@dataclass(frozen=True)
class ReplayAction:
    """An action of the replay's bar.

    Attributes:
        kind: "play", "pause", "seek", "step", "speed", "loop", "drive" (drive on) or "exit".
        value: time for "seek", s; -1 or 1 tick for "step"; factor for "speed".
    """

    kind: str
    value: float = 0.0


def clock(seconds: float) -> str:
    """A time as minutes and seconds, 01:23.4."""
    minutes, seconds = divmod(max(0.0, seconds), 60.0)
    return f"{int(minutes):02d}:{seconds:04.1f}"


MARK_REACH = 4.0  # pixels at scale 1 from the mouse to a mark whose text is shown
MARK_COLORS = {kind: color_u32(color) for kind, color in (
    ("lap", GOOD), ("impact", ERROR), ("setup", ACCENT), ("mark", TEXT), ("fault", ERROR), ("jump", WARNING),
    ("gear", TEXT_DIM))}  # fmt: skip


class ReplayBar:
    """Timeline and buttons of a replay at the bottom of the frame.

    Attributes:
        height: pixels from the lower end of the area to the bar's upper edge in the last frame; overlays are above.
        entries: list of game.replay.events.TimelineEntry, the marks of the timeline.
        loop: (begin, end or None) of the loop, s, or None.
        can_drive: whether to offer driving on.
    """

    def __init__(self, ui: ImGuiBackend) -> None:
        self.height = 0.0
        self.entries: list[Any] = []
        self.loop: tuple[float, float | None] | None = None
        self.can_drive = False
        self._ui = ui

    def draw(self, position: float, duration: float, playing: bool, speed: float, title: str = "Replay",
             area: tuple[float, float, float, float] | None = None) -> list[ReplayAction]:  # fmt: skip
        """Draw the bar; returns the list of this frame's ReplayActions, usually empty.

        Args:
            position, duration: present time and length of the recording, s.
            area: (x, y, width, height) of the free part of the frame, or None for the whole frame.
        """
        x, y, width, height = area or (0.0, 0.0, *self._ui.size)
        scale = self._ui.scale
        bar = min(width * 0.94, 760.0 * scale)
        anchor = imgui.ImVec2(x + width / 2.0, y + height - 16.0 * scale)
        imgui.set_next_window_pos(anchor, _ALWAYS, pivot=imgui.ImVec2(0.5, 1.0))
        imgui.set_next_window_size(imgui.ImVec2(bar, 0.0), _ALWAYS)
        imgui.begin("Replay###replay", None, BARE)
        actions = [self._timeline(position, duration)]
        actions += self._buttons(position, duration, playing)
        actions.append(self._speed(speed))
        imgui.same_line()
        imgui.push_style_color(imgui.Col_.text.value, imgui.ImVec4(*(ACCENT if self.loop else TEXT)))
        if self._button("loop", Icon.REPEAT, "Loop: start, end, off"):
            actions.append(ReplayAction("loop"))
        imgui.pop_style_color()
        if self.can_drive:
            imgui.same_line()
            if self._button("drive", Icon.DRIVE, "Drive on from here"):
                actions.append(ReplayAction("drive"))
        imgui.same_line(0.0, 14.0 * scale)
        imgui.text_colored(imgui.ImVec4(*TEXT_DIM), f"{title}   {clock(position)} / {clock(duration)}")
        step = imgui.get_frame_height() + imgui.get_style().window_padding.x
        imgui.same_line(imgui.get_window_width() - step)
        if self._button("exit", Icon.CLOSE, "Leave the replay"):
            actions.append(ReplayAction("exit"))
        self.height = y + height - imgui.get_window_pos().y
        imgui.end()
        return [action for action in actions if action is not None]

    def _timeline(self, position: float, duration: float) -> ReplayAction | None:
        """Draw the slider with the marks; returns a ReplayAction "seek" if it was moved, or None."""
        imgui.set_next_item_width(-1.0)
        imgui.push_style_color(imgui.Col_.slider_grab.value, imgui.ImVec4(*ACCENT))
        changed, new_position = imgui.slider_float("##timeline", position, 0.0, max(duration, 1e-3), "")
        imgui.pop_style_color()
        self._ui.items.note("replay:timeline")
        hovered = self._marks(max(duration, 1e-3))
        if hovered is not None:
            imgui.set_tooltip(f"{clock(hovered.time)}  {hovered.text}")
        return ReplayAction("seek", min(max(new_position, 0.0), duration)) if changed else None

    def _marks(self, duration: float) -> Any:
        """Draw the entries and the loop on top of the slider; returns the TimelineEntry under the mouse, or None."""
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        grab = imgui.get_style().grab_min_size / 2.0 + 2.0  # the grab's middle does not reach the slider's ends
        left, width = low.x + grab, high.x - low.x - 2.0 * grab
        draw = imgui.get_window_draw_list()
        if self.loop is not None:
            start, end = self.loop[0], duration if self.loop[1] is None else self.loop[1]
            color = imgui.get_color_u32((*ACCENT[:3], 0.25))
            ends = (imgui.ImVec2(left + width * start / duration, low.y), imgui.ImVec2(left + width * end / duration,
                                                                                        high.y))  # fmt: skip
            draw.add_rect_filled(*ends, color)
        mouse = imgui.get_mouse_pos() if imgui.is_item_hovered() else None
        hovered = None
        for entry in self.entries:
            x = left + width * entry.time / duration
            share = 0.35 if entry.kind == "gear" else 0.8
            top = high.y - (high.y - low.y) * share
            draw.add_line(imgui.ImVec2(x, top), imgui.ImVec2(x, high.y), MARK_COLORS[entry.kind], 2.0)
            if mouse is not None and abs(mouse.x - x) <= MARK_REACH * self._ui.scale:
                # a gear shift only if nothing else is near
                hovered = entry if hovered is None or entry.kind != "gear" else hovered
        return hovered

    def _buttons(self, position: float, duration: float, playing: bool) -> list[ReplayAction]:
        """Draw the buttons of playing, stepping and skipping; returns their ReplayActions."""
        actions = []
        if self._button("start", Icon.STEP_BACK, "To the start"):
            actions.append(ReplayAction("seek", 0.0))
        imgui.same_line()
        if self._button("back", Icon.LEFT, "One tick back"):
            actions.append(ReplayAction("step", -1))
        imgui.same_line()
        icon, kind = (Icon.PAUSE, "pause") if playing else (Icon.PLAY, "play")
        if self._button("play", icon, kind.capitalize()):
            actions.append(ReplayAction(kind))
        imgui.same_line()
        if self._button("forward", Icon.RIGHT, "One tick on"):
            actions.append(ReplayAction("step", 1))
        imgui.same_line()
        if self._button("skip", Icon.STEP_FORWARD, f"{SKIP:g} s on"):
            actions.append(ReplayAction("seek", min(duration, position + SKIP)))
        imgui.same_line()
        return actions

    def _button(self, key: str, icon: str, tooltip: str) -> bool:
        """Draw a button with an icon and a tooltip; returns whether it was pressed."""
        width = imgui.get_frame_height() * 1.25
        pressed = imgui.button(f"{icon}##{key}", imgui.ImVec2(width, 0.0))
        self._ui.items.note(f"replay:{key}")
        if imgui.is_item_hovered(imgui.HoveredFlags_.delay_short.value):
            imgui.set_tooltip(tooltip)
        return pressed

    def _speed(self, speed: float) -> ReplayAction | None:
        """Draw the choice of the speed; returns a ReplayAction "speed" if it was changed, or None."""
        imgui.set_next_item_width(imgui.get_font_size() * 4.5)
        nearest = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - speed))
        changed, index = imgui.combo("##speed", nearest, [f"{factor:g} x" for factor in SPEEDS])
        self._ui.items.note("replay:speed")
        return ReplayAction("speed", SPEEDS[index]) if changed else None
