"""Adaptive quality: the measured level is drawn, saved and displayed; the resolution follows frame times."""

from types import SimpleNamespace

import pytest

import driving_sandbox.game.program.adaptive_quality
from driving_sandbox.game.program.adaptive_quality import AdaptiveQuality
from driving_sandbox.game.program.settings import Settings, load_settings
from driving_sandbox.game.windows.settings_window import ProgramPage

CARD, OTHER = "A card", "Another card"


class SceneDouble:
    """A scene that only notes its quality and scale."""

    def __init__(self, quality="medium"):
        self.quality, self.drawn, self.scale = quality, [quality], 1.0

    def set_quality(self, quality):
        self.quality = "medium" if quality == "auto" else quality
        self.drawn.append(self.quality)

    def set_scale(self, scale):
        self.scale = scale


@pytest.fixture
def open_on(home, monkeypatch):
    """A function that creates an AdaptiveQuality as on a graphics driver of the given name.

    It returns the AdaptiveQuality with the double of its scene and the requested states of vertical sync.
    """

    def make(settings, renderer=CARD, quality="medium"):
        opened = SimpleNamespace(vsync_requests=[], scene=SceneDouble(quality))
        module = driving_sandbox.game.program.adaptive_quality
        monkeypatch.setattr(module, "renderer_name", lambda base: renderer)
        monkeypatch.setattr(module, "refresh_rate", lambda base: 60.0)
        monkeypatch.setattr(module, "set_vsync", lambda base, on, report: opened.vsync_requests.append(on))
        opened.adaptive_quality = AdaptiveQuality(None, opened.scene, settings)
        return opened

    return make


def draw(opened, costs, seconds):
    """Draw frames for some seconds.

    costs: {quality level: ms that a frame takes at full resolution}.
    While the quality is not being measured, every frame waits for a display of 60 Hz.
    """
    time = 0.0
    while time < seconds:
        frame = costs[opened.scene.quality] / 1e3 * opened.scene.scale**2
        if not opened.adaptive_quality.measuring:
            frame = -(-frame // (1 / 60)) / 60  # rounded up to whole periods of the display
        opened.adaptive_quality.step(frame)
        time += frame


COSTS = {"low": 2.0, "medium": 4.0, "high": 8.0, "ultra": 40.0}


def test_the_measured_level_is_saved_with_the_name_of_the_driver(open_on):
    opened = open_on(Settings())
    assert opened.vsync_requests == [False]
    draw(opened, COSTS, seconds=20.0)
    assert opened.scene.drawn == ["medium", "high", "ultra", "high"]
    assert opened.vsync_requests == [False, True]
    loaded, complaint = load_settings()
    assert complaint is None
    assert (loaded.quality, loaded.level(CARD), loaded.level(OTHER)) == ("auto", "high", "auto")
    again = open_on(loaded, quality="high")
    assert not again.adaptive_quality.measuring
    assert not again.vsync_requests
    assert open_on(loaded, OTHER).adaptive_quality.measuring


def test_a_chosen_level_is_not_changed(open_on):
    opened = open_on(Settings(quality="ultra", auto_quality="low", auto_renderer=CARD), quality="ultra")
    draw(opened, COSTS, seconds=20.0)
    assert opened.scene.drawn == ["ultra"]
    assert opened.scene.scale == 1.0
    assert not opened.vsync_requests


def test_choosing_a_level_ends_measuring_and_automatic_starts_it_again(open_on):
    settings = Settings()
    opened = open_on(settings)
    settings.quality = "low"
    opened.adaptive_quality.set_quality("low")
    assert opened.vsync_requests == [False, True]
    draw(opened, COSTS, seconds=10.0)
    assert opened.scene.quality == "low"
    settings.quality = "auto"
    opened.adaptive_quality.set_quality("auto")
    assert opened.adaptive_quality.measuring


def test_software_rendering_stays_low_and_its_resolution_adapts(open_on):
    opened = open_on(Settings(), renderer="llvmpipe (LLVM 15.0.6, 256 bits)", quality="low")
    assert not opened.adaptive_quality.measuring
    for _ in range(200):
        opened.adaptive_quality.step(0.090)
    assert opened.scene.drawn == ["low"]
    assert opened.scene.scale == 0.6


def test_long_interruptions_are_not_counted_as_frames(open_on):
    opened = open_on(Settings())
    for _ in range(100):
        opened.adaptive_quality.step(1.5)
    assert opened.adaptive_quality.measuring
    assert opened.scene.drawn == ["medium"]


def test_the_settings_show_the_measured_level(home):
    settings = Settings()
    page = ProgramPage(None, settings, drawn_quality=lambda: "medium")
    assert page.qualities()["auto"] == "Automatic: medium"
    settings.quality = "high"
    assert page.qualities()["auto"] == "Automatic"


@pytest.mark.drawn
def test_offscreen_nothing_adapts_and_the_scale_can_be_set(open_rig):
    rig = open_rig()
    assert rig.app.adaptive_quality is None
    scene, window = rig.app.scene, rig.app.base.win
    full = scene._smoothed.buffer.getXSize()
    rig.step(3, frame=0.09)
    assert scene._smoothed.buffer.getXSize() == full == round(window.getXSize() * scene.level.scale)
    scene.set_scale(0.6)
    rig.step()
    assert scene._smoothed.buffer.getXSize() == round(window.getXSize() * scene.level.scale * 0.6)
