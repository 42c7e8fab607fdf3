"""Where the instruments stand in the picture, lap times, and what is said."""

from __future__ import annotations

from imgui_bundle import imgui

from game.panel.overlays import draw_chip
from game.panel.pen import Pen
from game.panel.theme import ACCENT, ERROR, GOOD, TEXT, WARNING, suggested_scale
from game.view.hud import dial
from game.view.hud.block import HEIGHT, block_width, draw_block
from game.view.hud.style import GLASS, LABEL, LEVEL_COLORS, glass

REFERENCE_HEIGHT = 720.0
MARGIN = 20.0
SMALL_DIAL = 0.66  # of its usual size, where panels leave little room
SCALES = 0.6, 1.6  # of the instruments against those that suit the picture
RUNNING = ("lap", "run")  # the line of the time that runs


class Hud:
    """Draws HudFrames. `scale` enlarges everything, 1 suits a picture that fills the screen.

    It follows the interface scale: what a person made larger or smaller than suits the picture, so are the instruments.
    """

    def __init__(self, ui):
        self.visible = True
        self._ui = ui
        self._pen = Pen(ui.fonts)
        self._chosen = None
        self._follow_scale()

    def _follow_scale(self):
        """Only a new choice counts: the instruments keep their share of a picture that changes its size."""
        if self._chosen != self._ui.scale:
            self._chosen = self._ui.scale
            low, high = SCALES
            self.scale = min(high, max(low, self._chosen / suggested_scale(self._ui.size[1])))

    def draw(self, frame, area=None):
        """Draw into `area` (x, y, width, height in pixels), the part of the picture no panel covers."""
        if not self.visible:
            return
        self._follow_scale()
        x, y, width, height = area or (0.0, 0.0, *self._ui.size)
        unit = self._ui.size[1] / REFERENCE_HEIGHT * self.scale
        pen = self._pen
        pen.begin(imgui.get_background_draw_list())
        margin, round_ = MARGIN * unit, (dial.RADIUS + dial.RIM) * unit
        right, bottom, top = x + width - margin, y + height - margin, y + margin
        left_over = width - 2.0 * round_ - 3.0 * margin
        with_grip = frame.acceleration is not None and left_over >= block_width(frame, True) * unit
        block = block_width(frame, with_grip) * unit
        beside = left_over >= block
        share = 1.0 if beside else SMALL_DIAL
        dial.draw_dial(pen, frame, right - round_ * share, bottom - round_ * share, unit * share)
        below = self._times(frame.timing, right, top, unit)
        left, low = x + margin, bottom
        if not beside:  # panels open on a small screen: into the sky, away from the car
            left, low = right - block, below + HEIGHT * unit
        draw_block(pen, frame, left, low - HEIGHT * unit, unit, with_grip)
        self._status(frame, x, top, width, (y if beside else low) + 44.0 * unit, unit)

    def _times(self, lines, right, top, unit):
        """Lap, sector and split times, at the top right; the first line is the name. Returns where they end."""
        if not lines:
            return top
        pen, size, row = self._pen, 14.0 * unit, 21.0 * unit
        what = max(pen.width(text, size) for text, _ in lines)
        width = what + max(pen.width(value, size * (1.5 if text in RUNNING else 1.0)) for text, value in lines)
        width += 48.0 * unit
        left = right - width
        height = row * len(lines) + 14.0 * unit + sum(8.0 * unit for text, _ in lines if text in RUNNING)
        glass(pen, left, top, width, height, unit)
        middle, end = top + 7.0 * unit, right - 14.0 * unit
        for k, (text, value) in enumerate(lines):
            tall = text in RUNNING
            step = row + (8.0 * unit if tall else 0.0)
            pen.text(left + 14.0 * unit, middle + 0.5 * step, text, size, ACCENT if k == 0 else LABEL)
            self._value(value, end, middle + 0.5 * step, size * (1.5 if tall else 1.0), tall)
            middle += step
        return top + height + 10.0 * unit

    def _value(self, value, end, middle, size, bold):
        """A time; a difference to the best beside it is green when faster, amber when slower."""
        pen = self._pen
        for word in reversed(value.split("  ")):
            color = GOOD if word[:1] == "-" else WARNING if word[:1] == "+" else TEXT
            pen.text(end, middle, word, size, color, 1.0, bold)
            end -= pen.width(word + "  ", size, bold)

    def _status(self, frame, x, y, width, top, unit):
        """Recording at the top left, pause and messages in the middle from `top` on."""
        pen = self._pen
        if frame.recording is not None:
            minutes, seconds = divmod(int(frame.recording), 60)
            label = f"{minutes:02d}:{seconds:02d}"
            left = x + MARGIN * unit
            pen.rect(left, y, pen.width(label, 14.0 * unit) + 34.0 * unit, 26.0 * unit, GLASS, 13.0 * unit)
            pen.disc(left + 14.0 * unit, y + 13.0 * unit, 5.0 * unit, ERROR)
            pen.text(left + 24.0 * unit, y + 13.0 * unit, label, 14.0 * unit, TEXT)
        centre, room = x + width / 2.0, width - 2.0 * MARGIN * unit
        if frame.paused:
            draw_chip(pen, centre, top, "Paused", 18.0 * unit, ACCENT, unit)
            top += 42.0 * unit
        for message in frame.messages:
            pen.opacity = message.opacity
            color = LEVEL_COLORS.get(message.level, ACCENT)
            top += draw_chip(pen, centre, top, message.text, 16.0 * unit, color, unit, room) + 6.0 * unit
        pen.opacity = 1.0
