"""The pause menu by keys, gamepad and mouse; restart, teleport and slow motion."""

import numpy as np
import pytest
from imgui_bundle import imgui

from driving_sandbox.game.controls.bindings import ACTIONS, MENU
from driving_sandbox.game.toolkit.backend import ANY_POPUP
from driving_sandbox.game.view.gl.quality import DAYTIMES
from driving_sandbox.physics.recording import Recording, verify

pytestmark = pytest.mark.drawn
ENTRIES = ["Resume", "Restart", "Recover", "Choose", "Recordings", "Settings", "Keys", "Quit"]


@pytest.fixture
def rig(open_rig):
    rig = open_rig("--world", "yard", "--size", "800x600")
    rig.app.welcome = None
    return rig


def push(rig, *actions):
    """Act as a gamepad on which the buttons of these actions are pressed one after the other; no device is polled."""
    devices = rig.app.devices
    for action in actions:
        poll, devices.poll = devices.poll, lambda: None
        devices.held_actions, devices._presses = frozenset([action]), [action]
        rig.step(2)
        devices.held_actions = frozenset()
        rig.step(2)
        devices.poll = poll


def menu_entries(rig):
    """The menu's entries on the screen, from top to bottom."""
    entries = [name for name in rig.ui.items.names() if name.startswith("pause:")]
    return sorted(entries, key=lambda name: rig.ui.items.rectangle(name)[1])


def test_pausing_opens_a_menu_of_exactly_these_entries(rig):
    rig.press("escape")
    rig.step(2)
    assert rig.session.paused and menu_entries(rig) == [f"pause:{text.lower()}" for text in ENTRIES]
    rig.press("p")
    assert not rig.session.paused and rig.app.pause.page is None
    rig.step(2)
    assert menu_entries(rig) == []


def choose_with_keys(rig, entry):
    """Open the pause menu and choose an entry by keys."""
    rig.press("escape")
    rig.step(3)
    rig.tap(*["arrow_down"] * ENTRIES.index(entry), "enter")


def choose_with_pad(rig, entry):
    """Open the pause menu and choose an entry by buttons of a gamepad."""
    push(rig, "pause")
    rig.step(3)
    push(rig, *["menu_down"] * ENTRIES.index(entry), "menu_accept")


def choose_with_mouse(rig, entry):
    """Open the pause menu by a key and choose an entry by mouse."""
    rig.press("p")
    rig.step(3)
    rig.click(f"pause:{entry.lower()}")


@pytest.mark.parametrize("choose", [choose_with_keys, choose_with_pad, choose_with_mouse])
def test_every_entry_does_what_it_says(rig, choose):
    app = rig.app
    choose(rig, "Resume")
    assert not rig.session.paused
    for entry, window in (
        ("Recordings", app.windows["recordings"]),
        ("Settings", app.windows["settings"]),
        ("Keys", app.windows["keys"]),
    ):
        choose(rig, entry)
        rig.step(2)
        assert window.open and rig.session.paused, entry
        rig.press("escape")
        rig.step(2)
        assert not window.open and app.pause.page == "menu"
        rig.press("escape")
        assert not rig.session.paused
    choose(rig, "Choose")
    rig.step(2)
    assert app.pause.page == "choose" and "choose:drive" in rig.ui.items
    push(rig, "menu_back")
    assert app.pause.page == "menu"
    push(rig, "menu_back")
    assert not rig.session.paused
    for entry, word in (("Restart", "restart"), ("Recover", "recover")):
        reasons = []  # of the jumps noted while the entry is chosen
        rig.session.changes._note_jump = lambda reason, reasons=reasons, **data: reasons.append(reason)
        choose(rig, entry)
        del rig.session.changes._note_jump
        assert word in reasons and not rig.session.paused
    choose(rig, "Quit")
    assert not app.running


def test_a_window_that_closes_returns_to_the_menu(rig):
    choose_with_keys(rig, "Recordings")
    rig.app.windows["recordings"].open = False  # as a click on the close button does
    rig.step(2)
    assert rig.app.pause.page == "menu" and rig.session.paused


@pytest.mark.parametrize("button", ["mouse1", "mouse3"])
def test_escape_closes_a_list_of_the_panel_and_nothing_else(rig, button):
    rig.press("tab")
    rig.app.panel.reveal("body.mass")
    rig.step(8)
    rig.click("view" if button == "mouse1" else "label:body.mass", button=button)
    assert imgui.is_popup_open("", ANY_POPUP)
    rig.strike("escape")
    assert not imgui.is_popup_open("", ANY_POPUP) and rig.app.panel.open
    assert not rig.session.paused and rig.app.pause.page is None
    rig.strike("escape")
    assert rig.session.paused and rig.app.pause.page == "menu"


def test_escape_unfocuses_a_field_of_the_panel_and_nothing_else(rig):
    rig.press("tab")
    rig.step(8)
    rig.click("search")
    rig.strike("escape")
    assert not rig.ui.wants_keyboard and not rig.session.paused
    rig.strike("escape")
    assert rig.session.paused


