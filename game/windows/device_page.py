"""The page of a gamepad or steering wheel: its current readings, and the bindings of its axes and buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from driving_sandbox.game.controls.bindings import ACTIONS, ANALOG, ANALOG_NAMES, TWO_SIDED, AxisBinding
from driving_sandbox.game.controls.device import HAT_DIRECTIONS
from driving_sandbox.game.toolkit.flow import button_width, same_line_if_fits
from driving_sandbox.game.toolkit.labels import action_rows, draw_label, draw_status, hover, icon_button, icons_width
from driving_sandbox.game.toolkit.navigation import FLAT
from driving_sandbox.game.toolkit.theme import ACCENT, TEXT, TEXT_DIM, Icon, color_u32
from driving_sandbox.game.toolkit.widget_events import checkbox
from driving_sandbox.game.windows.axis_edit import AxisEdit
from driving_sandbox.game.windows.device_binder import Measurement, axis_number, button_text

if TYPE_CHECKING:
    from driving_sandbox.game.controls.device import Device
    from driving_sandbox.game.toolkit.backend import ImGuiBackend
    from driving_sandbox.game.windows.controls import Controls
    from driving_sandbox.game.windows.device_binder import DeviceBinder

ROTATION, ROTATION_STEP = 1080.0, 10.0  # degrees, of a wheel from stop to stop: largest, and step of the slider
RUMBLE = 0.7  # strength of the rumble test, 0..1
RUMBLE_SECONDS = 0.6  # s, length of the rumble test
NAME_WIDTH = 6.0  # font sizes, width of the name of an axis or button
HINT = "Click Bind, then move the axis or press the button; meanwhile it does not control the car."
AXIS_COLUMNS = (  # (heading, width in font sizes or 0 for the remaining width, explanation)
    ("", 7.4, ""),
    ("Bound to", 0.0, ""),
    ("Now", 5.5, "Input of the car: steering and thrust levers -1 to 1, pedals 0 to 1"),
    ("Inverted", 4.2, "The raw value falls when pressed, turned right or pushed ahead"),
    ("Dead zone", 5.6, "Share of the travel without effect: at rest, for steering and thrust levers around the centre"),
    ("Range", 9.6, "Raw values at both ends of the travel"),
    ("Curve", 5.2, "1 is linear; larger is finer near rest"),
    ("", 6.2, ""),
)
_COLORS = {color: imgui.ImVec4(*color) for color in (ACCENT, TEXT_DIM)}
_FIXED = imgui.TableColumnFlags_.width_fixed.value
_STRETCH = imgui.TableColumnFlags_.width_stretch.value
_TABLE = imgui.TableFlags_.row_bg.value | imgui.TableFlags_.pad_outer_x.value
_GROUND, _TRACK, _BAR = color_u32(TEXT, 0.08), color_u32(TEXT, 0.30), color_u32(ACCENT, 0.85)
_LETTER = color_u32(TEXT)


class DevicePage:
    """Draws the page of a device; one object draws the pages of all devices."""

    def __init__(self, ui: ImGuiBackend, controls: Controls, binder: DeviceBinder) -> None:
        self._ui, self._controls, self._binder = ui, controls, binder
        self._rumbles: dict[int, bool] = {}  # {instance id: whether it can rumble}

    def draw(self, device: Device) -> None:
        """Draw the page of a Device."""
        self._banner(device)
        imgui.begin_disabled(self._binder.job is not None)
        self._heading(device)
        imgui.end_disabled()
        style = imgui.get_style()
        min_width = sum(_axis_widths()) + 2.0 * style.cell_padding.x * (len(AXIS_COLUMNS) + 1)
        width = imgui.get_content_region_avail().x - style.scrollbar_size
        imgui.set_next_window_content_size(imgui.ImVec2(max(min_width, width), 0.0))
        if imgui.begin_child("device", imgui.ImVec2(0.0, 0.0), FLAT, imgui.WindowFlags_.horizontal_scrollbar.value):
            self._live(device)
            imgui.begin_disabled(self._binder.job is not None)
            self._axes(device)
            self._buttons(device)
            imgui.end_disabled()
        imgui.end_child()

    # ---- prompts

    def _banner(self, device: Device) -> None:
        """Draw the line at the top: the prompt of a running job with its buttons, or the status of the last change."""
        job = self._binder.job
        imgui.align_text_to_frame_padding()
        if job is None or job.device is not device:
            if imgui.button("Calibrate"):
                self._binder.calibrate(device)
            self._ui.items.note("device:calibrate")
            hover("Steering and each pedal, one after another, through their whole travel")
            imgui.same_line()
            draw_status(self._controls.status, HINT)
            self._ui.items.note("device:status")
            return
        name = ANALOG_NAMES.get(job.action) or ACTIONS[job.action]
        step = f"{self._binder.step}: " if self._binder.step else ""
        imgui.text_colored(_COLORS[ACCENT], f"{step}{name}: {job.prompt}")
        self._ui.items.note("device:prompt")
        size = imgui.ImVec2(imgui.get_font_size() * 7.0, imgui.get_frame_height())
        same_line_if_fits(size.x, 14.0 * self._ui.scale)
        imgui.progress_bar(job.seconds_left / job.timeout, size, f"{job.seconds_left:.0f} s")
        if isinstance(job, Measurement):
            range_text = "nothing yet" if job.low is None else f"{job.low:+.2f} to {job.high:+.2f}"
            same_line_if_fits(imgui.calc_text_size(f"seen: {range_text}").x)
            imgui.text_unformatted(f"seen: {range_text}")
            same_line_if_fits(button_width("Done"))
            if imgui.button("Done"):
                self._binder.finish()
            self._ui.items.note("device:done")
        if self._binder.steps:
            same_line_if_fits(button_width("Skip"))
            if imgui.button("Skip"):
                self._binder.skip()
            self._ui.items.note("device:skip")
        same_line_if_fits(button_width("Cancel"))
        if imgui.button("Cancel"):
            self._binder.cancel()
            self._controls.say("Nothing has changed.")
        self._ui.items.note("device:cancel")

    def _heading(self, device: Device) -> None:
        """Draw the profile in use, and the settings and buttons of the whole device."""
        profile = self._binder.profile(device)
        suffix = ", with changes of yours" if self._controls.is_own(device) else ""
        imgui.align_text_to_frame_padding()
        draw_status((f"Used as {profile.kind}: {profile.name}{suffix}   [{device.id}]", TEXT_DIM))
        changed, on = checkbox("Brake engages reverse at rest", profile.brake_reverses)
        self._ui.items.note("device:brake_reverses")
        if changed:
            self._controls.set_brake_reverses(device, on)
        hover("Good for the triggers of a pad, but not for the brake pedal of a wheel, on which a foot rests at stops.")
        if profile.kind == "wheel":
            self._rotation(device, profile.rotation)
        if self._can_rumble(device):
            same_line_if_fits(button_width("Test rumble"), 14.0 * self._ui.scale)
            if imgui.button("Test rumble"):
                device.rumble(low=RUMBLE, high=RUMBLE, seconds=RUMBLE_SECONDS)
            self._ui.items.note("device:rumble")
        reset = f"{Icon.REFRESH}  Reset this device"
        same_line_if_fits(button_width(reset), 14.0 * self._ui.scale)
        if imgui.button(reset):
            self._controls.reset_device(device)
        self._ui.items.note("device:reset")

    def _can_rumble(self, device: Device) -> bool:
        """Whether a device can rumble, tested once with strength 0."""
        if device.instance_id not in self._rumbles:
            self._rumbles[device.instance_id] = device.rumble(low=0.0, high=0.0, seconds=0.0)
        return self._rumbles[device.instance_id]

    # ---- readings

    def _rotation(self, device: Device, degrees: float) -> None:
        """Draw the angle of a steering wheel from stop to stop."""
        width = 11.0 * imgui.get_font_size()
        same_line_if_fits(width, 14.0 * self._ui.scale)
        imgui.set_next_item_width(width)
        text = "Rotation: not known" if degrees == 0.0 else "Rotation: %.0f degrees"
        changed, value = imgui.slider_float("##rotation", degrees, 0.0, ROTATION, text)
        self._ui.items.note("device:rotation")
        hover("As set in the wheel's driver: the car's rim then turns angle for angle. 0: its travel is the lock.")
        if changed:
            self._controls.set_rotation(device, round(max(0.0, value) / ROTATION_STEP) * ROTATION_STEP, save=False)
        elif imgui.is_item_deactivated_after_edit():
            self._controls.save()

    def _live(self, device: Device) -> None:
        """Draw the present readings: a bar for each axis, a chip for each button and hat direction."""
        imgui.separator_text("What it reports")
        columns = min(4, max(1, device.axis_count))
        if device.axis_count and imgui.begin_table("live", columns):
            for axis in range(device.axis_count):
                imgui.table_next_column()
                imgui.align_text_to_frame_padding()
                imgui.text_colored(_COLORS[TEXT_DIM], f"{axis}")
                imgui.same_line(imgui.get_font_size() * 1.5)
                value = device.raw_axis(axis)
                text = f"{value:+.2f}" if device.moved[axis] else f"{value:+.2f} not moved yet"
                self._bar(value, -1.0, text, imgui.get_content_region_avail().x)
                self._ui.items.note(f"device:live:{axis}")
            imgui.end_table()
        self._chips(device)

    def _bar(self, value: float, low: float, text: str, width: float) -> None:
        """Draw a value of `low`..1 as a bar from 0, with a text on it.

        Args:
            low: -1 for a bar with 0 in its middle, 0 for one with 0 at its left end.
            width: pixels.
        """
        origin_px, height = imgui.get_cursor_screen_pos(), imgui.get_frame_height()
        draw, style = imgui.get_window_draw_list(), imgui.get_style()
        right, bottom = origin_px.x + width, origin_px.y + height
        draw.add_rect_filled(origin_px, imgui.ImVec2(right, bottom), _GROUND, style.frame_rounding)
        zero_x, end = (origin_px.x + width * (x - low) / (1.0 - low) for x in (0.0, value))
        inset = 2.0 * self._ui.scale
        if abs(end - zero_x) >= 1.0:
            first, last = min(zero_x, end), max(zero_x, end)
            draw.add_rect_filled(imgui.ImVec2(first, origin_px.y + inset), imgui.ImVec2(last, bottom - inset), _BAR)
        if low < 0.0:
            draw.add_line(imgui.ImVec2(zero_x, origin_px.y), imgui.ImVec2(zero_x, bottom), _TRACK)
        text_position = imgui.ImVec2(origin_px.x + style.frame_padding.x, origin_px.y + style.frame_padding.y)
        draw.add_text(text_position, _LETTER, text)
        imgui.dummy(imgui.ImVec2(width, height))

    def _chips(self, device: Device) -> None:
        """Draw every button and hat direction, lit while pressed."""
        joystick = device.joystick
        states = [(f"{n}", bool(joystick.get_button(n))) for n in range(device.button_count)]
        for hat in range(device.hat_count):
            position, name = joystick.get_hat(hat), f"hat{hat} " if device.hat_count > 1 else ""
            states += [(name + direction, position[k] == sign) for direction, (k, sign) in HAT_DIRECTIONS.items()]
        draw, style, gap = imgui.get_window_draw_list(), imgui.get_style(), 4.0 * self._ui.scale
        end = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
        height = imgui.get_text_line_height() + gap
        for i, (text, down) in enumerate(states):
            text_width = imgui.calc_text_size(text).x
            width = max(text_width + 2.0 * gap, 1.6 * height)
            if i and imgui.get_item_rect_max().x + gap + width < end:
                imgui.same_line(0.0, gap)
            origin = imgui.get_cursor_screen_pos()
            corner = imgui.ImVec2(origin.x + width, origin.y + height)
            draw.add_rect_filled(origin, corner, _BAR if down else _GROUND, style.frame_rounding)
            draw.add_text(imgui.ImVec2(origin.x + (width - text_width) / 2.0, origin.y + gap / 2.0), _LETTER, text)
            imgui.dummy(imgui.ImVec2(width, height))
            self._ui.items.note(f"device:chip:{text}")

    # ---- bindings

    def _axes(self, device: Device) -> None:
        """Draw the table of analog actions with their axes and settings."""
        imgui.separator_text("Steering, pedals and levers")
        if not imgui.begin_table("axes", len(AXIS_COLUMNS), _TABLE):
            return
        for i, width in enumerate(_axis_widths()):
            imgui.table_setup_column(f"{i}", _FIXED if AXIS_COLUMNS[i][1] else _STRETCH, width)
        imgui.table_next_row()
        for heading, _, explanation in AXIS_COLUMNS:
            imgui.table_next_column()
            imgui.text_colored(_COLORS[TEXT_DIM], heading)
            if explanation:
                hover(explanation)
        for action in ANALOG:
            imgui.push_id(action)
            imgui.table_next_row()
            self._axis_row(device, action)
            imgui.pop_id()
        imgui.end_table()

    def _axis_row(self, device: Device, action: str) -> None:
        """Draw the row of an analog action: name, binding, and the settings of its axis if it has one."""
        profile = self._binder.profile(device)
        binding, buttons = profile.axes.get(action), profile.buttons.get(action, ())
        imgui.table_next_column()
        draw_label(ANALOG_NAMES[action])
        self._ui.items.note(f"axis:{action}:label")
        imgui.table_next_column()
        if imgui.button("Bind"):
            self._binder.listen(device, action)
        self._ui.items.note(f"axis:{action}:bind")
        imgui.same_line()
        number = axis_number(device, binding.axis) if binding else None
        sources = ([f"axis {number}"] if number is not None else []) + [button_text(b) for b in buttons]
        draw_label(", ".join(sources) or "-")
        imgui.table_next_column()
        if binding is None or number is None:
            for _ in range(5):  # the cells after "Now" that `_axis_settings` would fill
                imgui.table_next_column()
        else:
            self._axis_settings(device, action, binding, number)
        if sources:
            if number is None:
                imgui.dummy(imgui.ImVec2(button_width("Measure"), 1.0))
            imgui.same_line()
            if icon_button(Icon.TRASH, "Unbind this device"):
                self._controls.clear(device, action)
            self._ui.items.note(f"axis:{action}:clear")

    def _axis_settings(self, device: Device, action: str, binding: AxisBinding, number: int) -> None:
        """Draw the cells of an action's axis: its value and settings, and the button that measures its range.

        Args:
            binding: its AxisBinding.
            number: its number on the device.
        """
        raw, two_sided = device.raw_axis(number), action in TWO_SIDED
        # until its first report, SDL returns 0 for an axis, which is half of a pedal's travel
        value = binding.two_sided(raw) if two_sided else binding.pedal(raw) * device.moved[number]
        self._bar(value, -1.0 if two_sided else 0.0, f"{value:.2f}", imgui.get_content_region_avail().x)
        self._ui.items.note(f"axis:{action}:now")
        edit = AxisEdit(self._ui, self._controls, device, action, binding)
        imgui.table_next_column()
        edit.inverted()
        imgui.table_next_column()
        edit.dead_zone()
        imgui.table_next_column()
        edit.ends()
        imgui.table_next_column()
        edit.curve()
        imgui.table_next_column()
        if imgui.button("Measure"):
            self._binder.measure(device, action)
        self._ui.items.note(f"axis:{action}:measure")
        hover("Find the range by moving to both ends")

    def _buttons(self, device: Device) -> None:
        """Draw the table of actions with their buttons."""
        imgui.separator_text("Buttons")
        texts = [self._button_sources(device, action) for action in ACTIONS]
        sources = max(imgui.calc_text_size(text).x for text in texts)
        for action in action_rows("buttons", sources, button_width("Bind") + icons_width(Icon.TRASH)):
            self._button_row(device, action)

    def _button_sources(self, device: Device, action: str) -> str:
        """Text of the device's buttons that are bound to an action, "-" for none."""
        return ", ".join(button_text(b) for b in self._binder.profile(device).buttons.get(action, ())) or "-"

    def _button_row(self, device: Device, action: str) -> None:
        """Draw the cells of an action: its name, its buttons, and the buttons that change them."""
        sources = self._binder.profile(device).buttons.get(action, ())
        imgui.push_id(action)
        imgui.table_next_column()
        draw_label(ACTIONS[action])
        self._ui.items.note(f"button:{action}:label")
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        imgui.text_colored(_COLORS[ACCENT if sources else TEXT_DIM], self._button_sources(device, action))
        self._ui.items.note(f"button:{action}")
        imgui.table_next_column()
        if imgui.button("Bind"):
            self._binder.listen(device, action, buttons_only=True)
        self._ui.items.note(f"button:{action}:bind")
        if sources:
            imgui.same_line()
            if icon_button(Icon.TRASH, "Unbind this device's buttons"):
                self._controls.clear_buttons(device, action)
            self._ui.items.note(f"button:{action}:clear")
        imgui.pop_id()


def _axis_widths() -> list[float]:
    """Widths of the columns of the table of axes, pixels, each at least that of its texts.

    The second column stretches; its width is the minimum.
    """
    font = imgui.get_font_size()
    widths = [max(width * font, imgui.calc_text_size(heading).x) for heading, width, _ in AXIS_COLUMNS]
    widths[0] = max(imgui.calc_text_size(ANALOG_NAMES[action]).x for action in ANALOG)
    widths[1] = button_width("Bind") + NAME_WIDTH * font
    widths[-1] = button_width("Measure") + icons_width(Icon.TRASH)
    return widths
