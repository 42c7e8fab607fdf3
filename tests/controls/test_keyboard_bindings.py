"""Physical keys, presses, and the YAML file that binds them to actions."""

import os
import subprocess
import sys

import pytest

from driving_sandbox.game.controls.bindings import ACTIONS, AxisBinding
from driving_sandbox.game.controls.driver import Gearing, HumanDriver, SpeedAndGear
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.windows.bindings_file import load_bindings, save_bindings
from driving_sandbox.physics.kernel.jit import ROOT
from driving_sandbox.physics.schema.yaml_file import ConfigError

BOX = "devices:\n  - name: x\n    match: {any: true}\n"  # beginning of a file with a device


@pytest.fixture
def keyboard():
    return Keyboard(load_bindings().keys)


class Button:
    def __init__(self, name):
        self.name = name


class FrenchMap:
    """Panda's ButtonMap of an AZERTY keyboard, the part that matters."""

    pairs = (("w", "z"), ("q", "a"), ("a", "q"), ("z", "w"), ("[", "none"))

    def get_num_buttons(self):
        return len(self.pairs)

    def get_raw_button(self, i):
        return Button(self.pairs[i][0])

    def get_mapped_button(self, i):
        return Button(self.pairs[i][1])


def test_a_key_is_held_until_it_is_released(keyboard):
    keyboard.key_down("w")
    keyboard.key_down("arrow_left")
    assert keyboard.held("throttle") and keyboard.held_actions == {"throttle", "steer_left"}
    keyboard.key_up("w")
    assert not keyboard.held("throttle") and keyboard.held("steer_left")


def test_an_action_is_held_while_one_of_its_two_keys_is_down(keyboard):
    keyboard.key_down("w")
    keyboard.key_down("arrow_up")
    keyboard.key_up("w")
    assert keyboard.held("throttle")


def test_press_comes_once_in_order_without_repeats(keyboard):
    for key in ("r", "r", "c", "e"):
        keyboard.key_down(key)
    assert keyboard.take_presses() == ["recover", "camera", "gear_up"]
    assert keyboard.take_presses() == []


def test_focus_loss_releases_all(keyboard):
    keyboard.key_down("w")
    keyboard.key_down("c")
    keyboard.release_all()
    assert not keyboard.held_actions and keyboard.take_presses() == []
    keyboard.key_up("w")  # the release that arrives late harms nothing
    keyboard.key_down("w")
    assert keyboard.held("throttle")


def test_labels_follow_the_layout_and_undo_follows_the_letter(keyboard):
    keyboard.read_labels(FrenchMap())
    assert keyboard.label("w") == "Z" and keyboard.label("arrow_up") == "Arrow up"
    assert keyboard.label("lshift") == "Left shift" and keyboard.label("ralt") == "Right alt"
    assert keyboard.label("[") == "["  # unknown to Panda3D
    keyboard.key_down("lcontrol")
    keyboard.key_down("w")  # the key with the letter Z
    assert keyboard.take_presses() == ["undo"] and not keyboard.held("throttle")
    keyboard.key_up("lcontrol")
    keyboard.key_up("w")
    keyboard.key_down("w")
    assert keyboard.held("throttle")


def test_text_field_keeps_keys_from_the_car(keyboard):
    keyboard.key_down("w")
    keyboard.set_captured(True)
    assert not keyboard.held("throttle")
    keyboard.key_down("s")
    keyboard.key_down("f1")
    assert keyboard.take_presses() == ["help"] and not keyboard.held("brake")
    keyboard.set_captured(False)
    keyboard.key_down("s")
    assert keyboard.held("brake")


def test_press_to_bind_takes_a_key_from_its_former_action(keyboard):
    bindings = load_bindings()
    keyboard.wait_for_key(lambda key: bindings.set_key("throttle", key))
    keyboard.key_down("r")
    assert not keyboard.take_presses()
    keyboard.rebind(bindings.keys)
    keyboard.key_down("r")
    assert keyboard.held("throttle") and bindings.keys["recover"] == ()


