"""Pedals and steering, load and slip of every wheel, and the g-g diagram, side by side on one dark background.

The wheels of trailers follow those of the towing vehicle, smaller and without numbers, each trailer behind a hitch.
Lengths are in units (game/hud/__init__.py).
"""

from __future__ import annotations

from driving_sandbox.game.hud.frame import HudFrame, TowedWheels
from driving_sandbox.game.hud.grip import draw_grip
from driving_sandbox.game.hud.style import CLUTCH, LABEL, SMALL, TRACK, glass, saturation_color
from driving_sandbox.game.toolkit.pen import Color, Pen
from driving_sandbox.game.toolkit.theme import ACCENT, ERROR, GOOD, TEXT, WARNING

HEIGHT = 118.0  # height of the block
CONTROLS_WIDTH = 112.0  # width of the part with pedals and steering
AXLE_WIDTH = 76.0  # width of the part of one axle
GRIP_WIDTH = 100.0  # width of the part with the g-g diagram
WHEELS_LEFT, WHEELS_TOP = 114.0, 8.0  # from the block's upper left corner to that of the part with the wheels
PEDAL_WIDTH = 13.0  # width of a pedal's bar
PEDAL_HEIGHT = 60.0  # height of a pedal's bar at full travel
PEDAL_STEP = 22.0  # from the left edge of one pedal's bar to the next
STEERING_WIDTH = 79.0  # width of the steering bar
STEERING_HEIGHT = 6.0  # height of the steering bar
STEERING_TOP = 84.0  # from the top of the pedals' bars down to the steering bar
WHEEL_WIDTH = 15.0  # width of a wheel's bar
TOWED_WIDTH = 10.0  # width of the bar of a trailer's wheel
TOWED_STEP = 15.0  # from one axle of a trailer to the next
HITCH_WIDTH = 17.0  # width left for a hitch in front of a trailer's wheels
MIN_FILL = 0.005  # share of a pedal's travel up to which its bar is drawn empty
NOTABLE_SLIP = 0.05  # slip ratio; a smaller one is written in the colour of labels

Rect = tuple[float, float, float]  # x and y of the upper left corner, and the height or width, pixels


def block_width(frame: HudFrame, with_grip: bool) -> float:
    """Width of the block in units; `with_grip` says whether it has the g-g diagram."""
    axles = len(frame.axles) if frame.trailers else max(2, len(frame.axles))
    towed = sum(HITCH_WIDTH + TOWED_STEP * len(trailer.axles) for trailer in frame.trailers)
    return CONTROLS_WIDTH + AXLE_WIDTH * axles + towed + (GRIP_WIDTH if with_grip else 0.0)


def draw_block(pen: Pen, frame: HudFrame, x: float, y: float, unit: float, with_grip: bool) -> None:
    """Draw the block, with or without the g-g diagram.

    Args:
        x, y: upper left corner of the block, pixels.
        unit: length of a unit, pixels.
    """
    width = block_width(frame, with_grip) * unit
    wheels_left, wheels_top = x + WHEELS_LEFT * unit, y + WHEELS_TOP * unit
    cells = _cells(frame.axles, wheels_left, wheels_top, unit, bool(frame.trailers))
    towed = _towed_cells(frame, wheels_left + AXLE_WIDTH * len(frame.axles) * unit, wheels_top, unit)
    left, top = x + 12.0 * unit, y + 12.0 * unit  # of the pedals' bars
    key = (x, y, unit, width, len(cells), len(towed))
    pen.still("block", key, lambda: _background(pen, (x, y, width), (left, top), cells, towed, unit))
    _controls(pen, frame, left, top, unit)
    for wheel, rect in cells:
        _wheel(pen, frame, wheel, rect, unit)
    for trailer, wheel, rect in towed:
        _load_bar(pen, rect, TOWED_WIDTH, trailer.loads[wheel] / trailer.rest_load, trailer.saturations[wheel], unit)
    if with_grip:
        draw_grip(pen, frame, x + width - 0.5 * GRIP_WIDTH * unit - 4.0 * unit, y + 51.0 * unit, unit)


def _background(pen: Pen, block: Rect, controls: tuple[float, float], cells: list[tuple[int, Rect]],
                towed: list[tuple[TowedWheels, int, Rect]], unit: float) -> None:  # fmt: skip
    """Draw the static parts: background, empty bars, hitches, letters.

    Args:
        block: (left, top, width) of the block, pixels.
        controls: upper left corner of the pedals' bars, pixels.
        cells: as from `_cells`.
        towed: as from `_towed_cells`.
    """
    x, y, width = block
    glass(pen, x, y, width, HEIGHT * unit, unit)
    x, y = controls
    for i, letter in enumerate("CBTH"):  # clutch, brake, throttle, handbrake
        left = x + i * PEDAL_STEP * unit
        pen.rect(left, y, PEDAL_WIDTH * unit, PEDAL_HEIGHT * unit, TRACK, 3.0 * unit)
        pen.text(
            left + 0.5 * PEDAL_WIDTH * unit, y + (PEDAL_HEIGHT + 9.0) * unit, letter, SMALL * unit, LABEL, align=0.5
        )
    pen.rect(x, y + STEERING_TOP * unit, STEERING_WIDTH * unit, STEERING_HEIGHT * unit, TRACK, 3.0 * unit)
    for _, (left, top, height) in cells:
        pen.rect(left, top, WHEEL_WIDTH * unit, height, TRACK, 4.0 * unit)
    current_trailer = None
    for trailer, _, (left, top, height) in towed:
        pen.rect(left, top, TOWED_WIDTH * unit, height, TRACK, 3.0 * unit)
        if trailer is not current_trailer:
            current_trailer, middle = trailer, block[1] + 0.5 * HEIGHT * unit
            pen.rect(left - HITCH_WIDTH * unit, middle - unit, 12.0 * unit, 2.0 * unit, LABEL, rounding=0.0)


