"""The page of force feedback: strength and amounts of each wheel, what it is given now, and its measurement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui, implot

from driving_sandbox.game.force_feedback.meters import SHOWN
from driving_sandbox.game.force_feedback.response import Outcome
from driving_sandbox.game.force_feedback.setup import LIMITS, PRESETS, ForceSetup
from driving_sandbox.game.force_feedback.torque import Contributions
from driving_sandbox.game.platform.user_folder import UserFolderError
from driving_sandbox.game.toolkit.flow import button_width, same_line_if_fits
from driving_sandbox.game.toolkit.labels import draw_status, hover
from driving_sandbox.game.toolkit.navigation import FLAT
from driving_sandbox.game.toolkit.theme import ERROR, TEXT_DIM
from driving_sandbox.game.toolkit.widget_events import checkbox

if TYPE_CHECKING:
    from driving_sandbox.game.controls.device import Device
    from driving_sandbox.game.force_feedback.output import ForceFeedback
    from driving_sandbox.game.force_feedback.wheel import ForceWheel
    from driving_sandbox.game.toolkit.backend import ImGuiBackend

_CLAMPED = imgui.SliderFlags_.always_clamp.value
LABEL_WIDTH, SLIDER_WIDTH = 9.0, 16.0  # font sizes
PLOT_HEIGHT = 11.0  # font sizes
WIDE = 56.0  # font sizes from which settings and plots are side by side
ROW_STEP = 4  # ticks from one point of a line to the next: 60 points a second at 240 Hz, as many as frames
BARS = 21  # of the histogram: 20 shares of the strength, and what is beyond it
NO_WHEEL = "No plugged-in wheel or pad has force feedback."
NO_TORQUE = "This vehicle has no torque at the rim: its file names no component for the steering column."
AMOUNTS = {  # {setting: (name, printf format, explanation)}
    "strength": ("Strength", "%.1f N m", "Largest torque of this wheel, as its maker states it"),
    "gain": ("Gain", "%.2f", "Torque of this wheel divided by that at the rim of the car"),
    "friction": ("Friction", "%.2f N m", "Dry friction while driving"),
    "stick_friction": ("Friction at rest", "%.2f N m", "Dry friction at rest; it fades to the other until 5 m/s"),
    "damping": ("Damping", "%.2f N m s/rad", "Resistance to the speed of turning; calms a wheel that oscillates"),
    "inertia": ("Inertia", "%.4f kg m2", "Resistance to changes of the speed of turning"),
    "road": ("Road", "%.2f N m s/m", "Unevenness of the road, from the front wheels' vertical speeds"),
    "soft_lock": ("Lock", "%.1f N m/rad", "Stiffness of the stop at the car's steering lock"),
    "slew": ("Largest change", "%.0f N m/s", "Largest change of torque per second: protects hands and gears"),
}  # fmt: skip
SWITCHES = {
    "enabled": ("Force feedback", "Whether this wheel pulls"),
    "inverted": ("Turns the other way", "Tick this if the wheel turns away from the middle by itself"),
    "own_effects": ("Resistance by the wheel itself", "Friction, damping and inertia, if the wheel has these effects"),
}


class ForcesPage:
    """The page. Every change acts at once and is saved; that of an amount is saved when its slider is released.

    Args:
        ui: ImGuiBackend.
        feedback: ForceFeedback.
    """

    def __init__(self, ui: ImGuiBackend, feedback: ForceFeedback) -> None:
        self._ui, self._feedback = ui, feedback
        self._moved: dict[str, ForceSetup] = {}  # {GUID: setup of a pad whose slider is being moved}
        self._problem = ""

    def draw(self, devices: dict[int, Device]) -> None:
        """Draw the page. devices: {SDL's instance id: Device} of all that are plugged in."""
        feedback = self._feedback
        if imgui.begin_child("forces", imgui.ImVec2(0.0, 0.0), FLAT):
            if self._problem:
                draw_status((self._problem, ERROR))
            for number, reason in feedback.problems.items():
                draw_status((f"{devices[number].name}: {reason}" if number in devices else reason, TEXT_DIM))
            pads = [device for device in devices.values() if device.profile.kind == "pad"]
            if not feedback.wheels and not pads:
                draw_status((NO_WHEEL, TEXT_DIM))
            for device in pads:
                self._pad(device)
            if feedback.wheels and feedback.rim is not None and not feedback.rim.available:
                draw_status((NO_TORQUE, TEXT_DIM))
            draw_status((latency_text(feedback.latency.milliseconds()), TEXT_DIM))
            for number, wheel in feedback.wheels.items():
                imgui.push_id(f"{number}")
                self._wheel(devices[number], wheel)
                imgui.pop_id()
        imgui.end_child()

    def _wheel(self, device: Device, wheel: ForceWheel) -> None:
        """Draw the part of one wheel."""
        imgui.separator_text(device.name)
        self._ui.items.note("forces:wheel")
        is_wide = imgui.get_content_region_avail().x > WIDE * imgui.get_font_size()
        if imgui.begin_table("sides", 2 if is_wide else 1):
            imgui.table_next_column()
            self._settings(device, wheel)
            imgui.table_next_column()
            self._tools(device, wheel)
            self._contributions()
            self._histogram(wheel.setup)
            imgui.end_table()

    def _pad(self, device: Device) -> None:
        """Draw the part of a pad."""
        imgui.separator_text(device.name)
        setup = self._moved.get(device.guid) or self._feedback.setups.of(device.guid, device.name)
        self._label("Rumble", "Strength of the motors: slides, limiter, anti-lock brakes; bumps, impacts, gear changes")
        imgui.set_next_item_width(SLIDER_WIDTH * imgui.get_font_size())
        changed, value = imgui.slider_float(f"##{device.guid}", 100.0 * setup.rumble, 0.0, 100.0, "%.0f %%", _CLAMPED)
        self._ui.items.note("forces:rumble")
        if changed:
            self._moved[device.guid] = replace(setup, rumble=value / 100.0)
        if imgui.is_item_deactivated_after_edit():
            self._set(device, self._moved.pop(device.guid, setup))

    def _settings(self, device: Device, wheel: ForceWheel) -> None:
        """Draw switches, classes and amounts."""
        for name, (label, text) in SWITCHES.items():
            changed, on = checkbox(label, getattr(wheel.setup, name))
            self._ui.items.note(f"forces:{name}")
            hover(text)
            if changed:
                self._set(device, wheel.setup.changed(name, on))
        self._presets(device, wheel.setup)
        for name in AMOUNTS:
            self._amount(device, wheel, name)

    def _presets(self, device: Device, setup: ForceSetup) -> None:
        """Draw a button for each class of wheels."""
        for index, (name, preset) in enumerate(PRESETS.items()):
            if index:
                same_line_if_fits(button_width(name))
            if imgui.button(name):
                self._set(device, replace(preset, inverted=setup.inverted, response=setup.response))
            self._ui.items.note(f"forces:preset:{name}")
            hover("Sets all amounts to usual ones of wheels of this class")

    def _amount(self, device: Device, wheel: ForceWheel, name: str) -> None:
        """Draw the slider of an amount."""
        label, text, explanation = AMOUNTS[name]
        self._label(label, explanation)
        imgui.set_next_item_width(SLIDER_WIDTH * imgui.get_font_size())
        low, high = LIMITS[name]
        changed, value = imgui.slider_float(f"##{name}", getattr(wheel.setup, name), low, high, text, _CLAMPED)
        self._ui.items.note(f"forces:{name}")
        if changed:
            wheel.set_up(wheel.setup.changed(name, value))
        if imgui.is_item_deactivated_after_edit():
            self._set(device, wheel.setup)

    def _label(self, label: str, explanation: str) -> None:
        """Draw a label, and leave the cursor where its widget begins."""
        imgui.align_text_to_frame_padding()
        imgui.text_unformatted(label)
        hover(explanation)
        imgui.same_line(LABEL_WIDTH * imgui.get_font_size())

    def _set(self, device: Device, setup: ForceSetup) -> None:
        """Take and save a setup."""
        try:
            self._feedback.set_up(device, setup)
            self._problem = ""
        except UserFolderError as error:
            self._problem = f"Not saved: {error}"

    def _tools(self, device: Device, wheel: ForceWheel) -> None:
        """Draw the buttons that find gain and response, and what they found."""
        feedback, setup = self._feedback, wheel.setup
        gain = feedback.meter.fitting_gain(setup.strength)
        imgui.begin_disabled(gain is None)
        if imgui.button("Gain from this drive") and gain is not None:
            low, high = LIMITS["gain"]
            self._set(device, replace(setup, gain=min(max(gain, low), high)))
        imgui.end_disabled()
        self._ui.items.note("forces:fit")
        hover("Sets the gain so that the torque of this drive is beyond the wheel's strength for 5 % of the time")
        same_line_if_fits(button_width("Count anew"))
        if imgui.button("Count anew"):
            feedback.meter.restart()
        self._ui.items.note("forces:restart")
        same_line_if_fits(button_width("Measure the response"))
        imgui.begin_disabled(wheel.sweep is not None)
        if imgui.button("Measure the response"):
            feedback.swept = None
            wheel.begin_sweep()
        imgui.end_disabled()
        self._ui.items.note("forces:sweep")
        hover("Let go of the wheel: it is turned to and fro with rising force, for ten seconds")
        if setup.response:
            same_line_if_fits(button_width("Forget it"))
            if imgui.button("Forget it"):
                self._set(device, replace(setup, response=()))
            self._ui.items.note("forces:forget")
        draw_status((self._status(wheel), TEXT_DIM))

    def _status(self, wheel: ForceWheel) -> str:
        """What the meter and a measurement say, in one line."""
        meter, setup = self._feedback.meter, wheel.setup
        if wheel.sweep is not None:
            return f"Measuring: {wheel.sweep.share:.0%}. Do not touch the wheel."
        if self._feedback.swept is Outcome.HELD:
            return f"Not measured: {Outcome.HELD.value}."
        share = meter.clipped(setup.gain * self._car_gain(), setup.strength)
        measured = "response measured" if setup.response else "response not measured"
        counts = wheel.counts
        sent = f"{counts['updates']} updates sent, {counts['failures']} refused"
        return f"Beyond the strength for {share:.1%} of {meter.seconds:.0f} s; {measured}; {sent}."

    def _car_gain(self) -> float:
        rim = self._feedback.rim
        return rim.factors["gain"] if rim is not None else 1.0

    def _contributions(self) -> None:
        """Draw the last seconds of each contribution, with a switch that mutes it."""
        rim = self._feedback.rim
        if rim is None:
            return
        for index, name in enumerate(Contributions._fields):
            if index:
                same_line_if_fits(button_width(name) + imgui.get_frame_height())
            changed, on = checkbox(name, name not in rim.muted)
            self._ui.items.note(f"forces:mute:{name}")
            if changed:
                rim.muted ^= {name}
        rows = self._feedback.meter.history()[::ROW_STEP]
        seconds = np.linspace(-SHOWN, 0.0, len(rows))
        if implot.begin_plot("##contributions", imgui.ImVec2(-1.0, PLOT_HEIGHT * imgui.get_font_size())):
            implot.setup_legend(implot.Location_.east.value, implot.LegendFlags_.outside.value)
            implot.setup_axes("s", "N m at the car's rim", 0, implot.AxisFlags_.auto_fit.value)
            implot.setup_axis_limits(implot.ImAxis_.x1.value, float(seconds[0]), 0.0, imgui.Cond_.always.value)
            for column, name in enumerate(Contributions._fields):
                implot.plot_line(name, seconds, np.ascontiguousarray(rows[:, column]))
            implot.end_plot()
        self._ui.items.note("forces:contributions")

    def _histogram(self, setup: ForceSetup) -> None:
        """Draw how long the torque was how large, in shares of the wheel's strength."""
        shares = self._feedback.meter.histogram(setup.gain * self._car_gain(), setup.strength, BARS)
        if implot.begin_plot("##histogram", imgui.ImVec2(-1.0, PLOT_HEIGHT * imgui.get_font_size())):
            implot.setup_axes("torque / strength", "% of time", 0, implot.AxisFlags_.auto_fit.value)
            centres = (np.arange(BARS) + 0.5) / (BARS - 1)
            implot.setup_axis_limits(implot.ImAxis_.x1.value, 0.0, BARS / (BARS - 1), imgui.Cond_.always.value)
            implot.plot_bars("##torque", centres, 100.0 * shares, 0.9 / (BARS - 1))
            implot.end_plot()
        self._ui.items.note("forces:histogram")


def latency_text(times: dict[str, float]) -> str:
    """What to say of the `Latency.milliseconds`; "" before they are measured."""
    if not times:
        return ""
    parts = ", ".join(f"{name} {value:.0f} ms" for name, value in times.items())
    return f"From a report of the device, without its own delay and the display's: to {parts}"