def test_the_driver_acts_on_driving_keys_and_returns_the_other_presses(keyboard):
    driver = HumanDriver(Gearing(gear_count=8))
    for key in ("d", "c", "m", "space"):
        keyboard.key_down(key)
    assert driver.take(keyboard) == ["camera"]
    command = driver.command(SpeedAndGear(0.0, gear=3, target_gear=3), 1 / 60)[0]
    assert command["steer"] == 1.0 and command["handbrake"] == 1.0 and command["digital"] == 1
    assert command["gear"] == 3 and not driver.automatic


def test_without_a_window_no_key_is_held(keyboard):
    class Offscreen:
        buttonThrowers = ()
        win = None

    keyboard.attach(Offscreen())
    assert not keyboard.held_actions


def test_default_keys_belong_to_known_actions_and_none_to_two():
    bindings = load_bindings()
    assert set(bindings.keys) <= set(ACTIONS)
    keys = [key for bound in bindings.keys.values() for key in bound]
    assert len(keys) == len(set(keys))
    for needed in ("throttle", "brake", "steer_left", "steer_right", "handbrake", "recover", "rewind", "help"):
        assert bindings.keys[needed]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("keys:\n  throtle: [w]\n", 2, 'did you mean "throttle"'),
        ("keys:\n  camera: [w]\n", 2, 'key "w" already means throttle'),
        ("keys:\n  camera: [z]\n  hud: [z]\n", 3, 'key "z" already means camera'),
        ("keys:\n  camera: [1.5]\n", 2, "the name of a key"),
        ("buttons: {}\n", 1, "unknown key"),
        (BOX + "    axes: {steer: {axis: 0, dead_zone: 2}}\n", 4, "from 0 to 0.9"),
        (BOX + "    axes:\n      steer: {axis: 0, range: [1, -1]}\n", 5, "rise"),
        (BOX + "    axes: {steer: {axis: true}}\n", 4, "number of an axis"),
        (BOX + "    axes: {stear: {axis: 0}}\n", 4, 'mean "steer"'),
        ("devices:\n  - name: x\n    match: {any: maybe}\n", 3, "true or false"),
        ("devices:\n  - name: x\n", 2, "is missing"),
        ("devices:\n  - 3\n", 2, "must be a mapping"),
        (BOX + "    kind: boat\n", 4, "pad, wheel, stick"),
        (BOX + "    buttons: {camera: -1}\n", 4, "number or the gamepad name"),
    ],
)
def test_wrong_file_is_refused_with_its_line(tmp_path, text, line, words):
    path = tmp_path / "controls.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_bindings(path)
    assert str(caught.value).startswith(f"{path}:{line}: ") and words in str(caught.value)


def test_saved_bindings_hold_only_the_differences(tmp_path):
    bindings = load_bindings()
    bindings.set_key("camera", "v")
    profile = bindings.profile_for("aa", "1:2", "Box", False)
    axis = AxisBinding(3, minimum=-0.5, maximum=0.9, inverted=True, dead_zone=0.1, curve=2.0)
    changed = bindings.set_axis("aa", profile, "throttle", axis)
    bindings.set_button("aa", changed, "camera", 9)
    path = save_bindings(bindings, tmp_path / "controls.yaml")
    assert "steer_left" not in path.read_text()
    loaded = load_bindings(path)
    assert loaded.keys == bindings.keys
    profile = loaded.profile_for("aa", "1:2", "Box", False)
    assert profile == bindings.user_profiles[0]
    assert profile.axes["throttle"].inverted and profile.buttons["camera"] == (9,)
    assert loaded.profile_for("bb", "1:2", "Box", False).name == "Joystick"


REAL_WINDOW = """
import time
from direct.showbase.ShowBase import ShowBase
from panda3d.core import KeyboardButton
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.game.controls.keyboard import Keyboard

base = ShowBase()
keyboard = Keyboard(load_bindings().keys)
keyboard.attach(base)
base.win.get_input_device(0).raw_button_down(KeyboardButton.ascii_key("w"))
end = time.monotonic() + 10.0
while not keyboard.held("throttle") and time.monotonic() < end:
    base.task_mgr.step()
print("held", keyboard.held("throttle"))
"""


@pytest.mark.serial
def test_real_window_delivers_raw_keys(display):
    environment = {**os.environ, "DISPLAY": display}
    run = subprocess.run([sys.executable, "-c", REAL_WINDOW], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert "held True" in run.stdout, run.stderr
