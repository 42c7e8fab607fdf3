"""The page of the program: interface, picture, folders, versions."""

import logging

import pytest

from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.platform.user_folder import open_log
from driving_sandbox.game.program.settings import load_settings
from driving_sandbox.game.toolkit.theme import suggested_scale
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.game.windows.controls import Controls
from driving_sandbox.game.windows.settings_window import ProgramPage, SettingsWindow


class Program:
    """The window on its page, and what it was asked to do."""

    def __init__(self, ui, hand, path, **options):
        self.settings, _ = load_settings()
        self.ui, self.hand, self.units = ui, hand, []
        bindings = load_bindings()
        self.devices = Devices(bindings)
        self.page = ProgramPage(ui, self.settings, set_units=self.units.append, **options)
        controls = Controls(bindings, Keyboard(bindings.keys), self.devices, path)
        self.window = SettingsWindow(ui, controls, self.page)
        ui.add(self.window.draw)
        self.window.toggle()
        hand.step()
        hand.click("tab:program")

    def close(self):
        self.ui.remove(self.window.draw)
        self.devices.close()


@pytest.fixture
def opened(ui, hand, home, tmp_path):
    programs = []

    def make(**options):
        programs.append(Program(ui, hand, tmp_path / "controls.yaml", **options))
        return programs[-1]

    yield make
    for program in programs:
        program.close()


def saved():
    settings, complaint = load_settings()
    assert complaint is None
    return settings


def test_units_act_at_once_and_are_kept(opened, hand):
    program = opened()
    hand.click("program:mph")
    assert program.units == ["mph"] and saved().units == "mph"
    hand.click("program:km/h")
    assert program.units == ["mph", "km/h"] and saved().units == "km/h"


def test_the_small_map_is_shown_or_not_at_once_and_for_good(opened, hand):
    shown = []
    opened(show_map=shown.append)
    hand.click("program:map")
    assert shown == [False] and not saved().map
    hand.click("program:map")
    assert shown == [False, True] and saved().map


def test_the_steering_aid_is_switched_at_once_and_for_good(opened, hand):
    asked = []
    opened(set_aided=asked.append)
    hand.click("program:key_steering_aid")
    assert asked == [False] and not saved().key_steering_aid
    hand.click("program:key_steering_aid")
    assert asked == [False, True] and saved().key_steering_aid


def test_scale_acts_when_the_slider_is_let_go(opened, hand, ui):
    opened()
    hand.move("program:scale", 0.1)
    hand.press()
    ui.feed.move(*ui.items.point("program:scale", 0.35))
    hand.step()
    assert ui.scale == 1.0
    hand.release()
    assert ui.scale == pytest.approx(0.75 + 0.35 * 2.25, abs=0.08)
    assert saved().scale == pytest.approx(ui.scale, abs=1e-3)
    hand.step()
    hand.click("program:fit")
    assert ui.scale == suggested_scale(720) and saved().scale == 0.0


def test_picture_settings_are_kept_for_the_next_start(opened, hand):
    opened()
    hand.click("program:vsync")
    hand.click("program:fullscreen")
    assert not saved().vsync and saved().fullscreen
    hand.click("program:quality:low", 0.1)
    assert saved().quality == "low"
    hand.click("program:daytime:dusk", 0.1)
    assert saved().daytime == "dusk"


def test_full_screen_acts_at_once_where_there_is_a_window(opened, hand):
    asked = []
    opened(toggle_fullscreen=lambda: asked.append(True))
    hand.click("program:fullscreen")
    assert asked == [True]


def test_vertical_sync_acts_at_once_where_there_is_a_window(opened, hand):
    asked = []

    def set_vsync(on, told):
        asked.append(on)
        told(False)

    program = opened(set_vsync=set_vsync)
    hand.click("program:vsync")
    hand.click("program:vsync")
    assert asked == [False, True] and saved().vsync
    assert program.page.vsync_obeyed is False  # and the page says so


def test_folders_and_log_are_shown_and_copied(opened, hand, ui, home):
    log = open_log("drive")
    try:
        program = opened()
        rows = dict(program.page.folders)
        assert rows["Your folder"] == str(home.resolve()) and rows["Log file"] == str(log)
        for name in ("Setups", "Recordings", "Settings", "Logs", "Screenshots"):
            assert rows[name] == str(home.resolve() / name.lower()) and f"folder:{name}" in ui.items
        hand.click("folder:Recordings:copy")
        assert ui.clipboard.paste() == rows["Recordings"]
        hand.click("folder:Log file:copy")
        assert ui.clipboard.paste() == str(log)
    finally:
        for handler in [h for h in logging.getLogger().handlers if getattr(h, "baseFilename", "") == str(log)]:
            logging.getLogger().removeHandler(handler)
            handler.close()


def test_versions_name_program_libraries_and_driver(opened, hand, ui):
    program = opened(graphics="Test renderer")
    rows = dict(program.page.versions)
    assert rows["Program"][0].isdigit() and rows["Graphics"] == "Test renderer"
    assert "panda3d 1." in rows["Libraries"] and "missing" not in rows["Libraries"]
    ui.set_scale(0.75)  # the rows at the end of the page are in view
    hand.step()
    hand.click("version:Libraries:copy")
    assert ui.clipboard.paste() == rows["Libraries"]
