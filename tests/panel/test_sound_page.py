"""The page of the sound: switches and volumes apply at once and are saved, devices are listed."""

import pytest

from driving_sandbox.game.audio.levels import LOUDEST, VOLUMES, set_levels
from driving_sandbox.game.audio.silence import Silence
from driving_sandbox.game.program.settings import Settings, load_settings
from driving_sandbox.game.windows.sound_page import SoundPage, status_of


class Hearing(Silence):
    """Records the calls of the page: `applied` counts changes of levels, `chosen` lists the chosen devices."""

    def __init__(self):
        self.applied, self.chosen = 0, []

    def set_levels(self):
        self.applied += 1

    def devices(self):
        return ["Speakers", "Headphones"]

    def choose_device(self, name):
        self.chosen.append(name)


@pytest.fixture
def hearing(ui, user, home):
    """The Hearing of a page that is drawn."""
    heard = Hearing()
    heard.page = SoundPage(ui, load_settings()[0], heard)
    ui.add(heard.page.draw)
    user.step()
    yield heard
    ui.remove(heard.page.draw)


@pytest.mark.parametrize("name", ["sound", "sound_without_focus", "sound_in_slow_motion"])
def test_switches_are_saved(hearing, user, name):
    before = getattr(load_settings()[0], name)
    user.click(f"sound:{name}")
    assert getattr(load_settings()[0], name) is not before


def test_a_volume_applies_while_the_slider_moves_and_is_saved_when_released(hearing, user, ui):
    user.move("sound:volume_engine", 0.9)
    user.press()
    ui.feed.move(*ui.items.point("sound:volume_engine", 0.3))
    user.step()
    assert hearing.applied > 0
    user.release()
    user.step()
    assert load_settings()[0].volume_engine == pytest.approx(0.3, abs=0.05)


def test_the_page_says_why_nothing_is_heard(hearing, user):
    assert status_of(hearing) == ""
    hearing.compiling = True
    user.step()
    assert status_of(hearing) == "The sound is being compiled; it begins by itself."
    hearing.problem = "no sound: the disk is full"
    user.step()
    assert status_of(hearing) == "no sound: the disk is full"


def test_each_level_is_written_once():
    """The audio thread may read the levels at any time, and must not see one that is half computed."""
    written = []

    class Levels(dict):
        def __setitem__(self, field, level):
            written.append((field, level))

    set_levels(Levels(), Settings(volume=0.5, volume_engine=1.0))
    assert [field for field, _ in written] == [field for _, field in VOLUMES.values() if field]
    assert dict(written)["master"] == 0.25 * LOUDEST  # the square of the volume
    assert dict(written)["engine"] == 1.0


def test_a_device_is_chosen_and_saved(hearing, user):
    user.click("sound:device", 0.3)
    user.click("sound:device:Headphones", 0.2)
    assert hearing.chosen == ["Headphones"]
    assert load_settings()[0].sound_device == "Headphones"


def test_a_volume_out_of_range_names_the_line(home):
    folder = home / "settings"
    folder.mkdir(parents=True)
    (folder / "program.yaml").write_text("sound: true\nvolume: 1.5\n")
    settings, complaint = load_settings()
    assert "program.yaml:2: volume: 1.5 must be from 0 to 1" in complaint
    assert settings.volume == 0.8
