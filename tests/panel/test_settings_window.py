"""The program page of the settings: interface, picture, folders, versions."""

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
    """The window on this page, and its requests."""

    def __init__(self, ui, user, path, **options):
        self.settings, _ = load_settings()
        self.ui, self.user, self.units = ui, user, []
        bindings = load_bindings()
        self.devices = Devices(bindings)
        self.page = ProgramPage(ui, self.settings, set_units=self.units.append, **options)
        controls = Controls(bindings, Keyboard(bindings.keys), self.devices, path)
        self.window = SettingsWindow(ui, controls, self.page)
        ui.add(self.window.draw)
        self.window.toggle()
        user.step()
        user.click("tab:program")

    def close(self):
        self.ui.remove(self.window.draw)
        self.devices.close()


@pytest.fixture
def opened(ui, user, home, tmp_path):
    programs = []

    def make(**options):
        programs.append(Program(ui, user, tmp_path / "controls.yaml", **options))
        return programs[-1]

    yield make
    for program in programs:
        program.close()


def saved():
    settings, complaint = load_settings()
    assert complaint is None
    return settings


def test_units_apply_at_once_and_are_saved(opened, user):
    program = opened()
    user.click("program:mph")
    assert program.units == ["mph"] and saved().units == "mph"
    user.click("program:km/h")
    assert program.units == ["mph", "km/h"] and saved().units == "km/h"


def test_the_map_is_switched_at_once_and_saved(opened, user):
    shown = []
    opened(show_map=shown.append)
    user.click("program:map")
    assert shown == [False] and not saved().map
    user.click("program:map")
    assert shown == [False, True] and saved().map


def test_the_steering_aid_is_switched_at_once_and_saved(opened, user):
    asked = []
    opened(set_aided=asked.append)
    user.click("program:key_steering_aid")
    assert asked == [False] and not saved().key_steering_aid
    user.click("program:key_steering_aid")
    assert asked == [False, True] and saved().key_steering_aid


def test_the_scale_applies_when_the_slider_is_released(opened, user, ui):
    opened()
    user.move("program:scale", 0.1)
    user.press()
    ui.feed.move(*ui.items.point("program:scale", 0.35))
    user.step()
    assert ui.scale == 1.0
    user.release()
    assert ui.scale == pytest.approx(0.75 + 0.35 * 2.25, abs=0.08)
    assert saved().scale == pytest.approx(ui.scale, abs=1e-3)
    user.step()
    user.click("program:fit")
    assert ui.scale == suggested_scale(720) and saved().scale == 0.0


def test_picture_settings_are_saved_for_the_next_start(opened, user):
    opened()
    user.click("program:vsync")
    user.click("program:fullscreen")
    assert not saved().vsync and saved().fullscreen
    user.click("program:quality:low", 0.1)
    assert saved().quality == "low"
    user.click("program:daytime:dusk", 0.1)
    assert saved().daytime == "dusk"


def test_full_screen_applies_at_once_in_a_window(opened, user):
    asked = []
    opened(toggle_fullscreen=lambda: asked.append(True))
    user.click("program:fullscreen")
    assert asked == [True]


def test_vertical_sync_applies_at_once_in_a_window(opened, user):
    asked = []

    def set_vsync(on, report):
        asked.append(on)
        report(False)

    program = opened(set_vsync=set_vsync)
    user.click("program:vsync")
    user.click("program:vsync")
    assert asked == [False, True] and saved().vsync
    assert program.page.vsync_obeyed is False  # and shown on the page


def test_folders_and_log_are_shown_and_copied(opened, user, ui, home):
    log = open_log("drive")
    try:
        program = opened()
        rows = dict(program.page.folders)
        assert rows["Your folder"] == str(home.resolve()) and rows["Log file"] == str(log)
        for name in ("Setups", "Recordings", "Settings", "Logs", "Screenshots"):
            assert rows[name] == str(home.resolve() / name.lower()) and f"folder:{name}" in ui.items
        user.click("folder:Recordings:copy")
        assert ui.clipboard.paste() == rows["Recordings"]
        user.click("folder:Log file:copy")
        assert ui.clipboard.paste() == str(log)
    finally:
        for handler in [h for h in logging.getLogger().handlers if getattr(h, "baseFilename", "") == str(log)]:
            logging.getLogger().removeHandler(handler)
            handler.close()


def test_versions_of_program_libraries_and_driver_are_shown(opened, user, ui):
    program = opened(graphics="Test renderer")
    rows = dict(program.page.versions)
    assert rows["Program"][0].isdigit() and rows["Graphics"] == "Test renderer"
    assert "panda3d 1." in rows["Libraries"] and "missing" not in rows["Libraries"]
    ui.set_scale(0.75)  # so that the end of the page is visible
    user.step()
    user.click("version:Libraries:copy")
    assert ui.clipboard.paste() == rows["Libraries"]