def _controls(pen: Pen, frame: HudFrame, x: float, y: float, unit: float) -> None:
    """Draw the filled parts of the pedals' bars and of the steering bar from (x, y), their upper left corner."""
    pedals = ((frame.clutch, CLUTCH), (frame.brake, ERROR), (frame.throttle, GOOD), (frame.handbrake, WARNING))
    height = PEDAL_HEIGHT * unit
    for i, (value, color) in enumerate(pedals):
        filled = height * min(1.0, value)
        if value > MIN_FILL:
            left = x + i * PEDAL_STEP * unit
            pen.rect(left, y + height - filled, PEDAL_WIDTH * unit, filled, color, 3.0 * unit)
    centre, y, height = x + 0.5 * STEERING_WIDTH * unit, y + STEERING_TOP * unit, STEERING_HEIGHT * unit
    offset = 0.5 * STEERING_WIDTH * unit * min(1.0, max(-1.0, frame.steer))
    pen.rect(min(centre, centre + offset), y, abs(offset), height, ACCENT, 2.0 * unit)
    pen.rect(centre + offset - 1.5 * unit, y - 3.0 * unit, 3.0 * unit, height + 6.0 * unit, TEXT, 1.5 * unit)


def _cells(axles: list[list[int]], x: float, y: float, unit: float, towing: bool) -> list[tuple[int, Rect]]:
    """[(index of a wheel, (x, y, height) of its bar in pixels)], seen from above with the front axle on top.

    More than two axles, and the axles of a towing vehicle, are side by side instead, the front axle at the left. Of an
    axle with more wheels, only the first two are shown.
    """
    rows = len(axles)
    side_by_side = rows > 2 or towing
    cell = (HEIGHT - 2.0 * WHEELS_TOP) * unit / (2 if side_by_side else max(1, rows))
    cells = []
    for i, wheels in enumerate(axles):
        for j, wheel in enumerate(wheels[:2]):
            column, row = (i, j) if side_by_side else (j, i)
            middle = 0.5 if len(wheels) == 1 and not side_by_side else column
            rect = (x + middle * AXLE_WIDTH * unit, y + row * cell + 5.0 * unit, cell - 10.0 * unit)
            cells.append((wheel, rect))
    return cells


def _towed_cells(frame: HudFrame, x: float, y: float, unit: float) -> list[tuple[TowedWheels, int, Rect]]:
    """[(TowedWheels, index of a wheel, (x, y, height) of its bar in pixels)], front at the left, left wheels on top."""
    cell = 0.5 * (HEIGHT - 2.0 * WHEELS_TOP) * unit
    cells = []
    for trailer in frame.trailers:
        x += HITCH_WIDTH * unit
        for wheels in trailer.axles:
            cells += [(trailer, wheel, (x, y + row * cell + 5.0 * unit, cell - 10.0 * unit))
                      for row, wheel in enumerate(wheels[:2])]  # fmt: skip
            x += TOWED_STEP * unit
    return cells


def _load_bar(pen: Pen, rect: Rect, width: float, load_ratio: float, saturation: float, unit: float) -> Color:
    """Draw a wheel's bar, half full at the load at rest, and return its colour, which shows the saturation.

    The bar of a wheel without load is empty and outlined.

    Args:
        rect: (x, y, height) of the bar, pixels.
        width: width of the bar, units.
        load_ratio: load / load at rest.
        saturation: share of the available friction in use.
    """
    x, top, height = rect
    color, width = saturation_color(saturation), width * unit
    filled = height * min(1.0, max(0.0, 0.5 * load_ratio))
    if filled > 1.0:
        pen.rect(x, top + height - filled, width, filled, color, min(4.0 * unit, filled / 2.0))
    if load_ratio <= 0.0:
        pen.frame(x, top, width, height, LABEL, 4.0 * unit, unit)
    return color


def _wheel(pen: Pen, frame: HudFrame, wheel: int, rect: Rect, unit: float) -> None:
    """Draw a wheel's bar, with its load in kN and its slip in percent next to it."""
    x, top, height = rect
    load, slip = frame.wheel_loads[wheel], frame.wheel_slips[wheel]
    color = _load_bar(pen, rect, WHEEL_WIDTH, load / frame.rest_load, frame.wheel_saturations[wheel], unit)
    text, middle = x + (WHEEL_WIDTH + 6.0) * unit, top + 0.5 * height
    pen.text(text, middle - 8.0 * unit, f"{load / 1000.0:.1f} kN", SMALL * unit, TEXT if load > 0.0 else LABEL)
    percent = round(slip * 100.0)
    pen.text(text, middle + 8.0 * unit, f"{percent} %", SMALL * unit, LABEL if abs(slip) < NOTABLE_SLIP else color)
