"""The program page of the settings: interface, display, folders, versions."""

import logging

import pytest

from driving_sandbox.game.controls.devices import Devices
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.controls.presets import NORMAL, PRESETS, preset_of
from driving_sandbox.game.platform.user_folder import open_log
from driving_sandbox.game.program.settings import load_settings
from driving_sandbox.game.toolkit.theme import suggested_scale
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.game.windows.controls import Controls
from driving_sandbox.game.windows.settings_window import ProgramPage, SettingsWindow


class Program:
    """The settings window open at the program page."""

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
def open_program(ui, user, home, tmp_path):
    """A function that opens the program with the given options; all it opened are closed after the test."""
    programs = []

    def make(**options):
        programs.append(Program(ui, user, tmp_path / "controls.yaml", **options))
        return programs[-1]

    yield make
    for program in programs:
        program.close()


def saved_settings():
    """The settings read back from the settings file, which must be readable."""
    settings, complaint = load_settings()
    assert complaint is None
    return settings


def test_units_apply_at_once_and_are_saved(open_program, user):
    program = open_program()
    user.click("program:mph")
    assert program.units == ["mph"] and saved_settings().units == "mph"
    user.click("program:km/h")
    assert program.units == ["mph", "km/h"] and saved_settings().units == "km/h"


def test_the_map_is_switched_at_once_and_saved(open_program, user):
    requests = []
    open_program(show_map=requests.append)
    user.click("program:map")
    assert requests == [False] and not saved_settings().map
    user.click("program:map")
    assert requests == [False, True] and saved_settings().map


@pytest.mark.parametrize("name", ["steering", "braking", "throttle"])
def test_an_aid_for_keys_is_switched_at_once_and_saved(open_program, user, name):
    requests = []
    open_program(set_aids=requests.append)
    was = getattr(NORMAL, name)
    for expected in (not was, was):
        user.click(f"program:key_{name}_aid")
        assert requests[-1] == NORMAL._replace(**{name: expected}) == saved_settings().aids


def test_a_preset_sets_all_aids_and_the_line_aid_has_a_slider(open_program, user):
    requests = []
    open_program(set_aids=requests.append)
    for name, preset in PRESETS.items():
        user.click(f"program:preset:{name}", 0.1)
        assert requests[-1] == preset == saved_settings().aids and preset_of(preset) == name
    user.click("program:preset:Beginner", 0.1)
    user.click("program:key_line_aid", 0.9)
    assert 0.8 < saved_settings().aids.line <= 1.0 and preset_of(requests[-1]) == ""


def test_the_scale_applies_when_the_slider_is_released(open_program, user, ui):
    open_program()
    user.move("program:scale", 0.1)
    user.press()
    ui.feed.move(*ui.items.point("program:scale", 0.35))
    user.step()
    assert ui.scale == 1.0
    user.release()
    assert ui.scale == pytest.approx(0.75 + 0.35 * 2.25, abs=0.08)  # the slider is from 0.75 to 3
    assert saved_settings().scale == pytest.approx(ui.scale, abs=1e-3)
    user.step()
    user.click("program:fit")
    assert ui.scale == suggested_scale(720) and saved_settings().scale == 0.0


def test_display_settings_are_saved_for_the_next_start(open_program, user):
    open_program()
    user.click("program:vsync")
    user.click("program:fullscreen")
    assert not saved_settings().vsync and saved_settings().fullscreen
    user.click("program:quality:low", 0.1)
    assert saved_settings().quality == "low"
    user.click("program:daytime:dusk", 0.1)
    assert saved_settings().daytime == "dusk"


def test_full_screen_applies_at_once_in_a_window(open_program, user):
    requests = []
    open_program(toggle_fullscreen=lambda: requests.append(True))
    user.click("program:fullscreen")
    assert requests == [True]


def test_vertical_sync_applies_at_once_in_a_window(open_program, user):
    requests = []

    def set_vsync(on, report):
        requests.append(on)
        report(False)

    program = open_program(set_vsync=set_vsync)
    user.click("program:vsync")
    user.click("program:vsync")
    assert requests == [False, True] and saved_settings().vsync
    assert program.page.vsync_obeyed is False  # as reported by set_vsync


def test_folders_and_log_are_shown_and_copied(open_program, user, ui, home):
    log = open_log("drive")
    try:
        program = open_program()
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


def test_versions_of_program_libraries_and_driver_are_listed_and_copied(open_program, user, ui):
    program = open_program(graphics="Test renderer")
    rows = dict(program.page.versions)
    assert rows["Program"][0].isdigit() and rows["Graphics"] == "Test renderer"
    assert "panda3d 1." in rows["Libraries"] and "missing" not in rows["Libraries"]
    ui.set_scale(0.75)  # so that the end of the page is visible
    user.step()
    user.click("version:Libraries:copy")
    assert ui.clipboard.paste() == rows["Libraries"]
