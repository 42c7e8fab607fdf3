"""Layout of the instruments and messages in the frame.

The block (controls, wheels, g-g diagram) is at the lower left. The dial is at the lower right, with the lamps of the
driving aids above it and the map to its left; in a narrow frame the map is above the lamps. The lap box is at the upper
right, or next to a mirror there. If panels leave too little width for dial and block, the dial is smaller, the block is
below the lap box, and there is no map.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.hud import dial
from driving_sandbox.game.hud.block import HEIGHT, block_width, draw_block
from driving_sandbox.game.hud.frame import HudFrame
from driving_sandbox.game.hud.lamps import draw_lamps, lamps_size
from driving_sandbox.game.hud.lap_box import LapBox
from driving_sandbox.game.hud.map import SIZE, MiniMap
from driving_sandbox.game.hud.style import GAP, GLASS, LEVEL_COLORS, SMALL
from driving_sandbox.game.toolkit.pen import Pen
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, TEXT, suggested_scale
from driving_sandbox.game.windows.overlays import draw_chip

REFERENCE_HEIGHT = 720.0  # pixels, height of the frame in which a unit is one pixel at scale 1
MARGIN = 20.0  # units, from the instruments to the frame's border
VEHICLE_WIDTH = 350.0  # units, width of a car seen by the chase camera
SMALL_DIAL = 0.66  # size of the dial / normal size, if panels leave little width
MIN_SCALE, MAX_SCALE = 0.6, 1.6  # limits of `Hud.scale`
LAMP_GAP = 4.0  # units between dial and lamps
MIN_MESSAGE_WIDTH = 240.0  # units; if the lap box leaves less width for a message, the message is below the box


class Hud:
    """Draws HudFrames.

    Args:
        ui: ImGuiBackend.
        map: game.hud.map.MiniMap or None.
    Attributes:
        visible: whether anything is drawn.
        map_visible: whether the map is drawn.
        scale: size of the instruments relative to the frame: the interface scale that the user has chosen divided by
            the one suggested for the frame, within MIN_SCALE..MAX_SCALE.
        low: pixels from the frame's top to the instruments at the bottom.
    """

    def __init__(self, ui: Any, map: MiniMap | None = None) -> None:
        self.visible = self.map_visible = True
        self.low = float(ui.size[1])
        self._ui, self._map = ui, map
        self._pen = Pen(ui.fonts)
        self._laps = LapBox(self._pen)
        self._chosen: float | None = None  # interface scale followed last
        # upper right corner of the lap box in the frame before, None without mirrors
        self._corner: tuple[float, float] | None = None
        self._follow_scale()

    def _follow_scale(self) -> None:
        """Update `scale` after a new choice of interface scale.

        A change of the frame's size alone leaves `scale`, so that the instruments keep their share of the frame.
        """
        chosen = self._ui.scale
        if self._chosen != chosen:
            self._chosen = chosen
            scale = chosen / suggested_scale(self._ui.size[1])
            self.scale = min(MAX_SCALE, max(MIN_SCALE, scale))

    def draw(
        self, frame: HudFrame, area: tuple[float, float, float, float] | None = None, mirrors: Sequence[Any] = ()
    ) -> None:
        """Draw the values of a HudFrame.

        Args:
            frame: HudFrame.
            area: (x, y, width, height) in pixels of the part of the frame that no panel covers; None for all of it.
            mirrors: [(left, top, right, bottom)] as shares of the frame, which the lap box must not cover.
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
        with_grip = frame.acceleration is not None and left_over >= block_width(frame, with_grip=True) * unit
        block = block_width(frame, with_grip) * unit
        has_room = left_over >= block
        dial_size = 1.0 if has_room else SMALL_DIAL
        self.low = bottom - 2.0 * dial_radius * dial_size
        self._put("dial", right - 2.0 * dial_radius * dial_size, self.low, right, bottom)
        dial.draw_dial(pen, frame, right - dial_radius * dial_size, bottom - dial_radius * dial_size, unit, dial_size)
        self.low -= self._place_lamps(frame, right, unit)
        box = self._place_laps(frame, (x + margin, top, right), mirrors, unit)
        if has_room:
            self.low = min(self.low, self._place_map(frame, (right, bottom), box[3], left_over - block, unit))
        block_left, block_bottom = x + margin, bottom
        if not has_room:  # panels are open on a small screen: the block goes to the sky, away from the car
            block_left, block_bottom = right - block, box[3] + HEIGHT * unit
        self._put("block", block_left, block_bottom - HEIGHT * unit, block_left + block, block_bottom)
        draw_block(pen, frame, block_left, block_bottom - HEIGHT * unit, unit, with_grip)
        self._status(frame, x, top, width, (y if has_room else block_bottom) + 44.0 * unit, box, unit)

    def _put(self, name: str, left: float, top: float, right: float, bottom: float) -> None:
        self._ui.items.put(f"hud:{name}", (left, top, right, bottom))

    def _place_lamps(self, frame: HudFrame, right: float, unit: float) -> float:
        """Draw the lamps above the dial, with their right edge at `right`.

        Returns their height plus the gap, pixels.
        """
        width, height = lamps_size(self._pen, frame, unit)
        if not width:
            return 0.0
        bottom = self.low - LAMP_GAP * unit
        self._put("lamps", right - width, bottom - height, right, bottom)
        draw_lamps(self._pen, frame, right - width, bottom - height, unit)
        return height + LAMP_GAP * unit

    def _place_map(
        self, frame: HudFrame, corner: tuple[float, float], ceiling: float, free: float, unit: float
    ) -> float:
        """Draw the map and return its upper edge, or the lower border of the instruments if there is no map.

        The map is next to the dial if the vehicle stays visible between map and block; else above dial and lamps if
        there is room below `ceiling`; else next to the dial if it fits.

        Args:
            corner: (right, bottom) of the dial, pixels.
            ceiling: smallest y (highest position) of the map's upper edge above the dial, pixels.
            free: width between block and dial, pixels.
        """
        size, gap, dial_width = SIZE * unit, GAP * unit, 2.0 * (dial.RADIUS + dial.RIM) * unit
        right, bottom = corner
        above = self.low - gap - size
        if self._map is None or self._map.empty or frame.position is None or not self.map_visible:
            return bottom
        if free - size < VEHICLE_WIDTH * unit and above >= ceiling:
            return self._draw_map(self._map, frame, (right - size, above), unit)
        if free >= size + MARGIN * unit:
            return self._draw_map(self._map, frame, (right - dial_width - gap - size, bottom - size), unit)
        return bottom

    def _draw_map(self, map: MiniMap, frame: HudFrame, corner: tuple[float, float], unit: float) -> float:
        """Draw the map from its upper left corner, and return its upper edge, pixels."""
        left, top = corner
        self._put("map", left, top, left + SIZE * unit, top + SIZE * unit)
        assert frame.position is not None  # `_place_map` has checked it
        map.draw(self._pen, frame.position, frame.heading, frame.others, left, top, unit)
        return top

    def _place_laps(
        self, frame: HudFrame, area: tuple[float, float, float], mirrors: Sequence[Any], unit: float
    ) -> tuple[float, float, float, float]:
        """Draw the lap box within `area`, (left, top, right) in pixels.

        Returns (left, top, right, bottom plus a gap) of the box, of width 0 if there is nothing to show.
        """
        width, height = self._laps.size(frame, unit)
        if not width:
            return area[2], area[1], area[2], area[1]
        frame_width, frame_height = self._ui.size
        mirrors = [
            (left * frame_width, top * frame_height, right * frame_width, bottom * frame_height)
            for left, top, right, bottom in mirrors
        ]
        self._corner = right, top = box_corner((width, height + GAP * unit), area, mirrors, GAP * unit, self._corner)
        if not mirrors:
            self._corner = None
        left, bottom = right - width, top + height
        self._put("laps", left, top, right, bottom)
        self._laps.draw(frame, left, top, unit)
        return left, top, right, bottom + GAP * unit

    def _status(self, frame: HudFrame, x: float, y: float, width: float, top: float, box: tuple, unit: float) -> None:
        """Draw the recording's time at the upper left; in the middle "Paused" or the time scale, and the messages.

        Args:
            x: left edge of the free part of the frame, pixels.
            y: top of the recording's time, pixels.
            width: width of the free part, pixels.
            top: top of the messages, pixels; lower if the lap box leaves too little width.
            box: (left, top, right, bottom) of the lap box.
            unit: length of a unit, pixels.
        """
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