def opened(rig):
    """(names of the open windows that have an entry in the pause menu; page of that menu, or None)."""
    app = rig.app
    windows = {name: window for name, window in app.windows.items() if window.menu}
    return [name for name, window in windows.items() if window.open], app.pause.page


@pytest.mark.parametrize(("begin", "page"), [("escape", "menu"), ("g", "choose")])
@pytest.mark.parametrize(("key", "window"), [("f10", "recordings"), ("f3", "settings"), ("f1", "keys")])
def test_a_window_replaces_the_menu_and_returns_to_it(rig, begin, page, key, window):
    rig.press(begin)
    rig.step(3)
    if page == "choose":
        rig.click("choose:daytime:dusk")
    assert opened(rig) == ([], page)
    rig.press(key)
    rig.step(3)
    assert opened(rig) == ([window], window)
    assert not menu_entries(rig) and "choose:drive" not in rig.ui.items and rig.session.paused
    rig.strike("escape")
    assert opened(rig) == ([], page) and rig.session.paused
    if page == "choose":
        assert rig.app.pause.chooser.wanted.daytime == "dusk"  # the choice so far is kept
    rig.press(key)
    rig.press(key)
    assert opened(rig) == ([], page)
    rig.strike("escape")
    assert opened(rig) == ([], None) and not rig.session.paused


def test_keyboard_focus_in_the_key_settings_starts_at_the_first_action(rig):
    rig.press("escape")
    rig.press("f3")
    rig.step(4)
    rig.tap("enter")
    keys = rig.app.windows["settings"].keys_page
    assert keys.waiting == next(iter(ACTIONS)), "Enter pressed another button"
    rig.press("escape")
    assert keys.waiting is None and rig.app.pause.page == "settings"


def test_windows_opened_while_driving_return_to_the_drive_which_continues(rig):
    for key in ("f3", "f10", "f1", "f3"):  # the last one returns to the first
        rig.press(key)
        rig.step(2)
    assert opened(rig) == (["settings"], "settings") and not rig.session.paused
    rig.press("f10")
    rig.strike("escape")
    assert opened(rig) == (["settings"], "settings") and not rig.session.paused
    rig.strike("escape")
    assert opened(rig) == ([], None) and not rig.session.paused
    rig.press("f10")
    rig.app.pause.begin()  # as when the window loses the keyboard
    rig.step(2)
    assert opened(rig) == (["recordings"], "recordings") and rig.session.paused
    rig.strike("escape")
    assert opened(rig) == ([], "menu") and rig.session.paused


def test_keys_of_a_menu_do_not_drive_the_car(rig):
    rig.press("escape")
    rig.step(2)
    camera = rig.app.camera.mode
    rig.hold("w", "arrow_up", "c")
    rig.step(3)
    assert rig.app.keyboard.held_actions == set() and rig.app.camera.mode == camera
    gear = rig.app.driver.human_driver.gear
    push(rig, "gear_up")
    rig.hold()
    rig.press("escape")
    rig.step(2)
    assert rig.app.driver.human_driver.gear == gear
    rig.tap("arrow_down", "enter")  # nothing has the keyboard focus any more
    assert not rig.session.paused and rig.app.pause.page is None


def test_typing_p_in_the_search_does_not_close_the_chooser(rig):
    rig.press("g")
    rig.step(3)
    rig.click("choose:search")
    for letter in "tank p":
        rig.ui.feed.text(letter)
        rig.step(2)
    rig.press("p")
    assert rig.app.pause.page == "choose" and rig.app.pause.chooser._search == "tank p"


def test_a_rebound_button_keeps_its_function_in_menus(rig):
    bindings = rig.app.bindings
    pad = next(profile for profile in bindings.profiles if profile.gamepad)
    assert set(MENU) <= set(pad.buttons)
    bound = bindings.set_button("guid", pad, "recover", "a")
    assert bound.buttons["handbrake"] == () and bound.buttons["menu_accept"] == pad.buttons["menu_accept"]


# ---- the chooser


def test_vehicle_and_world_can_be_chosen_by_keys_alone(rig):
    rig.press("g")
    rig.step(3)
    assert rig.session.paused
    rig.tap("arrow_up", "enter")  # the one above the roadster
    assert rig.app.pause.chooser.wanted.vehicle.stem == "road_train"
    rig.tap("arrow_right", "arrow_up", "enter")  # the one above the yard
    assert rig.app.pause.chooser.wanted.world.stem == "proving_ground"
    rig.tap("arrow_left", "arrow_down", "arrow_up", "arrow_right", "arrow_up", "enter", "enter")
    rig.step(2)
    assert rig.session.vehicle.name == "Road train" and rig.session.world.file.name == "Flat plane"
    assert not rig.session.paused


KEYS = {"left": "arrow_left", "right": "arrow_right", "up": "arrow_up", "down": "arrow_down", "accept": "enter"}


