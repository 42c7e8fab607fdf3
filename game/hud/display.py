"""Layout of the instruments and messages in the picture.

At the bottom the block at the left, map and dial at the right with the lamps of the driving aids above the dial, in a
narrow picture the map above these; the lap box at the top right, or next to a mirror there.
"""

from __future__ import annotations

from imgui_bundle import imgui

from driving_sandbox.game.hud import dial
from driving_sandbox.game.hud.block import HEIGHT, block_width, draw_block
from driving_sandbox.game.hud.frame import HudFrame
from driving_sandbox.game.hud.lamps import draw_lamps, lamps_size
from driving_sandbox.game.hud.lap_box import LapBox
from driving_sandbox.game.hud.map import SIZE
from driving_sandbox.game.hud.style import GAP, GLASS, LEVEL_COLORS, SMALL
from driving_sandbox.game.toolkit.pen import Pen
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT, suggested_scale
from driving_sandbox.game.windows.overlays import draw_chip

REFERENCE_HEIGHT = 720.0
MARGIN = 20.0  # units, from the instruments to the picture's border
VEHICLE_WIDTH = 350.0  # units, width of a car seen by the chase camera
SMALL_DIAL = 0.66  # of its usual size, where panels leave little width
MIN_SCALE, MAX_SCALE = 0.6, 1.6  # of `Hud.scale`
LAMP_GAP = 4.0  # units between dial and lamps
MIN_MESSAGE_WIDTH = 240.0  # units left for a message next to the lap box; with less it goes below the box


