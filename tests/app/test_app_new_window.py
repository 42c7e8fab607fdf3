"""Registering a window by its class: key, help text, entry in the pause menu, drawing."""

import pytest
from imgui_bundle import imgui

from driving_sandbox.game.controls import bindings
from driving_sandbox.game.windows import window as registry
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.game.windows.window import Key, Window
from driving_sandbox.physics.schema.yaml_file import ConfigError

ACTION, KEY, HELP_TEXT = "tire_wear", "z", "Wear of the tires"


@pytest.fixture
def tables():
    """Restore the registries after a test."""
    all_tables = bindings.ACTIONS, bindings.GROUPS, bindings.DECLARED_KEYS, registry.WINDOWS
    saved_tables = [dict(table) for table in all_tables]
    yield
    for table, rows in zip(all_tables, saved_tables, strict=True):
        table.clear()
        table.update(rows)


def tire_wear(entry=None):
    """Define and register a window, as a file of game/windows does; entry: its text in the pause menu, or None."""

    class TireWear(Window):
        name, order, menu = ACTION, 70, entry
        keys = (Key(ACTION, (KEY,), HELP_TEXT, "Tuning", after="redo"),)

        def __init__(self, ui):
            self._ui = ui

        @classmethod
        def make(cls, screen):
            return cls(screen.ui)

        def draw(self, free):
            if self.open:
                imgui.begin("Wear###wear")
                imgui.text_unformatted(f"{free.right - free.left:.0f}")
                self._ui.items.note("wear")
                imgui.end()

    return TireWear


def test_a_registered_window_opens_by_its_key_and_is_in_the_list_of_keys(tables, open_rig):
    tire_wear()
    rig = open_rig()
    assert ("Z", HELP_TEXT) in rig.app.key_help()
    for opened in (True, False):
        rig.press(KEY)
        rig.step(3)
        assert ("wear" in rig.ui.items) == opened == rig.app.windows[ACTION].open
    assert "pause:wear" not in rig.ui.items


def test_a_window_with_a_menu_entry_replaces_the_menu_and_returns_to_it(tables, open_rig):
    tire_wear("Wear")
    rig = open_rig("--size", "640x480")  # fits one more entry
    rig.press("p")
    rig.step(3)
    rig.click("pause:wear")
    assert rig.app.pause.page == ACTION and "wear" in rig.ui.items and "pause:wear" not in rig.ui.items
    rig.press("p")
    rig.step(3)
    assert rig.app.pause.page == "menu" and "wear" not in rig.ui.items


def test_the_key_of_a_window_can_be_changed_but_not_bound_twice(tables, tmp_path):
    tire_wear()
    assert load_bindings().keys[ACTION] == (KEY,)
    assert bindings.GROUPS["Tuning"].index(ACTION) == bindings.GROUPS["Tuning"].index("redo") + 1
    file = tmp_path / "controls.yaml"
    file.write_text(f"keys:\n  {ACTION}: [numlock]\n", encoding="utf8")
    assert load_bindings(file).keys[ACTION] == ("numlock",)
    file.write_text(f"keys:\n  camera: [{KEY}]\n", encoding="utf8")
    with pytest.raises(ConfigError, match=f'key "{KEY}" already means {ACTION}'):
        load_bindings(file)


def test_duplicate_names_and_actions_are_refused(tables):
    tire_wear()
    with pytest.raises(TypeError, match="two windows are called 'tire_wear'"):
        tire_wear()
    with pytest.raises(ValueError, match="declared already"):
        type("Other", (Window,), {"name": "other", "keys": (Key(ACTION, ("z",), HELP_TEXT),)})


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"group": "Tunin"}, "'wear': unknown group 'Tunin' \\(did you mean \"Tuning\"\\?\\)"),
        ({"after": "red"}, "'wear': listed after an unknown action 'red' \\(did you mean \"redo\"\\?\\)"),
    ],
)
def test_an_action_in_an_unknown_group_or_after_an_unknown_one_is_refused(tables, wrong, text):
    with pytest.raises(ValueError, match=text):
        type("Wear", (Window,), {"name": "wear", "keys": (Key("wear", ("z",), HELP_TEXT, **wrong),)})
    assert "wear" not in bindings.ACTIONS and "wear" not in registry.WINDOWS
