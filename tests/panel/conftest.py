"""One offscreen window per test module, and a simulated user with mouse and keyboard."""

import pytest
from controls_bench import Bench
from imgui_bundle import imgui
from sample_vehicle import build_vehicle

from driving_sandbox.game.panel.parameters import ParameterPanel
from driving_sandbox.game.platform.window import WindowSettings, open_window
from driving_sandbox.game.session.edits import VehicleModel
from driving_sandbox.game.toolkit.backend import ImGuiBackend
from driving_sandbox.game.toolkit.clipboard import Clipboard

SETTLE = 3  # frames until ImGui has processed an event, updated its layout and accepts the next event


class User:
    """Moves the mouse, clicks and types in an offscreen window; widgets are addressed by name.

    Fractions are of a widget's width.
    """

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
        """Pick an entry of a combo box by its position, as the entries are no named widgets."""
        self.click(combo)
        left, _, right, bottom = self.ui.items.rectangle(combo)
        line, gap = imgui.get_text_line_height_with_spacing(), imgui.get_style().window_padding.y
        self.ui.feed.move((left + right) / 2.0, bottom + gap + line * (list(options).index(wanted) + 0.5))
        self.step()
        self.press()
        self.release()

    def drag(self, name, start, end, frames=6):
        """Press at one fraction of a widget's width and release at another."""
        self.move(name, start)
        self.press()
        points = [self.ui.items.point(name, start + (end - start) * i / frames) for i in range(1, frames + 1)]
        for point in points:
            self.ui.feed.move(*point)
            self.step()
        self.release()

    def key(self, name):
        """Press and release a key."""
        self.ui.feed.button(True, name)
        self.step()
        self.ui.feed.button(False, name)
        self.step()

    def type(self, text):
        for character in text:
            self.ui.feed.text(character)
            self.step(2)

    def enter(self, name, text, finish="enter"):
        """Open a field for typing by Ctrl and click, type, and press the key `finish` unless it is None."""
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
    """An offscreen window of 1280 x 720 pixels."""
    base = open_window(WindowSettings(offscreen=True, size=(1280, 720)))
    base.setBackgroundColor(0.3, 0.4, 0.35)
    yield base
    base.destroy()


@pytest.fixture
def ui(base):
    """Dear ImGui in the window, which records the rectangles of its named items."""
    ui = ImGuiBackend(base, clipboard=Clipboard(system=False))
    ui.items.enabled = True
    yield ui
    ui.close()


@pytest.fixture
def user(base, ui):
    return User(base, ui)


@pytest.fixture
def vehicle():
    return build_vehicle()


@pytest.fixture
def model(vehicle, tmp_path):
    return VehicleModel(vehicle, tmp_path / "setups")


@pytest.fixture
def panel(ui, model, user):
    """The parameter panel of the sample vehicle, drawn once."""
    panel = ParameterPanel(ui, model)
    ui.add(panel.draw)
    user.step()
    return panel


@pytest.fixture
def bench(base, ui, user, tmp_path):
    bench = Bench(base, ui, user, tmp_path / "controls.yaml")
    yield bench
    bench.close()