def box_corner(
    size: tuple[float, float],
    area: tuple[float, float, float],
    mirrors: Sequence[Any],
    gap: float,
    before: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """The upper right corner (right, top) at which a box covers no mirror, pixels.

    The box is at the right of the area if no mirror is there, else next to the mirrors there, else below them. Mirrors
    move with the driver's head, so the corner `before` is kept as long as the box covers no mirror there.

    Args:
        size: (width, height) of the box, pixels.
        area: (left, top, right) of the free part of the frame, pixels.
        mirrors: [(left, top, right, bottom)], pixels.
        gap: distance to a mirror, pixels.
        before: the corner in the last frame, or None.
    """
    width, height = size

    def covered(right: float, top: float, gap: float) -> list[Any]:
        """The mirrors that the box would cover with its upper right corner there."""
        return [m for m in mirrors if m[0] - gap < right and right - width < m[2] + gap and m[1] < top + height
                and top < m[3]]  # fmt: skip

    left, top, right = area
    if before is not None and left + width <= before[0] <= right and not covered(*before, gap=0.0):
        return before
    for edge in (right, *sorted((m[0] - gap for m in mirrors), reverse=True)):
        if left + width <= edge <= right and not covered(edge, top, gap):
            return edge, top
    return right, gap + max(m[3] for m in mirrors if m[0] - gap < right and right - width < m[2] + gap)