class Hud:
    """Draws HudFrames.

    Args:
        ui: ImGuiBackend. map: game.hud.map.MiniMap or None.
    Attributes:
        visible, map_visible. scale: size of the instruments, 1 suits the picture. It is the interface scale that the
        user has chosen divided by the one suggested for the picture, within MIN_SCALE..MAX_SCALE. low: pixels from the
        picture's top to the instruments at the bottom.
    """

    def __init__(self, ui, map=None):
        self.visible = self.map_visible = True
        self.low = float(ui.size[1])
        self._ui, self._map = ui, map
        self._pen = Pen(ui.fonts)
        self._laps = LapBox(self._pen)
        self._chosen = self._corner = None
        self._follow_scale()

    def _follow_scale(self) -> None:
        """Only a new choice counts: the instruments keep their share of a picture that changes its size."""
        if self._chosen != self._ui.scale:
            self._chosen = self._ui.scale
            scale = self._chosen / suggested_scale(self._ui.size[1])
            self.scale = min(MAX_SCALE, max(MIN_SCALE, scale))

    def draw(self, frame, area=None, mirrors=()):
        """Draw into `area` (x, y, width, height in pixels), the part of the picture no panel covers.

        mirrors: [(left, top, right, bottom)] in shares of the picture, which the lap box must not cover.
        """
        self.low = float(self._ui.size[1])
        if not self.visible:
            return
        self._follow_scale()
        x, y, width, height = area or (0.0, 0.0, *self._ui.size)
        unit = self._ui.size[1] / REFERENCE_HEIGHT * self.scale
        pen = self._pen
        pen.begin(imgui.get_background_draw_list())
        margin, dial_radius = MARGIN * unit, (dial.RADIUS + dial.RIM) * unit
        right, bottom, top = x + width - margin, y + height - margin, y + margin
        left_over = width - 2.0 * dial_radius - 3.0 * margin
        with_grip = frame.acceleration is not None and left_over >= block_width(frame, True) * unit
        block = block_width(frame, with_grip) * unit
        wide = left_over >= block
        share = 1.0 if wide else SMALL_DIAL
        self.low = bottom - 2.0 * dial_radius * share
        self._put("dial", right - 2.0 * dial_radius * share, self.low, right, bottom)
        dial.draw_dial(pen, frame, right - dial_radius * share, bottom - dial_radius * share, unit, share)
        self.low -= self._place_lamps(frame, right, unit)
        box = self._times(frame, (x + margin, top, right), mirrors, unit)
        if wide:
            self.low = min(self.low, self._place_map(frame, (right, bottom), box[3], left_over - block, unit))
        left, low = x + margin, bottom
        if not wide:  # panels open on a small screen: into the sky, away from the car
            left, low = right - block, box[3] + HEIGHT * unit
        self._put("block", left, low - HEIGHT * unit, left + block, low)
        draw_block(pen, frame, left, low - HEIGHT * unit, unit, with_grip)
        self._status(frame, x, top, width, (y if wide else low) + 44.0 * unit, box, unit)

    def _put(self, name, left, top, right, bottom):
        self._ui.items.put(f"hud:{name}", (left, top, right, bottom))

    def _place_lamps(self, frame: HudFrame, right: float, unit: float) -> float:
        """Draw the lamps above the dial, up to `right`; returns the height they take with the gap below them."""
        width, height = lamps_size(self._pen, frame, unit)
        if not width:
            return 0.0
        bottom = self.low - LAMP_GAP * unit
        self._put("lamps", right - width, bottom - height, right, bottom)
        draw_lamps(self._pen, frame, right - width, bottom - height, unit)
        return height + LAMP_GAP * unit

    def _place_map(self, frame, corner, ceiling, free, unit):
        """Draw the map next to the dial, which is in the `corner` (right, bottom), if the vehicle can be seen between
        map and block; else above dial and lamps if it is below `ceiling` there; else next to the dial if it fits. free:
        pixels between block and dial. Returns the upper edge of the map, or `bottom` without one."""
        size, gap, dial_width = SIZE * unit, GAP * unit, 2.0 * (dial.RADIUS + dial.RIM) * unit
        right, bottom = corner
        above = self.low - gap - size
        if self._map is None or self._map.empty or frame.position is None or not self.map_visible:
            return bottom
        if free - size < VEHICLE_WIDTH * unit and above >= ceiling:
            return self._draw_map(frame, right - size, above, unit)
        if free >= size + MARGIN * unit:
            return self._draw_map(frame, right - dial_width - gap - size, bottom - size, unit)
        return bottom

    def _draw_map(self, frame, left, top, unit):
        self._put("map", left, top, left + SIZE * unit, top + SIZE * unit)
        self._map.draw(self._pen, frame.position, frame.heading, frame.others, left, top, unit)
        return top

    def _times(self, frame, area, mirrors, unit):
        """Draw the lap box; area: (left, top, right) that is free for it. Returns its (left, top, right, bottom plus a
        gap), of width 0 where there is nothing to show."""
        width, height = self._laps.size(frame, unit)
        if not width:
            return area[2], area[1], area[2], area[1]
        across, down = self._ui.size
        mirrors = [(left * across, top * down, right * across, bottom * down) for left, top, right, bottom in mirrors]
        self._corner = right, top = box_corner((width, height + GAP * unit), area, mirrors, GAP * unit, self._corner)
        if not mirrors:
            self._corner = None
        left, bottom = right - width, top + height
        self._put("laps", left, top, right, bottom)
        self._laps.draw(frame, left, top, unit)
        return left, top, right, bottom + GAP * unit

    def _status(self, frame, x, y, width, top, box, unit):
        """Recording at the top left, pause and messages in the middle from `top` on, next to the lap box or below
        it."""
        pen = self._pen
        if frame.recording is not None:
            minutes, seconds = divmod(int(frame.recording), 60)
            label = f"{minutes:02d}:{seconds:02d}"
            left = x + MARGIN * unit
            pen.rect(left, y, pen.width(label, SMALL * unit) + 34.0 * unit, 26.0 * unit, GLASS, 13.0 * unit)
            pen.disc(left + 14.0 * unit, y + 13.0 * unit, 5.0 * unit, ERROR)
            pen.text(left + 24.0 * unit, y + 13.0 * unit, label, SMALL * unit, TEXT)
            self._put("recording", left, y, left + pen.width(label, SMALL * unit) + 34.0 * unit, y + 26.0 * unit)
        centre, widest = x + width / 2.0, width - 2.0 * MARGIN * unit
        if box[0] < box[2]:
            next_to_box = 2.0 * (box[0] - GAP * unit - centre)
            if next_to_box >= MIN_MESSAGE_WIDTH * unit:
                widest = min(widest, next_to_box)
            else:
                top = max(top, box[3] + 24.0 * unit)
        if frame.paused:
            draw_chip(pen, centre, top, "Paused", 18.0 * unit, ACCENT, unit)
            top += 42.0 * unit
        elif frame.time_scale != 1.0:
            draw_chip(pen, centre, top, f"{frame.time_scale:g}x", 18.0 * unit, ACCENT, unit)
            top += 42.0 * unit
        for message in frame.messages:
            pen.opacity = message.opacity
            color = LEVEL_COLORS.get(message.level, ACCENT)
            top += draw_chip(pen, centre, top, message.text, 16.0 * unit, color, unit, widest) + 6.0 * unit
        pen.opacity = 1.0


def box_corner(size, area, mirrors, gap, before=None):
    """Upper right corner (right, top) of a box, so that it covers no mirror.

    It is at the right of the area (left, top, right) if no mirror is there, else next to the mirrors there, else below
    them. Mirrors sway as the head does: the corner `before` is kept while the box covers none there.

    Args:
        size: (width, height). mirrors: [(left, top, right, bottom)]. gap: to a mirror. All in pixels.
    """
    width, height = size

    def covered(right, top, gap):
        return [m for m in mirrors if m[0] - gap < right and right - width < m[2] + gap and m[1] < top + height
                and top < m[3]]  # fmt: skip

    left, top, right = area
    if before is not None and left + width <= before[0] <= right and not covered(*before, 0.0):
        return before
    for edge in (right, *sorted((m[0] - gap for m in mirrors), reverse=True)):
        if left + width <= edge <= right and not covered(edge, top, gap):
            return edge, top
    return right, gap + max(m[3] for m in mirrors if m[0] - gap < right and right - width < m[2] + gap)
