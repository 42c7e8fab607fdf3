"""One offscreen picture per module of tests, and a driver that moves its mouse and types."""

import pytest
from controls_bench import Bench
from imgui_bundle import imgui
from sample_vehicle import build_vehicle

from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.toolkit.clipboard import Clipboard

SETTLE = 3  # frames until ImGui has seen an event, laid out again and released the next one


class Hand:
    """Moves the mouse, clicks and types into an offscreen picture, aiming by widget name."""

    def __init__(self, base, ui):
        self.base, self.ui = base, ui

    def step(self, frames=SETTLE):
        for _ in range(frames):
            self.base.taskMgr.step()

    def move(self, name, fraction=0.5):
        self.ui.feed.move(*self.ui.items.point(name, fraction))
        self.step()

    def press(self):
        self.ui.feed.button(True, "mouse1")
        self.step()

    def release(self):
        self.ui.feed.button(False, "mouse1")
        self.step()

    def click(self, name, fraction=0.5):
        self.move(name, fraction)
        self.press()
        self.release()

    def choose(self, combo, options, wanted):
        """Pick an entry of a combo box, as its list has no names of its own."""
        self.click(combo)
        left, _, right, bottom = self.ui.items.rectangle(combo)
        line, gap = imgui.get_text_line_height_with_spacing(), imgui.get_style().window_padding.y
        self.ui.feed.move((left + right) / 2.0, bottom + gap + line * (list(options).index(wanted) + 0.5))
        self.step()
        self.press()
        self.release()

    def drag(self, name, start, end, frames=6):
        """Press at one fraction of a widget's width and let go at another."""
        self.move(name, start)
        self.press()
        places = [self.ui.items.point(name, start + (end - start) * i / frames) for i in range(1, frames + 1)]
        for place in places:
            self.ui.feed.move(*place)
            self.step()
        self.release()

    def key(self, name):
        self.ui.feed.button(True, name)
        self.step()
        self.ui.feed.button(False, name)
        self.step()

    def type(self, text):
        for character in text:
            self.ui.feed.text(character)
            self.step(2)

    def enter(self, name, text, finish="enter"):
        """Open direct entry with Ctrl and a click, type and leave with a key."""
        self.ui.feed.button(True, "control")
        self.step()
        self.click(name)
        self.ui.feed.button(False, "control")
        self.step()
        self.type(text)
        if finish:
            self.key(finish)


@pytest.fixture(scope="module")
def base():
    base = open_window(WindowSettings(offscreen=True, size=(1280, 720)))
    base.setBackgroundColor(0.3, 0.4, 0.35)
    yield base
    base.destroy()


@pytest.fixture
def ui(base):
    ui = ImGuiBackend(base, clipboard=Clipboard(system=False))
    ui.items.enabled = True
    yield ui
    ui.close()


@pytest.fixture
def hand(base, ui):
    return Hand(base, ui)


@pytest.fixture
def vehicle():
    return build_vehicle()


@pytest.fixture
def model(vehicle, tmp_path):
    return VehicleModel(vehicle, tmp_path / "setups")


@pytest.fixture
def panel(ui, model, hand):
    panel = ParameterPanel(ui, model)
    ui.add(panel.draw)
    hand.step()
    return panel


@pytest.fixture
def bench(base, ui, hand, tmp_path):
    bench = Bench(base, ui, hand, tmp_path / "controls.yaml")
    yield bench
    bench.close()
