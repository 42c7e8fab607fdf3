"""What the driver reads while driving: speed, revs, gear, pedals, steering, and load and slip of every wheel.

Drawn with Dear ImGui's draw lists behind all windows of the panel, so it is crisp at any size. Everything is
measured in units of 1/720 of the picture's height. Help, first words, pause and replay are in `game.panel.overlays`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from imgui_bundle import imgui

from game.panel.overlays import HelpOverlay, ReplayAction, ReplayBar, Welcome, draw_chip
from game.panel.pen import Pen
from game.panel.theme import ACCENT, ERROR, GOOD, TEXT, TEXT_DIM, WARNING

__all__ = ["HelpOverlay", "Hud", "HudFrame", "Message", "MessageFeed", "ReplayAction", "ReplayBar", "Welcome"]

KMH, MPH = 3.6, 2.2369363  # per m/s
REFERENCE_HEIGHT = 720.0
GLASS = (0.035, 0.042, 0.050, 0.62)
TRACK = (1.0, 1.0, 1.0, 0.13)
CLUTCH = (0.30, 0.66, 0.92, 1.0)
DIAL_START, DIAL_SWEEP = math.radians(140.0), math.radians(260.0)
DIAL_RADIUS, DIAL_MARGIN = 92.0, 20.0
BLOCK_WIDTH, BLOCK_HEIGHT = 236.0, 118.0  # pedals, steering and wheels, for two axles
SMALL_DIAL = 0.66  # of its usual size, where panels leave little room
FADE_IN, FADE_OUT = 0.15, 0.6  # s
LEVEL_COLORS = {"info": ACCENT, "good": GOOD, "warning": WARNING, "error": ERROR}


@dataclass
class Message:
    """A line shown for some seconds. `level` is info, good, warning or error."""

    text: str
    level: str = "info"
    duration: float = 4.0
    age: float = 0.0

    @property
    def opacity(self):
        return max(0.0, min(1.0, self.age / FADE_IN, (self.duration - self.age) / FADE_OUT))


class MessageFeed:
    """The latest messages; the same text again starts its time anew instead of filling the screen."""

    def __init__(self, capacity=4):
        self.capacity = capacity
        self.messages = []

    def post(self, text, level="info", seconds=4.0):
        for message in self.messages:
            if message.text == text:
                message.age, message.duration, message.level = min(message.age, FADE_IN), seconds, level
                return
        self.messages.append(Message(text, level, seconds))
        del self.messages[: -self.capacity]

    def step(self, elapsed):
        """Let `elapsed` seconds of real time pass."""
        for message in self.messages:
            message.age += elapsed
        self.messages = [message for message in self.messages if message.age < message.duration]


@dataclass
class HudFrame:
    """One instant, as shown. Speed in m/s; pedals 0..1; `steer` -1..1, + to the right.

    `max_rpm` 0 means no engine: the dial then shows speed up to `top_speed`. Per wheel: load in N, slip as a ratio
    (0.1 reads 10 %), saturation as the share of the available friction in use. `axles` are rows of wheel indices.
    `recording` is seconds recorded or None. `timing` is a list of (what, value) texts: laps, sectors, splits.
    """

    speed: float = 0.0
    rpm: float = 0.0
    max_rpm: float = 0.0
    redline_rpm: float = 0.0
    gear: str = "N"
    automatic: bool = False
    throttle: float = 0.0
    brake: float = 0.0
    clutch: float = 0.0
    handbrake: float = 0.0
    steer: float = 0.0
    wheel_loads: list = field(default_factory=list)
    wheel_slips: list = field(default_factory=list)
    wheel_saturations: list = field(default_factory=list)
    axles: list = field(default_factory=list)
    rest_load: float = 3500.0
    top_speed: float = 55.0
    recording: float | None = None
    paused: bool = False
    timing: list = field(default_factory=list)
    messages: list = field(default_factory=list)
    miles: bool = False


def blend(a, b, share):
    return tuple(x + (y - x) * share for x, y in zip(a, b, strict=True))


def saturation_color(share):
    """Calm below 70 % of the friction, amber at 90 %, red when all of it is used."""
    if share < 0.9:
        return blend(GOOD, WARNING, min(1.0, max(0.0, (share - 0.7) / 0.2)))
    return blend(WARNING, ERROR, min(1.0, (share - 0.9) / 0.1))


class Hud:
    """Draws HudFrames. `scale` enlarges everything, 1 suits a picture that fills the screen."""

    def __init__(self, ui, scale=1.0):
        self.scale = scale
        self.visible = True
        self._ui = ui
        self._pen = Pen(ui.fonts)

    def draw(self, frame, area=None):
        """Draw into `area` (x, y, width, height in pixels), the part of the picture no panel covers."""
        if not self.visible:
            return
        x, y, width, height = area or (0.0, 0.0, *self._ui.size)
        unit = self._ui.size[1] / REFERENCE_HEIGHT * self.scale
        self._pen.begin(imgui.get_background_draw_list())
        margin = DIAL_MARGIN * unit
        dial = (DIAL_RADIUS + 10.0) * unit
        right, bottom = x + width - margin, y + height - margin
        rows = max(2, len(frame.axles))
        block_width = (BLOCK_WIDTH + 62.0 * (rows - 2)) * unit
        left, low, top = x + margin, bottom, y + margin
        beside = width >= block_width + 2.0 * dial + 3.0 * margin
        share = 1.0 if beside else SMALL_DIAL
        self._dial(frame, right - dial * share, bottom - dial * share, unit * share)
        below = self._times(frame.timing, right, top, unit)
        if not beside:  # panels open on a small screen: into the sky, away from the car
            left, low = right - block_width, below + BLOCK_HEIGHT * unit
        self._block(frame, left, low - BLOCK_HEIGHT * unit, block_width, unit)
        self._status(frame, x, top, width, (y if beside else low) + 44.0 * unit, unit)

    # -- dial -------------------------------------------------------------------------------------------------------

    def _dial(self, frame, x, y, unit):
        """Revs around speed and gear; without an engine the ring shows speed."""
        pen, radius = self._pen, DIAL_RADIUS * unit
        shown = frame.speed * (MPH if frame.miles else KMH)
        if frame.max_rpm > 0.0:
            full, value, redline, step = frame.max_rpm, frame.rpm, frame.redline_rpm or frame.max_rpm, 1000.0
            divisor = 1000.0
        else:
            full = frame.top_speed * (MPH if frame.miles else KMH)
            value, redline, step, divisor = abs(shown), full, 20.0 if full < 200.0 else 40.0, 1.0
        share = min(1.0, max(0.0, value / full))
        warm = redline < full and value >= redline
        pen.disc(x, y, radius + 10.0 * unit, GLASS)
        pen.arc(x, y, radius, DIAL_START, DIAL_START + DIAL_SWEEP, TRACK, 5.0 * unit)
        if redline < full:
            pen.arc(x, y, radius, DIAL_START + DIAL_SWEEP * redline / full, DIAL_START + DIAL_SWEEP,
                    (*ERROR[:3], 0.75), 5.0 * unit)  # fmt: skip
        end = DIAL_START + DIAL_SWEEP * share
        pen.arc(x, y, radius, DIAL_START, end, ERROR if warm else ACCENT, 5.0 * unit)
        self._ticks(x, y, radius, full, step, divisor, unit)
        pen.ray(x, y, end, radius - 15.0 * unit, radius + 4.0 * unit, TEXT, 2.5 * unit)
        pen.text(x, y - 10.0 * unit, f"{abs(shown):.0f}", 50.0 * unit, TEXT, 0.5, bold=True)
        pen.text(x, y + 21.0 * unit, "mph" if frame.miles else "km/h", 13.0 * unit, TEXT_DIM, 0.5)
        pen.text(x, y + 58.0 * unit, frame.gear, 34.0 * unit, ERROR if warm else ACCENT, 0.5, bold=True)
        if frame.max_rpm > 0.0:
            mode = "AUTO" if frame.automatic else "MANUAL"
            pen.text(x, y + 83.0 * unit, mode, 11.0 * unit, TEXT_DIM, 0.5)

    def _ticks(self, x, y, radius, full, step, divisor, unit):
        pen = self._pen
        while full / step > 12.0:
            step *= 2.0
        for i in range(int(full / step) + 1):
            angle = DIAL_START + DIAL_SWEEP * i * step / full
            pen.ray(x, y, angle, radius - 9.0 * unit, radius - 3.0 * unit, TEXT_DIM, 1.4 * unit)
            far = radius - 18.0 * unit
            label = f"{i * step / divisor:g}"
            pen.text(x + math.cos(angle) * far, y + math.sin(angle) * far, label, 12.0 * unit, TEXT_DIM, 0.5)

    # -- pedals, steering, wheels -----------------------------------------------------------------------------------

    def _block(self, frame, x, y, width, unit):
        pen = self._pen
        pen.rect(x, y, width, BLOCK_HEIGHT * unit, GLASS, 9.0 * unit)
        inner, top = x + 12.0 * unit, y + 12.0 * unit
        pedals = (("C", frame.clutch, CLUTCH), ("B", frame.brake, ERROR), ("T", frame.throttle, GOOD),
                  ("H", frame.handbrake, WARNING))  # fmt: skip
        height = 60.0 * unit
        for i, (letter, value, color) in enumerate(pedals):
            left = inner + i * 22.0 * unit
            value = min(1.0, max(0.0, value))
            pen.rect(left, top, 13.0 * unit, height, TRACK, 3.0 * unit)
            if value > 0.005:
                filled = height * value
                pen.rect(left, top + height - filled, 13.0 * unit, filled, color, 3.0 * unit)
            pen.text(left + 6.5 * unit, top + height + 9.0 * unit, letter, 11.5 * unit, TEXT_DIM, 0.5)
        self._steering(frame.steer, inner, top + height + 24.0 * unit, 79.0 * unit, unit)
        self._wheels(frame, inner + 102.0 * unit, y, width - 114.0 * unit, unit)

    def _steering(self, steer, x, y, width, unit):
        pen, centre = self._pen, x + width / 2.0
        height = 6.0 * unit
        pen.rect(x, y, width, height, TRACK, 3.0 * unit)
        offset = width / 2.0 * min(1.0, max(-1.0, steer))
        pen.rect(min(centre, centre + offset), y, abs(offset), height, ACCENT, 2.0 * unit)
        pen.rect(centre + offset - 1.5 * unit, y - 3.0 * unit, 3.0 * unit, height + 6.0 * unit, TEXT, 1.5 * unit)

    def _wheels(self, frame, x, y, width, unit):
        """Wheels as from above, front axle on top; fill is load, colour the share of friction in use."""
        if not frame.axles:
            return
        pen, rows = self._pen, len(frame.axles)
        room = (BLOCK_HEIGHT - 16.0) * unit
        columns = rows > 2  # many axles: axles beside each other, front at the left
        cell_height = room / (2 if columns else rows)
        cell_width = width / (rows if columns else 2)
        for i, wheels in enumerate(frame.axles):
            for j, wheel in enumerate(wheels[:2]):
                column, row = (i, j) if columns else (j, i)
                left = x + column * cell_width
                if len(wheels) == 1 and not columns:
                    left += cell_width / 2.0
                self._wheel(frame, wheel, left, y + 8.0 * unit + row * cell_height, cell_height, unit)
        pen.opacity = 1.0

    def _wheel(self, frame, wheel, x, y, height, unit):
        pen = self._pen
        load, slip = frame.wheel_loads[wheel], frame.wheel_slips[wheel]
        color = saturation_color(frame.wheel_saturations[wheel])
        box_width, box_height = 15.0 * unit, height - 10.0 * unit
        top = y + 5.0 * unit
        pen.rect(x, top, box_width, box_height, TRACK, 4.0 * unit)
        filled = box_height * min(1.0, max(0.0, load / (2.0 * frame.rest_load)))
        if filled > 1.0:
            pen.rect(x, top + box_height - filled, box_width, filled, color, min(4.0 * unit, filled / 2.0))
        if load <= 0.0:
            pen.frame(x, top, box_width, box_height, TEXT_DIM, 4.0 * unit, unit)
        text = x + box_width + 6.0 * unit
        middle = top + box_height / 2.0
        pen.text(text, middle - 8.0 * unit, f"{load / 1000.0:.1f} kN", 12.5 * unit, TEXT if load > 0.0 else TEXT_DIM)
        slip_color = TEXT_DIM if abs(slip) < 0.05 else color
        pen.text(text, middle + 8.0 * unit, f"{slip * 100.0:.0f} %", 12.5 * unit, slip_color)

    def _times(self, lines, right, top, unit):
        """Lap, sector and split times, at the top right; the first line is the name. Returns where they end."""
        if not lines:
            return top
        pen, size, row = self._pen, 14.0 * unit, 21.0 * unit
        what = max(pen.width(text, size) for text, _ in lines)
        width = what + max(pen.width(value, size) for _, value in lines) + 44.0 * unit
        left = right - width
        pen.rect(left, top, width, row * len(lines) + 14.0 * unit, GLASS, 10.0 * unit)
        for k, (text, value) in enumerate(lines):
            middle = top + 7.0 * unit + row * (k + 0.5)
            pen.text(left + 14.0 * unit, middle, text, size, ACCENT if k == 0 else TEXT_DIM)
            pen.text(left + width - 14.0 * unit - pen.width(value, size), middle, value, size, TEXT)
        return top + row * len(lines) + 24.0 * unit

    # -- status -----------------------------------------------------------------------------------------------------

    def _status(self, frame, x, y, width, top, unit):
        """Recording at the top left, pause and messages in the middle from `top` on."""
        pen = self._pen
        if frame.recording is not None:
            minutes, seconds = divmod(int(frame.recording), 60)
            label = f"{minutes:02d}:{seconds:02d}"
            left = x + DIAL_MARGIN * unit
            pen.rect(left, y, pen.width(label, 14.0 * unit) + 34.0 * unit, 26.0 * unit, GLASS, 13.0 * unit)
            pen.disc(left + 14.0 * unit, y + 13.0 * unit, 5.0 * unit, ERROR)
            pen.text(left + 24.0 * unit, y + 13.0 * unit, label, 14.0 * unit, TEXT)
        centre, room = x + width / 2.0, width - 2.0 * DIAL_MARGIN * unit
        if frame.paused:
            draw_chip(pen, centre, top, "Paused", 18.0 * unit, ACCENT, unit)
            top += 42.0 * unit
        for message in frame.messages:
            pen.opacity = message.opacity
            color = LEVEL_COLORS.get(message.level, ACCENT)
            top += draw_chip(pen, centre, top, message.text, 16.0 * unit, color, unit, room) + 6.0 * unit
        pen.opacity = 1.0
