"""Widgets for each kind of value. Each takes the value and returns the new one, or None while it is unchanged.

Numbers are sliders if the field has a range, else drag fields; dragging with Alt is ten times finer, with Shift ten
times coarser, and Ctrl and a click open direct entry. Typed text takes effect when the entry is left, not at every
digit: a spring of 30000 N/m would else pass through 3 and 30.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from imgui_bundle import imgui

from driving_sandbox.game.panel.layout import NumberSpec, number_spec, text_format
from driving_sandbox.game.toolkit.theme import ACCENT, color_u32
from driving_sandbox.game.toolkit.widget_events import checkbox
from driving_sandbox.physics.schema.schema import Bool, Choice, Field, Float, Int, Quat, Vec3, WheelRef, WheelRefs

FILL = color_u32(ACCENT, 0.26)
FLOAT_MAX = 3.0e38  # limit of a drag without limits, just below the largest 32-bit number
SIGNIFICANT_DIGITS = 7  # digits of a 32-bit number, which ImGui edits; more would be noise that ends up in setups
_LOGARITHMIC = imgui.SliderFlags_.logarithmic.value | imgui.SliderFlags_.no_round_to_format.value
FINE = 0.1  # factor on the speed of a drag with Alt


def tidy(number: float) -> float:
    """A 32-bit number rounded to its significant digits."""
    return float(f"{number:.{SIGNIFICANT_DIGITS}g}")


def euler_degrees(q: Sequence[float]) -> list[float]:
    """Angles about x, then y, then z (degrees) of a quaternion x, y, z, w."""
    x, y, z, w = q
    about_x = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    about_y = math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x))))
    about_z = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return [math.degrees(angle) for angle in (about_x, about_y, about_z)]


def quaternion(degrees: Sequence[float]) -> list[float]:
    """The unit quaternion x, y, z, w of angles about x, then y, then z."""
    (sx, cx), (sy, cy), (sz, cz) = ((math.sin(math.radians(a) / 2), math.cos(math.radians(a) / 2)) for a in degrees)
    return [
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
        cx * cy * cz + sx * sy * sz,
    ]


# an angle in degrees
_ANGLE = NumberSpec(factor=1.0, unit="°", low=None, high=None, floor=None, ceiling=None, logarithmic=False,
                    integer=False, speed=0.2, text="%.2f")  # fmt: skip


class Widgets:
    """Draws the widgets of values and notes the rectangle of each in the ItemLog `items` under its key."""

    def __init__(self, items: Any, wheel_names: Sequence[str] = ()) -> None:
        self._items = items
        self.wheel_names = list(wheel_names)
        self._specs: dict[str, NumberSpec] = {}
        self._typed: dict[str, float] = {}  # {key: number typed into an entry that has not been left}

    def spec(self, key: str, declared: Field, typical: float, **options: Any) -> NumberSpec:
        """The NumberSpec of one number, made once per key, so that its range is constant during a drag."""
        spec = self._specs.get(key)
        if spec is None:
            spec = self._specs[key] = number_spec(declared, typical, **options)
        return spec

    def forget(self) -> None:
        """Discard ranges and unfinished entries, as another vehicle or other units are shown."""
        self._specs.clear()
        self._typed.clear()

    def compact(self, key: str, declared: Field, value: Any, width: float) -> Any:
        """Draw the widget of a kind in COMPACT."""
        kind = declared.kind
        if isinstance(kind, Bool):
            changed, ticked = checkbox(f"##{key}", bool(value))
            self._items.note(key)
            return ticked if changed else None
        if isinstance(kind, Choice):
            return self.choice(key, kind.options, value, width)
        if isinstance(kind, WheelRef):
            return self.wheel(key, value, width)
        if not isinstance(kind, Float | Int):
            raise TypeError(f"{key}: no widget for {type(kind).__name__}")
        return self.number(key, value, self.spec(key, declared, value), width)

    def wheel(self, key: str, value: float, width: float) -> int | None:
        """Draw a choice of the vehicle's wheels; `value` is the index of the chosen one."""
        names = [name.upper() for name in self.wheel_names]
        return self._combo(key, names, min(int(value), len(names) - 1), width, range(len(names)))

    def element(self, key: str, declared: Field, value: float, width: float, name: str) -> float | None:
        """Draw an element of a list: a choice of a wheel, or a number with its name."""
        if isinstance(declared.kind, WheelRefs):
            wheel = self.wheel(key, value, width)
            return None if wheel is None else float(wheel)
        return self.number(key, value, self.spec(key, declared, value), width, name)

    def choice(self, key: str, options: Sequence[str], value: str, width: float) -> str | None:
        """Draw a choice of one word among `options`."""
        return self._combo(key, list(options), options.index(value), width, options)

    def _combo(self, key: str, names: list[str], index: int, width: float, values: Sequence[Any]) -> Any:
        """Draw a choice among `names`; returns the chosen one of `values`, or None if it was not changed."""
        imgui.set_next_item_width(width)
        changed, index = imgui.combo(f"##{key}", index, names)
        self._items.note(key)
        return values[index] if changed else None

    def vector(self, key: str, declared: Field, value: Sequence[float], width: float) -> list[float] | None:
        """Draw three numbers side by side: the components of a Vec3, or the angles of a Quat in degrees."""
        gap = imgui.get_style().item_inner_spacing.x
        cell = (width - 2.0 * gap) / 3.0
        rotation = isinstance(declared.kind, Quat)
        numbers = euler_degrees(value) if rotation else value
        new = None
        for axis in range(3):
            if axis:
                imgui.same_line(0.0, gap)
            part = f"{key}[{axis}]"
            if rotation:
                spec = _ANGLE
            else:
                size = max((abs(v) for v in value), default=0.0) or 1.0
                spec = self.spec(part, declared, math.copysign(size, value[axis]))
            changed = self.number(part, numbers[axis], spec, cell)
            if changed is not None:
                new = [*numbers[:axis], changed, *numbers[axis + 1 :]]
        if new is None:
            return None
        return quaternion(new) if rotation else new

    def wide(self, key: str, declared: Field, value: Sequence[float], width: float) -> list[float] | None:
        """Draw the widget of a kind that fills the row: a Vec3 or a Quat."""
        if not isinstance(declared.kind, Vec3 | Quat):
            raise TypeError(f"{key}: no widget for {type(declared.kind).__name__}")
        return self.vector(key, declared, value, width)

    def number(self, key: str, value: float, spec: NumberSpec, width: float, name: str = "") -> float | None:
        """Draw a slider or drag field of one number, with the text `name` before it."""
        displayed = value * spec.factor
        if spec.logarithmic:  # one format cannot suit all numbers of such a range
            spec = replace(spec, text=text_format(abs(displayed)))
        if name:
            spec = replace(spec, text=f"{name.replace('%', '%%')}  {spec.text}")
        imgui.set_next_item_width(width)
        io = imgui.get_io()
        ends = None if spec.low is None or spec.high is None else (spec.low, spec.high)
        if ends is not None:
            self._fill(spec, displayed, width, *ends)
        if ends is not None and not (io.key_alt or io.key_shift):
            changed, new = self._slider(key, displayed, spec, *ends)
        else:
            changed, new = self._drag(key, displayed, spec)
        self._items.note(key)
        return self._settle(key, changed, new, spec)

    @staticmethod
    def _slider(key: str, displayed: float, spec: NumberSpec, low: float, high: float) -> tuple[bool, float]:
        """Draw a slider; returns (whether it was changed, displayed number)."""
        flags = _LOGARITHMIC if spec.logarithmic else 0  # with unrounded values, as small numbers would become 0
        if spec.integer:
            return imgui.slider_int(f"##{key}", int(displayed), int(low), int(high), spec.text, flags)
        return imgui.slider_float(f"##{key}", displayed, low, high, spec.text, flags)

    @staticmethod
    def _drag(key: str, displayed: float, spec: NumberSpec) -> tuple[bool, float]:
        """Draw a drag field; returns (whether it was changed, displayed number)."""
        # ImGui multiplies the speed by 1/100 with Alt and 10 with Shift.
        speed = spec.speed * (FINE / 0.01 if imgui.get_io().key_alt else 1.0)
        low = -FLOAT_MAX if spec.floor is None else spec.floor
        high = FLOAT_MAX if spec.ceiling is None else spec.ceiling
        if spec.integer:
            ends = (int(max(low, -(2**31))), int(min(high, 2**31 - 1)))
            return imgui.drag_int(f"##{key}", int(displayed), max(speed, 0.05), *ends, spec.text)
        return imgui.drag_float(f"##{key}", displayed, speed, low, high, spec.text)

    def _settle(self, key: str, changed: bool, new: float, spec: NumberSpec) -> float | None:
        """The value to set now, or None; typed text waits until the entry is left."""
        if changed and imgui.get_io().want_text_input:
            self._typed[key] = new
            return None
        if key in self._typed and not imgui.is_item_active():
            new, changed = self._typed.pop(key), True
        if not changed:
            return None
        return int(new) if spec.integer else tidy(new) / spec.factor

    @staticmethod
    def _fill(spec: NumberSpec, displayed: float, width: float, low: float, high: float) -> None:
        """Draw a bar behind a slider up to its position in the range."""
        if spec.logarithmic:
            fraction = math.log(max(displayed, low) / low) / math.log(high / low)
        else:
            fraction = (displayed - low) / (high - low)
        fraction = min(1.0, max(0.0, fraction))
        position = imgui.get_cursor_screen_pos()
        style = imgui.get_style()
        corner = imgui.ImVec2(position.x + width * fraction, position.y + imgui.get_frame_height())
        imgui.get_window_draw_list().add_rect_filled(position, corner, FILL, style.frame_rounding)
