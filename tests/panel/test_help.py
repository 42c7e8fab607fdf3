"""The list of keys: groups under headings, complete in images of usual sizes."""

import pytest
from frame_pixels import pixels

from driving_sandbox.game.controls.bindings import ACTIONS, GROUPS
from driving_sandbox.game.controls.keyboard import Keyboard
from driving_sandbox.game.replay.viewer import GROUPS as REPLAY_GROUPS
from driving_sandbox.game.replay.viewer import KEYS as REPLAY_KEYS
from driving_sandbox.game.toolkit.theme import suggested_scale
from driving_sandbox.game.windows.bindings_file import load_bindings
from driving_sandbox.game.windows.help import HelpOverlay, grouped, key_columns

KEYS = [("", "Driving"), ("W S", "throttle"), ("A D", "steer"), ("", "View"), ("C", "camera"), ("F1", "keys")]


def rows():
    """{action: (key, text)} of the default keys."""
    keys = load_bindings().keys
    label = Keyboard(keys).label
    return {action: (", ".join(map(label, keys[action])), text) for action, text in ACTIONS.items() if keys.get(action)}


@pytest.fixture
def overlay(base, ui, user):
    """A function that opens a HelpOverlay with all keys in an image of a size."""

    def show(size, scale=None):
        base.win.setSize(*size)
        ui.set_scale(scale or suggested_scale(size[1]))
        user.step()
        overlay = HelpOverlay(ui, lambda: grouped(GROUPS, rows()))
        overlay.open = True
        ui.add(overlay.draw)
        user.step()
        return overlay

    yield show
    base.win.setSize(1280, 720)


@pytest.mark.parametrize(
    ("groups", "actions"), [(GROUPS, ACTIONS), (REPLAY_GROUPS, REPLAY_KEYS)], ids=["drive", "replay"]
)
def test_every_action_is_in_one_group(groups, actions):
    listed = [action for group in groups.values() for action in group]
    assert sorted(listed) == sorted(actions)


def test_a_beginners_keys_come_first():
    keys = grouped(GROUPS, rows())
    assert keys[0] == ("", "Driving")
    texts = [text for _, text in keys[1:12]]
    assert texts[:5] == [ACTIONS[a] for a in ("throttle", "brake", "steer_left", "steer_right", "handbrake")]
    assert {ACTIONS[a] for a in ("recover", "rewind", "camera", "pause", "help")} <= set(texts)


def test_a_group_without_keys_has_no_heading():
    assert grouped({"A": ("a",), "B": ("b", "c")}, {"c": ("K", "see")}) == [("", "B"), ("K", "see")]


def test_key_columns_do_not_split_groups():
    columns = key_columns(KEYS, 2)
    assert [column[0] for column in columns] == [("", "Driving"), ("", "View")]
    assert sum(columns, []) == KEYS
    assert len(key_columns(KEYS[1:3], 2)) == 2


@pytest.mark.parametrize("size", [(800, 600), (1024, 768), (1280, 720), (1920, 1080), (2560, 1440)])
def test_all_keys_are_visible_at_once(overlay, ui, size):
    keys = overlay(size).rows()
    left, top, right, bottom = ui.items.rectangle("help")
    assert left >= 0.0 and top >= 0.0 and right <= size[0] and bottom <= size[1]
    for _, text in keys:
        box = ui.items.rectangle(f"help:{text}")
        assert left < box[0] and box[2] < right and top < box[1] and box[3] < bottom, text
    assert not ui.wants_mouse


def test_a_large_interface_scrolls_to_the_rest(overlay, ui, user):
    keys = overlay((800, 600), 2.0).rows()
    left, top, right, bottom = ui.items.rectangle("help")
    assert left >= 0.0 and top >= 0.0 and right <= 800.0 and bottom <= 600.0
    last = f"help:{keys[-1][1]}"
    assert last not in ui.items
    ui.feed.move(400, 300)
    for _ in range(40):
        ui.feed.button(True, "wheel_down")
        user.step()
    assert last in ui.items


def test_the_list_does_not_capture_the_mouse(base, ui, user, overlay):
    user.step()  # otherwise the frame may still contain the list of the previous test
    before = pixels(base)
    overlay((1280, 720))
    assert (before != pixels(base)).any(axis=2)[250:470, 450:830].mean() > 0.1  # in the middle of the image
    ui.feed.move(640, 360)
    user.step()
    assert not ui.wants_mouse