def by_keys(rig, *moves):
    rig.tap(*[KEYS[move] for move in moves])


def by_pad(rig, *moves):
    push(rig, *[f"menu_{move}" for move in moves])


@pytest.mark.parametrize("go", [by_keys, by_pad])
def test_spawn_point_and_time_of_day_can_be_chosen_without_a_mouse(rig, go):
    names, app = list(rig.session.world.file.spawn_points), rig.app
    rig.press("g")
    rig.step(3)

    def wanted():
        return app.pause.chooser.wanted

    go(rig, "right", "right", "down", "accept")  # to the worlds, to the spawn points, to the second one
    assert wanted().spawn == names[1]
    go(rig, "right", "right", "accept")  # to the time of day, to the second one
    assert wanted().daytime == DAYTIMES[1]
    go(rig, "right", "accept")
    assert wanted().daytime == DAYTIMES[2]
    go(rig, "left", "left", "left", "left", "left", "right")  # back to the first column, and over to the worlds
    assert app.pause.chooser._section == "world"
    go(rig, "right", "right", "accept")  # to the time of day again: accepting there starts the drive
    rig.step(2)
    assert rig.app is app and not rig.session.paused and app.settings.daytime == DAYTIMES[2]
    point = rig.session.world.file.spawn_points[names[1]]
    assert rig.session.vehicle.model_position()[:2] == pytest.approx(point.position, abs=0.05)


def test_a_vehicle_can_be_found_by_search_and_chosen_by_mouse(rig):
    rig.press("g")
    rig.step(3)
    rig.app.pause.chooser._search = "hatch"
    rig.step(3)
    rig.click("choose:vehicle:hatchback")
    assert rig.session.vehicle.name == "Roadster"
    rig.click("choose:drive")
    rig.step(2)
    assert rig.session.vehicle.name == "Hatchback"


def test_another_spawn_point_of_the_same_world_is_a_teleport_in_the_same_drive(rig):
    app, path = rig.app, rig.session.recorder.path
    rig.hold("w")
    rig.run(1.0)
    rig.hold()
    names = list(rig.session.world.file.spawn_points)
    rig.press("g")
    rig.step(3)
    rig.click(f"choose:spawn:{names[1]}")
    rig.click("choose:drive")
    assert rig.app is app and not rig.session.paused
    point = rig.session.world.file.spawn_points[names[1]]
    assert rig.session.vehicle.model_position()[:2] == pytest.approx(point.position, abs=0.05)
    rig.run(0.5)
    rig.close()
    assert verify(path).ok
    (jump,) = [e for e in Recording.open(path).events if e["kind"] == "jump" and e.get("reason") == "teleport"]
    assert jump["spawn"] == names[1]


# ---- restart and slow motion


@pytest.mark.parametrize("vehicle", ["roadster", "truck_trailer"])
def test_restart_resets_the_train_the_props_and_the_lap_times(open_rig, vehicle):
    rig = open_rig("--world", "yard", "--vehicle", vehicle)
    rig.app.welcome = None
    train = rig.session.world.train_of(0)
    start = [rig.session.world.vehicles[i].model_position() for i in train]
    prop_poses = rig.app.prop_motion.poses.copy()
    rig.hold("w")
    rig.run(2.0)
    rig.session.world.props.state["position"][0, 0] += 1.0
    for track in rig.session.stopwatch.tracks:
        track.begin = 0.5
    rig.hold("lcontrol", "r")
    rig.step(2)
    rig.hold()
    for index, position in zip(train, start, strict=True):
        assert rig.session.world.vehicles[index].model_position() == pytest.approx(position, abs=1e-6)
    assert abs(rig.speed) < 0.1
    assert all(track.begin is None for track in rig.session.stopwatch.tracks)
    rig.run(0.2)
    assert np.allclose(rig.app.prop_motion.poses[:, :3], prop_poses[:, :3], atol=0.05)
    path = rig.session.recorder.path
    rig.close()
    assert verify(path).ok


def test_restart_after_a_teleport_uses_the_last_chosen_spawn_point(rig):
    names = list(rig.session.world.file.spawn_points)
    rig.app.placement.teleport(names[2])
    rig.hold("w")
    rig.run(1.0)
    rig.app.placement.restart()
    point = rig.session.world.file.spawn_points[names[2]]
    assert rig.session.vehicle.model_position()[:2] == pytest.approx(point.position, abs=0.05)


def test_slow_motion_scales_time_with_unchanged_ticks_and_is_in_the_instruments(rig):
    ticks = []
    for _ in range(4):
        before = rig.session.world.tick
        rig.run(1.0)
        ticks.append((rig.session.world.tick - before, rig.app.instruments.frame.time_scale))
        rig.press("j")
    assert ticks == [(240, 1.0), (120, 0.5), (60, 0.25), (240, 1.0)]
    path = rig.session.recorder.path
    rig.close()
    report = verify(path)
    assert report.ok and report.ticks == 660
