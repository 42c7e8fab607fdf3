"""The page of force feedback: amounts act while a slider moves and are saved when it is released; tools."""

import ctypes

import numpy as np
import pytest
from imgui_bundle import imgui

from driving_sandbox.game.controls.bindings import DeviceProfile
from driving_sandbox.game.force_feedback.haptic import Effect
from driving_sandbox.game.force_feedback.output import ForceFeedback
from driving_sandbox.game.force_feedback.response import Outcome
from driving_sandbox.game.force_feedback.setup import PRESETS
from driving_sandbox.game.force_feedback.setup_file import ForceSetups
from driving_sandbox.game.force_feedback.torque import Contributions, RimTorque
from driving_sandbox.game.force_feedback.wheel import ForceWheel
from driving_sandbox.game.windows.forces_page import ForcesPage
from driving_sandbox.physics.vehicle.vehicle_file import load_vehicle

TICK = 1.0 / 240.0  # s


class NoHaptic:
    """In place of HapticDevice: takes everything, and has no effects of its own."""

    handle, constant_number = 0, 0

    def __init__(self):
        self.effect = Effect()

    @property
    def effect_address(self):
        address = ctypes.addressof(self.effect)
        return address, address

    def has(self, condition):
        return False

    def set_condition(self, condition, coefficient):
        return True

    def close(self):
        pass


class Plugged:
    """A plugged-in device, as the page and ForceFeedback read it."""

    profile = DeviceProfile("wheel", kind="wheel")
    guid, name, position = "abc", "Logitech G29", 0.0

    def steering_position(self):
        return self.position

    def rim_angle(self):
        return 0.0


class NoDevices:
    devices: dict[int, Plugged] = {}


@pytest.fixture
def feedback(ui, user, home):
    """A ForceFeedback with one wheel, whose page is drawn."""
    devices = NoDevices()
    devices.devices = {0: Plugged()}
    feedback = ForceFeedback(devices)
    feedback.rim = RimTorque(load_vehicle("mx5_na"), TICK)
    feedback.wheels[0] = ForceWheel(NoHaptic(), feedback.setups.of("abc", "Logitech G29"), TICK)
    page = ForcesPage(ui, feedback)

    def draw():
        imgui.set_next_window_pos(imgui.ImVec2(0.0, 0.0))
        imgui.set_next_window_size(imgui.ImVec2(*ui.size))
        imgui.begin("forces")
        page.draw(devices.devices)
        imgui.end()

    ui.add(draw)
    user.step()
    yield feedback
    ui.remove(draw)
    feedback.close()


def saved():
    return ForceSetups().of("abc", "Logitech G29")


def test_a_known_wheel_begins_with_the_preset_of_its_class(feedback):
    assert feedback.wheels[0].setup == PRESETS["gears"]


@pytest.mark.parametrize(("name", "share"), [("gain", 0.5), ("damping", 0.25)])
def test_an_amount_acts_while_its_slider_moves_and_is_saved_when_released(feedback, user, ui, name, share):
    before = saved()
    user.move(f"forces:{name}", 0.9)
    user.press()
    ui.feed.move(*ui.items.point(f"forces:{name}", share))
    user.step()
    moved = getattr(feedback.wheels[0].setup, name)
    assert moved != getattr(before, name)
    assert saved() == before
    user.release()
    user.step()
    assert getattr(saved(), name) == pytest.approx(getattr(feedback.wheels[0].setup, name))


@pytest.mark.parametrize("name", ["enabled", "inverted"])
def test_switches_are_saved(feedback, user, name):
    before = getattr(saved(), name)
    user.click(f"forces:{name}")
    assert getattr(saved(), name) is not before
    strength = feedback.wheels[0].stream.record["strength"]
    assert (strength < 0.0) == feedback.wheels[0].setup.inverted


def test_a_class_sets_all_amounts(feedback, user):
    user.click("forces:preset:belt")
    assert saved() == PRESETS["belt"] == feedback.wheels[0].setup


@pytest.mark.parametrize("largest", [4.0, 12.0])
def test_the_gain_follows_from_a_drive(feedback, user, largest):
    for torque in np.linspace(0.1, largest, 4000):
        feedback.meter.add(Contributions(aligning=torque))
    user.step()
    user.click("forces:fit")
    assert saved().gain == pytest.approx(2.2 / (0.95 * largest), rel=0.02)


def test_a_contribution_can_be_muted(feedback, user):
    user.click("forces:mute:road")
    assert feedback.rim.muted == {"road"}
    user.click("forces:mute:road")
    assert feedback.rim.muted == set()


def test_a_sweep_of_a_held_wheel_says_so_and_changes_nothing(feedback, user, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("driving_sandbox.game.force_feedback.wheel.time.monotonic", lambda: now[0])
    user.click("forces:sweep")
    assert feedback.wheels[0].sweep is not None
    for _ in range(2000):
        now[0] += 1.0 / 60.0
        feedback.frame(active=False)
        if feedback.wheels[0].sweep is None:
            break
    assert feedback.swept is Outcome.HELD
    assert saved().response == ()
    user.step()
